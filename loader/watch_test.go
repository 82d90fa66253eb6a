package loader_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/loader"
)

// A watching is a running Watch.
type watching struct {
	*loader.Loader
	diffs chan loader.Diff
	ended chan error
	stop  context.CancelFunc
}

func start(t *testing.T, l *loader.Loader) *watching {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	w := &watching{Loader: l, diffs: make(chan loader.Diff, 1000), ended: make(chan error, 1), stop: cancel}
	go func() { w.ended <- l.Watch(ctx, func(d loader.Diff) { w.diffs <- d }) }()
	t.Cleanup(func() {
		cancel()
		if err := <-w.ended; !errors.Is(err, context.Canceled) {
			t.Errorf("Watch = %v, want the context's error", err)
		}
	})
	return w
}

// wait waits until the index holds exactly the skills named.
func (w *watching) wait(t *testing.T, want ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var have []string
	for {
		if set, err := w.Skills(ctx); err == nil {
			have = nil
			for sk := range set.All() {
				have = append(have, sk.Name)
			}
			if slices.Equal(have, want) {
				return
			}
		}
		select {
		case <-w.diffs:
		case <-ctx.Done():
			t.Fatalf("the index holds %v, want %v", have, want)
		}
	}
}

// watched returns options under which only events help.
func watched(roots ...loader.Root) *loader.Options {
	return &loader.Options{Roots: roots, Debounce: time.Millisecond, Poll: time.Hour}
}

func TestWatch(t *testing.T) {
	dir := tree(t, map[string]string{"r/a/SKILL.md": manifest("a"), "r/g/": ""})
	r := filepath.Join(dir, "r")
	w := start(t, loader.New(watched(loader.Root{Dir: r})))
	w.wait(t, "a")
	write(t, r, map[string]string{"b/SKILL.md": manifest("b")})
	w.wait(t, "a", "b")
	write(t, r, map[string]string{"g/h/i/c/SKILL.md": manifest("c")})
	w.wait(t, "a", "b", "c")
	write(t, r, map[string]string{"b/SKILL.md": manifest("b2")})
	w.wait(t, "a", "b2", "c")

	t.Run("B47 saved by renaming", func(t *testing.T) {
		write(t, r, map[string]string{"b/.SKILL.md.tmp": manifest("b3")})
		if err := os.Rename(filepath.Join(r, "b", ".SKILL.md.tmp"), filepath.Join(r, "b", "SKILL.md")); err != nil {
			t.Fatal(err)
		}
		w.wait(t, "a", "b3", "c")
	})
	t.Run("B47 half written", func(t *testing.T) {
		write(t, r, map[string]string{"b/SKILL.md": "---\nname: b"})
		write(t, r, map[string]string{"d/SKILL.md": manifest("d")})
		w.wait(t, "a", "b3", "c", "d")
		write(t, r, map[string]string{"b/SKILL.md": manifest("b4")})
		w.wait(t, "a", "b4", "c", "d")
	})
	t.Run("folder renamed, and written in its new place", func(t *testing.T) {
		if err := os.Rename(filepath.Join(r, "g"), filepath.Join(r, "k")); err != nil {
			t.Fatal(err)
		}
		write(t, r, map[string]string{"k/h/i/e/SKILL.md": manifest("e")})
		w.wait(t, "a", "b4", "c", "d", "e")
		write(t, r, map[string]string{"k/h/i/e/SKILL.md": manifest("e2")})
		w.wait(t, "a", "b4", "c", "d", "e2")
	})
	t.Run("folder removed and made again", func(t *testing.T) {
		remove(t, filepath.Join(r, "k"))
		w.wait(t, "a", "b4", "d")
		write(t, r, map[string]string{"k/f/SKILL.md": manifest("f")})
		w.wait(t, "a", "b4", "d", "f")
		write(t, r, map[string]string{"k/f/SKILL.md": manifest("f2")})
		w.wait(t, "a", "b4", "d", "f2")
	})
	t.Run("B47 root removed and made again", func(t *testing.T) {
		remove(t, r)
		w.wait(t)
		write(t, r, map[string]string{"n/SKILL.md": manifest("n")})
		w.wait(t, "n")
	})
}

func TestB47WatchRootCreatedLater(t *testing.T) {
	dir := t.TempDir()
	w := start(t, loader.New(watched(loader.Root{Dir: filepath.Join(dir, "x", "y", "skills")})))
	w.wait(t)
	write(t, dir, map[string]string{"x/y/skills/a/SKILL.md": manifest("a")})
	w.wait(t, "a")
	write(t, dir, map[string]string{"x/y/skills/a/SKILL.md": manifest("a2")})
	w.wait(t, "a2")
}

