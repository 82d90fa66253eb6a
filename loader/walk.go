package loader

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/skills"
)

// MaxDepth is how many folders below its root a skill may lie. Real trees
// have at most 7.
const MaxDepth = 8

// An indexed is what a walk found in a root.
type indexed struct {
	set      *skills.Set
	onDisk   bool
	entries  []*entry
	problems []metadata.Problem // sorted, without those of the entries
	// folders are the paths, as shown, of the folders that were listed;
	// together with those of the entries, what a watcher has to watch. Nil when
	// nobody watches.
	folders []string
	// kept is how many entries are as they were in the walk before.
	kept int
	// rootErr is why the root itself could not be listed, or nil.
	rootErr error
	// blind means that there are links to what sends no events.
	blind bool
}

// An entry is a folder with a manifest file. An index holds many, so it is kept
// small.
type entry struct {
	stamp   stamp
	exact   bool // the file is named skills.FileName
	settled bool // while the stamp stays, the file does
	skill   *skills.Skill
	faulty  *faults // nil if there is nothing wrong, and then there is a skill
}

// faults are what is wrong with an entry.
type faults struct {
	path     string // as shown
	problems []metadata.Problem
}

// path returns the path of the folder, as shown.
func (e *entry) path() string {
	if e.skill != nil {
		return e.skill.Dir
	}
	return e.faulty.path
}

func (e *entry) problems() []metadata.Problem {
	if e.faulty == nil {
		return nil
	}
	return e.faulty.problems
}

// An area is a tree within a root: the root itself, or what a link in it
// leads to.
type area struct {
	*place
	tree
	shown  string // the path of its top
	prefix int    // length of shown and the separator after it
	depth  int    // of its top below the root
	// The top is the folder base, slash-separated, in the folder anchor,
	// which has no links in its path; the tree starts at anchor.
	anchor, base string
}

func (p *place) area(t tree, shown string, depth int, anchor, base string) *area {
	prefix := len(shown) + 1
	if os.IsPathSeparator(shown[len(shown)-1]) {
		prefix--
	}
	return &area{place: p, tree: t, shown: shown, prefix: prefix, depth: depth, anchor: anchor, base: base}
}

// rel returns the path within the tree of what is shown as path.
func (a *area) rel(path string) string {
	if len(path) <= a.prefix { // the prefix of a top like "/" is all of it
		return a.base
	}
	rel := path[a.prefix:]
	if a.FS == nil {
		rel = filepath.ToSlash(rel)
	}
	if a.base != "." {
		rel = a.base + "/" + rel
	}
	return rel
}

// join returns the path shown for name in dir.
func (a *area) join(dir, name string) string {
	sep := "/"
	if a.FS == nil {
		sep = string(os.PathSeparator)
	}
	if len(dir) == a.prefix { // a top like "/"
		sep = ""
	}
	return dir + sep + name
}

// folder returns the file system of the folder shown as path.
func (a *area) folder(path string) fs.FS {
	if a.FS == nil {
		return folder{&a.anchor, a.rel(path)}
	}
	if links, ok := a.FS.(fs.ReadLinkFS); ok {
		return linkless{links, a.rel(path)}
	}
	sub, err := fs.Sub(a.FS, a.rel(path))
	if err != nil {
		return a.FS // not reached: the path is valid
	}
	return sub
}

// real returns the path without links of what is shown as path.
func (a *area) realPath(path string) string {
	if a.FS != nil {
		return path
	}
	return filepath.Join(a.anchor, filepath.FromSlash(a.rel(path)))
}

// A job is a folder to be looked at.
type job struct {
	path  string
	depth int // below the root
}

// A link is a link to be followed.
type link struct {
	job
	real string // its own path, without links on the way to it
}

// A walk goes through one root.
type walk struct {
	*place
	ctx    context.Context
	before map[string]*entry // by path; nil in a first walk
	since  int64             // files written later are not settled

	mu     sync.Mutex // protects what follows
	more   *sync.Cond // signalled when jobs or active change
	jobs   []job
	active int // workers that may yet add jobs
	found  indexed
	links  []link
	// seen holds the real paths of the folders walked; nil until there are
	// links, since without them no folder can be met twice.
	seen map[string]bool
}

