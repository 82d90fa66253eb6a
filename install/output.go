package install

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// MaxLine is the length in bytes of the longest line of an [Event]. Longer
// ones come in pieces.
const MaxLine = 4096

const (
	// tailLines and tailBytes are how much of the end of an output is kept
	// for the Detail of an [Outcome]: what installers say last is what went
	// wrong. Of lines that say the same, as each try of a connection does, only
	// the last counts.
	tailLines = 4
	tailBytes = 1024
)

// A lineWriter makes lines of the output of an installer, which may be
// anything, and holds no more of it than one line and the tail.
//
// A line ends at LF, CR or both: a progress bar, which draws itself anew after
// a CR, is a line each time. In the tail only its last state is kept. Escape
// sequences (ECMA-48) and control characters are removed, as are those that
// change the direction of text; a tab becomes a blank. What is not UTF-8 is
// replaced by U+FFFD.
type lineWriter struct {
	emit func(line string) // called with mu held

	mu     sync.Mutex
	closed bool
	buf    []byte // the line so far, without escape sequences; at most MaxLine bytes
	state  escape
	cr     bool // the last character was a CR, which ended no line yet
	tail   []string
	redraw bool // the last line of the tail was ended by a CR alone
}

// escape is where in an escape sequence the output is.
type escape int

const (
	plain       escape = iota
	afterESC           // ESC was read
	inSequence         // ESC [ was read: up to a final byte
	inString           // ESC ] and such: up to BEL or ESC \
	stringFinal        // ESC within a string
)

// Write takes the next part of the output. It never fails.
func (w *lineWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(p)
	for len(p) > 0 && !w.closed {
		if w.state == plain && !w.cr {
			// Most of an output has nothing to look at.
			end := 0
			for end < len(p) && !isControl(p[end]) {
				end++
			}
			if end > 0 {
				w.append(p[:end])
				p = p[end:]
				continue
			}
		}
		w.next(p[0])
		p = p[1:]
	}
	return n, nil
}

// isControl reports whether c is one of the ASCII controls, which are all that
// matters for telling lines and escape sequences.
func isControl(c byte) bool { return c < 0x20 || c == 0x7f }

// next takes one byte, in any state.
func (w *lineWriter) next(c byte) {
	if c == '\n' || c == '\r' {
		// No sequence goes on over the end of a line, or an unfinished one
		// would hide the rest of the output.
		w.state = plain
		if w.cr && c == '\r' {
			return
		}
		if c == '\r' {
			w.cr = true
			return
		}
		w.cr = false
		w.line(false)
		return
	}
	if w.cr {
		w.cr = false
		if len(w.buf) > 0 {
			w.line(true)
		}
	}
	switch w.state {
	case plain:
		switch {
		case c == 0x1b:
			w.state = afterESC
		case c == '\t':
			w.append([]byte{' '})
		case !isControl(c):
			w.append([]byte{c})
		}
	case afterESC:
		switch {
		case 0x20 <= c && c <= 0x2f: // goes on
		case c == '[':
			w.state = inSequence
		case c == ']', c == 'P', c == 'X', c == '^', c == '_':
			w.state = inString
		default:
			w.state = plain
		}
	case inSequence:
		switch {
		case c == 0x1b:
			w.state = afterESC
		case c < 0x20, c >= 0x40:
			w.state = plain
		}
	case inString:
		switch c {
		case 0x07, 0x18, 0x1a: // BEL, CAN, SUB
			w.state = plain
		case 0x1b:
			w.state = stringFinal
		}
	case stringFinal:
		w.state = plain
	}
}

// append adds to the line, which is emitted in pieces when it is too long. A
// character is not cut.
func (w *lineWriter) append(p []byte) {
	for len(w.buf)+len(p) > MaxLine {
		n := MaxLine - len(w.buf)
		w.buf = append(w.buf, p[:n]...)
		p = p[n:]
		rest := slices.Clone(w.buf[cutAt(w.buf):])
		w.buf = w.buf[:len(w.buf)-len(rest)]
		w.line(false)
		w.buf = append(w.buf, rest...)
	}
	w.buf = append(w.buf, p...)
}

// cutAt returns the length of b without the character at its end if that is
// not complete.
func cutAt(b []byte) int {
	for i := len(b) - 1; i >= max(0, len(b)-utf8.UTFMax+1); i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return i
			}
			break
		}
	}
	return len(b)
}

// line ends the line. redraw means that the next one is drawn in its place.
func (w *lineWriter) line(redraw bool) {
	text := strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf {
			return r // no control: those were left out
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(string(w.buf), "\uFFFD"))
	w.buf = w.buf[:0]
	for {
		piece := text
		if len(piece) > MaxLine { // U+FFFD is longer than what it replaces
			piece = piece[:cutAt([]byte(piece[:MaxLine]))]
		}
		text = text[len(piece):]
		w.keep(piece, redraw)
		w.emit(piece)
		if text == "" {
			return
		}
	}
}

// keep adds a line to the tail.
func (w *lineWriter) keep(text string, redraw bool) {
	if strings.TrimSpace(text) == "" {
		return
	}
	drop := slices.Index(w.tail, text)
	switch {
	case w.redraw:
		drop = len(w.tail) - 1
	case drop < 0 && len(w.tail) == tailLines:
		drop = 0
	}
	if drop >= 0 {
		w.tail = slices.Delete(w.tail, drop, drop+1)
	}
	w.tail = append(w.tail, text)
	w.redraw = redraw
}

// close ends the last line and returns the end of the output in one line.
// What is written afterwards, by a process that could not be ended, is lost.
func (w *lineWriter) close() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.buf) > 0 {
		w.line(false)
	}
	w.closed = true
	text := strings.Join(w.tail, " | ")
	if len(text) > tailBytes {
		text = "…" + strings.ToValidUTF8(text[len(text)-tailBytes:], "")
	}
	return text
}
