package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"gopkg.in/yaml.v3"

	"github.com/matrix-nexus/skillkit/check"
	"github.com/matrix-nexus/skillkit/internal/closest"
	"github.com/matrix-nexus/skillkit/internal/yamlerr"
	"github.com/matrix-nexus/skillkit/metadata"
)

// configFile is the name of the configuration, and otherConfig is what it is
// called by mistake.
const (
	configFile  = ".skillcheck.yaml"
	otherConfig = ".skillcheck.yml"
)

// failOns are what fails a run: findings from that severity on, or none.
var failOns = []string{"error", "warning", "info", "never"}

// A config is what a .skillcheck.yaml says. The zero value is an empty one.
type config struct {
	Profile         check.Profile
	Strict          bool
	FailOn          string
	Severity        map[string]metadata.Severity
	Enable, Disable []string // rules whose severity says so
	Exclude         []string
	ReservedNames   []string // nil if they are not given
	MaxFolder       int64    // bytes

	dir string // of the file
}

// loadConfig reads the file of --config, else the nearest one from the working
// directory up to the root of the repository. It does not look where the skills
// are: those of a stranger bring no configuration along.
func (a *app) loadConfig() (*config, error) {
	if file := a.flags.Config; file != "" {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("--config: %w", err)
		}
		return parseConfig(file, data)
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for rel := "."; ; rel = filepath.Join("..", rel) {
		file := filepath.Join(rel, configFile)
		data, err := readFile(os.DirFS(dir), configFile)
		if err == nil {
			return parseConfig(file, data)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if _, err := os.Lstat(filepath.Join(dir, otherConfig)); err == nil {
			return nil, fmt.Errorf("%s is not read; rename it to %s", filepath.Join(rel, otherConfig), configFile)
		}
		_, err = os.Lstat(filepath.Join(dir, ".git"))
		if parent := filepath.Dir(dir); err == nil || parent == dir {
			return &config{}, nil
		} else {
			dir = parent
		}
	}
}

// excludes reports whether the configuration excludes a file, by its own path or
// by that of a folder that it is in.
func (c *config) excludes(file string) bool {
	if len(c.Exclude) == 0 {
		return false
	}
	abs, err := filepath.Abs(filepath.FromSlash(file))
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(c.dir, abs)
	if err != nil {
		return false
	}
	for name := filepath.ToSlash(rel); name != "." && name != "/"; name = path.Dir(name) {
		if slices.ContainsFunc(c.Exclude, func(glob string) bool { return doublestar.MatchUnvalidated(glob, name) }) {
			return true
		}
	}
	return false
}

// A configReader collects what is wrong with a configuration.
type configReader struct {
	file   string
	config *config
	errs   []error
}

// parseConfig reads a configuration. The error names all that is wrong with it.
func parseConfig(file string, data []byte) (*config, error) {
	r := &configReader{file: file, config: &config{}}
	abs, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	r.config.dir = filepath.Dir(abs)
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		line, msg := yamlerr.Split(err)
		return nil, fmt.Errorf("%s:%d:1: %s", file, line, msg)
	}
	if len(doc.Content) > 0 {
		r.mapping(doc.Content[0], "", map[string]func(*yaml.Node){
			"profile": func(n *yaml.Node) {
				r.config.Profile = check.Profile(r.oneOf(n, names(check.Profiles())))
			},
			"strict":          r.strict,
			"fail_on":         func(n *yaml.Node) { r.config.FailOn = r.oneOf(n, failOns) },
			"severity":        r.severities,
			"exclude":         r.exclude,
			"reserved_names":  func(n *yaml.Node) { r.config.ReservedNames = append([]string{}, r.texts(n)...) },
			"max_folder_size": r.size,
		})
	}
	return r.config, errors.Join(r.errs...)
}

func names(profiles []check.Profile) (list []string) {
	for _, p := range profiles {
		list = append(list, string(p))
	}
	return list
}

func (r *configReader) errorf(n *yaml.Node, format string, args ...any) {
	r.errs = append(r.errs, fmt.Errorf("%s:%d:%d: %s", r.file, n.Line, n.Column, fmt.Sprintf(format, args...)))
}

