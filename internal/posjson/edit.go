package posjson

import (
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// An Edit replaces the bytes of a text from Start to End with New.
type Edit struct {
	Start, End int
	New        string
}

// edit notes what to write in place of text that is not strict.
func (p *parser) edit(start, end int, text string) {
	if p.edits != nil {
		*p.edits = append(*p.edits, Edit{start, end, text})
	}
}

// isStrictString reports whether strict JSON may hold the string raw, which
// relaxed JSON may.
func isStrictString(raw string) bool {
	return raw[0] == '"' && !strings.Contains(raw, `\'`) && !strings.ContainsFunc(raw, func(r rune) bool { return r < ' ' })
}

// Strict returns the edits after which the relaxed JSON value at the start of
// text is strict, and all else in it as it was. They are sorted and don't overlap. ok
// is false if there is no such value.
func Strict(text string) (edits []Edit, ok bool) {
	p := parser{s: text, relaxed: true, edits: &edits}
	p.blanks()
	if _, err := p.value(); err != nil {
		return nil, false
	}
	slices.SortFunc(edits, func(a, b Edit) int { return a.Start - b.Start })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(text[at:e.Start])
		b.WriteString(e.New)
		at = e.End
	}
	b.WriteString(text[at:p.i])
	s := parser{s: b.String()}
	if _, err := s.document(); err != nil || s.i != len(s.s) {
		return nil, false
	}
	return edits, true
}

// Plain returns the edits after which the strings of the strict JSON value at
// the start of text have no escapes that YAML does not know: pairs of
// surrogates, and that of a slash.
func Plain(text string) (edits []Edit) {
	p := parser{s: text}
	if _, err := p.document(); err != nil {
		return nil
	}
	for i := 0; i < p.i; i++ {
		if text[i] != '\\' {
			continue
		}
		switch esc := text[i:p.i]; {
		case strings.HasPrefix(esc, `\/`):
			edits = append(edits, Edit{i, i + 1, ""})
		case strings.HasPrefix(esc, `\u`) && len(esc) >= 12 && esc[6:8] == `\u`:
			high, _ := hex4(esc[2:])
			low, _ := hex4(esc[8:])
			if r := utf16.DecodeRune(high, low); r != utf8.RuneError {
				edits = append(edits, Edit{i, i + 12, string(r)})
				i += 10
			}
		}
		i++
	}
	return edits
}
