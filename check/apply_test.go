package check_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/matrix-nexus/skillkit/check"
	"github.com/matrix-nexus/skillkit/internal/golden"
	"github.com/matrix-nexus/skillkit/internal/skillgen"
	"github.com/matrix-nexus/skillkit/metadata"
)

func TestApply(t *testing.T) {
	edit := func(start, end int, text string) metadata.Edit {
		return metadata.Edit{Start: start, End: end, New: text}
	}
	for _, tt := range []struct {
		name    string
		fixes   [][]metadata.Edit
		want    string
		applied []int
	}{
		{"none", nil, "0123456789", nil},
		{"no edits", [][]metadata.Edit{{}}, "0123456789", nil},
		{"out of order", [][]metadata.Edit{{edit(8, 9, "b")}, {edit(1, 2, "a")}}, "0a234567b9", []int{0, 1}},
		{"side by side", [][]metadata.Edit{{edit(1, 2, "a")}, {edit(2, 3, "b")}}, "0ab3456789", []int{0, 1}},
		{"the first wins", [][]metadata.Edit{{edit(1, 4, "a")}, {edit(3, 5, "b")}}, "0a456789", []int{0}},
		{"one in another", [][]metadata.Edit{{edit(1, 9, "a")}, {edit(3, 4, "b")}}, "0a9", []int{0}},
		{"all or none", [][]metadata.Edit{{edit(1, 2, "a")}, {edit(1, 2, "b"), edit(5, 6, "c")}, {edit(5, 6, "d")}}, "0a234d6789", []int{0, 2}},
		{"two insertions at one place", [][]metadata.Edit{{edit(1, 1, "a")}, {edit(1, 1, "b")}}, "0a123456789", []int{0}},
		{"insertion behind a replacement", [][]metadata.Edit{{edit(1, 2, "a")}, {edit(2, 2, "b")}}, "0ab23456789", []int{0, 1}},
		{"a fix that overlaps itself", [][]metadata.Edit{{edit(1, 3, "a"), edit(2, 4, "b")}}, "0123456789", nil},
		{"at the ends", [][]metadata.Edit{{edit(0, 0, "<"), edit(10, 10, ">")}}, "<0123456789>", []int{0}},
		{"outside", [][]metadata.Edit{{edit(10, 11, "")}, {edit(-1, 0, "")}, {edit(3, 2, "")}}, "0123456789", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			findings := []check.Finding{{Rule: "no fix"}}
			for _, edits := range tt.fixes {
				findings = append(findings, check.Finding{Fix: &check.Fix{Edits: edits}})
			}
			data := []byte("0123456789")
			got, applied := check.Apply(data, findings)
			var want []check.Finding
			for _, i := range tt.applied {
				want = append(want, findings[i+1])
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(want, applied); diff != "" {
				t.Errorf("applied (-want +got):\n%s", diff)
			}
			if string(data) != "0123456789" {
				t.Errorf("the data was changed: %s", data)
			}
		})
	}
}

// TestFixGolden fixes the first file of each archive in testdata/fix and
// compares it with the second. The comment of an archive says why it exists.
func TestFixGolden(t *testing.T) {
	c := newChecker(t, nil)
	golden.Archives(t, "testdata/fix/*.txtar", func(t *testing.T, ar *txtar.Archive) string {
		text, fixed, err := c.Fix(t.Context(), check.Target{Path: "deploy", Name: "deploy", Manifest: "SKILL.md", Text: ar.Files[0].Data})
		if err != nil {
			t.Fatal(err)
		}
		checkFixed(t, c, ar.Files[0].Data)
		var b strings.Builder
		for _, f := range fixed {
			b.WriteString(f.Position.String() + ": " + f.Rule + ": " + f.Fix.Message + "\n")
		}
		return b.String() + "\n" + string(text)
	})
}

