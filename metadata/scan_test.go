package metadata_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/matrix-nexus/skillkit/metadata"
)

var briefTests = []struct {
	name, header string
	want         metadata.Brief
	ok           bool
}{
	{"plain", "name: demo\ndescription: A demo.  \n", metadata.Brief{Name: "demo", Description: "A demo."}, true},
	{"quoted", "name: \"demo\"\ndescription: 'It''s a demo.'\n", metadata.Brief{Name: "demo", Description: "It's a demo."}, true},
	{"escapes", `description: "say \"hi\" to C:\\temp"` + "\n", metadata.Brief{Description: `say "hi" to C:\temp`, MayHaveKey: true}, true},
	{"line break", `description: "a\nb"` + "\n", metadata.Brief{Description: "a\nb", MayHaveKey: true}, true},
	{"other escapes", `description: "a\tb"` + "\n", metadata.Brief{}, false},
	{"folded", "name: demo\ndescription: >-\n  one\n  two\n\n  three\nlicense: MIT\n", metadata.Brief{Name: "demo", Description: "one two\nthree"}, true},
	{"literal", "description: |\n  one\n    two\n\n  three\n", metadata.Brief{Description: "one\n  two\n\nthree"}, true},
	{"folded, deeper", "description: >\n  one\n    two\n", metadata.Brief{}, false},
	{"block with indicator", "description: |2\n  one\n", metadata.Brief{}, false},
	{"continued", "name: demo\ndescription: one\n  two\n    three\n# c\n\nlicense: MIT\n", metadata.Brief{Name: "demo", Description: "one two three"}, true},
	{"continued, with a colon", "name: demo\ndescription: one\n  two: three\n", metadata.Brief{}, false},
	{"continued behind an empty line", "name: demo\ndescription: one\n\n  two\n", metadata.Brief{}, false},
	{"continued behind a comment", "name: demo\ndescription: one\n# c\n  two\n", metadata.Brief{}, false},
	{"null, continued", "name: demo\ndescription: null\n  two\n", metadata.Brief{}, false},
	{"colon", "name: demo\ndescription: one: two\n", metadata.Brief{Name: "demo", Description: "one: two"}, true},
	{"colon at the end", "description: one:\nname: demo\n", metadata.Brief{Name: "demo", Description: "one:"}, true},
	{"colon and comment", "description: one: two # three\n", metadata.Brief{}, false},
	{"colon in name", "name: one: two\n", metadata.Brief{}, false},
	{"reserved start", "name: demo\ndescription: **One** two\n  three\nlicense: MIT\n", metadata.Brief{Name: "demo", Description: "**One** two three"}, true},
	{"at the margin", "description: one\ntwo (three).\n- four: five\nlicense: MIT\n", metadata.Brief{Description: "one two (three). - four: five"}, true},
	{"key with blanks", "description: one\ntwo three: four\n", metadata.Brief{}, false},
	{"prose with a colon", "description: one\ntwo\nNote: three\n", metadata.Brief{}, false},
	{"merge conflict", "description: one\n<<<<<<< HEAD\n", metadata.Brief{}, false},
	{"swallowed body", "description: one\ntwo\n```\n", metadata.Brief{}, false},
	{"irregular fence", "description: one: two\nlicense: |\n  a\n  ---\nname: demo\n", metadata.Brief{}, false},
	{"CRLF", "name: demo\r\ndescription: |\r\n  one\r\n  two\r\n", metadata.Brief{Name: "demo", Description: "one\ntwo"}, true},
	{"lone CR", "name: demo\rdescription: x\n", metadata.Brief{}, false},
	{"comment", "name: demo\ndescription: one # two\n", metadata.Brief{}, false},
	{"hash", "description: C#\n", metadata.Brief{Description: "C#"}, true},
	{"null", "name: demo\ndescription: Null\n", metadata.Brief{}, false},
	{"empty", "name: demo\ndescription:\n", metadata.Brief{}, false},
	{"twice", "name: demo\nname: demo\n", metadata.Brief{}, false},
	{"capital", "Name: demo\n", metadata.Brief{}, false},
	{"neither", "license: MIT\n", metadata.Brief{}, false},
	{"one-line metadata", `name: demo
metadata: {"matrix":{"emoji":"}","requires":{"bins":["a","b"]},"skill_key":"x"}}
description: A demo.
`, metadata.Brief{Name: "demo", Description: "A demo.", MayHaveKey: true}, true},
	{"multi-line metadata", `metadata:
  {
    "openclaw": { "emoji": "x", "requires": { "bins": ["a"], }, },
  }
name: demo
`, metadata.Brief{Name: "demo"}, true},
	{"metadata closed at the margin", "metadata: {\n  \"a\": 1\n}\nname: demo\n", metadata.Brief{Name: "demo"}, true},
	{"block metadata", `name: demo
metadata:
  openclaw:
    requires:
      bins:
        - jq
        - "rg"
    note: >
      name: "not this
    skillKey: x
tags:
- a
- b
description: A demo.
`, metadata.Brief{Name: "demo", Description: "A demo.", MayHaveKey: true}, true},
	{"quote open over a key", "license: \"MIT\nname: demo\"\ndescription: x\n", metadata.Brief{}, false},
	{"nested quote open over a key", "a:\n  b: \"c\nname: demo\"\ndescription: x\n", metadata.Brief{}, false},
	{"nested odd key", "a:\n  b c: \"d\nname: demo\"\ndescription: x\n", metadata.Brief{}, false},
	{"flow open over a key", "a: [b,\nname: demo]\ndescription: x\n", metadata.Brief{}, false},
	{"fault elsewhere", "name: demo\nargument-hint: a: b\n", metadata.Brief{Name: "demo"}, true},
	{"dotted", "metadata.openclaw: {}\nname: demo\n", metadata.Brief{}, false},
	{"anchor", "a: &x y\nname: demo\n", metadata.Brief{}, false},
	{"tab", "name: demo\ndescription: a\tb\n", metadata.Brief{}, false},
	{"line separator", "description: a\u2028b\n", metadata.Brief{}, false},
	{"C1 control", "description: a\u0085b\n", metadata.Brief{}, false},
	{"not UTF-8", "description: a\xe9b\n", metadata.Brief{}, false},
	{"Unicode", "name: 技能\ndescription: 说明 é\n", metadata.Brief{Name: "技能", Description: "说明 é"}, true},
}

