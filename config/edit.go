package config

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/matrix-nexus/skillkit/metadata"
)

// setEnv returns data with the variable name of the skill set to value, and
// everything else as it is, byte for byte. The error is a [*SyntaxError] if
// data cannot be read, and never holds the value.
func setEnv(file string, data []byte, skill, name, value string) ([]byte, error) {
	if _, _, err := Parse(file, data); err != nil {
		return nil, err
	}
	path := []string{"skills", skill, "env", name}
	want := documents(data)
	if len(want) == 0 {
		want = []*yaml.Node{null()}
	}
	e := newEditor(data, want[0])
	after, node := e.set(want[0], path, value)
	at := metadata.Position{Line: max(node.Line, 1), Column: max(node.Column, 1)}
	if len(after) > MaxFile {
		return nil, &SyntaxError{file, metadata.Position{}, fmt.Sprintf("would become larger than the limit of %d bytes", MaxFile)}
	}
	// YAML has too many ways to write a thing for any edit to be beyond doubt.
	if after != nil && put(want[0], path, value) && slices.EqualFunc(want, documents(after), same) {
		return after, nil
	}
	where := "skills"
	for _, key := range path[1:] {
		where = dotted(where, key)
	}
	return nil, &SyntaxError{file, at, "cannot be edited in this form, so nothing was changed; write " + where + " by hand"}
}

// documents returns the roots of the YAML documents in data, as far as they
// can be read.
func documents(data []byte) (roots []*yaml.Node) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var doc yaml.Node
		if err := dec.Decode(&doc); err != nil {
			return roots
		}
		roots = append(roots, doc.Content[0])
	}
}

func null() *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"} }

// same reports whether a and b say the same, in whatever style.
func same(a, b *yaml.Node) bool {
	return a.Kind == b.Kind && a.Value == b.Value && a.Anchor == b.Anchor && a.ShortTag() == b.ShortTag() &&
		slices.EqualFunc(a.Content, b.Content, same)
}

// put sets the text at path below n, and reports whether that is possible.
func put(n *yaml.Node, path []string, value string) bool {
	for _, key := range path {
		if unset(n) {
			*n = yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		}
		if n.Kind != yaml.MappingNode {
			return false
		}
		_, next := member(n, key)
		if next == nil {
			next = null()
			n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, next)
		}
		n = next
	}
	if !holds(n, value) {
		*n = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value}
	}
	return true
}

// member returns the last of the entries of a mapping with that key, which is
// the one that is read, or nil.
func member(n *yaml.Node, name string) (key, value *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if k := n.Content[i]; k.Kind == yaml.ScalarNode && k.Value == name {
			key, value = k, n.Content[i+1]
		}
	}
	return key, value
}

// bare reports whether n has neither an anchor nor a tag.
func bare(n *yaml.Node) bool { return n.Anchor == "" && n.Style&yaml.TaggedStyle == 0 }

// holds reports whether n is read as value.
func holds(n *yaml.Node, value string) bool {
	return n.Kind == yaml.ScalarNode && n.Value == value && bare(n) && !unset(n)
}

// unset reports whether n is nothing at all, or "null" or "~".
func unset(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" && bare(n)
}

// An editor knows where the nodes of a text are.
type editor struct {
	data    []byte
	lines   []int  // where each line starts
	newline string // that of the first line
	indent  int    // how many blanks further in a mapping in a mapping is
}

func newEditor(data []byte, root *yaml.Node) *editor {
	e := &editor{data: data, newline: "\n", indent: 2}
	at := len(data) - len(bytes.TrimPrefix(data, []byte("\ufeff")))
	e.lines = []int{at}
	for at < len(data) {
		n := lineBreak(data[at:])
		if n == 0 {
			at++
			continue
		}
		if len(e.lines) == 1 {
			e.newline = string(data[at : at+n])
		}
		at += n
		e.lines = append(e.lines, at)
	}
	for n := root; n.Kind == yaml.MappingNode && len(n.Content) > 0; {
		i := 1
		for i < len(n.Content) && (n.Content[i].Kind != yaml.MappingNode || n.Content[i].Style&yaml.FlowStyle != 0) {
			i += 2
		}
		if i >= len(n.Content) {
			break
		}
		if further := n.Content[i].Column - n.Content[i-1].Column; further > 0 && bare(n.Content[i]) {
			e.indent = further
			break
		}
		n = n.Content[i]
	}
	return e
}

// lineBreak returns the length of the line break that data starts with, or 0.
func lineBreak(data []byte) int {
	for _, s := range []string{"\r\n", "\n", "\r", "\u0085", "\u2028", "\u2029"} { // all that yaml.v3 counts
		if bytes.HasPrefix(data, []byte(s)) {
			return len(s)
		}
	}
	return 0
}