// mapping calls for each key the function of that name.
func (r *configReader) mapping(n *yaml.Node, of string, keys map[string]func(*yaml.Node)) {
	r.each(n, of, func(key, value *yaml.Node) {
		if read, ok := keys[key.Value]; ok {
			read(value)
			return
		}
		var known []string
		for k := range keys {
			known = append(known, k)
		}
		slices.Sort(known)
		r.errorf(key, "unknown key %q%s", key.Value, suggest(key.Value, known))
	})
}

// each calls f for each key of a mapping, none of them twice.
func (r *configReader) each(n *yaml.Node, of string, f func(key, value *yaml.Node)) {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		return
	}
	if n.Kind != yaml.MappingNode {
		r.errorf(n, "%snot a mapping; write keys with their values", of)
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if seen[key.Value] {
			r.errorf(key, "%q is there twice", key.Value)
			continue
		}
		seen[key.Value] = true
		f(key, n.Content[i+1])
	}
}

// suggest says what was most likely meant, or what there is.
func suggest(name string, known []string) string {
	if near := closest.Names(name, known); len(near) > 0 {
		return "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return "; there are " + strings.Join(known, ", ")
}

// text returns the text of a scalar.
func (r *configReader) text(n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" {
		r.errorf(n, "a text is expected here")
		return ""
	}
	return n.Value
}

func (r *configReader) texts(n *yaml.Node) (list []string) {
	if n.Kind != yaml.SequenceNode {
		r.errorf(n, "a list is expected here")
	}
	for _, item := range n.Content {
		list = append(list, r.text(item))
	}
	return list
}

func (r *configReader) oneOf(n *yaml.Node, known []string) string {
	s := r.text(n)
	if s != "" && !slices.Contains(known, s) {
		r.errorf(n, "%q is not known here%s", s, suggest(s, known))
	}
	return s
}

func (r *configReader) strict(n *yaml.Node) {
	if n.Decode(&r.config.Strict) != nil {
		r.errorf(n, "true or false is expected here")
	}
}

func (r *configReader) severities(n *yaml.Node) {
	byID := map[string]*check.Rule{}
	var ids []string
	for _, rule := range check.Rules() {
		byID[rule.ID] = rule
		ids = append(ids, rule.ID)
	}
	c := r.config
	c.Severity = map[string]metadata.Severity{}
	r.each(n, "severity is ", func(key, value *yaml.Node) {
		rule, ok := byID[key.Value]
		if !ok {
			what := "; skillcheck --list shows them all"
			if len(closest.Names(key.Value, ids)) > 0 {
				what = suggest(key.Value, ids)
			}
			r.errorf(key, "no rule %q%s", key.Value, what)
			return
		}
		switch r.oneOf(value, []string{"off", "info", "warning", "error"}) {
		case "off":
			c.Disable = append(c.Disable, rule.ID)
			return
		case "info":
			c.Severity[rule.ID] = metadata.Info
		case "warning":
			c.Severity[rule.ID] = metadata.Warning
		case "error":
			c.Severity[rule.ID] = metadata.Error
		}
		if rule.Off {
			c.Enable = append(c.Enable, rule.ID)
		}
	})
}

func (r *configReader) exclude(n *yaml.Node) {
	for i, glob := range r.texts(n) {
		if !doublestar.ValidatePattern(glob) {
			r.errorf(n.Content[i], "%q is no pattern", glob)
			continue
		}
		r.config.Exclude = append(r.config.Exclude, strings.TrimSuffix(strings.TrimPrefix(glob, "./"), "/"))
	}
}

// size reads a number of bytes, or one with a unit.
func (r *configReader) size(n *yaml.Node) {
	number, unit := r.text(n), int64(1)
	for name, u := range map[string]int64{"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30} {
		if s, ok := strings.CutSuffix(number, name); ok {
			number, unit = strings.TrimSpace(s), u
			break
		}
	}
	v, err := strconv.ParseInt(number, 10, 64)
	if err != nil || v <= 0 || v > math.MaxInt64/unit {
		r.errorf(n, "%q is no size; write a number of bytes, or one like 8MiB", n.Value)
		return
	}
	r.config.MaxFolder = v * unit
}
