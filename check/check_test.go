package check_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/check"
	"github.com/matrix-nexus/skillkit/metadata"
)

// good is a skill in which nothing is found, by the name of its folder.
func good(name string) *fstest.MapFile {
	return &fstest.MapFile{Mode: 0o644, Data: []byte("---\nname: " + name + `
description: Rolls out a release to staging and production. Use when a release of ` + name + ` is due.
metadata: {"matrix": {"execution_mode": "prompt", "category_name": "operations"}}
---

# Roll out

Roll out a release of ` + name + ` to staging, then to production.

For example: deploy version 1.2 and write a table of the hosts.
`)}
}

func newChecker(t *testing.T, opts *check.Options) *check.Checker {
	t.Helper()
	c, err := check.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// checkTree checks all that is in fsys.
func checkTree(t *testing.T, c *check.Checker, fsys fs.FS) *check.Report {
	t.Helper()
	targets, err := check.Find(t.Context(), fsys, ".", ".", nil)
	if err != nil {
		t.Fatal(err)
	}
	report, err := c.Check(t.Context(), targets)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// of returns the findings of a rule, as text.
func of(report *check.Report, rule string) (list []string) {
	for _, f := range report.Findings {
		if f.Rule == rule {
			list = append(list, f.String())
		}
	}
	return list
}

func TestNew(t *testing.T) {
	for _, tt := range []struct {
		name string
		opts check.Options
		want string
	}{
		{"no such rule", check.Options{Enable: []string{"unquoted-colons"}}, `no rule "unquoted-colons"; is it unquoted-colon?`},
		{"nothing close", check.Options{Disable: []string{"zzzzzzzzzz"}}, `no rule "zzzzzzzzzz"; skillcheck --list shows them all`},
		{"severity of no rule", check.Options{Severity: map[string]metadata.Severity{"qqqqqqqqqq": 0}}, `no rule "qqqqqqqqqq"; skillcheck --list shows them all`},
		{"no such severity", check.Options{Severity: map[string]metadata.Severity{"unquoted-colon": 3}}, "rule unquoted-colon: no severity 3; there are info, warning and error"},
		{"no such profile", check.Options{Profile: "x"}, `no profile "x"; there are [matrix openclaw agentskills]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := check.New(&tt.opts); err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// The options are copied: what the caller does with them later changes nothing.
func TestNewCopiesOptions(t *testing.T) {
	opts := check.Options{Severity: map[string]metadata.Severity{"unquoted-colon": metadata.Info}}
	c := newChecker(t, &opts)
	opts.Severity["unquoted-colon"] = metadata.Error
	tree := fstest.MapFS{"deploy/SKILL.md": {Data: []byte("---\nname: deploy\ndescription: a: b\n---\n")}}
	want := []string{`deploy/SKILL.md:3:15: info: unquoted colon in description; quote the value (unquoted-colon)`}
	if diff := cmp.Diff(want, of(checkTree(t, c, tree), "unquoted-colon")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSeverity(t *testing.T) {
	odd := &check.Rule{
		ID: "odd", Severity: metadata.Info, SeverityIn: map[check.Profile]metadata.Severity{check.OpenClaw: metadata.Warning},
		Run: func(p *check.Pass) { p.Reportf(metadata.Position{Line: 1, Column: 1}, "odd") },
	}
	for _, tt := range []struct {
		name string
		opts check.Options
		want metadata.Severity
	}{
		{"that of the rule", check.Options{}, metadata.Info},
		{"that of the profile", check.Options{Profile: check.OpenClaw}, metadata.Warning},
		{"strict", check.Options{Profile: check.OpenClaw, Strict: true}, metadata.Error},
		{"strict leaves advice", check.Options{Strict: true}, metadata.Info},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChecker(t, &tt.opts)
			c.Add(odd)
			for _, f := range checkTree(t, c, fstest.MapFS{"deploy/SKILL.md": good("deploy")}).Findings {
				if f.Rule == "odd" && f.Severity == tt.want {
					return
				}
			}
			t.Errorf("no finding of severity %v", tt.want)
		})
	}
}

// A rule that panics is named, with what it looked at, and costs nothing else.
func TestRuleError(t *testing.T) {
	c := newChecker(t, nil)
	c.Add(&check.Rule{ID: "one", Run: func(p *check.Pass) {
		if p.Name == "b" {
			panic("no")
		}
		p.Reportf(metadata.Position{}, "seen")
	}})
	c.Add(&check.Rule{ID: "all", RunSet: func(p *check.SetPass) { panic(len(p.Skills)) }})
	tree := fstest.MapFS{"a/SKILL.md": good("a"), "b/SKILL.md": good("b"), "c/SKILL.md": good("c")}
	targets, err := check.Find(t.Context(), tree, ".", "skills", nil)
	if err != nil {
		t.Fatal(err)
	}
	report, err := c.Check(t.Context(), targets)
	if e, ok := errors.AsType[*check.RuleError](err); !ok || e.Rule == "" {
		t.Errorf("got %v, want a RuleError", err)
	}
	if want := "rule all: panic: 3\nskills/b: rule one: panic: no"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if got := of(report, "one"); len(got) != 2 {
		t.Errorf("got %v, want what was found in a and c", got)
	}
}

func TestCheckCancelled(t *testing.T) {
	tree := fstest.MapFS{}
	for i := range 50 {
		name := fmt.Sprint("s", i)
		tree[name+"/SKILL.md"] = good(name)
	}
	targets, err := check.Find(t.Context(), tree, ".", ".", nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	c := newChecker(t, nil)
	c.Add(&check.Rule{ID: "stop", Run: func(*check.Pass) { cancel() }})
	if report, err := c.Check(ctx, targets); report != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, %v, want the error of the context alone", report, err)
	}
}

func TestReportCounts(t *testing.T) {
	c := newChecker(t, nil)
	report := checkTree(t, c, fstest.MapFS{
		"a/SKILL.md":            good("a"),
		"a/scripts/run.sh":      {},
		"a/node_modules/x.js":   {},
		"a/.git/HEAD":           {},
		"a/.env":                {},
		"b/SKILL.md":            good("b"),
		"c/README.md":           {},
		"b/sub/deep/SKILL.md":   good("deep"),
		"node_modules/SKILL.md": good("node_modules"),
	})
	if report.Skills != 2 || report.Files != 5 || report.Ignored != 0 {
		t.Errorf("got %d skills, %d files, %d ignored; want 2, 5, 0", report.Skills, report.Files, report.Ignored)
	}
	if empty, err := c.Check(t.Context(), nil); err != nil || len(empty.Findings) > 0 {
		t.Errorf("no target: got %v, %v", empty, err)
	}
}

// What cannot be read is a finding, and the rest is checked.
func TestUnreadable(t *testing.T) {
	link := func(dest string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(dest), Mode: fs.ModeSymlink | 0o777}
	}
	report := checkTree(t, newChecker(t, nil), fstest.MapFS{
		"dangling/SKILL.md": link("no.md"),
		"folder/SKILL.md":   link("docs"),
		"folder/docs/a.md":  {},
		"in/SKILL.md":       link("docs/a.md"),
		"in/docs/a.md":      good("in"),
		"loop/SKILL.md":     link("skill.md"),
		"loop/skill.md":     link("SKILL.md"),
		"out/SKILL.md":      link("../in/SKILL.md"),
		"root/SKILL.md":     link("/etc/passwd"),
		"up/SKILL.md":       link("docs/../../in/docs/a.md"),
		"up/docs/a.md":      {},
	})
	want := []string{
		"dangling/SKILL.md: error: cannot be read: file does not exist (unreadable)",
		"folder/SKILL.md: error: cannot be read: not a file (unreadable)",
		"loop/SKILL.md: error: cannot be read: a link that leads to itself (unreadable)",
		"out/SKILL.md: error: cannot be read: a link that leads out of the folder (unreadable)",
		"root/SKILL.md: error: cannot be read: a link that leads out of the folder (unreadable)",
		"up/SKILL.md: error: cannot be read: a link that leads out of the folder (unreadable)",
	}
	if diff := cmp.Diff(want, of(report, "unreadable")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if report.Skills != 7 {
		t.Errorf("got %d skills", report.Skills)
	}
}

func TestUnreadableFolder(t *testing.T) {
	if os.Geteuid() == 0 || os.Geteuid() == -1 {
		t.Skip("everything can be read")
	}
	dir := t.TempDir()
	for _, name := range []string{"open", "shut"} {
		if err := os.MkdirAll(filepath.Join(dir, "deploy", name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "deploy", "SKILL.md"), good("deploy").Data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "deploy", "shut"), 0); err != nil {
		t.Fatal(err)
	}
	want := []string{"deploy/shut: error: cannot be read: permission denied (unreadable)"}
	if diff := cmp.Diff(want, of(checkTree(t, newChecker(t, nil), os.DirFS(dir)), "unreadable")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// folder returns the only folder of a tree as rules see it.
func folder(t *testing.T, targets ...check.Target) (f *check.Folder) {
	t.Helper()
	c := newChecker(t, nil)
	c.Add(&check.Rule{ID: "seen", RunFolder: func(p *check.Pass) { f = p.Folder }})
	if _, err := c.Check(t.Context(), targets); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestText(t *testing.T) {
	big := strings.Repeat("x", check.MaxText)
	f := folder(t, check.Target{Name: "deploy", Manifest: "SKILL.md", FS: fstest.MapFS{
		"SKILL.md":    good("deploy"),
		"a.sh":        {Data: []byte("exit 0\n")},
		"full.txt":    {Data: []byte(big)},
		"more.txt":    {Data: []byte(big + "x")},
		"nul.txt":     {Data: []byte("a\x00b")},
		"latin.txt":   {Data: []byte("caf\xe9")},
		"docs/in.md":  {Data: []byte("../a.sh"), Mode: fs.ModeSymlink},
		"docs/out.md": {Data: []byte("../../a.sh"), Mode: fs.ModeSymlink},
		"up":          {Data: []byte(".."), Mode: fs.ModeSymlink},
	}})
	for name, want := range map[string]string{
		"a.sh": "exit 0\n", "docs/in.md": "exit 0\n", "full.txt": big, "SKILL.md": string(good("deploy").Data),
		"more.txt": "", "nul.txt": "", "latin.txt": "", "docs/out.md": "", "up/deploy/a.sh": "", "none": "", "../x": "", "docs": "",
	} {
		for range 2 {
			if got, ok := f.Text(name); got != want || ok != (want != "") {
				t.Errorf("%s: got %.20q, %v, want %.20q", name, got, ok, want)
			}
		}
	}
	i := slices.IndexFunc(f.Files, func(f check.File) bool { return f.Name == "up" })
	if i < 0 || f.Files[i].Mode&fs.ModeSymlink == 0 {
		t.Errorf("the link is not one of %v", f.Files)
	}
}

// Without a file system there is only the text, under whatever name.
func TestTextAlone(t *testing.T) {
	f := folder(t, check.Target{Path: "docs", Manifest: "draft.md", Text: good("deploy").Data})
	if f.File != "docs/draft.md" || f.Doc == nil || f.Doc.Manifest.Name != "deploy" || len(f.Files) != 0 {
		t.Errorf("got %s, %v, %v", f.File, f.Doc, f.Files)
	}
	f = folder(t, check.Target{Manifest: "SKILL.md"})
	if f.Doc != nil || f.Data != nil {
		t.Errorf("nothing to read: got %v", f.Doc)
	}
}

// A file that is too large is refused without being read whole.
func TestManifestSize(t *testing.T) {
	tree := fstest.MapFS{"deploy/SKILL.md": {Data: []byte(strings.Repeat("x", metadata.MaxFile+9))}}
	f := folder(t, check.Target{Path: "deploy", Manifest: "deploy/SKILL.md", FS: tree})
	if f.Err == nil || f.Err.Code != "file-too-large" || len(f.Data) != metadata.MaxFile+1 {
		t.Errorf("got %v of %d bytes", f.Err, len(f.Data))
	}
}

func TestPositionOffset(t *testing.T) {
	for _, text := range []string{"", "a", "a\nb", "a\r\nb\r\n", "a\rb", "é\n\nü\n", "\ufeffa\nb"} {
		f := folder(t, check.Target{Manifest: "SKILL.md", Text: []byte(text)})
		for i := range text {
			pos := f.Position(i)
			if text[i] == '\n' && i > 0 && text[i-1] == '\r' || strings.HasPrefix(text[i:], "\ufeff") {
				continue // not the start of a place
			}
			if got := f.Offset(pos); got != i {
				t.Errorf("%q: offset %d is at %v, which is at offset %d", text, i, pos, got)
			}
		}
		if first := (metadata.Position{Line: 1, Column: 1}); f.Position(-1) != first || f.Position(0) != first {
			t.Errorf("%q: got %v and %v for offsets before the text", text, f.Position(-1), f.Position(0))
		}
		if f.Position(len(text)+1) != f.Position(len(text)) || f.Offset(metadata.Position{Line: 99, Column: 99}) != len(text) {
			t.Errorf("%q: a place behind the text", text)
		}
	}
}

func TestWordEnd(t *testing.T) {
	for _, tt := range []struct {
		line string
		at   int
		want string
	}{
		{"name: deploy", 7, "deploy"},
		{"name: deploy", 1, "name"},
		{"name: deploy now", 7, "deploy"},
		{`name: "a \" b" # c`, 7, `"a \" b"`},
		{`name: 'a b`, 7, `'a b`},
		{`{"os":["mac","win"]}`, 8, `"mac"`},
		{"see https://example.com/a:b, or", 5, "https://example.com/a:b"},
		{"[a](b.md)", 5, "b.md"},
		{"技能：用法 x", 1, "技能：用法"},
		{"key:", 1, "key"},
		{"key:", 4, ":"},
		{"a ", 2, " "},
		{"a", 2, " "},
		{"", 1, " "},
		{"a\tb", 1, "a"},
	} {
		got := check.WordEnd(tt.line, metadata.Position{Line: 3, Column: tt.at})
		want := metadata.Position{Line: 3, Column: tt.at + len([]rune(tt.want))}
		if got != want {
			t.Errorf("%q at %d: got %v, want %v", tt.line, tt.at, got, want)
		}
	}
}

// The extent of a finding in another file is that of the word there.
func TestReportInOtherFile(t *testing.T) {
	c := newChecker(t, nil)
	c.Add(&check.Rule{ID: "here", Run: func(p *check.Pass) {
		p.ReportFilef("scripts/run.sh", metadata.Position{Line: 2, Column: 1}, "no")
		p.ReportFilef("scripts/none.sh", metadata.Position{Line: 2, Column: 1}, "no")
		p.ReportFilef(".", metadata.Position{}, "no")
	}})
	for _, dir := range []string{"skills", "."} {
		targets, err := check.Find(t.Context(), fstest.MapFS{
			"deploy/SKILL.md": good("deploy"), "deploy/scripts/run.sh": {Data: []byte("#!/bin/sh\ncurl x\n")},
		}, ".", dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		report, err := c.Check(t.Context(), targets)
		if err != nil {
			t.Fatal(err)
		}
		ends := map[string]metadata.Position{}
		for _, f := range report.Findings {
			if f.Rule == "here" {
				ends[f.File] = f.End
			}
		}
		prefix := ""
		if dir != "." {
			prefix = dir + "/"
		}
		want := map[string]metadata.Position{
			prefix + "deploy":                 {},
			prefix + "deploy/scripts/run.sh":  {Line: 2, Column: 5},
			prefix + "deploy/scripts/none.sh": {Line: 2, Column: 2},
		}
		if diff := cmp.Diff(want, ends); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
