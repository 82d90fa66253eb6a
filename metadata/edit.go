package metadata

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/matrix-nexus/skillkit/internal/posjson"
)

// An Edit replaces the bytes of a file from Start to End, which may be equal,
// with New.
type Edit struct {
	Start, End int // offsets in bytes
	New        string
}

// Edits returns the edits of data, the text that d was read from, after which
// p, one of d.Problems, is gone and everything is read as it was: they write
// down what was understood. They are sorted and don't overlap. Nil means that
// there are none, or none that are certain.
//
// There are edits for bom, crlf, irregular-fence, the repairs, key-spelling,
// string-bool, os-alias and legacy-vendor-key; for the spellings of keys and
// systems not in a block for OpenClaw, which knows only its own. Those of crlf change the line
// ends of the body too; those of irregular-fence may move text into the body,
// or take the end of a code fence away from it; that of legacy-vendor-key
// changes [Manifest.VendorKey].
func (d *Document) Edits(data []byte, p Problem) []Edit {
	e := newEditor(data)
	at := e.offset(p.Position)
	switch p.Code {
	case codeBOM:
		return []Edit{{0, len("\ufeff"), ""}}
	case codeCRLF:
		return e.lineEnds()
	case codeIrregularFence:
		return e.fence(at, p.Line, len(data)-len(d.Body))
	case codeOddColon, codeUnquotedColon, codeBadQuotes, codeReservedStart, codeTextAfterFlow, codeUnindentedText:
		return e.repaired(d, p)
	case codeMetadataJSON:
		return e.plain(at, p.Line)
	case codeMetadataNotStrict:
		return e.strict(at)
	case codeKeySpelling:
		if !d.isTop(p.Position) && d.isOpenClaw() {
			return nil
		}
		key, _ := e.token(at)
		return e.replace(at, key, d.documentedKey(key, p.Position))
	case codeLegacyVendor:
		key, _ := e.token(at)
		if d.mayBecomeOpenClaw(key, p.Position) {
			return e.replace(at, key, "openclaw")
		}
	case codeOSAlias:
		if d.isOpenClaw() {
			return nil
		}
		word, _ := e.token(at)
		if name, alias := system(word); alias && name != anyOS && !strings.Contains(word, " ") {
			return e.replace(at, word, documentedOS(name))
		}
	case codeStringBool:
		word, end := e.token(at)
		switch strings.ToLower(strings.TrimSpace(word)) {
		case "true", "yes", "on":
			return []Edit{{at, end, "true"}}
		case "false", "no", "off":
			return []Edit{{at, end, "false"}}
		}
	}
	return nil
}

// An editor knows where the lines of a file are.
type editor struct {
	data   string
	starts []int // of the lines
	ends   []int // of the lines, without their line ends
}

func newEditor(data []byte) *editor {
	e := &editor{data: string(data)}
	rest, bom := bytes.CutPrefix(data, []byte("\ufeff"))
	shift := 0
	if bom {
		shift = len("\ufeff")
	}
	for s := (lineScanner{data: rest}); s.scan(); {
		e.starts = append(e.starts, shift+s.start)
		e.ends = append(e.ends, shift+s.start+len(s.line))
	}
	return e
}

// line returns the extent of a line, counted from 1.
func (e *editor) line(no int) (start, end int) {
	if no < 1 || no > len(e.starts) {
		return len(e.data), len(e.data)
	}
	return e.starts[no-1], e.ends[no-1]
}

func (e *editor) offset(pos Position) int {
	at, end := e.line(pos.Line)
	for range pos.Column - 1 {
		if at >= end {
			break
		}
		_, n := utf8.DecodeRuneInString(e.data[at:])
		at += n
	}
	return at
}