// A watch belongs to a folder, not to a path: two paths may share it, and one
// path may come to lead to another folder.
func TestWatchPathsOfOneFolder(t *testing.T) {
	t.Run("link moved here from elsewhere", func(t *testing.T) {
		dir := tree(t, map[string]string{
			"v1/x/SKILL.md": manifest("x1"), "v2/x/SKILL.md": manifest("x2"), "r/lnk": "-> ../v1", "next": "-> v2",
		})
		w := start(t, loader.New(watched(loader.Root{Dir: filepath.Join(dir, "r")})))
		w.wait(t, "x1")
		// Nothing but a link of that name appears in r.
		remove(t, filepath.Join(dir, "next"))
		if err := os.Symlink("../v2", filepath.Join(dir, "next")); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(dir, "next"), filepath.Join(dir, "r", "lnk")); err != nil {
			t.Fatal(err)
		}
		w.wait(t, "x2")
		write(t, dir, map[string]string{"v2/y/SKILL.md": manifest("y")})
		w.wait(t, "x2", "y")
		write(t, dir, map[string]string{"v2/x/SKILL.md": manifest("x3")})
		w.wait(t, "x3", "y")
	})
	t.Run("link to a folder that is watched, then given up", func(t *testing.T) {
		dir := tree(t, map[string]string{
			"v1/x/SKILL.md": manifest("x"), "v2/y/SKILL.md": manifest("y"), "r/lnk": "-> ../v1",
		})
		r := filepath.Join(dir, "r")
		w := start(t, loader.New(watched(loader.Root{Dir: r}, loader.Root{Dir: filepath.Join(dir, "v2")})))
		w.wait(t, "x", "y")
		remove(t, filepath.Join(r, "lnk"))
		if err := os.Symlink("../v2", filepath.Join(r, "lnk")); err != nil {
			t.Fatal(err)
		}
		write(t, r, map[string]string{"z/SKILL.md": manifest("z")})
		w.wait(t, "y", "z")
		write(t, r, map[string]string{"SKILL.md": manifest("r")}) // lnk is now part of a skill
		w.wait(t, "r", "y")
		write(t, dir, map[string]string{"v2/w/SKILL.md": manifest("w")})
		w.wait(t, "r", "w", "y")
	})
}

func TestB47WatchLinks(t *testing.T) {
	dir := tree(t, map[string]string{
		"real/SKILL.md": manifest("a"), "r/lnk": "-> ../real", "v1/x/SKILL.md": manifest("x1"), "v2/x/SKILL.md": manifest("x2"),
		"current": "-> v1",
	})
	w := start(t, loader.New(watched(loader.Root{Dir: filepath.Join(dir, "r")}, loader.Root{Dir: filepath.Join(dir, "current")})))
	w.wait(t, "a", "x1")
	write(t, dir, map[string]string{"r/lnk/SKILL.md": manifest("a2")})
	w.wait(t, "a2", "x1")
	write(t, dir, map[string]string{"real/SKILL.md": manifest("a3")})
	w.wait(t, "a3", "x1")
	// The root is led elsewhere, in the way of deployments.
	write(t, dir, map[string]string{"next": "-> v2"})
	if err := os.Rename(filepath.Join(dir, "next"), filepath.Join(dir, "current")); err != nil {
		t.Fatal(err)
	}
	w.wait(t, "a3", "x2")
}

// A skill that appears between a walk and its watches is never missed.
func TestWatchGap(t *testing.T) {
	dir := tree(t, map[string]string{"g/": ""})
	l := loader.New(watched(loader.Root{Dir: dir}))
	var mu sync.Mutex
	next := 0
	l.OnWalk(func() {
		mu.Lock()
		defer mu.Unlock()
		if next < 200 {
			// A folder that has no watch yet, in one that may have none.
			name := strconv.Itoa(1000 + next)
			write(t, dir, map[string]string{"g/" + name + "/sub/s/SKILL.md": manifest(name)})
			next++
		}
	})
	var want []string
	for i := range 200 {
		want = append(want, strconv.Itoa(1000+i))
	}
	w := start(t, l)
	w.wait(t, want...)
}

