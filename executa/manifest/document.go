package manifest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/matrix-nexus/skillkit/internal/posjson"
	"github.com/matrix-nexus/skillkit/metadata"
)

// MaxFile is the size in bytes of the largest file that is read.
const MaxFile = 1 << 20

// A SyntaxError reports text in which there is no manifest.
type SyntaxError struct{ metadata.Problem }

func (e *SyntaxError) Error() string { return e.Problem.String() }

// A Document is the text that a manifest was read from. The zero Document is
// that of a manifest which was not read from text.
type Document struct {
	// File is the name that the reader was given.
	File string
	// Problems are sorted by position.
	Problems []metadata.Problem

	text  string
	root  posjson.Node
	lines []int // where each line of text starts
	runes []int // how many code points come before each block of text
}

// block is the number of bytes after which code points are counted anew, so
// that a place far out on a long line is found fast.
const block = 1 << 10

// maxProblems is how many problems of one file are reported.
const maxProblems = 100

// At returns the place of the value that pointer, a JSON pointer such as
// "/tools/0/name", leads to; of one that is not there, that of the nearest value
// around it. It is zero if there is no text.
func (d *Document) At(pointer string) metadata.Position {
	n, _ := d.find(pointer)
	return d.position(n.Start)
}

// KeyAt is like [Document.At] for the key of a member.
func (d *Document) KeyAt(pointer string) metadata.Position {
	i := strings.LastIndexByte(pointer, '/')
	if i < 0 {
		return d.At(pointer)
	}
	if n, ok := d.find(pointer[:i]); ok {
		if m := n.Member(unescape(pointer[i+1:])); m != nil {
			return d.position(m.Start)
		}
	}
	return d.At(pointer)
}

// Has reports whether there is a value other than null at pointer.
func (d *Document) Has(pointer string) bool {
	n, ok := d.find(pointer)
	return ok && n.Kind != posjson.Null
}

// find returns the value at pointer, or the nearest around it.
func (d *Document) find(pointer string) (n *posjson.Node, ok bool) {
	n = &d.root
	if pointer == "" {
		return n, true
	}
	for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if n.Kind == posjson.List {
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(n.Items) {
				return n, false
			}
			n = &n.Items[i]
			continue
		}
		m := n.Member(unescape(step))
		if m == nil {
			return n, false
		}
		n = &m.Val
	}
	return n, true
}

// Join returns the JSON pointer to the member key of what pointer leads to.
func Join(pointer, key string) string {
	return pointer + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}

func unescape(step string) string {
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
}

// index notes where lines start. A line ends with LF, CRLF or a lone CR, as in
// package metadata.
func (d *Document) index() {
	d.lines = []int{0}
	runes := 0
	for i := range len(d.text) {
		if i%block == 0 {
			d.runes = append(d.runes, runes)
		}
		c := d.text[i]
		if c&0xC0 != 0x80 {
			runes++
		}
		if c == '\n' || c == '\r' && (i+1 == len(d.text) || d.text[i+1] != '\n') {
			d.lines = append(d.lines, i+1)
		}
	}
	d.runes = append(d.runes, runes)
}

// position returns the place of an offset.
func (d *Document) position(offset int) metadata.Position {
	if d.lines == nil {
		return metadata.Position{}
	}
	line := sort.SearchInts(d.lines, offset+1) - 1
	return metadata.Position{Line: line + 1, Column: 1 + d.runesBefore(offset) - d.runesBefore(d.lines[line])}
}

func (d *Document) runesBefore(offset int) int {
	i := offset / block
	n := d.runes[i]
	for _, c := range []byte(d.text[i*block : offset]) {
		if c&0xC0 != 0x80 {
			n++
		}
	}
	return n
}

func (d *Document) report(severity metadata.Severity, code string, offset int, format string, args ...any) {
	if len(d.Problems) >= maxProblems {
		return
	}
	d.Problems = append(d.Problems, metadata.Problem{
		Code: code, Severity: severity, File: d.File,
		Position: d.position(offset), Message: fmt.Sprintf(format, args...),
	})
}