func TestScanBrief(t *testing.T) {
	for _, tt := range briefTests {
		t.Run(tt.name, func(t *testing.T) {
			head := []byte("---\n" + tt.header + "---\nBody.\n")
			got, ok := metadata.ScanBrief(head)
			if ok != tt.ok || ok && got != tt.want {
				t.Errorf("ScanBrief = %+v, %v; want %+v, %v", got, ok, tt.want, tt.ok)
			}
			compareBrief(t, head)
		})
	}
}

func TestScanBriefNeedsClosingFence(t *testing.T) {
	for _, head := range []string{"", "---", "---\n", "---\nname: a\n", "---\nname: a\n---", "---\nname: a\n--", "---js\nname: a\n---\n"} {
		if b, ok := metadata.ScanBrief([]byte(head)); ok {
			t.Errorf("ScanBrief(%q) = %+v, true", head, b)
		}
	}
	// The limit, and one byte past it.
	for _, over := range []int{0, 1} {
		const open, end = "---\nname: a\n", "---\n"
		pad := "#" + strings.Repeat("x", metadata.MaxHeader-len(open)-len(end)-2+over) + "\n"
		head := []byte(open + pad + end + "Body")
		if _, ok := metadata.ScanBrief(head); ok != (over == 0) {
			t.Errorf("%d over the limit: ok = %v", over, ok)
		}
		if _, err := metadata.ParseHeader("", head, nil); (err == nil) != (over == 0) {
			t.Errorf("%d over the limit: ParseHeader: %v", over, err)
		}
		compareBrief(t, head)
	}
}