// token returns the key or the scalar at an offset, and where it ends, if it is
// written as it is read: plain, or in quotes without an escape.
func (e *editor) token(at int) (text string, end int) {
	s := e.data[at:]
	if n := strings.IndexAny(s, "\r\n"); n >= 0 {
		s = s[:n]
	}
	if s == "" {
		return "", at
	}
	if q := s[0]; q == '"' || q == '\'' {
		n := strings.IndexByte(s[1:], q)
		if n < 0 || strings.Contains(s[1:1+n], `\`) || strings.HasPrefix(s[n+2:], "'") {
			return "", at
		}
		return s[1 : 1+n], at + n + 2
	}
	for i := range len(s) {
		if strings.IndexByte(",[]{}\"'", s[i]) >= 0 || s[i] == ':' && (i+1 == len(s) || isBlank(rune(s[i+1]))) || s[i] == '#' && i > 0 && isBlank(rune(s[i-1])) {
			s = s[:i]
			break
		}
	}
	s = strings.TrimRight(s, " \t")
	return s, at + len(s)
}

// replace returns the edit that writes text in place of the token old.
func (e *editor) replace(at int, old, text string) []Edit {
	if old == "" || text == "" || old == text {
		return nil
	}
	if c := e.data[at]; c == '"' || c == '\'' {
		at++
	}
	return []Edit{{at, at + len(old), text}}
}

// lineEnds makes all line ends LF.
func (e *editor) lineEnds() (edits []Edit) {
	for i := range len(e.data) {
		switch {
		case e.data[i] != '\r':
		case i+1 < len(e.data) && e.data[i+1] == '\n':
			edits = append(edits, Edit{i, i + 1, ""})
		default:
			edits = append(edits, Edit{i, i + 1, "\n"})
		}
	}
	return edits
}

// fence puts right the fence with the oddity at an offset in a line.
func (e *editor) fence(at, line, body int) []Edit {
	start, end := e.line(line)
	first, _ := e.line(1)
	before, after := []byte(e.data[start:at]), []byte(e.data[at:end])
	switch {
	case string(before) == "---":
		return []Edit{{at, at, "\n"}}
	case isFence(after) && strings.TrimSpace(e.data[first:start]) == "":
		return []Edit{{first, at, ""}}
	case isFence(after):
		return []Edit{{start, at, ""}}
	case isCodeFence([]byte(e.data[start:end])):
		return e.wrapper(start, line, body)
	}
	// Text before the frontmatter goes below it.
	for no := line + 1; no <= line+maxLead; no++ {
		if open, end := e.line(no); e.data[open:end] == "---" {
			lead := e.data[first:open]
			if body > 0 && e.data[body-1] != '\n' && e.data[body-1] != '\r' {
				lead = "\n" + lead // the file ends with the fence
			}
			return []Edit{{first, open, ""}, {body, body, lead}}
		}
	}
	return nil
}

// wrapper removes the code fence around the whole file that opens at start, if
// it is the last line that closes it.
func (e *editor) wrapper(start, line, body int) []Edit {
	if line >= len(e.starts) {
		return nil
	}
	mark, odd, last := strings.TrimSpace(e.data[start:e.ends[line-1]])[:3], false, 0
	for no := range e.starts {
		if s := strings.TrimSpace(e.data[e.starts[no]:e.ends[no]]); e.starts[no] >= body && s != "" {
			last = no
			if strings.HasPrefix(s, mark) {
				odd = !odd
			}
		}
	}
	if !odd || strings.TrimSpace(e.data[e.starts[last]:e.ends[last]]) != mark {
		return nil
	}
	for line+1 < len(e.starts) && strings.TrimSpace(e.data[e.starts[line]:e.ends[line]]) == "" {
		line++
	}
	return []Edit{{start, e.starts[line], ""}, {e.starts[last], e.ends[last], ""}}
}

// repaired writes down what an entry was read as.
func (e *editor) repaired(d *Document, p Problem) []Edit {
	q := &parser{}
	env, err := q.cut([]byte(e.data), false)
	if err != nil {
		return nil
	}
	if env.earlier != nil && len(env.body) != len(d.Body) {
		env = env.earlier
	}
	src := newSource(env.header, env.line)
	if _, err := q.tree(src); err == nil {
		return e.lookalike(d, p)
	}
	entries, err := q.entries(src, &SyntaxError{})
	if err != nil {
		return nil
	}
	i := slices.IndexFunc(entries, func(n entry) bool { return n.line <= p.Line && p.Line < n.line+len(n.lines) })
	if i < 0 {
		return nil
	}
	n := &entries[i]
	if p.Code == codeOddColon || n.oddKey {
		return e.colon(n, p)
	}
	if _, fault := q.alone(n.line, n.lines); fault == nil {
		return e.lookalike(d, p)
	}
	if n.key == "metadata" && strings.HasPrefix(n.start(), "{") {
		return nil // text behind the JSON
	}
	m := member{key: n.key}
	if n.key != "metadata" && q.asText(n, &m) {
		start, _ := e.line(n.line)
		_, off := n.first()
		_, end := e.line(n.line + len(n.lines) - 1)
		text := quoteYAML(m.val.text)
		if off == n.colon {
			text = " " + text
		}
		return []Edit{{start + off, end, text}}
	}
	for _, f := range n.lineFixes() {
		if f.code == p.Code && f.pos == p.Position {
			start, _ := e.line(n.line + f.line)
			return []Edit{{start + f.off, start + f.end, f.quoted}}
		}
	}
	return nil
}

// colon writes ": " behind the key of n.
func (e *editor) colon(n *entry, p Problem) []Edit {
	if p.Code != codeOddColon {
		return nil // the colon comes first
	}
	start, end := e.line(n.line)
	at := start + n.colon
	for _, odd := range []string{":\u00a0", "\uff1a"} {
		if strings.HasSuffix(e.data[start:at], odd) {
			for at < end && isBlank(rune(e.data[at])) {
				at++
			}
			return []Edit{{start + n.colon - len(odd), at, ": "}}
		}
	}
	return nil
}

// lookalike quotes a scalar at the top level that YAML reads as an anchor or a
// tag, and this package as text.
func (e *editor) lookalike(d *Document, p Problem) []Edit {
	for _, m := range d.vendor.top.members {
		if m.val.pos == p.Position && m.val.kind == kindText {
			_, end := e.line(p.Line)
			return []Edit{{e.offset(p.Position), end, quoteYAML(m.val.text)}}
		}
	}
	return nil
}

// plain makes the JSON at an offset of a line such that YAML reads it too: strict,
// and without the escapes that YAML does not know.
func (e *editor) plain(at, line int) []Edit {
	_, end := e.line(line)
	for line++; line <= len(e.starts); line++ {
		start, stop := e.line(line)
		if isFenceStart([]byte(e.data[start:stop])) {
			break
		}
		end = stop
	}
	raw := e.data[at:end]
	strict, _ := posjson.Strict(raw)
	text := apply(raw, strict)
	escapes := posjson.Plain(text)
	switch {
	case len(strict) == 0:
		return shift(escapes, at)
	case len(escapes) == 0:
		return shift(strict, at)
	}
	return []Edit{{at, end, apply(text, escapes)}} // the places of the second edits are those after the first
}

// apply makes edits of a text.
func apply(text string, edits []posjson.Edit) string {
	var b strings.Builder
	at := 0
	for _, n := range edits {
		b.WriteString(text[at:n.Start])
		b.WriteString(n.New)
		at = n.End
	}
	return b.String() + text[at:]
}

// shift turns edits of a text that starts at an offset into those of the file.
func shift(list []posjson.Edit, at int) (edits []Edit) {
	for _, n := range list {
		edits = append(edits, Edit{at + n.Start, at + n.End, n.New})
	}
	return edits
}

// strict makes the relaxed JSON at an offset strict: that of a mapping in
// braces, or of a scalar in single quotes or on indented lines.
func (e *editor) strict(at int) []Edit {
	raw := e.data[at:]
	switch {
	case strings.HasPrefix(raw, "{"):
	case strings.HasPrefix(raw, "'"):
		at++
		raw = e.data[at:]
		if i := strings.IndexByte(raw, '\''); i >= 0 {
			raw = raw[:i]
		}
	case strings.HasPrefix(raw, "|"), strings.HasPrefix(raw, ">"):
		at += max(strings.IndexByte(raw, '\n'), 0)
		raw = e.data[at:]
	default:
		return nil
	}
	edits, _ := posjson.Strict(raw)
	return shift(edits, at)
}

// documentedKeys are the keys at the top level that are read.
var documentedKeys = [...]string{
	"name", "description", "license", "compatibility", "allowed-tools", "argument-hint",
	"user-invocable", "disable-model-invocation", "version", "author", "metadata",
}

// documentedKey returns the documented spelling of a key, at the top level or
// under requires, or "".
func (d *Document) documentedKey(key string, pos Position) string {
	name := snake(key)
	if d.isTop(pos) {
		for _, known := range documentedKeys {
			if snake(known) == name {
				return known
			}
		}
		return ""
	}
	rest, optional := strings.CutPrefix(name, "optional_")
	list := requirementList(rest)
	if optional && list != "" {
		return "optional_" + list
	}
	return list
}

// isTop reports whether a key at the top level stands at pos.
func (d *Document) isTop(pos Position) bool {
	return slices.ContainsFunc(d.vendor.top.members, func(m member) bool { return m.pos == pos })
}

// isOpenClaw reports whether the vendor block is written for OpenClaw, which
// has other spellings, primaryEnv and darwin, and knows no others.
func (d *Document) isOpenClaw() bool {
	switch d.Manifest.VendorKey {
	case "", "matrix", "nexus":
		return false
	}
	return true
}

// mayBecomeOpenClaw reports whether a vendor key at a place is one of the names
// that OpenClaw had before, and the only vendor key.
func (d *Document) mayBecomeOpenClaw(key string, pos Position) bool {
	switch key {
	case "clawdbot", "moltbot", "clawdis", "clawhub", "clawdhub":
	default:
		return false
	}
	found := false
	if d.vendor.meta == nil {
		return false
	}
	for _, m := range d.vendor.meta.members {
		if vendorRank(m.key) >= 0 {
			if m.key != key || m.pos != pos {
				return false
			}
			found = true
		}
	}
	return found
}
