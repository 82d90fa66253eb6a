package line_test

import (
	"testing"
	"unicode"

	"github.com/matrix-nexus/skillkit/internal/line"
)

func TestVisible(t *testing.T) {
	for _, tt := range []struct{ in, line, lines string }{
		{"plain, naïve, 技能 📈 👩‍💻", "plain, naïve, 技能 📈 👩‍💻", "plain, naïve, 技能 📈 👩‍💻"},
		{"a\x1b[31mb\x07", `a\u001b[31mb\u0007`, `a\u001b[31mb\u0007`},
		{"c1 \u009b31m", `c1 \u009b31m`, `c1 \u009b31m`},
		{"a\nb\tc\rd", `a\u000ab\u0009c\u000dd`, "a\nb\tc\\u000dd"},
		{"bidi \u202egnp.exe", `bidi \u202egnp.exe`, `bidi \u202egnp.exe`},
	} {
		if got := line.Visible(tt.in, false); got != tt.line {
			t.Errorf("Visible(%q, false) = %q, want %q", tt.in, got, tt.line)
		}
		if got := line.Visible(tt.in, true); got != tt.lines {
			t.Errorf("Visible(%q, true) = %q, want %q", tt.in, got, tt.lines)
		}
	}
}

func TestWidth(t *testing.T) {
	for s, want := range map[string]int{
		"": 0, "abc": 3, "技能": 4, "🚀": 2, "cafe\u0301": 4, "\u200b": 0, "ｗ": 2, "é": 1,
	} {
		if got := line.Width(s); got != want {
			t.Errorf("Width(%q) = %d, want %d", s, got, want)
		}
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("a\x1b[31m\u009b\u202e")
	f.Add("\xff\x9b")
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range line.Visible(s, false) {
			if unicode.IsControl(r) || line.Hidden(r) {
				t.Fatalf("Visible(%q) holds %q", s, r)
			}
		}
	})
}
