package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/check"
	"github.com/matrix-nexus/skillkit/cmd/internal/cli"
	"github.com/matrix-nexus/skillkit/internal/closest"
	"github.com/matrix-nexus/skillkit/internal/line"
)

// explain writes the documentation of a rule.
func (a *app) explain(id string) error {
	rules := check.Rules()
	i := slices.IndexFunc(rules, func(r *check.Rule) bool { return r.ID == id })
	if i < 0 {
		var ids []string
		for _, r := range rules {
			ids = append(ids, r.ID)
		}
		if near := closest.Names(id, ids); len(near) > 0 {
			return fmt.Errorf("no rule %q; did you mean %s?", id, strings.Join(near, " or "))
		}
		return fmt.Errorf("no rule %q; skillcheck --list shows them all", id)
	}
	r, p := rules[i], a.out
	p.Styled(cli.Bold, r.ID)
	p.Printf(": %s\n\n%s\n", r.Title, wrap(r.Doc, 80))
	for _, example := range []struct{ title, text string }{{"Bad", r.Bad}, {"Good", r.Good}} {
		p.Styled(cli.Bold, example.title+":")
		p.Printf("\n\n")
		for l := range strings.SplitSeq(shownExample(example.text)+"\n", "\n") {
			if l != "" {
				p.Printf("    %s", l)
			}
			p.Printf("\n")
		}
	}
	p.Printf("Severity: %s\n", severities(r))
	p.Printf("Profiles: %s\n", profiles(r))
	p.Printf("Fixable:  %s\n", map[bool]string{false: "no", true: "yes, with --fix"}[r.Fixable])
	p.Printf("Source:   %s\n", r.Source)
	return nil
}

// severities says how severe the findings of r are.
func severities(r *check.Rule) string {
	s := r.Severity.String()
	for _, p := range check.Profiles() {
		if other, ok := r.SeverityIn[p]; ok {
			s += fmt.Sprintf(" (%s: %s)", p, other)
		}
	}
	return s
}

// profiles says in which profiles r runs.
func profiles(r *check.Rule) string {
	s := "all"
	if len(r.Profiles) > 0 {
		s = strings.Join(names(r.Profiles), ", ")
	}
	if r.Off {
		s += "; only if it is asked for, with --enable " + r.ID
	}
	return s
}

// list writes all rules: a line each, or as JSON.
func (a *app) list() error {
	on := map[string]bool{}
	for _, r := range a.checker.Rules() {
		on[r.ID] = true
	}
	type jsonRule struct {
		ID       string `json:"id"`
		Title    string `json:"title"`
		Severity string `json:"severity"`
		On       bool   `json:"on"`
		Fixable  bool   `json:"fixable"`
	}
	list := []jsonRule{}
	width := 0
	for _, r := range check.Rules() {
		s := a.checker.Severity(r).String()
		list = append(list, jsonRule{r.ID, r.Title, s, on[r.ID], r.Fixable})
		width = max(width, len(r.ID))
	}
	if a.flags.Format == "json" {
		return a.out.JSON(list)
	}
	for _, r := range list {
		s := r.Severity
		if !r.On {
			s = "off"
		}
		fix := ""
		if r.Fixable {
			fix = "fix"
		}
		a.out.Printf("%-*s  %-7s  %-3s  %s\n", width, r.ID, s, fix, r.Title)
	}
	return nil
}

// wrap breaks the paragraphs of Markdown into lines of at most width columns. Lines
// that are indented, or belong to a list, stay as they are.
func wrap(text string, width int) string {
	var b strings.Builder
	used := 0
	for l := range strings.Lines(strings.TrimSpace(text) + "\n") {
		l = strings.TrimRight(l, "\n")
		keep := l == "" || strings.HasPrefix(l, " ") || strings.HasPrefix(l, "- ") || strings.HasPrefix(l, "```")
		if keep {
			if used > 0 {
				b.WriteString("\n")
			}
			b.WriteString(l + "\n")
			used = 0
			continue
		}
		for word := range strings.FieldsSeq(l) {
			switch n := line.Width(word); {
			case used == 0:
				used = n
			case used+1+n > width:
				b.WriteString("\n")
				used = n
			default:
				b.WriteString(" ")
				used += 1 + n
			}
			b.WriteString(word)
		}
	}
	if used > 0 {
		b.WriteString("\n")
	}
	return b.String()
}