// parse reads the JSON object in data. A *SyntaxError is the only error.
func parse(file, defaultFile string, data []byte) (*Document, error) {
	d := &Document{File: cmp.Or(file, defaultFile)}
	fail := func(code string, pos metadata.Position, format string, args ...any) (*Document, error) {
		return nil, &SyntaxError{metadata.Problem{
			Code: code, Severity: metadata.Error, File: d.File,
			Position: pos, Message: fmt.Sprintf(format, args...),
		}}
	}
	start := metadata.Position{Line: 1, Column: 1}
	if len(data) > MaxFile {
		return fail(codeTooLarge, start, "the file has %d bytes; at most %d are read", len(data), MaxFile)
	}
	text, bom := strings.CutPrefix(string(data), "\ufeff")
	d.text = text
	d.index()
	if !utf8.ValidString(text) {
		at := 0
		for {
			if r, n := utf8.DecodeRuneInString(text[at:]); r == utf8.RuneError && n <= 1 {
				break
			} else {
				at += n
			}
		}
		return fail(codeNotUTF8, d.position(at), "the file is not UTF-8; save it as UTF-8")
	}
	n, end, strict, err := posjson.Parse(text)
	if err != nil {
		pos := d.position(err.Offset)
		if err.Msg == posjson.TooDeep {
			return fail(codeNotJSON, pos, "%s; at most %d lists and objects inside each other are read", err.Msg, posjson.MaxDepth)
		}
		return fail(codeNotJSON, pos, "not JSON: %s", err.Msg)
	}
	if n.Kind != posjson.Object {
		return fail(codeNotObject, d.position(n.Start), "the file holds %s; want an object", n.Kind)
	}
	d.root = n
	if bom {
		d.report(metadata.Error, codeNotStrict, 0, "the file starts with a byte order mark, which JSON readers refuse; save it without")
	}
	if strict != nil {
		d.report(metadata.Error, codeNotStrict, strict.Offset, "not strict JSON, so hosts refuse the file: %s", relaxation(text, strict))
	}
	if end < len(text) {
		d.report(metadata.Error, codeNotStrict, end, "text follows the JSON object, so hosts refuse the file; remove it")
	}
	d.duplicates(&n)
	return d, nil
}

// relaxation says what keeps text from being strict JSON.
func relaxation(text string, strict *posjson.Error) string {
	switch rest := text[strict.Offset:]; {
	case strings.HasPrefix(rest, "//"), strings.HasPrefix(rest, "/*"):
		return "a comment; remove it"
	case strings.HasPrefix(rest, "'"):
		return "single quotes; use double quotes"
	case strings.HasPrefix(rest, "}"), strings.HasPrefix(rest, "]"):
		return "a comma before the closing bracket; remove it"
	}
	return strict.Msg
}

// duplicates reports the keys that an object has twice.
func (d *Document) duplicates(n *posjson.Node) {
	for i := range n.Items {
		d.duplicates(&n.Items[i])
	}
	var seen map[string]int
	if len(n.Members) > 1 {
		seen = make(map[string]int, len(n.Members))
	}
	for i := range n.Members {
		m := &n.Members[i]
		if first, ok := seen[m.Key]; ok {
			d.report(metadata.Warning, codeDuplicateKey, m.Start,
				"the key %s was given on line %d already; the last one was read", quote(m.Key), d.position(first).Line)
		} else if seen != nil {
			seen[m.Key] = m.Start
		}
		d.duplicates(&m.Val)
	}
}

// quote returns s as a message shows it.
func quote(s string) string {
	const limit = 60 // code points
	if utf8.RuneCountInString(s) > limit {
		s = string([]rune(s)[:limit-1]) + "…"
	}
	return strconv.Quote(s)
}

// An object is a JSON object that is being read. The zero object has no members.
type object struct {
	d    *Document
	n    *posjson.Node
	at   string // the pointer to it
	read map[string]bool
}

func (d *Document) object(n *posjson.Node, at string) *object {
	return &object{d, n, at, map[string]bool{}}
}

