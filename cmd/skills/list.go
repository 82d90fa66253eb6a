package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/cmd/internal/cli"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/requires"
	"github.com/matrix-nexus/skillkit/skills"
)

type listCmd struct{}

func (listCmd) Help() string {
	return `Lists the skills by category, each with its status:

  ready        all that it requires is here
  missing      something that it requires is not; show NAME says what
  unknown      not all that it requires can be checked
  unsupported  it is for other systems
  disabled     the configuration switches it off
  untrusted    it is in a workspace that "skills trust" was not run for, or not
               since it was changed

Below them stand skills that lost their name to another, and problems: skills that could not be read, and faults in those that were. A problem is no failure of the command.

--json prints {"skills": […], "shadowed": […], "problems": […]}. The problems of a listed skill stand with it; those of files that made no skill stand at the end.`
}

// A listing is what list --json prints.
type listing struct {
	Skills   []entry            `json:"skills"`
	Shadowed []shadow           `json:"shadowed"`
	Problems []metadata.Problem `json:"problems"`
}

// An entry is a skill in JSON.
type entry struct {
	Name          string             `json:"name"`
	Key           string             `json:"key"`
	Description   string             `json:"description"`
	Path          string             `json:"path"` // of the SKILL.md
	Source        skills.Source      `json:"source"`
	Emoji         string             `json:"emoji"`
	Homepage      string             `json:"homepage"`
	Always        bool               `json:"always"`
	PrimaryEnv    string             `json:"primary_env"`
	ExecutionMode metadata.Mode      `json:"execution_mode"`
	Category      string             `json:"category"`
	OS            []string           `json:"os"`
	Readiness     requires.Readiness `json:"readiness"`
	Trusted       bool               `json:"trusted"` // false: its workspace is not
	Missing       []requires.Item    `json:"missing"`
	Problems      []metadata.Problem `json:"problems"`

	unchecked []requires.Item // what cannot be told to be there
}

// A shadow is a skill that lost its name: paths of two SKILL.md files.
type shadow struct {
	Name   string `json:"name"`
	Winner string `json:"winner"`
	Loser  string `json:"loser"`
}

func (listCmd) Run(a *app) error {
	w, err := a.load()
	if err != nil {
		return err
	}
	l, err := w.listing()
	if err != nil {
		return err
	}
	if a.flags.JSON {
		return a.out.JSON(l)
	}
	l.print(a.out)
	return nil
}

// listing decodes every skill of w.
func (w *world) listing() (*listing, error) {
	problems, err := w.problems()
	if err != nil {
		return nil, err
	}
	byFile := map[string][]metadata.Problem{}
	for _, p := range problems {
		byFile[p.File] = append(byFile[p.File], p)
	}
	l := &listing{Skills: []entry{}, Shadowed: w.shadows(func(skills.Shadow) bool { return true }), Problems: []metadata.Problem{}}
	for s := range w.set.All() {
		m, report := w.check(s)
		l.Skills = append(l.Skills, w.entry(s, m, &report, byFile[s.Path()]))
		delete(byFile, s.Path())
	}
	for _, p := range problems {
		if _, ok := byFile[p.File]; ok {
			l.Problems = append(l.Problems, p)
		}
	}
	return l, nil
}

func (w *world) entry(s *skills.Skill, m *metadata.Manifest, report *requires.Report, problems []metadata.Problem) entry {
	return entry{
		Name: s.Name, Key: m.Key(), Description: s.Description,
		Path: s.Path(), Source: s.Source,
		Emoji: m.Emoji, Homepage: m.Homepage, Always: m.Always, PrimaryEnv: m.PrimaryEnv,
		ExecutionMode: m.ExecutionMode, Category: m.CategoryName, OS: nonNil(m.OS),
		Readiness: report.Readiness, Trusted: w.distrusted(s) == "", Missing: nonNil(report.Missing()), Problems: nonNil(problems),
		unchecked: report.Unchecked(),
	}
}

func (w *world) shadows(match func(skills.Shadow) bool) []shadow {
	list := []shadow{}
	for _, s := range w.set.Shadowed() {
		if match(s) {
			list = append(list, shadow{s.Name, s.Winner.Path(), s.Loser.Path()})
		}
	}
	return list
}

