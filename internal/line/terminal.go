package line

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// Visible returns s with the characters that could move a cursor, change the
// terminal or reorder the text spelled as escapes, which JSON reads back. Line
// breaks and tabs stay if multiline.
func Visible(s string, multiline bool) string {
	s = strings.ToValidUTF8(s, "\uFFFD") // a lone byte may be a control code too
	hidden := func(r rune) bool { return Hidden(r) && !(multiline && (r == '\n' || r == '\t')) }
	if strings.IndexFunc(s, hidden) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if hidden(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Hidden reports whether r is one of the characters that [Visible] spells out:
// control characters, line and paragraph separators, and the marks, embeddings,
// overrides and isolates of bidirectional text.
func Hidden(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' ||
		r == '\u061c' || '\u200e' <= r && r <= '\u200f' || '\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
}

// Width returns how many columns of a terminal s takes.
func Width(s string) (n int) {
	for _, r := range s {
		n += RuneWidth(r)
	}
	return n
}

// RuneWidth returns how many columns of a terminal r takes: 0, 1 or 2.
func RuneWidth(r rune) int {
	if r < 0x7f {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) { // accents, joiners, variation selectors
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}
