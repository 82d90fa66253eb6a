package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/matrix-nexus/skillkit/internal/closest"
	"github.com/matrix-nexus/skillkit/metadata"
)

// Options configure a [Checker]. A nil *Options means the defaults.
type Options struct {
	// Profile chooses the rules; empty means [Matrix].
	Profile Profile
	// Enable and Disable name rules to run, or not to run, besides. Disable
	// wins.
	Enable, Disable []string
	// Severity overrides that of rules, by ID.
	Severity map[string]metadata.Severity
	// Strict makes warnings errors.
	Strict bool
	// NoIgnore lets comments take back nothing: for skills of somebody else.
	NoIgnore bool
	// ReservedNames are names that a skill must not have; nil means
	// anthropic, claude and skill.
	ReservedNames []string
	// MaxFolder is the size in bytes that the files of a skill may have
	// together. Zero or less means 8 MiB.
	MaxFolder int64
}

// A Checker runs rules. It is safe for concurrent use.
type Checker struct {
	opts     Options
	rules    []*Rule                      // those that run
	severity map[string]metadata.Severity // of each rule that runs
	ids      []string                     // of all rules
}

// New returns a checker. The error names a rule, a severity or a profile that
// does not exist.
func New(opts *Options) (*Checker, error) {
	c := &Checker{severity: make(map[string]metadata.Severity)}
	if opts != nil {
		c.opts = *opts
	}
	o := &c.opts
	o.Severity = maps.Clone(o.Severity)
	o.ReservedNames = slices.Clone(o.ReservedNames)
	o.Profile = cmp.Or(o.Profile, Matrix)
	if !slices.Contains(Profiles(), o.Profile) {
		return nil, fmt.Errorf("no profile %q; there are %v", o.Profile, Profiles())
	}
	if o.ReservedNames == nil {
		o.ReservedNames = []string{"anthropic", "claude", "skill"}
	}
	if o.MaxFolder <= 0 {
		o.MaxFolder = 8 << 20
	}
	all := Rules()
	for _, r := range all {
		c.ids = append(c.ids, r.ID)
	}
	for _, id := range slices.Concat(o.Enable, o.Disable, slices.Sorted(maps.Keys(o.Severity))) {
		if !slices.Contains(c.ids, id) {
			return nil, fmt.Errorf("no rule %q; %s", id, c.suggest(id))
		}
	}
	for id, s := range o.Severity {
		if s < metadata.Info || s > metadata.Error {
			return nil, fmt.Errorf("rule %s: no severity %d; there are info, warning and error", id, int(s))
		}
	}
	for _, r := range all {
		on := !r.Off && (len(r.Profiles) == 0 || slices.Contains(r.Profiles, o.Profile))
		if (on || slices.Contains(o.Enable, r.ID)) && !slices.Contains(o.Disable, r.ID) {
			c.rules = append(c.rules, r)
			c.severity[r.ID] = o.severity(r)
		}
	}
	return c, nil
}

// severity returns that of the findings of r.
func (o *Options) severity(r *Rule) metadata.Severity {
	s := r.Severity
	if in, ok := r.SeverityIn[o.Profile]; ok {
		s = in
	}
	if over, ok := o.Severity[r.ID]; ok {
		s = over
	}
	if o.Strict && s == metadata.Warning {
		s = metadata.Error
	}
	return s
}

// suggest says what to write in place of the ID of a rule that does not exist.
func (c *Checker) suggest(id string) string {
	if near := closest.Names(id, c.ids); len(near) > 0 {
		return "is it " + strings.Join(near, " or ") + "?"
	}
	return "skillcheck --list shows them all"
}

// Severity returns that of the findings of r as the options of c have it, whether c
// runs r or not.
func (c *Checker) Severity(r *Rule) metadata.Severity { return c.opts.severity(r) }

// Rules returns the rules that c runs, sorted by ID.
func (c *Checker) Rules() []*Rule { return slices.Clone(c.rules) }

// A Report is what a [Checker] found.
type Report struct {
	// Findings are sorted, those that were taken back among them.
	Findings []Finding
	Skills   int // folders with a skill
	Tools    int // folders with an Executa Tool
	Files    int // files in them
	Ignored  int // findings that were taken back
}

// A RuleError reports a rule that panicked, which is a fault of the rule: it
// found nothing more in that folder.
type RuleError struct {
	Rule  string // its ID
	Path  string // of the folder it looked at; empty if at all of them
	Value any    // what it panicked with
}