// checkFixed wants a fixed text that says what data says, but for what the
// fixes change, and in which there is nothing left to fix.
func checkFixed(t *testing.T, c *check.Checker, data []byte) (fixed []check.Finding) {
	t.Helper()
	target := check.Target{Path: "deploy", Name: "deploy", Manifest: "SKILL.md", Text: data}
	text, fixed, err := c.Fix(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	if len(fixed) == 0 {
		if !bytes.Equal(text, data) {
			t.Fatalf("nothing was fixed, and the text is another:\n%s", cmp.Diff(string(data), string(text)))
		}
		return nil
	}
	var changes []string
	for _, f := range fixed {
		changes = append(changes, f.Fix.Changes...)
	}
	before, _ := metadata.Parse("deploy/SKILL.md", data, nil)
	after, err := metadata.Parse("deploy/SKILL.md", text, nil)
	if err != nil {
		t.Fatalf("%v\nbefore:\n%s\nafter:\n%s", err, data, text)
	}
	if before != nil {
		if diff := cmp.Diff(before.Manifest, after.Manifest, cmp.FilterPath(func(p cmp.Path) bool {
			last := p.Last().String()
			return last == ".Pos" || slices.Contains(changes, strings.TrimPrefix(last, "."))
		}, cmp.Ignore())); diff != "" {
			t.Fatalf("%v\n(-before +after):\n%s\nbefore:\n%s\nafter:\n%s", fixed, diff, data, text)
		}
		if !slices.Contains(changes, "Body") && !bytes.Equal(before.Body, after.Body) {
			t.Fatalf("%v\nthe body is another:\n%s", fixed, text)
		}
	}
	target.Text = text
	again, more, err := c.Fix(t.Context(), target)
	if err != nil || len(more) > 0 || !bytes.Equal(again, text) {
		t.Fatalf("a second run fixes %v, %v\nbefore:\n%s\nafter:\n%s\nthen:\n%s", more, err, data, text, again)
	}
	return fixed
}

// TestFixGenerated fixes files with the faults of public collections.
func TestFixGenerated(t *testing.T) {
	files := uint64(4000)
	if testing.Short() {
		files = 300
	}
	c := newChecker(t, nil)
	counts := map[string]int{}
	for n := range files {
		f := skillgen.Generate(4, n)
		for _, fix := range checkFixed(t, c, f.Data) {
			counts[fix.Rule]++
		}
	}
	t.Logf("figure: fixes in %d files: %v", files, counts)
	if len(counts) < 5 {
		t.Errorf("only %v were fixed", counts)
	}
}

// The fields that a fix may change exist.
func TestFixChanges(t *testing.T) {
	manifest := reflect.TypeFor[metadata.Manifest]()
	for _, r := range check.Rules() {
		c := newChecker(t, &check.Options{Enable: []string{r.ID}})
		for _, f := range run(t, c, r.Bad) {
			if f.Fix == nil {
				continue
			}
			if f.Fix.Message == "" || len(f.Fix.Edits) == 0 {
				t.Errorf("%s: a fix without a message or edits", f.Rule)
			}
			for _, name := range f.Fix.Changes {
				if _, ok := manifest.FieldByName(name); !ok && name != "Body" {
					t.Errorf("%s: a fix changes %s, which is no field", f.Rule, name)
				}
			}
		}
	}
}

// fixSeeds returns the texts of golden files and of the examples of rules.
func fixSeeds(t testing.TB) (seeds [][]byte) {
	for _, pattern := range []string{"testdata/fix/*.txtar", "../metadata/testdata/*.txtar"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			seeds = append(seeds, txtar.Parse(data).Files[0].Data)
		}
	}
	for _, r := range check.Rules() {
		for name, f := range exampleFS(r.Bad) {
			if strings.HasSuffix(name, "SKILL.md") {
				seeds = append(seeds, f.Data)
			}
		}
	}
	return seeds
}

func TestFixSeeds(t *testing.T) {
	c := newChecker(t, nil)
	for _, data := range fixSeeds(t) {
		checkFixed(t, c, data)
	}
}

// FuzzFix wants what checkFixed wants of any text.
func FuzzFix(f *testing.F) {
	for _, data := range fixSeeds(f) {
		f.Add(data)
	}
	c, err := check.New(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkFixed(t, c, data) })
}

// word finds each place of a text in a SKILL.md and has another for it.
func word(id, old, text string, changes ...string) *check.Rule {
	return &check.Rule{ID: id, RunFolder: func(p *check.Pass) {
		for at := 0; ; at += len(old) {
			i := strings.Index(string(p.Data[at:]), old)
			if i < 0 {
				return
			}
			at += i
			p.Report(check.Finding{Position: p.Position(at), Fix: &check.Fix{
				Message: id, Edits: []metadata.Edit{{Start: at, End: at + len(old), New: text}}, Changes: changes,
			}})
		}
	}}
}

