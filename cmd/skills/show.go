package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/cmd/internal/cli"
	"github.com/matrix-nexus/skillkit/converter"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/requires"
	"github.com/matrix-nexus/skillkit/skills"
)

type showCmd struct {
	Name string `arg:"" help:"Name or key of the skill."`
}

func (showCmd) Help() string {
	return `Shows what the SKILL.md says and what of it holds here: each thing that the skill requires with where it was found, the recipes that would install it, the supporting files, and the problems of the file. The instructions themselves are what "skills call NAME" prints.`
}

// A detail is what show --json prints: an [entry] and what follows.
type detail struct {
	entry
	NotOffered   string          `json:"not_offered"` // why it is not offered to a model, or ""
	Requirements []requires.Item `json:"requirements"`
	Recipes      []recipe        `json:"install"`
	Parameters   json.RawMessage `json:"parameters"`
	Files        []file          `json:"files"`
	MoreFiles    bool            `json:"more_files"`
	Shadows      []shadow        `json:"shadowed"`
}

type recipe struct {
	Kind     metadata.Kind `json:"kind"`
	Label    string        `json:"label"`
	Packages []string      `json:"packages"`
	Command  string        `json:"command"`
	URL      string        `json:"url"`
	OS       []string      `json:"os"`
}

func newRecipe(r metadata.Recipe) recipe {
	return recipe{r.Kind, r.Label, nonNil(r.Packages), r.Command, r.URL, nonNil(r.OS)}
}

type file struct {
	Path string `json:"path"`
	Size int64  `json:"size"` // in bytes
}

func (c showCmd) Run(a *app) error {
	w, err := a.load()
	if err != nil {
		return err
	}
	s, err := w.get(c.Name)
	if err != nil {
		return err
	}
	d := w.detail(s)
	if a.flags.JSON {
		return a.out.JSON(d)
	}
	d.print(a.out)
	return nil
}

// get returns the skill with that name or key. The error says what to do.
func (w *world) get(name string) (*skills.Skill, error) {
	s, err := w.find(name)
	if err == nil {
		return s, nil
	}
	if fault := w.broken(name); fault != nil {
		return nil, fault
	}
	return nil, fmt.Errorf("%w (\"skills list\" shows all)", err)
}

// broken returns the fault for which the folder of that name made no skill, or
// nil if there is none.
func (w *world) broken(name string) error {
	for _, p := range w.set.IndexProblems() {
		if p.Severity == metadata.Error && filepath.Base(filepath.Dir(p.File)) == name {
			p.File = near(p.File)
			return fmt.Errorf("%q cannot be read: %s", name, p)
		}
	}
	return nil
}

func (w *world) detail(s *skills.Skill) *detail {
	m, report := w.check(s)
	_, faults, err := converter.Def(s, w.converter())
	d := &detail{
		entry:        w.entry(s, m, &report, slices.Concat(s.Problems(), faults)),
		Requirements: nonNil(report.Items),
		Recipes:      []recipe{},
		Parameters:   m.Parameters,
		Files:        []file{},
		Shadows:      w.shadows(func(sh skills.Shadow) bool { return sh.Name == s.Name }),
	}
	if e, ok := errors.AsType[*converter.NotOfferedError](err); ok {
		d.NotOffered = e.Reason
	}
	for _, r := range m.Install {
		d.Recipes = append(d.Recipes, newRecipe(r))
	}
	files, more, err := s.Files("")
	if err != nil {
		d.Problems = append(d.Problems, metadata.Problem{
			Code: "files-unreadable", Severity: metadata.Warning, File: s.Path(), Message: err.Error(),
		})
	}
	for _, f := range files {
		d.Files = append(d.Files, file(f))
	}
	d.MoreFiles = more
	return d
}

func (d *detail) print(p *printer) {
	p.styled(cell{strings.TrimSpace(oneLine(d.Emoji) + " " + oneLine(d.Name)), cli.Bold})
	p.Printf("\n")
	if text := strings.TrimSpace(d.Description); text != "" {
		p.Printf("%s\n", text)
	}
	p.Printf("\n")
	var rows [][]cell
	for _, row := range [][2]string{
		{"key", d.Key},
		{"file", near(d.Path)},
		{"source", string(d.Source)},
		{"homepage", d.Homepage},
		{"category", d.Category},
		{"mode", string(d.ExecutionMode)},
		{"systems", strings.Join(d.OS, ", ")},
		{"primary env", d.PrimaryEnv},
		{"always", yes(d.Always)},
		{"parameters", string(d.Parameters)},
		{"not offered", d.NotOffered},
	} {
		if value := oneLine(row[1]); value != "" {
			rows = append(rows, []cell{{row[0], cli.Dim}, {value, cli.Plain}})
		}
	}
	p.table(append(rows, []cell{{"readiness", cli.Dim}, d.status()}, nil))

	p.section("requires", len(d.Requirements), func(i int) string {
		it := d.Requirements[i]
		text := it.String()
		if it.Optional {
			text += " (optional)"
		}
		if it.Where != "" && it.State == requires.StateFound {
			text += ": " + strings.TrimSpace(it.Version+" "+it.Where)
		}
		return text
	})
	p.section("install", len(d.Recipes), func(i int) string {
		text := d.Recipes[i].remedy()
		if systems := d.Recipes[i].OS; len(systems) > 0 {
			text += " on " + strings.Join(systems, ", ")
		}
		return text
	})
	files := len(d.Files)
	if d.MoreFiles {
		files++
	}
	p.section("files", files, func(i int) string {
		if i == len(d.Files) {
			return "and more"
		}
		return fmt.Sprintf("%s (%d bytes)", d.Files[i].Path, d.Files[i].Size)
	})
	printShadows(p, d.Shadows)
	printProblems(p, d.Problems, true)
}

// what returns what the recipe installs, and with what, as in "brew: jq".
func (r recipe) what() string {
	// A line break that became a blank would hide a command behind a comment.
	command := visible(strings.TrimSpace(r.Command), false)
	parts := slices.DeleteFunc([]string{strings.Join(r.Packages, " "), command, r.URL}, func(s string) bool { return s == "" })
	if len(parts) == 0 { // as of a manual one
		return string(r.Kind)
	}
	return string(r.Kind) + ": " + strings.Join(parts, " ")
}

// remedy returns the recipe in a line.
func (r recipe) remedy() string {
	if r.Label == "" {
		return r.what()
	}
	return r.Label + " [" + r.what() + "]"
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}
