package main

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/matrix-nexus/skillkit/cmd/internal/cli"
	"github.com/matrix-nexus/skillkit/install"
	"github.com/matrix-nexus/skillkit/internal/shell"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/requires"
	"github.com/matrix-nexus/skillkit/skills"
)

type doctorCmd struct {
	Names []string `arg:"" optional:"" name:"name" help:"Names or keys of the skills to look at. None means all."`
}

func (doctorCmd) Help() string {
	return `Says for each skill whether it can run on this machine and, where it cannot, why it is not offered to a model and what is missing, with the variable that it calls primary_env and its homepage. Below the table stand installs that were begun and not brought to their end, with what is known of them now; what is to be put on PATH; plugins that cannot be started, as far as that can be told without starting them ("skills plugin list --check" does); and faults of the configuration.

The status is one of those of "skills list". What is missing can be got with "skills onboard".

--json prints {"skills": […], "unfinished": […], "off_path": […], "plugins": [{"name", "reason"}], "problems": […]}.

Exit status: 0; 1 when a skill that is named is not ready.`
}

// A diagnosis is what doctor --json prints.
type diagnosis struct {
	Skills []patient `json:"skills"`
	// Unfinished are installs that began and of which no end is recorded.
	Unfinished []unfinished `json:"unfinished"`
	// OffPath are folders with required programs that PATH does not lead to.
	OffPath []string `json:"off_path"`
	// Plugins are those of the configuration that cannot be started.
	Plugins []notOffered `json:"plugins"`
	// Problems are those of the configuration and the workspace.
	Problems []metadata.Problem `json:"problems"`
}

// A patient is a skill in a diagnosis: an [entry] and what follows.
type patient struct {
	entry
	NotOffered    string   `json:"not_offered"` // why it is not offered to a model, or ""
	PrimaryEnvSet bool     `json:"primary_env_set"`
	Lacks         []string `json:"lacks"` // what is missing, for people
	Optional      []string `json:"optional_lacks"`
}

type unfinished struct {
	Step    string    `json:"step"`
	Skills  []string  `json:"skills"`
	Started time.Time `json:"started"`
	Now     string    `json:"now"` // what is known of it, for people
}

func (c doctorCmd) Run(a *app) error {
	w, err := a.load()
	if err != nil {
		return err
	}
	list, err := w.named(c.Names)
	if err != nil {
		for _, p := range w.config.Plugins {
			if slices.Contains(c.Names, p.ID) {
				err = fmt.Errorf("%w; \"skills plugin doctor %s\" looks at the plugin", err, p.ID)
			}
		}
		return err
	}
	d := diagnosis{
		Skills: make([]patient, 0, len(list)), OffPath: []string{}, Plugins: []notOffered{},
		Problems: slices.Concat([]metadata.Problem{}, w.faults, w.config.UnknownSkills(w.has)),
	}
	if len(c.Names) == 0 {
		for _, e := range w.pluginEntries(false) {
			if e.State == pluginFailed {
				d.Plugins = append(d.Plugins, notOffered{e.ID, e.Reason})
			}
		}
	}
	sick := false
	for _, s := range list {
		p := w.examine(s)
		sick = sick || p.Readiness != requires.Ready
		for _, it := range p.Missing {
			if dir := filepath.Dir(it.Where); it.State == requires.StateOffPath && !slices.Contains(d.OffPath, dir) {
				d.OffPath = append(d.OffPath, dir)
			}
		}
		d.Skills = append(d.Skills, p)
	}
	var unread error // receipts, which say nothing about the skills
	d.Unfinished, unread = w.unfinished()
	if a.flags.JSON {
		if err := a.out.JSON(d); err != nil {
			return err
		}
	} else {
		d.print(a.out)
	}
	if unread != nil {
		return unread
	}
	if sick && len(c.Names) > 0 {
		return errReported
	}
	return nil
}

