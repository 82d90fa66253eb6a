package check

import (
	"bytes"
	"fmt"
	"slices"

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
		return "write the characters in place of escapes that YAML refuses"
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

// replace returns the edits that put text in the place of old, a key or a scalar
// that stands at pos, with or without quotes; nil if it is not written so there.
func (p *Pass) replace(pos metadata.Position, old, text string) []metadata.Edit {
	at := p.Offset(pos)
	if at < len(p.Data) && (p.Data[at] == '"' || p.Data[at] == '\'') {
		at++
	}
	if !bytes.HasPrefix(p.Data[at:], []byte(old)) {
		return nil
	}
	return []metadata.Edit{{Start: at, End: at + len(old), New: text}}
}

// valueFinding returns a finding for the value of f, with an end if the value
// is written on one line as it is read.
func (p *Pass) valueFinding(f metadata.Field, format string, args ...any) Finding {
	found := Finding{Position: f.Pos, Message: fmt.Sprintf(format, args...)}
	if text := f.Text(); text != "" {
		if edits := p.replace(f.Pos, text, ""); edits != nil {
			found.Position, found.End = p.Position(edits[0].Start), p.Position(edits[0].End)
		}
	}
	return found
}

// reportValue reports the value of f.
func (p *Pass) reportValue(f metadata.Field, format string, args ...any) {
	p.Report(p.valueFinding(f, format, args...))
}

// hasProblem reports whether the parser found a problem of that code there.
func (p *Pass) hasProblem(code string, pos metadata.Position) bool {
	return slices.ContainsFunc(p.Doc.Problems, func(q metadata.Problem) bool { return q.Code == code && q.Position == pos })
}
