package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/matrix-nexus/skillkit/install"
	"github.com/matrix-nexus/skillkit/skills"
)

// runFlags say how a plan is carried out.
type runFlags struct {
	Plan       bool   `help:"Show what would be done, and do nothing."`
	Yes        bool   `short:"y" help:"Do not ask."`
	AllowShell bool   `help:"Let recipes run that hold a shell command. With --plan they are shown, and not run."`
	Policy     string `placeholder:"CMD" help:"Ask the program CMD, a name or a path without arguments, before each step. It gets the step as JSON on standard input, and answers with a line that starts with allow, warn or block. An answer that is none of these, a failure, and none within 30 seconds block the step."`
}

// installOptions returns what the planner needs to know of this machine.
func (w *world) installOptions(f *runFlags) (*install.Options, error) {
	if w.state == "" {
		return nil, errors.New("there is no folder to install to: set XDG_STATE_HOME or HOME")
	}
	if f.Policy != "" {
		if _, err := exec.LookPath(f.Policy); err != nil {
			return nil, fmt.Errorf("policy: %w; correct --policy", err)
		}
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
			return a.askPolicy(f.Policy, step, policyTimeout, g.warn)
		}
	}
	defer ignoreSignals()()
	outcomes, err := install.Run(a.ctx, plan, opts)
	g.close()
	return outcomes, err
}
