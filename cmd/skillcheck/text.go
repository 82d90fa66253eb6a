package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/matrix-nexus/skillkit/check"
	"github.com/matrix-nexus/skillkit/metadata"
)

// writeText writes the findings for people, by file.
func (a *app) writeText(r *results) {
	p := a.out
	for _, f := range r.fixed {
		p.styled(green, "fixed")
		p.printf(" %s: %s (%s)\n", place(f), f.Fix.Message, f.Rule)
	}
	if len(r.fixed) > 0 {
		p.printf("\n")
	}
	var lines []string
	file := ""
	for i, f := range r.live {
		if i > 0 && f.File != file {
			p.printf("\n")
		}
		if i == 0 || f.File != file {
			file, lines = f.File, linesOf(check.Redact(a.text(f.File)))
		}
		a.writeFinding(f, lines)
	}
	if len(r.live) > 0 {
		p.printf("\n")
	}
	p.printf("%s\n", r.summary())
}

// writeFinding writes one finding, lines being those of its file.
func (a *app) writeFinding(f check.Finding, lines []string) {
	p := a.out
	p.styled(bold, place(f)+":")
	p.printf(" ")
	p.styled(styleOf(f.Severity), f.Severity.String()+":")
	p.printf(" %s ", f.Message)
	p.styled(dim, "("+f.Rule+")")
	p.printf("\n")
	number := strconv.Itoa(f.Line)
	gutter := strings.Repeat(" ", max(len(number), 4))
	columns := excerptWidth
	if p.columns > 0 {
		columns = max(p.columns-len(gutter)-len(" | ……"), 20)
	}
	if source, marks, ok := excerpt(lines, f, columns); ok {
		p.styled(dim, fmt.Sprintf("%*s |", len(gutter), number))
		p.printf(" %s\n", source)
		p.styled(dim, gutter+" |")
		p.printf(" ")
		p.styled(styleOf(f.Severity), marks)
		p.printf("\n")
	}
	if f.Fix != nil {
		p.printf("%s ", gutter)
		p.styled(green, "fix:")
		p.printf(" %s\n", f.Fix.Message)
	}
}

// place formats where f is.
func place(f check.Finding) string {
	if !f.IsValid() {
		return f.File
	}
	return f.File + ":" + f.Position.String()
}

func styleOf(s metadata.Severity) style {
	switch s {
	case metadata.Error:
		return red
	case metadata.Warning:
		return yellow
	}
	return cyan
}

// summary says in one line what was checked and what came of it.
func (r *results) summary() string {
	checked := []string{}
	if r.Skills > 0 || r.Tools == 0 {
		checked = append(checked, plural(r.Skills, "skill"))
	}
	if r.Tools > 0 {
		checked = append(checked, plural(r.Tools, "tool"))
	}
	checked = append(checked, plural(r.Files, "file"), plural(r.rules, "rule"))
	var found []string
	for _, s := range []metadata.Severity{metadata.Error, metadata.Warning, metadata.Info} {
		switch n := r.count(s); {
		case n > 0 && s == metadata.Info:
			found = append(found, fmt.Sprintf("%d info", n))
		case n > 0:
			found = append(found, plural(n, s.String()))
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
		found = append(found, plural(r.left, "folder")+" excluded")
	}
	return "checked " + strings.Join(checked, ", ") + ": " + strings.Join(slices.Clip(found), ", ")
}
