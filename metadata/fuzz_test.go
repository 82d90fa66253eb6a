package metadata_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/matrix-nexus/skillkit/metadata"
)

// addSeeds adds the files of testdata and of the tables to the corpus of f.
func addSeeds(f *testing.F) {
	for _, tt := range slices.Concat(caseTests, fieldTests) {
		f.Add([]byte(tt.text))
	}
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(txtar.Parse(data).Files[0].Data)
	}
}

// FuzzParse wants exactly one of a document and a SyntaxError, problems that
// are sorted and lie in the file, a body that is the end of the file, and the
// same of the header alone.
func FuzzParse(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		const file = "demo/SKILL.md"
		doc, err := metadata.Parse(file, data, nil)
		if e, ok := errors.AsType[*metadata.SyntaxError](err); (doc == nil) == (err == nil) || ok != (err != nil) {
			t.Fatalf("Parse = %v, %v", doc, err)
		} else if ok {
			checkPosition(t, data, e.Pos)
			if e.Code == "" || e.Msg == "" {
				t.Fatalf("an error without code or text: %#v", e)
			}
			return
		}
		if !strings.HasSuffix(string(data), string(doc.Body)) {
			t.Errorf("the body is not the end of the file: %q", doc.Body)
		}
		if !slices.IsSortedFunc(doc.Problems, metadata.Problem.Compare) {
			t.Errorf("problems are not sorted: %v", doc.Problems)
		}
		for _, p := range doc.Problems {
			if p.Code == "" || p.File != file || p.Message == "" {
				t.Errorf("an incomplete problem: %#v", p)
			}
			checkPosition(t, data, p.Position)
		}
		m := doc.Manifest
		if m.Name == "" || m.ExecutionMode == "" {
			t.Errorf("name %q, mode %q", m.Name, m.ExecutionMode)
		}
		if m.Parameters != nil && !json.Valid(m.Parameters) {
			t.Errorf("parameters are not JSON: %s", m.Parameters)
		}
		for _, extra := range []any{m.Extra, m.VendorExtra} {
			if _, err := json.Marshal(extra); err != nil {
				t.Errorf("extra: %v", err)
			}
		}
		head, err := metadata.ParseHeader(file, data, nil)
		if err != nil {
			t.Fatalf("ParseHeader: %v", err)
		}
		if diff := cmp.Diff(m, head.Manifest); diff != "" {
			t.Errorf("ParseHeader (-Parse +ParseHeader):\n%s", diff)
		}
	})
}

// checkPosition wants a position that is unknown or in the text, at most one
// column behind the end of its line.
func checkPosition(t *testing.T, data []byte, pos metadata.Position) {
	t.Helper()
	if pos == (metadata.Position{}) {
		return
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	lines := strings.Split(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"), "\n")
	if pos.Line < 1 || pos.Line > len(lines) {
		t.Fatalf("position %v is not in the %d lines of %q", pos, len(lines), data)
	}
	if n := utf8.RuneCountInString(lines[pos.Line-1]); pos.Column < 1 || pos.Column > n+1 {
		t.Fatalf("position %v is not in line %q", pos, lines[pos.Line-1])
	}
}

// FuzzExtraKey adds a key to a header of known-good fields, which must not
// cost any of them.
func FuzzExtraKey(f *testing.F) {
	for _, s := range []string{"x: y", "x: y: z", "x: \"y", "x: [", "x: {", "x: *y", "x: &y", "x: |", "x:\n  y: \"", "- x", "x", "\"x: y", "x: |\n  y", "metadata: {", "? x", "}"} {
		f.Add(s)
	}
	const good = "name: demo\ndescription: A demo.\nlicense: MIT\nallowed-tools: Read\nmetadata: {\"matrix\":{\"requires\":{\"bins\":[\"jq\"]}}}\n"
	want, err := metadata.Parse("demo/SKILL.md", []byte("---\n"+good+"---\n"), nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, junk string) {
		key, val, ok := strings.Cut(junk, ":")
		if !ok || !isJunkKey(key) || val != "" && val[0] != ' ' || strings.ContainsAny(junk, "\r\n") {
			return
		}
		doc, err := metadata.Parse("demo/SKILL.md", []byte("---\n"+good+junk+"\n---\n"), nil)
		if e, ok := errors.AsType[*metadata.SyntaxError](err); ok {
			if e.Code != "not-utf8" && !strings.Contains(e.Msg, "control character") {
				t.Fatalf("%q: %v", junk, err)
			}
			return
		}
		got := doc.Manifest
		got.Extra = nil
		if diff := cmp.Diff(want.Manifest, got); diff != "" {
			t.Errorf("%q costs a field (-want +got):\n%s", junk, diff)
		}
	})
}

// isJunkKey reports whether key is a plain one that nobody reads.
func isJunkKey(key string) bool {
	rest, ok := strings.CutPrefix(key, "x")
	return ok && strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz") == ""
}