func (e *RuleError) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("rule %s: panic: %v", e.Rule, e.Value)
	}
	return fmt.Sprintf("%s: rule %s: panic: %v", e.Path, e.Rule, e.Value)
}

// Check looks at the targets, several at a time, and at all skills together.
// What cannot be read is a finding. The error is that of ctx, which bounds the
// call, or joins each [*RuleError]; with the latter, the report holds what the
// other rules found.
func (c *Checker) Check(ctx context.Context, targets []Target) (*Report, error) {
	runs := make([]*run, len(targets))
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(targets)) {
		wg.Go(func() {
			for i := range next {
				runs[i] = c.folder(ctx, targets[i])
			}
		})
	}
	for i := range targets {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	errs := c.set(runs)
	r := &Report{}
	for _, u := range runs {
		c.finish(u)
		if u.Manifest != "" {
			r.Skills++
		}
		if u.Tool != nil {
			r.Tools++
		}
		r.Files += len(u.Files)
		r.Findings = append(r.Findings, u.found...)
		errs = append(errs, u.errs...)
	}
	for _, f := range r.Findings {
		if f.Ignored != "" {
			r.Ignored++
		}
	}
	slices.SortFunc(r.Findings, Finding.Compare)
	return r, errors.Join(errs...)
}

// A run is what was found in a folder.
type run struct {
	*Folder
	pass  Pass
	found []Finding
	errs  []error
}

// folder reads one target and runs the rules for one folder.
func (c *Checker) folder(ctx context.Context, t Target) *run {
	u := &run{Folder: read(ctx, t)}
	u.Tool = u.readTool()
	u.pass = Pass{Folder: u.Folder, Options: &c.opts, checker: c, found: &u.found}
	if !c.opts.NoIgnore {
		u.ignores = u.readIgnores()
	}
	for _, r := range c.rules {
		if ctx.Err() != nil {
			break
		}
		if !r.last {
			u.try(r)
		}
	}
	u.release()
	return u
}

// try runs a rule for one folder.
func (u *run) try(r *Rule) {
	defer func() {
		if v := recover(); v != nil {
			u.errs = append(u.errs, &RuleError{r.ID, u.Path, v})
		}
	}()
	u.pass.Rule = r
	switch {
	case r.RunFolder != nil:
		r.RunFolder(&u.pass)
	case r.Run != nil && u.Doc != nil:
		r.Run(&u.pass)
	case r.RunTool != nil && u.Tool != nil:
		r.RunTool(&u.pass)
	default:
		return
	}
	u.noteRun(r)
}

// noteRun notes, for the comments of the folder, that r looked at it.
func (u *run) noteRun(r *Rule) {
	if len(u.ignores) == 0 {
		return
	}
	if u.ran == nil {
		u.ran = make(map[string]bool)
	}
	u.ran[r.ID] = true
}

// finish takes back the findings that comments of the folder are for, and runs
// the rules that come last.
func (c *Checker) finish(u *run) {
	for i := range u.found {
		f := &u.found[i]
		for _, g := range u.ignores {
			if g.takesBack(f, u.File) && f.Ignored == "" {
				f.Ignored = g.reason
			}
		}
	}
	for _, r := range c.rules {
		if r.last {
			u.try(r)
		}
	}
}

// set runs the rules for all skills together.
func (c *Checker) set(runs []*run) (errs []error) {
	p := SetPass{Options: &c.opts, runs: make(map[*Folder]*run)}
	for _, u := range runs {
		if u.Doc != nil {
			p.Skills = append(p.Skills, u.Folder)
		}
		if u.Tool != nil {
			p.Tools = append(p.Tools, u.Folder)
		}
		p.runs[u.Folder] = u
	}
	if len(p.Skills) < 2 && len(p.Tools) < 2 {
		return nil
	}
	byPath := func(a, b *Folder) int { return cmp.Compare(a.Path, b.Path) }
	slices.SortStableFunc(p.Skills, byPath)
	slices.SortStableFunc(p.Tools, byPath)
	try := func(r *Rule) {
		defer func() {
			if v := recover(); v != nil {
				errs = append(errs, &RuleError{Rule: r.ID, Value: v})
			}
		}()
		p.Rule = r
		r.RunSet(&p)
		for _, u := range p.runs {
			u.noteRun(r)
		}
	}
	for _, r := range c.rules {
		if r.RunSet != nil {
			try(r)
		}
	}
	return errs
}
