package config_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/matrix-nexus/skillkit/config"
	"github.com/matrix-nexus/skillkit/executa/manifest"
	"github.com/matrix-nexus/skillkit/metadata"
)

func lines(problems []metadata.Problem) string {
	var b strings.Builder
	for _, p := range problems {
		fmt.Fprintln(&b, p.Code, p)
	}
	return b.String()
}

func parse(t testing.TB, text string) *config.Config {
	t.Helper()
	c, problems, err := config.Parse("c.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(problems) > 0 {
		t.Fatalf("problems:\n%s", lines(problems))
	}
	return c
}

func TestParseProblems(t *testing.T) {
	tests := []struct {
		name, text, want string
	}{
		{"empty", "", ""},
		{"comments only", "# nothing\n", ""},
		{"a document of nothing", "---\n", ""},
		{"BOM", "\ufeffroots: [/a]\n", ""},
		{"CRLF", "skills:\r\n  a:\r\n    enabled: false\r\n", ""},
		{"nothing under known keys", "roots:\nworkspace:\nskills:\n", ""},
		{"nothing under a skill", "skills: {a: {enabled: , api_key: , env: , config: }, b: }", ""},
		{
			"unknown keys", "root: [/a]\ntools: {}\nskills:\n  a:\n    apiKey: x\n    enable: true\n    environment: {}\n",
			`config-unknown-key c.yaml:1:1: unknown key "root"; did you mean roots?
config-unknown-key c.yaml:2:1: unknown key "tools"; the keys are roots, workspace, paths, python, allow_bundled, install, skills, plugins, providers
config-unknown-key c.yaml:5:5: unknown key "apiKey" of a skill; did you mean api_key?
config-unknown-key c.yaml:6:5: unknown key "enable" of a skill; did you mean enabled?
config-unknown-key c.yaml:7:5: unknown key "environment" of a skill; the keys are enabled, api_key, env, config
`,
		}, {
			"what is close to a known key", "Roots: []\nskils: {a: {}}\ntools: []\nworkspaces: x\n" +
				"skills: {a: {my_env: {}, envs: {}, API-KEY: x, enabeld: no, cfg: {}, " + strings.Repeat("env", 30) + ": {}, \"\": x}}\n",
			`config-unknown-key c.yaml:1:1: unknown key "Roots"; did you mean roots?
config-unknown-key c.yaml:2:1: unknown key "skils"; did you mean skills?
config-unknown-key c.yaml:3:1: unknown key "tools"; the keys are roots, workspace, paths, python, allow_bundled, install, skills, plugins, providers
config-unknown-key c.yaml:4:1: unknown key "workspaces"; did you mean workspace?
config-unknown-key c.yaml:5:14: unknown key "my_env" of a skill; the keys are enabled, api_key, env, config
config-unknown-key c.yaml:5:26: unknown key "envs" of a skill; did you mean env?
config-unknown-key c.yaml:5:36: unknown key "API-KEY" of a skill; did you mean api_key?
config-unknown-key c.yaml:5:48: unknown key "enabeld" of a skill; did you mean enabled?
config-unknown-key c.yaml:5:61: unknown key "cfg" of a skill; the keys are enabled, api_key, env, config
config-unknown-key c.yaml:5:70: unknown key "` + strings.Repeat("env", 30) + `" of a skill; the keys are enabled, api_key, env, config
config-unknown-key c.yaml:5:166: unknown key "" of a skill; the keys are enabled, api_key, env, config
`,
		}, {
			"wrong types", `roots: /a
workspace: [x]
skills:
  a: false
  b:
    enabled: 2
    api_key: {k: hidden}
    env: NAME=hidden
    config: hidden
  c:
    env:
      A: [hidden]
      B: {x: hidden}
      C: "hid\0den"
      "D=hidden": x
      [E]: x
  d: {enabled: fasle}
`,
			`config-wrong-type c.yaml:1:8: roots: want a list, got text
config-wrong-type c.yaml:2:12: workspace: want text, got a list
config-wrong-type c.yaml:4:6: skills.a: want a mapping of names to values, got a boolean
config-wrong-type c.yaml:6:14: skills.b.enabled: want true or false, got a number
config-wrong-type c.yaml:7:14: skills.b.api_key: want text, got a mapping
config-wrong-type c.yaml:8:10: skills.b.env: want a mapping of names to values, got text
config-wrong-type c.yaml:9:13: skills.b.config: want a mapping of names to values, got text
config-wrong-type c.yaml:12:10: skills.c.env.A: want text, got a list
config-wrong-type c.yaml:13:10: skills.c.env.B: want text, got a mapping
config-wrong-type c.yaml:14:10: skills.c.env.C: holds a NUL, which cannot be used
config-wrong-type c.yaml:15:7: skills.c.env: not the name of a variable; write NAME: value
config-wrong-type c.yaml:16:7: skills.c.env: want a name before the colon, got a list
config-wrong-type c.yaml:17:16: skills.d.enabled: want true or false, got text
`,
		}, {
			"values that are something else in YAML", `workspace: ~
roots: [~, /a]
skills:
  a: &base
    api_key: !hidden
    env: {T: &hidden , U: !!binary aGk=}
  b: *base
  c:
    env: {<<: *base}
    config: {k: !hidden x, l: [*base]}
    enabled: !no no
`,
			`config-unquoted c.yaml:1:12: workspace: ~ alone means nothing in YAML; write "~" in quotes
config-unquoted c.yaml:2:9: roots[0]: ~ alone means nothing in YAML; write "~" in quotes
config-unquoted c.yaml:5:14: skills.a.api_key: a value that starts with ! means something else in YAML; quote it
config-unquoted c.yaml:6:14: skills.a.env.T: a value that starts with & means something else in YAML; quote it
config-unquoted c.yaml:6:27: skills.a.env.U: a value that starts with ! means something else in YAML; quote it
config-unquoted c.yaml:7:6: skills.b: a value that starts with * means something else in YAML; quote it
config-unquoted c.yaml:9:15: skills.c.env.<<: a value that starts with * means something else in YAML; quote it
config-unquoted c.yaml:10:17: skills.c.config.k: a value that starts with ! means something else in YAML; quote it
config-unquoted c.yaml:10:32: skills.c.config.l: a value that starts with * means something else in YAML; quote it
config-unquoted c.yaml:11:14: skills.c.enabled: a value that starts with ! means something else in YAML; quote it
`,
		}, {
			"case 95 loader variables", "skills:\n  a:\n    env:\n      LD_PRELOAD: /hidden.so\n      dyld_library_path: hidden\n      PATH: hidden\n",
			`config-refused-var c.yaml:4:7: skills.a.env: LD_PRELOAD cannot be set for a skill; remove it
config-refused-var c.yaml:5:7: skills.a.env: dyld_library_path cannot be set for a skill; remove it
config-refused-var c.yaml:6:7: skills.a.env: PATH cannot be set for a skill; remove it
`,
		}, {
			"keys that are there twice", "skills:\n  a: {enabled: false}\n  a:\n    env: {T: 1, T: 2}\n",
			`config-duplicate-key c.yaml:3:3: skills: "a" is here twice; the last one is used
config-duplicate-key c.yaml:4:17: skills.a.env: "T" is here twice; the last one is used
`,
		}, {
			"a key that would break the line", "skills: {\"a\\nb\": {env: {\"\\e[2J\": []}}}",
			`config-wrong-type c.yaml:1:34: skills."a\nb".env."\x1b[2J": want text, got a list
`,
		}, {
			"columns are code points", "skills: {Überblick: 1}", "config-wrong-type c.yaml:1:21: skills.Überblick: want a mapping of names to values, got a number\n",
		}, {
			"a second document", "roots: []\n---\nskills: {}\n", "config-second-document c.yaml:2:1: only the first YAML document is read; remove the line ---\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, problems, err := config.Parse("c.yaml", []byte(tt.text))
			if err != nil || c == nil {
				t.Fatalf("got %v, %v", c, err)
			}
			got := lines(problems)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("problems mismatch (-want +got):\n%s", diff)
			}
			if strings.Contains(got, "hid") {
				t.Error("a problem shows a value")
			}
		})
	}
}

