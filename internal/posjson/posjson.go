// Package posjson reads JSON, strict or relaxed, into a tree that knows where in
// the text each value stands.
package posjson

import (
	"encoding/json"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxDepth is how deep lists and objects may be nested.
const MaxDepth = 100

// TooDeep is the text of the error for deeper nesting.
const TooDeep = "nested too deeply"

// A Kind is the kind of a [Node].
type Kind uint8

const (
	Null Kind = iota
	Bool
	Number
	String
	List
	Object
)

// String returns the name of k for messages.
func (k Kind) String() string {
	return [...]string{"null", "a boolean", "a number", "text", "a list", "an object"}[k]
}

// A Node is a value.
type Node struct {
	Kind       Kind
	Start, End int    // offsets in the text
	Text       string // of a Bool and a Number as written, of a String what it stands for
	Items      []Node
	Members    []Member // in the order of the text, all those with equal keys

	last map[string]int // the index of the last member with a key, once there are many
}

// manyMembers is from how many members on they are found by hash.
const manyMembers = 32

// A Member is a key of an object with its value.
type Member struct {
	Key   string
	Start int // the offset of the key
	Val   Node
}

// Member returns the last member with this key, or nil.
func (n *Node) Member(key string) *Member {
	if n.last != nil {
		if i, ok := n.last[key]; ok {
			return &n.Members[i]
		}
		return nil
	}
	for i := len(n.Members) - 1; i >= 0; i-- {
		if n.Members[i].Key == key {
			return &n.Members[i]
		}
	}
	return nil
}

// AppendJSON appends n as strict JSON without blanks.
func (n *Node) AppendJSON(b []byte) []byte {
	switch n.Kind {
	case List:
		b = append(b, '[')
		for i := range n.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = n.Items[i].AppendJSON(b)
		}
		return append(b, ']')
	case Object:
		b = append(b, '{')
		for i := range n.Members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, n.Members[i].Key), ':')
			b = n.Members[i].Val.AppendJSON(b)
		}
		return append(b, '}')
	case String:
		return appendString(b, n.Text)
	case Null:
		return append(b, "null"...)
	}
	return append(b, n.Text...)
}

func appendString(b []byte, s string) []byte {
	q, _ := json.Marshal(s) // a string always has a form
	return append(b, q...)
}

// An Error is a fault in JSON text.
type Error struct {
	Offset int
	Msg    string
}

func (e *Error) Error() string { return e.Msg }

// Parse reads the JSON value at the start of text, strictly, else as
// relaxed JSON: with trailing commas, single quotes, bare keys and comments.
// end is the offset of what follows the value and the blanks after it. strict
// is not nil if the text had to be read as relaxed JSON, and says why.
func Parse(text string) (n Node, end int, strict, err *Error) {
	p := parser{s: text}
	n, err = p.document()
	if err != nil {
		strict = err
		p = parser{s: text, relaxed: true}
		if n, err = p.document(); err != nil {
			return Node{}, 0, strict, err
		}
	}
	return n, p.i, strict, nil
}

type parser struct {
	s       string
	i       int
	depth   int
	relaxed bool
	edits   *[]Edit // those that make the text strict, unless nil
}

func (p *parser) document() (Node, *Error) {
	p.blanks()
	n, err := p.value()
	if err == nil {
		p.blanks()
	}
	return n, err
}

func (p *parser) fail(msg string) *Error {
	if p.i >= len(p.s) {
		msg = "unexpected end of JSON"
	}
	return &Error{p.i, msg}
}

