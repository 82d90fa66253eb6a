package posjson_test

import (
	"testing"

	"github.com/matrix-nexus/skillkit/internal/posjson"
)

func apply(text string, edits []posjson.Edit) (out string) {
	at := 0
	for _, e := range edits {
		out += text[at:e.Start] + e.New
		at = e.End
	}
	return out + text[at:]
}

func TestStrict(t *testing.T) {
	for in, want := range map[string]string{
		`{"a": [1, 2 ,], } tail,`:         `{"a": [1, 2 ] } tail,`,
		`{a: 'it\'s "x"', $b-c: 1}`:       `{"a": "it's \"x\"", "$b-c": 1}`,
		"{// c\r\n\"a\":\u00a01 /* x */}": "{\r\n\"a\":1 }",
		"{\"a\": \"\t\\u0041\"}":          `{"a": "\tA"}`,
		`{"a": \["b"\]}`:                  `{"a": ["b"]}`,
		`{"a": 1}`:                        `{"a": 1}`,
		`{"a": b}`:                        "",
		`{"a": 1`:                         "",
		`,`:                               "",
	} {
		edits, ok := posjson.Strict(in)
		if got := apply(in, edits); ok != (want != "") || ok && got != want {
			t.Errorf("%s: got %s, %v, want %s", in, got, ok, want)
		}
	}
}

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		`{"a": "\ud83d\udd2c\/\\\/ \\ud83d\\udd2c"} \/`: `{"a": "🔬/\\/ \\ud83d\\udd2c"} \/`,
		`{"a": "\ud83d \udd2c\u0041"}`:                  `{"a": "\ud83d \udd2c\u0041"}`,
		`{"a": "\ud83d\ud83d\udd2c"}`:                   `{"a": "\ud83d🔬"}`,
		`{"a": "\/"`:                                    `{"a": "\/"`,
	} {
		if got := apply(in, posjson.Plain(in)); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}
