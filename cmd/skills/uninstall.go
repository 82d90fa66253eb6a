package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/cmd/internal/cli"
	"github.com/matrix-nexus/skillkit/install"
	"github.com/matrix-nexus/skillkit/metadata"
)

type uninstallCmd struct {
	Skill string `required:"" placeholder:"NAME" help:"Name of the skill, which need not be there any more."`
	runFlags
}

func (uninstallCmd) Help() string {
	return `Removes what "skills onboard" installed for a skill, and nothing else: what was there before, and what was installed for other skills as well, stays. Skills that only found it there are named. The skill itself stays too.

--plan --json prints {"steps": […], "unresolved": […], "unused": […]}; --yes --json prints {"plan": …, "outcomes": […]}.

Exit status: 0, also when the answer is no; 1 when a step did not do what it should, or there was nothing to remove.`
}

// A removal is what uninstall --yes --json prints.
type removal struct {
	Plan     *install.Plan     `json:"plan"`
	Outcomes []install.Outcome `json:"outcomes"`
}

func (c uninstallCmd) Run(a *app) error {
	w, err := a.load()
	if err != nil {
		return err
	}
	opts, err := w.installOptions(&c.runFlags)
	if err != nil {
		return err
	}
	receipts, err := install.Receipts(w.state)
	if err != nil {
		return err
	}
	name := c.Skill
	var recipes []metadata.Recipe
	if s, err := w.find(c.Skill); err == nil {
		if m, report := w.check(s); w.hidden(s, &report) == "" {
			name, recipes = s.Name, m.Uninstall
		}
	}
	plan := install.NewRemoval(name, recipes, receipts, opts)
	others := w.losers(plan, name)
	if c.Plan && a.flags.JSON {
		return a.out.JSON(plan)
	}
	if !a.flags.JSON {
		printPlan(a.out, plan)
		for _, u := range plan.Unused {
			a.out.Printf("%s: %s\n", oneLine(u.Recipe), oneLine(u.Reason))
		}
		a.out.section("other skills require what goes", len(others), func(i int) string { return others[i] })
	}
	if len(plan.Steps) == 0 && len(plan.Unresolved) == 0 {
		return fmt.Errorf("nothing was installed for a skill %q", name)
	}
	if c.Plan {
		return nil
	}
	if ok, err := a.approved(&c.runFlags, cli.Plural(len(plan.Steps), "step")); err != nil || !ok {
		return err
	}
	result := removal{Plan: plan}
	if result.Outcomes, err = a.carryOut(plan, opts, &c.runFlags); err != nil {
		return err
	}
	if a.flags.JSON {
		if err := a.out.JSON(result); err != nil {
			return err
		}
	}
	var left []string
	for _, o := range result.Outcomes {
		if o.Status != install.StatusVerified {
			left = append(left, o.Step.ID)
		}
	}
	switch {
	case a.ctx.Err() != nil:
		return a.ctx.Err()
	case len(left) > 0:
		return errors.New("not removed as it should be: " + strings.Join(left, ", "))
	case len(plan.Unresolved) > 0:
		return errReported
	}
	return nil
}

// losers says which other skills require what a removal takes away: skills that
// found it there, so that nothing was ever installed for them.
func (w *world) losers(plan *install.Plan, name string) []string {
	goes := make(map[string]string) // a program or package, and the step that removes it
	for _, step := range plan.Steps {
		if len(step.Argv)+len(step.Remove) == 0 {
			continue
		}
		for _, q := range step.Provides {
			goes[q.Name] = step.ID
		}
		for _, bin := range step.Bins {
			goes[bin] = step.ID
		}
	}
	var list []string
	for s := range w.set.All() {
		m, report := w.check(s)
		if s.Name == name || w.hidden(s, &report) != "" {
			continue
		}
		for _, q := range slices.Concat(m.Requires.Bins, m.Requires.AnyBins, m.Requires.PythonPackages) {
			if id, ok := goes[q.Name]; ok {
				list = append(list, fmt.Sprintf("%s requires %s, which %s takes away", s.Name, q.Name, id))
			}
		}
	}
	return list
}
