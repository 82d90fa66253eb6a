package check

import (
	"bytes"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/matrix-nexus/skillkit/metadata"
)

// markdown reads CommonMark and tables, which decide where a code span ends.
// Emphasis is left out: no rule asks for it, and it is what takes the most time.
// The parser keeps what belongs to one text in a context of its own, so it may
// be used from several goroutines.
var markdown = parser.NewParser(
	parser.WithBlockParsers(parser.DefaultBlockParsers()...),
	parser.WithInlineParsers(
		util.Prioritized(parser.NewCodeSpanParser(), 100),
		util.Prioritized(parser.NewLinkParser(), 200),
		util.Prioritized(parser.NewAutoLinkParser(), 300),
		util.Prioritized(parser.NewRawHTMLParser(), 400),
	),
	parser.WithParagraphTransformers(
		util.Prioritized(parser.LinkReferenceParagraphTransformer, 100),
		util.Prioritized(extension.NewTableParagraphTransformer(), 200),
	),
	parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
)

// parseBody reads what follows the frontmatter; all of the file if there is
// none, and nothing of one that is larger than a skill may be.
func parseBody(f *Folder) *Body {
	if len(f.Data) > metadata.MaxFile {
		return &Body{}
	}
	start := len(f.Data) - len(bytes.TrimPrefix(f.Data, []byte("\ufeff")))
	if f.Doc != nil {
		start = len(f.Data) - len(f.Doc.Body)
	}
	src := f.Data[start:]
	if hasLoneCR(src) {
		src = foldLoneCR(src)
	}
	// Goldmark must not find room behind the text: it appends line ends.
	b := bodyReader{folder: f, start: start, src: slices.Clip(tame(src)), text: string(src), body: &Body{}}
	b.read(markdown.Parse(text.NewReader(b.src)))
	b.body.findRefs(f, start)
	return b.body
}

// hasLoneCR reports whether a carriage return in src is not part of a CRLF.
func hasLoneCR(src []byte) bool {
	for i := 0; ; i++ {
		n := bytes.IndexByte(src[i:], '\r')
		if n < 0 {
			return false
		}
		if i += n; i+1 == len(src) || src[i+1] != '\n' {
			return true
		}
	}
}

// foldLoneCR returns src with LF for each lone CR, which ends a line in
// CommonMark but not in goldmark.
func foldLoneCR(src []byte) []byte {
	src = bytes.Clone(src)
	for i, c := range src {
		if c == '\r' && (i+1 == len(src) || src[i+1] != '\n') {
			src[i] = '\n'
		}
	}
	return src
}

// A bodyReader collects a Body from the tree that goldmark made of src.
type bodyReader struct {
	folder *Folder
	start  int    // the offset of src in the file
	src    []byte // tamed
	text   string // the same, as it was
	body   *Body
}

// at returns the place in the file of an offset in src.
func (b *bodyReader) at(offset int) metadata.Position {
	return b.folder.Position(b.start + offset)
}

func (b *bodyReader) read(root ast.Node) {
	// Walk only returns an error of the function.
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			b.heading(n)
		case *ast.Paragraph:
			if b.body.Intro == "" && n.Parent() == root && n.Lines().Len() > 0 {
				b.body.Intro = b.inline(n)
				b.body.IntroPos = b.at(n.Lines().At(0).Start)
			}
		case *ast.List:
			b.body.Lists++
		case *east.Table:
			b.body.Tables++
		case *ast.FencedCodeBlock:
			b.fence(n)
		case *ast.CodeBlock:
			b.indented(n)
		case *ast.CodeSpan:
			b.code(n)
		case *ast.Link:
			if n.Reference == nil {
				b.link(b.inline(n), n.Destination, n.Pos(), false)
			}
		case *ast.Image:
			if n.Reference == nil {
				b.link(b.inline(n), n.Destination, n.Pos(), true)
			}
		case *ast.LinkReferenceDefinition:
			if n.Lines().Len() > 0 {
				b.link(string(n.Label), n.Destination, n.Lines().At(0).Start, false)
			}
		case *ast.HTMLBlock:
			b.comments(span(n.Lines(), n.ClosureLine))
		case *ast.RawHTML:
			b.comments(span(n.Segments, text.Segment{}))
		}
		return ast.WalkContinue, nil
	})
	b.body.Led = led(root)
	slices.SortStableFunc(b.body.Links, func(x, y Link) int { return x.Pos.Compare(y.Pos) })
	b.dropWrapper()
}

