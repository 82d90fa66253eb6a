package main

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/cmd/internal/cli"
	"github.com/matrix-nexus/skillkit/install"
	"github.com/matrix-nexus/skillkit/internal/shell"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/requires"
)

// printPlan writes a plan for people.
func printPlan(p *printer, plan *install.Plan) {
	if len(plan.Steps) > 0 {
		p.styled(cell{"plan", cli.Bold})
		p.Printf("\n")
	}
	for _, s := range plan.Steps {
		p.Printf("  %s", oneLine(s.ID))
		if len(s.Skills) > 0 {
			p.Printf(" for %s", oneLine(strings.Join(s.Skills, ", ")))
		}
		p.Printf(": %s\n", oneLine(s.Label))
		for _, line := range stepLines(s) {
			p.Printf("    ")
			p.styled(cell{line, cli.Green})
			p.Printf("\n")
		}
		if s.Reason != "" {
			p.Printf("    %s\n", oneLine(s.Reason))
		}
	}
	if len(plan.Steps) > 0 {
		p.Printf("\n")
	}
	if len(plan.Unresolved) > 0 {
		p.styled(cell{"unresolved", cli.Bold})
		p.Printf("\n")
	}
	for _, u := range plan.Unresolved {
		p.Printf("  %s: %s: %s\n", oneLine(u.Skill), oneLine(u.Requirement.Name), oneLine(u.Reason))
		switch u.Requirement.Kind {
		case requires.KindEnv, requires.KindConfig, requires.KindSkill, requires.KindTool:
			continue // no recipe could give it
		}
		for _, t := range u.Tried {
			p.Printf("    %s: %s\n", oneLine(t.Recipe), oneLine(t.WhyNot))
		}
	}
	if len(plan.Unresolved) > 0 {
		p.Printf("\n")
	}
}

// warnOffPath says where programs will go, if they will not be found there.
func (a *app) warnOffPath(plan *install.Plan) {
	path := filepath.SplitList(a.env.Get("PATH"))
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
