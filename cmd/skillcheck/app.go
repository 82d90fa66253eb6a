package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/check"
	"github.com/matrix-nexus/skillkit/cmd/internal/cli"
	"github.com/matrix-nexus/skillkit/internal/line"
	"github.com/matrix-nexus/skillkit/metadata"
)

// An app is one run of the command.
type app struct {
	ctx     context.Context
	flags   *flags
	environ []string   // in the form of os.Environ
	env     cli.Lookup // in environ
	stdin   io.Reader
	out     *cli.Printer
	stderr  io.Writer

	config  *config
	checker *check.Checker
	targets []check.Target
	left    int // targets that the configuration excludes
	failed  bool
	closers []io.Closer
}

// run does what the flags ask for. It reports whether there are findings that
// count.
func (a *app) run() (found bool, err error) {
	f := a.flags
	if f.Format != "text" && (f.Diff || f.Checklist || f.Explain != "" || f.List && f.Format != "json") {
		return false, errors.New("--format is for findings, and json for --list; leave it out")
	}
	if f.Explain != "" {
		return false, a.explain(f.Explain)
	}
	if err := a.configure(); err != nil {
		return false, err
	}
	if f.List {
		return false, a.list()
	}
	defer func() {
		for _, c := range a.closers {
			_ = c.Close()
		}
	}()
	if err := a.findTargets(); err != nil {
		return false, err
	}
	switch {
	case f.Diff:
		found, err = a.diff()
	case f.Checklist:
		found, err = a.checklist()
	default:
		found, err = a.report()
	}
	if err == nil && a.failed {
		err = errors.New("not all could be checked, as said above")
	}
	return found, err
}

// configure reads the configuration and makes the checker.
func (a *app) configure() (err error) {
	if a.config, err = a.loadConfig(); err != nil {
		return err
	}
	f, c := a.flags, a.config
	if f.FailOn != "" && !slices.Contains(failOns, f.FailOn) {
		return fmt.Errorf("--fail-on: %q is not known here%s", f.FailOn, suggest(f.FailOn, failOns))
	}
	if known := names(check.Profiles()); f.Profile != "" && !slices.Contains(known, f.Profile) {
		return fmt.Errorf("--profile: %q is not known here%s", f.Profile, suggest(f.Profile, known))
	}
	c.Profile = check.Profile(cmp.Or(f.Profile, string(c.Profile), string(check.Matrix)))
	c.FailOn = cmp.Or(f.FailOn, c.FailOn, "error")
	c.Strict = f.Strict || c.Strict
	opts := &check.Options{
		Profile:       c.Profile,
		Enable:        slices.Concat(c.Enable, f.Enable),
		Disable:       slices.Concat(c.Disable, f.Disable),
		Severity:      c.Severity,
		Strict:        c.Strict,
		NoIgnore:      f.NoIgnore,
		ReservedNames: c.ReservedNames,
		MaxFolder:     c.MaxFolder,
	}
	a.checker, err = check.New(opts)
	return err
}

// check runs the rules for the targets. A rule that fails costs what it would
// have found.
func (a *app) check() (*results, error) {
	report, err := a.checker.Check(a.ctx, a.targets)
	if report == nil {
		return nil, err
	}
	if err != nil {
		a.warn(err)
	}
	r := &results{Report: report, rules: len(a.checker.Rules()), left: a.left, failOn: a.config.FailOn}
	for _, t := range a.targets {
		if t.FS == nil {
			r.Files++ // the one that is the target
		}
	}
	for _, f := range report.Findings {
		if f.Ignored != "" {
			r.ignored = append(r.ignored, f)
		} else {
			r.live = append(r.live, f)
		}
	}
	return r, nil
}

// report checks and, if asked to, repairs first.
func (a *app) report() (found bool, err error) {
	var fixed []check.Finding
	if a.flags.Fix {
		if fixed, err = a.fix(); err != nil {
			return false, err
		}
	}
	r, err := a.check()
	if err != nil {
		return false, err
	}
	r.fixed = fixed
	switch a.flags.Format {
	case "json":
		err = a.writeJSON(r)
	case "sarif":
		err = a.writeSARIF(r)
	case "github":
		a.writeGitHub(r)
	default:
		a.writeText(r)
	}
	return r.fails(), err
}

// results are what there is to write.
type results struct {
	*check.Report
	live    []check.Finding // those that were not taken back
	ignored []check.Finding // those that were
	fixed   []check.Finding // those that --fix repaired
	rules   int
	left    int // targets that the configuration excludes
	failOn  string
}

// fails reports whether there are findings that count.
func (r *results) fails() bool {
	return slices.ContainsFunc(r.live, func(f check.Finding) bool {
		switch r.failOn {
		case "never":
			return false
		case "info":
			return true
		case "warning":
			return f.Severity >= metadata.Warning
		}
		return f.Severity >= metadata.Error
	})
}

// count returns how many findings have a severity.
func (r *results) count(s metadata.Severity) (n int) {
	for _, f := range r.live {
		if f.Severity == s {
			n++
		}
	}
	return n
}

// fixable returns how many findings --fix would repair.
func (r *results) fixable() (n int) {
	for _, f := range r.live {
		if f.Fix != nil {
			n++
		}
	}
	return n
}

// text returns the content of a file that a finding names, or "".
func (a *app) text(file string) string {
	t, name, ok := a.target(file)
	if !ok {
		return ""
	}
	if t.Text != nil && name == t.Manifest {
		return string(t.Text)
	}
	if t.FS == nil {
		return ""
	}
	data, err := readFile(t.FS, name)
	if err != nil {
		return ""
	}
	return string(data)
}

// target returns the target that holds a file that a finding names, and its
// name there.
func (a *app) target(file string) (t check.Target, name string, ok bool) {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		for _, t := range a.targets {
			if path.Clean(t.Path) != dir {
				continue
			}
			name := file
			if dir != "." {
				name = strings.TrimPrefix(strings.TrimPrefix(file, dir), "/")
			}
			if t.Text == nil || name == t.Manifest {
				return t, name, true
			}
		}
		if dir == "." || dir == "/" {
			return check.Target{}, "", false
		}
	}
}

// warn says on standard error that something could not be checked, which the
// exit status tells too.
func (a *app) warn(err error) {
	a.failed = true
	fmt.Fprintf(a.stderr, "skillcheck: %s\n", line.Visible(err.Error(), false))
}
