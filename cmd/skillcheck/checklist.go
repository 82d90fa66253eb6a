package main

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/check"
	"github.com/matrix-nexus/skillkit/cmd/internal/cli"
	"github.com/matrix-nexus/skillkit/internal/line"
	"github.com/matrix-nexus/skillkit/metadata"
)

// An item is one thing to do before a skill is published. Findings of its rules
// are against it: it fails, or is left to the author if they are advice.
type item struct {
	title string
	rules []string
	// rest is what no rule can tell: without findings the item is not passed
	// but left to the author. Empty if the rules tell all.
	rest string
	// requires means that this machine is asked, too.
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
			rules: []string{"description-missing", "description-generic", "description-is-name", "description-keywords",
				"description-placeholder", "description-too-short", "description-too-long", "value-cut", "skill-unreachable"},
			rest: "type three requests of your own and see whether the skill is chosen",
		},
		{title: "The output is as specified for different input", rest: "try three kinds of input"},
		{title: "Empty and malformed input does no harm", rest: "try no input, half a file and the wrong kind of file"},
		{
			title: "What it requires is on a clean machine, or its recipes install it",
			rules: []string{"metadata-unreadable", "requirement-unclear", "unknown-requirement", "bin-name-invalid", "env-name-invalid",
				"python-requirement-invalid", "unknown-os", "install-missing-field", "install-refused", "unknown-install-kind"},
			requires: true,
		},
		{
			title: "Every file that the text refers to is there",
			rules: []string{"link-broken", "code-path-broken", "base-dir-broken", "symlink-broken"},
		},
	}},
	{"Publish it", []item{
		{
			title: "The frontmatter has a name and a description",
			rules: []string{"no-frontmatter", "unclosed-frontmatter", "frontmatter-not-mapping", "yaml-invalid", "not-utf8",
				"file-too-large", "name-missing", "description-missing"},
		},
		{
			title: "The metadata declares execution_mode, category_name and what is required",
			rules: []string{"no-frontmatter", "unclosed-frontmatter", "frontmatter-not-mapping", "yaml-invalid",
				"execution-mode-missing", "unknown-execution-mode", "category-missing", "metadata-unreadable",
				"mode-without-requires", "program-not-required", "top-level-requires", "misplaced-field"},
		},
		{
			title: "The text needs nothing outside the folder",
			rules: []string{"reference-outside", "symlink-outside", "user-specific-path"},
		},
		{
			title: "The folder holds no credentials",
			rules: []string{"secret", "secret-suspected", "env-file", "credential-file"},
		},
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
	if !slices.ContainsFunc(a.targets, func(t check.Target) bool { return t.Manifest != "" }) {
		return false, errors.New("the checklist is for skills, and there is none here")
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
			if in, _, ok := a.target(f.File); ok && in.Path == t.Path && in.Manifest == t.Manifest {
				findings = append(findings, f)
			}
		}
		a.out.Styled(cli.Bold, file)
		a.out.Printf("\n")
		for _, l := range checklists {
			a.out.Printf("  %s\n", l.title)
			for _, it := range l.items {
				result, notes := it.judge(findings)
				if it.requires && result == passed {
					result, notes = m.judge(a.text(file), path.Join(t.Name, t.Manifest))
				}
				counts[result]++
				a.writeItem(it.title, result, notes)
			}
		}
		a.out.Printf("\n")
	}
	a.out.Printf("%d passed, %d failed, %d yours to try\n", counts[passed], counts[failed], counts[yours])
	return counts[failed] > 0, nil
}

// judge returns what came of an item with these findings, and why.
func (it item) judge(findings []check.Finding) (result string, notes []string) {
	result = yours
	for _, f := range findings {
		if slices.Contains(it.rules, f.Rule) {
			notes = append(notes, fmt.Sprintf("%s: %s (%s)", place(f), f.Message, f.Rule))
			if f.Severity > metadata.Info {
				result = failed
			}
		}
	}
	switch {
	case len(notes) > 0:
		return result, notes
	case it.rest != "":
		return yours, []string{it.rest}
	}
	return passed, nil
}

func (a *app) writeItem(title, result string, notes []string) {
	s := cli.Green
	switch result {
	case failed:
		s = cli.Red
	case yours:
		s = cli.Yellow
	}
	a.out.Printf("    ")
	a.out.Styled(s, result)
	a.out.Printf("%s%s\n", strings.Repeat(" ", len(yours)-len(result)+2), title)
	for _, n := range notes {
		a.out.Printf("%s%s\n", strings.Repeat(" ", len(yours)+8), line.Fold(n))
	}
}
