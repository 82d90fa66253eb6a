package metadata

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// An entry is a key at the top level of the frontmatter with the lines that
// belong to it.
type entry struct {
	key    string
	colon  int      // offset in lines[0] of what follows the colon
	line   int      // of the file
	lines  []string // lines[0] holds the key
	stray  int      // index of the first line that is neither indented nor a list item, or -1
	oddKey bool     // the colon is not one of YAML
}

// repair reads a header that is not YAML. It reads each top-level entry on its
// own, so that a fault costs one field, and reads an entry that is not YAML as
// what its author most likely meant, with a problem. cause is the fault of the
// whole. Text that is no part of an entry is never dropped, but an error.
func (p *parser) repair(src *source, cause *SyntaxError) (*value, *SyntaxError) {
	if err := p.controls(src); err != nil {
		return nil, err
	}
	entries, err := p.entries(src, cause)
	if err != nil {
		return nil, err
	}
	root := &value{kind: kindObject, pos: Position{src.line, 1}}
	for i := range entries {
		m, err := p.entry(&entries[i])
		if err != nil {
			return nil, err
		}
		if old, dup := root.set(m); dup {
			p.duplicate(m.key, m.pos, old)
		}
	}
	return root, nil
}

// controls refuses control characters, which YAML does not allow.
func (p *parser) controls(src *source) *SyntaxError {
	for i, r := range src.text {
		if r == '\n' || r == '\t' || r == '\u0085' || !unicode.IsControl(r) && r != '\ufffe' && r != '\uffff' {
			continue
		}
		line := strings.Count(src.text[:i], "\n")
		col := utf8.RuneCountInString(src.text[1+strings.LastIndexByte(src.text[:i], '\n') : i])
		return p.syntaxError(codeYAML, Position{src.line + line, col + 1}, nil,
			"a control character, U+%04X, in the frontmatter; remove it", r)
	}
	return nil
}

