package metadata_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/matrix-nexus/skillkit/metadata"
)

const minimal = "---\nname: demo\ndescription: A demo.\n---\n"

func TestMaxFile(t *testing.T) {
	data := []byte(minimal + strings.Repeat("x", metadata.MaxFile-len(minimal)))
	if _, err := metadata.Parse("demo/SKILL.md", data, nil); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	data = append(data, 'x')
	_, err := metadata.Parse("demo/SKILL.md", data, nil)
	if e, ok := errors.AsType[*metadata.SyntaxError](err); !ok || e.Code != "file-too-large" || !e.Pos.IsValid() {
		t.Errorf("one past the limit: %v", err)
	}
	if _, err := metadata.ParseHeader("demo/SKILL.md", data, nil); err != nil {
		t.Errorf("a header does not care for the size of the file: %v", err)
	}
}

// TestMaxHeader places the closing fence so that the first byte that ends its
// line is the last within the limit, and one past it, and wants the same from
// the file and from its first MaxHeader bytes.
func TestMaxHeader(t *testing.T) {
	for _, open := range []string{"---\n", "\ufeff---\n"} {
		for _, end := range []string{"---\n", "---\r\n", "---# Title\n"} {
			for over := range 2 {
				fence := len(strings.TrimRight(end, "\r\n")) + 1
				pad := metadata.MaxHeader - len(open) - len("name: demo\n") - len("#\n") - fence + over
				data := []byte(open + "name: demo\n#" + strings.Repeat("x", pad) + "\n" + end + "Body.\n")
				_, err := metadata.Parse("", data, nil)
				_, herr := metadata.ParseHeader("", data[:metadata.MaxHeader], nil)
				if (err == nil) != (over == 0) {
					t.Errorf("%q, %d over the limit: %v", open+end, over, err)
				}
				if (err == nil) != (herr == nil) {
					t.Errorf("%q, %d over the limit: Parse: %v; ParseHeader: %v", open+end, over, err, herr)
				}
			}
		}
	}
}

// TestParseHeaderCutRune cuts the head in the middle of a code point, which is
// not the fault of the file.
func TestParseHeaderCutRune(t *testing.T) {
	data := []byte("---\nname: demo\n# " + strings.Repeat("é", metadata.MaxHeader) + "\n---\n")
	for n := range 2 {
		_, err := metadata.ParseHeader("", data[:metadata.MaxHeader+n], nil)
		if e, ok := errors.AsType[*metadata.SyntaxError](err); !ok || e.Code != "unclosed-frontmatter" {
			t.Errorf("error = %v, want an unclosed frontmatter", err)
		}
	}
}

// TestBombs wants each to cost its field and no more. That it costs little
// time is seen when the test runs.
func TestBombs(t *testing.T) {
	deep := func(n int, open, in, end string) string { return strings.Repeat(open, n) + in + strings.Repeat(end, n) }
	bomb := "b0: &b0 [x,x,x,x,x,x,x,x,x,x]\n"
	for i := range 8 {
		bomb += fmt.Sprintf("b%d: &b%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*b%d,", i), 10), ","))
	}
	for _, tt := range []struct {
		name, text string
		code       string // of the problem, if one is due
		unknown    bool
	}{
		{"depth at the limit", "a: " + deep(100, "[", "", "]") + "\n", "", false},
		{"depth past the limit", "a: " + deep(101, "[", "", "]") + "\n", "too-deep", false},
		{"10,000 lists", "a: " + deep(10_000, "[", "", "]") + "\n", "too-deep", false},
		{"past the depth YAML takes", "a: " + deep(10_001, "[", "", "]") + "\n", "reserved-character", false},
		{"10,000 block lists", "a:\n  " + deep(10_000, "- ", "x", "") + "\n", "yaml-invalid", false},
		{"metadata", "metadata: " + deep(5_000, `{"a":`, "1", "}") + "\n", "too-deep", true},
		{"metadata as text", "metadata: '" + deep(5_000, `{"a":`, "1", "}") + "'\n", "metadata-unreadable", true},
		{"metadata that is not YAML", "metadata: " + deep(5_000, `{"a":`, `"\/"`, "}") + "\n", "metadata-unreadable", true},
		{"aliases", bomb, "too-deep", false},
		{"alias of itself", "a: &a [*a]\n", "too-deep", false},
		{"aliases in metadata", bomb + "metadata: *b8\n", "too-deep", true},
		{"dotted key", "metadata" + strings.Repeat(".a", 30_000) + ": 1\n", "dotted-key", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := metadata.Parse("demo/SKILL.md", []byte("---\nname: demo\ndescription: A demo.\n"+tt.text+"---\n"), nil)
			if err != nil {
				t.Fatal(err)
			}
			if m := doc.Manifest; m.Name != "demo" || m.Description != "A demo." || m.RequiresUnknown != tt.unknown {
				t.Errorf("name %q, description %q, requires unknown %v", m.Name, m.Description, m.RequiresUnknown)
			}
			if tt.code == "" && len(doc.Problems) > 0 || tt.code != "" && !hasCode(doc, tt.code) {
				t.Errorf("problems = %v, want code %q", doc.Problems, tt.code)
			}
		})
	}
}

func hasCode(doc *metadata.Document, code string) bool {
	return slices.ContainsFunc(doc.Problems, func(p metadata.Problem) bool { return p.Code == code })
}

func TestNoVendorAliases(t *testing.T) {
	data := []byte("---\nname: demo\ndescription: A demo.\nmetadata: {\"clawdbot\":{\"emoji\":\"c\",\"requires\":{\"bins\":[\"jq\"]}}}\n---\n")
	doc, err := metadata.Parse("demo/SKILL.md", data, &metadata.Options{NoVendorAliases: true})
	if err != nil {
		t.Fatal(err)
	}
	m := doc.Manifest
	if m.VendorKey != "" || m.Emoji != "" || !m.RequiresUnknown || !hasCode(doc, "unknown-vendor-key") {
		t.Errorf("vendor key %q, emoji %q, requires unknown %v, problems %v", m.VendorKey, m.Emoji, m.RequiresUnknown, doc.Problems)
	}
}

func TestErrNoFrontmatter(t *testing.T) {
	for text, want := range map[string]bool{"": true, "# Title\n": true, "---js\n": true, "---\nname: x\n": false, "---\n- x\n---\n": false} {
		if _, err := metadata.Parse("", []byte(text), nil); errors.Is(err, metadata.ErrNoFrontmatter) != want {
			t.Errorf("Parse(%q): %v", text, err)
		}
	}
}