// A fix that does not do what it says is not made, and costs no other.
func TestFixHolds(t *testing.T) {
	const data = "---\nname: deploy\ndescription: Rolls out. Use when due.\nx: 1 # note\n---\nBody of A and B.\n"
	for _, tt := range []struct {
		name  string
		rules []*check.Rule
		want  string // what becomes of data
		fixed int
	}{
		{"a comment", []*check.Rule{word("a", "# note", "# hint")}, strings.Replace(data, "note", "hint", 1), 1},
		{"a value", []*check.Rule{word("a", "Rolls", "Rides")}, data, 0},
		{"a value that it names", []*check.Rule{word("a", "Rolls", "Rides", "Description")}, strings.Replace(data, "Rolls", "Rides", 1), 1},
		{"another value than it names", []*check.Rule{word("a", "Rolls", "Rides", "Name", "Body")}, data, 0},
		{"a key that is not read", []*check.Rule{word("a", "x: 1", "x: 2")}, data, 0},
		{"the body", []*check.Rule{word("a", "Body", "Text")}, data, 0},
		{"the body, by name", []*check.Rule{word("a", "Body", "Text", "Body")}, strings.Replace(data, "Body", "Text", 1), 1},
		{"not gone", []*check.Rule{word("a", "# note", "# # note")}, data, 0},
		{"no skill any more", []*check.Rule{word("a", "---\nname", "name", "Name", "Description", "Body", "Extra")}, data, 0},
		{"good beside bad", []*check.Rule{word("a", "Rolls", "Rides"), word("b", "# note", "# hint"), word("c", " and", " or", "Body"), word("d", "name: ", "name: x")},
			strings.NewReplacer("note", "hint", " and", " or").Replace(data), 2},
		{"one after another", []*check.Rule{word("a", "# note", "# hint"), word("b", "# hint", "# tip")}, strings.Replace(data, "note", "tip", 1), 2},
		{"round in circles", []*check.Rule{word("a", "# note", "# hint"), word("b", "# hint", "# note")}, data, 10},
		{"in two places", []*check.Rule{word("a", "e: ", "e:  ")}, data, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChecker(t, nil)
			for _, r := range tt.rules {
				c.Add(r)
			}
			text, fixed, err := c.Fix(t.Context(), check.Target{Name: "deploy", Manifest: "SKILL.md", Text: []byte(data)})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(text)); diff != "" || len(fixed) != tt.fixed {
				t.Errorf("%d fixes, want %d (-want +got):\n%s", len(fixed), tt.fixed, diff)
			}
		})
	}
}

// What a comment takes back, and what stands in another file, is left.
func TestFixLeaves(t *testing.T) {
	c := newChecker(t, nil)
	c.Add(word("a", "# note", "# hint"))
	c.Add(&check.Rule{ID: "b", RunFolder: func(p *check.Pass) {
		p.Report(check.Finding{File: "other.md", Fix: &check.Fix{Edits: []metadata.Edit{{Start: 0, End: 3}}}})
	}})
	data := "---\nname: deploy\n# skillcheck-ignore a: it is one\nx: 1 # note\ndescription: Rolls out. Use when due.\n---\n"
	text, fixed, err := c.Fix(t.Context(), check.Target{Name: "deploy", Manifest: "SKILL.md", Text: []byte(data)})
	if string(text) != data || len(fixed) > 0 || err != nil {
		t.Errorf("got %v, %v:\n%s", fixed, err, text)
	}
}

func TestFixErrors(t *testing.T) {
	c := newChecker(t, nil)
	if text, fixed, err := c.Fix(t.Context(), check.Target{Manifest: "SKILL.md"}); text != nil || fixed != nil || err != nil {
		t.Errorf("nothing to read: got %q, %v, %v", text, fixed, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := c.Fix(ctx, check.Target{Manifest: "SKILL.md", Text: []byte("x")}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
	c.Add(&check.Rule{ID: "bad", RunFolder: func(*check.Pass) { panic("no") }})
	text, fixed, err := c.Fix(t.Context(), check.Target{Manifest: "SKILL.md", Text: []byte("\ufeff---\nname: x\n---\n")})
	if e, ok := errors.AsType[*check.RuleError](err); !ok || e.Rule != "bad" || len(fixed) != 1 || string(text) != "---\nname: x\n---\n" {
		t.Errorf("got %q, %v, %v, want the RuleError of bad and the fix of another", text, fixed, err)
	}
}
