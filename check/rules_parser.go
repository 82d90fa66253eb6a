package check

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/metadata"
)

// problems reports the problems that have the code of the rule.
func problems(p *Pass) {
	if p.Err != nil && p.Err.Code == p.Rule.ID {
		p.Reportf(p.Err.Pos, "%s", p.Err.Msg)
	}
	if p.Doc == nil {
		return
	}
	for _, q := range p.Doc.Problems {
		if q.Code == p.Rule.ID {
			p.Report(Finding{Position: q.Position, Message: q.Message, Fix: p.fix(q)})
		}
	}
}

// fix returns the fix of a problem that the parser knows how to repair, or nil.
func (p *Pass) fix(q metadata.Problem) *Fix {
	edits := p.Doc.Edits(p.Data, q)
	if edits == nil {
		return nil
	}
	fix := &Fix{Message: fixText(q.Code), Edits: edits}
	if len(edits) == 1 && (q.Code == "key-spelling" || q.Code == "os-alias") {
		fix.Message = "write " + edits[0].New
	}
	switch {
	case q.Code == "crlf", q.Code == "irregular-fence" && len(edits) > 1:
		fix.Changes = []string{"Body"}
	case q.Code == "legacy-vendor-key":
		fix.Changes = []string{"VendorKey"}
	}
	return fix
}

// fixText says what the repair of a problem does.
func fixText(code string) string {
	switch code {
	case "bom":
		return "remove the byte order mark"
	case "crlf":
		return "end all lines of the file with LF"
	case "irregular-fence":
		return "put the fence where it belongs, on a line of its own"
	case "bad-quotes":
		return "quote the value as it is read"
	case "odd-colon":
		return "write a colon and a blank"
	case "unindented-text":
		return "put the value on one line, in quotes"
	case "metadata-not-yaml":
		return "write JSON that YAML reads as well"
	case "metadata-not-strict-json":
		return "write strict JSON"
	case "key-spelling":
		return "write the key as documented"
	case "legacy-vendor-key":
		return "rename the key to openclaw"
	case "os-alias":
		return "write the name as documented"
	case "string-bool":
		return "write true or false without quotes"
	}
	return "quote the value"
}

// extent returns where the text of f starts in Data, and whether it stands there
// as it is read: on one line, with or without quotes.
func (p *Pass) extent(f metadata.Field) (start int, ok bool) {
	start = p.Offset(f.Pos)
	if start < len(p.Data) && (p.Data[start] == '"' || p.Data[start] == '\'') {
		start++
	}
	text := f.Text()
	return start, text != "" && bytes.HasPrefix(p.Data[start:], []byte(text))
}

// valueFinding returns a finding for the value of f.
func (p *Pass) valueFinding(f metadata.Field, format string, args ...any) Finding {
	return p.partFinding(f, f.Text(), format, args...)
}

// partFinding returns a finding for a part of the text of f, or for all of it if it
// does not stand in the file as it is read.
func (p *Pass) partFinding(f metadata.Field, part, format string, args ...any) Finding {
	found := Finding{Position: f.Pos, Message: fmt.Sprintf(format, args...)}
	if start, ok := p.extent(f); ok {
		if i := strings.Index(f.Text(), part); i >= 0 {
			found.Position, found.End = p.Position(start+i), p.Position(start+i+len(part))
		}
	}
	return found
}

// reportValue reports the value of f.
func (p *Pass) reportValue(f metadata.Field, format string, args ...any) {
	p.Report(p.valueFinding(f, format, args...))
}

// reportPart reports a part of the text of f.
func (p *Pass) reportPart(f metadata.Field, part, format string, args ...any) {
	p.Report(p.partFinding(f, part, format, args...))
}

// hasProblem reports whether the parser found a problem of that code there.
func (p *Pass) hasProblem(code string, pos metadata.Position) bool {
	return slices.ContainsFunc(p.Doc.Problems, func(q metadata.Problem) bool { return q.Code == code && q.Position == pos })
}
