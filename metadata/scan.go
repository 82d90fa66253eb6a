package metadata

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// A Brief is what an index holds of a skill.
type Brief struct {
	Name        string // the declared name, or empty
	Description string
	// MayHaveKey reports whether the header may hold a skill_key.
	MayHaveKey bool
}

// ScanBrief reads a Brief out of head, the start of a file, without a YAML
// parser. It answers ok only for a header that it is certain of, for which
// [ParseHeader] gives the same values and no [*SyntaxError]; in particular the
// closing fence must lie within head.
//
// Name and description must have a form with one certain reading. Of other
// keys it makes sure that their values end where the next key starts; faults
// in them are left to [Parse]. It allocates the two strings.
func ScanBrief(head []byte) (b Brief, ok bool) {
	s := briefScanner{head: head[:min(len(head), MaxHeader)]}
	if !s.next() || !isExactFence(s.line) {
		return Brief{}, false
	}
	start := s.pos
	if !s.entries(&b) {
		return Brief{}, false
	}
	header := s.head[start:s.start]
	if s.irregular && bytes.Contains(header, []byte("---")) {
		return Brief{}, false
	}
	if b.MayHaveKey, ok = checkHeader(header); !ok {
		return Brief{}, false
	}
	return b, true
}

// isExactFence is isFence without what is tolerated with a problem.
func isExactFence(line []byte) bool {
	return bytes.HasPrefix(line, []byte("---")) && len(bytes.TrimRight(line, " ")) == 3
}

// A briefScanner reads the lines of a header. Lines end with LF or CRLF.
type briefScanner struct {
	head  []byte
	pos   int // of the line after the current one
	start int // of the current line
	line  []byte
	// irregular is whether the header is certainly not YAML, so that the
	// parser goes back to a fence that is not exact, if there was one.
	irregular bool
}

// next moves to the next line. A line without an end may be cut off: it does
// not count.
func (s *briefScanner) next() bool {
	i := bytes.IndexByte(s.head[s.pos:], '\n')
	if i < 0 {
		return false
	}
	s.start, s.line = s.pos, bytes.TrimSuffix(s.head[s.pos:s.pos+i], []byte("\r"))
	s.pos += i + 1
	return true
}

// entries reads the lines up to the closing fence, which becomes the current
// line.
func (s *briefScanner) entries(b *Brief) bool {
	if !s.toKey() {
		return false
	}
	var name, description bool // whether they were seen
	for !isExactFence(s.line) {
		n := plainKey(s.line)
		key, val := s.line[:n], bytes.TrimLeft(s.line[n+1:], " ")
		var ok bool
		switch {
		case string(key) == "name" && !name:
			name = true
			b.Name, ok = s.text(val)
		case string(key) == "description" && !description:
			description = true
			at := *s
			if b.Description, ok = s.text(val); !ok {
				*s = at
				b.Description, ok = s.repaired(val)
			}
		case bytes.EqualFold(key, []byte("name")), bytes.EqualFold(key, []byte("description")):
			// Given twice, or in another spelling.
		default:
			ok = s.skip(val)
		}
		if !ok {
			return false
		}
	}
	return name || description
}

// toKey moves over comments and empty lines to the next key or fence. Any
// other line, which may belong to the value above, makes it fail.
func (s *briefScanner) toKey() bool {
	for s.next() {
		if len(bytes.TrimLeft(s.line, " ")) == 0 || s.line[0] == '#' {
			continue
		}
		return isExactFence(s.line) || plainKey(s.line) > 0
	}
	return false
}

// plainKey returns the length of the key without quotes that starts line, or 0.
func plainKey(line []byte) int {
	for i, c := range line {
		switch {
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_':
		case i > 0 && ('0' <= c && c <= '9' || c == '-'):
		case c == ':' && (i+1 == len(line) || line[i+1] == ' '):
			return i
		default:
			return 0
		}
	}
	return 0
}

// text reads the value val of the current line, and moves to the line of the
// next key or of the closing fence.
func (s *briefScanner) text(val []byte) (string, bool) {
	val = bytes.TrimRight(val, " ")
	if len(val) == 0 {
		return "", false
	}
	var text string
	switch c := val[0]; c {
	case '|', '>':
		return s.block(val)
	case '"', '\'':
		end := quoteEnd(val)
		if end != len(val) {
			return "", false
		}
		var ok bool
		if text, ok = unquote(val[1:end-1], c); !ok {
			return "", false
		}
	default:
		return s.plain(val)
	}
	return strings.TrimSpace(text), s.toKey()
}

