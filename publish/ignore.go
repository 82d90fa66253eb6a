package publish

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strings"
)

const (
	// maxIgnoreFile is the size in bytes of the largest .gitignore.
	maxIgnoreFile = 64 << 10
	// maxIgnorePatterns is the number of patterns in all of them: each path is
	// matched with each pattern.
	maxIgnorePatterns = 2000
)

// An ignorer knows the patterns of the .gitignore files of a folder, with the
// meaning that gitignore(5) gives them, case-sensitive on every system. Of the 29
// cases of TestIgnoreAsGit the matcher of go-git v5.19.3 differs from git in 14,
// and sabhiram/go-gitignore in 19.
type ignorer struct {
	patterns []pattern // a folder's before those of the folders in it
}

// A pattern is one line of a .gitignore.
type pattern struct {
	dir     string // the folder of the file, as "" or "a/b/"
	re      *regexp.Regexp
	base    bool // matches the last component of a path
	dirOnly bool
	negated bool
	origin  string // for people: the file, the line and the text
}

// add adds the patterns of a .gitignore in the folder dir, "." or "a/b". Those
// of the folder around it must be there.
func (ig *ignorer) add(dir string, text []byte) error {
	if len(text) > maxIgnoreFile {
		return fmt.Errorf("more than %d bytes", maxIgnoreFile)
	}
	prefix := ""
	if dir != "." {
		prefix = dir + "/"
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	for i, line := range strings.Split(string(text), "\n") {
		p, ok := parsePattern(strings.TrimSuffix(line, "\r"))
		if !ok {
			continue
		}
		p.dir = prefix
		p.origin = fmt.Sprintf("%s:%d: %s", path.Join(dir, ".gitignore"), i+1, line)
		if ig.patterns = append(ig.patterns, p); len(ig.patterns) > maxIgnorePatterns {
			return fmt.Errorf("more than %d patterns in the .gitignore files of the skill", maxIgnorePatterns)
		}
	}
	return nil
}

// match returns the origin of the pattern that excludes name, or "". It is for
// an entry of a folder that is not excluded itself: nothing in one that is can
// be taken back.
func (ig *ignorer) match(name string, dir bool) string {
	for i := len(ig.patterns) - 1; i >= 0; i-- {
		p := &ig.patterns[i]
		rest, ok := strings.CutPrefix(name, p.dir)
		if !ok || p.dirOnly && !dir {
			continue
		}
		if p.base {
			rest = path.Base(rest)
		}
		if !p.re.MatchString(bytesAsRunes(rest)) {
			continue
		}
		if p.negated {
			return ""
		}
		return p.origin
	}
	return ""
}

// parsePattern reads a line, unless it holds no pattern or one that matches
// nothing.
func parsePattern(line string) (p pattern, ok bool) {
	if strings.HasPrefix(line, "#") {
		return p, false
	}
	line = trimBlanks(line)
	line, p.negated = strings.CutPrefix(line, "!")
	line, p.dirOnly = strings.CutSuffix(line, "/")
	p.base = !strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return p, false
	}
	expr, ok := globExpr(line)
	if !ok {
		return p, false
	}
	var err error
	p.re, err = regexp.Compile(`(?s)\A` + expr + `\z`)
	return p, err == nil
}

// trimBlanks cuts the blanks at the end, but for one that is escaped.
func trimBlanks(line string) string {
	trimmed := strings.TrimRight(line, " ")
	slashes := len(trimmed) - len(strings.TrimRight(trimmed, `\`))
	if slashes%2 == 1 && len(trimmed) < len(line) {
		trimmed += " "
	}
	return trimmed
}

// bytesAsRunes returns s with a code point for each byte: git matches bytes,
// regexp code points.
func bytesAsRunes(s string) string {
	for i := range len(s) {
		if s[i] >= 0x80 {
			runes := make([]rune, len(s))
			for i := range len(s) {
				runes[i] = rune(s[i])
			}
			return string(runes)
		}
	}
	return s
}

// globExpr returns a regular expression for a pattern, or false for one that
// matches nothing.
func globExpr(glob string) (expr string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(glob); {
		c := glob[i]
		switch c {
		case '*':
			end := i
			for end < len(glob) && glob[end] == '*' {
				end++
			}
			whole := end-i > 1 && (i == 0 || glob[i-1] == '/')
			switch {
			case whole && end == len(glob):
				b.WriteString(".*")
			case whole && glob[end] == '/':
				b.WriteString("(?:.*/)?")
				end++
			default:
				b.WriteString("[^/]*")
			}
			i = end
		case '?':
			b.WriteString("[^/]")
			i++
		case '[':
			class, n := bracketExpr(glob[i:])
			if n == 0 {
				return "", false
			}
			b.WriteString(class)
			i += n
		case '\\':
			if i++; i == len(glob) {
				return "", false
			}
			fallthrough
		default:
			end := i + 1
			for end < len(glob) && !strings.ContainsRune(`*?[\`, rune(glob[end])) {
				end++
			}
			b.WriteString(regexp.QuoteMeta(bytesAsRunes(glob[i:end])))
			i = end
		}
	}
	return b.String(), true
}

var posixClass = regexp.MustCompile(`^\[:(alnum|alpha|blank|cntrl|digit|graph|lower|print|punct|space|upper|xdigit):\]`)

// bracketExpr returns a regular expression for the bracket expression that glob
// starts with, and its length; 0 if it matches nothing.
func bracketExpr(glob string) (expr string, n int) {
	var b strings.Builder
	i := 1
	if i < len(glob) && (glob[i] == '!' || glob[i] == '^') {
		b.WriteString("^/") // a slash is never matched
		i++
	}
	for first := true; i < len(glob); first = false {
		if glob[i] == ']' && !first {
			if b.Len() == 0 {
				return "", 0
			}
			return "[" + b.String() + "]", i + 1
		}
		if strings.HasPrefix(glob[i:], "[:") {
			if end := strings.IndexByte(glob[i+2:], ']'); end > 0 && glob[i+2+end-1] == ':' {
				class := posixClass.FindString(glob[i:])
				if class == "" {
					return "", 0
				}
				b.WriteString(class)
				i += len(class)
				continue
			}
		}
		low, next := bracketByte(glob, i)
		high := low
		if next+1 < len(glob) && glob[next] == '-' && glob[next+1] != ']' {
			high, next = bracketByte(glob, next+1)
		}
		i = next
		// The lower end of a range that runs backwards counts all the same.
		for _, r := range [][2]int{{low, low}, {low, min(high, '/'-1)}, {max(low, '/'+1), high}} {
			if r[0] <= r[1] && r != [2]int{'/', '/'} {
				fmt.Fprintf(&b, `\x{%x}-\x{%x}`, r[0], r[1])
			}
		}
	}
	return "", 0
}

// bracketByte returns the byte at i, which a backslash may escape, and where the
// next one is.
func bracketByte(glob string, i int) (c, next int) {
	if glob[i] == '\\' && i+1 < len(glob) {
		i++
	}
	return int(glob[i]), i + 1
}
