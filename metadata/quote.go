package metadata

import (
	"strconv"
	"strings"
	"unicode"
)

// fixValue returns a scalar on one line in quotes if YAML would not read it as
// what it looks like. code is empty if there is no fault; at is the offset of
// the fault.
func fixValue(s string) (fixed, code string, at int) {
	if s == "" || isBlockHeader(s) {
		return s, "", 0
	}
	switch s[0] {
	case '#':
		return s, "", 0
	case '"', '\'':
		if at := quoteFault(s); at >= 0 {
			return quoteYAML(unquoteBroken(s)), codeBadQuotes, at
		}
		return s, "", 0
	case '[', '{':
		end := flowEnd(s)
		if end < 0 {
			return s, "", 0 // it may go on in the next line
		}
		rest := strings.TrimLeft(s[end:], " \t")
		if rest == "" || rest[0] == '#' {
			return s, "", 0
		}
		return quoteYAML(s), codeTextAfterFlow, len(s) - len(rest)
	case ',', '*', '`', '%', '@', '|', '>', ']', '}':
		return quoteYAML(s), codeReservedStart, 0
	case '-', '?', ':':
		if len(s) > 1 && (s[1] == ' ' || s[1] == '\t') {
			return quoteYAML(s), codeReservedStart, 0
		}
	}
	if at := colonAt(s); at >= 0 {
		return quoteYAML(s), codeUnquotedColon, at
	}
	if at := strings.IndexAny(s, "\u0085\u2028\u2029"); at >= 0 {
		return quoteYAML(s), codeReservedStart, at
	}
	return s, "", 0
}

// isBlockHeader reports whether s opens a block scalar.
func isBlockHeader(s string) bool {
	if s == "" || s[0] != '|' && s[0] != '>' {
		return false
	}
	rest := strings.TrimLeft(s[1:], "+-123456789")
	return rest == "" || (rest[0] == ' ' && strings.HasPrefix(strings.TrimLeft(rest, " "), "#"))
}

// colonAt returns the offset of a colon that makes s a mapping, or -1.
func colonAt(s string) int {
	for i := range len(s) {
		if s[i] == ':' && (i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '\t') {
			return i
		}
	}
	return -1
}

// isOpenFlow reports whether s starts a list or mapping that does not end.
func isOpenFlow(s string) bool {
	return s != "" && (s[0] == '[' || s[0] == '{') && flowEnd(s) < 0
}

// flowEnd returns the offset behind the bracket that closes the one that s
// starts with, or -1.
func flowEnd(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"', '\'':
			if n := strings.IndexByte(s[i+1:], s[i]); n >= 0 && (i == 0 || strings.IndexByte(" ,:[{", s[i-1]) >= 0) {
				i += n + 1
			}
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// quoteFault returns the offset of what is wrong with s, which starts with a
// quote: an escape that YAML does not know, text behind the closing quote, or
// the quote itself if it is never closed; -1 if it is well-formed.
func quoteFault(s string) int {
	q := s[0]
	for i := 1; i < len(s); i++ {
		switch {
		case q == '"' && s[i] == '\\':
			if i+1 < len(s) && strings.IndexByte("0abt\tnvfre \"/\\N_LPxuU", s[i+1]) < 0 {
				return i
			}
			i++
		case s[i] != q:
		case q == '\'' && i+1 < len(s) && s[i+1] == q:
			i++
		default:
			rest := strings.TrimLeft(s[i+1:], " \t")
			if rest == "" || rest[0] == '#' && rest != s[i+1:] {
				return -1
			}
			return len(s) - len(rest)
		}
	}
	return 0
}

// unquoteBroken returns what a text with broken quotes most likely means. The
// outer quotes go if both are there, and the first if it is the only one;
// text that merely starts with a quoted word stays as it is.
func unquoteBroken(s string) string {
	if s == "" || s[0] != '"' && s[0] != '\'' {
		return s
	}
	q := s[:1]
	inner, closed := strings.CutSuffix(s[1:], q)
	switch {
	case closed:
	case !strings.Contains(strings.ReplaceAll(inner, `\`+q, ""), q):
	default:
		return s
	}
	if q == `"` {
		return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(inner)
	}
	return strings.ReplaceAll(inner, "''", "'")
}

// quoteYAML returns s as a quoted scalar on one line.
func quoteYAML(s string) string {
	plain := !strings.ContainsFunc(s, func(r rune) bool { return r != ' ' && (unicode.IsControl(r) || unicode.IsSpace(r)) })
	switch {
	case plain && !strings.ContainsAny(s, `"\`):
		return `"` + s + `"`
	case plain:
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	return strconv.Quote(s)
}

// faultText says what is wrong with a value.
func faultText(code string) string {
	switch code {
	case codeUnquotedColon:
		return "unquoted colon"
	case codeBadQuotes:
		return "quotes that do not match or a bad escape"
	case codeTextAfterFlow:
		return "text after a list or mapping"
	}
	return "a reserved character"
}

// remedy says what to do about a fault of a value.
func remedy(code string) string {
	if code == codeBadQuotes {
		return "inside \"…\" write \\\" and \\\\, inside '…' write ''"
	}
	return "quote the value"
}
