package metadata

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// An envelope is a SKILL.md cut at its fences.
type envelope struct {
	header  string // the text between the fences, line ends folded to "\n"
	line    int    // the line of the file on which header starts
	open    Position
	body    []byte // what follows the closing fence
	bodyAt  int    // the line on which body starts
	odd     []Problem
	earlier *envelope // an irregular closing fence ahead of the one taken
}

// A lineScanner yields the lines of a text. A line ends with LF, CRLF or a
// lone CR.
type lineScanner struct {
	data []byte
	next int // offset of the next line
	no   int // number of the current line

	start int    // offset of the current line
	line  []byte // the current line without its end
	ended bool   // whether the current line has an end
	cr    bool   // whether any line so far ended with CR or CRLF
}

func (s *lineScanner) scan() bool {
	if s.next >= len(s.data) {
		return false
	}
	s.no++
	s.start = s.next
	rest := s.data[s.next:]
	i := bytes.IndexAny(rest, "\r\n")
	if i < 0 {
		s.line, s.ended, s.next = rest, false, len(s.data)
		return true
	}
	s.line, s.ended, s.next = rest[:i], true, s.next+i+1
	if rest[i] == '\r' {
		s.cr = true
		if i+1 < len(rest) && rest[i+1] == '\n' {
			s.next++
		}
	}
	return true
}

// cut finds the frontmatter. In a header, what follows the closing fence is
// not looked at.
func (p *parser) cut(data []byte, header bool) (*envelope, *SyntaxError) {
	data, bom := bytes.CutPrefix(data, []byte("\ufeff"))
	shift := 0
	if bom {
		shift = len("\ufeff")
		p.report(Info, codeBOM, Position{1, 1}, "the file starts with a byte order mark; remove it")
	}
	s := &lineScanner{data: data}
	env, err := p.fences(s, MaxHeader-shift)

	// Text in another encoding has no fences that can be relied on, so this
	// is the more helpful of two errors.
	text := data
	if header && err == nil {
		text = data[:len(data)-len(env.body)]
	}
	if header && err != nil && len(text) >= MaxHeader-shift {
		text = trimPartialRune(text)
	}
	if e := p.checkText(text, shift); e != nil {
		return nil, e
	}
	if err != nil {
		return nil, err
	}
	if s.cr {
		p.report(Info, codeCRLF, Position{1, 1}, "lines end with a carriage return; use LF line ends")
	}
	if header {
		env.body = nil
		if env.earlier != nil {
			env.earlier.body = nil
		}
	}
	return env, nil
}

// fences finds the opening fence, and the closing one within limit bytes.
func (p *parser) fences(s *lineScanner, limit int) (*envelope, *SyntaxError) {
	env, err := p.opening(s)
	if err == nil {
		return p.closing(s, env, limit)
	}
	// A title or a comment may stand in front of the frontmatter. To tell it
	// from a rule in a text, it has to declare what a skill declares.
	if err.Code == codeNoFrontmatter && s.findLead() {
		env := &envelope{open: Position{s.no, 1}}
		if env, e := p.closing(s, env, limit); e == nil && declaresSkill(env.header) {
			env.odd = append(env.odd, p.problem(Warning, codeIrregularFence, err.Pos,
				"text before the opening ---; move it below the frontmatter"))
			return env, nil
		}
	}
	return nil, err
}

// opening moves to the opening fence.
func (p *parser) opening(s *lineScanner) (*envelope, *SyntaxError) {
	env := &envelope{}
	for {
		if !s.scan() {
			return nil, p.noFrontmatter(Position{1, 1}, "the file is empty; it must start with a line --- and say name and description")
		}
		if len(trimBlanks(s.line)) > 0 {
			break
		}
	}
	odd := func(pos Position, format string, args ...any) {
		env.odd = append(env.odd, p.problem(Warning, codeIrregularFence, pos, format, args...))
	}
	first, start := s.line, Position{s.no, 1 + indent(s.line)}
	if isCodeFence(first) {
		for s.scan() && len(trimBlanks(s.line)) == 0 {
		}
		odd(start, "the frontmatter is inside a code fence; remove the line %s", trimBlanks(first))
	}
	env.open = Position{s.no, 1 + indent(s.line)}
	switch {
	case isFence(s.line):
		if indent(s.line) > 0 {
			odd(env.open, "the opening --- is indented; move it to the start of the line")
		} else if start == env.open && s.no > 1 {
			odd(env.open, "blank lines before the opening ---; remove them")
		}
		return env, nil
	case bytes.HasPrefix(first, []byte("---")):
		return nil, p.noFrontmatter(start, "the opening line is not exactly ---")
	case bytes.HasPrefix(first, []byte("name:")), bytes.HasPrefix(first, []byte("description:")):
		return nil, p.noFrontmatter(start, "no frontmatter; add a line --- before this one")
	}
	return nil, p.noFrontmatter(start, "no frontmatter; the file must start with a line ---")
}

// maxLead is how many lines of other text may stand before the frontmatter.
const maxLead = 5

