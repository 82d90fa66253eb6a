package credentials

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/matrix-nexus/skillkit/executa/manifest"
)

const (
	// MaxValue is the size in bytes of the largest value. All that a plugin
	// gets has to fit into one request of less than 1 MiB.
	MaxValue = 64 << 10
	// MaxName is the length in bytes of the longest name, also of a plugin.
	MaxName = 256
	// MaxSize is the size in bytes of the file with all values.
	MaxSize = 4 << 20
)

// ErrNotSet is wrapped by the error for an entry that is not there.
var ErrNotSet = errors.New("not set")

// An Entry names a value.
type Entry struct {
	// Provider is the id of one, for a value of the platform.
	Provider string `json:"provider,omitempty"`
	// Plugin is the id of one, for a value that it alone is given. Of Provider and
	// Plugin one is empty.
	Plugin string `json:"plugin,omitempty"`
	// Name is that of a field of the provider, or the one that the plugin declares.
	Name string `json:"name"`
}

// String returns the entry as error messages name it.
func (e Entry) String() string {
	if e.Plugin != "" {
		return fmt.Sprintf("%s of plugin %q", e.Name, e.Plugin)
	}
	return fmt.Sprintf("%s of provider %q", e.Name, e.Provider)
}

func compare(a, b Entry) int {
	return slices.Compare([]string{a.Provider, a.Plugin, a.Name}, []string{b.Provider, b.Plugin, b.Name})
}

// A Store keeps values in a folder. Its methods may be called by several
// goroutines, and several programs may have stores of one folder: each sees what
// the others have written.
type Store struct {
	dir       string
	providers []manifest.Provider

	mu   sync.Mutex // protects last
	last snapshot
}

// Open returns the store in the folder dir, which need not exist before something
// is set. providers are added behind those of [manifest.Providers]; one with the
// same ID takes the place of that one. It is an error if one maps a name to a field
// that it does not have.
func Open(dir string, providers []manifest.Provider) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("credentials: %w", err)
	}
	s := &Store{dir: dir, providers: manifest.Providers()}
	for _, p := range providers {
		p.Fields, p.Mapping = slices.Clone(p.Fields), maps.Clone(p.Mapping)
		if err := checkProvider(&p); err != nil {
			return nil, fmt.Errorf("credentials: provider %q: %w", p.ID, err)
		}
		same := func(q manifest.Provider) bool { return q.ID == p.ID }
		if i := slices.IndexFunc(s.providers, same); i >= 0 {
			s.providers[i] = p
		} else {
			s.providers = append(s.providers, p)
		}
	}
	return s, nil
}

// checkProvider makes sure that what is mapped can be set.
func checkProvider(p *manifest.Provider) error {
	fields := fieldsOf(p)
	for _, name := range append([]string{p.ID}, fields...) {
		if err := checkName(name); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Mapping)) {
		if field := fieldOf(p.Mapping[name]); !slices.Contains(fields, field) {
			return fmt.Errorf("%s is mapped to %q, which is none of its fields: %s", name, p.Mapping[name], strings.Join(fields, ", "))
		}
	}
	return nil
}

// tokenField is the field of what [manifest.AccessToken] stands for.
const tokenField = "access_token"

// fieldOf returns the field that a value of a mapping names.
func fieldOf(mapped string) string {
	if mapped == manifest.AccessToken {
		return tokenField
	}
	return mapped
}

// fieldsOf returns the fields that can be set for a provider.
func fieldsOf(p *manifest.Provider) []string {
	if p.Auth == "oauth2" && !slices.Contains(p.Fields, tokenField) {
		return append(slices.Clip(p.Fields), tokenField)
	}
	return p.Fields
}

func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("a name is empty")
	case len(name) > MaxName:
		return fmt.Errorf("a name is longer than %d bytes", MaxName)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }):
		return fmt.Errorf("name %q: blanks and control characters cannot be in one", name)
	}
	return nil
}

// check makes sure that e names what can be set.
func (s *Store) check(e Entry) error {
	switch {
	case (e.Provider == "") == (e.Plugin == ""):
		return errors.New("either a provider or a plugin has to be named")
	case e.Plugin != "":
		return errors.Join(checkName(e.Plugin), checkName(e.Name))
	}
	p, err := s.provider(e.Provider)
	if err != nil {
		return err
	}
	// The name is not repeated: it may be a value that was given in its place.
	if fields := fieldsOf(p); !slices.Contains(fields, e.Name) {
		return fmt.Errorf("provider %q has no such field; it has %s", e.Provider, strings.Join(fields, ", "))
	}
	return nil
}