// A fault costs the setting that has it, and nothing else.
func TestParseKeepsTheRest(t *testing.T) {
	c, problems, err := config.Parse("c.yaml", []byte(`
roots: [/a, [], /b, ""]
workspace: {}
oops: 1
skills:
  bad: 1
  mixed:
    enabled: [no]
    api_key: key
    env: {A: [], B: b, LD_PRELOAD: x}
    config: {c: {d: 1}}
  off: {enabled: no, oops: 1}
`))
	if err != nil {
		t.Fatal(err)
	}
	if len(problems) != 8 {
		t.Errorf("problems:\n%s", lines(problems))
	}
	if diff := cmp.Diff([]string{"/a", "/b"}, c.Roots); diff != "" {
		t.Errorf("Roots mismatch (-want +got):\n%s", diff)
	}
	mixed := c.Skill("mixed", "mixed")
	if diff := cmp.Diff([]string{"B=b", "KEY=key"}, mixed.Environ("KEY")); diff != "" {
		t.Errorf("Environ mismatch (-want +got):\n%s", diff)
	}
	if !mixed.Enabled() || !mixed.Settings("").Config("c.d") {
		t.Error("mixed lost something")
	}
	if c.Skill("off", "off").Enabled() || !c.Skill("bad", "bad").Enabled() {
		t.Error("enabled is wrong")
	}
}

