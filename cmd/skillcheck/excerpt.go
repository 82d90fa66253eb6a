package main

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/matrix-nexus/skillkit/check"
	"github.com/matrix-nexus/skillkit/internal/line"
)

const (
	tabStop = 4
	// excerptWidth is how many columns of a line are shown where there is no
	// terminal that has a width of its own, and before is how many of them at
	// most come before the place.
	excerptWidth = 100
	before       = 40
)

// excerpt returns the line that f is on, and the marks to be put below it: a
// caret under the first character, tildes under the rest. It shows the part of
// the line around the place that fits in columns. ok is false if there is nothing
// to show. lines are those of the file.
func excerpt(lines []string, f check.Finding, columns int) (source, marks string, ok bool) {
	if f.Line < 1 || f.Line > len(lines) {
		return "", "", false
	}
	l, column, end := lines[f.Line-1], f.Column, max(f.End.Column, f.Column+1)
	if f.End.Line > f.Line {
		end = math.MaxInt
	}
	// What is far from the place is not even looked at.
	far := max(column-1-columns, 0)
	l = afterRunes(l, far)
	column, end = column-far, end-far
	rest := afterRunes(l, column-1+columns)
	cells := layOut(l[:len(l)-len(rest)], column, end)

	// The first and the last cell that are shown.
	mark := min(column-1, len(cells))
	from, used := mark, 0
	for from > 0 && used+cells[from-1].width <= min(before, columns/2) {
		from--
		used += cells[from].width
	}
	to := mark
	for to < len(cells) && used+cells[to].width <= columns {
		used += cells[to].width
		to++
	}
	// What room there is on the right is used on the left.
	for to == len(cells) && from > 0 && used+cells[from-1].width <= columns {
		from--
		used += cells[from].width
	}

	var src, under strings.Builder
	if far > 0 || from > 0 {
		src.WriteString("…")
		under.WriteString(" ")
	}
	for i := from; i < to; i++ {
		c := cells[i]
		src.WriteString(c.text)
		switch {
		case i+1 < column:
			under.WriteString(strings.Repeat(" ", c.width))
		case i+1 == column:
			under.WriteString("^" + strings.Repeat("~", max(c.width-1, 0)))
		case i+1 < end:
			under.WriteString(strings.Repeat("~", c.width))
		}
	}
	if to < len(cells) || rest != "" {
		src.WriteString("…")
	}
	if column > len(cells) {
		under.WriteString("^")
	}
	return strings.TrimRight(src.String(), " "), strings.TrimRight(under.String(), " "), true
}

// afterRunes returns s without its first n code points.
func afterRunes(s string, n int) string {
	for ; n > 0 && s != ""; n-- {
		_, size := utf8.DecodeRuneInString(s)
		s = s[size:]
	}
	return s
}

// A glyph is a character as it is shown.
type glyph struct {
	text  string
	width int // in columns
}

// layOut returns the characters of a line. Those that cannot be seen, or would
// move the others, are spelled as escapes; joiners, which emoji need, only where
// they are at fault: from column on, to before end.
func layOut(l string, column, end int) []glyph {
	cells := make([]glyph, 0, len(l))
	at := 0
	for l != "" {
		r, n := utf8.DecodeRuneInString(l)
		c := glyph{string(r), line.RuneWidth(r)}
		col := len(cells) + 1
		faulty := column <= col && col < end
		switch {
		case r == utf8.RuneError && n == 1:
			c.text = fmt.Sprintf(`\x%02x`, l[0])
		case r == '\t':
			c.text = strings.Repeat(" ", tabStop-at%tabStop)
		case line.Hidden(r), unicode.Is(unicode.Cf, r) && (faulty || r != '\u200d'), r == '\ufeff':
			c.text = fmt.Sprintf(`\u%04x`, r)
		}
		if c.text != string(r) {
			c.width = len(c.text)
		}
		at += c.width
		cells = append(cells, c)
		l = l[n:]
	}
	return cells
}

// linesOf returns the lines of text. They end with LF, CRLF or a lone CR, and a
// byte order mark is no part of the first, as in package metadata.
func linesOf(text string) []string {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	return strings.Split(strings.ReplaceAll(text, "\r", "\n"), "\n")
}
