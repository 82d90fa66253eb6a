package skillgen

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
)

// An object is a JSON object whose members keep their order. A value is nil, a
// bool, a string, an int, an object or a []any.
type object []member

type member struct {
	key   string
	value any
}

func (o object) get(key string) any {
	for _, m := range o {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

func anys[T any](list ...T) []any {
	var out []any
	for _, v := range list {
		out = append(out, v)
	}
	return out
}

// A style says how JSON, or what its writer took for JSON, is written.
type style struct {
	lines    bool // one member a line, else all on one
	spaces   bool // a blank after colons and commas, on one line
	trailing bool // a comma after the last member; with lines
	bare     bool // keys without quotes
	single   bool // single quotes
	ascii    bool // everything else as \u escapes, surrogate pairs too
}

// json writes v. indent is that of the line that v starts on.
func (s style) json(v any, indent string) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case int:
		return strconv.Itoa(v)
	case string:
		return s.quote(v)
	case object:
		var parts []string
		for _, m := range v {
			key := s.quote(m.key)
			if s.bare && isWord(m.key) {
				key = m.key
			}
			colon := ":"
			if s.spaces || s.lines {
				colon = ": "
			}
			parts = append(parts, key+colon+s.json(m.value, indent+"  "))
		}
		return s.wrap("{", parts, "}", indent)
	case []any:
		var parts []string
		flat := s
		simple := true
		for _, e := range v {
			_, isObject := e.(object)
			simple = simple && !isObject
		}
		if simple {
			flat.lines = false
		}
		for _, e := range v {
			parts = append(parts, flat.json(e, indent+"  "))
		}
		return flat.wrap("[", parts, "]", indent)
	}
	panic(fmt.Sprintf("skillgen: json of %T", v))
}

func (s style) wrap(open string, parts []string, shut, indent string) string {
	if len(parts) == 0 {
		return open + shut
	}
	if !s.lines {
		sep := ","
		if s.spaces {
			sep = ", "
		}
		return open + strings.Join(parts, sep) + shut
	}
	comma := ""
	if s.trailing {
		comma = ","
	}
	inner := "\n" + indent + "  "
	return open + inner + strings.Join(parts, ","+inner) + comma + "\n" + indent + shut
}

func (s style) quote(text string) string {
	q := byte('"')
	if s.single {
		q = '\''
	}
	var b strings.Builder
	b.WriteByte(q)
	for _, r := range text {
		switch {
		case r == rune(q) && s.single:
			b.WriteString(`''`) // YAML's way; JSON5 would write \'
		case r == rune(q) || r == '\\' && !s.single:
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r > 0xffff && s.ascii:
			hi, lo := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, hi, lo)
		case r > 0x7e && s.ascii:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte(q)
	return b.String()
}

func isWord(s string) bool {
	for _, r := range s {
		if r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') {
			return false
		}
	}
	return s != ""
}

// block writes the members of o as a YAML block map, each line after indent.
// Lists of plain values are written in flow style when flow is set.
func block(o object, indent string, flow bool) string {
	var b strings.Builder
	for _, m := range o {
		b.WriteString(indent + m.key + ":")
		switch v := m.value.(type) {
		case object:
			if len(v) == 0 {
				b.WriteString(" {}\n")
				break
			}
			b.WriteString("\n" + block(v, indent+"  ", flow))
		case []any:
			b.WriteString(blockList(v, indent+"  ", flow))
		default:
			b.WriteString(" " + blockScalar(v) + "\n")
		}
	}
	return b.String()
}

func blockList(list []any, indent string, flow bool) string {
	simple := true
	for _, e := range list {
		_, isObject := e.(object)
		simple = simple && !isObject
	}
	if len(list) == 0 || simple && flow {
		return " " + style{spaces: true}.json(list, "") + "\n"
	}
	var b strings.Builder
	b.WriteByte('\n')
	for _, e := range list {
		if o, ok := e.(object); ok {
			b.WriteString(indent + "- " + strings.TrimPrefix(block(o, indent+"  ", flow), indent+"  "))
		} else {
			b.WriteString(indent + "- " + blockScalar(e) + "\n")
		}
	}
	return b.String()
}

func blockScalar(v any) string {
	if s, ok := v.(string); ok && plain(s) {
		return s
	}
	return style{}.json(v, "")
}

// plain reports whether text can stand as a plain scalar in a block map and
// is then read as that text, whatever type its reader gives it.
func plain(text string) bool {
	if text == "" || strings.TrimSpace(text) != text || strings.ContainsAny(text, "\n\t") ||
		strings.Contains(text, ": ") || strings.Contains(text, " #") || strings.HasSuffix(text, ":") {
		return false
	}
	switch text[0] {
	case '-', '?', ':':
		return len(text) > 1 && text[1] != ' '
	}
	return !strings.ContainsRune(",[]{}#&*!|>'\"%@`~", rune(text[0])) && text != "null" && text != "---"
}
