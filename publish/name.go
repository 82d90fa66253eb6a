package publish

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/matrix-nexus/skillkit/internal/unpack"
)

const (
	// MaxName is the number of code points of the longest name of a skill, by
	// the specification of agentskills.io.
	MaxName = 64
	// MaxDepth is how many components the path of a file may have.
	MaxDepth = 32
	// maxPath and maxComponent are sizes in bytes of the path of a file and of
	// one component: what tar, zip and the usual file systems can hold.
	maxPath      = 1024
	maxComponent = 255
)

// CheckName says what is wrong with the name of a skill that is to be
// published, as what follows the name, or returns "". A name has at most
// [MaxName] lower-case letters and digits, with single hyphens between them.
func CheckName(name string) string {
	const remedy = "; use lower-case letters and digits with single hyphens between them, as in deploy-staging"
	switch {
	case name == "":
		return "is empty"
	case utf8.RuneCountInString(name) > MaxName:
		return fmt.Sprintf("has more than %d characters", MaxName)
	}
	for part := range strings.SplitSeq(name, "-") {
		if part == "" {
			return "has a hyphen too many" + remedy
		}
		for _, r := range part {
			if !(unicode.IsDigit(r) || unicode.IsLetter(r) && unicode.ToLower(r) == r) {
				return fmt.Sprintf("holds %q%s", r, remedy)
			}
		}
	}
	if reservedName(name) {
		return "is reserved by Windows; choose another"
	}
	return ""
}

// checkPath says what is wrong with the path of a file that every system is to
// unpack, and what to do; or returns "".
func checkPath(name string) string {
	switch {
	case !utf8.ValidString(name):
		return "the name is not UTF-8; rename it"
	case name == "" || name[0] == '/' || len(name) > maxPath:
		return fmt.Sprintf("the path is empty, absolute or longer than %d bytes", maxPath)
	case strings.Count(name, "/") >= MaxDepth:
		return fmt.Sprintf("more than %d folders deep", MaxDepth-1)
	}
	for part := range strings.SplitSeq(name, "/") {
		switch {
		case part == "" || part == "." || part == "..":
			return fmt.Sprintf("the path holds the component %q", part)
		case len(part) > maxComponent:
			return fmt.Sprintf("the name is longer than %d bytes; shorten it", maxComponent)
		case strings.ContainsFunc(part, unicode.IsControl):
			return "the name holds a control character; rename it"
		case strings.ContainsAny(part, `\:*?"<>|`):
			return `the name holds one of \ : * ? " < > | which Windows refuses; rename it`
		case strings.HasSuffix(part, ".") || strings.HasSuffix(part, " "):
			return "the name ends in a dot or a blank, which Windows drops; rename it"
		case reservedName(part):
			return "the name is reserved by Windows; rename it"
		}
	}
	return ""
}

// reservedName reports whether Windows takes a component for a device, which it
// does with any extension too.
func reservedName(part string) bool {
	stem, _, _ := strings.Cut(part, ".")
	stem = strings.ToUpper(strings.TrimRight(stem, " "))
	if slices.Contains([]string{"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"}, stem) {
		return true
	}
	for _, port := range []string{"COM", "LPT"} {
		if n, ok := strings.CutPrefix(stem, port); ok && slices.Contains(strings.Split("0 1 2 3 4 5 6 7 8 9 ¹ ² ³", " "), n) {
			return true
		}
	}
	return false
}

// fold returns what a file system that ignores case and normalisation takes a
// path for.
func fold(name string) string { return unpack.Fold(name) }
