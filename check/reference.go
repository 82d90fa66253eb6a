package check

import (
	"bytes"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/metadata"
)

// baseDir is what a skill writes for its own folder.
const baseDir = "{baseDir}"

// skillDirs are the folders in which skills keep what they refer to.
var skillDirs = []string{"scripts", "references", "assets", "templates", "examples", "data"}

// A reference is a path in the text of a skill.
type reference struct {
	kind refKind
	// path is decoded and not cleaned, relative to the folder unless it is
	// absolute. It may have backslashes.
	path       string
	start, end int // offsets in Folder.Data; equal if they are not known
	pos        metadata.Position
	word       int // how many words stand before it in a code span
}

type refKind int

const (
	linkRef refKind = iota // of a link or an image
	codeRef                // in a code span
	baseRef                // behind {baseDir}, anywhere
)

// linkPath returns the path that the destination of a link names, and whether
// it names one: no address, no place in the same page and no placeholder.
func linkPath(dest string) (string, bool) {
	dest = strings.TrimPrefix(dest, "file://")
	if strings.HasPrefix(dest, "#") || strings.HasPrefix(dest, "?") || strings.HasPrefix(dest, "//") || hasScheme(dest) {
		return "", false
	}
	if i := strings.IndexAny(dest, "#?"); i >= 0 {
		dest = dest[:i]
	}
	if decoded, err := url.PathUnescape(dest); err == nil {
		dest = decoded
	}
	// A file has an extension or lies in a folder: "link", "url" and "text"
	// stand for something else.
	if !strings.ContainsAny(dest, "./\\") || isPlaceholder(dest) {
		return "", false
	}
	return dest, true
}

// hasScheme reports whether dest is an address; C:\ is not one.
func hasScheme(dest string) bool {
	n := strings.IndexByte(dest, ':')
	if n < 2 || n > 20 {
		return false
	}
	for _, c := range []byte(dest[:n]) {
		if !isWordByte(c) && c != '+' && c != '.' && c != '-' {
			return false
		}
	}
	return true
}

// isPlaceholder reports whether s stands for any path, as in <file>, $FILE,
// *.md, path/to/x and "...".
func isPlaceholder(s string) bool {
	s = strings.TrimPrefix(s, baseDir)
	return strings.ContainsAny(s, "<>{}$*|\"'`\n…") || strings.Contains(s, "...") || strings.Contains(s, "path/to/") ||
		strings.Contains(s, "YYYY") || strings.Contains(s, "XX")
}

func isWordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}

// isPathByte reports whether c is a sign of paths that nobody has to quote.
func isPathByte(c byte) bool { return isWordByte(c) || c == '.' || c == '/' || c == '-' }

// absolute reports whether p starts at a root, a drive or a home folder.
func absolute(p string) bool {
	return strings.HasPrefix(p, "/") || strings.HasPrefix(p, "~/") || strings.HasPrefix(p, `\\`) ||
		len(p) > 2 && p[1] == ':' && (p[2] == '\\' || p[2] == '/')
}

// outside reports whether p leads out of the folder.
func outside(p string) bool {
	if absolute(p) {
		return true
	}
	p = path.Clean(strings.ReplaceAll(p, `\`, "/"))
	return p == ".." || strings.HasPrefix(p, "../")
}

// has reports whether there is a file or folder of that path, relative to the
// folder.
func (f *Folder) has(name string) bool {
	name = path.Clean(name)
	if name == "." {
		return true
	}
	for _, file := range f.Files {
		if rest, ok := strings.CutPrefix(file.Name, name); ok && (rest == "" || rest[0] == '/') {
			return true
		}
	}
	return false
}

// like returns a file whose path differs from name by case alone, else the
// only one with the same last element; empty if there is none.
func (f *Folder) like(name string) (file string, sameFold bool) {
	name = path.Clean(name)
	n := 0
	for _, g := range f.Files {
		if strings.EqualFold(g.Name, name) {
			return g.Name, true
		}
		if strings.EqualFold(path.Base(g.Name), path.Base(name)) {
			file = g.Name
			n++
		}
	}
	if n != 1 {
		return "", false
	}
	return file, false
}

// findRefs collects the references of a body, which starts at offset start of
// the file.
func (b *Body) findRefs(f *Folder, start int) {
	for _, l := range b.Links {
		if p, ok := linkPath(l.Dest); ok && !strings.HasPrefix(p, baseDir) {
			b.refs = append(b.refs, reference{kind: linkRef, path: p, start: l.Start, end: l.End, pos: l.Pos})
		}
	}
	for _, c := range b.Codes {
		if strings.ContainsAny(c.Text, `/\`) {
			b.codeRefs(f, c)
		}
	}
	text := f.Data[start:]
	for at := 0; ; {
		i := bytes.Index(text[at:], []byte(baseDir+"/"))
		if i < 0 {
			return
		}
		from := at + i
		at = from + len(baseDir) + 1
		first := at
		for at < len(text) && isPathByte(text[at]) {
			at++
		}
		p := strings.TrimRight(string(text[first:at]), ".")
		if at < len(text) && strings.IndexByte("<{$*[", text[at]) >= 0 || isPlaceholder(p) {
			continue // the rest stands for something else
		}
		b.refs = append(b.refs, reference{kind: baseRef, path: p, start: start + from, end: start + first + len(p), pos: f.Position(start + from)})
	}
}

// codeRefs collects the paths in a code span: those below one of skillDirs or with
// .. in front, and of files that are there but for backslashes.
func (b *Body) codeRefs(f *Folder, c Code) {
	at := 0
	for n, word := range strings.Fields(c.Text) {
		at += strings.Index(c.Text[at:], word)
		start := c.Start + at
		at += len(word)
		word = strings.TrimRight(word, ".,;:")
		p := strings.ReplaceAll(word, `\`, "/")
		first, _, ok := strings.Cut(strings.TrimPrefix(p, "./"), "/")
		if !ok || !isPlainPath(p) {
			continue
		}
		if first != ".." && !slices.Contains(skillDirs, first) && (p == word || !f.has(p)) {
			continue
		}
		r := reference{kind: codeRef, path: word, start: start, end: start + len(word), pos: c.Pos, word: n}
		if string(f.Data[r.start:min(r.end, len(f.Data))]) != word {
			r.start, r.end = 0, 0 // behind a line end
		}
		b.refs = append(b.refs, r)
	}
}

// isPlainPath reports whether p is the path of a file or folder and nothing
// that only looks like one, such as a pattern.
func isPlainPath(p string) bool {
	for _, c := range []byte(p) {
		if !isPathByte(c) {
			return false
		}
	}
	return !isPlaceholder(p)
}

// reportRef reports a finding about r.
func (p *Pass) reportRef(r reference, fix *Fix, message string) {
	f := Finding{Position: r.pos, Message: message, Fix: fix}
	if r.start < r.end {
		f.Position, f.End = p.Position(r.start), p.Position(r.end)
	} else {
		f.Fix = nil
	}
	p.Report(f)
}
