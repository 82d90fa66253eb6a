package check

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/matrix-nexus/skillkit/metadata"
)

// replaceKey returns the fix that gives a field another key. It is nil, as is
// that of [Pass.replaceValue], where the file does not have the text as it is
// read: in a block, on several lines, or with escapes in JSON in quotes.
// message and changes are those of the [Fix].
func (p *Pass) replaceKey(f metadata.Field, key, message string, changes ...string) *Fix {
	return p.replaceAt(f.KeyPos, f.Key, key, message, changes)
}

// replaceValue returns the fix that writes text in place of the text of a
// field, plain or in the quotes that it has. A plain one gets quotes where it
// needs them.
func (p *Pass) replaceValue(f metadata.Field, text, message string, changes ...string) *Fix {
	return p.replaceAt(f.Pos, f.Text(), text, message, changes)
}

func (p *Pass) replaceAt(pos metadata.Position, old, text, message string, changes []string) *Fix {
	if !pos.IsValid() || old == "" {
		return nil
	}
	at := p.Offset(pos)
	line := p.Data[at:]
	if n := bytes.IndexAny(line, "\r\n"); n >= 0 {
		line = line[:n]
	}
	end, quoted := rewrite(string(line), old, text)
	if end == 0 {
		return nil
	}
	return &Fix{Message: message, Edits: []metadata.Edit{{Start: at, End: at + end, New: quoted}}, Changes: changes}
}

// rewrite returns how much of line is the scalar or the key old, and text in
// the same style; end is 0 if line does not start with it.
func rewrite(line, old, text string) (end int, quoted string) {
	switch {
	case strings.HasPrefix(line, `"`):
		end := quotedEnd(line)
		var value string
		if end < 0 || json.Unmarshal([]byte(line[:end]), &value) != nil || value != old {
			return 0, ""
		}
		return end, quote(text)
	case strings.HasPrefix(line, "'"):
		quoted := "'" + strings.ReplaceAll(old, "'", "''") + "'"
		if !strings.HasPrefix(line, quoted) || strings.HasPrefix(line[len(quoted):], "'") || strings.ContainsAny(text, "\r\n\t") {
			return 0, ""
		}
		return len(quoted), "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	rest, ok := strings.CutPrefix(line, old)
	if !ok || rest != "" && strings.IndexByte(" \t,:]}", rest[0]) < 0 {
		return 0, ""
	}
	if !isPlain(text) {
		text = quote(text)
	}
	return len(old), text
}

// quote returns s in double quotes, as JSON and YAML both read it.
func quote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return "" // a string always has a form
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// isPlain reports whether s needs no quotes in YAML, whatever stands around it.
func isPlain(s string) bool {
	switch strings.ToLower(s) {
	case "", "true", "false", "yes", "no", "on", "off", "y", "n", "null":
		return false
	}
	for i := range len(s) {
		c := s[i]
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || strings.IndexByte("0123456789-_./", c) < 0) && (c != ' ' || i == 0 || i == len(s)-1) {
			return false
		}
	}
	return true
}
