package credentials_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/executa/credentials"
	"github.com/matrix-nexus/skillkit/executa/manifest"
)

const secretValue = "ghp_s3cret/ÄÖ\nline two"

func open(t testing.TB, dir string, providers ...manifest.Provider) *credentials.Store {
	t.Helper()
	s, err := credentials.Open(dir, providers)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func set(t testing.TB, s *credentials.Store, e credentials.Entry, value string) {
	t.Helper()
	if err := s.Set(t.Context(), e, value); err != nil {
		t.Fatal(err)
	}
}

// resolve returns the value, or "-" if there is none.
func resolve(t testing.TB, s *credentials.Store, plugin, name string) string {
	t.Helper()
	value, found, err := s.Resolve(t.Context(), plugin, name)
	if err != nil {
		t.Fatal(err)
	}
	if !found {
		return "-" + value
	}
	return value
}

func TestResolve(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "state"))
	if got := resolve(t, s, "p", "GITHUB_TOKEN"); got != "-" {
		t.Errorf("an empty store has %q", got)
	}
	set(t, s, credentials.Entry{Provider: "github", Name: "GITHUB_TOKEN"}, "platform")
	set(t, s, credentials.Entry{Plugin: "p", Name: "GITHUB_TOKEN"}, "own")
	set(t, s, credentials.Entry{Plugin: "p", Name: "NOTION_API_KEY"}, "own notion")
	set(t, s, credentials.Entry{Provider: "google", Name: "access_token"}, "ya29")
	set(t, s, credentials.Entry{Provider: "openai", Name: "OPENAI_API_KEY"}, secretValue)
	for _, tt := range []struct{ plugin, name, want string }{
		{"p", "GITHUB_TOKEN", "platform"}, // before the plugin's own
		{"q", "GITHUB_ACCESS_TOKEN", "platform"},
		{"p", "NOTION_API_KEY", "own notion"},
		{"p", "NOTION_TOKEN", "-"}, // a plugin's value has no other names
		{"", "NOTION_API_KEY", "-"},
		{"q", "GMAIL_ACCESS_TOKEN", "ya29"},
		{"q", "GOOGLE_DOCS_ACCESS_TOKEN", "ya29"},
		{"q", "access_token", "-"}, // no name of a mapping
		{"q", "$access_token", "-"},
		{"q", "OPENAI_API_KEY", secretValue},
		{"q", "", "-"},
	} {
		if got := resolve(t, s, tt.plugin, tt.name); got != tt.want {
			t.Errorf("%s for %q: got %q, want %q", tt.name, tt.plugin, got, tt.want)
		}
	}
	list, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	want := []credentials.Entry{
		{Plugin: "p", Name: "GITHUB_TOKEN"}, {Plugin: "p", Name: "NOTION_API_KEY"},
		{Provider: "github", Name: "GITHUB_TOKEN"}, {Provider: "google", Name: "access_token"}, {Provider: "openai", Name: "OPENAI_API_KEY"},
	}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Errorf("List (-want +got):\n%s", diff)
	}

	// Another store of the folder sees what this one does, also when it has
	// looked already.
	other := open(t, filepath.Dir(statePath(t, s, "credentials")))
	if got := resolve(t, other, "p", "GITHUB_TOKEN"); got != "platform" {
		t.Errorf("got %q", got)
	}
	if err := s.Remove(t.Context(), credentials.Entry{Provider: "github", Name: "GITHUB_TOKEN"}); err != nil {
		t.Fatal(err)
	}
	if got := resolve(t, other, "p", "GITHUB_TOKEN"); got != "own" {
		t.Errorf("got %q", got)
	}
	set(t, s, credentials.Entry{Plugin: "p", Name: "GITHUB_TOKEN"}, "new")
	if got := resolve(t, other, "p", "GITHUB_TOKEN"); got != "new" {
		t.Errorf("got %q", got)
	}
	if err := s.Remove(t.Context(), credentials.Entry{Provider: "github", Name: "GITHUB_TOKEN"}); !errors.Is(err, credentials.ErrNotSet) {
		t.Errorf("got %v", err)
	}
}