// plain reads a scalar without quotes, which may go on in indented lines.
func (s *briefScanner) plain(val []byte) (string, bool) {
	if !isPlainText(val) || bytes.EqualFold(val, []byte("null")) {
		return "", false
	}
	var buf [1024]byte
	text := append(buf[:0], val...)
	for s.next() {
		if len(s.line) == 0 || s.line[0] != ' ' {
			// toKey starts with the current line.
			s.pos = s.start
			return strings.TrimSpace(string(text)), s.toKey()
		}
		val = bytes.Trim(s.line, " ")
		if len(val) == 0 || !isPlainText(val) {
			return "", false
		}
		text = append(append(text, ' '), val...)
	}
	return "", false
}

// isPlainText reports whether val, without blanks around it, is a plain scalar,
// or a line of one, that holds nothing YAML might take for something else.
func isPlainText(val []byte) bool {
	switch val[0] {
	case '-', '?', ':', ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`', '~':
		return false
	}
	for i, c := range val {
		switch {
		case c == ':' && (i+1 == len(val) || val[i+1] == ' '),
			c == '#' && val[i-1] == ' ':
			return false
		}
	}
	return true
}

// quoteEnd returns the offset behind the quote that closes val, or -1.
func quoteEnd(val []byte) int {
	q := val[0]
	for i := 1; i < len(val); i++ {
		switch {
		case q == '"' && val[i] == '\\':
			i++
		case val[i] != q:
		case q == '\'' && i+1 < len(val) && val[i+1] == q:
			i++
		default:
			return i + 1
		}
	}
	return -1
}

// unquote returns the text of what is between quotes on one line.
func unquote(val []byte, quote byte) (string, bool) {
	special := byte('\\')
	if quote == '\'' {
		special = '\''
	}
	i := bytes.IndexByte(val, special)
	if i < 0 {
		return string(val), true
	}
	var buf [512]byte
	b := buf[:0]
	for {
		b = append(b, val[:i]...)
		switch c := val[i+1]; c { // quoteEnd saw to it that there is one
		case '\'', '"', '\\':
			b = append(b, c)
		case 'n':
			b = append(b, '\n')
		default:
			return "", false
		}
		val = val[i+2:]
		if i = bytes.IndexByte(val, special); i < 0 {
			return string(append(b, val...)), true
		}
	}
}

// block reads a block scalar. Chomping does not matter, since blanks around
// the text are cut off.
func (s *briefScanner) block(header []byte) (string, bool) {
	if len(header) > 2 || len(header) == 2 && header[1] != '-' && header[1] != '+' {
		return "", false
	}
	folded := header[0] == '>'
	var buf [1024]byte
	b := buf[:0]
	indent, breaks := 0, 0
	for s.next() {
		text := bytes.TrimLeft(s.line, " ")
		in := len(s.line) - len(text)
		switch {
		case len(text) == 0:
			if indent == 0 || in > indent {
				return "", false
			}
			breaks++
			continue
		case in == 0:
			if indent == 0 || s.line[0] != '#' && plainKey(s.line) == 0 && !isExactFence(s.line) {
				return "", false
			}
			return strings.TrimSpace(string(b)), s.line[0] != '#' || s.toKey()
		case indent == 0:
			indent = in
		case in < indent || folded && in > indent:
			return "", false
		case folded && breaks == 0:
			b = append(b, ' ')
		case !folded:
			breaks++
		}
		for ; breaks > 0; breaks-- {
			b = append(b, '\n')
		}
		b = append(b, s.line[indent:]...)
	}
	return "", false
}

// skip moves over the value of a key of no interest, which starts with val on
// the current line. It refuses a value that might reach into what looks like
// the next key.
func (s *briefScanner) skip(val []byte) bool {
	list := len(val) == 0 // whether list items may stand at the start of a line
	blockIn := -1         // lines indented deeper belong to a block scalar
	if !s.value(val, 0, true, &blockIn) {
		return false
	}
	for s.next() {
		text := bytes.TrimLeft(s.line, " ")
		in := len(s.line) - len(text)
		switch {
		case len(text) == 0 || in == 0 && text[0] == '#':
			continue
		case blockIn >= 0 && in > blockIn:
			continue
		case in == 0 && (isExactFence(s.line) || plainKey(s.line) > 0):
			return true
		case in == 0 && !(list && bytes.HasPrefix(text, []byte("- "))):
			return false
		}
		blockIn = -1
		parent := in // what a block scalar must be indented deeper than
		col := in
		for bytes.HasPrefix(text, []byte("- ")) {
			parent = col
			rest := bytes.TrimLeft(text[1:], " ")
			col += len(text) - len(rest)
			text = rest
		}
		if n := plainKey(text); n > 0 {
			text = bytes.TrimLeft(text[n+1:], " ")
			parent = col
		} else if bytes.Contains(text, []byte(": ")) {
			return false // a key of another form
		}
		if !s.value(text, parent, false, &blockIn) {
			return false
		}
	}
	return false
}

// value looks at a value, which starts on the current line, for what makes it
// longer than its line. top says that it follows a key at the top level. If it
// opens a block scalar, blockIn becomes parent.
func (s *briefScanner) value(val []byte, parent int, top bool, blockIn *int) bool {
	if len(val) == 0 {
		return true
	}
	switch val[0] {
	case '"', '\'':
		end := quoteEnd(val)
		return end > 0 && isBlankOrComment(val[end:])
	case '[', '{':
		return s.flow(val, top)
	case '|', '>':
		*blockIn = parent
	case '&', '*', '!', '?':
		return false
	}
	return true
}

func isBlankOrComment(rest []byte) bool {
	text := bytes.TrimLeft(rest, " ")
	return len(text) == 0 || text[0] == '#' && len(text) < len(rest)
}

// flow moves over a list or mapping in brackets, to the line on which it ends.
func (s *briefScanner) flow(val []byte, top bool) bool {
	depth := 0
	last := byte(0) // the last character that is neither blank nor in a string
	for {
		for i := 0; i < len(val); i++ {
			switch c := val[i]; c {
			case ' ':
				continue
			case '"':
				if strings.IndexByte("{[,:", last) < 0 {
					return false
				}
				n := quoteEnd(val[i:])
				if n < 0 {
					return false
				}
				i += n - 1
			case '\'', '#', '&', '*', '!', '?', '|', '>', '%', '@', '`':
				return false
			case '[', '{':
				depth++
			case ']', '}':
				if depth--; depth == 0 {
					return isBlankOrComment(val[i+1:])
				}
			}
			last = val[i]
		}
		if !s.next() {
			return false
		}
		val = s.line
		if len(val) > 0 && val[0] != ' ' && (!top || val[0] != '}' && val[0] != ']') {
			return false
		}
	}
}

