package main

import (
	"fmt"
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

// excerpt returns the line of text that f is on, and the marks to be put below
// it: a caret under the first character, tildes under the rest. It shows the part
// of the line around the place that fits in columns. ok is false if there is
// nothing to show.
func excerpt(text string, f check.Finding, columns int) (source, marks string, ok bool) {
	l, ok := lineOf(text, f.Line)
	if !ok {
		return "", "", false
	}
	end := f.End.Column
	if f.End.Line > f.Line {
		end = utf8.RuneCountInString(l) + 1
	}
	cells := layOut(l, f.Column, max(end, f.Column+1))

	// The first and the last cell that are shown.
	mark := min(f.Column-1, len(cells))
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
	if from > 0 {
		src.WriteString("…")
		under.WriteString(" ")
	}
	for i := from; i < to; i++ {
		c := cells[i]
		src.WriteString(c.text)
		switch col := i + 1; {
		case col < f.Column:
			under.WriteString(strings.Repeat(" ", c.width))
		case col == f.Column:
			under.WriteString("^" + strings.Repeat("~", max(c.width-1, 0)))
		case col < end:
			under.WriteString(strings.Repeat("~", c.width))
		}
	}
	if to < len(cells) {
		src.WriteString("…")
	}
	if f.Column > len(cells) {
		under.WriteString("^")
	}
	return strings.TrimRight(src.String(), " "), strings.TrimRight(under.String(), " "), true
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

// lineOf returns the line of text with that number, counted from 1. Lines end
// with LF, CRLF or a lone CR, and a byte order mark is no part of the first, as
// in package metadata.
func lineOf(text string, number int) (string, bool) {
	text = strings.TrimPrefix(text, "\ufeff")
	for n := 1; number > 0; n++ {
		i := strings.IndexAny(text, "\r\n")
		switch {
		case n == number && i < 0:
			return text, true
		case n == number:
			return text[:i], true
		case i < 0:
			return "", false
		case strings.HasPrefix(text[i:], "\r\n"):
			i++
		}
		text = text[i+1:]
	}
	return "", false
}
