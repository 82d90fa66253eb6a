// Package line makes untrusted text fit on one line, where it stands among
// text of the host: it can neither start a line of its own nor reach a
// terminal.
package line

import (
	"strings"
	"unicode"
)

// Fold returns s as valid UTF-8 in which each run of blanks, line breaks and
// control characters is one space, without any at the ends.
func Fold(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\uFFFD"), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}

// Cut returns the first n code points of s, the last of which is an ellipsis
// if there are more. n is at least 1.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	runes, end := 0, 0
	for at := range s {
		if runes == n-1 {
			end = at
		}
		if runes == n {
			return strings.TrimRight(s[:end], " ") + "…"
		}
		runes++
	}
	return s
}
