package pydist

import (
	"errors"
	"fmt"
	"strings"
)

// A Requirement is what PEP 508 calls a dependency specification.
type Requirement struct {
	Name     string // as written
	Extras   []string
	Versions Specifiers
	URL      string // where to get it, or empty
	Marker   string // the condition under which it is required, or empty
}

// ParseRequirement reads a requirement such as `rich[jupyter]>=13,<15`. URL and
// Marker may hold any text.
func ParseRequirement(s string) (Requirement, error) {
	r, err := parseRequirement(s)
	if err != nil {
		return Requirement{}, fmt.Errorf("python requirement %q: %w", s, err)
	}
	return r, nil
}

func parseRequirement(s string) (r Requirement, err error) {
	r.Name, s = cutName(strings.TrimSpace(s))
	if !IsName(r.Name) {
		return r, errors.New("does not begin with the name of a distribution")
	}
	if rest, ok := strings.CutPrefix(s, "["); ok {
		list, rest, ok := strings.Cut(rest, "]")
		if !ok {
			return r, errors.New("the list of extras does not end")
		}
		for extra := range strings.SplitSeq(list, ",") {
			if extra = strings.TrimSpace(extra); extra == "" && strings.TrimSpace(list) == "" {
				break
			}
			if !IsName(extra) {
				return r, fmt.Errorf("%q is not the name of an extra", extra)
			}
			r.Extras = append(r.Extras, extra)
		}
		s = strings.TrimSpace(rest)
	}
	if rest, ok := strings.CutPrefix(s, "@"); ok {
		// A URL may hold a semicolon, so that one behind it needs a blank.
		r.URL, s, _ = strings.Cut(strings.TrimSpace(rest), " ")
		if r.URL == "" {
			return r, errors.New("no URL behind @")
		}
		if s = strings.TrimSpace(s); s != "" && s[0] != ';' {
			return r, errors.New("text behind the URL")
		}
	}
	versions, marker, ok := strings.Cut(s, ";")
	if r.Marker = strings.TrimSpace(marker); ok && r.Marker == "" {
		return r, errors.New("no condition behind the semicolon")
	}
	versions = strings.TrimSpace(versions)
	if inner, ok := strings.CutPrefix(versions, "("); ok {
		if versions, ok = strings.CutSuffix(inner, ")"); !ok {
			return r, errors.New("the parenthesis does not end")
		}
	}
	r.Versions, err = ParseSpecifiers(versions)
	return r, err
}

// cutName cuts off the characters that a name may hold.
func cutName(s string) (name, rest string) {
	n := 0
	for n < len(s) && (isAlnum(s[n]) || isSeparator(s[n])) {
		n++
	}
	return s[:n], strings.TrimSpace(s[n:])
}

// IsName reports whether s may be the name of a distribution: ASCII letters,
// digits and, except at the ends, dots, hyphens and underscores.
func IsName(s string) bool {
	name, rest := cutName(s)
	return name != "" && rest == "" && len(name) == len(s) && isAlnum(s[0]) && isAlnum(s[len(s)-1])
}

// Normalize returns the name by which PEP 503 compares distributions: in lower
// case, with one hyphen for each run of dots, hyphens and underscores.
func Normalize(name string) string {
	var b strings.Builder
	b.Grow(len(name))
	for i := range len(name) {
		switch c := name[i]; {
		case !isSeparator(c):
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			b.WriteByte(c)
		case i == 0 || !isSeparator(name[i-1]):
			b.WriteByte('-')
		}
	}
	return b.String()
}

func isSeparator(c byte) bool { return c == '.' || c == '-' || c == '_' }

func isAlnum(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