// checkHeader reports whether a header is UTF-8 without tabs and the characters
// that YAML refuses or takes for line ends, and whether it may hold skill_key.
func checkHeader(b []byte) (mayHaveKey, ok bool) {
	ascii := true
	for i, c := range b {
		switch {
		case c == 's' || c == 'S':
			mayHaveKey = mayHaveKey || isSkillKey(b[i+1:])
		case c == '\\':
			mayHaveKey = true // an escape may hide it
		case ' ' <= c && c < 0x7f || c == '\n' || c == '\r' && i+1 < len(b) && b[i+1] == '\n':
		case c < utf8.RuneSelf:
			return false, false
		default:
			ascii = false
			switch next := b[i+1 : min(i+3, len(b))]; {
			case c == 0xc2 && len(next) > 0 && next[0] < 0xa0, // C1 controls
				c == 0xe2 && (string(next) == "\x80\xa8" || string(next) == "\x80\xa9"),                               // U+2028, U+2029
				c == 0xef && (string(next) == "\xbb\xbf" || string(next) == "\xbf\xbe" || string(next) == "\xbf\xbf"): // U+FEFF, U+FFFE, U+FFFF
				return false, false
			}
		}
	}
	return mayHaveKey, ascii || utf8.Valid(b)
}

// isSkillKey reports whether skill_key, in any spelling, goes on as rest after
// its first letter.
func isSkillKey(rest []byte) bool {
	if len(rest) < len("killkey") || !bytes.EqualFold(rest[:4], []byte("kill")) {
		return false
	}
	rest = rest[4:]
	if rest[0] == '_' || rest[0] == '-' {
		rest = rest[1:]
	}
	return len(rest) >= 3 && bytes.EqualFold(rest[:3], []byte("key"))
}
