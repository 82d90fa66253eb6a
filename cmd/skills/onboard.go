package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/cmd/internal/cli"
	"github.com/matrix-nexus/skillkit/config"
	"github.com/matrix-nexus/skillkit/install"
	"github.com/matrix-nexus/skillkit/internal/shell"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/requires"
	"github.com/matrix-nexus/skillkit/skills"
)

type onboardCmd struct {
	Skill []string     `placeholder:"NAME" sep:"none" help:"Only what the skill with that name or key misses. May be repeated."`
	Kind  []recipeKind `placeholder:"KIND" sep:"none" help:"Only recipes of that kind: brew, apt, pip, uv, npm, go, download or shell; or pipx, cargo, gem, dnf, choco or winget, which are not used unless they are asked for. May be repeated."`
	runFlags
}

// A recipeKind is a kind of recipe as a flag: under any of its names.
type recipeKind metadata.Kind

// UnmarshalText implements [encoding.TextUnmarshaler].
func (k *recipeKind) UnmarshalText(text []byte) error {
	kind, known := metadata.ParseKind(string(text))
	if !known {
		return fmt.Errorf("%q is no kind of recipe", text)
	}
	*k = recipeKind(kind)
	return nil
}

func (onboardCmd) Help() string {
	return `Gets what the skills miss on this machine. It shows what it would run, asks, runs it, and checks afterwards that what was missing is there. Then it asks for the variables that are not set, without showing what is typed, and stores them in the configuration for the skill that needs them.

Of several recipes that would do, the first is used whose system and installer are those of this machine. Nothing is tried twice. What was installed is recorded, and "skills uninstall --skill NAME" removes it.

Programs that no folder on PATH can take go to skillkit/bin in $XDG_STATE_HOME or, where that is not set, in ~/.local/state: put that folder on PATH.

--plan --json prints {"steps": […], "unresolved": […], "unused": […]}; --yes --json prints {"plan": …, "outcomes": […], "skills": […]}.

Exit status: 0, also when the answer is no; 1 when a step did not do what it should, or a skill that is named is not ready afterwards.`
}

// An onboarding is what onboard --yes --json prints.
type onboarding struct {
	Plan     *install.Plan     `json:"plan"`
	Outcomes []install.Outcome `json:"outcomes"`
	Skills   []standing        `json:"skills"`
}

// A standing is how it stands with a skill afterwards.
type standing struct {
	Name      string             `json:"name"`
	Readiness requires.Readiness `json:"readiness"`
	Lacks     []string           `json:"lacks"`
}

func (c onboardCmd) Run(a *app) error {
	w, err := a.load()
	if err != nil {
		return err
	}
	list, err := w.wanting(c.Skill)
	if err != nil {
		return err
	}
	opts, err := w.installOptions(&c.runFlags)
	if err != nil {
		return err
	}
	for _, kind := range c.Kind {
		opts.Kinds = append(opts.Kinds, metadata.Kind(kind))
	}
	targets := make([]install.Target, len(list))
	for i, s := range list {
		targets[i] = w.target(s)
	}
	plan := install.NewPlan(targets, opts)
	if c.Plan && a.flags.JSON {
		return a.out.JSON(plan)
	}
	if !a.flags.JSON {
		printProblems(a.out, w.faults, false)
		printPlan(a.out, plan)
		a.warnOffPath(plan)
	}
	if c.Plan {
		if len(plan.Steps)+len(plan.Unresolved) == 0 {
			a.out.Printf("Nothing is missing.\n")
		}
		return nil
	}

	result := onboarding{Plan: plan, Outcomes: []install.Outcome{}, Skills: []standing{}}
	if len(plan.Steps) > 0 {
		if ok, err := a.approved(&c.runFlags, cli.Plural(len(plan.Steps), "step")); err != nil || !ok {
			return err
		}
		if result.Outcomes, err = a.carryOut(plan, opts, &c.runFlags); err != nil {
			return err
		}
	}
	if !c.Yes && !a.flags.JSON && a.ctx.Err() == nil {
		if w, err = w.askVars(list, len(c.Skill) > 0); err != nil {
			return err
		}
	}

	w.host.Refresh()
	failed := false
	for _, o := range result.Outcomes {
		failed = failed || o.Status != install.StatusVerified
	}
	for _, s := range list {
		_, report := w.check(s)
		failed = failed || len(c.Skill) > 0 && report.Readiness != requires.Ready
		result.Skills = append(result.Skills, standing{s.Name, report.Readiness, nonNil(report.Lacks())})
	}
	if a.flags.JSON {
		if err := a.out.JSON(result); err != nil {
			return err
		}
	} else {
		result.print(a.out)
	}
	if err := a.ctx.Err(); err != nil {
		return err
	}
	if failed {
		return errReported
	}
	return nil
}

