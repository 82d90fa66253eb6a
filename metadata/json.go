package metadata

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A jsonError is a fault in JSON text.
type jsonError struct {
	pos Position
	msg string
}

func (e *jsonError) Error() string { return e.msg }

// parseJSON reads the JSON value at the start of text, strictly, else as
// relaxed JSON: with trailing commas, single quotes, bare keys and comments.
// end is the offset of what follows the value and the blanks after it. dup is
// called for each key that is given twice.
func parseJSON(text string, loc locator, dup func(key string, pos, old Position)) (v *value, end int, relaxed bool, err *jsonError) {
	loc.text = text
	p := jsonParser{s: text, loc: loc}
	v, err = p.document()
	if err != nil {
		relaxed = true
		q := jsonParser{s: text, loc: loc, relaxed: true}
		var rerr *jsonError
		if v, rerr = q.document(); rerr != nil {
			return nil, 0, true, rerr
		}
		p = q
	}
	for _, d := range p.dups {
		dup(d.key, d.pos, d.old)
	}
	return v, p.i, relaxed, nil
}

type jsonParser struct {
	s       string
	i       int
	depth   int
	relaxed bool
	loc     locator
	dups    []duplicate
}

type duplicate struct {
	key      string
	pos, old Position
}

func (p *jsonParser) document() (*value, *jsonError) {
	p.blanks()
	v, err := p.value()
	if err != nil {
		return nil, err
	}
	p.blanks()
	return v, nil
}

func (p *jsonParser) fail(msg string) *jsonError {
	if p.i >= len(p.s) {
		msg = "unexpected end of JSON"
	}
	return &jsonError{p.loc.at(p.i), msg}
}

// blanks skips white space, and comments in relaxed JSON.
func (p *jsonParser) blanks() {
	for p.i < len(p.s) {
		switch c := p.s[p.i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			p.i++
		case p.relaxed && strings.HasPrefix(p.s[p.i:], "\u00a0"):
			p.i += len("\u00a0")
		case p.relaxed && c == '\\' && p.i+1 < len(p.s) && strings.IndexByte("[]{}", p.s[p.i+1]) >= 0:
			p.i++ // Markdown escapes brackets
		case p.relaxed && strings.HasPrefix(p.s[p.i:], "//"):
			if n := strings.IndexByte(p.s[p.i:], '\n'); n >= 0 {
				p.i += n
			} else {
				p.i = len(p.s)
			}
		case p.relaxed && strings.HasPrefix(p.s[p.i:], "/*"):
			if n := strings.Index(p.s[p.i+2:], "*/"); n >= 0 {
				p.i += 2 + n + 2
			} else {
				p.i = len(p.s)
			}
		default:
			return
		}
	}
}

func (p *jsonParser) peek() byte {
	if p.i < len(p.s) {
		return p.s[p.i]
	}
	return 0
}

func (p *jsonParser) value() (*value, *jsonError) {
	v := &value{pos: p.loc.at(p.i)}
	switch c := p.peek(); {
	case c == '{':
		return p.object(v)
	case c == '[':
		return p.list(v)
	case c == '"', c == '\'' && p.relaxed:
		var err *jsonError
		v.kind = kindText
		v.text, err = p.str()
		return v, err
	}
	n := 0
	for p.i+n < len(p.s) && isBare(p.s[p.i+n]) {
		n++
	}
	switch word := p.s[p.i : p.i+n]; {
	case word == "null":
	case word == "true", word == "false":
		v.kind, v.text = kindBool, word
	case isJSONNumber(word):
		v.kind, v.text = kindNumber, word
	default:
		return nil, p.fail("expected a JSON value")
	}
	p.i += n
	return v, nil
}

func (p *jsonParser) object(v *value) (*value, *jsonError) {
	v.kind = kindObject
	if p.depth++; p.depth > maxDepth {
		return nil, &jsonError{v.pos, errTooDeep.Error()}
	}
	p.i++
	for {
		p.blanks()
		if p.peek() == '}' && (p.relaxed || len(v.members) == 0) {
			break
		}
		m := member{pos: p.loc.at(p.i)}
		var err *jsonError
		if m.key, err = p.key(); err != nil {
			return nil, err
		}
		p.blanks()
		if p.peek() != ':' {
			return nil, p.fail(`expected ":" after a key`)
		}
		p.i++
		p.blanks()
		if m.val, err = p.value(); err != nil {
			return nil, err
		}
		if old, dup := v.set(m); dup {
			p.dups = append(p.dups, duplicate{m.key, m.pos, old})
		}
		p.blanks()
		if p.peek() == '}' {
			break
		}
		if p.peek() != ',' {
			return nil, p.fail(`expected "," or "}"`)
		}
		p.i++
	}
	p.i++
	p.depth--
	return v, nil
}

