package config_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/config"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/requires"
)

// The text of a value is what stands in the file.
func TestEnvKeepsText(t *testing.T) {
	for _, tt := range []struct{ yaml, want string }{
		{"abc", "abc"},
		{"0123", "0123"},
		{"1.10", "1.10"},
		{"1_000", "1_000"},
		{"0x1F", "0x1F"},
		{"1e3", "1e3"},
		{".inf", ".inf"},
		{"12345678901234567890123", "12345678901234567890123"},
		{"true", "true"},
		{"True", "True"},
		{"no", "no"},
		{"2024-01-02", "2024-01-02"},
		{"2024-01-02T03:04:05Z", "2024-01-02T03:04:05Z"},
		{`"0123"`, "0123"},
		{`"a\tb"`, "a\tb"},
		{`'it''s'`, "it's"},
		{`"null"`, "null"},
		{`""`, ""},
		{"a=b", "a=b"},
		{"$HOME/$(x)", "$HOME/$(x)"},
		{"a b # comment", "a b"},
		{"|-\n        one\n        two", "one\ntwo"},
	} {
		c := parse(t, "skills:\n  a:\n    env:\n      T: "+tt.yaml+"\n")
		if diff := cmp.Diff([]string{"T=" + tt.want}, c.Skill("a", "").Environ("")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.yaml, diff)
		}
	}
	if got := parse(t, "skills: {a: {env: {T: , U: null}}}").Skill("a", "").Environ(""); got != nil {
		t.Errorf("names without a value give %q", got)
	}
}

func TestConfigPaths(t *testing.T) {
	c := parse(t, `
skills:
  a:
    config:
      channels:
        discord: {token: x, empty: ""}
        slack: {token: "", list: [], map: {}, nothing: }
      github.host: example.com
      flags: {on: true, off: false, no: no, zero: 0, nought: 0.0, one: 1, text: "no", offText: Off, yes: yes}
      lists: {full: [0, x], empty: [0, ""], maps: [{key: x}]}
      hex: 0x0
      8: eight
`)
	has := c.Skill("a", "a").Settings("").Config
	for path, want := range map[string]bool{
		"channels.discord.token": true, "channels.discord": true, "channels": true,
		"channels.discord.empty": false, "channels.disc": false, "channels.discord.token.x": false,
		"channels.slack.token": false, "channels.slack": false, "channels.slack.nothing": false,
		"github.host": true, "github": true, "host": false,
		"flags.on": true, "flags.off": false, "flags.no": false, "flags.zero": false, "flags.nought": false,
		"flags.one": true, "flags.text": true, "flags.offText": false, "flags.yes": true,
		"lists.full": true, "lists.empty": false, "lists.maps": true, "lists.maps.key": true,
		"hex": false, "8": true, "": false, ".": false,
	} {
		if got := has(path); got != want {
			t.Errorf("%q: got %t, want %t", path, got, want)
		}
	}
}

func TestSkillByNameAndKey(t *testing.T) {
	c := parse(t, `
skills:
  name:
    api_key: of-name
    env: {A: name, B: name}
    config: {x: 1}
  key:
    env: {B: key, C: key}
    config: {y: 1}
  off: {enabled: false}
  on: {enabled: true, api_key: of-on}
  too: {api_key: of-too}
`)
	s := c.Skill("name", "key")
	if diff := cmp.Diff([]string{"A=name", "B=key", "C=key", "P=of-name"}, s.Environ("P")); diff != "" {
		t.Errorf("Environ mismatch (-want +got):\n%s", diff)
	}
	if has := s.Settings("").Config; !has("x") || !has("y") {
		t.Error("config of one of the two is lost")
	}
	for _, tt := range []struct {
		name, key string
		want      bool
	}{
		{"off", "", false}, {"", "off", false}, {"off", "on", false}, {"on", "off", false}, {"off", "off", false},
		{"on", "on", true}, {"none", "none", true}, {"", "", true},
	} {
		if got := c.Skill(tt.name, tt.key).Enabled(); got != tt.want {
			t.Errorf("case 98 name %q, key %q: enabled = %t", tt.name, tt.key, got)
		}
	}
	if got := c.Skill("on", "off").Environ("P"); !cmp.Equal(got, []string{"P=of-on"}) {
		t.Errorf("Environ = %q", got)
	}
	if got := c.Skill("on", "too").Environ("P"); !cmp.Equal(got, []string{"P=of-too"}) {
		t.Errorf("Environ = %q", got)
	}
}

func TestZeroValues(t *testing.T) {
	var c config.Config
	e := c.Skill("a", "b")
	if !e.Enabled() || e.Environ("P") != nil {
		t.Errorf("the zero Config says something: %v", e)
	}
	s := e.Settings("P")
	if _, ok := s.Var("P"); ok || s.Disabled || s.Config("x") {
		t.Error("the zero Entry says something")
	}
}

