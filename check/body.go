package check

import "github.com/matrix-nexus/skillkit/metadata"

// A Body is the Markdown of a skill. Positions are places in the file, and
// offsets are those of Folder.Data.
type Body struct {
	Headings []Heading
	Links    []Link  // links and images, none of them inside a fence or code span
	Fences   []Fence // fenced and indented code blocks
	Codes    []Code  // code spans
	// Intro is the text of the first paragraph, and IntroPos where it starts;
	// empty if there is none.
	Intro    string
	IntroPos metadata.Position
	Comments []Code // HTML comments, without their marks
}

// A Heading is a heading of a [Body].
type Heading struct {
	Level int // 1 to 6
	Text  string
	Pos   metadata.Position
}

// A Link is a link, an image or a reference definition of a [Body].
type Link struct {
	Text  string
	Dest  string // the destination as Markdown reads it
	Image bool
	Pos   metadata.Position // of the link
	// Start and End are the offsets of the destination as written; equal if
	// they are not known.
	Start, End int
}

// A Fence is a code block of a [Body].
type Fence struct {
	Lang   string // the first word of the info string, in lower case
	Text   string
	Pos    metadata.Position // of the opening line
	Line   int               // the line on which Text starts
	Closed bool              // false for a fence that ends with the file
	Start  int               // the offset of Text
}

// A Code is a span of a [Body].
type Code struct {
	Text  string
	Pos   metadata.Position // of Text
	Start int               // the offset of Text
}

func parseBody(f *Folder) *Body { return &Body{} }