// entries splits the header at its keys. Everything is in an entry.
func (p *parser) entries(src *source, cause *SyntaxError) ([]entry, *SyntaxError) {
	var list []entry
	var e *entry
	base := -1 // the indentation of keys
	for i, line := range strings.Split(strings.TrimSuffix(src.text, "\n"), "\n") {
		no := src.line + i
		text := strings.TrimLeft(line, " \t")
		in := len(line) - len(text)
		if isConflictMarker(line) {
			return nil, p.syntaxError(codeYAML, Position{no, 1}, cause, "a conflict marker of a merge; resolve the conflict")
		}
		if text == "" || text[0] == '#' {
			if e != nil {
				e.lines = append(e.lines, line)
			}
			continue
		}
		if base < 0 {
			base = in
		}
		key, colon, odd := splitKey(line)
		switch {
		case e == nil:
		case e.stray >= 0 && unicode.IsUpper(firstRune(key)):
			key = "" // prose, such as "Note: ..."
		case (text[0] == '"' || text[0] == '\'') && e.isFlow(text):
			key = "" // a key of JSON at the margin
		}
		if in == base && key != "" {
			list = append(list, entry{key: key, colon: colon, line: no, lines: []string{line}, stray: -1, oddKey: odd})
			e = &list[len(list)-1]
			continue
		}
		if e == nil {
			return nil, cause
		}
		if in <= base && e.stray < 0 && !e.isList(text) && !e.isFlow(text) {
			e.stray = len(e.lines)
		}
		e.lines = append(e.lines, line)
	}
	for i := range list {
		e := &list[i]
		e.trim()
		if e.stray < 0 {
			continue
		}
		if no := e.bodyLine(); no > 0 {
			return nil, p.syntaxError(codeUnclosed, Position{no, 1}, cause,
				"the body seems to start here; is the closing --- missing?")
		}
		if e.key != "description" {
			return nil, p.syntaxError(codeYAML, Position{e.line + e.stray, 1}, cause,
				"this line is not of the form \"key: value\" and not indented below one")
		}
	}
	return list, nil
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

func isConflictMarker(line string) bool {
	return strings.HasPrefix(line, "<<<<<<< ") || strings.HasPrefix(line, ">>>>>>> ") || line == "=======" || strings.HasPrefix(line, "||||||| ")
}

// splitKey returns the key that starts a line, in quotes or not, and the
// offset of what follows its colon; key is empty if there is none. odd reports
// a full-width colon, or a no-break space after the colon.
func splitKey(line string) (key string, colon int, odd bool) {
	text := strings.TrimLeft(line, " ")
	start := len(line) - len(text)
	end := 0
	if text != "" && (text[0] == '"' || text[0] == '\'') {
		i := strings.IndexByte(text[1:], text[0])
		if i < 0 {
			return "", 0, false
		}
		end = i + 2
		key = text[1 : end-1]
	} else {
		for i, r := range text {
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '.' && (r != '-' || i == 0) {
				break
			}
			end = i + utf8.RuneLen(r)
		}
		key = text[:end]
	}
	rest := text[end:]
	switch {
	case rest == ":", strings.HasPrefix(rest, ": "), strings.HasPrefix(rest, ":\t"):
		return key, start + end + 1, false
	case strings.ContainsFunc(key, func(r rune) bool { return r >= utf8.RuneSelf }):
		// Prose in Chinese has full-width colons.
	case strings.HasPrefix(rest, ":\u00a0"):
		return key, start + end + len(":\u00a0"), true
	case strings.HasPrefix(rest, "\uff1a"):
		return key, start + end + len("\uff1a"), true
	}
	return "", 0, false
}

func (e *entry) pos() Position {
	return e.at(0, len(e.lines[0])-len(strings.TrimLeft(e.lines[0], " ")))
}

// at returns the place of an offset in a line of e.
func (e *entry) at(line, off int) Position {
	return Position{e.line + line, 1 + utf8.RuneCountInString(e.lines[line][:off])}
}

// first returns the text behind the key on its line, and its offset.
func (e *entry) first() (text string, off int) {
	s := e.lines[0][e.colon:]
	t := strings.TrimLeft(s, " \t\u00a0")
	return strings.TrimRight(t, " \t\u00a0"), e.colon + len(s) - len(t)
}

// start returns the first line of the value.
func (e *entry) start() string {
	text, _ := e.first()
	for i := 1; text == "" && i < len(e.lines); i++ {
		text = strings.TrimSpace(e.lines[i])
	}
	return text
}

// isFlow reports whether a line at the margin may belong to the list or
// mapping in brackets that is the value of e.
func (e *entry) isFlow(line string) bool {
	if strings.IndexByte("{}[]\"',", line[0]) < 0 {
		return false
	}
	text := e.start()
	return text == "" && e.key == "metadata" || strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")
}

// isList reports whether a line at the margin is an item of the list that is
// the value of e.
func (e *entry) isList(line string) bool {
	text, _ := e.first()
	return text == "" && (line == "-" || strings.HasPrefix(line, "- "))
}

// trim cuts off empty lines and comments behind the value.
func (e *entry) trim() {
	n := len(e.lines)
	for n > 1 && (strings.TrimSpace(e.lines[n-1]) == "" || e.lines[n-1][0] == '#') {
		n--
	}
	e.lines = e.lines[:n]
}

// bodyLine returns the line of the file on which e looks like a Markdown body,
// or 0.
func (e *entry) bodyLine() int {
	for i, line := range e.lines[1:] {
		t := strings.TrimSpace(line)
		if strings.HasPrefix(t, "```") || strings.HasPrefix(line, "---") || t == "---" ||
			strings.HasPrefix(line, "#") && strings.HasPrefix(strings.TrimLeft(line, "#"), " ") {
			return e.line + 1 + i
		}
	}
	return 0
}

// entry reads one entry.
func (p *parser) entry(e *entry) (member, *SyntaxError) {
	m := member{key: e.key, pos: e.pos()}
	if e.oddKey {
		line := e.key + ": " + e.lines[0][e.colon:]
		p.repaired(codeOddColon, m.pos, strings.TrimRight(line, " "), "the colon after %s is not \":\" and a blank", e.key)
		// Keep the columns of what follows: they are reported.
		pad := utf8.RuneCountInString(e.lines[0][:e.colon]) - utf8.RuneCountInString(e.key) - 1
		e.lines[0] = e.key + ":" + strings.Repeat(" ", max(pad, 1)) + e.lines[0][e.colon:]
		e.colon = len(e.key) + 1
	}
	read, fault := p.alone(e.line, e.lines)
	if fault == nil {
		return read, nil
	}
	if e.key == "metadata" && strings.HasPrefix(e.start(), "{") {
		m.val = p.cutMetadata(e)
		return m, nil
	}
	if e.key != "metadata" && p.asText(e, &m) {
		return m, nil
	}
	if m.val = p.quoteLines(e); m.val != nil {
		return m, nil
	}
	fault.Pos, fault.Msg = e.faultAt(fault)
	switch e.key {
	case "name":
		return m, fault
	case "metadata":
		p.report(Warning, codeMetadataUnreadable, fault.Pos, "metadata cannot be read, requirements are unknown: %s", fault.Msg)
	default:
		p.report(Error, codeYAML, fault.Pos, "%s is left out: %s", e.key, fault.Msg)
	}
	m.val = &value{kind: kindLost, pos: m.pos} // one bad field costs that field
	return m, nil
}

// faultAt returns the place and the message to report for a fault of YAML:
// some faults are found only behind the end of the entry, and a tab that
// indents a line goes by other names, mostly on other lines.
func (e *entry) faultAt(fault *SyntaxError) (Position, string) {
	if strings.Contains(fault.Msg, "tab character") || strings.Contains(fault.Msg, "cannot start any token") {
		for i, line := range e.lines {
			if off := len(line) - len(strings.TrimLeft(line, " ")); strings.HasPrefix(line[off:], "\t") {
				return e.at(i, off), "not valid YAML: a tab indents this line; use spaces"
			}
		}
	}
	if text, off := e.first(); text != "" && !isBlockHeader(text) {
		return e.at(0, off), fault.Msg
	}
	i := min(max(fault.Pos.Line-e.line, 0), len(e.lines)-1)
	for i > 0 && strings.TrimSpace(e.lines[i]) == "" {
		i--
	}
	return e.at(i, len(e.lines[i])-len(strings.TrimLeft(e.lines[i], " \t"))), fault.Msg
}

func (p *parser) repaired(code string, pos Position, corrected, format string, args ...any) {
	q := p.problem(Warning, code, pos, format, args...)
	q.Corrected = corrected
	p.problems = append(p.problems, q)
}

// alone reads lines, which start at line of the file, as a mapping with one
// key.
func (p *parser) alone(line int, lines []string) (member, *SyntaxError) {
	mark := len(p.problems)
	root, err := p.tree(newSource(strings.Join(lines, "\n")+"\n", line))
	if err == nil && len(root.members) != 1 {
		err = p.syntaxError(codeYAML, Position{line, 1}, nil, "not valid YAML")
	}
	if err != nil {
		p.problems = p.problems[:mark]
		return member{}, err
	}
	return root.members[0], nil
}

// cutMetadata reads metadata as JSON, which may hold what YAML refuses.
func (p *parser) cutMetadata(e *entry) *value {
	text := strings.Join(e.lines, "\n")[e.colon:]
	v, end, relaxed, err := parseJSON(text, locator{src: text, pos: e.at(0, e.colon)}, p.duplicate)
	switch {
	case err != nil:
		p.report(Warning, codeMetadataUnreadable, err.pos, "metadata cannot be read, requirements are unknown: %s", err.msg)
		return &value{kind: kindLost, pos: e.pos()}
	case end < len(text) && !strings.HasPrefix(text[end:], "#"):
		l := locator{src: text, text: text, pos: e.at(0, e.colon)}
		p.report(Warning, codeTextAfterFlow, l.at(end), "text follows the JSON object of metadata; remove it")
	case relaxed:
		p.report(Info, codeMetadataJSON, v.pos, "metadata is neither YAML nor strict JSON")
	default:
		p.report(Info, codeMetadataJSON, v.pos, "metadata is JSON that is not YAML")
	}
	return v
}

// asText reads an entry that has text behind its key as that text, quoted.
func (p *parser) asText(e *entry, m *member) bool {
	text, off := e.first()
	block, indicator := text == "", byte(0)
	if isBlockHeader(text) {
		block, indicator = true, text[0]
	}
	if block && (e.stray < 0 || e.key != "description") {
		return false
	}
	if e.key == "name" && (len(e.lines) > 1 && strings.TrimSpace(strings.Join(e.lines[1:], "")) != "" || isOpenFlow(text)) {
		return false
	}
	if isOpenFlow(text) && e.key != "description" {
		return false
	}
	code, pos, msg := p.cause(e)
	var all string
	if indicator == '|' {
		lines := make([]string, 0, len(e.lines))
		for _, l := range e.lines[1:] {
			lines = append(lines, strings.TrimSpace(l))
		}
		all = strings.TrimSpace(strings.Join(lines, "\n"))
	} else {
		if block {
			text = ""
		}
		all = foldText(text, e.lines[1:])
	}
	all = unquoteBroken(all)
	m.val = &value{kind: kindText, text: all, pos: e.at(0, off)}
	p.repaired(code, pos, e.key+": "+quoteYAML(all), "%s in %s; %s", msg, e.key, remedy(code))
	return true
}

// cause says why an entry with text behind its key is not YAML.
func (p *parser) cause(e *entry) (code string, pos Position, msg string) {
	if e.stray >= 0 {
		return codeUnindentedText, e.at(e.stray, 0), "text that is not indented"
	}
	text, off := e.first()
	if _, code, at := fixValue(text); code != "" {
		return code, e.at(0, off+at), faultText(code)
	}
	for i, line := range e.lines[1:] {
		if at := colonAt(line); at >= 0 {
			return codeUnquotedColon, e.at(i+1, at), faultText(codeUnquotedColon)
		}
	}
	switch text[0] {
	case '"', '\'':
		return codeBadQuotes, e.at(0, off), faultText(codeBadQuotes)
	}
	return codeReservedStart, e.at(0, off), "text that is not YAML"
}

// foldText joins the lines of a text as YAML does: with a blank, or with a
// line break for each empty line.
func foldText(first string, more []string) string {
	var b strings.Builder
	b.WriteString(first)
	breaks := 0
	for _, line := range more {
		line = strings.TrimSpace(line)
		if line == "" {
			breaks++
			continue
		}
		switch {
		case breaks > 0 && b.Len() > 0:
			b.WriteString(strings.Repeat("\n", breaks))
		case b.Len() > 0:
			b.WriteByte(' ')
		}
		breaks = 0
		b.WriteString(line)
	}
	return b.String()
}

// A lineFix quotes a value in a line of an entry.
type lineFix struct {
	line     int // index
	off, end int // of the value in the line
	quoted   string
	code     string
	pos      Position // of the fault
}

// lineFixes finds the values in the lines below the key that YAML cannot read.
func (e *entry) lineFixes() []lineFix {
	var fixes []lineFix
	block := -1 // the indentation of a line that opens a block scalar
	for i, line := range e.lines {
		text := strings.TrimLeft(line, " ")
		in := len(line) - len(text)
		if block >= 0 && (text == "" || in > block) {
			continue
		}
		block = -1
		off := in
		for strings.HasPrefix(line[off:], "- ") {
			off += 2
			off += len(line[off:]) - len(strings.TrimLeft(line[off:], " "))
		}
		if key, colon, odd := splitKey(line[off:]); key != "" && !odd {
			off += colon
			off += len(line[off:]) - len(strings.TrimLeft(line[off:], " "))
		} else if off == in {
			continue // more of the value above
		}
		val := strings.TrimRight(line[off:], " ")
		if isBlockHeader(val) {
			block = in
			continue
		}
		if fixed, code, at := fixValue(val); code != "" {
			fixes = append(fixes, lineFix{i, off, off + len(val), fixed, code, e.at(i, off+at)})
		}
	}
	return fixes
}

// quoteLines quotes the values in the lines below the key that YAML cannot
// read.
func (p *parser) quoteLines(e *entry) *value {
	fixes := e.lineFixes()
	if len(fixes) == 0 {
		return nil
	}
	lines := slices.Clone(e.lines)
	for _, f := range fixes {
		lines[f.line] = lines[f.line][:f.off] + f.quoted
	}
	read, err := p.alone(e.line, lines)
	if err != nil {
		return nil
	}
	read.val.detach()
	for _, f := range fixes {
		p.repaired(f.code, f.pos, strings.TrimSpace(lines[f.line]), "%s in %s; %s", faultText(f.code), e.key, remedy(f.code))
	}
	return read.val
}

// lookalikes reports scalars at the top level that YAML reads, but likely not
// as their author meant: text that starts with an anchor or a tag, and text
// cut off by a comment.
func (p *parser) lookalikes(src *source, m *member, n *yaml.Node) {
	if n.Kind != yaml.ScalarNode || m.val.kind == kindLost {
		return
	}
	anchor := n.Anchor != "" && !strings.Contains(src.text, "*"+n.Anchor)
	tag := n.Style&yaml.TaggedStyle != 0 && !strings.HasPrefix(n.Tag, "!!")
	if anchor || tag {
		line := src.text[src.offset(m.val.pos):]
		line, next, _ := strings.Cut(line, "\n")
		if !strings.HasPrefix(next, " ") {
			m.val.kind, m.val.text = kindText, strings.TrimSpace(line)
		}
		p.repaired(codeReservedStart, m.val.pos, m.key+": "+quoteYAML(m.val.text), "%s in %s; quote the value", faultText(codeReservedStart), m.key)
	}
	// Behind a name, "# c" is a comment and "#1" is not.
	if n.Style == 0 && (m.key == "description" && n.LineComment != "" || m.key == "name" && len(n.LineComment) > 1 && n.LineComment[1] != ' ') {
		p.report(Warning, codeCommentInValue, m.val.pos, "\" #\" starts a comment, which is not part of %s; quote the value if it should be", m.key)
	}
}