func (s *Store) provider(id string) (*manifest.Provider, error) {
	i := slices.IndexFunc(s.providers, func(p manifest.Provider) bool { return p.ID == id })
	if i < 0 {
		var ids []string
		for _, p := range s.providers {
			ids = append(ids, p.ID)
		}
		return nil, fmt.Errorf("there is no provider %q; there are %s", id, strings.Join(ids, ", "))
	}
	return &s.providers[i], nil
}

// Set stores a value, in the place of an earlier one. It has to be text without NUL,
// is kept as it is, and must not be empty: see [Store.Remove]. ctx bounds the wait
// for other programs that write.
func (s *Store) Set(ctx context.Context, e Entry, value string) error {
	if err := s.check(e); err != nil {
		return fmt.Errorf("credentials: %w", err)
	}
	switch {
	case value == "":
		return fmt.Errorf("credentials: %s: the value is empty", e)
	case len(value) > MaxValue:
		return fmt.Errorf("credentials: %s: the value exceeds %d bytes", e, MaxValue)
	case !utf8.ValidString(value) || strings.ContainsRune(value, 0):
		return fmt.Errorf("credentials: %s: the value is not text in UTF-8", e)
	}
	return s.change(ctx, func(values map[Entry]secret) error {
		values[e] = seal(value)
		return nil
	})
}

// Remove forgets a value. The error wraps [ErrNotSet] if there is none. ctx bounds
// the wait for other programs that write.
func (s *Store) Remove(ctx context.Context, e Entry) error {
	return s.change(ctx, func(values map[Entry]secret) error {
		if values[e] == nil {
			return fmt.Errorf("credentials: %s: %w", e, ErrNotSet)
		}
		delete(values, e)
		return nil
	})
}

// List returns the entries that are set, those of plugins first, then those of
// providers, each sorted by name. It includes entries of providers that are no
// longer known.
func (s *Store) List() ([]Entry, error) {
	values, err := s.read()
	if err != nil {
		return nil, err
	}
	return slices.SortedFunc(maps.Keys(values), compare), nil
}

// A Status says what is set for a provider.
type Status struct {
	ID     string  `json:"id"`
	Name   string  `json:"name"`
	Auth   string  `json:"auth"` // as in [manifest.Provider]
	Fields []Field `json:"fields"`
	// Serves are the names that plugins may declare and for which Resolve finds a
	// value of this provider; Maps are all that it maps. Sorted.
	Serves []string `json:"serves"`
	Maps   []string `json:"maps"`
}

// A Field is a value that a provider needs.
type Field struct {
	Name string `json:"name"`
	Set  bool   `json:"set"`
}

// Status returns what is set for each provider, in the order in which they are
// asked for a name.
func (s *Store) Status() ([]Status, error) {
	values, err := s.read()
	if err != nil {
		return nil, err
	}
	var list []Status
	taken := make(map[string]bool)
	for i := range s.providers {
		p := &s.providers[i]
		st := Status{ID: p.ID, Name: p.Name, Auth: p.Auth, Fields: []Field{}, Serves: []string{}, Maps: []string{}}
		set := func(field string) bool { return values[Entry{Provider: p.ID, Name: field}] != nil }
		for _, field := range fieldsOf(p) {
			st.Fields = append(st.Fields, Field{field, set(field)})
		}
		for _, name := range slices.Sorted(maps.Keys(p.Mapping)) {
			st.Maps = append(st.Maps, name)
			if !taken[name] && set(fieldOf(p.Mapping[name])) {
				taken[name] = true
				st.Serves = append(st.Serves, name)
			}
		}
		list = append(list, st)
	}
	return list, nil
}

// Resolve finds the value of a name that a plugin declares: that of the platform,
// else that of the plugin. It has the signature of a Resolver of package executa.
// Values that another program has set meanwhile are found.
func (s *Store) Resolve(_ context.Context, plugin, name string) (value string, found bool, err error) {
	values, err := s.read()
	if err != nil {
		return "", false, err
	}
	for _, p := range s.providers {
		if mapped, ok := p.Mapping[name]; ok {
			if v := values[Entry{Provider: p.ID, Name: fieldOf(mapped)}]; v != nil {
				return v(), true, nil
			}
		}
	}
	if v := values[Entry{Plugin: plugin, Name: name}]; v != nil && plugin != "" {
		return v(), true, nil
	}
	return "", false, nil
}
