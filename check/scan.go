package check

import (
	"fmt"
	"path"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/matrix-nexus/skillkit/metadata"
)

// A hit is what the scan of a text found for one rule.
type hit struct {
	rule     string
	file     string // relative to the folder
	pos, end metadata.Position
	message  string
}

// A hitList collects hits.
type hitList struct {
	hits   []hit
	counts map[string]int // of hits, by rule
}

// maxHits is the number of hits that one rule gets of one text, or of the names
// of one folder. The message of the last says how many more there are.
const maxHits = 20

func (l *hitList) add(h hit) {
	if l.counts == nil {
		l.counts = map[string]int{}
	}
	l.counts[h.rule]++
	if l.counts[h.rule] <= maxHits {
		l.hits = append(l.hits, h)
	}
}

// done returns the hits.
func (l *hitList) done() []hit {
	left := l.counts
	for i := range l.hits {
		left[l.hits[i].rule]--
	}
	for i := len(l.hits) - 1; i >= 0; i-- {
		h := &l.hits[i]
		if more := left[h.rule]; more > 0 {
			h.message += fmt.Sprintf(" (and %d more)", more)
			left[h.rule] = 0
		}
	}
	return l.hits
}

// scanned reports what the scan of the texts of the folder found for the rule.
func scanned(p *Pass) {
	hits, _ := p.scan()
	for _, h := range hits {
		if h.rule == p.Rule.ID {
			p.Report(Finding{File: p.Show(h.file), Position: h.pos, End: h.end, Message: h.message})
		}
	}
}

// scanFolder looks once at each text of the folder, for all rules that look for
// words and characters wherever they stand. It also returns the secrets in them.
func scanFolder(f *Folder) (hits []hit, secrets secretSet) {
	secrets = secretSet{}
	scan := func(name, text string) {
		s := &scanner{file: name, text: text, kind: kindOf(name)}
		if name == f.Manifest {
			s.kind, s.body = prose, len(text)
			if f.Doc != nil {
				s.body -= len(f.Doc.Body)
			}
		}
		s.run(allCues)
		hits = append(hits, s.done()...)
		for _, v := range s.secrets {
			secrets.add(text[v.start:v.end])
		}
	}
	if f.Data != nil && utf8.Valid(f.Data) {
		scan(f.Manifest, string(f.Data))
	}
	for _, file := range f.Files {
		if file.Name == f.Manifest || !file.Mode.IsRegular() || isBinaryName(file.Name) {
			continue
		}
		if text, ok := f.Text(file.Name); ok {
			scan(file.Name, text)
		}
	}
	if f.FS != nil {
		hits = append(hits, inspect(f, hits)...)
	}
	return hits, secrets
}

// A textKind says how the words of a text are meant.
type textKind int

const (
	prose  textKind = iota // for a reader, with code in fences and spans
	script                 // for an interpreter
	data                   // neither
)

func kindOf(name string) textKind {
	switch strings.ToLower(path.Ext(name)) {
	case "", ".md", ".mdx", ".markdown", ".txt", ".rst", ".adoc":
		return prose
	case ".sh", ".bash", ".zsh", ".fish", ".py", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", ".ps1", ".psm1",
		".rb", ".pl", ".php", ".lua", ".bat", ".cmd", ".go", ".rs", ".swift", ".r", ".applescript":
		return script
	}
	return data
}

// isBinaryName reports whether the name promises no text.
func isBinaryName(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".ico", ".bmp", ".tif", ".tiff", ".avif", ".heic",
		".pdf", ".zip", ".gz", ".tgz", ".bz2", ".xz", ".tar", ".7z", ".rar", ".zst",
		".mp3", ".mp4", ".wav", ".ogg", ".m4a", ".mov", ".webm", ".ttf", ".otf", ".woff", ".woff2",
		".docx", ".xlsx", ".pptx", ".pyc", ".class", ".so", ".dll", ".exe", ".wasm":
		return true
	}
	return false
}

// A cue is a word that a closer look is worth at.
type cue struct {
	// text is what starts there. In lower case, it stands for any case if
	// fold is set.
	text string
	fold bool
	// look looks at the text from the offset of the cue.
	look func(s *scanner, at int)
}

// cueTable holds cues by their first byte.
type cueTable [256]struct {
	cues   []cue
	second [256]bool // the bytes that follow in any of them
}

// allCues are those of all rules, and secretCues those for secrets.
var (
	allCues    = tabulate(secretTable(), injectionTable(), commandTable())
	secretCues = tabulate(secretTable())
)

func tabulate(lists ...[]cue) *cueTable {
	var t cueTable
	for _, list := range lists {
		for _, c := range list {
			add := func(first byte) {
				t[first].cues = append(t[first].cues, c)
				t[first].second[c.text[1]] = true
				if c.fold {
					t[first].second[upper(c.text[1])] = true
				}
			}
			add(c.text[0])
			if c.fold && upper(c.text[0]) != c.text[0] {
				add(upper(c.text[0]))
			}
		}
	}
	return &t
}

