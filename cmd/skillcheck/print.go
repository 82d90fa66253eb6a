package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/matrix-nexus/skillkit/internal/line"
)

// A printer writes what people or programs read. All text passes through
// [line.Visible] first, since skills come from strangers and must not move a
// cursor; styles are added after that. It keeps the first error, which flush
// returns.
type printer struct {
	w        *bufio.Writer
	terminal bool
	color    bool
	columns  int // of the terminal; 0 if there is none
}

// newPrinter returns a printer with the colours that the flag --color asks for.
func newPrinter(w io.Writer, color string, env lookup) *printer {
	p := &printer{w: bufio.NewWriter(w), color: color == "always"}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.terminal = true
		noColor, _ := env("NO_COLOR")
		kind, _ := env("TERM")
		p.color = p.color || color == "auto" && noColor == "" && kind != "dumb"
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil {
			p.columns = columns
		}
	}
	return p
}

func (p *printer) flush() error { return p.w.Flush() }

// A style is an SGR sequence of terminals.
type style string

const (
	bold   style = "\x1b[1m"
	dim    style = "\x1b[2m"
	red    style = "\x1b[31m"
	green  style = "\x1b[32m"
	yellow style = "\x1b[33m"
	cyan   style = "\x1b[36m"
)

// printf writes formatted text, of which line breaks and tabs stay.
func (p *printer) printf(format string, args ...any) {
	p.w.WriteString(line.Visible(fmt.Sprintf(format, args...), true))
}

// styled writes text on one line, which it does not end.
func (p *printer) styled(s style, text string) {
	text = line.Visible(text, false)
	if p.color {
		text = string(s) + text + "\x1b[0m"
	}
	p.w.WriteString(text)
}

// raw writes text that a program may read: byte for byte, unless it goes to a
// terminal.
func (p *printer) raw(text string) {
	if p.terminal {
		text = line.Visible(text, true)
	}
	p.w.WriteString(text)
}

// json writes v indented. Control characters that JSON allows in strings are
// escaped too.
func (p *printer) json(v any) error {
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