// led reports whether the first that is no heading, HTML or definition is a
// paragraph or a quote.
func led(root ast.Node) bool {
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		switch n.Kind() {
		case ast.KindHeading, ast.KindHTMLBlock, ast.KindLinkReferenceDefinition, ast.KindThematicBreak:
		default:
			return n.Kind() == ast.KindParagraph || n.Kind() == ast.KindBlockquote
		}
	}
	return false
}

// dropWrapper drops the fence around the whole file, of which only the end is
// in the body: the parser reports it.
func (b *bodyReader) dropWrapper() {
	list := b.body.Fences
	if len(list) == 0 || b.folder.Doc == nil {
		return
	}
	head := bytes.TrimSpace(b.folder.Data[:b.start])
	last := list[len(list)-1]
	if !last.Closed && strings.TrimSpace(last.Text) == "" &&
		(bytes.HasPrefix(head, []byte("```")) || bytes.HasPrefix(head, []byte("~~~"))) {
		b.body.Fences = list[:len(list)-1]
	}
}

// inline returns the text inside n, on one line.
func (b *bodyReader) inline(n ast.Node) string {
	if c, ok := n.FirstChild().(*ast.Text); ok && c.NextSibling() == nil {
		return strings.TrimSpace(b.text[c.Segment.Start:c.Segment.Stop])
	}
	var s strings.Builder
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
		if c, ok := c.(*ast.Text); ok && entering {
			s.WriteString(b.text[c.Segment.Start:c.Segment.Stop])
			if c.SoftLineBreak() || c.HardLineBreak() {
				s.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimSpace(s.String())
}

func (b *bodyReader) heading(n *ast.Heading) {
	h := Heading{Level: n.Level, Text: strings.Trim(strings.ReplaceAll(b.inline(n), "**", ""), "*_ ")}
	switch {
	case n.Lines().Len() > 0:
		h.Pos = b.at(b.lineStart(n.Lines().At(0).Start))
	case n.Pos() >= 0:
		h.Pos = b.at(n.Pos())
	}
	b.body.Headings = append(b.body.Headings, h)
}

// lineStart returns the offset of the first sign of the heading whose text
// starts at offset.
func (b *bodyReader) lineStart(offset int) int {
	for at := offset; at > 0; at-- {
		switch c := b.src[at-1]; c {
		case '#':
			offset = at - 1
		case ' ', '\t':
		default:
			return offset
		}
	}
	return offset
}

func (b *bodyReader) link(label string, dest []byte, pos int, image bool) {
	l := Link{Text: label, Image: image}
	if start, ok := offsetIn(b.src, dest); ok {
		l.Start, l.End = b.start+start, b.start+start+len(dest)
		dest = []byte(b.text[start : start+len(dest)])
	}
	l.Dest = string(dest)
	if bytes.IndexByte(dest, '\\') >= 0 || bytes.IndexByte(dest, '&') >= 0 {
		l.Dest = string(util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(dest))))
	}
	for pos < len(b.src) && (b.src[pos] == ' ' || b.src[pos] == '\t') {
		pos++ // a definition may be indented
	}
	l.Pos = b.at(pos)
	b.body.Links = append(b.body.Links, l)
}

// offsetIn returns where in src part stands, if part is a slice of it. src must
// have no spare capacity.
func offsetIn(src, part []byte) (offset int, ok bool) {
	offset = cap(src) - cap(part)
	if len(part) == 0 || offset < 0 || offset+len(part) > len(src) || &src[offset] != &part[0] {
		return 0, false
	}
	return offset, true
}

func (b *bodyReader) code(n *ast.CodeSpan) {
	first, ok := n.FirstChild().(*ast.Text)
	if !ok {
		return
	}
	start := first.Segment.Start
	b.body.Codes = append(b.body.Codes, Code{b.inlineCode(n), b.at(start), b.start + start})
}