// get returns the value of key if it is there and not null. The key counts as
// read.
func (o *object) get(key string) *posjson.Node {
	if o.n == nil {
		return nil
	}
	m := o.n.Member(key)
	if m == nil {
		return nil
	}
	o.read[key] = true
	if m.Val.Kind == posjson.Null {
		return nil
	}
	return &m.Val
}

// wrong reports that n, the value of key, is not what is wanted.
func (o *object) wrong(key string, n *posjson.Node, want string) {
	o.d.report(metadata.Warning, codeWrongType, n.Start, "%s is %s; want %s", key, n.Kind, want)
}

func (o *object) text(key string) string {
	n := o.get(key)
	if n == nil {
		return ""
	}
	return o.asText(key, n)
}

// asText returns n as text. A number or boolean is reported, and read as it
// was written.
func (o *object) asText(key string, n *posjson.Node) string {
	if n.Kind != posjson.String {
		o.wrong(key, n, "text")
	}
	return n.Text
}

// texts returns the list at key, with "" for an entry that cannot be read as
// text.
func (o *object) texts(key string) []string {
	var list []string
	for n := range o.items(key, "a list of texts") {
		list = append(list, o.asText("an entry of "+key, n))
	}
	return list
}

// items returns the entries of the list at key.
func (o *object) items(key, want string) iter.Seq[*posjson.Node] {
	return func(yield func(*posjson.Node) bool) {
		n := o.get(key)
		if n == nil {
			return
		}
		if n.Kind != posjson.List {
			o.wrong(key, n, want)
		}
		for i := range n.Items {
			if !yield(&n.Items[i]) {
				return
			}
		}
	}
}

// objects returns the objects in the list at key.
func (o *object) objects(key string) iter.Seq[*object] {
	return func(yield func(*object) bool) {
		i := -1
		for n := range o.items(key, "a list of objects") {
			i++
			if n.Kind != posjson.Object {
				o.wrong("an entry of "+key, n, "an object")
			} else if !yield(o.d.object(n, Join(Join(o.at, key), strconv.Itoa(i)))) {
				return
			}
		}
	}
}

// object returns the object at key, which has no members if there is none.
func (o *object) object(key string) *object {
	n := o.get(key)
	if n != nil && n.Kind != posjson.Object {
		o.wrong(key, n, "an object")
		n = nil
	}
	return o.d.object(n, Join(o.at, key))
}

// members returns the members of o that are not null, of equal keys the last.
func (o *object) members() iter.Seq2[string, *posjson.Node] {
	return func(yield func(string, *posjson.Node) bool) {
		if o.n == nil {
			return
		}
		for i := range o.n.Members {
			m := &o.n.Members[i]
			if m.Val.Kind == posjson.Null || o.n.Member(m.Key) != m {
				continue
			}
			if !yield(m.Key, &m.Val) {
				return
			}
		}
	}
}

func (o *object) flag(key string, missing bool) bool {
	n := o.get(key)
	switch {
	case n == nil:
		return missing
	case n.Kind == posjson.Bool:
		return n.Text == "true"
	}
	o.wrong(key, n, "true or false")
	return missing
}

// whole returns the whole number at key, or 0.
func (o *object) whole(key string) int64 {
	n := o.get(key)
	if n == nil {
		return 0
	}
	i, err := strconv.ParseInt(n.Text, 10, 64)
	if n.Kind != posjson.Number || err != nil {
		o.d.report(metadata.Warning, codeWrongType, n.Start, "%s must be a whole number", key)
		return 0
	}
	return i
}

// raw returns the value at key as strict JSON, or nil.
func (o *object) raw(key string) json.RawMessage {
	if n := o.get(key); n != nil {
		return n.AppendJSON(nil)
	}
	return nil
}

// extra returns the members that were not read.
func (o *object) extra() map[string]json.RawMessage {
	var m map[string]json.RawMessage
	for key, n := range o.members() {
		if o.read[key] {
			continue
		}
		if m == nil {
			m = map[string]json.RawMessage{}
		}
		m[key] = n.AppendJSON(nil)
	}
	return m
}
