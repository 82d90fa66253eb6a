package main

import (
	"os"
	"path/filepath"
	"runtime"

	"github.com/matrix-nexus/skillkit/install"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/requires"
)

// A machine answers for what skills require.
type machine struct {
	host *requires.Host
	opts *install.Options
}

// newMachine returns this machine, as "skills doctor" sees it without a
// configuration.
func (a *app) newMachine() *machine {
	opts := &requires.Options{Lookup: a.env}
	state, _ := a.env.State() // none on a machine without a home
	if state != "" {
		opts.Extra = []string{filepath.Join(state, "bin")}
		opts.Managed = filepath.Join(state, "python")
	}
	opts.Extra = append(opts.Extra, requires.UsualDirs(runtime.GOOS, a.env.Home(), a.env)...)
	host := requires.NewHost(opts)
	return &machine{host, &install.Options{State: state, Host: host, Environ: a.environ, Superuser: os.Geteuid() == 0}}
}

// judge says whether what a skill requires is here, and what came of that: what
// recipes would bring is for the author to try, what nothing brings fails.
func (m *machine) judge(text, file string) (result string, notes []string) {
	doc, err := metadata.Parse(file, []byte(text), nil)
	if err != nil {
		return failed, []string{err.Error()}
	}
	report := requires.Check(&doc.Manifest, m.host)
	switch report.Readiness {
	case requires.Ready:
		if len(report.Items) > 0 {
			notes = []string{"all of it is on this machine"}
		}
		return passed, notes
	case requires.Unsupported:
		return yours, []string{"it is not for this system; try it on one that it is for"}
	}
	plan := install.NewPlan([]install.Target{{Name: doc.Manifest.Name, Manifest: &doc.Manifest, Report: report}}, m.opts)
	result = yours
	for _, u := range plan.Unresolved {
		notes = append(notes, u.Requirement.Name+": "+u.Reason)
		switch u.Requirement.Kind {
		case requires.KindEnv, requires.KindConfig, requires.KindSkill, requires.KindTool: // no recipe could bring it
		default:
			result = failed
		}
	}
	for _, s := range plan.Steps {
		notes = append(notes, "skills onboard runs: "+s.Label)
	}
	for _, it := range report.Unchecked() {
		notes = append(notes, it.String()+": not checked")
	}
	return result, notes
}