func TestParseSyntaxErrors(t *testing.T) {
	tests := []struct {
		name, text, want string
	}{
		{"not UTF-8", "roots: []\nworkspace: é\xff\n", "c.yaml:2:13: not UTF-8; save the file in that encoding"},
		{"UTF-16", "\xff\xfer\x00", "c.yaml:1:1: not UTF-8; save the file in that encoding"},
		{"text", "hello\n", "c.yaml:1:1: want a mapping with keys such as skills, got text"},
		{"a list", "\n- a\n", "c.yaml:2:1: want a mapping with keys such as skills, got a list"},
		{"a colon in a value", "skills:\n  a:\n    api_key: x: y\n", "c.yaml:3:5: not YAML: mapping values are not allowed in this context"},
		{"an open bracket", "roots:\n  - a\nskills: [\n", "c.yaml:4:1: not YAML: did not find expected node content"},
		{"a tab", "skills:\n\ta: {}\n", "c.yaml:2:1: not YAML: found character that cannot start any token"},
		{"a reserved sign", "skills:\n  a:\n    api_key: @hidden\n", "c.yaml:3:5: not YAML: found character that cannot start any token"},
		{"an alias", "skills:\n  a:\n    api_key: *hidden\n", "c.yaml:3:14: a value that starts with * is an alias in YAML; quote it"},
		{"the second document", "roots: []\n---\na: b: c\n", "c.yaml:3:1: not YAML: mapping values are not allowed in this context"},
		{"an indentation", "skills:\n  a:\n    env:\n      A: 1\n     B: 2\n", "c.yaml:5:6: not YAML: did not find expected key"},
		{"an indentation further out", "roots: []\nskills:\n  a:\n    env:\n      A: 1\n   B: 2\n  b:\n", "c.yaml:6:4: not YAML: did not find expected key"},
		{"a key in a list", "roots:\n - a\n b: c\n", "c.yaml:3:2: not YAML: did not find expected '-' indicator"},
		{"text after a quote", "skills:\n  a:\n    api_key: 'x' y\n  b: {}\n", "c.yaml:3:5: not YAML: did not find expected key"},
		{"text after a quote at the end", "skills:\n  a:\n    api_key: 'x' y", "c.yaml:3:5: not YAML: did not find expected key"},
		{"an open brace", "roots: []\nskills:\n  a: {\n   x: 1\n  b: y\n", "c.yaml:3:3: not YAML: did not find expected ',' or '}'"},
		{"an open brace in the first line", "a: {\n   x: 1\n  b: y\n", "c.yaml:3:3: not YAML: did not find expected ',' or '}'"},
		{"a tag in the first line", "a: !x!y z\n", "c.yaml:1:1: not YAML: found undefined tag handle"},
		{"a tag in the second line", "b: 1\na: !x!y z\n", "c.yaml:2:1: not YAML: found undefined tag handle"},
		{"a line without a colon", "skills:\n  a:\n    foo\n    env: {}\n", "c.yaml:4:5: not YAML: mapping values are not allowed in this context"},
		{"an open quote", "roots: []\nskills:\n  a:\n    api_key: \"x\n  b: y\n", "c.yaml:4:5: not YAML: found unexpected end of stream"},
		{"a control character", "roots: []\nworkspace: é\x01\n", "c.yaml:2:13: not YAML: control characters are not allowed"},
		{"an escape", "a: b\nc: \"\\q\"\n", "c.yaml:2:1: not YAML: found unknown escape character"},
		{"deep", strings.Repeat("[", 20_000), "c.yaml:1:1: not YAML: exceeded max depth of 10000"},
		{"over the limit", strings.Repeat("#", config.MaxFile+1), "c.yaml: larger than the limit of 1048576 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, problems, err := config.Parse("c.yaml", []byte(tt.text))
			if _, ok := errors.AsType[*config.SyntaxError](err); !ok || c != nil || problems != nil {
				t.Fatalf("got %v, %v, %v; want a *SyntaxError alone", c, problems, err)
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Errorf("error mismatch (-want +got):\n%s", diff)
			}
		})
	}
	parse(t, strings.Repeat("#", config.MaxFile)) // at the limit
}

