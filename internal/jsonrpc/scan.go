package jsonrpc

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math/bits"
	"unicode/utf8"
)

// maxDepth is how deep values may be nested, as in encoding/json.
const maxDepth = 10000

// Members calls f for each member of a JSON object, in its order. It reports
// whether text is one object and nothing else; f has been called for the members
// before a fault. The key is unquoted; both slices may be part of text.
func Members(text []byte, f func(key, value []byte)) bool {
	s := scanner{text: text}
	s.space()
	if !s.object(1, f) {
		return false
	}
	s.space()
	return s.at == len(text)
}

// Valid reports whether text is one JSON value, as [json.Valid] does.
func Valid(text []byte) bool {
	s := scanner{text: text}
	s.space()
	if !s.value(0) {
		return false
	}
	s.space()
	return s.at == len(text)
}

// Text returns the text of a JSON string, valid UTF-8, and whether value is one.
func Text(value []byte) (text string, ok bool) {
	s := scanner{text: value}
	if !s.string() || s.at != len(value) {
		return "", false
	}
	inner := value[1 : len(value)-1]
	if bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner), true
	}
	err := json.Unmarshal(value, &text)
	return text, err == nil
}

// A scanner goes over JSON. Its methods report whether they found what they are
// named for, which begins at the place where the scanner is; it is behind it then.
type scanner struct {
	text []byte
	at   int
	key  []byte // the last one of the object whose members are asked for
}

// peek returns the byte at which s is, or 0 at the end.
func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

func (s *scanner) byte(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.at++
	return true
}

func (s *scanner) space() {
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return
		}
	}
}

func (s *scanner) value(depth int) bool {
	switch c := s.peek(); c {
	case '{':
		return s.object(depth+1, nil)
	case '[':
		return s.array(depth + 1)
	case '"':
		return s.string()
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	default:
		return s.number()
	}
}

func (s *scanner) object(depth int, f func(key, value []byte)) bool {
	if depth > maxDepth || !s.byte('{') {
		return false
	}
	s.space()
	if s.byte('}') {
		return true
	}
	for {
		start := s.at
		if !s.string() {
			return false
		}
		key := s.text[start:s.at]
		if f != nil {
			key = unquoteKey(key)
			s.key = key
		}
		s.space()
		if !s.byte(':') {
			return false
		}
		s.space()
		start = s.at
		if !s.value(depth) {
			return false
		}
		if f != nil {
			f(key, s.text[start:s.at:s.at])
		}
		s.space()
		if s.byte('}') {
			return true
		}
		if !s.byte(',') {
			return false
		}
		s.space()
	}
}

// unquoteKey returns the name that a string is.
func unquoteKey(key []byte) []byte {
	if bytes.IndexByte(key, '\\') < 0 {
		return key[1 : len(key)-1]
	}
	text, _ := Text(key)
	return []byte(text)
}

func (s *scanner) array(depth int) bool {
	if depth > maxDepth || !s.byte('[') {
		return false
	}
	s.space()
	if s.byte(']') {
		return true
	}
	for {
		if !s.value(depth) {
			return false
		}
		s.space()
		if s.byte(']') {
			return true
		}
		if !s.byte(',') {
			return false
		}
		s.space()
	}
}

func (s *scanner) word(w string) bool {
	if !bytes.HasPrefix(s.text[s.at:], []byte(w)) {
		return false
	}
	s.at += len(w)
	return true
}

func (s *scanner) string() bool {
	if !s.byte('"') {
		return false
	}
	for {
		s.at += plain(s.text[s.at:])
		switch s.peek() {
		case '"':
			s.at++
			return true
		case '\\':
			if !s.escape() {
				return false
			}
		default: // a control character or the end
			return false
		}
	}
}

// plain returns how many bytes at the start of b stand for themselves in a string.
func plain(b []byte) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	n := 0
	for ; n+8 <= len(b); n += 8 { // eight bytes at a time
		x := binary.LittleEndian.Uint64(b[n:])
		quote, slash := x^(ones*'"'), x^(ones*'\\')
		// The lowest of these bits is that of the first such byte.
		if found := ((x-ones*' ')&^x | (quote-ones)&^quote | (slash-ones)&^slash) & high; found != 0 {
			return n + bits.TrailingZeros64(found)/8
		}
	}
	for n < len(b) && b[n] >= ' ' && b[n] != '"' && b[n] != '\\' {
		n++
	}
	return n
}

func (s *scanner) escape() bool {
	s.at++
	switch s.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.at++
		return true
	case 'u':
		s.at++
		for range 4 {
			switch c := s.peek(); {
			case '0' <= c && c <= '9', 'a' <= c && c <= 'f', 'A' <= c && c <= 'F':
				s.at++
			default:
				return false
			}
		}
		return true
	}
	return false
}

func (s *scanner) number() bool {
	s.byte('-')
	if !s.byte('0') && !s.digits() {
		return false
	}
	if s.byte('.') && !s.digits() {
		return false
	}
	if s.byte('e') || s.byte('E') {
		if !s.byte('+') {
			s.byte('-')
		}
		return s.digits()
	}
	return true
}

func (s *scanner) digits() bool {
	start := s.at
	for s.at < len(s.text) && '0' <= s.text[s.at] && s.text[s.at] <= '9' {
		s.at++
	}
	return s.at > start
}
