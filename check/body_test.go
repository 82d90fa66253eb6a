package check

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/text"

	"github.com/matrix-nexus/skillkit/metadata"
)

const front = "---\nname: x\ndescription: y\n---\n"

// bodyOf parses the body of a SKILL.md.
func bodyOf(t testing.TB, data string) (*Folder, *Body) {
	t.Helper()
	f := read(t.Context(), Target{Name: "x", Manifest: "SKILL.md", FS: fstest.MapFS{}, Text: []byte(data)})
	return f, f.Body()
}

// describe returns b in lines, links with their destinations as the file has them.
func describe(f *Folder, b *Body) string {
	var s strings.Builder
	for _, h := range b.Headings {
		fmt.Fprintf(&s, "h%d %s %q\n", h.Level, h.Pos, h.Text)
	}
	for _, l := range b.Links {
		kind := "link"
		if l.Image {
			kind = "image"
		}
		fmt.Fprintf(&s, "%s %s %q -> %q at %s %q\n", kind, l.Pos, l.Text, l.Dest, f.Position(l.Start), f.Data[l.Start:l.End])
	}
	for _, c := range b.Fences {
		fmt.Fprintf(&s, "fence %s %q line %d closed %v: %q\n", c.Pos, c.Lang, c.Line, c.Closed, c.Text)
	}
	for _, c := range b.Codes {
		fmt.Fprintf(&s, "code %s %q\n", c.Pos, c.Text)
	}
	for _, c := range b.Comments {
		fmt.Fprintf(&s, "comment %s %q\n", c.Pos, c.Text)
	}
	if b.Intro != "" {
		fmt.Fprintf(&s, "intro %s %q\n", b.IntroPos, b.Intro)
	}
	return s.String()
}

func TestBody(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"empty", "", ""},
		{
			"headings", "# One #\n\n##   **Two** `x`\n\nThree\n=====\n\n#\n#no\n",
			`h1 5:1 "One"
h2 7:1 "Two x"
h1 9:1 "Three"
h1 12:1 ""
code 7:15 "x"
intro 13:1 "#no"
`,
		},
		{
			"links", "a [b](c/d.md#e \"t\") ![i](<p q.png>) [z](\\*a.md) [y](a&amp;b.md)\n[](x.md) [e]()\n",
			`link 5:3 "b" -> "c/d.md#e" at 5:7 "c/d.md#e"
image 5:21 "i" -> "p q.png" at 5:27 "p q.png"
link 5:37 "z" -> "*a.md" at 5:41 "\\*a.md"
link 5:49 "y" -> "a&b.md" at 5:53 "a&amp;b.md"
link 6:1 "" -> "x.md" at 6:4 "x.md"
link 6:10 "e" -> "" at 1:1 ""
intro 5:1 "a b i z y  e"
`,
		},
		{
			"references", "See [a][r], [r], ![r][] and [none].\n\n  [r]: <docs/r.md> 'T'\n[s]:\n  s.md\n",
			`link 7:3 "r" -> "docs/r.md" at 7:9 "docs/r.md"
link 8:1 "s" -> "s.md" at 9:3 "s.md"
intro 5:1 "See a, r, r and [none]."
`,
		},
		{
			"columns are code points", "äöü [ü](ö.md) `é`\n",
			`link 5:5 "ü" -> "ö.md" at 5:9 "ö.md"
code 5:16 "é"
intro 5:1 "äöü ü é"
`,
		},
		{
			"no links in code", "`[a](b)` ``x ` y``\n\n    [c](d)\n\n<!-- [e](f) -->\n\n<div>\n[g](h)\n</div>\n\n<http://x.y/[i](j)>\n",
			"fence 7:5 \"\" line 7 closed true: \"[c](d)\\n\"\n" +
				"code 5:2 \"[a](b)\"\ncode 5:12 \"x ` y\"\n" +
				"comment 9:5 \" [e](f) \"\n" +
				"intro 5:1 \"[a](b) x ` y\"\n",
		},
		{
			"B50 fences", "~~~\n[a](b)\n```\n~~~\n````MD x\n# no\n```\n````\n- l\n\n  ```go\n  x\n    y\n  ```\n> ```\n> q\n> ```\n   ```sh\n   z\n   ```\n```open\n[c](d)",
			`fence 5:1 "" line 6 closed true: "[a](b)\n` + "```" + `\n"
fence 9:1 "md" line 10 closed true: "# no\n` + "```" + `\n"
fence 15:3 "go" line 16 closed true: "x\n  y\n"
fence 19:3 "" line 20 closed true: "q\n"
fence 22:4 "sh" line 23 closed true: "z\n"
fence 25:1 "open" line 26 closed false: "[c](d)"
`,
		},
		{
			"case 13 a rule in the body", "a\n\n---\n\nb [c](d)\n",
			"link 9:3 \"c\" -> \"d\" at 9:7 \"d\"\nintro 5:1 \"a\"\n",
		},
		{
			"case 14 another frontmatter in a fence", "```yaml\n---\nname: other\n---\n```\n",
			"fence 5:1 \"yaml\" line 6 closed true: \"---\\nname: other\\n---\\n\"\n",
		},
		{
			"case 19 tabs", "K\tV\n\n\tx\ty\n\n-\t```make\n\tall:\n\t\tgo\n\t```\n",
			"fence 7:2 \"\" line 7 closed true: \"x\\ty\\n\"\n" +
				"fence 9:3 \"make\" line 10 closed true: \"all:\\n\\tgo\\n\"\n" +
				"intro 5:1 \"K\\tV\"\n",
		},
		{
			"table", "| a | b |\n|---|---|\n| ` | [x](y.md) |\n| `c\\|d` | ` |\n",
			"link 7:7 \"x\" -> \"y.md\" at 7:11 \"y.md\"\ncode 8:4 \"c|d\"\n",
		},
		{
			"comments", "a <!-- b --> c <!-- [d](e)\nf --> g\n\n<!--\n# h\n-->\n\n> <!-- i -->\n\n<!-- open\n",
			`comment 5:7 " b "
comment 5:20 " [d](e)\nf "
comment 8:5 "\n# h\n"
comment 12:7 " i "
comment 14:5 " open\n"
intro 5:1 "a  c  g"
`,
		},
		{"list is no intro", "- a\n\n  b\n\n> c\n\nd\n", "intro 11:1 \"d\"\n"},
		{"empty fences", "```\n```\n\n```", "fence 5:1 \"\" line 6 closed true: \"\"\nfence 8:1 \"\" line 9 closed false: \"\"\n"},
		{"fence ended by its list", "- ```\n  a\n\ntext\n", "fence 5:3 \"\" line 6 closed true: \"a\\n\\n\"\nintro 8:1 \"text\"\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, b := bodyOf(t, front+tt.body)
			if diff := cmp.Diff(tt.want, describe(f, b)); diff != "" {
				t.Errorf("body of %q (-want +got):\n%s", tt.body, diff)
			}
			// With other line ends all is in the same place.
			for _, end := range []string{"\r\n", "\r"} {
				f, b := bodyOf(t, strings.ReplaceAll(front+tt.body, "\n", end))
				got := strings.ReplaceAll(describe(f, b), `\r\n`, `\n`)
				if end == "\r" {
					got = strings.ReplaceAll(got, `\r`, `\n`)
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("with line ends %q (-want +got):\n%s", end, diff)
				}
			}
		})
	}
}

