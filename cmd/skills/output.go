package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/term"

	"github.com/matrix-nexus/skillkit/internal/line"
)

// A printer writes what people or programs read. All text passes through
// visible first, since names, descriptions and paths come from strangers and
// must not move a cursor; styles are added after that. It keeps the first
// error, which flush returns.
type printer struct {
	w        *bufio.Writer
	terminal bool
	color    bool
	columns  int // of the terminal; 0 means no limit
}

func newPrinter(w io.Writer, env lookup) *printer {
	p := &printer{w: bufio.NewWriter(w)}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.terminal = true
		p.color = env.get("NO_COLOR") == "" && env.get("TERM") != "dumb"
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
	plain  style = ""
	bold   style = "\x1b[1m"
	dim    style = "\x1b[2m"
	red    style = "\x1b[31m"
	green  style = "\x1b[32m"
	yellow style = "\x1b[33m"
)

// printf writes formatted text, of which line breaks and tabs stay.
func (p *printer) printf(format string, args ...any) {
	p.w.WriteString(visible(fmt.Sprintf(format, args...), true))
}

// styled writes a cell, on one line, which it does not end.
func (p *printer) styled(c cell) {
	text := visible(c.text, false)
	if p.color && c.style != plain {
		text = string(c.style) + text + "\x1b[0m"
	}
	p.w.WriteString(text)
}

// section writes a heading and n lines below it, or nothing if n is 0.
func (p *printer) section(heading string, n int, line func(i int) string) {
	if n == 0 {
		return
	}
	p.styled(cell{heading, bold})
	p.printf("\n")
	for i := range n {
		p.printf("  %s\n", oneLine(line(i)))
	}
	p.printf("\n")
}

// near returns path for people: relative to the working directory if it lies
// below it, as compilers print it.
func near(path string) string {
	if !filepath.IsAbs(path) {
		return path
	}
	wd, err := os.Getwd()
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(wd, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// plural formats n things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// raw writes text that a program may read: byte for byte, unless it goes to a
// terminal.
func (p *printer) raw(text string) {
	if p.terminal {
		text = visible(text, true)
	}
	p.w.WriteString(text)
	if !strings.HasSuffix(text, "\n") {
		p.w.WriteString("\n")
	}
}

// json writes v indented. Control characters that JSON allows in strings are
// escaped too.
func (p *printer) json(v any) error {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	p.w.WriteString(visible(b.String(), true))
	return nil
}

// A cell is text in a style: a part of a row of a table.
type cell struct {
	text  string
	style style
}

// table writes rows whose columns are aligned. The last cell of a row takes no
// part in that, so that a row of one is a heading; it is cut to the width of
// the terminal. No line ends in blanks.
func (p *printer) table(rows [][]cell) {
	const gap = 2
	var widths []int
	for _, row := range rows {
		for i := range row {
			row[i].text = visible(row[i].text, false)
			if i == len(row)-1 {
				break
			}
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], line.Width(row[i].text))
		}
	}
	for _, row := range rows {
		at, pad := 0, 0
		for i, c := range row {
			if c.text != "" {
				p.w.WriteString(strings.Repeat(" ", pad))
				pad = 0
			}
			if i == len(row)-1 {
				if p.columns > 0 {
					c.text = fitWidth(c.text, max(p.columns-at, minLast))
				}
				p.styled(c)
				break
			}
			p.styled(c)
			pad += widths[i] - line.Width(c.text) + gap
			at += widths[i] + gap
		}
		p.w.WriteString("\n")
	}
}

// minLast is the least width in columns to which the last cell is cut.
const minLast = 16

// visible is [line.Visible].
func visible(s string, multiline bool) string { return line.Visible(s, multiline) }

// fitWidth cuts s to n columns, the last of which then is an ellipsis.
func fitWidth(s string, n int) string {
	if line.Width(s) <= n {
		return s
	}
	used := 0
	for i, r := range s {
		if used += line.RuneWidth(r); used > n-1 {
			return strings.TrimRight(s[:i], " ") + "…"
		}
	}
	return s
}

// oneLine folds each run of blanks and line breaks to one space.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