// blanks skips white space, and comments in relaxed JSON.
func (p *parser) blanks() {
	for p.i < len(p.s) {
		start := p.i
		switch c := p.s[p.i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			p.i++
			continue
		case p.relaxed && strings.HasPrefix(p.s[p.i:], "\u00a0"):
			p.i += len("\u00a0")
		case p.relaxed && c == '\\' && p.i+1 < len(p.s) && strings.IndexByte("[]{}", p.s[p.i+1]) >= 0:
			p.i++ // Markdown escapes brackets
		case p.relaxed && strings.HasPrefix(p.s[p.i:], "//"):
			if n := strings.IndexAny(p.s[p.i:], "\r\n"); n >= 0 {
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
		p.edit(start, p.i, "")
	}
}

func (p *parser) peek() byte {
	if p.i < len(p.s) {
		return p.s[p.i]
	}
	return 0
}

func (p *parser) value() (n Node, err *Error) {
	n.Start = p.i
	switch c := p.peek(); {
	case c == '{':
		n.Kind = Object
		err = p.object(&n)
	case c == '[':
		n.Kind = List
		err = p.list(&n)
	case c == '"', c == '\'' && p.relaxed:
		n.Kind = String
		n.Text, err = p.str()
	default:
		err = p.word(&n)
	}
	n.End = p.i
	return n, err
}

func (p *parser) word(n *Node) *Error {
	end := p.i
	for end < len(p.s) && isBare(p.s[end]) {
		end++
	}
	switch word := p.s[p.i:end]; {
	case word == "null":
	case word == "true", word == "false":
		n.Kind, n.Text = Bool, word
	case IsNumber(word):
		n.Kind, n.Text = Number, word
	default:
		return p.fail("expected a JSON value")
	}
	p.i = end
	return nil
}

func (p *parser) object(n *Node) *Error {
	if p.depth++; p.depth > MaxDepth {
		return &Error{n.Start, TooDeep}
	}
	p.i++
	comma := 0
	for {
		p.blanks()
		if p.peek() == '}' && (p.relaxed || len(n.Members) == 0) {
			if comma > 0 {
				p.edit(comma, comma+1, "")
			}
			break
		}
		m := Member{Start: p.i}
		var err *Error
		if m.Key, err = p.key(); err != nil {
			return err
		}
		p.blanks()
		if p.peek() != ':' {
			return p.fail(`expected ":" after a key`)
		}
		p.i++
		p.blanks()
		if m.Val, err = p.value(); err != nil {
			return err
		}
		n.Members = append(n.Members, m)
		p.blanks()
		if p.peek() == '}' {
			break
		}
		if p.peek() != ',' {
			return p.fail(`expected "," or "}"`)
		}
		comma = p.i
		p.i++
	}
	if len(n.Members) >= manyMembers {
		n.last = make(map[string]int, len(n.Members))
		for i, m := range n.Members {
			n.last[m.Key] = i
		}
	}
	p.i++
	p.depth--
	return nil
}

func (p *parser) list(n *Node) *Error {
	if p.depth++; p.depth > MaxDepth {
		return &Error{n.Start, TooDeep}
	}
	p.i++
	comma := 0
	for {
		p.blanks()
		if p.peek() == ']' && (p.relaxed || len(n.Items) == 0) {
			if comma > 0 {
				p.edit(comma, comma+1, "")
			}
			break
		}
		item, err := p.value()
		if err != nil {
			return err
		}
		n.Items = append(n.Items, item)
		p.blanks()
		if p.peek() == ']' {
			break
		}
		if p.peek() != ',' {
			return p.fail(`expected "," or "]"`)
		}
		comma = p.i
		p.i++
	}
	p.i++
	p.depth--
	return nil
}

func (p *parser) key() (string, *Error) {
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
	p.edit(p.i, p.i+n, `"`+key+`"`)
	p.i += n
	return key, nil
}

// str reads the string at p.i.
func (p *parser) str() (string, *Error) {
	start := p.i
	text, err := p.quoted()
	if p.edits != nil && err == nil && !isStrictString(p.s[start:p.i]) {
		p.edit(start, p.i, string(appendString(nil, text)))
	}
	return text, err
}

func (p *parser) quoted() (string, *Error) {
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
func (p *parser) escaped(quote byte, head string) (string, *Error) {
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

// IsNumber reports whether s has the form of a number in JSON.
func IsNumber(s string) bool {
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