func TestParseDepth(t *testing.T) {
	nested := func(levels int) string {
		return "skills: {a: {config: " + strings.Repeat("{a: ", levels) + "1" + strings.Repeat("}", levels) + "}}"
	}
	path := func(levels int) string { return strings.Repeat(".a", levels)[1:] }

	c := parse(t, nested(config.MaxDepth))
	if !c.Skill("a", "a").Settings("").Config(path(config.MaxDepth)) {
		t.Error("what is at the limit is not read")
	}
	c, problems, err := config.Parse("c.yaml", []byte(nested(config.MaxDepth+1)))
	if err != nil || len(problems) != 1 || problems[0].Code != "config-too-deep" {
		t.Errorf("past the limit: %v, %v", problems, err)
	}
	if c.Skill("a", "a").Settings("").Config("a") {
		t.Error("what is past the limit is read")
	}
}

// The values in every place where the file can have one, with and without
// faults around them, show up neither in messages nor when printed.
func TestSecretsAreNotShown(t *testing.T) {
	const secret = "s3cr3t"
	c, problems, err := config.Parse("c.yaml", []byte(`
skills:
  a:
    api_key: s3cr3t
    env: {T: s3cr3t, U: [s3cr3t], V: {x: s3cr3t}, LD_PRELOAD: s3cr3t, "X=s3cr3t": s3cr3t, W: !s3cr3t , Y: &s3cr3t }
    config: {a: s3cr3t, b: [s3cr3t], c: {d: s3cr3t}}
    enabled: s3cr3t
  b:
    api_key: [s3cr3t]
    env: s3cr3t
    config: s3cr3t
  c: s3cr3t
`))
	if err != nil {
		t.Fatal(err)
	}
	type holder struct {
		Config  *config.Config
		Entry   config.Entry
		private config.Entry
		pointer *config.Config
	}
	entry := c.Skill("a", "a")
	h := holder{c, entry, entry, c}
	for _, v := range []any{c, *c, entry, &entry, h, &h, []any{c, entry}, entry.Settings("KEY"), problems} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
			if s := fmt.Sprintf(verb, v); strings.Contains(s, secret) || strings.Contains(s, fmt.Sprintf("%x", secret)) {
				t.Errorf("%s of %T shows a secret: %s", verb, v, s)
			}
		}
		var log strings.Builder
		slog.New(slog.NewTextHandler(&log, nil)).Info("x", "v", v)
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log of %T shows a secret: %s", v, log.String())
		}
		// Settings hold functions, which cannot be encoded.
		if b, err := json.Marshal(v); err == nil && strings.Contains(string(b), secret) {
			t.Errorf("the JSON of %T shows a secret: %s", v, b)
		}
	}

	for _, text := range []string{"a: *s3cr3t", "a: @s3cr3t", "a: b: s3cr3t", "s3cr3t", "- s3cr3t", "a: \"s3cr3t", "a: 's3cr3t' s3cr3t", "a: !<s3cr3t", "a: !s3cr3t!s3cr3t x"} {
		_, _, err := config.Parse("c.yaml", []byte(text))
		if err == nil {
			t.Errorf("%q is read", text)
		} else if strings.Contains(err.Error(), secret) {
			t.Errorf("the error for %q shows a secret: %v", text, err)
		}
	}
}

