package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/matrix-nexus/skillkit/install"
	"github.com/matrix-nexus/skillkit/internal/shell"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/requires"
	"github.com/matrix-nexus/skillkit/skills"
)

// runFlags say how a plan is carried out.
type runFlags struct {
	Plan       bool   `help:"Show what would be done, and do nothing."`
	Yes        bool   `short:"y" help:"Do not ask."`
	AllowShell bool   `help:"Let recipes run that hold a shell command. With --plan they are shown, and not run."`
	Policy     string `placeholder:"CMD" help:"Ask the program CMD before each step. It gets the step as JSON on standard input, and answers with a line that starts with allow, warn or block. An answer that is none of these, a failure, and none within 30 seconds block the step."`
}

// installOptions returns what the planner needs to know of this machine.
func (w *world) installOptions(f *runFlags) (*install.Options, error) {
	if w.state == "" {
		return nil, errors.New("there is no folder to install to: set XDG_STATE_HOME or HOME")
	}
	c := w.config.Install
	return &install.Options{
		State:       w.state,
		Host:        w.host,
		Environ:     w.app.environ,
		Superuser:   os.Geteuid() == 0,
		Allow:       c.Allow,
		Prefer:      c.Prefer,
		NodeManager: c.NodeManager,
		PythonIndex: c.PythonIndex,
		AllowShell:  f.AllowShell,
	}, nil
}

// target returns s as the planner takes it.
func (w *world) target(s *skills.Skill) install.Target {
	m, report := w.check(s)
	return install.Target{Name: s.Name, Manifest: m, Report: report, Refused: w.distrusted(s)}
}

// carryOut runs a plan that was shown, and says how it goes. The outcomes are
// those of all its steps.
func (a *app) carryOut(plan *install.Plan, opts *install.Options, f *runFlags) ([]install.Outcome, error) {
	g := &progress{p: a.out, total: len(plan.Steps)}
	if a.flags.JSON {
		g.p = newPrinter(a.stderr, a.env)
	}
	opts.Event = g.event
	if f.Policy != "" {
		opts.Approve = func(step install.Step) error {
			return a.askPolicy(f.Policy, step, policyTimeout, g.note)
		}
	}
	// One more signal would end this process at once, and leave to itself what
	// the first one ends within seconds; and so would an output that nobody
	// reads any more.
	more := make(chan os.Signal, 1)
	signal.Notify(more, os.Interrupt, syscall.SIGTERM, syscall.SIGPIPE)
	defer signal.Stop(more)
	outcomes, err := install.Run(a.ctx, plan, opts)
	g.close()
	return outcomes, err
}

// printPlan writes a plan for people.
func printPlan(p *printer, plan *install.Plan) {
	if len(plan.Steps) > 0 {
		p.styled(cell{"plan", bold})
		p.printf("\n")
	}
	for _, s := range plan.Steps {
		p.printf("  %s", oneLine(s.ID))
		if len(s.Skills) > 0 {
			p.printf(" for %s", oneLine(strings.Join(s.Skills, ", ")))
		}
		p.printf(": %s\n", oneLine(s.Label))
		for _, line := range stepLines(s) {
			p.printf("    ")
			p.styled(cell{line, green})
			p.printf("\n")
		}
		if s.Reason != "" {
			p.printf("    %s\n", oneLine(s.Reason))
		}
	}
	if len(plan.Steps) > 0 {
		p.printf("\n")
	}
	if len(plan.Unresolved) > 0 {
		p.styled(cell{"unresolved", bold})
		p.printf("\n")
	}
	for _, u := range plan.Unresolved {
		p.printf("  %s: %s: %s\n", oneLine(u.Skill), oneLine(u.Requirement.Name), oneLine(u.Reason))
		switch u.Requirement.Kind {
		case requires.KindEnv, requires.KindConfig, requires.KindSkill, requires.KindTool:
			continue // no recipe could give it
		}
		for _, t := range u.Tried {
			p.printf("    %s: %s\n", oneLine(t.Recipe), oneLine(t.WhyNot))
		}
	}
	if len(plan.Unresolved) > 0 {
		p.printf("\n")
	}
}

// warnOffPath says where programs will go, if they will not be found there.
func (a *app) warnOffPath(plan *install.Plan) {
	path := filepath.SplitList(a.env.get("PATH"))
	var dirs []string
	for _, s := range plan.Steps {
		if s.BinDir != "" && !slices.Contains(path, s.BinDir) && !slices.Contains(dirs, s.BinDir) {
			dirs = append(dirs, s.BinDir)
		}
	}
	a.out.section("programs go to folders that are not on PATH; put these on it first", len(dirs), func(i int) string {
		return shell.PutOnPath(runtime.GOOS, dirs[i])
	})
}

// stepLines returns exactly what a step does, for people.
func stepLines(s install.Step) []string {
	var lines []string
	if len(s.Argv) > 0 {
		words := make([]string, 0, len(s.Env)+len(s.Argv))
		for _, v := range s.Env {
			name, value, _ := strings.Cut(v, "=")
			words = append(words, name+"="+shell.Quote(value))
		}
		for _, arg := range s.Argv {
			words = append(words, shell.Quote(arg))
		}
		lines = append(lines, "$ "+strings.Join(words, " "))
	}
	if d := s.Download; d != nil {
		sum := "not verified: the recipe gives no sha256"
		if d.SHA256 != "" {
			sum = "sha256 " + d.SHA256
		}
		lines = append(lines, fmt.Sprintf("download %s to %s (%s)", d.URL, d.Dir, sum))
	}
	for _, path := range s.Remove {
		lines = append(lines, "remove "+path)
	}
	return lines
}

// remedies says how what m requires and report misses can be got here.
func (w *world) remedies(m *metadata.Manifest, report requires.Report) []string {
	opts, err := w.installOptions(&runFlags{})
	if err != nil {
		return nil
	}
	var list []string
	plan := install.NewPlan([]install.Target{{Name: m.Name, Manifest: m, Report: report}}, opts)
	for _, s := range plan.Steps {
		list = append(list, s.Label+": "+strings.Join(stepLines(s), "; "))
	}
	for _, u := range plan.Unresolved {
		list = append(list, u.Requirement.Name+": "+u.Reason)
	}
	return list
}
