package loader_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/loader"
	"github.com/matrix-nexus/skillkit/skills"
)

// marks tells what is in d: "+name", "~name", "-name" and "<name".
func marks(d loader.Diff) []string {
	var out []string
	add := func(mark string, list []*skills.Skill) {
		for _, sk := range list {
			out = append(out, mark+sk.Name)
		}
	}
	add("+", d.Added)
	add("~", d.Changed)
	add("-", d.Removed)
	for _, sh := range d.Shadowed {
		out = append(out, "<"+sh.Name)
	}
	return out
}

// age makes all that is in dir look old, so that it is not read again for
// being young.
func age(t *testing.T, dir string) {
	t.Helper()
	old := time.Now().Add(-time.Hour)
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err == nil {
			err = os.Chtimes(path, old, old)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

func TestReload(t *testing.T) {
	t.Run("portable", func(t *testing.T) { testReload(t, true) })
	t.Run("this system", func(t *testing.T) { testReload(t, false) })
}

func testReload(t *testing.T, portable bool) {
	dir := tree(t, map[string]string{
		"a/SKILL.md": manifest("a"), "g/b/SKILL.md": manifest("b"), "c/SKILL.md": manifest("c"), "v/skill.md": manifest("v"),
	})
	age(t, dir)
	l := loader.New(&loader.Options{Roots: []loader.Root{{Dir: dir}}})
	if portable {
		l.Portable()
	}
	get := func(name string) *skills.Skill {
		t.Helper()
		set, err := l.Skills(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		sk, err := set.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		return sk
	}
	reload := func(want ...string) {
		t.Helper()
		d, err := l.Reload(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, marks(d)); diff != "" {
			t.Errorf("diff (-want +got):\n%s", diff)
		}
		// Whatever the history, the index is that of a new loader.
		set, err := l.Skills(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(describe(loadDir(t, dir), dir), describe(set, dir)); diff != "" {
			t.Errorf("index differs from a fresh one (-fresh +got):\n%s", diff)
		}
	}

	reload("+a", "+b", "+c", "+v")
	a, v := get("a"), get("v")
	before, _ := l.Skills(t.Context())
	reload()
	if after, _ := l.Skills(t.Context()); after != before {
		t.Error("an unchanged tree gives a new set")
	}
	if get("a") != a || get("v") != v {
		t.Error("an unchanged skill is a new one")
	}

	write(t, dir, map[string]string{"g/d/SKILL.md": manifest("d"), "g/h/i/j/SKILL.md": manifest("j")})
	reload("+d", "+j")
	write(t, dir, map[string]string{"c/SKILL.md": manifest("c") + "More.\n"})
	reload("~c")
	write(t, dir, map[string]string{"c/SKILL.md": manifest("c2")})
	reload("+c2", "-c")
	remove(t, filepath.Join(dir, "g", "b"))
	reload("-b")
	remove(t, filepath.Join(dir, "g", "d", "SKILL.md"))
	reload("-d")
	write(t, dir, map[string]string{"z/SKILL.md": manifest("a")})
	reload("<a")
	if get("a") != a {
		t.Error("the first of two lost its name")
	}
	remove(t, filepath.Join(dir, "a"))
	reload("~a") // z has the name now
	write(t, dir, map[string]string{"v/SKILL.md": manifest("exact")})
	reload("+exact", "-v")
	remove(t, filepath.Join(dir, "v", "SKILL.md"))
	reload("+v", "-exact")

	if portable || runtime.GOOS != "linux" {
		return // the number of a file is not known
	}
	// Atomic saves: a new file of the same size and time takes the place.
	age(t, dir)
	reload("~a", "~c2", "~j", "~v") // touched
	reload()
	write(t, dir, map[string]string{"z/new": manifest("b")})
	age(t, dir)
	if err := os.Rename(filepath.Join(dir, "z", "new"), filepath.Join(dir, "z", "SKILL.md")); err != nil {
		t.Fatal(err)
	}
	d, err := l.Reload(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := marks(d); !slices.Contains(got, "+b") || !slices.Contains(got, "-a") {
		t.Errorf("diff %v, want +b and -a", got)
	}
}

// A file that is written twice within the tick of its file system is noticed.
func TestReloadSameTick(t *testing.T) {
	dir := tree(t, map[string]string{"a/SKILL.md": manifest("a")})
	l := loader.New(&loader.Options{Roots: []loader.Root{{Dir: dir}}})
	for i := range 50 {
		name := strconv.Itoa(1000 + i) // of one size
		path := filepath.Join(dir, "a", "SKILL.md")
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir, map[string]string{"a/SKILL.md": manifest(name)})
		if i > 0 {
			if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := l.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		set, _ := l.Skills(t.Context())
		if _, err := set.Get(name); err != nil {
			t.Fatal(err)
		}
	}
}

func TestB47MomentarilyBroken(t *testing.T) {
	dir := tree(t, map[string]string{"a/SKILL.md": manifest("a"), "b/SKILL.md": manifest("b"), "c/SKILL.md": manifest("c")})
	l := loader.New(&loader.Options{Roots: []loader.Root{{Dir: dir}}})
	set, err := l.Skills(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a, _ := set.Get("a")
	b, _ := set.Get("b")
	if _, err := a.Body(); err != nil {
		t.Fatal(err)
	}
	write(t, dir, map[string]string{"a/SKILL.md": "---\nname: a\ndescri", "b/SKILL.md": ""})
	for range 2 {
		if _, err := l.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		set, _ = l.Skills(t.Context())
		want := []string{"a a", "b b", "c c",
			"! last-good a/SKILL.md", "! unclosed-frontmatter a/SKILL.md",
			"! last-good b/SKILL.md", "! no-frontmatter b/SKILL.md"}
		if diff := cmp.Diff(want, describe(set, dir)); diff != "" {
			t.Errorf("mismatch (-want +got):\n%s", diff)
		}
	}
	if got, _ := set.Get("a"); got != a {
		t.Error("the last good skill is another one")
	}
	if body, err := a.Body(); err != nil || body != "Body of a.\n" {
		t.Errorf("Body that had been read = %q, %v", body, err)
	}
	if body, err := b.Body(); err == nil {
		t.Errorf("Body that had not been read = %q", body)
	}
	write(t, dir, map[string]string{"a/SKILL.md": manifest("a") + "Mended.\n"})
	remove(t, filepath.Join(dir, "b"))
	d, err := l.Reload(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"~a", "-b"}, marks(d)); diff != "" {
		t.Errorf("diff (-want +got):\n%s", diff)
	}
	set, _ = l.Skills(t.Context())
	if diff := cmp.Diff([]string{"a a", "c c"}, describe(set, dir)); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

func TestCase133ReloadFails(t *testing.T) {
	dir := tree(t, map[string]string{"a/SKILL.md": manifest("a")})
	l := loader.New(&loader.Options{Roots: []loader.Root{{Dir: dir}}})
	before, err := l.Skills(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if d, err := l.Reload(ctx); !errors.Is(err, context.Canceled) || !d.Empty() {
		t.Errorf("Reload = %v, %v, want the context's error", d, err)
	}
	if after, err := l.Skills(t.Context()); after != before || err != nil {
		t.Errorf("Skills = %v, %v, want the set from before", after, err)
	}
}

func TestReloadUnreadableRoot(t *testing.T) {
	root := &fakeFS{MapFS: bundled("f", "g")}
	l := loader.New(&loader.Options{Roots: []loader.Root{{FS: root}, {FS: bundled("other"), Name: "other"}}})
	if _, err := l.Skills(t.Context()); err != nil {
		t.Fatal(err)
	}
	root.fail(".", errors.New("the disk is gone"))
	d, err := l.Reload(t.Context())
	if err != nil || !d.Empty() {
		t.Errorf("Reload = %v, %v, want what was there", marks(d), err)
	}
	set, _ := l.Skills(t.Context())
	want := []string{"f fs/f", "g fs/g", "other other/other", "! folder-unreadable fs"}
	if diff := cmp.Diff(want, describe(set, "")); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	root.fail(".", nil)
	if _, err := l.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	set, _ = l.Skills(t.Context())
	if diff := cmp.Diff(want[:3], describe(set, "")); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

// Nothing is read once the index is there.
func TestSkillsFromMemory(t *testing.T) {
	dir := tree(t, map[string]string{"a/SKILL.md": manifest("a")})
	l := loader.New(&loader.Options{Roots: []loader.Root{{Dir: dir}}})
	first, err := l.Skills(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	remove(t, dir)
	second, err := l.Skills(t.Context())
	if err != nil || second != first {
		t.Errorf("Skills = %v, %v, want the index in memory", second, err)
	}
	if n := testing.AllocsPerRun(10, func() { l.Skills(t.Context()) }); n != 0 {
		t.Errorf("Skills allocates %v times", n)
	}
}

// All that ask at first get the one index that is built.
func TestSingleFlight(t *testing.T) {
	fsys := &fakeFS{MapFS: bundled("a", "b")}
	l := loader.New(&loader.Options{Roots: []loader.Root{{FS: fsys}}})
	sets := make([]*skills.Set, 16)
	var wg sync.WaitGroup
	for i := range sets {
		wg.Go(func() { sets[i], _ = l.Skills(t.Context()) })
	}
	wg.Wait()
	for _, set := range sets {
		if set != sets[0] || set.Len() != 2 {
			t.Fatalf("different sets: %v", sets)
		}
	}
	if n := fsys.opened(); n != 2 {
		t.Errorf("%d files were opened, want each of two once", n)
	}
}

// Readers, reloads and changes at the same time, for the race detector.
func TestConcurrentReload(t *testing.T) {
	dir := tree(t, map[string]string{"a/SKILL.md": manifest("a"), "b/SKILL.md": manifest("b")})
	l := loader.New(&loader.Options{Roots: []loader.Root{{Dir: dir}}})
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				set, err := l.Skills(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				for sk := range set.All() {
					sk.Manifest()
					sk.Body()
				}
				if _, err := set.Get("a"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	var writers sync.WaitGroup
	for w := range 2 {
		writers.Go(func() {
			for i := range 50 {
				name := "w" + strconv.Itoa(w)
				write(t, dir, map[string]string{name + "/SKILL.md": manifest(name + "-" + strconv.Itoa(i))})
				if _, err := l.Reload(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	close(stop)
	readers.Wait()
	set, _ := l.Skills(t.Context())
	if diff := cmp.Diff([]string{"a a", "b b", "w0-49 w0", "w1-49 w1"}, describe(set, dir)); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}