// The example of the package's documentation is the file that the tests use.
func TestDocumentedExample(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("testdata/config.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var quoted strings.Builder
	for line := range strings.Lines(string(example)) {
		quoted.WriteString(strings.TrimRight("//\t"+line, "\t\n") + "\n")
	}
	if !strings.Contains(string(doc), quoted.String()) {
		t.Errorf("doc.go does not hold the text of testdata/config.yaml as:\n%s", quoted.String())
	}

	c := parse(t, string(example))
	want := &config.Config{
		Roots:        []string{"~/skills", "/srv/skills"},
		Workspace:    "~/work",
		Paths:        []string{"~/.local/bin", "/opt/tools/bin"},
		Python:       []string{"/usr/bin/python3", "~/venv"},
		AllowBundled: []string{"jq", "curl"},
		Install: config.Install{
			Allow:       []string{"apt", "npm:@example/*", "download:example.com/**"},
			Prefer:      []metadata.Kind{metadata.KindBrew, metadata.KindUv},
			NodeManager: "npm",
			PythonIndex: "https://pypi.example.com/simple",
		},
		Plugins: []config.Plugin{
			{
				ID: "charts", Command: []string{"/opt/charts/bin/charts", "--stdio"}, MaxInFlight: 1, Timeout: 5 * time.Minute,
				SHA256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
			},
			{ID: "old", Dir: "plugins/old", InheritEnv: true, Disabled: true, LenientResult: true, CompatName: true},
			{ID: "tool-acme-notes-k3v9", Dir: "~/plugins/notes"},
		},
		Providers: []manifest.Provider{
			{
				ID: "acme", Name: "Acme", Auth: "api_key", Fields: []string{"ACME_KEY", "ACME_SECRET"},
				Mapping: map[string]string{"ACME_KEY": "ACME_KEY", "ACME_API_KEY": "ACME_KEY", "ACME_SECRET": "ACME_SECRET"},
			},
			{ID: "example-mail", Name: "example-mail", Auth: "oauth2", Mapping: map[string]string{"EXAMPLE_MAIL_TOKEN": manifest.AccessToken}},
		},
	}
	if diff := cmp.Diff(want, c, cmpopts.IgnoreUnexported(config.Config{}, config.Plugin{})); diff != "" {
		t.Errorf("Config mismatch (-want +got):\n%s", diff)
	}
	github := c.Skill("github", "github")
	want2 := []string{"GH_DEBUG=0123", "GH_HOST=github.example.com", "GH_TOKEN=ghp_example"}
	if diff := cmp.Diff(want2, github.Environ("GH_TOKEN")); diff != "" {
		t.Errorf("Environ mismatch (-want +got):\n%s", diff)
	}
	has := github.Settings("GH_TOKEN").Config
	if !has("github.host") || !has("channels.discord") || has("channels.slack") {
		t.Error("config is wrong")
	}
	if c.Skill("chart-generator", "").Enabled() {
		t.Error("chart-generator is enabled")
	}
}

func FuzzConfig(f *testing.F) {
	example, err := os.ReadFile("testdata/config.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(example)
	for _, s := range []string{"", "a: *b", "skills: {a: {env: {A: 0123}, config: {a.b: [{}, 0, no]}}}", "a: b: c", "\ufeff---\n---\n", "? [a]\n: x", "roots: [~]", "allow_bundled: [[]]\ninstall: {allow: [\"npm:[\", node], python_index: http://a@[::1]}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, problems, err := config.Parse("c.yaml", data)
		if _, ok := errors.AsType[*config.SyntaxError](err); ok == (c != nil) || (err != nil) != ok {
			t.Fatalf("got %v, %v", c, err)
		}
		if e, ok := errors.AsType[*config.SyntaxError](err); ok && len(data) <= config.MaxFile && !e.Pos.IsValid() {
			t.Errorf("%v has no position", e)
		}
		if !slices.IsSortedFunc(problems, metadata.Problem.Compare) {
			t.Errorf("problems are not sorted:\n%s", lines(problems))
		}
		for _, p := range problems {
			if !p.IsValid() || p.Column < 1 || strings.ContainsAny(p.Message, "\n\x00\x1b") {
				t.Errorf("bad problem %q", p)
			}
		}
	})
}
