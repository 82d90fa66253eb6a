package executa

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A view is a text with its escapes decoded.
type view struct {
	text    []byte
	escapes []escape // in order
}

// An escape says what a part of a view was decoded from.
type escape struct{ decoded, source span }

// source returns where s, a part of the view, is in the text before: escapes that
// it has a part in are in it as a whole.
func (v *view) source(s span) span {
	// at returns the source of the byte at p.
	at := func(p int) span {
		i, ok := slices.BinarySearchFunc(v.escapes, p, func(e escape, p int) int { return e.decoded.start - p })
		if ok {
			return v.escapes[i].source
		}
		if i == 0 {
			return span{p, p + 1}
		}
		e := v.escapes[i-1]
		if p < e.decoded.end {
			return e.source
		}
		p += e.source.end - e.decoded.end
		return span{p, p + 1}
	}
	return span{at(s.start).start, at(s.end - 1).end}
}

// whole returns s, a part of the text before, made larger by what it lacks of the
// escapes that it begins or ends in.
func (v *view) whole(s span) span {
	grow := func(p int) span {
		i, ok := slices.BinarySearchFunc(v.escapes, p, func(e escape, p int) int { return e.source.start - p })
		if !ok && i > 0 && p < v.escapes[i-1].source.end {
			return v.escapes[i-1].source
		}
		return span{p, p}
	}
	return span{grow(s.start).start, grow(s.end).end}
}

// A decoder decodes what begins with its mark.
type decoder struct {
	mark byte
	// decode appends to b what the text, which begins with the mark, stands for.
	// size is that of the escape in text, 0 if it is none.
	decode func(b, text []byte) (decoded []byte, size int)
}

var (
	// unescape decodes the escapes of JSON strings, and some that other
	// languages have.
	unescape = decoder{'\\', decodeEscape}
	// unpercent decodes percent-encoding.
	unpercent = decoder{'%', decodePercent}
)

// escapes calls f for each escape in text, until it returns false.
func (d decoder) escapes(text []byte, f func(at, size int, decoded []byte) bool) {
	var buf [2 * utf8.UTFMax]byte
	for at := 0; ; {
		i := bytes.IndexByte(text[at:], d.mark)
		if i < 0 {
			return
		}
		at += i
		decoded, size := d.decode(buf[:0], text[at:])
		if size > 0 && !f(at, size, decoded) {
			return
		}
		at += max(size, 1)
	}
}

// escaped reports whether text has an escape that decodes to a byte in set.
func (d decoder) escaped(text []byte, set *[256]bool) (found bool) {
	d.escapes(text, func(_, _ int, decoded []byte) bool {
		found = slices.ContainsFunc(decoded, func(c byte) bool { return set[c] })
		return !found
	})
	return found
}

// view returns text with its escapes decoded. What is none stays.
func (d decoder) view(text []byte) view {
	v := view{text: make([]byte, 0, len(text))}
	kept := 0
	d.escapes(text, func(at, size int, decoded []byte) bool {
		v.text = append(v.text, text[kept:at]...)
		start := len(v.text)
		v.text = append(v.text, decoded...)
		kept = at + size
		v.escapes = append(v.escapes, escape{span{start, len(v.text)}, span{at, kept}})
		return true
	})
	v.text = append(v.text, text[kept:]...)
	return v
}

func decodeEscape(b, text []byte) ([]byte, int) {
	if len(text) < 2 {
		return nil, 0
	}
	switch c := text[1]; c {
	case '"', '\'', '\\', '/':
		return append(b, c), 2
	case 'b', 'f', 'n', 'r', 't':
		return append(b, "\b\f\n\r\t"[strings.IndexByte("bfnrt", c)]), 2
	case 'x':
		if n, ok := hex(text[2:], 2); ok {
			return append(b, byte(n)), 4
		}
	case 'u':
		n, ok := hex(text[2:], 4)
		if !ok {
			break
		}
		if utf16.IsSurrogate(n) && len(text) >= 12 && text[6] == '\\' && text[7] == 'u' {
			if low, ok := hex(text[8:], 4); ok {
				if pair := utf16.DecodeRune(n, low); pair != utf8.RuneError {
					return utf8.AppendRune(b, pair), 12
				}
			}
		}
		return utf8.AppendRune(b, n), 6
	}
	return nil, 0
}

func decodePercent(b, text []byte) ([]byte, int) {
	if n, ok := hex(text[1:], 2); ok {
		return append(b, byte(n)), 3
	}
	return nil, 0
}

// hex returns the number that the first n bytes are.
func hex(text []byte, n int) (r rune, ok bool) {
	if len(text) < n {
		return 0, false
	}
	for _, c := range text[:n] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