// Requirements are checked against what the commands of the skill will get.
func TestCheckWithConfig(t *testing.T) {
	c, _, err := config.Parse("c.yaml", []byte(`
skills:
  keyed: {api_key: k}
  emptied: {api_key: k, env: {TOKEN: ""}}
  blank: {env: {HOST_TOKEN: ""}}
  own: {env: {TOKEN: t}}
  evil: {api_key: /evil.so, env: {LD_PRELOAD: /evil.so}}
  channels: {config: {channels: {discord: {token: x}}}}
  named: {enabled: false}
  by-key: {enabled: false}
`))
	if err != nil {
		t.Fatal(err)
	}
	environ := map[string]string{"HOST_TOKEN": "h"}
	lookup := func(name string) (string, bool) { v, ok := environ[name]; return v, ok }
	host := requires.NewHost(&requires.Options{Lookup: lookup})
	env := func(names ...string) (r metadata.Requires) {
		for _, name := range names {
			r.Env = append(r.Env, metadata.Requirement{Name: name})
		}
		return r
	}
	conf := func(path string) metadata.Requires {
		return metadata.Requires{Config: []metadata.Requirement{{Name: path}}}
	}
	tests := []struct {
		name string
		m    metadata.Manifest
		want requires.Readiness
	}{
		{"case 94 the key is the primary env", metadata.Manifest{Name: "keyed", PrimaryEnv: "TOKEN", Requires: env("TOKEN")}, requires.Ready},
		{"case 94 another variable", metadata.Manifest{Name: "keyed", PrimaryEnv: "TOKEN", Requires: env("TOKEN", "OTHER")}, requires.Missing},
		{"case 94 without a primary env", metadata.Manifest{Name: "keyed", Requires: env("TOKEN")}, requires.Missing},
		{"case 94 an empty variable does not hide the key", metadata.Manifest{Name: "emptied", PrimaryEnv: "TOKEN", Requires: env("TOKEN")}, requires.Ready},
		{"case 95 loader variable", metadata.Manifest{Name: "evil", Requires: env("LD_PRELOAD")}, requires.Missing},
		{"case 95 loader variable as primary env", metadata.Manifest{Name: "evil", PrimaryEnv: "LD_PRELOAD", Requires: env("LD_PRELOAD")}, requires.Missing},
		{"case 98 disabled by name", metadata.Manifest{Name: "named", SkillKey: "k"}, requires.Disabled},
		{"case 98 disabled by skill_key", metadata.Manifest{Name: "n", SkillKey: "by-key"}, requires.Disabled},
		{"B43 variable of the host", metadata.Manifest{Name: "x", Requires: env("HOST_TOKEN")}, requires.Ready},
		{"B43 emptied for this skill", metadata.Manifest{Name: "blank", Requires: env("HOST_TOKEN")}, requires.Missing},
		{"B43 variable of the skill", metadata.Manifest{Name: "own", Requires: env("TOKEN")}, requires.Ready},
		{"B43 variable of another skill", metadata.Manifest{Name: "x", Requires: env("TOKEN")}, requires.Missing},
		{"config path", metadata.Manifest{Name: "channels", Requires: conf("channels.discord.token")}, requires.Ready},
		{"config prefix", metadata.Manifest{Name: "channels", Requires: conf("channels.discord")}, requires.Ready},
		{"config of another skill", metadata.Manifest{Name: "x", Requires: conf("channels.discord")}, requires.Missing},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := tt.m
			entry := c.Skill(m.Name, m.Key())
			r := requires.Check(&m, host.With(entry.Settings(m.PrimaryEnv)))
			if r.Readiness != tt.want {
				t.Errorf("got %s, want %s: %v", r.Readiness, tt.want, r.Lacks())
			}

			// The environment of a command, later entries winning as they do
			// in os/exec.
			child := map[string]string{"HOST_TOKEN": "h"}
			for _, kv := range entry.Environ(m.PrimaryEnv) {
				name, value, _ := strings.Cut(kv, "=")
				child[name] = value
				if requires.Reserved(name) {
					t.Errorf("the command gets %s", name)
				}
			}
			for _, it := range r.Items {
				if it.Kind == requires.KindEnv && (it.State == requires.StateFound) != (child[it.Name] != "") {
					t.Errorf("%s: the check says %s, the command gets %q", it.Name, it.State, child[it.Name])
				}
			}
		})
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "config.yaml")
	write := func(t *testing.T, text string, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
	}

	t.Run("a file that is not there", func(t *testing.T) {
		c, problems, err := config.Load(filepath.Join(dir, "none", "config.yaml"))
		if err != nil || len(problems) > 0 || c == nil || c.Roots != nil {
			t.Errorf("got %v, %v, %v", c, problems, err)
		}
	})
	t.Run("a folder", func(t *testing.T) {
		_, _, err := config.Load(dir)
		if _, ok := errors.AsType[*fs.PathError](err); !ok {
			t.Errorf("got %v, want a *fs.PathError", err)
		}
	})
	t.Run("no file to speak of", func(t *testing.T) {
		c, problems, err := config.Load(os.DevNull)
		if err != nil || len(problems) > 0 || c == nil {
			t.Errorf("got %v, %v, %v", c, problems, err)
		}
	})
	t.Run("not YAML", func(t *testing.T) {
		write(t, "a: b: c", 0o600)
		_, _, err := config.Load(file)
		if e, ok := errors.AsType[*config.SyntaxError](err); !ok || e.File != file {
			t.Errorf("got %v, want a *SyntaxError", err)
		}
	})
	t.Run("over the limit", func(t *testing.T) {
		write(t, strings.Repeat("#", config.MaxFile+1), 0o600)
		if _, _, err := config.Load(file); err == nil {
			t.Error("no error")
		}
	})
	t.Run("relative folders", func(t *testing.T) {
		write(t, "roots: [skills, ~, ~/x, \"~\", ../up]\nworkspace: work\npaths: [bin, ~/bin]\npython: [venv, /usr/bin/python3]\n", 0o644)
		c, _, err := config.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{filepath.Join(dir, "skills"), "~/x", "~", filepath.Join(filepath.Dir(dir), "up")}
		if diff := cmp.Diff(want, c.Roots); diff != "" {
			t.Errorf("Roots mismatch (-want +got):\n%s", diff)
		}
		if want := filepath.Join(dir, "work"); c.Workspace != want {
			t.Errorf("Workspace = %s, want %s", c.Workspace, want)
		}
		if diff := cmp.Diff([]string{filepath.Join(dir, "bin"), "~/bin"}, c.Paths); diff != "" {
			t.Errorf("Paths mismatch (-want +got):\n%s", diff)
		}
		if got, want := c.Python[0], filepath.Join(dir, "venv"); got != want {
			t.Errorf("Python = %s, want %s", got, want)
		}
	})
	t.Run("secrets that others can read", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip("needs permission bits")
		}
		const secrets = "skills: {a: {api_key: x}}\noops: 1\n"
		for _, tt := range []struct {
			text string
			mode os.FileMode
			want int // problems
		}{
			{secrets, 0o600, 1}, {secrets, 0o400, 1}, {secrets, 0o644, 2}, {secrets, 0o640, 2}, {secrets, 0o604, 2},
			{"skills: {a: {env: {T: x}}}", 0o644, 1}, {"skills: {a: {config: {t: x}}}", 0o644, 1},
			{"skills: {a: {enabled: false}}", 0o644, 0}, {"roots: [/a]", 0o644, 0},
		} {
			write(t, tt.text, tt.mode)
			_, problems, err := config.Load(file)
			if err != nil || len(problems) != tt.want {
				t.Errorf("%q, mode %#o: %v, %v", tt.text, tt.mode, problems, err)
				continue
			}
			if tt.mode&0o077 != 0 && tt.want > 0 {
				p := problems[0]
				want := "chmod 600 " + file
				if p.Code != "config-readable" || p.Severity != metadata.Warning || !strings.HasSuffix(p.Message, want) {
					t.Errorf("got %+v, want it to end in %q", p, want)
				}
			}
		}
	})
}

func TestUnknownSkills(t *testing.T) {
	c, problems, err := config.Parse("c.yaml", []byte("skills:\n  jq: {enabled: no}\n  jk:\n    api_key: sesame\n  curll: {}\nallow_bundled: [jq, uvv]\n"))
	if err != nil || len(problems) > 0 {
		t.Fatal(problems, err)
	}
	var got []string
	for _, p := range c.UnknownSkills(func(name string) bool { return name == "jq" }) {
		got = append(got, p.String())
	}
	want := []string{
		`c.yaml:3:3: there is no skill "jk", so this has no effect: correct or remove it`,
		`c.yaml:5:3: there is no skill "curll", so this has no effect: correct or remove it`,
		`c.yaml:6:21: there is no skill "uvv", so this has no effect: correct or remove it`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("UnknownSkills mismatch (-want +got):\n%s", diff)
	}
	if got := new(config.Config).UnknownSkills(func(string) bool { return false }); got != nil {
		t.Errorf("the zero Config has %v", got)
	}
}
