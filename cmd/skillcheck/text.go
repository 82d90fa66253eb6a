package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/matrix-nexus/skillkit/check"
	"github.com/matrix-nexus/skillkit/cmd/internal/cli"
	"github.com/matrix-nexus/skillkit/metadata"
)

// writeText writes the findings for people, by file.
func (a *app) writeText(r *results) {
	p := a.out
	for _, f := range r.fixed {
		p.Styled(cli.Green, "fixed")
		p.Printf(" %s: %s (%s)\n", place(f), f.Fix.Message, f.Rule)
	}
	if len(r.fixed) > 0 {
		p.Printf("\n")
	}
	var lines []string
	file := ""
	for i, f := range r.live {
		if i > 0 && f.File != file {
			p.Printf("\n")
		}
		if i == 0 || f.File != file {
			file, lines = f.File, linesOf(check.Redact(a.text(f.File)))
		}
		a.writeFinding(f, lines)
	}
	if len(r.live) > 0 {
		p.Printf("\n")
	}
	p.Printf("%s\n", r.summary())
}

// writeFinding writes one finding, lines being those of its file.
func (a *app) writeFinding(f check.Finding, lines []string) {
	p := a.out
	p.Styled(cli.Bold, place(f)+":")
	p.Printf(" ")
	p.Styled(styleOf(f.Severity), f.Severity.String()+":")
	p.Printf(" %s ", f.Message)
	p.Styled(cli.Dim, "("+f.Rule+")")
	p.Printf("\n")
	number := strconv.Itoa(f.Line)
	gutter := strings.Repeat(" ", max(len(number), 4))
	columns := excerptWidth
	if p.Columns > 0 {
		columns = max(p.Columns-len(gutter)-len(" | ……"), 20)
	}
	if source, marks, ok := excerpt(lines, f, columns); ok {
		p.Styled(cli.Dim, fmt.Sprintf("%*s |", len(gutter), number))
		p.Printf(" %s\n", source)
		p.Styled(cli.Dim, gutter+" |")
		p.Printf(" ")
		p.Styled(styleOf(f.Severity), marks)
		p.Printf("\n")
	}
	if f.Fix != nil {
		p.Printf("%s ", gutter)
		p.Styled(cli.Green, "fix:")
		p.Printf(" %s\n", f.Fix.Message)
	}
}

// place formats where f is.
func place(f check.Finding) string {
	if !f.IsValid() {
		return f.File
	}
	return f.File + ":" + f.Position.String()
}

func styleOf(s metadata.Severity) cli.Style {
	switch s {
	case metadata.Error:
		return cli.Red
	case metadata.Warning:
		return cli.Yellow
	}
	return cli.Cyan
}

// summary says in one line what was checked and what came of it.
func (r *results) summary() string {
	checked := []string{}
	if r.Skills > 0 || r.Tools == 0 {
		checked = append(checked, cli.Plural(r.Skills, "skill"))
	}
	if r.Tools > 0 {
		checked = append(checked, cli.Plural(r.Tools, "tool"))
	}
	checked = append(checked, cli.Plural(r.Files, "file"), cli.Plural(r.rules, "rule"))
	var found []string
	for _, s := range []metadata.Severity{metadata.Error, metadata.Warning, metadata.Info} {
		switch n := r.count(s); {
		case n > 0 && s == metadata.Info:
			found = append(found, fmt.Sprintf("%d info", n))
		case n > 0:
			found = append(found, cli.Plural(n, s.String()))
		}
	}
	if len(found) == 0 {
		found = []string{"no findings"}
	}
	if n := r.fixable(); n > 0 {
		found = append(found, fmt.Sprintf("%d can be fixed with --fix", n))
	}
	if n := len(r.ignored); n > 0 {
		found = append(found, fmt.Sprintf("%d ignored", n))
	}
	if r.left > 0 {
		found = append(found, cli.Plural(r.left, "folder")+" excluded")
	}
	return "checked " + strings.Join(checked, ", ") + ": " + strings.Join(slices.Clip(found), ", ")
}
