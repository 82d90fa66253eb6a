package check_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"github.com/matrix-nexus/skillkit/check"
	"github.com/matrix-nexus/skillkit/internal/golden"
)

func TestTools(t *testing.T) {
	c := newChecker(t, nil)
	golden.Archives(t, "testdata/tools/*.txtar", func(t *testing.T, ar *txtar.Archive) string {
		tree := fstest.MapFS{}
		for _, f := range ar.Files {
			if f.Name != "want" {
				tree[f.Name] = &fstest.MapFile{Data: f.Data, Mode: 0o644}
			}
		}
		text := ""
		for _, f := range checkTree(t, c, tree).Findings {
			text += f.String() + "\n"
		}
		return text
	})
}

// A default may be a secret, and is not shown.
func TestCredentialDefaultIsNotShown(t *testing.T) {
	tree := fstest.MapFS{
		"a/executa.json":  {Data: []byte(`{"tool_id":"tool-a-b"}`)},
		"a/manifest.json": {Data: []byte(`{"tools":[],"credentials":[{"name":"A_TOKEN","default":"hunter2"}]}`)},
	}
	for _, f := range checkTree(t, newChecker(t, nil), tree).Findings {
		if strings.Contains(f.Message, "hunter2") {
			t.Errorf("%s", f)
		}
	}
}

// A file of any size and of any form is checked in a moment.
func FuzzTool(f *testing.F) {
	f.Add([]byte(`{"distribution":{"profiles":{"a":{"binary_urls":{"x":{"url":"u"},"y":1}}}},"command":[1]}`), []byte(`{"tools":[{"name":"a","parameters":[{"name":"p","enum":[1,{}],"default":[]},{"type":"array"}],"timeout":-1},2],"credentials":[{}]}`))
	f.Add([]byte(`{"manifest_file":"../x"}`), []byte(`{"runtime":{"binary":{"entrypoint":{"default":"a"},"permissions":{"a":"0o755"}}}}`))
	c, err := check.New(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, executa, manifest []byte) {
		tree := fstest.MapFS{
			"a/executa.json":  {Data: executa, Mode: 0o644},
			"a/manifest.json": {Data: manifest, Mode: 0o644},
		}
		for _, g := range checkTree(t, c, tree).Findings {
			if g.Message == "" || g.IsValid() && g.End.Compare(g.Position) <= 0 {
				t.Fatalf("%+v", g)
			}
		}
	})
}

func TestToolKeySpelling(t *testing.T) {
	c := newChecker(t, nil)
	for key, want := range map[string]string{
		"displayName": "display_name", "display-name": "display_name", "Tools": "tools", "credential": "credentials",
		"discription": "description", "versoin": "version", "_version": "", "comment": "", "tols": "", "data": "",
	} {
		tree := fstest.MapFS{
			"a/executa.json": {Data: []byte(`{"tool_id":"tool-a-b","manifest_file":"d.json"}`)},
			"a/d.json":       {Data: []byte(`{"` + key + `":null,"` + key + `":[1]}`)},
		}
		found := of(checkTree(t, c, tree), "tool-key-spelling")
		if want == "" && len(found) > 0 || want != "" && (len(found) != 1 || !strings.Contains(found[0], "did you mean "+want+"?")) {
			t.Errorf("%s: %q, want %q", key, found, want)
		}
	}
}