// wanting returns the skills that are named, or all that miss something.
func (w *world) wanting(names []string) ([]*skills.Skill, error) {
	list, err := w.named(names)
	if err != nil {
		return nil, err
	}
	if len(names) > 0 {
		for _, s := range list {
			_, report := w.check(s)
			if why := w.hidden(s, &report); why != "" {
				return nil, fmt.Errorf("skill %q: nothing is installed for it: %s", s.Name, why)
			}
		}
		return list, nil
	}
	return slices.DeleteFunc(list, func(s *skills.Skill) bool {
		_, report := w.check(s)
		return report.Readiness != requires.Missing
	}), nil
}

// approved asks whether to go on, unless that is said already.
func (a *app) approved(f *runFlags, what string) (bool, error) {
	if f.Yes {
		return true, nil
	}
	if a.flags.JSON || a.terminal() == nil {
		return false, errors.New("nothing was done: there is no terminal to ask at; use --yes to go on without, or --plan to look")
	}
	ok, err := a.confirm("Run " + what + "?")
	if err == nil && !ok {
		a.out.Printf("Nothing was done.\n")
	}
	return ok, err
}

// askVars asks for the variables that the skills miss, and with all also for
// their primary_env, stores the answers, and returns w with them.
func (w *world) askVars(list []*skills.Skill, all bool) (*world, error) {
	a := w.app
	asked, stored := false, false
	for _, s := range list {
		m, report := w.check(s)
		var names []string
		for _, it := range report.Missing() {
			if it.Kind == requires.KindEnv && it.State == requires.StateMissing {
				names = append(names, it.Name)
			}
		}
		if all && m.PrimaryEnv != "" && !slices.Contains(names, m.PrimaryEnv) && !w.primaryEnvSet(m) {
			names = append(names, m.PrimaryEnv)
		}
		for _, name := range names {
			if a.terminal() == nil || w.configFile == "" {
				continue // the summary tells what is missing
			}
			question := fmt.Sprintf("%s for %s", oneLine(name), oneLine(s.Name))
			if m.Homepage != "" {
				question += " (see " + oneLine(m.Homepage) + ")"
			}
			asked = true
			value, err := a.askSecret(question + ", empty to skip: ")
			if err != nil {
				return nil, err
			}
			if value = strings.TrimSpace(value); value == "" {
				continue
			}
			if err := config.SetEnv(w.configFile, cmp.Or(m.Key(), s.Name), name, value); err != nil {
				return nil, err
			}
			stored = true
			a.out.Printf("Stored %s in %s\n", name, w.configFile)
		}
	}
	if asked {
		a.out.Printf("\n")
	}
	if !stored {
		return w, nil
	}
	return a.load()
}

func (r *onboarding) print(p *printer) {
	var ready, rest []standing
	for _, s := range r.Skills {
		if s.Readiness == requires.Ready {
			ready = append(ready, s)
		} else {
			rest = append(rest, s)
		}
	}
	if len(r.Outcomes) > 0 {
		p.Printf("\n")
	}
	p.section("ready now", len(ready), func(i int) string { return ready[i].Name })
	p.section("not ready", len(rest), func(i int) string {
		return rest[i].Name + ": " + cmp.Or(strings.Join(rest[i].Lacks, "; "), string(rest[i].Readiness))
	})
	var dirs []string
	for _, o := range r.Outcomes {
		if dir := filepath.Dir(o.Where); o.Status == install.StatusOffPath && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	p.section("not on PATH", len(dirs), func(i int) string { return shell.PutOnPath(runtime.GOOS, dirs[i]) })
	if len(r.Skills) == 0 {
		p.Printf("Nothing is missing.\n")
	}
}
