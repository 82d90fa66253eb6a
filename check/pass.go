package check

import (
	"fmt"
	"path"
	"sort"
	"unicode/utf8"

	"github.com/matrix-nexus/skillkit/metadata"
)

// A Pass is one rule looking at one folder.
type Pass struct {
	*Folder
	Rule    *Rule
	Options *Options // never nil, with defaults filled in
	report  func(Finding)
}

// Report reports f. Rule, Severity and, unless they are set, File and End are filled
// in: File is the manifest file, and End is that of the word at Position.
func (p *Pass) Report(f Finding) {
	f.Rule = p.Rule.ID
	if f.File == "" {
		f.File = p.File
	}
	if f.IsValid() && !f.End.IsValid() {
		f.End = p.wordEnd(f.File, f.Position)
	}
	p.report(f)
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

// A SetPass is one rule looking at all folders with a skill together, sorted by path.
// Findings are reported by a Pass of the folder that they are in.
type SetPass struct {
	Rule    *Rule
	Options *Options
	Skills  []*Folder // Doc is never nil
	report  func(Finding)
}

// In returns a pass to report what is at fault in f.
func (p *SetPass) In(f *Folder) *Pass {
	return &Pass{Folder: f, Rule: p.Rule, Options: p.Options, report: p.report}
}

// Show returns the path that findings show for the file of that name.
func (f *Folder) Show(name string) string { return path.Join(f.Path, name) }

// Position returns the place in the manifest file of an offset in Data.
func (f *Folder) Position(offset int) metadata.Position {
	i := sort.SearchInts(f.starts(), offset+1) - 1
	return metadata.Position{Line: i + 1, Column: 1 + utf8.RuneCount(f.Data[f.lines[i]:offset])}
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

// starts returns the offsets at which the lines of Data start. A line ends
// with LF, CRLF or a lone CR, as in package metadata.
func (f *Folder) starts() []int {
	if f.lines == nil {
		f.lines = []int{0}
		if len(f.Data) >= 3 && string(f.Data[:3]) == "\ufeff" {
			f.lines[0] = 3 // columns do not count a byte order mark
		}
		for i, c := range f.Data {
			if c == '\n' || c == '\r' && (i+1 == len(f.Data) || f.Data[i+1] != '\n') {
				f.lines = append(f.lines, i+1)
			}
		}
	}
	return f.lines
}

// wordEnd returns the end of the word at pos, so that a finding without an end
// of its own underlines what a reader would.
func (p *Pass) wordEnd(file string, pos metadata.Position) metadata.Position {
	if file != p.File {
		return metadata.Position{Line: pos.Line, Column: pos.Column + 1}
	}
	at := p.Offset(pos)
	end, col := at, pos.Column
	quote := byte(0)
	for end < len(p.Data) && p.Data[end] != '\n' && p.Data[end] != '\r' {
		c := p.Data[end]
		if end == at && (c == '"' || c == '\'') {
			quote = c
		} else if quote != 0 && c == quote {
			return metadata.Position{Line: pos.Line, Column: col + 1}
		} else if quote == 0 && (c == ' ' || c == ',' || c == ']' || c == '}' || c == ':' && end > at) {
			break
		}
		_, n := utf8.DecodeRune(p.Data[end:])
		end += n
		col++
	}
	return metadata.Position{Line: pos.Line, Column: max(col, pos.Column+1)}
}
