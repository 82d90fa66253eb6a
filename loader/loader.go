package loader

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/skills"
)

// A Loader holds an index of the skills under its roots. It is safe for
// concurrent use: readers of the index never wait for a rescan.
type Loader struct {
	opts Options
	meta *metadata.Options

	// scanning is held, by having sent to it, by who walks the roots.
	scanning chan struct{}
	current  atomic.Pointer[snapshot] // nil until the first index is built
	watchers atomic.Int32             // running calls of Watch

	// For tests: what opens a folder, what makes a watcher, and what Watch
	// calls after each walk.
	openTree   func(dir string) (tree, error)
	newWatcher func() (*watcher, error)
	walked     func()
}

// A snapshot is an index and what it was made from. It does not change.
type snapshot struct {
	set   *skills.Set
	roots map[rootKey]*indexed
	// problems are those of the roots as a whole.
	problems []metadata.Problem
	// absent are the roots that were not there, or could not be opened.
	absent []string
}

// A rootKey tells one root from another, which may have the same path.
type rootKey struct {
	place int    // in Options.Roots; len(Roots) is the workspace
	shown string // its path
}

// basePlace is the place of the base set.
const basePlace = -1

// New returns a loader, which reads nothing until it is asked.
func New(opts *Options) *Loader {
	l := &Loader{scanning: make(chan struct{}, 1), openTree: openTree, newWatcher: newWatcher, walked: func() {}}
	if opts != nil {
		l.opts = *opts
	}
	o := &l.opts
	if o.Lookup == nil {
		o.Lookup = func(string) (string, bool) { return "", false }
	}
	if o.Debounce <= 0 {
		o.Debounce = 100 * time.Millisecond
	}
	if o.Poll <= 0 {
		o.Poll = 2 * time.Second
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Roots = slices.Clone(o.Roots)
	o.WorkspaceAllow = slices.Clone(o.WorkspaceAllow)
	o.Exclude = slices.Clone(o.Exclude)
	l.meta = &metadata.Options{NoVendorAliases: o.NoVendorAliases}
	return l
}

// LoadWorkspace returns the skills in the subfolder "skills" of the workspace
// dir alone; lay them over others with [skills.Merge]. Of opts, which may be
// nil, it does not use what names a base set, roots or a workspace.
func LoadWorkspace(ctx context.Context, dir string, opts *Options) (*skills.Set, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	o.NoBase, o.Roots, o.Workspace = true, nil, dir
	return New(&o).Skills(ctx)
}

// Skills returns the index. The first call builds it, others wait for that;
// later calls answer from memory without a system call, until [Loader.Reload]
// or [Loader.Watch] puts a new index in place. The error is that of ctx, or
// says that a glob in [Options.Exclude] is malformed: what is wrong with a
// root or a skill is a problem of the set.
func (l *Loader) Skills(ctx context.Context) (*skills.Set, error) {
	if s := l.current.Load(); s != nil {
		return s.set, nil
	}
	if err := l.lock(ctx); err != nil {
		return nil, err
	}
	defer l.unlock()
	if s := l.current.Load(); s != nil {
		return s.set, nil
	}
	s, err := l.scan(ctx, nil)
	if err != nil {
		return nil, err
	}
	l.current.Store(s)
	return s.set, nil
}

// Reload walks all roots again and puts the new index in place in one step.
// Files whose size, times and number are unchanged are not read again, and
// keep their [skills.Skill]. A skill whose manifest file is broken keeps its
// last good header, with a problem, until the file is mended or gone; so do
// the skills of a root that cannot be read. When Reload fails, the index stays
// as it was. The errors are those of [Loader.Skills].
func (l *Loader) Reload(ctx context.Context) (Diff, error) {
	if err := l.lock(ctx); err != nil {
		return Diff{}, err
	}
	defer l.unlock()
	before := l.current.Load()
	after, err := l.scan(ctx, before)
	if err != nil {
		return Diff{}, err
	}
	l.current.Store(after)
	if before == nil {
		return diff(nil, after.set), nil
	}
	return diff(before.set, after.set), nil
}

func (l *Loader) lock(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case l.scanning <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *Loader) unlock() { <-l.scanning }

// A Diff says what a rescan changed. Each list is sorted by name.
type Diff struct {
	Added   []*skills.Skill
	Changed []*skills.Skill // whose manifest file was written, or whose name another folder won
	Removed []*skills.Skill // as they were
	// Shadowed are the skills that newly lost their name.
	Shadowed []skills.Shadow
}

// Empty reports whether nothing changed.
func (d Diff) Empty() bool {
	return len(d.Added)+len(d.Changed)+len(d.Removed)+len(d.Shadowed) == 0
}

func diff(before, after *skills.Set) Diff {
	var d Diff
	if before == after {
		return d
	}
	old := slices.Collect(before.All())
	for sk := range after.All() {
		for len(old) > 0 && old[0].Name < sk.Name {
			d.Removed, old = append(d.Removed, old[0]), old[1:]
		}
		if len(old) == 0 || old[0].Name != sk.Name {
			d.Added = append(d.Added, sk)
			continue
		}
		if old[0] != sk {
			d.Changed = append(d.Changed, sk)
		}
		old = old[1:]
	}
	d.Removed = append(d.Removed, old...)
	known := make(map[string]bool)
	for _, sh := range before.Shadowed() {
		known[sh.Loser.Path()] = true
	}
	for _, sh := range after.Shadowed() {
		if !known[sh.Loser.Path()] {
			d.Shadowed = append(d.Shadowed, sh)
		}
	}
	return d
}

// scan walks all roots. What is unchanged since before, which may be nil, is
// taken from there.
func (l *Loader) scan(ctx context.Context, before *snapshot) (*snapshot, error) {
	for _, glob := range l.opts.Exclude {
		if !doublestar.ValidatePattern(glob) {
			return nil, fmt.Errorf("loader: exclude %q: %w", glob, doublestar.ErrBadPattern)
		}
	}
	if before == nil {
		before = new(snapshot)
	}
	s := &scan{Loader: l, ctx: ctx, before: before, after: &snapshot{roots: make(map[rootKey]*indexed)}}
	if !l.opts.NoBase {
		if err := s.base(); err != nil {
			return nil, err
		}
	}
	for i, r := range l.opts.Roots {
		if r.Source == "" {
			r.Source = skills.Extra
		}
		if _, err := s.add(i, r); err != nil {
			return nil, err
		}
	}
	if l.opts.Workspace != "" {
		r := Root{Dir: filepath.Join(l.opts.Workspace, "skills"), Source: skills.Workspace}
		if _, err := s.add(len(l.opts.Roots), r); err != nil {
			return nil, err
		}
	}
	return s.finish(), nil
}

// A scan is one walk over all roots.
type scan struct {
	*Loader
	ctx    context.Context
	before *snapshot
	after  *snapshot

	layers []layer // in rising precedence
}

// A layer is the skills of a root.
type layer struct {
	dir string // the root, if it is a folder of the operating system
	set *skills.Set
}

// base adds the first source of the base set that holds a SKILL.md.
func (s *scan) base() error {
	if dir, ok := s.opts.Lookup(EnvDir); ok && dir != "" {
		n := len(s.after.problems)
		found, err := s.add(basePlace, Root{Dir: dir, Source: skills.Env})
		if found || err != nil {
			return err
		}
		s.after.problems = s.after.problems[:n]
		s.problem(codeEnvDir, metadata.Warning, dir,
			"$"+EnvDir+" names no folder with a SKILL.md: correct or unset it (the next source of the base set is used)")
	}
	if s.opts.Runtime != "" {
		n := len(s.after.problems)
		found, err := s.add(basePlace, Root{Dir: filepath.Join(s.opts.Runtime, "skills"), Source: skills.Bundled})
		if found || err != nil {
			return err
		}
		s.after.problems = s.after.problems[:n] // not there is not a fault
	}
	if s.opts.Bundled != nil {
		_, err := s.add(basePlace, Root{FS: s.opts.Bundled, Name: "bundled", Source: skills.Bundled})
		return err
	}
	return nil
}

// add walks one root and lays its skills over the others. It reports whether
// there was any SKILL.md.
func (s *scan) add(place int, r Root) (bool, error) {
	p, err := s.open(r)
	if err != nil {
		f, ok := errors.AsType[*fault](err)
		if !ok {
			return false, err
		}
		s.problem(f.code, f.severity, f.path, f.message)
		key := rootKey{place, f.path}
		if before := s.before.roots[key]; before != nil && f.code == codeRootRead {
			return s.lay(key, before.blinded()), nil // for the time being
		}
		return false, nil
	}
	defer p.tree.close()
	key := rootKey{place, p.shown}
	before := s.before.roots[key]
	x, err := p.index(s.ctx, before)
	if err != nil {
		return false, err
	}
	if x.rootErr != nil && before != nil {
		s.after.problems = append(s.after.problems, x.problems...)
		x = before.blinded()
	} else if before != nil && x.same(before) {
		x.set = before.set
	} else {
		x.set = x.makeSet()
	}
	return s.lay(key, x), nil
}

// lay lays the skills of a root over the others. A folder that is given twice
// counts where it is given last: a skill does not shadow itself.
func (s *scan) lay(key rootKey, x *indexed) bool {
	s.after.roots[key] = x
	l := layer{set: x.set}
	if x.onDisk {
		l.dir = key.shown
		s.layers = slices.DeleteFunc(s.layers, func(o layer) bool { return o.dir == l.dir })
	}
	s.layers = append(s.layers, l)
	return len(x.entries) > 0
}

// finish lays the sets over each other.
func (s *scan) finish() *snapshot {
	if len(s.after.problems) > 0 {
		s.layers = append(s.layers, layer{set: skills.NewSet(nil, slices.Clone(s.after.problems))})
	}
	unchanged := s.before.set != nil && slices.Equal(s.before.problems, s.after.problems) && maps.EqualFunc(s.before.roots, s.after.roots,
		func(a, b *indexed) bool { return a.set == b.set })
	switch {
	case unchanged:
		s.after.set = s.before.set
	case len(s.layers) == 1:
		s.after.set = s.layers[0].set
	default:
		for _, l := range s.layers {
			s.after.set = skills.Merge(s.after.set, l.set)
		}
	}
	return s.after
}
