package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/matrix-nexus/skillkit/config"
	"github.com/matrix-nexus/skillkit/executa/manifest"
)

func TestPluginProblems(t *testing.T) {
	const digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
	tests := []struct {
		name, text string
		ids        string // of the plugins that were read
		want       string // problems
	}{
		{"nothing", "plugins:\n", "", ""},
		{"nothing under the keys", "plugins: {a: {dir: /a, command: , env: , inherit_env: , enabled: , max_in_flight: , timeout: , sha256: , lenient_result: , compat_name: }}", "a", ""},
		{"sorted", "plugins: {b: {dir: /b}, a: {command: [a]}}", "a b", ""},
		{
			"a list", "plugins: [a]\n", "",
			"config-wrong-type c.yaml:1:10: plugins: want a mapping of names to values, got a list\n",
		}, {
			"unknown keys", "plugins:\n  a:\n    dir: /a\n    time_out: 3\n    maxInFlight: 2\n    color: red\n", "a",
			`config-unknown-key c.yaml:4:5: unknown key "time_out" of a plugin; did you mean timeout?
config-unknown-key c.yaml:5:5: unknown key "maxInFlight" of a plugin; did you mean max_in_flight?
config-unknown-key c.yaml:6:5: unknown key "color" of a plugin; the keys are dir, command, env, inherit_env, enabled, max_in_flight, timeout, sha256, lenient_result, compat_name
`,
		}, {
			"ids", "plugins:\n  9a: {dir: /a}\n  \"a b\": {dir: /a}\n  " + strings.Repeat("a", 128) + ": {dir: /a}\n  " + strings.Repeat("b", 129) + ": {dir: /a}\n",
			strings.Repeat("a", 128),
			`config-unknown-value c.yaml:2:3: plugins: "9a" is not a tool id; use letters, digits and . _ : -, a letter first, at most 128
config-unknown-value c.yaml:3:3: plugins: "a b" is not a tool id; use letters, digits and . _ : -, a letter first, at most 128
config-unknown-value c.yaml:5:3: plugins: "` + strings.Repeat("b", 129) + `" is not a tool id; use letters, digits and . _ : -, a letter first, at most 128
`,
		}, {
			"neither dir nor command", "plugins:\n  a: {timeout: 3}\n  b:\n  c: {command: [], dir: \"\"}\n", "",
			`config-missing-key c.yaml:2:3: plugins.a: has neither dir nor command; say where the plugin is
config-missing-key c.yaml:3:3: plugins.b: has neither dir nor command; say where the plugin is
config-missing-key c.yaml:4:3: plugins.c: has neither dir nor command; say where the plugin is
`,
		}, {
			"a fault in what is run costs the plugin",
			"plugins:\n  a: {dir: [/a], command: [a]}\n  b: {dir: /b, command: b --x}\n  c: {dir: /c, command: [c, [d]]}\n  d: {dir: /d, command: [d, ]}\n" +
				"  e: {dir: /e, command: [\"\", e]}\n  f: {dir: /f, command: [f, ~]}\n  g: {dir: /g, enabled: nope}\n  h: {dir: /h, sha256: " + digest[1:] + "}\n  i: {dir: /i, sha256: " + digest + "0}\n", "d",
			`config-wrong-type c.yaml:2:12: plugins.a.dir: want text, got a list
config-wrong-type c.yaml:3:25: plugins.b.command: want a list, got text
config-wrong-type c.yaml:4:29: plugins.c.command[1]: want text, got a list
config-wrong-type c.yaml:6:26: plugins.e.command[0]: want text, got nothing
config-unquoted c.yaml:7:29: plugins.f.command[1]: ~ alone means nothing in YAML; write "~" in quotes
config-wrong-type c.yaml:7:29: plugins.f.command[1]: want text, got nothing
config-wrong-type c.yaml:8:25: plugins.g.enabled: want true or false, got text
config-wrong-type c.yaml:9:24: plugins.h.sha256: want the 64 hex digits of a SHA-256
config-wrong-type c.yaml:10:24: plugins.i.sha256: want the 64 hex digits of a SHA-256
`,
		}, {
			"others cost themselves",
			"plugins:\n  a:\n    dir: /a\n    inherit_env: maybe\n    max_in_flight: 0\n    timeout: 1.5\n    lenient_result: [x]\n    compat_name: 2\n    env: {LD_PRELOAD: x, PATH: y, A=b: z, GOOD: 1}\n" +
				"  b: {dir: /b, max_in_flight: 1025, timeout: 86401}\n  c: {dir: /c, max_in_flight: 1024, timeout: 86400}\n", "a b c",
			`config-wrong-type c.yaml:4:18: plugins.a.inherit_env: want true or false, got text
config-wrong-type c.yaml:5:20: plugins.a.max_in_flight: want a whole number from 1 to 1024
config-wrong-type c.yaml:6:14: plugins.a.timeout: want a whole number from 1 to 86400
config-wrong-type c.yaml:7:21: plugins.a.lenient_result: want true or false, got a list
config-wrong-type c.yaml:8:18: plugins.a.compat_name: want true or false, got a number
config-refused-var c.yaml:9:11: plugins.a.env: LD_PRELOAD cannot be set for a plugin; remove it
config-refused-var c.yaml:9:26: plugins.a.env: PATH cannot be set for a plugin; remove it
config-wrong-type c.yaml:9:35: plugins.a.env: not the name of a variable; write NAME: value
config-wrong-type c.yaml:10:31: plugins.b.max_in_flight: want a whole number from 1 to 1024
config-wrong-type c.yaml:10:46: plugins.b.timeout: want a whole number from 1 to 86400
`,
		}, {
			"the last of equal keys", "plugins:\n  a: {dir: /a}\n  a: {enabled: true}\n", "",
			`config-duplicate-key c.yaml:3:3: plugins: "a" is here twice; the last one is used
config-missing-key c.yaml:3:3: plugins.a: has neither dir nor command; say where the plugin is
`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, problems, err := config.Parse("c.yaml", []byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, p := range c.Plugins {
				ids = append(ids, p.ID)
				if p.Timeout < 0 || p.InheritEnv || p.LenientResult || p.CompatName {
					t.Errorf("a fault changed %+v", p)
				}
			}
			if got := strings.Join(ids, " "); got != tt.ids {
				t.Errorf("got plugins %q, want %q", got, tt.ids)
			}
			if diff := cmp.Diff(tt.want, lines(problems)); diff != "" {
				t.Errorf("problems mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestProviderProblems(t *testing.T) {
	tests := []struct {
		name, text string
		read       []manifest.Provider
		want       string // problems
	}{
		{"nothing", "providers:\n", nil, ""},
		{
			"what is missing", "providers:\n  a:\n  b: {auth_type: api_key, credential_mapping: {B: B}}\n  c: {auth_type: oauth2}\n  d: {auth_type: oauth, credential_mapping: {D: $access_token}}\n", nil,
			`config-missing-key c.yaml:2:3: providers.a: auth_type is missing; it can be oauth2, api_key
config-missing-key c.yaml:3:3: providers.b: fields is missing; name what the user has to enter
config-missing-key c.yaml:4:3: providers.c: credential_mapping gives no credential to plugins; add one
config-unknown-value c.yaml:5:18: providers.d.auth_type: not known; did you mean oauth2?
`,
		}, {
			"bad names and values never show",
			"providers:\n  Big: {}\n  a:\n    auth_type: api_key\n    field: [x]\n    fields: [A_KEY, \"A KEY\", A_KEY, [x]]\n    credential_mapping: {A_KEY: A_KEY, \"A-KEY\": A_KEY, B_KEY: s3cret, C_KEY: $access_token, LD_PRELOAD: A_KEY, D: [x]}\n" +
				"  o:\n    auth_type: oauth2\n    fields: [X]\n    credential_mapping: {T: $access_token, U: X}\n",
			[]manifest.Provider{
				{ID: "a", Name: "a", Auth: "api_key", Fields: []string{"A_KEY"}, Mapping: map[string]string{"A_KEY": "A_KEY"}},
				{ID: "o", Name: "o", Auth: "oauth2", Mapping: map[string]string{"T": "$access_token"}},
			},
			`config-unknown-value c.yaml:2:3: providers: "Big" is not the id of a provider; use a-z, 0-9 and . _ -, at most 64
config-unknown-key c.yaml:5:5: unknown key "field" of a provider; did you mean fields?
config-wrong-type c.yaml:6:21: providers.a.fields[1]: not a name; use letters, digits and _
config-wrong-type c.yaml:6:37: providers.a.fields[3]: want text, got a list
config-wrong-type c.yaml:7:40: providers.a.credential_mapping: not the name of a credential; use letters, digits and _
config-unknown-value c.yaml:7:63: providers.a.credential_mapping.B_KEY: not a field of the provider; it can be A_KEY
config-unknown-value c.yaml:7:78: providers.a.credential_mapping.C_KEY: not a field of the provider; it can be A_KEY
config-wrong-type c.yaml:7:93: providers.a.credential_mapping: not the name of a credential; use letters, digits and _
config-wrong-type c.yaml:7:115: providers.a.credential_mapping.D: want text, got a list
config-unknown-value c.yaml:10:14: providers.o.fields[0]: nothing is entered for oauth2; leave fields out
config-unknown-value c.yaml:11:47: providers.o.credential_mapping.U: not a field of the provider; it can be $access_token
`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, problems, err := config.Parse("c.yaml", []byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.read, c.Providers); diff != "" {
				t.Errorf("providers mismatch (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.want, lines(problems)); diff != "" {
				t.Errorf("problems mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// Relative paths are taken from the folder of the file, and a program from that
// of the plugin if it has one.
func TestLoadPlugins(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "config.yaml")
	err := os.WriteFile(file, []byte(`plugins:
  a: {dir: plugins/a, command: [bin/a, x/y]}
  b: {command: [bin/b, x/y], env: {B: b, A: a}}
  c: {command: [python3, x/y]}
  d: {dir: ~/d}
`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	c, problems, err := config.Load(file)
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	want := []config.Plugin{
		{ID: "a", Dir: filepath.Join(dir, "plugins", "a"), Command: []string{"bin/a", "x/y"}},
		{ID: "b", Command: []string{filepath.Join(dir, "bin", "b"), "x/y"}},
		{ID: "c", Command: []string{"python3", "x/y"}},
		{ID: "d", Dir: "~/d"},
	}
	if diff := cmp.Diff(want, c.Plugins, cmpopts.IgnoreUnexported(config.Plugin{})); diff != "" {
		t.Errorf("plugins mismatch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"A=a", "B=b"}, c.Plugins[1].Environ()); diff != "" {
		t.Errorf("Environ mismatch (-want +got):\n%s", diff)
	}
}

// B43: the variables of a plugin are secrets.
func TestPluginShowsNoValues(t *testing.T) {
	c := parse(t, "plugins: {a: {dir: /a, env: {TOKEN: s3cret}}}")
	for _, format := range []string{"%v", "%+v", "%#v", "%q", "%x"} {
		if text := fmt.Sprintf(format, c.Plugins); strings.Contains(text, "s3cret") || strings.Contains(text, fmt.Sprintf("%x", "s3cret")) {
			t.Errorf("%s shows the value: %s", format, text)
		}
	}
}
