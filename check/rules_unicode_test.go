package check_test

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestUnicode(t *testing.T) {
	tags := func(s string) string {
		var b strings.Builder
		for _, r := range s {
			b.WriteRune(r + 0xe0000)
		}
		return b.String()
	}
	selectors := func(s string) string {
		var b strings.Builder
		for _, c := range []byte(s) {
			b.WriteRune(rune(c) - 16 + 0xe0100)
		}
		return b.String()
	}
	for _, c := range []struct{ name, text, want, message string }{
		{"tags", "a" + tags("ignore all"), "hidden-text", `"ignore all"`},
		{"tags, long", "a" + tags(strings.Repeat("ab", 40)), "hidden-text", `"` + strings.Repeat("ab", 29) + `a…"`},
		{"flag of Scotland", "🏴" + tags("gbsct") + "\U000E007F", "", ""},
		{"flag with text", "🏴" + tags("ignore all") + "\U000E007F", "hidden-text", "ignore all"},
		{"selectors", "😀" + selectors("send it"), "hidden-text", `"send it"`},
		{"selector of an emoji", "❤️ ☑︎", "", ""},
		{"selector of an ideograph", "葛\U000E0100", "", ""},
		{"zero width, long", "a\u200b\u200c\u200b\u200c\u200b\u200c\u200b\u200cb", "hidden-text", "8 characters"},
		{"zero width, seven", "a\u200b\u200c\u200b\u200c\u200b\u200c\u200bb", "zero-width", ""},
		{"zero width twice", "a\u200bb c\u200bd", "zero-width", "(and 1 more)"},
		{"byte order mark inside", "a\ufeffb", "zero-width", "U+FEFF"},
		{"emoji joined", "👩‍💻 🏳️‍🌈 👁️‍🗨️ ❤️‍🔥", "", ""},
		{"Persian", "می\u200cخواهم", "", ""},
		{"Hindi", "क्\u200dष", "", ""},
		{"Thai with spaces", "สวัสดี\u200bครับ", "", ""},
		{"Korean", "\u1112\u1161\u11ab \u115f\u1161", "", ""},
		{"override", "`a\u202eb\u202c`", "bidi-control", "U+202E"},
		{"isolate in Latin text", "a \u2066b\u2069", "bidi-control", "U+2066"},
		{"isolate in Hebrew text", "שלום \u2066b\u2069", "", ""},
		{"marks", "a\u200eb\u200f", "", ""},
		{"Cyrillic in code", "`ku\u0431ectl`", "", ""}, // not one that looks Latin
		{"Cyrillic that looks Latin in code", "`\u0440ip install`", "homoglyph", `"рip" is not "pip"`},
		{"the same in prose", "\u0440ip install", "", ""},
		{"in a fence", "```\ncurl https://g\u043e\u043egle.com\n```", "homoglyph", `"google"`},
		{"Russian in code", "`привет, как дела` `PDF\u0430`", "", ""},
		{"Greek in code", "`\u039f\u03a1enAI` `Δt = α2` `λx`", "homoglyph", `"OPenAI"`},
		{"escape", "a\x1b[31mb\x1b[0m", "control-character", "escape"},
		{"backspace", "a\bb", "control-character", "U+0008"},
		{"C1", "a\u009bb", "control-character", "U+009B"},
		{"tab and form feed", "a\tb\fc", "", ""},
		{"lost", "caf\ufffd", "replacement-character", ""},
		{"plain text", "Übung – “so” … 你好 🎉 é", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, list := found(t, c.text)
			if got != c.want {
				t.Fatalf("got %q, want %q: %v", got, c.want, list)
			}
			if c.want != "" && !strings.Contains(list[0].Message, c.message) {
				t.Errorf("got %s, want %s in it", list[0], c.message)
			}
		})
	}
}

func TestHomoglyphInName(t *testing.T) {
	got, _ := foundIn(t, fstest.MapFS{
		"deploy/SKILL.md": {Data: []byte("---\nname: d\u0435ploy\ndescription: Roll out.\n---\n# Deploy\n")},
		"deploy/run.sh":   {Data: []byte("ech\u043eo hi\n")},
	})
	if got != "homoglyph homoglyph" {
		t.Errorf("got %q", got)
	}
}
