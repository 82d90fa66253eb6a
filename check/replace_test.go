package check_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/check"
)

func TestReplace(t *testing.T) {
	const head, tail = "---\r\nname: deploy\ndescription: Rolls out. Use when due.\n", "---\n"
	for _, tt := range []struct {
		name     string
		in, text string
		want     string // empty where there is no fix
	}{
		{"plain", "license:  MIT  # c\n", "Apache-2.0", "license:  Apache-2.0  # c\n"},
		{"plain, to be quoted", "license: MIT\n", "a: b", "license: \"a: b\"\n"},
		{"plain, to be quoted for its kind", "license: MIT\n", "no", "license: \"no\"\n"},
		{"plain, to be quoted for its start", "license: MIT\n", "1.0", "license: \"1.0\"\n"},
		{"plain, nothing", "license: MIT\n", "", "license: \"\"\n"},
		{"plain in a list", "license: [MIT, x]\n", "a b", ""},
		{"double quotes", "license: \"M \\\"I\\\" T\"\n", "a \"b\" <c>", "license: \"a \\\"b\\\" <c>\"\n"},
		{"double quotes with an escape of YAML alone", "license: \"\\x41\"\n", "b", ""},
		{"single quotes", "license: 'it''s'\n", "it's \"b\"", "license: 'it''s \"b\"'\n"},
		{"single quotes, two lines", "license: 'MIT'\n", "a\nb", ""},
		{"two lines", "license: a\n  b\n", "c", ""},
		{"two lines in quotes", "license: \"a\n  b\"\n", "c", ""},
		{"block", "license: |\n  a\n", "c", ""},
		{"quoted key", "\"license\": MIT\n", "a", "\"license\": a\n"},
		{"flow", "license: {a: b}\n", "c", ""},
		{"nothing there", "license:\n", "c", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var fix *check.Fix
			c := newChecker(t, nil)
			c.Add(&check.Rule{ID: "here", Run: func(p *check.Pass) {
				if f, ok := p.Doc.Top("license"); ok {
					fix = p.ReplaceValue(f, tt.text, "do it", "License")
				}
			}})
			data := []byte(head + tt.in + tail)
			if _, err := c.Check(t.Context(), []check.Target{{Manifest: "SKILL.md", Text: data}}); err != nil {
				t.Fatal(err)
			}
			if fix == nil {
				if tt.want != "" {
					t.Error("there is no fix")
				}
				return
			}
			got, _ := check.Apply(data, []check.Finding{{Fix: fix}})
			if diff := cmp.Diff(head+tt.want+tail, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if fix.Message != "do it" || strings.Join(fix.Changes, " ") != "License" {
				t.Errorf("got %+v", fix)
			}
		})
	}
}

func TestReplaceKey(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"licence: MIT\n", "license: MIT\n"},
		{"'licence' : MIT\n", "'license' : MIT\n"},
		{"\"licence\": MIT\n", "\"license\": MIT\n"},
		{"\"lic\\u0065nce\": MIT\n", "\"license\": MIT\n"},
	} {
		var fix *check.Fix
		c := newChecker(t, nil)
		c.Add(&check.Rule{ID: "here", Run: func(p *check.Pass) {
			f, _ := p.Doc.Top("licence")
			fix = p.ReplaceKey(f, "license", "do it")
		}})
		data := []byte("---\n" + tt.in + "---\n")
		if _, err := c.Check(t.Context(), []check.Target{{Manifest: "SKILL.md", Text: data}}); err != nil {
			t.Fatal(err)
		}
		got, _ := check.Apply(data, []check.Finding{{Fix: fix}})
		if want := "---\n" + tt.want + "---\n"; string(got) != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
