package manifest

import (
	"cmp"
	"strings"
)

// Identity returns the name by which a plugin is known: configured, that of
// the host's configuration, else tool_id, name and slug of its executa.json, else
// the name in its manifest, else the slug of its display name. It is empty if
// none of them is there. e and p may be nil. A plugin's own name comes late
// because most have none.
func Identity(configured string, e *Executa, p *Plugin) string {
	if e == nil {
		e = &Executa{}
	}
	if p == nil {
		p = &Plugin{}
	}
	return cmp.Or(configured, e.ToolID, e.Name, e.Slug, p.Name, slug(p.DisplayName))
}

// slug returns s in lower case with each run of characters other than a to z
// and 0 to 9 as one hyphen, and none at the ends.
func slug(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), "-")
}

// ValidVersion reports whether s is a version as semver.org 2.0.0 defines it,
// such as 1.4.0 or 1.4.0-rc.1+build.7: without a leading v, and with all three
// numbers.
func ValidVersion(s string) bool {
	s, build, hasBuild := strings.Cut(s, "+")
	core, pre, hasPre := strings.Cut(s, "-")
	numbers := strings.Split(core, ".")
	if len(numbers) != 3 || hasBuild && !identifiers(build, false) || hasPre && !identifiers(pre, true) {
		return false
	}
	for _, n := range numbers {
		if !isDigits(n) || n[0] == '0' && n != "0" {
			return false
		}
	}
	return true
}

// identifiers reports whether s is a list of identifiers, with dots between
// them. A number in a pre-release has no leading zeros.
func identifiers(s string, preRelease bool) bool {
	for id := range strings.SplitSeq(s, ".") {
		if id == "" || preRelease && len(id) > 1 && id[0] == '0' && isDigits(id) {
			return false
		}
		for _, c := range []byte(id) {
			if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-') {
				return false
			}
		}
	}
	return true
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
