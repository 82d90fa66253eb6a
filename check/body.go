package check

import (
	"sort"

	"github.com/matrix-nexus/skillkit/metadata"
)

// A Body is the Markdown of a skill. Positions are places in the file, and
// offsets are those of Folder.Data. All lists are in the order of the text.
type Body struct {
	Headings []Heading
	Links    []Link  // links and images, none of them inside a fence or code span
	Fences   []Fence // fenced and indented code blocks
	Codes    []Code  // code spans
	// Intro is the text of the first paragraph that stands in no list, quote
	// or table, on one line, and IntroPos where it starts; empty if there is
	// none.
	Intro    string
	IntroPos metadata.Position
	Comments []Code // HTML comments, without their marks
	Lists    int    // how many lists there are, nested ones too
	Tables   int    // how many tables
	// Led tells whether all that stands before Intro, or before a quote at the
	// start, is headings and HTML.
	Led bool

	refs []reference // to files, links first
}

// A Heading is a heading of a [Body].
type Heading struct {
	Level int    // 1 to 6
	Text  string // without most signs of emphasis
	Pos   metadata.Position
}

// A Link is a link, an image or a reference definition of a [Body]. A link
// that goes by a definition is not listed: the definition stands for it. Nor
// are bare addresses and those in angle brackets, which are never files.
type Link struct {
	Text  string // of a definition, its label
	Dest  string // the destination as Markdown reads it
	Image bool
	Pos   metadata.Position // of the link
	// Start and End are the offsets of the destination as written; equal if
	// they are not known.
	Start, End int
}

// A Fence is a code block of a [Body].
type Fence struct {
	// Lang is the first word of the info string, in lower case; empty if there
	// is none, and for an indented block.
	Lang   string
	Text   string            // without the indentation of a list or quote around it
	Pos    metadata.Position // of the opening line
	Line   int               // the line on which Text starts
	Closed bool              // false for a fence that ends with the file
	Start  int               // the offset of Text

	Indented bool // by four blanks, without a fence

	lines []fenceLine // if Text does not stand in the file as it is
}

// A fenceLine is where a line of Text stands.
type fenceLine struct{ text, data int }

// Offset returns the offset in Folder.Data of the byte i of Text.
func (f *Fence) Offset(i int) int {
	if f.lines == nil {
		return f.Start + i
	}
	n := max(0, sort.Search(len(f.lines), func(n int) bool { return f.lines[n].text > i })-1)
	return f.lines[n].data + i - f.lines[n].text
}

// A Code is a span of a [Body].
type Code struct {
	Text  string
	Pos   metadata.Position // of Text
	Start int               // the offset of Text
}