// statePath is the path of a file of s, which its printed form tells.
func statePath(t *testing.T, s *credentials.Store, name string) string {
	t.Helper()
	text := fmt.Sprintf("%+v", s)
	_, text, _ = strings.Cut(text, "dir:")
	dir, _, ok := strings.Cut(text, " ")
	if !ok {
		t.Fatal("the folder is not in the printed form")
	}
	return filepath.Join(dir, name)
}

func TestScopes(t *testing.T) {
	t.Run("B43 a value set for one plugin is invisible to another", func(t *testing.T) {
		s := open(t, t.TempDir())
		set(t, s, credentials.Entry{Plugin: "p", Name: "NOTION_API_KEY"}, "own")
		for plugin, want := range map[string]string{"p": "own", "q": "-", "P": "-", "": "-"} {
			if got := resolve(t, s, plugin, "NOTION_API_KEY"); got != want {
				t.Errorf("plugin %q gets %q, want %q", plugin, got, want)
			}
		}
	})
	t.Run("B43 an empty value is none", func(t *testing.T) {
		s := open(t, t.TempDir())
		if err := s.Set(t.Context(), credentials.Entry{Plugin: "p", Name: "NAME"}, ""); err == nil {
			t.Error("it is stored")
		}
		if got := resolve(t, s, "p", "NAME"); got != "-" {
			t.Errorf("got %q", got)
		}
	})
}

