package jsonrpc

import "encoding/json"

// Value decodes text, one JSON value, as encoding/json does into an any, with
// numbers as [json.Number]: at a third of the cost, which counts where every call
// has its arguments checked.
func Value(text []byte) (v any, ok bool) {
	s := scanner{text: text}
	s.space()
	if v, ok = s.any(0); !ok {
		return nil, false
	}
	s.space()
	return v, s.at == len(text)
}

func (s *scanner) any(depth int) (any, bool) {
	start := s.at
	switch s.peek() {
	case '{':
		return s.anyObject(depth + 1)
	case '[':
		return s.anyArray(depth + 1)
	}
	if !s.value(depth) {
		return nil, false
	}
	switch word := s.text[start:s.at]; word[0] {
	case '"':
		return Text(word)
	case 't', 'f':
		return word[0] == 't', true
	case 'n':
		return nil, true
	default:
		return json.Number(word), true
	}
}

func (s *scanner) anyObject(depth int) (any, bool) {
	m := map[string]any{}
	if depth > maxDepth || !s.open('{', '}') {
		return m, depth <= maxDepth
	}
	for {
		start := s.at
		if !s.string() {
			return nil, false
		}
		key, _ := Text(s.text[start:s.at])
		s.space()
		if !s.byte(':') {
			return nil, false
		}
		s.space()
		v, ok := s.any(depth)
		if !ok {
			return nil, false
		}
		m[key] = v
		if more, ok := s.next('}'); !more {
			return m, ok
		}
	}
}

func (s *scanner) anyArray(depth int) (any, bool) {
	l := []any{}
	if depth > maxDepth || !s.open('[', ']') {
		return l, depth <= maxDepth
	}
	for {
		v, ok := s.any(depth)
		if !ok {
			return nil, false
		}
		l = append(l, v)
		if more, ok := s.next(']'); !more {
			return l, ok
		}
	}
}

// open goes to the first element, and reports whether there is one.
func (s *scanner) open(begin, end byte) bool {
	s.byte(begin)
	s.space()
	return !s.byte(end)
}

// next goes to the next element. If there is none, ok says whether the end is
// there.
func (s *scanner) next(end byte) (more, ok bool) {
	s.space()
	if s.byte(end) {
		return false, true
	}
	more = s.byte(',')
	s.space()
	return more, false
}
