package metadata_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/metadata"
)

// apply returns data after the edits of the first problem of that code, or ""
// if there are none.
func apply(t *testing.T, data, code string) string {
	t.Helper()
	doc, err := metadata.Parse("demo/SKILL.md", []byte(data), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range doc.Problems {
		if p.Code != code {
			continue
		}
		edits := doc.Edits([]byte(data), p)
		if edits == nil {
			return ""
		}
		var b strings.Builder
		at := 0
		for _, e := range edits {
			b.WriteString(data[at:e.Start] + e.New) // panics if they are not in order
			at = e.End
		}
		return b.String() + data[at:]
	}
	t.Fatalf("no %s in %v", code, doc.Problems)
	return ""
}

func TestEdits(t *testing.T) {
	const head, tail = "---\nname: demo\ndescription: A demo.\n", "---\nBody.\n"
	for _, tt := range []struct {
		name, code string
		in, want   string // what stands between head and tail
	}{
		{"name", "unquoted-colon", "license: MIT: yes\n", "license: \"MIT: yes\"\n"},
		{"both quotes", "unquoted-colon", "license: it's: \"x\" \\n\n", "license: 'it''s: \"x\" \\n'\n"},
		{"no-break space", "unquoted-colon", "license: a:\u00a0b: c\n", "license: \"a:\\u00a0b: c\"\n"},
		{"several lines", "unquoted-colon", "license: a: b\n  c\n\n  d\nversion: 1\n", "license: \"a: b c\\nd\"\nversion: 1\n"},
		{"in a list", "unquoted-colon", "x:\n  - a: b: c # d\n  - e\n", "x:\n  - a: \"b: c # d\"\n  - e\n"},
		{"quoted key", "unquoted-colon", "\"license\":  a: b\n", "\"license\":  \"a: b\"\n"},
		{"one quote", "bad-quotes", "license: \"a b\n", "license: \"a b\"\n"},
		{"bad escape", "bad-quotes", "license: \"a\\d \\\"b\\\"\"\n", "license: 'a\\d \"b\"'\n"},
		{"anchor", "reserved-character", "license: &a b\n", "license: \"&a b\"\n"},
		{"tag", "reserved-character", "license: !important b # c\n", "license: \"!important b # c\"\n"},
		{"no-break space behind the colon", "odd-colon", "license:\u00a0MIT\n", "license: MIT\n"},
		{"full-width colon and a blank", "odd-colon", "license\uff1a MIT\n", "license: MIT\n"},
		{"text behind metadata", "text-after-flow", "metadata: {\"matrix\":{}} x\n", ""},
		{"one comment", "metadata-not-strict-json", "metadata: '{/* a */\"matrix\":{\"os\":[\"linux\",]}}'\n", "metadata: '{\"matrix\":{\"os\":[\"linux\"]}}'\n"},
		{"in double quotes", "metadata-not-strict-json", "metadata: \"{matrix: {}}\"\n", ""},
		{"Markdown", "metadata-not-yaml", "metadata: {\"matrix\": {\"os\":\\[\"linux\"\\], \"x\": \"\\ud83d\\udd2c\"}}\n", "metadata: {\"matrix\": {\"os\":[\"linux\"], \"x\": \"🔬\"}}\n"},
		{"bare key and \\'", "metadata-not-yaml", "metadata: {a: {b: 'it\\'s'}, c: \"\\ud83d\\udd2c\"}\n", "metadata: {\"a\": {\"b\": \"it's\"}, \"c\": \"🔬\"}\n"},
		{"half a pair", "metadata-not-yaml", "metadata: {\"a\": \"\\ud83d \\ud83d\\udd2c\"}\n", "metadata: {\"a\": \"\\ud83d 🔬\"}\n"},
		{"capitals", "key-spelling", "License: MIT\n", "license: MIT\n"},
		{"in quotes", "key-spelling", "'Allowed_Tools': Read\n", "'allowed-tools': Read\n"},
		{"under requires", "key-spelling", "metadata: {\"matrix\":{\"requires\":{\"optionalPip\":[\"x\"]}}}\n", "metadata: {\"matrix\":{\"requires\":{\"optional_python_packages\":[\"x\"]}}}\n"},
		{"name for macos", "os-alias", "metadata: {\"matrix\":{\"os\":[\"Darwin\"]}}\n", "metadata: {\"matrix\":{\"os\":[\"macos\"]}}\n"},
		{"OpenClaw's own", "os-alias", "metadata: {\"openclaw\":{\"os\":[\"darwin\"]}}\n", ""},
		{"OpenClaw's own", "key-spelling", "metadata: {\"clawdis\":{\"requires\":{\"pip\":[\"x\"]}}}\n", ""},
		{"any", "os-alias", "metadata: {\"matrix\":{\"os\":[\"any\"]}}\n", ""},
		{"a version", "os-alias", "metadata: {\"matrix\":{\"os\":[\"Windows 10\"]}}\n", ""},
		{"two in one text", "os-alias", "metadata: {\"matrix\":{\"os\":\"mac, linux\"}}\n", ""},
		{"JSON in quotes", "os-alias", "metadata: '{\"matrix\":{\"os\":[\"mac\"]}}'\n", "metadata: '{\"matrix\":{\"os\":[\"macos\"]}}'\n"},
		{"true", "string-bool", "user-invocable: 'True' # c\n", "user-invocable: true # c\n"},
		{"no quotes", "string-bool", "user-invocable: no\n", "user-invocable: false\n"},
		{"block", "string-bool", "user-invocable: |\n  no\n", ""},
		{"old name", "legacy-vendor-key", "metadata: {\"clawdbot\":{\"os\":[\"linux\"]}}\n", "metadata: {\"openclaw\":{\"os\":[\"linux\"]}}\n"},
		{"two old names", "legacy-vendor-key", "metadata: {\"clawdbot\":{},\"clawdis\":{}}\n", ""},
		{"another's name", "legacy-vendor-key", "metadata: {\"hermes\":{}}\n", ""},
		{"at the top", "legacy-vendor-key", "clawdbot: {\"os\":[\"linux\"]}\n", ""},
		{"a description is missing", "duplicate-key", "license: MIT\nlicense: MIT\n", ""},
	} {
		t.Run(tt.code+" "+tt.name, func(t *testing.T) {
			want := head + tt.want + tail
			if tt.want == "" {
				want = ""
			}
			if diff := cmp.Diff(want, apply(t, head+tt.in+tail, tt.code)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestEditsOfFile(t *testing.T) {
	const head = "name: demo\ndescription: A demo.\n"
	for _, tt := range []struct{ name, code, in, want string }{
		{"mark", "bom", "\ufeff---\n" + head + "---\n", "---\n" + head + "---\n"},
		{"line ends", "crlf", "---\r\n" + head + "---\rA\r\n\rB", "---\n" + head + "---\nA\n\nB"},
		{"blank lines", "irregular-fence", "\ufeff\n \n  ---\n" + head + "---\n", "\ufeff---\n" + head + "---\n"},
		{"indented end", "irregular-fence", "---\n" + head + "\u00a0 ---\nBody.", "---\n" + head + "---\nBody."},
		{"glued end", "irregular-fence", "---\n" + head + "---# A\nBody.", "---\n" + head + "---\n# A\nBody."},
		{"text first", "irregular-fence", "A\n\n---\n" + head + "---\nBody.", "---\n" + head + "---\nA\n\nBody."},
		{"text first, nothing below", "irregular-fence", "A\n---\n" + head + "---", "---\n" + head + "---\nA\n"},
		{"wrapper", "irregular-fence", "~~~md\n\n---\n" + head + "---\nBody.\n~~~\n\n", "---\n" + head + "---\nBody.\n\n\n"},
		{"wrapper that is not closed", "irregular-fence", "```\n---\n" + head + "---\n```sh\nmake\n```\n", ""},
		{"wrapper that is closed earlier", "irregular-fence", "```\n---\n" + head + "---\n```\nmore\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, apply(t, tt.in, tt.code)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Edits of another text than the one that was parsed are of no use, and no
// reason to panic.
func TestEditsOfOtherText(t *testing.T) {
	for _, tt := range caseTests {
		doc, err := metadata.Parse("demo/SKILL.md", []byte(tt.text), nil)
		if err != nil {
			continue
		}
		for _, p := range doc.Problems {
			for _, other := range []string{"", "-", "```", tt.text[:len(tt.text)/2], "---\n---\n"} {
				doc.Edits([]byte(other), p)
			}
		}
	}
}
