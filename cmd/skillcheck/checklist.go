package main

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/check"
	"github.com/matrix-nexus/skillkit/internal/line"
	"github.com/matrix-nexus/skillkit/metadata"
)

// An item is one thing to do before a skill is published. It fails with the
// findings of its rules that are at least warnings.
type item struct {
	title string
	rules []string
	// rest is what no rule can tell: without findings the item is not passed
	// but left to the author. Empty if the rules tell all.
	rest string
	// requires means that the machine is asked, too.
	requires bool
}

// A list is a checklist.
type list struct {
	title string
	items []item
}

// checklists are the smoke test of the page on local development, section 3, and
// what the page on publishing, section 1, asks for.
var checklists = []list{
	{"Try it", []item{
		{
			title: "The description matches what a user would ask for",
			rules: []string{"description-missing", "value-cut", "unquoted-colon"},
			rest:  "type three requests of your own and see whether the skill is chosen",
		},
		{title: "The output is as specified for different input", rest: "try three kinds of input"},
		{title: "Empty and malformed input does no harm", rest: "try no input, half a file and the wrong kind of file"},
		{
			title:    "What it requires is on a clean machine, or is installed by its recipes",
			rules:    []string{"metadata-unreadable", "requirement-unclear", "unknown-requirement"},
			requires: true,
		},
		{title: "Every file that the text refers to is there", rules: []string{}},
	}},
	{"Publish it", []item{
		{title: "The frontmatter has a name and a description", rules: []string{"no-frontmatter", "unclosed-frontmatter", "name-missing", "description-missing"}},
		{title: "The metadata declares execution_mode and category_name, and what is required and how to install it", rules: []string{"unknown-execution-mode", "metadata-unreadable"}},
		{title: "The text needs nothing outside the folder", rules: []string{}},
		{title: "No credentials and no .env files are in the folder", rules: []string{}},
		{title: "A line and a paragraph for the listing are written", rest: "the description is the line; write the paragraph"},
		{title: "A picture shows it at work", rest: "optional: take a screenshot or a recording"},
	}},
}

// The results of an item.
const (
	passed = "passed"
	failed = "failed"
	yours  = "yours to try"
)

// checklist writes the checklists for each skill. It reports whether an item
// failed.
func (a *app) checklist() (bool, error) {
	r, err := a.check()
	if err != nil {
		return false, err
	}
	m := a.newMachine()
	counts := map[string]int{}
	for _, t := range a.targets {
		if t.Manifest == "" {
			continue
		}
		file := path.Join(t.Path, t.Manifest)
		var findings []check.Finding
		for _, f := range r.live {
			if in, _, ok := a.target(f.File); ok && in.Path == t.Path && in.Manifest == t.Manifest && f.Severity >= metadata.Warning {
				findings = append(findings, f)
			}
		}
		a.out.styled(bold, file)
		a.out.printf("\n")
		for _, l := range checklists {
			a.out.printf("  %s\n", l.title)
			for _, it := range l.items {
				result, notes := it.judge(findings)
				if it.requires && result == passed {
					result, notes = m.judge(a.text(file), path.Join(t.Name, t.Manifest))
				}
				counts[result]++
				a.writeItem(it.title, result, notes)
			}
		}
		a.out.printf("\n")
	}
	a.out.printf("%d passed, %d failed, %d yours to try\n", counts[passed], counts[failed], counts[yours])
	return counts[failed] > 0, nil
}

// judge returns what came of an item with these findings, and why.
func (it item) judge(findings []check.Finding) (result string, notes []string) {
	for _, f := range findings {
		if slices.Contains(it.rules, f.Rule) {
			notes = append(notes, fmt.Sprintf("%s: %s (%s)", place(f), f.Message, f.Rule))
		}
	}
	switch {
	case len(notes) > 0:
		return failed, notes
	case it.rest != "":
		return yours, []string{it.rest}
	}
	return passed, nil
}

func (a *app) writeItem(title, result string, notes []string) {
	s := green
	switch result {
	case failed:
		s = red
	case yours:
		s = yellow
	}
	a.out.printf("    ")
	a.out.styled(s, result)
	a.out.printf("%s%s\n", strings.Repeat(" ", len(yours)-len(result)+2), title)
	for _, n := range notes {
		a.out.printf("%s%s\n", strings.Repeat(" ", len(yours)+8), line.Fold(n))
	}
}
