package check

import "bytes"

// Limits on Markdown, beyond which goldmark may take time that grows with the
// square of the text. Real skills stay far below them.
const (
	// maxNesting is how many signs of lists and quotes may start a line.
	maxNesting = 16
	// maxIndent is by how many columns text in a list may be indented.
	maxIndent = 64
	// maxSigns is how many of the same sign that opens a link, a code span or
	// a tag there may be in a paragraph, or of escaped pipes in all tables.
	maxSigns = 1000
	// maxLines is how many lines are read.
	maxLines = 20_000
)

// tame returns src with letters for the signs that are beyond the limits, each
// in its place, and without the lines beyond them. It changes a copy.
func tame(src []byte) []byte {
	t := tamer{src: src, out: src}
	if escaped := []byte(`\|`); bytes.Count(src, escaped) > maxSigns {
		t.out = bytes.ReplaceAll(src, escaped, []byte("xx"))
	}
	start := 0
	for n := 0; start < len(src) && n < maxLines; n++ {
		end := lineEnd(src, start)
		t.line(start, end)
		start = end
	}
	return t.out[:start]
}

// openers are the signs at which goldmark may look through all that follows in a
// paragraph.
const openers = "[`<"

// A tamer goes through the lines of src. It counts what there is in a run of
// lines that may be a paragraph or a table.
type tamer struct {
	src, out []byte

	run   int // where it starts
	lines int
	pipes int  // the most in a line
	bare  bool // whether pipes are no longer allowed
	signs [len(openers)]int
}

func (t *tamer) line(start, end int) {
	text, bullet := t.prefix(start, end)
	line := t.src[text:end]
	if len(line) == 0 || bullet {
		*t = tamer{src: t.src, out: t.out, run: start}
	}
	for i, sign := range []byte(openers) {
		if n := bytes.Count(line, []byte{sign}); n > 0 {
			if t.signs[i] += n; t.signs[i] > maxSigns {
				t.blot(text, end, sign)
			}
		}
	}
	// A row that is shorter than the first one is filled up with cells, which
	// may be many more than there is text.
	t.lines++
	t.pipes = max(t.pipes, bytes.Count(line, []byte{'|'}))
	switch {
	case t.bare:
		t.blot(start, end, '|')
	case t.lines*t.pipes > end-t.run+1000:
		t.bare = true
		t.blot(t.run, end, '|')
	}
}

// prefix returns where the text of a line starts, behind blanks and the signs
// of quotes and lists, and whether it is an item of a list at the top level.
func (t *tamer) prefix(start, end int) (text int, bullet bool) {
	width, nesting := 0, 0
	over := -1 // where the limit is passed
	at := start
loop:
	for at < end {
		n := 1
		switch c := t.src[at]; c {
		case ' ', '\r', '\n':
		case '\t':
			width += 3
		case '>':
			nesting++
		default:
			if n = bulletLen(t.src[at:end]); n == 0 {
				break loop
			}
			bullet = bullet || at-start < 4 && nesting == 0
			nesting++
		}
		if width += n; over < 0 && (nesting > maxNesting || width > maxIndent) {
			over = at
		}
		at += n
	}
	if over >= 0 && (nesting > 0 || at < end) {
		t.own()
		for i := over; i < at; i++ {
			if c := t.out[i]; c != '\n' && c != '\r' {
				t.out[i] = 'x'
			}
		}
	}
	return at, bullet && at < end
}

// bulletLen returns the length of the sign of a list item that line starts
// with, or 0.
func bulletLen(line []byte) int {
	n := 1
	switch c := line[0]; {
	case c == '-' || c == '+' || c == '*':
	case '0' <= c && c <= '9':
		for n < len(line) && n < 10 && '0' <= line[n] && line[n] <= '9' {
			n++
		}
		if n == len(line) || line[n] != '.' && line[n] != ')' {
			return 0
		}
		n++
	default:
		return 0
	}
	if n < len(line) && line[n] != ' ' && line[n] != '\t' && line[n] != '\r' && line[n] != '\n' {
		return 0
	}
	return n
}

// blot writes a letter over each sign from start to end.
func (t *tamer) blot(start, end int, sign byte) {
	t.own()
	for i := start; i < end; i++ {
		if t.out[i] == sign {
			t.out[i] = 'x'
		}
	}
}

func (t *tamer) own() {
	if &t.out[0] == &t.src[0] {
		t.out = bytes.Clone(t.src)
	}
}
