package check

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/metadata"
)

// maxMentionWork is how many bytes are searched, all files and names together,
// before fileUnmentioned gives up and finds nothing.
const maxMentionWork = 64 << 20

// maxMentioned is how many files fileUnmentioned looks for.
const maxMentioned = 300

func fileUnmentioned(p *Pass) {
	var left []string
	for _, f := range p.Files {
		if dir, _, ok := strings.Cut(f.Name, "/"); ok && dir != "assets" && slices.Contains(skillDirs, dir) && !speaksForItself(f.Name) {
			left = append(left, f.Name)
		}
	}
	if len(left) == 0 || len(left) > maxMentioned {
		return
	}
	work := 0
	texts := []string{string(p.Data)}
	for first := true; len(texts) > 0 && len(left) > 0; first = false {
		text := texts[0]
		texts = texts[1:]
		if work += len(text) * len(left); work > maxMentionWork {
			return
		}
		left = slices.DeleteFunc(left, func(name string) bool {
			if !mentionsFile(text, name, first) {
				return false
			}
			if t, ok := p.Text(name); ok {
				texts = append(texts, t)
			}
			return true
		})
	}
	for len(left) > 0 {
		dir, _, _ := strings.Cut(left[0], "/")
		n := 1
		for n < len(left) && strings.HasPrefix(left[n], dir+"/") {
			n++
		}
		more := ""
		if n == 2 {
			more = ", nor is another in " + dir
		} else if n > 2 {
			more = fmt.Sprintf(", nor are %d others in %s", n-1, dir)
		}
		p.ReportFilef(left[0], metadata.Position{}, "the file is not mentioned in SKILL.md or a file that is%s; say when to use it", more)
		left = left[n:]
	}
}

// mentionsFile reports whether text names the file: by its base name, without the
// extension as programs do unless it is a common word in prose, or by its
// folder with nothing behind it.
func mentionsFile(text, name string, prose bool) bool {
	base := path.Base(name)
	if strings.Contains(text, base) {
		return true
	}
	if stem := strings.TrimSuffix(base, path.Ext(base)); (len(stem) > 3 && !prose || strings.ContainsAny(stem, "-_")) && containsWord(text, stem) {
		return true
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if containsFolder(text, dir) {
			return true
		}
	}
	return false
}

func containsWord(text, word string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		start := at + i
		at = start + len(word)
		if (start == 0 || !isWordByte(text[start-1]) && text[start-1] != '-') && (at == len(text) || !isWordByte(text[at]) && text[at] != '-') {
			return true
		}
	}
}

// containsFolder reports whether text speaks of all that is in dir.
func containsFolder(text, dir string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], dir)
		if i < 0 {
			return false
		}
		at += i + len(dir)
		rest := strings.TrimPrefix(text[at:], "/")
		if len(rest) < len(text)-at && (rest == "" || !isWordByte(rest[0]) && rest[0] != '.') {
			return true
		}
		if rest == "" || rest[0] == '`' {
			return true
		}
	}
}

// speaksForItself reports whether nobody has to mention the file: notes for
// people, tests, and what programs look for by its name.
func speaksForItself(name string) bool {
	base := strings.ToLower(path.Base(name))
	if strings.HasPrefix(base, ".") || strings.Contains("/"+name, "/.") || strings.Contains(name, "__pycache__") {
		return true
	}
	for _, s := range []string{"readme", "license", "changelog", "skill.md", "__init__.", "conftest.", "test_", "package.", "package-lock.", "requirements", "pyproject.", "setup.", "tsconfig", "go.", "cargo.", "makefile", "dockerfile", "uv.lock", "yarn.lock", "pnpm-"} {
		if strings.HasPrefix(base, s) {
			return true
		}
	}
	return strings.Contains(base, "_test.") || strings.Contains(base, ".test.") || strings.Contains("/"+name, "/tests/")
}
