package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/matrix-nexus/skillkit/cmd/internal/cli"
	"github.com/matrix-nexus/skillkit/internal/line"
)

// A printer is a [cli.Printer] that writes tables too.
type printer struct{ *cli.Printer }

func newPrinter(w io.Writer, env cli.Lookup) *printer {
	return &printer{cli.NewPrinter(w, "auto", env)}
}

// styled writes a cell, on one line, which it does not end.
func (p *printer) styled(c cell) { p.Styled(c.style, c.text) }

// section writes a heading and n lines below it, or nothing if n is 0.
func (p *printer) section(heading string, n int, line func(i int) string) {
	if n == 0 {
		return
	}
	p.styled(cell{heading, cli.Bold})
	p.Printf("\n")
	for i := range n {
		p.Printf("  %s\n", oneLine(line(i)))
	}
	p.Printf("\n")
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

// A cell is text in a style: a part of a row of a table.
type cell struct {
	text  string
	style cli.Style
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
				p.Styled(cli.Plain, strings.Repeat(" ", pad))
				pad = 0
			}
			if i == len(row)-1 {
				if p.Columns > 0 {
					c.text = fitWidth(c.text, max(p.Columns-at, minLast))
				}
				p.styled(c)
				break
			}
			p.styled(c)
			pad += widths[i] - line.Width(c.text) + gap
			at += widths[i] + gap
		}
		p.Printf("\n")
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