// findLead moves over a few lines of text to a line that may open a
// frontmatter.
func (s *lineScanner) findLead() bool {
	for range maxLead {
		if isCodeFence(s.line) || !s.scan() {
			return false
		}
		if string(s.line) == "---" {
			return true
		}
	}
	return false
}

// declaresSkill reports whether header has the two keys of every skill.
func declaresSkill(header string) bool {
	return strings.Contains("\n"+header, "\nname:") && strings.Contains("\n"+header, "\ndescription:")
}

// closing finds the closing fence of what opens at the current line.
func (p *parser) closing(s *lineScanner, env *envelope, limit int) (*envelope, *SyntaxError) {
	env.line = s.no + 1
	from := s.next

	// A line that the limit cuts in two is not a fence, whatever follows, so
	// that a reader of the first MaxHeader bytes comes to the same result.
	partial := len(s.data) >= limit
	limit = min(limit, len(s.data))
	for s.next < limit && s.scan() {
		if partial && (!s.ended || s.start+len(s.line) >= limit) {
			break
		}
		exact := isFence(s.line) && s.line[0] == '-'
		if !exact && (env.earlier != nil || !isFenceStart(s.line)) {
			continue
		}
		c := *env
		c.header = foldLines(s.data[from:s.start])
		c.body, c.bodyAt = s.data[s.next:], s.no+1
		if exact {
			return &c, nil
		}
		if pos := (Position{s.no, 1 + indent(s.line)}); !isFence(s.line) {
			c.body, c.bodyAt = s.data[s.start+len("---"):], s.no
			pos.Column += len("---")
			c.odd = append(slices.Clone(c.odd), p.problem(Warning, codeIrregularFence, pos,
				"text follows the closing --- on its line; put it on the next one"))
		} else {
			c.odd = append(slices.Clone(c.odd), p.problem(Warning, codeIrregularFence, pos,
				"the closing --- is indented; move it to the start of the line"))
		}
		env.earlier = &c
	}
	if env.earlier != nil {
		return env.earlier, nil
	}
	where := ""
	if partial {
		where = fmt.Sprintf(" within %d bytes", MaxHeader)
	}
	return nil, p.syntaxError(codeUnclosed, env.open, nil,
		"the frontmatter that opens here is never closed; no line --- follows%s", where)
}

func (p *parser) noFrontmatter(pos Position, msg string) *SyntaxError {
	return &SyntaxError{Code: codeNoFrontmatter, File: p.file, Pos: pos, Msg: msg, Err: ErrNoFrontmatter}
}

// checkText refuses what is not UTF-8 text. shift is the offset of text in the
// file.
func (p *parser) checkText(text []byte, shift int) *SyntaxError {
	off := -1
	var what string
	if !utf8.Valid(text) {
		for off = 0; ; {
			r, n := utf8.DecodeRune(text[off:])
			if r == utf8.RuneError && n <= 1 {
				break
			}
			off += n
		}
		what = "invalid UTF-8"
		if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
			what = "UTF-16 text"
		}
	}
	if i := bytes.IndexByte(text, 0); i >= 0 && (off < 0 || i < off) {
		off, what = i, "a NUL byte"
	}
	if off < 0 {
		return nil
	}
	s := lineScanner{data: text[:off]}
	for s.scan() {
	}
	pos := Position{max(s.no, 1), 1 + utf8.RuneCount(s.line)}
	if s.ended {
		pos = Position{s.no + 1, 1}
	}
	return p.syntaxError(codeNotUTF8, pos, nil, "%s at byte offset %d; save the file as UTF-8", what, shift+off)
}

// isFence reports whether line is three dashes, but for blanks around them.
func isFence(line []byte) bool { return string(trimBlanks(line)) == "---" }

// isFenceStart reports whether line is a fence, or a fence glued to text.
func isFenceStart(line []byte) bool {
	if bytes.HasPrefix(line, []byte("---")) {
		return len(line) == 3 || line[3] != '-'
	}
	return isFence(line)
}

// isCodeFence reports whether line opens a fenced code block.
func isCodeFence(line []byte) bool {
	line = bytes.TrimLeft(line, " ")
	return bytes.HasPrefix(line, []byte("```")) || bytes.HasPrefix(line, []byte("~~~"))
}

// trimBlanks cuts blanks off both ends of a line: spaces, tabs, and the
// no-break space that translators leave behind a fence.
func trimBlanks(line []byte) []byte { return bytes.Trim(line, " \t\u00a0") }

// indent counts the blanks, in code points, at the start of line.
func indent(line []byte) int {
	return utf8.RuneCount(line) - utf8.RuneCount(bytes.TrimLeft(line, " \t\u00a0"))
}

func foldLines(b []byte) string {
	if bytes.IndexByte(b, '\r') < 0 {
		return string(b)
	}
	return strings.ReplaceAll(strings.ReplaceAll(string(b), "\r\n", "\n"), "\r", "\n")
}

// trimPartialRune cuts off a code point of which only the first bytes are
// there.
func trimPartialRune(b []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}
