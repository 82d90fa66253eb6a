package metadata

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/matrix-nexus/skillkit/internal/posjson"
)

// A kind is the kind of a [value].
type kind uint8

const (
	kindNull kind = iota
	kindBool
	kindNumber
	kindText
	kindList
	kindObject
	kindLost // could not be read; reported
)

// String returns the name of k for messages.
func (k kind) String() string {
	return [...]string{"null", "a boolean", "a number", "text", "a list", "a mapping", "unreadable"}[k]
}

// A value is a node of the tree that fields are decoded from, whether the text
// was YAML or JSON.
type value struct {
	kind    kind
	pos     Position
	text    string         // of a scalar, as written
	items   []*value       // of a list
	members []member       // of an object, in the order of the text
	index   map[string]int // of members, once there are many
	used    bool           // read as a field

	src   *source    // of a YAML scalar
	style yaml.Style // of a YAML scalar
}

// A member is a key of an object with its value.
type member struct {
	key string
	pos Position
	val *value
}

func (v *value) isScalar() bool { return v.kind < kindList }

// any returns v as encoding/json would decode it with UseNumber. A number that
// JSON has no form for is kept as text.
func (v *value) any() any {
	switch v.kind {
	case kindBool:
		return strings.EqualFold(v.text, "true")
	case kindNumber:
		if posjson.IsNumber(v.text) {
			return json.Number(v.text)
		}
		return v.text
	case kindText:
		return v.text
	case kindList:
		list := make([]any, len(v.items))
		for i, item := range v.items {
			list[i] = item.any()
		}
		return list
	case kindObject:
		m := make(map[string]any, len(v.members))
		for _, mem := range v.members {
			m[mem.key] = mem.val.any()
		}
		return m
	}
	return nil
}

// appendJSON appends v as JSON, keys in the order of the text.
func (v *value) appendJSON(b []byte) []byte {
	switch v.kind {
	case kindList:
		b = append(b, '[')
		for i, item := range v.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.appendJSON(b)
		}
		return append(b, ']')
	case kindObject:
		b = append(b, '{')
		for i, m := range v.members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendJSONString(b, m.key), ':')
			b = m.val.appendJSON(b)
		}
		return append(b, '}')
	case kindNumber:
		if posjson.IsNumber(v.text) {
			return append(b, v.text...)
		}
		return appendJSONString(b, v.text)
	case kindText:
		return appendJSONString(b, v.text)
	case kindBool:
		return strconv.AppendBool(b, strings.EqualFold(v.text, "true"))
	}
	return append(b, "null"...)
}

func appendJSONString(b []byte, s string) []byte {
	q, _ := json.Marshal(s) // a string always has a form
	return append(b, q...)
}

// equal reports whether v and w hold the same data, wherever they stand and
// in whatever order their keys are.
func (v *value) equal(w *value) bool {
	if v.kind != w.kind || v.text != w.text || len(v.items) != len(w.items) || len(v.members) != len(w.members) {
		return false
	}
	for i := range v.items {
		if !v.items[i].equal(w.items[i]) {
			return false
		}
	}
	for _, m := range v.members {
		if o := w.member(m.key); o == nil || !m.val.equal(o.val) {
			return false
		}
	}
	return true
}

// member returns the member with exactly this key, or nil.
func (v *value) member(key string) *member {
	if v.index != nil {
		if i, ok := v.index[key]; ok {
			return &v.members[i]
		}
		return nil
	}
	for i := range v.members {
		if v.members[i].key == key {
			return &v.members[i]
		}
	}
	return nil
}

// set adds a member to v. Of equal keys the last wins; old is the place of the
// one that lost.
func (v *value) set(m member) (old Position, dup bool) {
	if o := v.member(m.key); o != nil {
		old = o.pos
		*o = m
		return old, true
	}
	v.members = append(v.members, m)
	switch n := len(v.members); {
	case n == manyMembers:
		v.index = make(map[string]int)
		for i, m := range v.members {
			v.index[m.key] = i
		}
	case n > manyMembers:
		v.index[m.key] = n - 1
	}
	return Position{}, false
}

// manyMembers is from how many members on an object is searched by hash.
const manyMembers = 32

// detach forgets where the texts of a tree come from: it was read from lines
// that were changed, in which only the places where values start are right.
func (v *value) detach() {
	v.src = nil
	for _, item := range v.items {
		item.detach()
	}
	for _, m := range v.members {
		m.val.detach()
	}
}

