package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

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
	opts  Options
	rules []*Rule
}

// New returns a checker. The error names a rule, or a profile, that does not
// exist.
func New(opts *Options) (*Checker, error) {
	c := &Checker{}
	if opts != nil {
		c.opts = *opts
	}
	o := &c.opts
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
	ids := make([]string, len(all))
	for i, r := range all {
		ids[i] = r.ID
	}
	known := func(id string) error {
		if slices.Contains(ids, id) {
			return nil
		}
		if near := closest.Names(id, ids); len(near) > 0 {
			return fmt.Errorf("no rule %q; is it %s?", id, strings.Join(near, " or "))
		}
		return fmt.Errorf("no rule %q; skillcheck --list shows them all", id)
	}
	for _, id := range slices.Concat(o.Enable, o.Disable) {
		if err := known(id); err != nil {
			return nil, err
		}
	}
	for id := range o.Severity {
		if err := known(id); err != nil {
			return nil, err
		}
	}
	for _, r := range all {
		on := !r.Off && (len(r.Profiles) == 0 || slices.Contains(r.Profiles, o.Profile))
		if (on || slices.Contains(o.Enable, r.ID)) && !slices.Contains(o.Disable, r.ID) {
			c.rules = append(c.rules, r)
		}
	}
	return c, nil
}

// Rules returns the rules that c runs, sorted by ID.
func (c *Checker) Rules() []*Rule { return slices.Clone(c.rules) }

// A Report is what a [Checker] found.
type Report struct {
	// Findings are sorted, those that were taken back among them.
	Findings []Finding
	Skills   int // folders with a skill
	Tools    int // folders with an Executa Tool
	Files    int // files in them
}

// Check looks at the targets, several at a time, and at all skills together.
// The error is that of ctx, or names a target that cannot be read.
func (c *Checker) Check(ctx context.Context, targets []Target) (*Report, error) {
	folders := make([]*Folder, len(targets))
	found := make([][]Finding, len(targets))
	errs := make([]error, len(targets))
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(targets)) {
		wg.Go(func() {
			for i := range next {
				folders[i], found[i], errs[i] = c.folder(ctx, targets[i])
			}
		})
	}
	for i := range targets {
		next <- i
	}
	close(next)
	wg.Wait()
	if err := cmp.Or(ctx.Err(), errors.Join(errs...)); err != nil {
		return nil, err
	}
	r := &Report{Findings: slices.Concat(found...)}
	for _, f := range folders {
		if f.Manifest != "" {
			r.Skills++
		}
		if f.Tool != nil {
			r.Tools++
		}
		r.Files += len(f.Files)
	}
	r.Findings = append(r.Findings, c.set(folders)...)
	slices.SortFunc(r.Findings, Finding.Compare)
	return r, nil
}

// folder reads one target and runs the rules for one folder.
func (c *Checker) folder(ctx context.Context, t Target) (*Folder, []Finding, error) {
	f, err := read(ctx, t)
	if err != nil {
		return nil, nil, err
	}
	var list []Finding
	for _, r := range c.rules {
		p := &Pass{Folder: f, Rule: r, Options: &c.opts, report: func(g Finding) {
			list = append(list, c.graded(g, r))
		}}
		switch {
		case r.RunFolder != nil:
			r.RunFolder(p)
		case r.Run != nil && f.Doc != nil:
			r.Run(p)
		case r.RunTool != nil && f.Tool != nil:
			r.RunTool(p)
		}
	}
	return f, list, nil
}

// set runs the rules for all skills together.
func (c *Checker) set(folders []*Folder) []Finding {
	var list []Finding
	var parsed []*Folder
	for _, f := range folders {
		if f.Doc != nil {
			parsed = append(parsed, f)
		}
	}
	slices.SortFunc(parsed, func(a, b *Folder) int { return cmp.Compare(a.Path, b.Path) })
	for _, r := range c.rules {
		if r.RunSet != nil && len(parsed) > 1 {
			r.RunSet(&SetPass{Rule: r, Options: &c.opts, Skills: parsed, report: func(g Finding) {
				list = append(list, c.graded(g, r))
			}})
		}
	}
	return list
}

// graded returns f with its severity.
func (c *Checker) graded(f Finding, r *Rule) Finding {
	f.Severity = r.Severity
	if s, ok := r.SeverityIn[c.opts.Profile]; ok {
		f.Severity = s
	}
	if s, ok := c.opts.Severity[r.ID]; ok {
		f.Severity = s
	}
	if c.opts.Strict && f.Severity == metadata.Warning {
		f.Severity = metadata.Error
	}
	return f
}

// read reads a target.
func read(ctx context.Context, t Target) (*Folder, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f := newFolder(t)
	if t.FS != nil {
		if err := f.list(); err != nil {
			return nil, fmt.Errorf("%s: %w", t.Path, err)
		}
	}
	if t.Manifest == "" {
		return f, nil
	}
	f.File = f.Show(t.Manifest)
	f.Data = t.Text
	if f.Data == nil {
		var err error
		if f.Data, err = fs.ReadFile(t.FS, t.Manifest); err != nil {
			return nil, fmt.Errorf("%s: %w", f.File, err)
		}
	}
	// The folder gives the default name, however the path is shown.
	doc, err := metadata.Parse(path.Join(t.Name, t.Manifest), f.Data, nil)
	f.Doc = doc
	errors.As(err, &f.Err)
	return f, nil
}

// list fills in Files.
func (f *Folder) list() error {
	return fs.WalkDir(f.FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == ".git" || d.Name() == "node_modules" {
				return fs.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		f.Files = append(f.Files, File{Name: name, Size: info.Size(), Mode: info.Mode()})
		return nil
	})
}

func (f *Folder) readText(name string) (string, bool) {
	if text, ok := f.texts[name]; ok {
		return text, text != ""
	}
	f.texts[name] = ""
	if f.FS == nil {
		return "", false
	}
	if info, err := fs.Stat(f.FS, name); err != nil || !info.Mode().IsRegular() || info.Size() > MaxText {
		return "", false
	}
	data, err := fs.ReadFile(f.FS, name)
	if err != nil || !utf8.Valid(data) || slices.Contains(data, 0) {
		return "", false
	}
	f.texts[name] = string(data)
	return string(data), true
}
