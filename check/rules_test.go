package check_test

import (
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"github.com/matrix-nexus/skillkit/check"
	"github.com/matrix-nexus/skillkit/metadata"
)

// Each rule finds its fault in Bad and nothing in Good, in which no other rule finds
// more than advice. A fix of Bad leaves nothing to find.
func TestRuleExamples(t *testing.T) {
	for _, r := range check.Rules() {
		t.Run(r.ID, func(t *testing.T) {
			profile := check.Matrix
			if len(r.Profiles) > 0 {
				profile = r.Profiles[0]
			}
			c, err := check.New(&check.Options{Profile: profile, Enable: []string{r.ID}})
			if err != nil {
				t.Fatal(err)
			}
			found := run(t, c, r.Bad)
			if !slices.ContainsFunc(found, func(f check.Finding) bool { return f.Rule == r.ID }) {
				t.Errorf("Bad: the rule finds nothing; others find %v", found)
			}
			for _, f := range run(t, c, r.Good) {
				if f.Rule == r.ID || f.Severity > metadata.Info {
					t.Errorf("Good: %s", f)
				}
			}
		})
	}
}

// run checks an example.
func run(t *testing.T, c *check.Checker, text string) []check.Finding {
	t.Helper()
	targets, err := check.Find(t.Context(), exampleFS(text), ".", ".", nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(targets) == 0 {
		t.Fatalf("no skill and no tool in the example:\n%s", text)
	}
	report, err := c.Check(t.Context(), targets)
	if err != nil {
		t.Fatal(err)
	}
	return report.Findings
}

// exampleFS returns the tree that an example stands for; see check.Rule.
func exampleFS(text string) fstest.MapFS {
	text = strings.ReplaceAll(text, "[1 MiB of text]", strings.Repeat("text\n", 1<<20/5+1))
	tree := fstest.MapFS{}
	if strings.HasPrefix(text, "-- ") {
		for _, f := range txtar.Parse([]byte(text)).Files {
			tree[f.Name] = &fstest.MapFile{Data: f.Data, Mode: 0o644}
		}
		return tree
	}
	name := "deploy"
	for line := range strings.Lines(text) {
		if v, ok := strings.CutPrefix(line, "name:"); ok {
			if v = strings.Trim(strings.TrimSpace(v), `"'`); v != "" && path.Base(v) == v {
				name = v
			}
			break
		}
	}
	if !strings.HasPrefix(text, "---") && !strings.HasPrefix(text, "\ufeff") && !strings.HasPrefix(text, "#") {
		text = "---\n" + text + "---\n\n# Deploy\n\nRoll out a release to staging, then to production.\n\nFor example: deploy version 1.2 and write a table of the hosts.\n"
	}
	tree[name+"/SKILL.md"] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	return tree
}
