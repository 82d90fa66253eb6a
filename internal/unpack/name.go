package unpack

import (
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxName is the length in bytes of the longest name, as PATH_MAX of Linux.
	maxName = 4096

	// maxComponent is that of one component of it, as NAME_MAX.
	maxComponent = 255

	// maxDepth is the number of components of the longest name. Trees of
	// nested node_modules reach about 40.
	maxDepth = 100
)

// splitName returns the components of a name of an archive, without empty ones
// and ".", or why the name is refused.
func splitName(name string) (parts []string, reason string) {
	switch {
	case name == "":
		return nil, "has no name"
	case len(name) > maxName:
		return nil, "name is longer than " + strconv.Itoa(maxName) + " bytes"
	case !utf8.ValidString(name):
		return nil, "name is not UTF-8"
	case strings.ContainsFunc(name, unicode.IsControl):
		return nil, "name holds a control character"
	case strings.Contains(name, `\`):
		return nil, "name holds a backslash"
	case name[0] == '/':
		return nil, "name is absolute"
	}
	for part := range strings.SplitSeq(name, "/") {
		switch {
		case part == "" || part == ".":
			continue
		case part == "..":
			return nil, `name holds ".."`
		case len(part) > maxComponent:
			return nil, "a component of the name is longer than " + strconv.Itoa(maxComponent) + " bytes"
		case isDrive(part):
			return nil, "name holds a drive letter"
		}
		parts = append(parts, part)
	}
	if len(parts) > maxDepth {
		return nil, "name has more than " + strconv.Itoa(maxDepth) + " components"
	}
	return parts, ""
}

func isDrive(part string) bool {
	return len(part) > 1 && part[1] == ':' && ('a' <= part[0]|0x20 && part[0]|0x20 <= 'z')
}

// stripName returns the name of an entry below the folder that is written to,
// with slashes, or "" if nothing is left of it.
func stripName(name string, strip int) (stripped, reason string) {
	parts, reason := splitName(name)
	if reason != "" || len(parts) <= strip {
		return "", reason
	}
	stripped = strings.Join(parts[strip:], "/")
	// What the components say is said again of the whole, by the rules of the
	// system: Windows has names of devices, such as NUL.
	if !filepath.IsLocal(filepath.FromSlash(stripped)) {
		return "", "name leads outside or is reserved by the system"
	}
	return stripped, ""
}

// checkTarget says why a link called name may not have the target, or returns "".
//
// ".." may only come first. The folders above a link are folders, so these lead
// where they seem to, and what follows leads downwards, or through links of which
// the same is true. Further inside, ".." could follow a link that leads up.
func checkTarget(name, target string) (reason string) {
	depth := strings.Count(name, "/")
	rest := target
	for {
		if up, ok := strings.CutPrefix(rest, "./"); ok {
			rest = up
			continue
		}
		if rest == ".." {
			rest = "../"
		}
		up, ok := strings.CutPrefix(rest, "../")
		if !ok {
			break
		}
		if depth--; depth < 0 {
			return "link leads outside"
		}
		rest = up
		if rest == "" {
			return ""
		}
		if rest[0] == '/' {
			return "target of the link holds an empty component"
		}
	}
	if rest == "." {
		return ""
	}
	if _, reason := splitName(rest); reason != "" {
		return "link: target: " + reason
	}
	if len(target) > maxName {
		return "link: target: name is longer than " + strconv.Itoa(maxName) + " bytes"
	}
	return ""
}
