package metadata

import (
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// A locator finds the place in the file of an offset in the text of a scalar,
// which may be quoted or spread over indented lines. Line folding changes
// nothing but blanks, so it counts the other characters. Offsets must be asked
// for in increasing order.
type locator struct {
	src   string   // the file's text from where the scalar's text starts
	quote byte     // '"' or '\'' if src is quoted, else 0
	pos   Position // of src
	text  string   // the text of the scalar
	off   int      // the offset in text that src stands for
}

// locator returns the locator of the text of a scalar.
func (v *value) locator() locator {
	l := locator{pos: v.pos}
	if v.src == nil {
		return l // inside JSON: all of it is where it starts
	}
	l.src = v.src.text[v.src.offset(v.pos):]
	switch {
	case v.style&yaml.DoubleQuotedStyle != 0:
		l.quote = '"'
		l.step()
	case v.style&yaml.SingleQuotedStyle != 0:
		l.quote = '\''
		l.step()
	case v.style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		for l.pos.Line == v.pos.Line && l.src != "" {
			l.step()
		}
	}
	return l
}

func (l *locator) at(off int) Position {
	if off > l.off {
		for _, r := range l.text[l.off:min(off, len(l.text))] {
			if isBlank(r) {
				continue
			}
			l.skipBlanks()
			l.unit()
		}
		l.off = off
	}
	l.skipBlanks()
	return l.pos
}

func isBlank(r rune) bool {
	return r == ' ' || r == '\t' || r == '\n' || r == '\r' || r == '\u00a0' ||
		r == '\u0085' || r == '\u2028' || r == '\u2029'
}

// skipBlanks moves over blanks and, in double quotes, escapes for blanks.
func (l *locator) skipBlanks() {
	for l.src != "" {
		if l.quote == '"' && len(l.src) > 1 && l.src[0] == '\\' && strings.IndexByte("ntr \t\n_NLP", l.src[1]) >= 0 {
			l.step()
			l.step()
			continue
		}
		if r, _ := utf8.DecodeRuneInString(l.src); !isBlank(r) {
			return
		}
		l.step()
	}
}

// unit moves over the source of one character.
func (l *locator) unit() {
	n := 1
	switch {
	case l.quote == '\'' && strings.HasPrefix(l.src, "''"):
		n = 2
	case l.quote == '"' && len(l.src) > 1 && l.src[0] == '\\':
		n = 2
		switch l.src[1] {
		case 'x':
			n = 4
		case 'u':
			n = 6
		case 'U':
			n = 10
		}
	}
	for range n {
		l.step()
	}
}

// step moves over one code point of the source.
func (l *locator) step() {
	r, n := utf8.DecodeRuneInString(l.src)
	l.src = l.src[n:]
	if r == '\n' {
		l.pos = Position{l.pos.Line + 1, 1}
	} else if n > 0 {
		l.pos.Column++
	}
}
