package metadata

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// FuzzJSON compares the reader of JSON with encoding/json. It is in the
// package because the reader is not exported.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,-0.5e+3,true,null,"x\u00e9\/\ud83d\ude00\ud83d"],"a":{}}`, `{}`, `[]`, `{"a":1,}`, `{'a': 'it\'s',}`,
		"{a: 1, // c\n b: /* d */ [2,]}", `{"a" 1}`, `["a]`, `[01]`, `[1.]`, `["\x"]`, "[\"\n\"]", `nul`, `[-]`, `\[1\]`, `{"a":12345678901234567890}`, `1e999`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return
		}
		var dups int
		v, end, relaxed, err := parseJSON(text, locator{src: text, pos: Position{1, 1}}, func(string, Position, Position) { dups++ })
		if (v == nil) == (err == nil) {
			t.Fatalf("parseJSON(%q) = %v, %v", text, v, err)
		}
		if err != nil {
			if json.Valid([]byte(text)) && err.msg != errTooDeep.Error() {
				t.Fatalf("parseJSON(%q): %v", text, err)
			}
			return
		}
		if valid := json.Valid([]byte(text)); valid != (!relaxed && end == len(text)) {
			t.Fatalf("parseJSON(%q): relaxed %v, end %d; json.Valid = %v", text, relaxed, end, valid)
		} else if !valid {
			return
		}
		d := json.NewDecoder(bytes.NewReader([]byte(text)))
		d.UseNumber()
		var want any
		if err := d.Decode(&want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, v.any()); diff != "" {
			t.Errorf("parseJSON(%q) (-want +got):\n%s", text, diff)
		}
		if dups == 0 {
			d := json.NewDecoder(bytes.NewReader(v.appendJSON(nil)))
			d.UseNumber() // a number may be too large for a float64
			var got any
			if err := d.Decode(&got); err != nil {
				t.Fatalf("appendJSON of %q: %v", text, err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("appendJSON of %q (-want +got):\n%s", text, diff)
			}
		}
	})
}

func TestRelaxedJSON(t *testing.T) {
	for _, tt := range []struct {
		text, want string // as strict JSON
		pos        Position
	}{
		{`{"a":[1,2,],}`, `{"a":[1,2]}`, Position{}},
		{`{'a':'it\'s "b"'}`, `{"a":"it's \"b\""}`, Position{}},
		{"{a-b: 1, // c\n /* d */ c$: x}", ``, Position{2, 14}},
		{`{a: true, b: null, c: 1.50}`, `{"a":true,"b":null,"c":1.50}`, Position{}},
		{`{"a":1`, ``, Position{1, 7}},
		{"{\n  \"é\": 1\n  \"b\": 2}", ``, Position{3, 3}},
		{`{"a":{"b":]}}`, ``, Position{1, 11}},
		{`["a`, ``, Position{1, 2}},
		{`{"a":"\ud83d\ude00\ud83dx"}`, `{"a":"😀` + "\ufffd" + `x"}`, Position{}},
		{`{"a":9007199254740993}`, `{"a":9007199254740993}`, Position{}},
		{`\[{"a":\[1\]}\]`, `[{"a":[1]}]`, Position{}},
	} {
		v, _, _, err := parseJSON(tt.text, locator{src: tt.text, pos: Position{1, 1}}, func(string, Position, Position) {})
		if err != nil {
			if err.pos != tt.pos {
				t.Errorf("parseJSON(%q): %v: %v; want position %v", tt.text, err.pos, err, tt.pos)
			}
		} else if got := string(v.appendJSON(nil)); got != tt.want {
			t.Errorf("parseJSON(%q) = %s, want %s", tt.text, got, tt.want)
		}
	}
}
