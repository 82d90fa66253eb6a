package config_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/config"
	"github.com/matrix-nexus/skillkit/metadata"
)

// A list that limits something is nil only where the file does not have it.
func TestLists(t *testing.T) {
	none := []string{}
	for _, tt := range []struct {
		yaml   string
		want   []string
		faults int
	}{
		{"", nil, 0},
		{"~", nil, 0},
		{"[]", none, 0},
		{"[apt]", []string{"apt"}, 0},
		{`[""]`, none, 0},
		// Faults allow less, never more.
		{"apt", none, 1},
		{"{apt: x}", none, 1},
		{"&apt", none, 1},
		{"!apt", none, 1},
		{"[[], {}]", none, 2},
		{"[[], apt]", []string{"apt"}, 1},
	} {
		c, problems, err := config.Parse("c.yaml", []byte("allow_bundled: "+tt.yaml+"\ninstall:\n  allow: "+tt.yaml+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, c.AllowBundled); diff != "" {
			t.Errorf("%s: AllowBundled (-want +got):\n%s", tt.yaml, diff)
		}
		if tt.yaml == `[""]` {
			tt.faults = 0
		}
		if diff := cmp.Diff(tt.want, c.Install.Allow); diff != "" {
			t.Errorf("%s: Allow (-want +got):\n%s", tt.yaml, diff)
		}
		if len(problems) != 2*tt.faults {
			t.Errorf("%s: problems:\n%s", tt.yaml, lines(problems))
		}
	}
}

func TestInstall(t *testing.T) {
	c := parse(t, `
install:
  allow: [node, Homebrew, pip3:requests, "golang:example.com/cmd/*", "apt:{jq,curl}", "apt:lib:x", cargo, shell]
  prefer: [winget, node]
  node_manager: bun
  python_index: http://127.0.0.1:8080/simple
`)
	want := config.Install{
		Allow:       []string{"npm", "brew", "pip:requests", "go:example.com/cmd/*", "apt:{jq,curl}", "apt:lib:x", "cargo", "shell"},
		Prefer:      []metadata.Kind{metadata.KindWinget, metadata.KindNpm},
		NodeManager: "bun",
		PythonIndex: "http://127.0.0.1:8080/simple",
	}
	if diff := cmp.Diff(want, c.Install); diff != "" {
		t.Errorf("Install mismatch (-want +got):\n%s", diff)
	}

	c, problems, err := config.Parse("c.yaml", []byte(`install:
  allow: [apt, np, exec, "npm:", "go:[", "download:https://example.com/**", ":x", {brew: jq}]
  prefer: [brew, hidden]
  node_manager: npn
  python_index: https://user:hidden@example.com/simple
  index: x
`))
	if err != nil {
		t.Fatal(err)
	}
	want = config.Install{Allow: []string{"apt"}, Prefer: []metadata.Kind{metadata.KindBrew}}
	if diff := cmp.Diff(want, c.Install); diff != "" {
		t.Errorf("Install mismatch (-want +got):\n%s", diff)
	}
	const kinds = "the kinds are brew, apt, pip, uv, npm, go, download, shell, pipx, cargo, gem, dnf, choco, winget"
	wantProblems := `config-unknown-value c.yaml:2:16: install.allow[1]: not a kind of installer; did you mean npm?
config-unknown-value c.yaml:2:20: install.allow[2]: not a kind of installer; ` + kinds + `
config-bad-pattern c.yaml:2:26: install.allow[3]: nothing after the colon; leave it out to allow all of that kind
config-bad-pattern c.yaml:2:34: install.allow[4]: not a pattern; close each [ and {, and write \ before one that stands for itself
config-bad-pattern c.yaml:2:42: install.allow[5]: would match no URL; leave the scheme out, as in download:example.com/**
config-unknown-value c.yaml:2:77: install.allow[6]: not a kind of installer; ` + kinds + `
config-wrong-type c.yaml:2:83: install.allow[7]: want text, got a mapping
config-unknown-value c.yaml:3:18: install.prefer[1]: not a kind of installer; ` + kinds + `
config-unknown-value c.yaml:4:17: install.node_manager: not known; did you mean npm?
config-bad-url c.yaml:5:17: install.python_index: must not hold a user or password; put those into ~/.netrc
config-unknown-key c.yaml:6:3: unknown key "index" of install; did you mean python_index?
`
	if diff := cmp.Diff(wantProblems, lines(problems)); diff != "" {
		t.Errorf("problems mismatch (-want +got):\n%s", diff)
	}
}

func TestPythonIndex(t *testing.T) {
	for _, tt := range []struct {
		url  string
		good bool
	}{
		{"https://pypi.example.com/simple", true},
		{"https://pypi.example.com:8443/a%20b/", true},
		{"http://localhost/simple", true},
		{"http://[::1]:80", true},
		{"HTTPS://example.com", true},
		{"http://pypi.example.com/simple", false},
		{"http://localhost.example.com", false},
		{"ftp://example.com", false},
		{"file:///srv/simple", false},
		{"https:example.com", false},
		{"https:///simple", false},
		{"https://:443/simple", false},
		{"pypi.example.com", false},
		{"--index-url=https://example.com", false},
		{"https://example.com/a b", false},
		{`https://example.com\@example.org`, false},
		{"https://user@example.com", false},
		{"https://@example.com", false},
		{"https://example.com/?token=x", false},
		{"https://example.com/?", false},
		{"https://example.com/#", false},
		{"https://example.com/%zz", false},
	} {
		c, problems, err := config.Parse("c.yaml", []byte("install: {python_index: '"+tt.url+"'}"))
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Install.PythonIndex == tt.url; got != tt.good || (len(problems) == 0) != tt.good {
			t.Errorf("%s: got %q and\n%s", tt.url, c.Install.PythonIndex, lines(problems))
		}
	}
}
