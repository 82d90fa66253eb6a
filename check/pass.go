package check

import (
	"cmp"
	"fmt"
	"path"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/matrix-nexus/skillkit/metadata"
)

// A Pass is one rule looking at one folder. It is of use until the rule
// returns.
type Pass struct {
	*Folder
	Rule    *Rule
	Options *Options // never nil, with defaults filled in
	checker *Checker
	found   *[]Finding
}

// Report reports f. Rule, Severity and, unless they are set, File and End are
// filled in: File is the manifest file, and End is that of the word at
// Position.
func (p *Pass) Report(f Finding) {
	f.Rule = p.Rule.ID
	f.Severity = p.checker.severity[f.Rule]
	f.File = cmp.Or(f.File, p.File)
	if f.IsValid() && !f.End.IsValid() {
		f.End = wordEnd(p.line(f.File, f.Line), f.Position)
	}
	*p.found = append(*p.found, p.withoutSecrets(f))
}

// Reportf reports a finding in the manifest file.
func (p *Pass) Reportf(pos metadata.Position, format string, args ...any) {
	p.Report(Finding{Position: pos, Message: fmt.Sprintf(format, args...)})
}

// ReportFilef reports a finding in the file of that name, relative to the
// folder; the zero Position stands for the whole file, and "." for the folder.
func (p *Pass) ReportFilef(name string, pos metadata.Position, format string, args ...any) {
	p.Report(Finding{File: p.Show(name), Position: pos, Message: fmt.Sprintf(format, args...)})
}

// A SetPass is one rule looking at all folders with a skill or a Tool together,
// sorted by path. Findings are reported by a Pass of the folder that they are in.
type SetPass struct {
	Rule    *Rule
	Options *Options
	Skills  []*Folder // Doc is never nil
	Tools   []*Folder // Tool is never nil
	runs    map[*Folder]*run
}

// In returns a pass to report what is at fault in f, one of Skills or Tools.
func (p *SetPass) In(f *Folder) *Pass {
	pass := p.runs[f].pass
	pass.Rule = p.Rule
	return &pass
}

// Show returns the path that findings show for the file of that name.
func (f *Folder) Show(name string) string { return path.Join(f.Path, name) }

// Position returns the place in the manifest file of an offset in Data; of one
// outside of it, that of the nearest.
func (f *Folder) Position(offset int) metadata.Position {
	starts := f.starts()
	offset = min(max(offset, starts[0]), len(f.Data))
	i := sort.SearchInts(starts, offset+1) - 1
	return metadata.Position{Line: i + 1, Column: 1 + utf8.RuneCount(f.Data[starts[i]:offset])}
}

// Offset returns the offset in Data of a place in the manifest file; of one
// that is not there, that of the nearest place before it.
func (f *Folder) Offset(pos metadata.Position) int {
	starts := f.starts()
	if !pos.IsValid() {
		return 0
	}
	if pos.Line > len(starts) {
		return len(f.Data)
	}
	at := starts[pos.Line-1]
	for range pos.Column - 1 {
		if at >= len(f.Data) || f.Data[at] == '\n' || f.Data[at] == '\r' {
			break
		}
		_, n := utf8.DecodeRune(f.Data[at:])
		at += n
	}
	return at
}

// starts returns the offsets at which the lines of Data start.
func (f *Folder) starts() []int {
	if f.lines == nil {
		f.lines = lineStarts(f.Data)
	}
	return f.lines
}

// lineStarts returns the offsets at which the lines of a text start. A line
// ends with LF, CRLF or a lone CR, and columns do not count a byte order mark,
// as in package metadata.
func lineStarts[T string | []byte](text T) []int {
	starts := []int{0}
	if len(text) >= 3 && string(text[:3]) == "\ufeff" {
		starts[0] = 3
	}
	for i := range len(text) {
		if c := text[i]; c == '\n' || c == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// line returns a line of a file of the folder, by the path that findings show,
// or "".
func (f *Folder) line(file string, no int) string {
	if file == f.File {
		return lineOf(f.Data, f.starts(), no)
	}
	name, ok := strings.CutPrefix(file, f.Show("")+"/")
	if !ok {
		name = file
	}
	text, _ := f.Text(name)
	if f.otherFile != file {
		f.otherFile, f.otherLines = file, lineStarts(text)
	}
	return lineOf(text, f.otherLines, no)
}

// lineOf returns a line of a text whose lines start at starts, or "".
func lineOf[T string | []byte](text T, starts []int, no int) string {
	if no > len(starts) {
		return ""
	}
	end := starts[no-1]
	for end < len(text) && text[end] != '\n' && text[end] != '\r' {
		end++
	}
	return string(text[starts[no-1]:end])
}

// wordEnd returns the end of the word at a place in a line, so that a finding
// without an end of its own underlines what a reader would: text in quotes with
// them, else what blanks and the signs around a value in YAML, JSON or Markdown
// divide.
func wordEnd(line string, pos metadata.Position) metadata.Position {
	for range pos.Column - 1 {
		_, n := utf8.DecodeRuneInString(line)
		line = line[n:]
	}
	end := strings.IndexAny(line, " \t\u00a0,;\"'`<>()[]{}")
	if line != "" && strings.IndexByte("\"'`", line[0]) >= 0 {
		end = quotedEnd(line)
	} else if i := colonEnd(line); i > 0 && (end < 0 || i < end) {
		end = i
	}
	if end < 0 {
		end = len(strings.TrimRight(line, " \t\u00a0"))
	}
	return metadata.Position{Line: pos.Line, Column: pos.Column + max(utf8.RuneCountInString(line[:end]), 1)}
}

// quotedEnd returns the offset behind the quote that ends the text that line
// starts with, or -1.
func quotedEnd(line string) int {
	for i := 1; i < len(line); i++ {
		switch line[i] {
		case '\\':
			if line[0] == '"' {
				i++
			}
		case line[0]:
			return i + 1
		}
	}
	return -1
}

// colonEnd returns the offset of a colon that ends a key, or -1: that of a URL
// does not.
func colonEnd(line string) int {
	for i := range len(line) {
		if line[i] == ':' && (i+1 == len(line) || strings.IndexByte(" \t\"'[{", line[i+1]) >= 0) {
			return i
		}
	}
	return -1
}