func (p *jsonParser) list(v *value) (*value, *jsonError) {
	v.kind = kindList
	if p.depth++; p.depth > maxDepth {
		return nil, &jsonError{v.pos, errTooDeep.Error()}
	}
	p.i++
	for {
		p.blanks()
		if p.peek() == ']' && (p.relaxed || len(v.items) == 0) {
			break
		}
		item, err := p.value()
		if err != nil {
			return nil, err
		}
		v.items = append(v.items, item)
		p.blanks()
		if p.peek() == ']' {
			break
		}
		if p.peek() != ',' {
			return nil, p.fail(`expected "," or "]"`)
		}
		p.i++
	}
	p.i++
	p.depth--
	return v, nil
}

func (p *jsonParser) key() (string, *jsonError) {
	if c := p.peek(); c == '"' || c == '\'' && p.relaxed {
		return p.str()
	}
	n := 0
	for p.relaxed && p.i+n < len(p.s) && isBare(p.s[p.i+n]) {
		n++
	}
	if n == 0 {
		return "", p.fail("expected a key in quotes")
	}
	key := p.s[p.i : p.i+n]
	p.i += n
	return key, nil
}

// str reads the string at p.i.
func (p *jsonParser) str() (string, *jsonError) {
	quote := p.s[p.i]
	start := p.i + 1
	for i := start; i < len(p.s); i++ {
		switch c := p.s[i]; {
		case c == quote:
			p.i = i + 1
			return p.s[start:i], nil
		case c == '\\' || c < ' ':
			p.i = i
			return p.escaped(quote, p.s[start:i])
		}
	}
	return "", p.fail("a string is not closed")
}

// escaped reads the rest of a string in which not every byte stands for
// itself.
func (p *jsonParser) escaped(quote byte, head string) (string, *jsonError) {
	var b strings.Builder
	b.WriteString(head)
	for p.i < len(p.s) {
		c := p.s[p.i]
		switch {
		case c == quote:
			p.i++
			return b.String(), nil
		case c < ' ' && (!p.relaxed || c == '\n'):
			return "", p.fail("a control character in a string")
		case c != '\\':
			b.WriteByte(c)
			p.i++
			continue
		}
		if p.i+1 >= len(p.s) {
			break
		}
		switch e := p.s[p.i+1]; e {
		case '"', '\\', '/':
			b.WriteByte(e)
		case 'b':
			b.WriteByte('\b')
		case 'f':
			b.WriteByte('\f')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case 'u':
			r, ok := hex4(p.s[p.i+2:])
			if !ok {
				return "", p.fail("a bad \\u escape in a string")
			}
			p.i += 4
			if utf16.IsSurrogate(r) {
				low, ok := rune(0), false
				if strings.HasPrefix(p.s[p.i+2:], `\u`) {
					low, ok = hex4(p.s[p.i+4:])
				}
				if r = utf16.DecodeRune(r, low); ok && r != utf8.RuneError {
					p.i += 6
				}
			}
			b.WriteRune(r)
		default:
			if !p.relaxed || e != '\'' {
				return "", p.fail("a bad escape in a string")
			}
			b.WriteByte(e)
		}
		p.i += 2
	}
	p.i = len(p.s)
	return "", p.fail("a string is not closed")
}

func hex4(s string) (r rune, ok bool) {
	if len(s) < 4 {
		return 0, false
	}
	for _, c := range []byte(s[:4]) {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// isBare reports whether c may be part of a word without quotes.
func isBare(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
		c == '_' || c == '-' || c == '$' || c == '.' || c == '+'
}

// isJSONNumber reports whether s has the form of a number in JSON.
func isJSONNumber(s string) bool {
	digits := func() bool {
		n := 0
		for n < len(s) && '0' <= s[n] && s[n] <= '9' {
			n++
		}
		s = s[n:]
		return n > 0
	}
	s = strings.TrimPrefix(s, "-")
	if strings.HasPrefix(s, "0") {
		s = s[1:]
	} else if !digits() {
		return false
	}
	if strings.HasPrefix(s, ".") {
		if s = s[1:]; !digits() {
			return false
		}
	}
	if s != "" && (s[0] == 'e' || s[0] == 'E') {
		s = s[1:]
		if s != "" && (s[0] == '+' || s[0] == '-') {
			s = s[1:]
		}
		if !digits() {
			return false
		}
	}
	return s == ""
}