// Limits on a tree. A header of MaxHeader bytes has at most half as many
// values, so only aliases exceed the second.
const (
	maxDepth  = posjson.MaxDepth
	maxValues = MaxHeader
)

var (
	errTooDeep = errors.New(posjson.TooDeep)
	errTooMany = errors.New("too many values; do not use aliases")
)

// A source is text of the file that is read as YAML.
type source struct {
	text string
	line int // the line of the file on which text starts

	// starts has the place in the file of each line as YAML counts lines.
	// It is nil where that is the same as ours: YAML also ends a line with
	// U+0085, U+2028 and U+2029.
	starts []Position
}

func newSource(text string, line int) *source {
	s := &source{text: text, line: line}
	if !strings.ContainsAny(text, "\u0085\u2028\u2029") {
		return s
	}
	pos := Position{line, 1}
	s.starts = append(s.starts, pos)
	for _, r := range text {
		pos.Column++
		switch r {
		case '\n':
			pos = Position{pos.Line + 1, 1}
			s.starts = append(s.starts, pos)
		case '\u0085', '\u2028', '\u2029':
			s.starts = append(s.starts, pos)
		}
	}
	return s
}

// position returns the place in the file of a place in the text, both counted
// from 1.
func (s *source) position(line, column int) Position {
	if s.starts == nil {
		return Position{s.line + line - 1, column}
	}
	if line > len(s.starts) {
		line = len(s.starts)
	}
	p := s.starts[line-1]
	return Position{p.Line, p.Column + column - 1}
}

// offset returns the offset in the text of a place in the file.
func (s *source) offset(pos Position) int {
	off := 0
	for range pos.Line - s.line {
		i := strings.IndexByte(s.text[off:], '\n')
		if i < 0 {
			return len(s.text)
		}
		off += i + 1
	}
	for range pos.Column - 1 {
		_, n := utf8.DecodeRuneInString(s.text[off:])
		off += n
	}
	return off
}

// A yamlTree turns YAML nodes into values.
type yamlTree struct {
	src   *source
	count int
	p     *parser
}

// value converts n. The error is errTooDeep or errTooMany.
func (t *yamlTree) value(n *yaml.Node, depth int) (*value, error) {
	if t.count++; t.count > maxValues {
		return nil, errTooMany
	}
	if depth > maxDepth {
		return nil, errTooDeep
	}
	v := &value{pos: t.src.position(n.Line, n.Column)}
	switch n.Kind {
	case yaml.AliasNode:
		w, err := t.value(n.Alias, depth+1)
		if err != nil {
			return nil, err
		}
		w.pos = v.pos
		return w, nil
	case yaml.SequenceNode:
		v.kind = kindList
		v.items = make([]*value, 0, len(n.Content))
		for _, c := range n.Content {
			item, err := t.value(c, depth+1)
			if err != nil {
				return nil, err
			}
			v.items = append(v.items, item)
		}
	case yaml.MappingNode:
		v.kind = kindObject
		v.members = make([]member, 0, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			m, err := t.member(n.Content[i], n.Content[i+1], depth)
			if err != nil {
				return nil, err
			}
			if old, dup := v.set(m); dup {
				t.p.duplicate(m.key, m.pos, old)
			}
		}
	default:
		v.kind, v.text = scalarKind(n), n.Value
		v.src, v.style = t.src, n.Style
	}
	return v, nil
}

func (t *yamlTree) member(k, n *yaml.Node, depth int) (m member, err error) {
	m.pos = t.src.position(k.Line, k.Column)
	m.key = k.Value
	if k.Kind != yaml.ScalarNode {
		// Such as {"bins": ["a"], ["b"]}, which is YAML.
		t.p.report(Warning, codeWrongType, m.pos, "a key is a list, a mapping or an alias; want text")
		m.key, m.val = "", &value{kind: kindLost, pos: m.pos}
		return m, nil
	}
	m.val, err = t.value(n, depth+1)
	return m, err
}

func scalarKind(n *yaml.Node) kind {
	switch n.Tag {
	case "!!null":
		return kindNull
	case "!!bool":
		return kindBool
	case "!!int", "!!float":
		return kindNumber
	}
	return kindText
}
