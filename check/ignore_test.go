package check_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/check"
	"github.com/matrix-nexus/skillkit/metadata"
)

// todo finds each TODO in a SKILL.md, here finds the folder and a file of it,
// and both finds what several skills have.
var (
	todo = &check.Rule{ID: "todo", Severity: metadata.Warning, RunFolder: func(p *check.Pass) {
		for i := 0; ; i += len("TODO") {
			n := strings.Index(string(p.Data[i:]), "TODO")
			if n < 0 {
				return
			}
			i += n
			p.Reportf(p.Position(i), "todo")
		}
	}}
	here = &check.Rule{ID: "here", Severity: metadata.Warning, RunFolder: func(p *check.Pass) {
		p.ReportFilef(".", metadata.Position{}, "the folder")
		p.ReportFilef("a.txt", metadata.Position{Line: 12, Column: 1}, "a file")
	}}
	both = &check.Rule{ID: "both", Severity: metadata.Warning, RunSet: func(p *check.SetPass) {
		for _, f := range p.Skills {
			p.In(f).Reportf(metadata.Position{Line: 2, Column: 1}, "both")
		}
	}}
)

func TestIgnore(t *testing.T) {
	for _, tt := range []struct {
		name        string
		front, body string
		// The lines of todo that are not taken back, and of the rules that
		// look at comments.
		want string
	}{
		{"same line", "", "TODO <!-- skillcheck-ignore todo: later --> TODO", ""},
		{"next line", "", "<!-- skillcheck-ignore todo: later -->\nTODO\n\nTODO", "10 todo"},
		{"over blank lines", "", "<!-- skillcheck-ignore todo: later -->\n\n  \nTODO\nTODO", "11 todo"},
		{"one below another", "", "<!-- skillcheck-ignore here: no -->\n<!-- skillcheck-ignore todo: later -->\nTODO", "7 ignore-unused"},
		{"on several lines", "", "<!--\n  skillcheck-ignore todo: later,\n  when: it is done\n-->\nTODO", ""},
		{"two rules", "", "<!-- skillcheck-ignore here, todo: later -->\nTODO", "7 ignore-unused"},
		{"the line before", "", "TODO\n<!-- skillcheck-ignore todo: later -->\n\ntext", "7 todo; 8 ignore-unused"},
		{"no reason", "", "<!-- skillcheck-ignore todo -->\nTODO", "7 ignore-without-reason; 8 todo"},
		{"blank reason", "", "<!-- skillcheck-ignore todo:  -->\nTODO", "7 ignore-without-reason; 8 todo"},
		{"no rule", "", "<!-- skillcheck-ignore: later -->\nTODO", "7 ignore-unknown-rule; 8 todo"},
		{"other rule", "", "<!-- skillcheck-ignore bom: later -->\nTODO", "7 ignore-unused; 8 todo"},
		{"unknown rule", "", "<!-- skillcheck-ignore tudo, bom-: later -->\nTODO", "7 ignore-unknown-rule; 7 ignore-unknown-rule; 8 todo"},
		{"rule that does not run", "", "<!-- skillcheck-ignore conflicting-vendor-blocks: x -->\ntext", ""},
		{"another word", "", "<!-- skillcheck-ignores todo: later -->\nTODO", "8 todo"},
		{"in a sentence", "", "<!-- use skillcheck-ignore todo: later -->\nTODO", "8 todo"},
		{"in a fence", "", "```\n<!-- skillcheck-ignore todo: later -->\nTODO\n```", "9 todo"},
		{"in a code span", "", "Write `<!-- skillcheck-ignore todo: later -->`.\nTODO", "8 todo"},
		{"none in the body", "", "# skillcheck-ignore todo: later\nTODO", "8 todo"},
		{"whole folder", "", "TODO\n\ntext\n\n<!-- skillcheck-ignore-file todo: later -->\n\nTODO", ""},
		{"whole folder, of no use", "", "<!-- skillcheck-ignore-file todo: later -->", "7 ignore-unused"},

		{"frontmatter, next line", "# skillcheck-ignore todo: later\nlicense: TODO\n", "", ""},
		{"frontmatter, same line", "license: TODO # skillcheck-ignore todo: later\n", "", ""},
		{"frontmatter, indented", "x:\n  # skillcheck-ignore todo: later\n  y: TODO\n", "", ""},
		{"frontmatter, folder", "#skillcheck-ignore-file todo: later\nlicense: TODO\n", "TODO", ""},
		{"frontmatter, quoted", "license: \"MIT # skillcheck-ignore todo: TODO\"\n", "", "5 todo"},
		{"frontmatter, block", "license: |\n  # skillcheck-ignore todo: later\n  TODO\n", "", "7 todo"},
		{"frontmatter, no comment", "license: MIT#skillcheck-ignore todo: TODO\n", "", "5 unquoted-colon; 5 todo"},
		{"frontmatter, HTML", "license: <!-- skillcheck-ignore todo; TODO -->\n", "", "5 todo"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := "---\nname: deploy\ndescription: Rolls out a release. Use when one is due.\nmetadata: {\"matrix\": {\"execution_mode\": \"prompt\", \"category_name\": \"operations\"}}\n" +
				tt.front + "---\n"
			if tt.front == "" {
				text += "\n"
			}
			c := newChecker(t, &check.Options{Disable: []string{"conflicting-vendor-blocks"}})
			c.Add(todo)
			c.Add(&check.Rule{ID: "here", RunFolder: func(*check.Pass) {}})
			report := checkTree(t, c, fstest.MapFS{"deploy/SKILL.md": {Data: []byte(text + tt.body + "\n")}})
			var got []string
			ignored := 0
			for _, f := range report.Findings {
				switch {
				case f.Ignored != "":
					ignored++
				case f.Rule == "todo" || f.Rule == "unquoted-colon" || strings.HasPrefix(f.Rule, "ignore-"):
					got = append(got, strings.Split(f.Position.String(), ":")[0]+" "+f.Rule)
				}
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, "; ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if ignored != report.Ignored {
				t.Errorf("%d ignored, the report says %d", ignored, report.Ignored)
			}
		})
	}
}