// nonNil returns list, or an empty one, which JSON writes as [].
func nonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// uncategorised is the heading of skills without a category.
const uncategorised = "other"

// maxName is the width in columns of the longest name that the specification
// of skills allows. A longer one is cut, since it would push the others' cells
// away.
const maxName = 64

func (l *listing) print(p *printer) {
	groups := map[string][]entry{}
	for _, e := range l.Skills {
		category := oneLine(e.Category)
		groups[category] = append(groups[category], e)
	}
	categories := slices.SortedFunc(maps.Keys(groups), func(a, b string) int {
		if (a == "") != (b == "") { // those without one come last
			return -cmp.Compare(a, b)
		}
		return cmp.Compare(a, b)
	})
	var rows [][]cell
	for _, category := range categories {
		rows = append(rows, []cell{{cmp.Or(category, uncategorised), cli.Bold}})
		for _, e := range groups[category] {
			rows = append(rows, []cell{
				{"  " + fitWidth(oneLine(e.Name), maxName), cli.Plain},
				e.status(),
				// The emoji stands in the last cell, since terminals do not
				// agree on its width.
				{oneLine(e.Emoji + " " + e.Description), cli.Plain},
			})
		}
		rows = append(rows, nil)
	}
	p.table(rows)

	problems := slices.Clone(l.Problems)
	counts := map[requires.Readiness]int{}
	notes := 0
	for _, e := range l.Skills {
		counts[e.Readiness]++
		for _, problem := range e.Problems {
			if problem.Severity == metadata.Info {
				notes++ // too many to be worth a line
			} else {
				problems = append(problems, problem)
			}
		}
	}
	printShadows(p, l.Shadowed)
	printProblems(p, problems, false)
	if notes > 0 {
		p.Printf("%s on skills; --json and show NAME tell them\n\n", cli.Plural(notes, "note"))
	}

	printCounts(p, len(l.Skills), counts)
}

// printCounts writes how many skills there are, and of those how many are
// ready and so on.
func printCounts(p *printer, n int, counts map[requires.Readiness]int) {
	total := cli.Plural(n, "skill")
	sep := ": "
	for _, r := range []requires.Readiness{requires.Ready, requires.Missing, requires.Unknown, requires.Unsupported, requires.Disabled, untrusted} {
		if n := counts[r]; n > 0 {
			total += fmt.Sprintf("%s%d %s", sep, n, r)
			sep = ", "
		}
	}
	p.Printf("%s\n", total)
}

// status returns the readiness of e, with the names of what is missing, or of
// what cannot be told.
func (e *entry) status() cell {
	const maxNames = 32 // columns
	c := cell{string(e.Readiness), cli.Dim}
	var items []requires.Item
	switch e.Readiness {
	case requires.Ready:
		c.style = cli.Green
	case requires.Missing:
		c.style, items = cli.Yellow, e.Missing
	case requires.Unknown:
		items = e.unchecked
	}
	if len(items) > 0 {
		names := make([]string, len(items))
		for i, it := range items {
			names[i] = oneLine(it.Name)
		}
		c.text += fitWidth(": "+strings.Join(names, ", "), maxNames)
	}
	return c
}

// printShadows writes which skills lost their names, as a section.
func printShadows(p *printer, list []shadow) {
	p.section("shadowed", len(list), func(i int) string {
		return fmt.Sprintf("%s: %s is used, %s is not", list[i].Name, near(list[i].Winner), near(list[i].Loser))
	})
}

// printProblems writes the problems as a section; corrected adds how a line
// was read after a repair.
func printProblems(p *printer, list []metadata.Problem, corrected bool) {
	if len(list) == 0 {
		return
	}
	slices.SortFunc(list, metadata.Problem.Compare)
	p.styled(cell{"problems", cli.Bold})
	p.Printf("\n")
	for _, problem := range list {
		c := cell{problem.Severity.String(), cli.Plain}
		switch problem.Severity {
		case metadata.Warning:
			c.style = cli.Yellow
		case metadata.Error:
			c.style = cli.Red
		}
		p.Printf("  ")
		p.styled(c)
		problem.File = near(problem.File)
		p.Printf(" %s\n", oneLine(problem.String()))
		if corrected && problem.Corrected != "" {
			p.Printf("    read as %s\n", oneLine(problem.Corrected))
		}
	}
	p.Printf("\n")
}