// compareBrief checks that ScanBrief, if it answers, agrees with ParseHeader.
func compareBrief(t *testing.T, head []byte) {
	t.Helper()
	b, ok := metadata.ScanBrief(head)
	if !ok {
		return
	}
	doc, err := metadata.ParseHeader("SKILL.md", head, nil)
	if err != nil {
		t.Fatalf("ScanBrief answers %+v; ParseHeader: %v\n%q", b, err, head)
	}
	if m := doc.Manifest; m.Name != b.Name || m.Description != b.Description {
		t.Fatalf("ScanBrief = %+v; ParseHeader has name %q, description %q\n%q", b, m.Name, m.Description, head)
	}
	if doc.Manifest.SkillKey != "" && !b.MayHaveKey {
		t.Fatalf("skill_key is %q, but MayHaveKey is false\n%q", doc.Manifest.SkillKey, head)
	}
}

func TestScanBriefAllocs(t *testing.T) {
	head := []byte("---\nname: demo\ndescription: >-\n  one\n  two\nmetadata: {\"matrix\":{\"emoji\":\"x\"}}\n---\n")
	if n := testing.AllocsPerRun(100, func() { metadata.ScanBrief(head) }); n > 2 {
		t.Errorf("%v allocations; want at most the 2 strings", n)
	}
}

func FuzzScanBrief(f *testing.F) {
	for _, tt := range briefTests {
		f.Add([]byte("---\n" + tt.header + "---\nBody.\n"))
	}
	files, _ := filepath.Glob("testdata/*.txtar")
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil {
			f.Add(txtar.Parse(data).Files[0].Data)
		}
	}
	f.Fuzz(func(t *testing.T, head []byte) { compareBrief(t, head) })
}

// TestScanBriefAgrees builds headers of lines that may belong together in many
// ways. A scanner that is certain of one of them must be right.
func TestScanBriefAgrees(t *testing.T) {
	lines := []string{
		"name: demo", "name: 'demo'", "name: \"de", "name:", "description: A demo.", "description: >-", "description: |",
		"description: \"one", "description: {a: b}", "description: one: two", "description: 'it''s'", "name: x\"",
		"license: MIT", "license: \"MIT", "license: 'MIT", "tags:", "tags: [a,", "tags: [a, b]", "tags: {", "metadata: {\"matrix\":",
		"metadata:", "note: |", "note: >+", "note: &a b", "note: *a", "note: a # b", "note: a: b",
		"- item", "- a: b", "- \"c", "- |", "- [a", "- - x", "-", "  - item", "  key: value", "  key: \"open", "  key:", "  key: |", "  - key: |",
		"    deeper", "    other: x", "  text", "  text: more", "   {", "  }", "}", "]", "  ]", "\"", "  \"", "'", "{", "  {\"a\": \"b\",", "  \"c\": 1}",
		"  # comment", "# comment", "", "  ", "  a b: \"c", "  a.b: [", "  ? x", "  : y", "name: demo\"", "description: done\"]",
		"description: \"a\\nb\"", "description: null", "  more text", "    - more", "  # more", "  skillKey: x", "  }}", "  'q", "  q'", "x y: z", "---x", "  ---", "Name: y", "  - }", "a: b}", "a: \"b\" c", "a: {b: \"c\nd: e\"}",
		"description: **One** two", "description: `one`", "description: *one", "description: @one: two", "description: one:", "description: one: two # three",
		"text at the margin", "- 第一步：读取", "1. two", "**Note**: three", "Note: three", "note：three", "note:\u00a0three", "<<<<<<< HEAD", "=======", "# heading", "```", "  ```",
		"text:more", "text: ", "text :", "(x): y", "\u00a0text", "  \u3000text", "name：demo", "name: demo\r", "description: one: two\r", "\r", "text\r\r",
	}
	const rounds = 50_000
	rng := rand.New(rand.NewPCG(1, 2))
	answered := 0
	for range rounds {
		var b strings.Builder
		b.WriteString("---\n")
		if rng.IntN(2) == 0 {
			b.WriteString(lines[rng.IntN(6)] + "\n")
		}
		for range 1 + rng.IntN(6) {
			b.WriteString(lines[rng.IntN(len(lines))] + "\n")
		}
		b.WriteString("---\nBody.\n")
		head := []byte(b.String())
		if _, ok := metadata.ScanBrief(head); ok {
			answered++
			compareBrief(t, head)
		}
	}
	if answered < 1_500 {
		t.Errorf("only %d headers were answered", answered)
	}
}