// offset returns where n starts.
func (e *editor) offset(n *yaml.Node) int {
	if n.Line < 1 || n.Line > len(e.lines) {
		return len(e.data)
	}
	at := e.lines[n.Line-1]
	for range n.Column - 1 {
		_, size := utf8.DecodeRune(e.data[at:])
		at += size
	}
	return at
}

// lineEnd returns where the line ends that holds the byte at offset.
func (e *editor) lineEnd(at int) int {
	for at < len(e.data) && lineBreak(e.data[at:]) == 0 {
		at++
	}
	return at
}

// splice returns the text with that from start to end replaced.
func (e *editor) splice(start, end int, text string) []byte {
	return slices.Concat(e.data[:start], []byte(text), e.data[end:])
}

// set returns the text with value at path below root, or nil, and the node
// that it is put into or in place of.
func (e *editor) set(root *yaml.Node, path []string, value string) ([]byte, *yaml.Node) {
	if root.Kind != yaml.MappingNode { // nothing, since it was parsed
		text := e.block(0, path, value)
		if end := e.lines[len(e.lines)-1]; end < len(e.data) {
			return e.splice(len(e.data), len(e.data), e.newline+text), root
		}
		return e.splice(len(e.data), len(e.data), text+e.newline), root
	}
	n := root
	var key *yaml.Node
	flow := false
	for i, name := range path {
		if unset(n) {
			return e.fill(key, n, flow, path[i:], value), n
		}
		if n.Kind != yaml.MappingNode {
			return nil, n
		}
		flow = flow || n.Style&yaml.FlowStyle != 0
		k, next := member(n, name)
		if next == nil {
			return e.add(n, flow, path[i:], value), n
		}
		key, n = k, next
	}
	switch {
	case n.Kind != yaml.ScalarNode || !bare(n):
		return nil, n
	case holds(n, value):
		return e.data, n
	}
	return e.replace(n, strconv.Quote(value)), n
}

// replace returns the text with another value in place of the scalar n.
func (e *editor) replace(n *yaml.Node, text string) []byte {
	start := e.offset(n)
	end := e.end(n)
	if start == end && start > 0 && !isBlank(e.data[start-1]) {
		text = " " + text
	}
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		// A comment may follow the sign on its line.
		sign := start + len(e.data[start:]) - len(bytes.TrimLeft(e.data[start:], "|>+-0123456789"))
		text += string(e.data[sign:e.lineEnd(sign)])
	}
	return e.splice(start, end, text)
}

// fill returns the text with a mapping in place of n, which is unset and the
// value of key.
func (e *editor) fill(key, n *yaml.Node, flow bool, path []string, value string) []byte {
	if flow || n.Value != "" {
		return e.replace(n, "{"+inline(path, value)+"}")
	}
	at := e.lineEnd(e.offset(n))
	return e.splice(at, at, e.newline+e.block(key.Column-1+e.indent, path, value))
}

// add returns the text with another entry at the end of the mapping n.
func (e *editor) add(n *yaml.Node, flow bool, path []string, value string) []byte {
	switch {
	case len(n.Content) == 0:
		at := e.offset(n)
		if !bare(n) || !bytes.HasPrefix(e.data[at:], []byte("{")) {
			return nil
		}
		return e.splice(at+1, at+1, inline(path, value))
	case flow:
		at := e.end(n.Content[len(n.Content)-1])
		return e.splice(at, at, ", "+inline(path, value))
	}
	at := e.lineEnd(e.end(n.Content[len(n.Content)-1]))
	return e.splice(at, at, e.newline+e.block(n.Content[0].Column-1, path, value))
}

// block returns the lines of an entry that is indented by so many blanks,
// without the last line break.
func (e *editor) block(indent int, path []string, value string) string {
	var b strings.Builder
	for i, key := range path {
		if i > 0 {
			b.WriteString(e.newline)
		}
		b.WriteString(strings.Repeat(" ", indent+i*e.indent) + keyText(key) + ":")
	}
	return b.String() + " " + strconv.Quote(value)
}

// inline returns an entry for a mapping in braces.
func inline(path []string, value string) string {
	text := strconv.Quote(value)
	for i, key := range slices.Backward(path) {
		text = keyText(key) + ": " + text
		if i > 0 {
			text = "{" + text + "}"
		}
	}
	return text
}

// keyText returns key in quotes, if it needs any. What [strconv.Quote] makes
// of UTF-8 means the same in YAML.
func keyText(key string) string {
	other := func(r rune) bool {
		return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}
	if strings.ContainsFunc(key, other) || strings.Trim(key, "-0123456789") != key && key[0] < 'A' {
		return strconv.Quote(key)
	}
	switch strings.ToLower(key) {
	case "", "null", "true", "false", "yes", "no", "on", "off", "y", "n":
		return strconv.Quote(key)
	}
	return key
}
