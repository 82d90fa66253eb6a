package manifest_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/matrix-nexus/skillkit/executa/manifest"
	"github.com/matrix-nexus/skillkit/internal/golden"
	"github.com/matrix-nexus/skillkit/metadata"
)

// The name of a file in an archive starts with what it is read as: executa,
// plugin or archive.
func TestGolden(t *testing.T) {
	golden.Archives(t, "testdata/*.txtar", func(t *testing.T, ar *txtar.Archive) string {
		var b strings.Builder
		for _, f := range ar.Files {
			data := bytes.TrimSuffix(f.Data, []byte("\n"))
			switch kind, _, _ := strings.Cut(f.Name, "."); kind {
			case "executa":
				e, err := manifest.ParseExecuta(f.Name, data)
				if err == nil {
					dump(t, &b, e, e.Problems)
				}
				show(&b, err)
			case "plugin":
				p, err := manifest.ParsePlugin(f.Name, data)
				if err == nil {
					dump(t, &b, p, p.Problems)
				}
				show(&b, err)
			case "archive":
				a, err := manifest.ParseArchive(f.Name, data)
				if err == nil {
					dump(t, &b, a, a.Problems)
				}
				show(&b, err)
			}
		}
		return b.String()
	})
}

func show(b *strings.Builder, err error) {
	if err != nil {
		b.WriteString("error: " + err.Error() + "\n")
	}
}

// dump writes v without what is empty, and its problems.
func dump(t *testing.T, b *strings.Builder, v any, problems []metadata.Problem) {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	delete(m, "Problems")
	prune(m)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(m); err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		b.WriteString(p.Severity.String() + ": " + p.String() + " (" + p.Code + ")\n")
	}
}

func prune(v any) {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if e == nil || e == "" || e == 0.0 || e == false {
				delete(v, k)
			}
			prune(e)
		}
	case []any:
		for _, e := range v {
			prune(e)
		}
	}
}