func TestProviders(t *testing.T) {
	weather := manifest.Provider{ID: "weather", Name: "Weather", Auth: "api_key", Fields: []string{"KEY", "UNITS"}, Mapping: map[string]string{"WEATHER_API_KEY": "KEY", "GITHUB_TOKEN": "UNITS"}}
	github := manifest.Provider{ID: "github", Name: "GitHub Enterprise", Auth: "oauth2", Mapping: map[string]string{"GHE_TOKEN": manifest.AccessToken}}
	s := open(t, t.TempDir(), weather, github)
	weather.Mapping["WEATHER_API_KEY"] = "changed afterwards"
	set(t, s, credentials.Entry{Provider: "weather", Name: "KEY"}, "w")
	set(t, s, credentials.Entry{Provider: "github", Name: "access_token"}, "g")
	for name, want := range map[string]string{"WEATHER_API_KEY": "w", "GHE_TOKEN": "g", "GITHUB_TOKEN": "-"} {
		if got := resolve(t, s, "p", name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	all, err := s.Status()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]credentials.Status{}
	for _, st := range all {
		got[st.ID] = st
	}
	want := map[string]credentials.Status{
		"weather": {ID: "weather", Name: "Weather", Auth: "api_key", Fields: []credentials.Field{{Name: "KEY", Set: true}, {Name: "UNITS"}}, Serves: []string{"WEATHER_API_KEY"}, Maps: []string{"GITHUB_TOKEN", "WEATHER_API_KEY"}},
		"github":  {ID: "github", Name: "GitHub Enterprise", Auth: "oauth2", Fields: []credentials.Field{{Name: "access_token", Set: true}}, Serves: []string{"GHE_TOKEN"}, Maps: []string{"GHE_TOKEN"}},
		"slack":   {ID: "slack", Name: "Slack", Auth: "api_key", Fields: []credentials.Field{{Name: "SLACK_BOT_TOKEN"}}, Serves: []string{}, Maps: []string{"SLACK_BOT_TOKEN", "SLACK_TOKEN"}},
	}
	for id := range want {
		if diff := cmp.Diff(want[id], got[id]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
	if len(all) != len(manifest.Providers())+1 {
		t.Errorf("%d providers", len(all))
	}

	for _, p := range []manifest.Provider{
		{ID: "", Auth: "api_key"},
		{ID: "a b", Auth: "api_key"},
		{ID: "x", Auth: "api_key", Fields: []string{"A"}, Mapping: map[string]string{"A": "B"}},
		{ID: "x", Auth: "api_key", Fields: []string{"A"}, Mapping: map[string]string{"A": manifest.AccessToken}},
		{ID: "x", Auth: "api_key", Fields: []string{""}},
	} {
		if _, err := credentials.Open(t.TempDir(), []manifest.Provider{p}); err == nil {
			t.Errorf("%+v is accepted", p)
		}
	}
}

// Every built-in provider finds each of its names by each of its fields.
func TestBuiltInProviders(t *testing.T) {
	for _, p := range manifest.Providers() {
		s := open(t, t.TempDir())
		fields := p.Fields
		if p.Auth == "oauth2" {
			fields = []string{"access_token"}
		}
		for _, field := range fields {
			set(t, s, credentials.Entry{Provider: p.ID, Name: field}, "value of "+p.ID)
		}
		for name := range p.Mapping {
			if got := resolve(t, s, "any", name); got != "value of "+p.ID {
				t.Errorf("%s: got %q", name, got)
			}
		}
	}
}

func TestSetRefuses(t *testing.T) {
	s := open(t, t.TempDir())
	ok := credentials.Entry{Plugin: "p", Name: "NAME"}
	for _, tt := range []struct {
		name  string
		entry credentials.Entry
		value string
	}{
		{"no value", ok, ""},
		{"large value", ok, strings.Repeat("x", credentials.MaxValue+1)},
		{"NUL", ok, "a\x00"},
		{"not UTF-8", ok, "a\xff"},
		{"neither", credentials.Entry{Name: "NAME"}, secretValue},
		{"both", credentials.Entry{Plugin: "p", Provider: "github", Name: "GITHUB_TOKEN"}, secretValue},
		{"no name", credentials.Entry{Plugin: "p"}, secretValue},
		{"long name", credentials.Entry{Plugin: "p", Name: strings.Repeat("x", credentials.MaxName+1)}, secretValue},
		{"name with a line", credentials.Entry{Plugin: "p", Name: "A\nB"}, secretValue},
		{"unknown provider", credentials.Entry{Provider: "nope", Name: "A"}, secretValue},
		{"value as the field", credentials.Entry{Provider: "github", Name: secretValue}, "x"},
		{"name of the mapping", credentials.Entry{Provider: "github", Name: "GITHUB_ACCESS_TOKEN"}, secretValue},
	} {
		err := s.Set(t.Context(), tt.entry, tt.value)
		if err == nil {
			t.Errorf("%s: accepted", tt.name)
		} else if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: the error shows the value: %v", tt.name, err)
		}
	}
	if list, err := s.List(); err != nil || len(list) != 0 {
		t.Errorf("something is set: %v, %v", list, err)
	}
	set(t, s, ok, strings.Repeat("x", credentials.MaxValue))
	set(t, s, credentials.Entry{Plugin: strings.Repeat("p", credentials.MaxName), Name: strings.Repeat("x", credentials.MaxName)}, "x")
	// A control character takes six bytes in the file.
	var err error
	n := 0
	for ; err == nil; n++ {
		err = s.Set(t.Context(), credentials.Entry{Plugin: fmt.Sprint(n), Name: "A"}, strings.Repeat("\x01", credentials.MaxValue))
	}
	if n != credentials.MaxSize/(6*credentials.MaxValue)+1 || !strings.Contains(err.Error(), "4194304 bytes") {
		t.Errorf("the %dth large value is refused: %v", n, err)
	}
	if list, err := s.List(); err != nil || len(list) != n+1 {
		t.Errorf("%d are set, want %d: %v", len(list), n+1, err)
	}
}

// No value is readable on the disk, in an error, or in what package fmt prints.
func TestNothingShows(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	e := credentials.Entry{Plugin: "p", Name: "NAME"}
	set(t, s, e, secretValue)
	first := read(t, dir, "credentials")
	set(t, s, e, secretValue)
	if bytes.Equal(first, read(t, dir, "credentials")) {
		t.Error("equal values are sealed equally: the nonce is the same")
	}
	resolve(t, s, "p", "NAME")
	status, err := s.Status()
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []any{s, status, list, e} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%q"} {
			if text := fmt.Sprintf(verb, v); strings.Contains(text, "s3cret") || strings.Contains(text, fmt.Sprintf("%x", "s3cret")) {
				t.Errorf("%s of %T shows the value: %s", verb, v, text)
			}
		}
	}
	for _, name := range names(t, dir) {
		if data := read(t, dir, name); bytes.Contains(data, []byte("s3cret")) || bytes.Contains(data, []byte("NAME")) {
			t.Errorf("%s shows it", name)
		}
	}
	if diff := cmp.Diff([]string{"credentials", "credentials.key", "credentials.lock"}, names(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func read(t *testing.T, dir, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// A store that cannot be read is an error for all, and is not written over.
func TestDamage(t *testing.T) {
	header := "skillkit credentials 1\n"
	for _, tt := range []struct {
		name   string
		damage func(t *testing.T, data, key string)
		want   string
	}{
		{"empty", func(t *testing.T, data, _ string) { write(t, data, "") }, "credentials is damaged"},
		{"text", func(t *testing.T, data, _ string) { write(t, data, "{}") }, "credentials is damaged"},
		{"header only", func(t *testing.T, data, _ string) { write(t, data, header) }, "credentials is damaged"},
		{"cut", func(t *testing.T, data, _ string) { write(t, data, header+strings.Repeat("x", 12)) }, "does not go with the key"},
		{"last byte", func(t *testing.T, data, _ string) {
			old, _ := os.ReadFile(data)
			old[len(old)-1] ^= 1
			write(t, data, string(old))
		}, "does not go with the key"},
		{"nonce", func(t *testing.T, data, _ string) {
			old, _ := os.ReadFile(data)
			old[len(header)] ^= 1
			write(t, data, string(old))
		}, "does not go with the key"},
		{"another version", func(t *testing.T, data, _ string) {
			old, _ := os.ReadFile(data)
			write(t, data, strings.Replace(string(old), "credentials 1", "credentials 2", 1))
		}, "another version"},
		{"another key", func(t *testing.T, _, key string) { write(t, key, strings.Repeat("ab", 32)) }, "does not go with the key"},
		{"half a key", func(t *testing.T, _, key string) { write(t, key, strings.Repeat("ab", 16)) }, "credentials.key is damaged"},
		{"no key", func(t *testing.T, _, key string) { remove(t, key) }, "credentials.key is missing"},
		{"key is a folder", func(t *testing.T, _, key string) {
			remove(t, key)
			if err := os.Mkdir(key, 0o700); err != nil {
				t.Fatal(err)
			}
		}, "not a regular file"},
		{"huge", func(t *testing.T, data, _ string) {
			if err := os.Truncate(data, credentials.MaxSize+1); err != nil {
				t.Fatal(err)
			}
		}, "exceeds"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir)
			set(t, s, credentials.Entry{Plugin: "p", Name: "NAME"}, secretValue)
			data, key := filepath.Join(dir, "credentials"), filepath.Join(dir, "credentials.key")
			tt.damage(t, data, key)
			before, _ := os.ReadFile(data)
			s = open(t, dir)
			_, err1 := s.List()
			_, err2 := s.Status()
			_, found, err3 := s.Resolve(t.Context(), "p", "NAME")
			err4 := s.Set(t.Context(), credentials.Entry{Plugin: "p", Name: "OTHER"}, "x")
			err5 := s.Remove(t.Context(), credentials.Entry{Plugin: "p", Name: "NAME"})
			for i, err := range []error{err1, err2, err3, err4, err5} {
				if err == nil || !strings.Contains(err.Error(), tt.want) || errors.Is(err, credentials.ErrNotSet) {
					t.Errorf("%d: got %v, want %q", i+1, err, tt.want)
				}
			}
			if after, _ := os.ReadFile(data); found || !bytes.Equal(before, after) {
				t.Error("it was written over")
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// A key without values, as a crash may leave it, is used.
func TestKeyAlone(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	set(t, s, credentials.Entry{Plugin: "p", Name: "NAME"}, "x")
	key := read(t, dir, "credentials.key")
	remove(t, filepath.Join(dir, "credentials"))
	if got := resolve(t, s, "p", "NAME"); got != "-" {
		t.Errorf("got %q", got)
	}
	set(t, s, credentials.Entry{Plugin: "p", Name: "NAME"}, "y")
	if !bytes.Equal(key, read(t, dir, "credentials.key")) {
		t.Error("the key was replaced")
	}
}

// Of what several programs set at once, nothing is lost.
func TestProcessesAtOnce(t *testing.T) {
	const processes, each = 4, 10
	if dir := os.Getenv("CREDENTIALS_TEST_DIR"); dir != "" {
		s := open(t, dir)
		for i := range each {
			set(t, s, credentials.Entry{Plugin: os.Getenv("CREDENTIALS_TEST_NAME"), Name: fmt.Sprint(i)}, "x")
		}
		return
	}
	dir := t.TempDir()
	var running []*exec.Cmd
	for i := range processes {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProcessesAtOnce$")
		cmd.Env = append(os.Environ(), "CREDENTIALS_TEST_DIR="+dir, fmt.Sprintf("CREDENTIALS_TEST_NAME=%d", i))
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, cmd)
	}
	for _, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	list, err := open(t, dir).List()
	if err != nil || len(list) != processes*each {
		t.Errorf("%d entries, want %d: %v", len(list), processes*each, err)
	}
}

// A context ends the wait for another program.
func TestLocked(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	unlock := lock(t, filepath.Join(dir, "credentials.lock"))
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	err := s.Set(ctx, credentials.Entry{Plugin: "p", Name: "NAME"}, "x")
	if err == nil || !strings.Contains(err.Error(), "another program is writing: enough") {
		t.Errorf("got %v", err)
	}
	if _, err := s.List(); err != nil {
		t.Errorf("reading needs no lock, but: %v", err)
	}
	unlock()
	set(t, s, credentials.Entry{Plugin: "p", Name: "NAME"}, "x")
}

func TestNoFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	s := open(t, dir)
	if list, err := s.List(); err != nil || len(list) != 0 {
		t.Errorf("got %v, %v", list, err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Error("reading makes the folder")
	}
	write(t, filepath.Dir(filepath.Dir(dir))+"/file", "")
	if err := open(t, filepath.Join(filepath.Dir(filepath.Dir(dir)), "file")).Set(t.Context(), credentials.Entry{Plugin: "p", Name: "A"}, "x"); err == nil {
		t.Error("a file is a folder")
	}
}

func FuzzFile(f *testing.F) {
	f.Add([]byte("skillkit credentials 1\n0123456789ab0123456789abcdef"))
	f.Add([]byte("skillkit credentials 2\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "credentials"), string(data))
		write(t, filepath.Join(dir, "credentials.key"), strings.Repeat("0f", 32))
		if list, err := open(t, dir).List(); err == nil {
			t.Errorf("read as %v", list)
		}
	})
}

func BenchmarkResolve(b *testing.B) {
	s := open(b, b.TempDir())
	set(b, s, credentials.Entry{Provider: "github", Name: "GITHUB_TOKEN"}, "x")
	for b.Loop() {
		if _, found, err := s.Resolve(b.Context(), "p", "GITHUB_ACCESS_TOKEN"); !found || err != nil {
			b.Fatal(found, err)
		}
	}
}

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	s, err := credentials.Open(dir, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	if err := s.Set(ctx, credentials.Entry{Provider: "github", Name: "GITHUB_TOKEN"}, "ghp_example"); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Resolve(ctx, "tool-issues", "GITHUB_ACCESS_TOKEN"))
	// Output: ghp_example true <nil>
}
