package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/matrix-nexus/skillkit/internal/line"
)

// A Printer writes what people or programs read. All text passes through
// [line.Visible] first, since skills come from strangers and must not move a
// cursor; styles are added after that. It keeps the first error, which Flush
// returns.
type Printer struct {
	Terminal bool // whether it writes to one
	Color    bool // whether styles are written
	Columns  int  // of the terminal; 0 if there is none

	w *bufio.Writer
}

// NewPrinter returns a printer. Its colours are on always if color is "always", on
// a terminal that has them, unless NO_COLOR is set, if it is "auto", else never.
func NewPrinter(w io.Writer, color string, env Lookup) *Printer {
	p := &Printer{w: bufio.NewWriter(w), Color: color == "always"}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.Terminal = true
		p.Color = p.Color || color == "auto" && env.Get("NO_COLOR") == "" && env.Get("TERM") != "dumb"
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil {
			p.Columns = columns
		}
	}
	return p
}

// Flush writes what is buffered.
func (p *Printer) Flush() error { return p.w.Flush() }

// A Style is an SGR sequence of terminals; the empty one is plain text.
type Style string

const (
	Plain  Style = ""
	Bold   Style = "\x1b[1m"
	Dim    Style = "\x1b[2m"
	Red    Style = "\x1b[31m"
	Green  Style = "\x1b[32m"
	Yellow Style = "\x1b[33m"
	Cyan   Style = "\x1b[36m"
)

// Printf writes formatted text, of which line breaks and tabs stay.
func (p *Printer) Printf(format string, args ...any) {
	p.w.WriteString(line.Visible(fmt.Sprintf(format, args...), true))
}

// Styled writes text on one line, which it does not end.
func (p *Printer) Styled(s Style, text string) {
	text = line.Visible(text, false)
	if p.Color && s != Plain {
		text = string(s) + text + "\x1b[0m"
	}
	p.w.WriteString(text)
}

// Raw writes text that a program may read: byte for byte, unless it goes to a
// terminal. It ends the last line if that has no end.
func (p *Printer) Raw(text string) {
	if p.Terminal {
		text = line.Visible(text, true)
	}
	p.w.WriteString(text)
	if !strings.HasSuffix(text, "\n") {
		p.w.WriteString("\n")
	}
}

// ClearLine makes the line of the terminal that the cursor is on empty.
func (p *Printer) ClearLine() { p.w.WriteString("\r\x1b[K") }

// JSON writes v indented. Control characters that JSON allows in strings are
// escaped too.
func (p *Printer) JSON(v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	p.w.WriteString(line.Visible(b.String(), true))
	return nil
}