// The same from outside: the file appears at any moment of the start.
func TestWatchStart(t *testing.T) {
	dir := t.TempDir()
	for i := range 200 {
		root := filepath.Join(dir, strconv.Itoa(i))
		write(t, root, map[string]string{"a/SKILL.md": manifest("a"), "g/": ""})
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		found := make(chan bool)
		go func() {
			defer close(found)
			err := loader.New(watched(loader.Root{Dir: root})).Watch(ctx, func(d loader.Diff) {
				for _, sk := range d.Added {
					if sk.Name == "late" {
						cancel()
					}
				}
			})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("round %d: Watch = %v: the skill was missed", i, err)
			}
		}()
		write(t, root, map[string]string{"g/late/SKILL.md": manifest("late")})
		<-found
		cancel()
		if t.Failed() {
			return
		}
	}
}

// Where there are no events Watch polls. No time passes in this test.
func TestWatchPolls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fsys := &fakeFS{MapFS: bundled("a")}
		l := loader.New(&loader.Options{Roots: []loader.Root{{FS: fsys}}, Poll: time.Minute})
		l.NoEvents()
		ctx, cancel := context.WithCancel(t.Context())
		diffs := make(chan []string, 10)
		ended := make(chan error)
		go func() { ended <- l.Watch(ctx, func(d loader.Diff) { diffs <- marks(d) }) }()
		synctest.Wait()
		if diff := cmp.Diff([]string{"+a"}, <-diffs); diff != "" {
			t.Errorf("at first (-want +got):\n%s", diff)
		}
		fsys.replace(bundled("a", "b"))
		time.Sleep(30 * time.Second)
		synctest.Wait()
		if len(diffs) > 0 {
			t.Errorf("before the time: %v", <-diffs)
		}
		time.Sleep(31 * time.Second)
		synctest.Wait()
		if diff := cmp.Diff([]string{"+b"}, <-diffs); diff != "" {
			t.Errorf("after the time (-want +got):\n%s", diff)
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("Watch = %v", err)
		}
	})
}

// A burst of events is one rescan.
func TestWatchDebounce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fsys := &fakeFS{MapFS: bundled("a")}
		l := loader.New(&loader.Options{Roots: []loader.Root{{FS: fsys}}, Debounce: time.Second, Poll: time.Hour})
		event, overflow := l.FakeEvents()
		var walks atomic.Int32
		l.OnWalk(func() { walks.Add(1) })
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- l.Watch(ctx, func(loader.Diff) {}) }()
		expect := func(want int32, when string) {
			t.Helper()
			synctest.Wait()
			if got := walks.Load(); got != want {
				t.Errorf("%s: %d walks, want %d", when, got, want)
			}
		}
		expect(1, "at first")
		for range 5 {
			event()
			time.Sleep(900 * time.Millisecond)
		}
		expect(1, "during the burst")
		time.Sleep(time.Second)
		expect(2, "after the burst")
		for range 20 {
			event()
			time.Sleep(900 * time.Millisecond)
		}
		expect(3, "a burst without end")
		time.Sleep(2 * time.Second)
		expect(4, "after the second burst")
		fsys.replace(bundled("a", "b"))
		overflow()
		time.Sleep(2 * time.Second)
		expect(5, "after an overflow")
		cancel()
		<-ended
	})
}

func TestWatchMalformedGlob(t *testing.T) {
	err := loader.New(&loader.Options{Exclude: []string{"[a"}}).Watch(t.Context(), func(loader.Diff) {})
	if err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("Watch = %v, want the malformed glob", err)
	}
}

func (f *fakeFS) replace(files fstest.MapFS) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.MapFS = maps.Clone(files)
}

// A folder that is removed and made again before the rescan has lost its
// watch, though it seems to have been there all the time.
func TestWatchReplacedFolder(t *testing.T) {
	dir := tree(t, map[string]string{"a/SKILL.md": manifest("a")})
	w := start(t, loader.New(&loader.Options{Roots: []loader.Root{{Dir: dir}}, Debounce: 300 * time.Millisecond, Poll: time.Hour}))
	w.wait(t, "a")
	write(t, dir, map[string]string{"b/SKILL.md": manifest("b")})
	w.wait(t, "a", "b") // so that everything is watched by now
	remove(t, filepath.Join(dir, "a"))
	write(t, dir, map[string]string{"a/SKILL.md": manifest("a2")})
	w.wait(t, "a2", "b")
	write(t, dir, map[string]string{"a/SKILL.md": manifest("a3")})
	w.wait(t, "a3", "b")
}