// named returns the skills with those names or keys, or all if there are none.
func (w *world) named(names []string) ([]*skills.Skill, error) {
	if len(names) == 0 {
		return slices.Collect(w.set.All()), nil
	}
	var list []*skills.Skill
	for _, name := range names {
		s, err := w.get(name)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list, nil
}

func (w *world) examine(s *skills.Skill) patient {
	m, report := w.check(s)
	p := patient{
		entry: w.entry(s, m, &report, nil), NotOffered: w.hidden(s, &report), PrimaryEnvSet: w.primaryEnvSet(m),
		Lacks: nonNil(report.Lacks()), Optional: []string{},
	}
	for _, it := range report.Items {
		if it.Optional && it.State == requires.StateMissing {
			p.Optional = append(p.Optional, it.String())
		}
	}
	return p
}

// primaryEnvSet reports whether the variable that m calls primary_env has a
// value for its commands.
func (w *world) primaryEnvSet(m *metadata.Manifest) bool {
	if m.PrimaryEnv == "" {
		return false
	}
	host := w.host.With(w.config.Skill(m.Name, m.Key()).Settings(m.PrimaryEnv))
	return host.Lookup(requires.KindEnv, m.PrimaryEnv).State == requires.StateFound
}

// unfinished returns the installs that began and of which no end is recorded.
func (w *world) unfinished() ([]unfinished, error) {
	list := []unfinished{}
	if w.state == "" {
		return list, nil
	}
	receipts, err := install.Receipts(w.state)
	for _, r := range receipts {
		if r.State == install.ReceiptStarted {
			var now []string
			for _, it := range r.Check(w.host) {
				now = append(now, it.String())
			}
			list = append(list, unfinished{r.Step.ID, nonNil(r.Step.Skills), r.Started, strings.Join(now, "; ")})
		}
	}
	return list, err
}

func (d *diagnosis) print(p *printer) {
	var rows [][]cell
	counts := map[requires.Readiness]int{}
	for _, s := range d.Skills {
		counts[s.Readiness]++
		key := ""
		if s.PrimaryEnv != "" {
			key = oneLine(s.PrimaryEnv) + " not set"
			if s.PrimaryEnvSet {
				key = oneLine(s.PrimaryEnv) + " set"
			}
		}
		status := s.status()
		status.text, _, _ = strings.Cut(status.text, ":")
		rows = append(rows, []cell{{fitWidth(oneLine(s.Name), maxName), cli.Bold}, status, {key, cli.Plain}, {oneLine(s.Homepage), cli.Dim}})
		if s.NotOffered != "" {
			rows = append(rows, []cell{{"  " + oneLine(s.NotOffered), cli.Plain}})
		}
		for _, text := range s.Lacks {
			rows = append(rows, []cell{{"  " + oneLine(text), cli.Plain}})
		}
		for _, it := range s.unchecked {
			rows = append(rows, []cell{{"  " + oneLine(it.String()), cli.Dim}})
		}
	}
	p.table(rows)
	if len(rows) > 0 {
		p.Printf("\n")
	}
	p.section("unfinished", len(d.Unfinished), func(i int) string {
		r := d.Unfinished[i]
		return fmt.Sprintf("%s was started on %s, outcome unknown: %s", r.Step, r.Started.Local().Format("2006-01-02 15:04"), r.Now)
	})
	p.section("not on PATH", len(d.OffPath), func(i int) string { return shell.PutOnPath(runtime.GOOS, d.OffPath[i]) })
	p.section("plugins that cannot be started", len(d.Plugins), func(i int) string {
		return d.Plugins[i].Name + ": " + d.Plugins[i].Reason
	})
	printProblems(p, d.Problems, false)
	printCounts(p, len(d.Skills), counts)
	if counts[requires.Missing] > 0 {
		p.Printf("\"skills onboard\" gets what is missing; \"skills onboard --plan\" shows how.\n")
	}
}