// The wrapper of a file in a code fence ends in the body.
func TestBodyWrapper(t *testing.T) {
	f, b := bodyOf(t, "```markdown\n"+front+"```sh\nls\n```\n```\n")
	if diff := cmp.Diff("fence 6:1 \"sh\" line 7 closed true: \"ls\\n\"\n", describe(f, b)); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
}

// A file without frontmatter is Markdown too, one that is too large is not read.
func TestBodyWithoutDocument(t *testing.T) {
	if _, b := bodyOf(t, "\ufeff# T\n"); len(b.Headings) != 1 || b.Headings[0].Pos != (metadata.Position{Line: 1, Column: 1}) {
		t.Errorf("headings = %v", b.Headings)
	}
	if _, b := bodyOf(t, "# T\n"+strings.Repeat("x", metadata.MaxFile)); len(b.Headings) != 0 {
		t.Errorf("headings of a file that is too large = %v", b.Headings)
	}
}

func TestFenceOffset(t *testing.T) {
	f, b := bodyOf(t, front+"- ```\n  ab\n    cd\n\n  e\n  ```\n\n```\nxy\nz\n```\n")
	for _, fence := range b.Fences {
		for i, c := range []byte(fence.Text) {
			if at := fence.Offset(i); f.Data[at] != c && c != ' ' {
				t.Errorf("Offset(%d) of %q holds %q, want %q", i, fence.Text, f.Data[at], c)
			}
		}
	}
}

// One parser serves all goroutines.
func TestBodyConcurrently(t *testing.T) {
	text := front + strings.Repeat("# H\n\n| a | `b\\|c` |\n|---|---|\n| [d](e) | f |\n\n<!-- g -->\n\n", 20)
	f, b := bodyOf(t, text)
	want := describe(f, b)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			f, b := bodyOf(t, text)
			if got := describe(f, b); got != want {
				t.Error("another result from another goroutine")
			}
		})
	}
	wg.Wait()
}