func (c *cue) at(text string) bool {
	if len(text) < len(c.text) {
		return false
	}
	if !c.fold {
		return text[:len(c.text)] == c.text
	}
	for i := range len(c.text) {
		if lower(text[i]) != c.text[i] {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c + 'A' - 'a'
	}
	return c
}

// A scanner goes once through a text. It stops at the start of each word, for
// the cues, and at each character that is not printable ASCII.
type scanner struct {
	file string
	text string
	kind textKind
	body int // where the body of a SKILL.md starts; 0 for other files

	hitList
	secrets []part
	lines   []int  // offsets of the starts of lines; nil before they are wanted
	fenced  []part // contents of fences; nil before they are wanted
	piped   int    // the end of the last command that was looked at for a pipe
	removed int    // the end of the last removal that was looked at
	curled  int    // the end of the last command of curl that was looked at
	jwts    int    // the end of the last run of characters of JSON Web Tokens
	sentTo  int    // the end of the last command with keys that was looked at
	sent    bool   // whether that sends them away
	calls   *bool  // whether the text calls what could send; nil before it is wanted

	assigned map[string]bool // the variables that the text sets; nil before they are wanted
	skip     int             // runes before this offset were looked at already
}

// A part is a stretch of a text.
type part struct{ start, end int }

// run goes through the text.
func (s *scanner) run(cues *cueTable) {
	text := s.text
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case isWordByte(c):
			if t := &cues[c]; i+1 < len(text) && t.second[text[i+1]] {
				for k := range t.cues {
					if q := &t.cues[k]; q.at(text[i:]) {
						q.look(s, i)
					}
				}
			}
			for i++; i < len(text) && isWordByte(text[i]); i++ {
			}
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(text[i:])
			if i >= s.skip && cues == allCues {
				s.character(r, i)
			}
			i += n
		case c == '=' || c == ':':
			s.assignment(i)
			i++
		case c < ' ' && c != '\n' && c != '\t' && c != '\r' || c == 0x7f:
			if cues == allCues {
				s.character(rune(c), i)
			}
			i++
		default:
			i++
		}
	}
}

// report notes a hit for the rule. The offsets are those of its extent.
func (s *scanner) report(rule string, start, end int, format string, args ...any) {
	if s.isFull(rule) {
		s.counts[rule]++
		return
	}
	s.add(hit{rule, s.file, s.position(start), s.position(end), fmt.Sprintf(format, args...)})
}

// reportOnce notes only the first hit for the rule and counts the others.
func (s *scanner) reportOnce(rule string, start, end int, format string, args ...any) {
	if s.counts[rule] > 0 {
		s.counts[rule]++
		return
	}
	s.report(rule, start, end, format, args...)
}

// position returns the place of an offset; see [Folder.Position].
func (s *scanner) position(offset int) metadata.Position {
	if s.lines == nil {
		s.lines = lineStarts(s.text)
	}
	i := s.line(offset)
	return metadata.Position{Line: i + 1, Column: 1 + utf8.RuneCountInString(s.text[s.lines[i]:max(offset, s.lines[i])])}
}

// line returns the index in lines of the line of an offset.
func (s *scanner) line(offset int) int {
	return max(sort.SearchInts(s.lines, offset+1)-1, 0)
}

// maxLine is how far, in bytes, the line of an offset is looked at on either side,
// so that a text of one line takes no longer than others.
const maxLine = 2000

// lineAt returns the extent of the line of an offset, without its end.
func (s *scanner) lineAt(offset int) part {
	start := max(offset-maxLine, 0)
	start += strings.LastIndexByte(s.text[start:offset], '\n') + 1
	end := min(offset+maxLine, len(s.text))
	if i := strings.IndexByte(s.text[offset:end], '\n'); i >= 0 {
		end = offset + i
	}
	return part{start, end}
}

// isFull reports whether so many hits for the rule are known that no further one
// is shown.
func (s *scanner) isFull(rule string) bool { return s.counts[rule] >= maxHits }

// inFence reports whether the offset is in a fence of a text in Markdown.
func (s *scanner) inFence(offset int) bool {
	if s.kind != prose {
		return false
	}
	if s.fenced == nil {
		s.fenced = fences(s.text)
	}
	i := sort.Search(len(s.fenced), func(i int) bool { return s.fenced[i].end > offset })
	return i < len(s.fenced) && s.fenced[i].start <= offset
}

// fences returns the contents of the fences in a text. It never returns nil.
func fences(text string) []part {
	list := []part{}
	open, start, at := "", 0, 0
	for line := range strings.Lines(text) {
		body := strings.TrimLeft(line, " \t>")
		mark := body[:len(body)-len(strings.TrimLeft(body, "`~"))]
		switch {
		case open == "" && (strings.HasPrefix(body, "```") || strings.HasPrefix(body, "~~~")):
			open, start = mark, at+len(line)
		case open != "" && strings.HasPrefix(mark, open) && strings.TrimSpace(body) == mark:
			list = append(list, part{start, at})
			open = ""
		}
		at += len(line)
	}
	if open != "" {
		list = append(list, part{start, len(text)})
	}
	return list
}

// inCodeSpan reports whether the offset is between backticks on its line.
func (s *scanner) inCodeSpan(offset int) bool {
	line := s.lineAt(offset)
	return strings.Count(s.text[line.start:offset], "`")%2 == 1 && strings.Contains(s.text[offset:line.end], "`")
}
