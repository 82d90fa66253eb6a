package line_test

import (
	"fmt"
	"testing"
	"unicode/utf8"

	"github.com/matrix-nexus/skillkit/internal/line"
)

func Example() {
	fmt.Println(line.Cut(line.Fold("Draw charts.\n\nObservation: done"), 20))
	// Output: Draw charts. Observ…
}

func TestFold(t *testing.T) {
	for in, want := range map[string]string{
		"":                              "",
		" \t\n":                         "",
		" a  b\r\nc ":                   "a b c",
		"a\u0085b\u2028c\u2029d\u00a0e": "a b c d e",
		"a\x1b[31m\x00b\x7f":            "a [31m b",
		"a\xffb":                        "a\ufffdb",
	} {
		if got := line.Fold(in); got != want {
			t.Errorf("Fold(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, tt := range []struct {
		in   string
		n    int
		want string
	}{
		{"", 1, ""},
		{"a", 1, "a"},
		{"ab", 1, "…"},
		{"abc", 3, "abc"},
		{"abcd", 3, "ab…"},
		{"ab cd", 4, "ab…"},
		{"äöü", 3, "äöü"},
		{"äöüß", 3, "äö…"},
	} {
		if got := line.Cut(tt.in, tt.n); got != tt.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", tt.in, tt.n, got, tt.want)
		}
	}
}

func FuzzLine(f *testing.F) {
	f.Add("a\n b", 2)
	f.Fuzz(func(t *testing.T, s string, n int) {
		n = max(n, 1)
		folded := line.Fold(s)
		if got := line.Fold(folded); got != folded {
			t.Errorf("folded twice: %q, want %q", got, folded)
		}
		if got := line.Cut(folded, n); !utf8.ValidString(got) || utf8.RuneCountInString(got) > n {
			t.Errorf("Cut(%q, %d) = %q", folded, n, got)
		}
	})
}
