package posjson_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/matrix-nexus/skillkit/internal/posjson"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		text, want string // as strict JSON, or the error
		strict     string // the error of strict JSON
		at         int    // of the strict error
	}{
		{`{"a":[1,{}],"a":null}`, `{"a":[1,{}],"a":null}`, "", 0},
		{`{"a":1,}`, `{"a":1}`, "expected a key in quotes", 7},
		{`[1,]`, `[1]`, "expected a JSON value", 3},
		{`{'a': x}`, "expected a JSON value", "expected a key in quotes", 1},
		{"[1, // c\n2]", `[1,2]`, "expected a JSON value", 4},
		{`[1`, "unexpected end of JSON", "unexpected end of JSON", 2},
		{``, "unexpected end of JSON", "unexpected end of JSON", 0},
		{strings.Repeat("[", posjson.MaxDepth) + strings.Repeat("]", posjson.MaxDepth), strings.Repeat("[", posjson.MaxDepth) + strings.Repeat("]", posjson.MaxDepth), "", 0},
		{strings.Repeat("[", posjson.MaxDepth+1) + strings.Repeat("]", posjson.MaxDepth+1), posjson.TooDeep, posjson.TooDeep, posjson.MaxDepth},
	} {
		n, _, strict, err := posjson.Parse(tt.text)
		got := string(n.AppendJSON(nil))
		if err != nil {
			got = err.Msg
		}
		if got != tt.want {
			t.Errorf("Parse(%q) = %s, want %s", tt.text, got, tt.want)
		}
		if strict == nil {
			strict = &posjson.Error{}
		}
		if strict.Msg != tt.strict || strict.Offset != tt.at {
			t.Errorf("Parse(%q): strict error %d: %q, want %d: %q", tt.text, strict.Offset, strict.Msg, tt.at, tt.strict)
		}
	}
}

func TestMember(t *testing.T) {
	n, _, _, _ := posjson.Parse(`{"a":1,"b":2,"a":3}`)
	if m := n.Member("a"); m == nil || m.Val.Text != "3" || m.Start != 13 || m.Val.Start != 17 || m.Val.End != 18 {
		t.Errorf("Member(a) = %+v, want the last", m)
	}
	if m := n.Member("c"); m != nil {
		t.Errorf("Member(c) = %+v, want nil", m)
	}
}

// The text of a node, read alone, is that node.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":[1,-0.5e+3,true,null,"x\u00e9"],"a":{}}`, "{a: 1, // c\n 'b': /* d */ [2,]}", `\[1\]`, `[ "é" , 2 ] x`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return
		}
		n, end, strict, err := posjson.Parse(text)
		if err != nil {
			if strict == nil || err.Offset < 0 || err.Offset > len(text) {
				t.Fatalf("Parse(%q): error %v at %d, strict %v", text, err, err.Offset, strict)
			}
			return
		}
		if n.Start > n.End || n.End > end || end > len(text) {
			t.Fatalf("Parse(%q): %d..%d, end %d", text, n.Start, n.End, end)
		}
		strictText := n.AppendJSON(nil)
		if !json.Valid(strictText) {
			t.Fatalf("AppendJSON of %q is not JSON: %s", text, strictText)
		}
		again, _, _, err := posjson.Parse(text[n.Start:n.End])
		if err != nil {
			t.Fatalf("Parse(%q): %v", text[n.Start:n.End], err)
		}
		if got := again.AppendJSON(nil); !bytes.Equal(got, strictText) {
			t.Errorf("Parse(%q) = %s, want %s", text[n.Start:n.End], got, strictText)
		}
	})
}