// index walks the root. What is unchanged since before, which may be nil, is
// taken from there.
func (p *place) index(ctx context.Context, before *indexed) (*indexed, error) {
	w := &walk{place: p, ctx: ctx, since: time.Now().Add(-tick).UnixNano()}
	w.more = sync.NewCond(&w.mu)
	w.found.onDisk = p.FS == nil
	if before != nil {
		w.before = make(map[string]*entry, len(before.entries))
		for _, e := range before.entries {
			w.before[e.path()] = e
		}
	}
	top := p.area(p.tree, p.shown, 0, p.real, ".")
	w.run(top)
	if len(w.links) > 0 {
		w.seen = make(map[string]bool)
		for _, path := range w.found.folders {
			w.seen[top.realPath(path)] = true
		}
		for _, e := range w.found.entries {
			w.seen[top.realPath(e.path())] = true
		}
	}
	// Links come after all that is there without them, and in order of their
	// paths, so that of several ways to a folder the same one always counts.
	for len(w.links) > 0 {
		links := w.links
		w.links = nil
		slices.SortFunc(links, func(a, b link) int { return comparePaths(a.path, b.path) })
		for _, l := range links {
			w.follow(l)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if p.watchers.Load() == 0 {
		w.found.folders = nil
	}
	slices.SortFunc(w.found.problems, metadata.Problem.Compare)
	return &w.found, nil
}

// workers is how many goroutines walk; more than a few wait for each other in
// the kernel.
const workers = 4

// run walks an area.
func (w *walk) run(a *area) {
	w.jobs = append(w.jobs, job{a.shown, a.depth})
	var wg sync.WaitGroup
	for range min(workers, runtime.GOMAXPROCS(0)) {
		wg.Go(newVisitor(w, a).work)
	}
	wg.Wait()
}

// follow walks what l leads to.
func (w *walk) follow(l link) {
	refuse := func(severity metadata.Severity, code, message string) {
		w.found.problems = append(w.found.problems,
			metadata.Problem{Code: code, Severity: severity, File: l.path, Message: message})
	}
	if w.FS != nil {
		refuse(metadata.Warning, codeLinkRefused, "is a link, which is not followed here: replace it by the folder")
		return
	}
	target, err := filepath.EvalSymlinks(l.real)
	if err != nil {
		w.found.blind = true
		refuse(metadata.Warning, codeLinkDead, "is a link that leads nowhere: mend or remove it")
		return
	}
	anchor := target
	if w.allowed != nil {
		i := slices.IndexFunc(w.allowed, func(dir string) bool { return within(dir, target) })
		if i < 0 {
			refuse(metadata.Warning, codeLinkRefused,
				"is a link out of the workspace's skills and was not followed: allow its target, or copy the folder")
			return
		}
		anchor = w.allowed[i]
	}
	info, err := os.Stat(target)
	if err == nil && !info.IsDir() {
		refuse(metadata.Info, codeLinkFile, "is a link to a file, where only links to folders are followed")
		return
	}
	var t tree
	if err == nil {
		t, err = w.openTree(anchor)
	}
	if err != nil {
		refuse(metadata.Error, codeFolderRead, "cannot be read: "+cause(err).Error())
		return
	}
	defer t.close()
	base, err := filepath.Rel(anchor, target)
	if err != nil {
		return // not reached: one lies within the other
	}
	w.run(w.area(t, l.path, l.depth, anchor, filepath.ToSlash(base)))
}

// claim reports whether nobody has walked the folder before.
func (w *walk) claim(a *area, path string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.seen == nil {
		return true
	}
	real := a.realPath(path)
	if w.seen[real] {
		return false
	}
	w.seen[real] = true
	return true
}

// take replaces batch by jobs to do, none when the walk is over.
func (w *walk) take(batch []job) []job {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.jobs) == 0 && w.active > 0 {
		w.more.Wait()
	}
	n := len(w.jobs)
	if n == 0 {
		return nil
	}
	// Taking the last ones first keeps the list short.
	from := n - min(max(n/(2*workers), 1), 64)
	batch = append(batch[:0], w.jobs[from:]...)
	clear(w.jobs[from:])
	w.jobs = w.jobs[:from]
	w.active++
	return batch
}

// give says that a batch is done, and what jobs came of it.
func (w *walk) give(jobs []job) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.jobs = append(w.jobs, jobs...)
	w.active--
	if len(w.jobs) > 0 || w.active == 0 {
		w.more.Broadcast()
	}
}

// comparePaths puts paths in the order in which a walk with sorted folders
// would meet them.
func comparePaths(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			continue
		}
		switch {
		case os.IsPathSeparator(a[i]):
			return -1
		case os.IsPathSeparator(b[i]):
			return +1
		}
		return cmp.Compare(a[i], b[i])
	}
	return cmp.Compare(len(a), len(b))
}

// makeSet returns the skills found.
func (x *indexed) makeSet() *skills.Set {
	list := make([]*skills.Skill, 0, len(x.entries))
	problems := slices.Clone(x.problems)
	for _, e := range x.entries {
		if e.skill != nil {
			list = append(list, e.skill)
		}
		problems = append(problems, e.problems()...)
	}
	slices.SortFunc(list, func(a, b *skills.Skill) int {
		if c := cmp.Compare(a.Name, b.Name); c != 0 {
			return c
		}
		return comparePaths(a.Dir, b.Dir)
	})
	return skills.NewSet(list, problems)
}

// same reports whether a walk found what the one before had found.
func (x *indexed) same(before *indexed) bool {
	return x.kept == len(x.entries) && x.kept == len(before.entries) && slices.Equal(x.problems, before.problems)
}

// blinded returns x for a root that cannot be read now, from which no events
// are to be expected.
func (x *indexed) blinded() *indexed {
	y := *x
	y.blind = true
	return &y
}