// inlineCode returns the text of a code span, with a blank for each line end.
func (b *bodyReader) inlineCode(n *ast.CodeSpan) string {
	first := n.FirstChild().(*ast.Text)
	if first.NextSibling() == nil {
		return b.text[first.Segment.Start:first.Segment.Stop]
	}
	var s strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c, ok := c.(*ast.Text); ok {
			line := b.text[c.Segment.Start:c.Segment.Stop]
			if cut := strings.TrimRight(line, "\r\n"); cut != line {
				line = cut + " "
			}
			s.WriteString(line)
		}
	}
	return s.String()
}

func (b *bodyReader) fence(n *ast.FencedCodeBlock) {
	open := b.openingFence(n)
	sign := b.src[open]
	size := 1
	for open+size < len(b.src) && b.src[open+size] == sign {
		size++
	}
	eol := lineEnd(b.src, open)
	info := strings.Fields(b.text[open+size : eol])
	f := Fence{Pos: b.at(open)}
	f.Line = f.Pos.Line + 1
	if len(info) > 0 {
		f.Lang = strings.ToLower(info[0])
	}
	b.fill(&f, n.Lines(), eol)
	end := eol
	if n := n.Lines().Len(); n > 0 {
		end = f.Offset(len(f.Text)) - b.start
	}
	f.Closed = closes(b.text[end:], string(sign), size)
	b.body.Fences = append(b.body.Fences, f)
}

// openingFence returns the offset of the first sign of the fence of n.
func (b *bodyReader) openingFence(n *ast.FencedCodeBlock) int {
	at := min(max(n.Pos(), 0), len(b.src)-1)
	if i := bytes.IndexAny(b.src[at:], "`~"); i >= 0 {
		return at + i
	}
	return at
}

// closes reports whether rest, which follows a code block, starts with the
// line that closes it, or holds anything else, before which the list or quote
// around it ended.
func closes(rest, sign string, size int) bool {
	line, _, _ := strings.Cut(rest, "\n")
	line = strings.TrimLeft(line, " \t>")
	trimmed := strings.TrimLeft(line, sign)
	if len(line)-len(trimmed) >= size && strings.TrimSpace(trimmed) == "" {
		return true
	}
	return strings.TrimSpace(rest) != ""
}

// lineEnd returns the offset behind the line of src that at is in.
func lineEnd(src []byte, at int) int {
	if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(src)
}

func (b *bodyReader) indented(n *ast.CodeBlock) {
	if n.Lines().Len() == 0 {
		return
	}
	f := Fence{Closed: true, Indented: true, Pos: b.at(n.Lines().At(0).Start)}
	f.Line = f.Pos.Line
	b.fill(&f, n.Lines(), n.Lines().At(0).Start)
	b.body.Fences = append(b.body.Fences, f)
}

// fill sets the text of a code block; start is where it is if it is empty.
func (b *bodyReader) fill(f *Fence, lines *text.Segments, start int) {
	f.Start = b.start + start
	if lines.Len() == 0 {
		return
	}
	first, last := lines.At(0), lines.At(lines.Len()-1)
	f.Start = b.start + first.Start
	whole := first.Padding == 0
	for i := 1; whole && i < lines.Len(); i++ {
		whole = lines.At(i).Padding == 0 && lines.At(i).Start == lines.At(i-1).Stop
	}
	if whole {
		f.Text = b.text[first.Start:last.Stop]
		return
	}
	var s strings.Builder
	for _, seg := range lines.Sliced(0, lines.Len()) {
		s.WriteString("        "[:min(seg.Padding, 8)])
		f.lines = append(f.lines, fenceLine{s.Len(), b.start + seg.Start})
		s.WriteString(b.text[seg.Start:seg.Stop])
	}
	f.Text = s.String()
}

// span returns where the first segment starts and the last one stops; extra
// counts if it is not empty.
func span(list *text.Segments, extra text.Segment) (start, stop int) {
	if list.Len() == 0 {
		return extra.Start, extra.Stop
	}
	return list.At(0).Start, max(list.At(list.Len()-1).Stop, extra.Stop)
}

// comments collects the comments in a part of src that is HTML.
func (b *bodyReader) comments(start, stop int) {
	for start < stop {
		i := strings.Index(b.text[start:stop], "<!--")
		if i < 0 {
			return
		}
		start += i + len("<!--")
		end := strings.Index(b.text[start:stop], "-->")
		if end < 0 {
			end = stop - start
		}
		b.body.Comments = append(b.body.Comments, Code{b.text[start : start+end], b.at(start), b.start + start})
		start += end
	}
}