// A comment for the whole folder is for all its files, and for what was found in
// several skills together.
func TestIgnoreFile(t *testing.T) {
	tree := fstest.MapFS{"a/SKILL.md": good("a"), "b/SKILL.md": good("b")}
	tree["a/SKILL.md"].Data = append(tree["a/SKILL.md"].Data, "\n<!-- skillcheck-ignore-file here, both: they are\n  as they should be -->\n"...)
	for _, opts := range []check.Options{{}, {NoIgnore: true}} {
		c := newChecker(t, &opts)
		c.Add(here)
		c.Add(both)
		report := checkTree(t, c, tree)
		want, reason := 3, "they are as they should be"
		if opts.NoIgnore {
			want = 0
		}
		if report.Ignored != want {
			t.Errorf("%+v: %d findings are taken back, want %d: %v", opts, report.Ignored, want, report.Findings)
		}
		for _, f := range report.Findings {
			if strings.HasPrefix(f.Rule, "ignore-") || f.Ignored != "" && f.Ignored != reason {
				t.Errorf("%v, taken back because %q", f, f.Ignored)
			}
		}
	}
}

// The extent of what is said of a comment is that of its part.
func TestIgnorePlaces(t *testing.T) {
	tree := fstest.MapFS{"a/SKILL.md": good("a")}
	tree["a/SKILL.md"].Data = append(tree["a/SKILL.md"].Data, "\n<!-- skillcheck-ignore bom, unquoted-colom: é -->\n"...)
	var got []string
	for _, f := range checkTree(t, newChecker(t, nil), tree).Findings {
		if strings.HasPrefix(f.Rule, "ignore-") {
			got = append(got, f.String()+" to "+f.End.String())
		}
	}
	want := []string{
		"a/SKILL.md:13:24: info: the comment takes back no finding of bom; remove it (ignore-unused) to 13:27",
		"a/SKILL.md:13:29: warning: no rule \"unquoted-colom\"; is it unquoted-colon? (ignore-unknown-rule) to 13:43",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Of the marks in a frontmatter, each of which costs to parse it once more, only
// the first are looked at.
func TestIgnoreMany(t *testing.T) {
	line := "# skillcheck-ignore here: later\n"
	for n, want := range map[int]int{check.MaxHeadMarks - 1: 0, check.MaxHeadMarks: 1} {
		text := "---\nname: x\ndescription: x\n" + strings.Repeat(line, n) + "# skillcheck-ignore todo: later\n# TODO\n---\nText.\n"
		c := newChecker(t, nil)
		c.Add(todo)
		got := 0
		for _, f := range checkTree(t, c, fstest.MapFS{"x/SKILL.md": {Data: []byte(text)}}).Findings {
			if f.Rule == "todo" && f.Ignored == "" {
				got++
			}
		}
		if got != want {
			t.Errorf("%d marks before: %d findings are left, want %d", n, got, want)
		}
	}
}
