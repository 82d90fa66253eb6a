package check_test

import (
	"maps"
	"path"
	"regexp"
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
			checkFixes(t, c, r)
			fixed := slices.ContainsFunc(found, func(f check.Finding) bool { return f.Rule == r.ID && f.Fix != nil })
			if fixed != r.Fixable {
				t.Errorf("Bad: Fixable is %v, but there is a fix: %v", r.Fixable, fixed)
			}
			for _, f := range run(t, c, r.Good) {
				if f.Ignored == "" && (f.Rule == r.ID || f.Severity > metadata.Info) {
					t.Errorf("Good: %s", f)
				}
			}
		})
	}
}

// checkFixes wants that the rule finds nothing in Bad any more once its fix was made, if
// it has one.
func checkFixes(t *testing.T, c *check.Checker, r *check.Rule) {
	targets, err := check.Find(t.Context(), exampleFS(r.Bad), ".", ".", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range targets {
		report, err := c.Check(t.Context(), []check.Target{target})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(report.Findings, func(f check.Finding) bool { return f.Rule == r.ID && f.Fix != nil }) {
			continue
		}
		var fixed []check.Finding
		if target.Text, fixed, err = c.Fix(t.Context(), target); err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(fixed, func(f check.Finding) bool { return f.Rule == r.ID }) {
			t.Errorf("Bad: the fix does not hold")
		}
		if report, err = c.Check(t.Context(), []check.Target{target}); err != nil {
			t.Fatal(err)
		}
		for _, f := range report.Findings {
			if f.Rule == r.ID {
				t.Errorf("after the fix of Bad: %v\n%s", f, target.Text)
			}
		}
	}
}

// A rule is documented, and looks at one kind of thing.
func TestRules(t *testing.T) {
	seen := map[string]bool{}
	kebab := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	for _, r := range check.Rules() {
		if !kebab.MatchString(r.ID) || seen[r.ID] {
			t.Errorf("%s: the ID is not in kebab-case, or there are two", r.ID)
		}
		seen[r.ID] = true
		for what, s := range map[string]string{"Title": r.Title, "Doc": strings.TrimSpace(r.Doc), "Bad": r.Bad, "Good": r.Good, "Source": r.Source} {
			if s == "" {
				t.Errorf("%s: no %s", r.ID, what)
			}
		}
		if strings.HasSuffix(r.Title, ".") || r.Doc != "" && !strings.HasSuffix(strings.TrimSpace(r.Doc), ".") && !strings.HasSuffix(strings.TrimSpace(r.Doc), "```") {
			t.Errorf("%s: Title ends with a full stop, or Doc without one", r.ID)
		}
		for _, s := range append(slices.Collect(maps.Values(r.SeverityIn)), r.Severity) {
			if s < metadata.Info || s > metadata.Error {
				t.Errorf("%s: severity %v", r.ID, s)
			}
		}
		for _, p := range slices.AppendSeq(slices.Clone(r.Profiles), maps.Keys(r.SeverityIn)) {
			if !slices.Contains(check.Profiles(), p) {
				t.Errorf("%s: profile %q", r.ID, p)
			}
		}
		runs := 0
		for _, set := range []bool{r.Run != nil, r.RunFolder != nil, r.RunTool != nil, r.RunSet != nil} {
			if set {
				runs++
			}
		}
		if runs != 1 {
			t.Errorf("%s: %d functions to run, want 1", r.ID, runs)
		}
	}
	ids := func(r *check.Rule, s string) int { return strings.Compare(r.ID, s) }
	for _, r := range check.Rules() {
		if _, ok := slices.BinarySearchFunc(check.Rules(), r.ID, ids); !ok {
			t.Errorf("%s: not in order", r.ID)
		}
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
			addExample(tree, f.Name, string(f.Data))
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
