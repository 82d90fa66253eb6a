package metadata_test

import (
	"cmp"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/metadata"
)

// A caseTest is a row of the lists of cases ("case 26") or of the faults that
// users report ("B13") that concerns one small file. Longer ones are in
// testdata.
type caseTest struct {
	name string
	file string // "demo/SKILL.md" if empty
	text string
	want string // as printed by describe
}

// caseTests are about the text and the standard fields, fieldTests about
// allowed-tools and metadata.
var caseTests = []caseTest{
	{"case 1 plain", "", "---\nname: demo\ndescription: A demo.\n---\nBody.\n",
		`name: "demo"
description: "A demo."
body: line 5, "Body.\n"
`},
	{"case 2 CRLF", "", "---\r\nname: demo\r\ndescription: A demo.\r\n---\r\nBody.\r\n",
		`name: "demo"
description: "A demo."
body: line 5, "Body.\r\n"
info crlf: demo/SKILL.md:1:1: lines end with a carriage return; use LF line ends
`},
	{"case 4, B03 byte order mark", "", "\ufeff---\nname: demo\ndescription: A demo.\n---\nBody.\n",
		`name: "demo"
description: "A demo."
body: line 5, "Body.\n"
info bom: demo/SKILL.md:1:1: the file starts with a byte order mark; remove it
`},
	{"B03 only one byte order mark is removed", "", "\ufeff\ufeff---\nname: demo\ndescription: A demo.\n---\n",
		`error: demo/SKILL.md:1:1: no frontmatter; the file must start with a line ---
`},
	{"B03 inner U+FEFF stays", "", "---\nname: demo\ndescription: a\ufeffb\n---\n",
		`name: "demo"
description: "a\ufeffb"
body: line 5, ""
`},
	{"case 5 blank lines before the fence", "", "\n  \n---\nname: demo\ndescription: A demo.\n---\nBody.\n",
		`name: "demo"
description: "A demo."
body: line 7, "Body.\n"
warning irregular-fence: demo/SKILL.md:3:1: blank lines before the opening ---; remove them
`},
	{"case 7 closing fence ends the file", "", "---\nname: demo\ndescription: A demo.\n---",
		`name: "demo"
description: "A demo."
body: line 5, ""
`},
	{"case 8 empty frontmatter", "", "---\n---\nBody",
		`name: "demo"
body: line 3, "Body"
error description-missing: demo/SKILL.md:1:1: no description; without one a model is not offered this skill
info name-missing: demo/SKILL.md:1:1: no name; that of the folder is used, "demo"
`},
	{"case 10 no frontmatter", "", "# Title\n\nText.\n",
		`error: demo/SKILL.md:1:1: no frontmatter; the file must start with a line ---
`},
	{"case 11 never closed", "", "---\nname: demo\ndescription: A demo.\n\nBody.\n",
		`error: demo/SKILL.md:1:1: the frontmatter that opens here is never closed; no line --- follows
`},
	{"case 13 rule in the body", "", "---\nname: demo\ndescription: A demo.\n---\nOne.\n\n---\n\nTwo.\n",
		`name: "demo"
description: "A demo."
body: line 5, "One.\n\n---\n\nTwo.\n"
`},
	{"case 14 frontmatter in a code block", "", "---\nname: demo\ndescription: A demo.\n---\n~~~\n---\nname: other\n---\n~~~\n",
		`name: "demo"
description: "A demo."
body: line 5, "~~~\n---\nname: other\n---\n~~~\n"
`},
	{"case 16 dashes in a block scalar", "", "---\nname: demo\ndescription: |\n  One.\n  --- not a fence\n  ---\n  Two.\n---\n",
		`name: "demo"
description: "One.\n--- not a fence\n---\nTwo."
body: line 9, ""
`},
	{"case 19 tabs in the body", "", "---\nname: demo\ndescription: A demo.\n---\nKEY\tVALUE\n\tmake\n",
		`name: "demo"
description: "A demo."
body: line 5, "KEY\tVALUE\n\tmake\n"
`},
	{"case 20, B07 invalid UTF-8", "", "---\nname: demo\ndescription: d\xe9mo\n---\n",
		`error: demo/SKILL.md:3:15: invalid UTF-8 at byte offset 29; save the file as UTF-8
`},
	{"B07 invalid UTF-8 in the body", "", "---\nname: demo\ndescription: A demo.\n---\nBody.\n\xff\n",
		`error: demo/SKILL.md:6:1: invalid UTF-8 at byte offset 46; save the file as UTF-8
`},
	{"B07 UTF-16", "", "\xff\xfe-\x00-\x00-\x00\n\x00",
		`error: demo/SKILL.md:1:1: UTF-16 text at byte offset 0; save the file as UTF-8
`},
	{"B07 NUL", "", "---\nname: demo\ndescription: A demo.\n---\nbody\x00\n",
		`error: demo/SKILL.md:5:5: a NUL byte at byte offset 44; save the file as UTF-8
`},
	{"B07 em dash", "", "---\nname: demo\ndescription: a — b\n---\n",
		`name: "demo"
description: "a — b"
body: line 5, ""
`},
	{"case 22 empty file", "", "",
		`error: demo/SKILL.md:1:1: the file is empty; it must start with a line --- and say name and description
`},
	{"case 22 blank file", "", "\n \n\t\n",
		`error: demo/SKILL.md:1:1: the file is empty; it must start with a line --- and say name and description
`},
	{"case 23 language-tagged fence", "", "---js\nname: demo\n---\n",
		`error: demo/SKILL.md:1:1: the opening line is not exactly ---
`},
	{"case 25 quotes", "", "---\nname: \"demo\"\ndescription: 'x'\n---\n",
		`name: "demo"
description: "x"
body: line 5, ""
`},
	{"case 29, B02 folded", "", "---\nname: demo\ndescription: >\n  line one\n  line two\n---\n",
		`name: "demo"
description: "line one line two"
body: line 7, ""
`},
	{"case 31, B02 folded with a blank line", "", "---\nname: demo\ndescription: >-\n  Hello\n  world.\n\n  Next paragraph.\n---\n",
		`name: "demo"
description: "Hello world.\nNext paragraph."
body: line 9, ""
`},
	{"B02 literal", "", "---\nname: demo\ndescription: |-\n  line one\n  line two\n---\n",
		`name: "demo"
description: "line one\nline two"
body: line 7, ""
`},
	{"B02 folded, kept", "", "---\nname: demo\ndescription: >+\n  line one\n\n---\n",
		`name: "demo"
description: "line one"
body: line 7, ""
`},
	{"case 34 nested name", "", "---\nname: demo\ndescription: A demo.\nmetadata:\n  name: other\n  description: other\n---\n",
		`name: "demo"
description: "A demo."
vendor extra: {"description":"other","name":"other"}
body: line 8, ""
`},
	{"case 37 list", "", "---\n- just\n- a\n- list\n---\n",
		`error: demo/SKILL.md:2:1: the frontmatter must be a mapping, lines of the form "key: value"
`},
	{"case 37 scalar", "", "---\njust text\n---\n",
		`error: demo/SKILL.md:2:1: the frontmatter must be a mapping, lines of the form "key: value"
`},
	{"case 41 unknown keys", "", "---\nname: demo\ndescription: A demo.\nversion: 1.10\nauthor: me\ntitle: Demo\ntags: [a, 1, 2.50, 0x1f, 2026-01-02, true, null]\nhomepage: https://example.com\n---\n",
		`name: "demo"
description: "A demo."
version: "1.10"
author: "me"
homepage: "https://example.com"
extra: {"tags":["a",1,2.50,"0x1f","2026-01-02",true,null],"title":"Demo"}
body: line 10, ""
`},
	{"case 43 comments", "", "---\n# c\nname: demo # c\n  # c\ndescription: A demo.\n---\n",
		`name: "demo"
description: "A demo."
body: line 7, ""
`},
	{"case 44 null description", "", "---\nname: demo\ndescription:\n---\n",
		`name: "demo"
body: line 5, ""
error description-missing: demo/SKILL.md:3:1: no description; without one a model is not offered this skill
`},
	{"case 44 blank description", "", "---\nname: demo\ndescription: \"  \"\n---\n",
		`name: "demo"
body: line 5, ""
error description-missing: demo/SKILL.md:3:1: no description; without one a model is not offered this skill
`},
	{"case 46 odd keys", "", "---\nname: demo\ndescription: A demo.\n\"na me\": x\n\"na:me\": y\n\"\": z\n---\n",
		`name: "demo"
description: "A demo."
extra: {"":"z","na me":"x","na:me":"y"}
body: line 8, ""
`},
	{"case 47 no name", "skills/demo/SKILL.md", "---\ndescription: A demo.\n---\n",
		`name: "demo"
description: "A demo."
body: line 4, ""
info name-missing: skills/demo/SKILL.md:1:1: no name; that of the folder is used, "demo"
`},
	{"case 47 no name and no folder", "SKILL.md", "---\ndescription: A demo.\n---\n",
		`description: "A demo."
body: line 4, ""
warning name-missing: SKILL.md:1:1: no name, and no folder to take it from
`},
	{"case 49 hyphens", "a--b/SKILL.md", "---\nname: -a--b-\ndescription: A demo.\n---\n",
		`name: "-a--b-"
description: "A demo."
body: line 5, ""
warning name-directory-mismatch: a--b/SKILL.md:2:7: name "-a--b-" differs from the folder's, "a--b"; rename one of them
`},
	{"case 50 slash", "x/SKILL.md", "---\nname: with/slash and blank_\ndescription: A demo.\n---\n",
		`name: "with/slash and blank_"
description: "A demo."
body: line 5, ""
warning name-directory-mismatch: x/SKILL.md:2:7: name "with/slash and blank_" differs from the folder's, "x"; rename one of them
`},
	{"case 52 Unicode", "技能/SKILL.md", "---\nname: 技能\ndescription: A demo.\n---\n",
		`name: "技能"
description: "A demo."
body: line 5, ""
`},
	{"case 52 Cyrillic", "мой-навык/SKILL.md", "---\nname: мой-навык\ndescription: A demo.\n---\n",
		`name: "мой-навык"
description: "A demo."
body: line 5, ""
`},
	{"case 53 upper case", "НАВЫК/SKILL.md", "---\nname: НАВЫК\ndescription: A demo.\n---\n",
		`name: "НАВЫК"
description: "A demo."
body: line 5, ""
`},
	{"case 55 digits", "42/SKILL.md", "---\nname: 42\ndescription: A demo.\n---\n",
		`name: "42"
description: "A demo."
body: line 5, ""
`},
	{"case 55 hexadecimal look", "0x-swap/SKILL.md", "---\nname: 0x-swap\ndescription: A demo.\n---\n",
		`name: "0x-swap"
description: "A demo."
body: line 5, ""
`},
	{"case 55 hexadecimal", "0x1F/SKILL.md", "---\nname: 0x1F\ndescription: 1_000\n---\n",
		`name: "0x1F"
description: "1_000"
body: line 5, ""
`},
	{"case 56 other folder", "", "---\nname: other\ndescription: A demo.\n---\n",
		`name: "other"
description: "A demo."
body: line 5, ""
warning name-directory-mismatch: demo/SKILL.md:2:7: name "other" differs from the folder's, "demo"; rename one of them
`},
	{"B42 NFC and NFD", "café/SKILL.md", "---\nname: café\ndescription: A demo.\n---\n",
		`name: "café"
description: "A demo."
body: line 5, ""
`},
	{"B13 dashes in values", "", "---\nname: demo\ndescription: a --- b\nlicense: \"x\n  ----\n  y\"\n--- \nBody.\n",
		`name: "demo"
description: "a --- b"
license: "x ---- y"
body: line 8, "Body.\n"
`},
	{"B13 blanks behind the fences", "", "--- \t\nname: demo\ndescription: A demo.\n---\u00a0 \nBody.\n",
		`name: "demo"
description: "A demo."
body: line 5, "Body.\n"
`},
	{"B17 mixed line ends", "", "---\r\nname: demo\ndescription: A\r\n  demo.\r\nmetadata: {\"matrix\":{\"os\":[\"x\"]}}\r\n---\nBody.\r\n",
		`name: "demo"
description: "A demo."
vendor: "matrix"
os: ["x"]
body: line 7, "Body.\r\n"
info crlf: demo/SKILL.md:1:1: lines end with a carriage return; use LF line ends
warning unknown-os: demo/SKILL.md:5:28: os "x" is not known; want macos, linux or windows
`},
	{"B07 offset behind a byte order mark", "", "\ufeff---\nname: demo\ndescription: A demo.\n---\n\xff",
		`error: demo/SKILL.md:5:1: invalid UTF-8 at byte offset 43; save the file as UTF-8
`},
	{"case 32 number sign in a name", "", "---\nname: demo #1\ndescription: A demo.\n---\n",
		`name: "demo"
description: "A demo."
body: line 5, ""
warning value-cut: demo/SKILL.md:2:7: " #" starts a comment, which is not part of name; quote the value if it should be
`},
	{"B17 lone CR", "", "---\rname: demo\rdescription: A demo.\r---\rBody.\r",
		`name: "demo"
description: "A demo."
body: line 5, "Body.\r"
info crlf: demo/SKILL.md:1:1: lines end with a carriage return; use LF line ends
`},
}

func TestCases(t *testing.T) {
	for _, tt := range slices.Concat(caseTests, fieldTests) {
		t.Run(tt.name, func(t *testing.T) {
			file := cmp.Or(tt.file, "demo/SKILL.md")
			got := describe(metadata.Parse(file, []byte(tt.text), nil))
			if diff := gocmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Parse(%q) (-want +got):\n%s", tt.text, diff)
			}
			// The header alone reads the same, whatever the body is.
			doc, err := metadata.Parse(file, []byte(tt.text), nil)
			if err != nil {
				return
			}
			head, err := metadata.ParseHeader(file, []byte(tt.text), nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(doc.Manifest, head.Manifest); diff != "" || head.Body != nil {
				t.Errorf("ParseHeader (-Parse +ParseHeader):\n%s", diff)
			}
			compareBrief(t, []byte(tt.text))
		})
	}
}