// Rules panic on no text, and point into it.
func FuzzBodyRules(f *testing.F) {
	for _, s := range []string{
		"[a](docs\\A.md) `scripts\\x.py` {baseDir}/../y !`z`", "C:\\Users\\kim\\x /home/kim/y", "```a\n```b\n```\n```", "[a](file:///x) [b](%2e%2e/c) [d](Docs/a.md)",
		"## a\n\n- b\n", "\u90e8\u7f72",
	} {
		f.Add(s)
	}
	files := fstest.MapFS{"docs/a.md": {}, "scripts/x.py": {Data: []byte("import a")}, "data/a.csv": {}}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 4<<10 {
			t.Skip()
		}
		folder := read(t.Context(), Target{Name: "x", Manifest: "SKILL.md", FS: files, Text: []byte(front + s)})
		if folder.Doc == nil {
			return
		}
		var found []Finding
		for _, r := range slices.Concat(referenceRules, bodyRules, adviceRules) {
			r.Run(&Pass{Folder: folder, Rule: r, Options: &Options{}, checker: &Checker{}, found: &found})
		}
		for _, g := range found {
			if g.File == folder.File && (!g.IsValid() || g.End.Compare(g.Position) < 0 || folder.Position(folder.Offset(g.Position)) != g.Position) {
				t.Errorf("%s to %s: %s", g.Position, g.End, g)
			}
			if g.Fix == nil {
				continue
			}
			at := 0
			for _, e := range g.Fix.Edits {
				if e.Start < at || e.End < e.Start || e.End > len(folder.Data) {
					t.Errorf("edit %+v of %s", e, g)
				}
				at = e.End
			}
		}
	})
}

func FuzzBody(f *testing.F) {
	for _, s := range []string{
		"# a\n[b](<c d> 'e')\n[f]: g\n", "~~~\n`a`\n", "> - ```\n>   a\n\tb\n", "|a|\n|-|\n|`b\\|c`|\n",
		"<!-- a\n--> <b c='d'>", "![[a](b)](c&amp;\\*)\r\n=\r", "1. a\n\t\t b\n\n\t[c]:\n\td\n", "[a](\n\tb)", "\t\t```\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 16<<10 {
			t.Skip()
		}
		f, b := bodyOf(t, front+s)
		size := len(f.Data)
		for _, l := range b.Links {
			if l.Start > l.End || l.End > size || !l.Pos.IsValid() {
				t.Errorf("link %+v outside of %d bytes", l, size)
			}
			if d := string(f.Data[l.Start:l.End]); l.Start < l.End && !strings.ContainsAny(d, "\\&\r\x00") && d != l.Dest {
				t.Errorf("destination %q at %q", l.Dest, d)
			}
			if l.Start == l.End && l.Dest != "" {
				t.Errorf("the place of %q is not known", l.Dest)
			}
		}
		for _, c := range append(b.Codes, b.Comments...) {
			if c.Start+len(c.Text) > size || !c.Pos.IsValid() {
				t.Errorf("span %+v outside of %d bytes", c, size)
			}
		}
		for _, c := range b.Fences {
			if c.Line < c.Pos.Line || c.Offset(len(c.Text)) > size || c.Offset(0) != c.Start && len(c.lines) == 0 {
				t.Errorf("fence %+v outside of %d bytes", c, size)
			}
			if !c.Indented && f.Data[f.Offset(c.Pos)] != '`' && f.Data[f.Offset(c.Pos)] != '~' {
				t.Errorf("fence %+v starts with %q", c, f.Data[f.Offset(c.Pos)])
			}
		}
	})
}

// BenchmarkBody compares parseBody with what goldmark takes by default, without
// and with the skills that testdata/openclaw/fetch gets.
func BenchmarkBody(b *testing.B) {
	texts := [][]byte{[]byte(front + strings.Repeat("## Heading\n\nSome *text* with `code`, a [link](references/a.md) and **more** of it.\n\n- an item\n- another\n\n```sh\nls -l | wc\n```\n\n", 40))}
	names, _ := filepath.Glob("../cache/openclaw/skills/*/SKILL.md")
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		texts = append(texts, data)
	}
	size := int64(len(bytes.Join(texts, nil)))
	b.Run("goldmark", func(b *testing.B) {
		b.SetBytes(size)
		p := goldmark.DefaultParser()
		for b.Loop() {
			for _, data := range texts {
				p.Parse(text.NewReader(data))
			}
		}
	})
	b.Run("parseBody", func(b *testing.B) {
		b.SetBytes(size)
		folders := make([]*Folder, len(texts))
		for i, data := range texts {
			folders[i], _ = bodyOf(b, string(data))
		}
		for b.Loop() {
			for _, f := range folders {
				f.lines = nil
				parseBody(f)
			}
		}
	})
}
