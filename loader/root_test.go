package loader_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"testing"
	"testing/fstest"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/loader"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/skills"
)

// env returns a look-up of the given variables.
func env(vars map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := vars[name]
		return v, ok
	}
}

func home(dir string) map[string]string {
	return map[string]string{"HOME": dir, "USERPROFILE": dir}
}

func bundled(names ...string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for _, name := range names {
		fsys[name+"/SKILL.md"] = &fstest.MapFile{Data: []byte(manifest(name))}
	}
	return fsys
}

func TestBase(t *testing.T) {
	dir := tree(t, map[string]string{
		"env/a/SKILL.md":         manifest("of-env"),
		"empty/x/README.md":      "no skill",
		"broken/a/SKILL.md":      "no header",
		"rt/skills/a/SKILL.md":   manifest("of-runtime"),
		"bare/skills/":           "",
		"home/sk/a/SKILL.md":     manifest("of-home"),
		"file":                   "not a folder",
		"home/dev/sk/b/SKILL.md": manifest("deeper"),
	})
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, tt := range []struct {
		name    string
		env     string // of loader.EnvDir; "" is unset
		runtime string
		want    []string
	}{
		{"environment first", in("env"), in("rt"), []string{"of-env env/a"}},
		{"missing: a problem, and the next", in("missing"), in("rt"),
			[]string{"of-runtime rt/skills/a", "! env-dir-unusable missing"}},
		{"without a SKILL.md", in("empty"), in("rt"),
			[]string{"of-runtime rt/skills/a", "! env-dir-unusable empty"}},
		{"not a folder", in("file"), in("rt"),
			[]string{"of-runtime rt/skills/a", "! env-dir-unusable file"}},
		{"holds only a broken one", in("broken"), in("rt"), []string{"! no-frontmatter broken/a/SKILL.md"}},
		{"unset", "", in("rt"), []string{"of-runtime rt/skills/a"}},
		{"no runtime", "", "", []string{"of-bundle bundled/of-bundle"}},
		{"runtime without skills", "", in("bare"), []string{"of-bundle bundled/of-bundle"}},
		{"runtime missing", "", in("missing"), []string{"of-bundle bundled/of-bundle"}},
		{"B39 tilde in the environment", "~/sk", "", []string{"of-home home/sk/a"}},
		{"B39 tilde, trailing slash", "~/dev/sk/", "", []string{"deeper home/dev/sk/b"}},
		{"B39 user's tilde", "~bob/sk", "", []string{"of-bundle bundled/of-bundle", "! env-dir-unusable ~bob/sk"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			vars := home(in("home"))
			if tt.env != "" {
				vars[loader.EnvDir] = tt.env
			}
			set := load(t, &loader.Options{Lookup: env(vars), Runtime: tt.runtime, Bundled: bundled("of-bundle")})
			if diff := cmp.Diff(tt.want, describe(set, dir)); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBaseOrigins(t *testing.T) {
	dir := tree(t, map[string]string{"ws/skills/w/SKILL.md": manifest("w"), "x/x/SKILL.md": manifest("x")})
	set := load(t, &loader.Options{
		Bundled: bundled("b"), Roots: []loader.Root{{Dir: filepath.Join(dir, "x")}}, Workspace: filepath.Join(dir, "ws"),
	})
	want := map[string]skills.Header{
		"b": {Name: "b", Description: "About b.", Dir: "bundled/b", File: "SKILL.md", Root: "bundled", Source: skills.Bundled},
		"x": {Name: "x", Description: "About x.", Dir: filepath.Join(dir, "x", "x"), OnDisk: true, File: "SKILL.md",
			Root: filepath.Join(dir, "x"), Source: skills.Extra},
		"w": {Name: "w", Description: "About w.", Dir: filepath.Join(dir, "ws", "skills", "w"), OnDisk: true, File: "SKILL.md",
			Root: filepath.Join(dir, "ws", "skills"), Source: skills.Workspace},
	}
	got := map[string]skills.Header{}
	for sk := range set.All() {
		got[sk.Name] = sk.Header
		if body, err := sk.Body(); err != nil || body != "Body of "+sk.Name+".\n" {
			t.Errorf("%s: Body = %q, %v", sk.Name, body, err)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
}

func TestLayers(t *testing.T) {
	dir := tree(t, map[string]string{
		"1/x/SKILL.md": manifest("x"), "1/y/SKILL.md": manifest("y"),
		"2/x/SKILL.md":         manifest("x"),
		"ws/skills/y/SKILL.md": manifest("y"), "ws/skills/z/SKILL.md": manifest("z"),
	})
	opts := &loader.Options{
		Bundled:   bundled("x", "q"),
		Roots:     []loader.Root{{Dir: filepath.Join(dir, "1")}, {Dir: filepath.Join(dir, "2")}},
		Workspace: filepath.Join(dir, "ws"),
	}
	t.Run("case 109 B22 the last root wins, without a problem", func(t *testing.T) {
		want := []string{
			"q bundled/q", "x 2/x", "y ws/skills/y", "z ws/skills/z",
			"x 1/x < 2/x", "x bundled/x < 2/x", "y 1/y < ws/skills/y",
		}
		if diff := cmp.Diff(want, describe(load(t, opts), dir)); diff != "" {
			t.Errorf("mismatch (-want +got):\n%s", diff)
		}
	})
	t.Run("no base", func(t *testing.T) {
		o := *opts
		o.NoBase, o.Workspace = true, ""
		want := []string{"x 2/x", "y 1/y", "x 1/x < 2/x"}
		if diff := cmp.Diff(want, describe(load(t, &o), dir)); diff != "" {
			t.Errorf("mismatch (-want +got):\n%s", diff)
		}
	})
	t.Run("LoadWorkspace and Merge", func(t *testing.T) {
		set, err := loader.LoadWorkspace(t.Context(), filepath.Join(dir, "ws"), opts)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"y ws/skills/y", "z ws/skills/z"}, describe(set, dir)); diff != "" {
			t.Errorf("LoadWorkspace (-want +got):\n%s", diff)
		}
		o := *opts
		o.Workspace = ""
		if diff := cmp.Diff(describe(load(t, opts), dir), describe(skills.Merge(load(t, &o), set), dir)); diff != "" {
			t.Errorf("Merge gives something else than Options.Workspace (-want +got):\n%s", diff)
		}
	})
}

func TestRoots(t *testing.T) {
	dir := tree(t, map[string]string{
		"r/a/SKILL.md": manifest("a"), ".claude/skills/x/SKILL.md": manifest("x"), "file": "f", "home/a/SKILL.md": manifest("h"),
	})
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, tt := range []struct {
		name string
		root loader.Root
		want []string
	}{
		{"case 107 missing", loader.Root{Dir: in("missing")}, []string{"! root-missing missing"}},
		{"case 115 hidden folder above", loader.Root{Dir: in(".claude/skills")}, []string{"x .claude/skills/x"}},
		{"a file", loader.Root{Dir: in("file")}, []string{"! root-not-folder file"}},
		{"below a file", loader.Root{Dir: in("file/x")}, []string{"! root-unreadable file/x"}},
		{"trailing slash", loader.Root{Dir: in("r") + "/"}, []string{"a r/a"}},
		{"B39 tilde alone", loader.Root{Dir: "~"}, []string{"h home/a"}},
		{"B39 user's tilde", loader.Root{Dir: "~bob"}, []string{"! root-invalid ~bob"}},
		{"B39 a variable is no variable", loader.Root{Dir: in("$HOME")}, []string{"! root-missing $HOME"}},
		{"no name", loader.Root{}, []string{"! root-invalid "}},
		{"file system", loader.Root{FS: bundled("f"), Name: "mine"}, []string{"f mine/f"}},
		{"file system without a name", loader.Root{FS: bundled("f")}, []string{"f fs/f"}},
		{"file system that is a skill", loader.Root{FS: fstest.MapFS{"SKILL.md": {Data: []byte("---\ndescription: d\n---\n")}}, Name: "one"},
			[]string{"one one"}},
		{"empty file system", loader.Root{FS: fstest.MapFS{}}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set := load(t, &loader.Options{
				Lookup: env(home(in("home"))),
				// Whatever is wrong with a root, the others load.
				Roots: []loader.Root{tt.root},
			})
			if diff := cmp.Diff(tt.want, describe(set, dir)); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
			both := load(t, &loader.Options{
				Lookup: env(home(in("home"))), Roots: []loader.Root{tt.root, {FS: bundled("other")}},
			})
			if _, err := both.Get("other"); err != nil {
				t.Errorf("another root is lost: %v", err)
			}
		})
	}
	t.Run("relative to the working directory", func(t *testing.T) {
		t.Chdir(dir)
		set := loadDir(t, "r")
		wd, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		if sk, err := set.Get("a"); err != nil || sk.Dir != filepath.Join(wd, "r", "a") {
			t.Errorf("Get = %+v, %v, want an absolute path", sk, err)
		}
	})
	t.Run("tilde without a home", func(t *testing.T) {
		p := loadDir(t, "~/x").IndexProblems()
		if len(p) != 1 || p[0].Code != "root-invalid" || p[0].Severity != metadata.Error {
			t.Errorf("problems = %v", p)
		}
	})
	t.Run("missing is a note", func(t *testing.T) {
		p := loadDir(t, in("missing")).IndexProblems()
		if len(p) != 1 || p[0].Severity != metadata.Info {
			t.Errorf("problems = %v, want one of severity info", p)
		}
	})
}

func TestExclude(t *testing.T) {
	dir := tree(t, map[string]string{
		"a/SKILL.md": manifest("a"), "drafts/b/SKILL.md": manifest("b"), "x/test-1/SKILL.md": manifest("c"), "x/d/SKILL.md": manifest("d"),
	})
	set := load(t, &loader.Options{Roots: []loader.Root{{Dir: dir}}, Exclude: []string{"drafts/**", "**/test-*"}})
	if diff := cmp.Diff([]string{"a a", "d x/d"}, describe(set, dir)); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	_, err := loader.New(&loader.Options{Exclude: []string{"[a"}}).Skills(t.Context())
	if !errors.Is(err, doublestar.ErrBadPattern) {
		t.Errorf("Skills with a malformed glob: error %v, want ErrBadPattern", err)
	}
}

// The root of the file system is a root like others, although its path ends
// with a separator.
func TestFilesystemRoot(t *testing.T) {
	root := filepath.VolumeName(t.TempDir()) + string(filepath.Separator)
	set, err := loader.New(&loader.Options{
		Roots:   []loader.Root{{Dir: root}},
		Exclude: []string{"*"},
	}).Skills(t.Context())
	if err != nil || len(set.IndexProblems()) > 0 {
		t.Errorf("got problems %v, error %v", set.IndexProblems(), err)
	}
}

func TestNested(t *testing.T) {
	dir := tree(t, map[string]string{
		"a/SKILL.md": manifest("a"), "a/examples/x/SKILL.md": manifest("x"), "a/node_modules/y/SKILL.md": manifest("y"),
		"b/skill.md": manifest("b"), "b/sub/SKILL.md": manifest("sub"),
	})
	set := load(t, &loader.Options{Roots: []loader.Root{{Dir: dir}}, Nested: true})
	want := []string{"a a", "b b", "sub b/sub", "x a/examples/x", "! file-name-case b/skill.md"}
	if diff := cmp.Diff(want, describe(set, dir)); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

func TestUnreadable(t *testing.T) {
	files := bundled("a", "b", "g/c")
	for _, tt := range []struct {
		path string
		want []string
	}{
		{"g", []string{"a fs/a", "b fs/b", "! folder-unreadable fs/g"}},
		{"b/SKILL.md", []string{"a fs/a", "g/c fs/g/c", "! unreadable fs/b/SKILL.md"}},
		{".", []string{"! folder-unreadable fs"}},
	} {
		t.Run(tt.path, func(t *testing.T) {
			fsys := &fakeFS{MapFS: files}
			fsys.fail(tt.path, fs.ErrPermission)
			set := load(t, &loader.Options{Roots: []loader.Root{{FS: fsys}}})
			if diff := cmp.Diff(tt.want, describe(set, "")); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("on disk", func(t *testing.T) {
		if os.Getuid() == 0 || runtime.GOOS == "windows" {
			t.Skip("needs a user whom modes bind")
		}
		dir := tree(t, map[string]string{"a/SKILL.md": manifest("a"), "g/c/SKILL.md": manifest("c"), "m/SKILL.md": manifest("m")})
		for _, name := range []string{"g", "m/SKILL.md"} {
			full := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.Chmod(full, 0); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.Chmod(full, 0o700) })
		}
		want := []string{"a a", "! folder-unreadable g", "! unreadable m/SKILL.md"}
		if diff := cmp.Diff(want, describe(loadDir(t, dir), dir)); diff != "" {
			t.Errorf("mismatch (-want +got):\n%s", diff)
		}
	})
}

func TestCancelled(t *testing.T) {
	dir := tree(t, map[string]string{"a/SKILL.md": manifest("a")})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l := loader.New(&loader.Options{Roots: []loader.Root{{Dir: dir}}})
	if set, err := l.Skills(ctx); !errors.Is(err, context.Canceled) || set != nil {
		t.Errorf("Skills = %v, %v, want the context's error", set, err)
	}
	if set, err := l.Skills(t.Context()); err != nil || set.Len() != 1 {
		t.Errorf("Skills after a cancelled call = %v, %v", set, err)
	}
}

func TestNilOptions(t *testing.T) {
	if set := load(t, nil); set.Len() != 0 || len(set.IndexProblems()) != 0 {
		t.Errorf("nil options find %v", describe(set, ""))
	}
}

// A name must never lead anywhere: it may hold slashes.
func TestNameIsNoPath(t *testing.T) {
	dir := tree(t, map[string]string{"r/a/SKILL.md": manifest("../../etc"), "etc/SKILL.md": manifest("other")})
	set := loadDir(t, filepath.Join(dir, "r"))
	sk, err := set.Get("../../etc")
	if err != nil {
		t.Fatal(err)
	}
	body, err := sk.Body()
	if err != nil || body != "Body of ../../etc.\n" || path.Base(filepath.ToSlash(sk.Dir)) != "a" {
		t.Errorf("Body = %q, %v in %s", body, err, sk.Dir)
	}
}

// A folder that is given twice counts where it is given last, also when the
// next walk takes over what is unchanged.
func TestRootGivenTwice(t *testing.T) {
	dir := tree(t, map[string]string{"ws/skills/x/SKILL.md": manifest("x")})
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "ws", "skills", "x", "SKILL.md"), old, old); err != nil {
		t.Fatal(err)
	}
	l := loader.New(&loader.Options{
		Roots:     []loader.Root{{Dir: filepath.Join(dir, "ws", "skills")}},
		Workspace: filepath.Join(dir, "ws"),
	})
	for range 2 {
		if d, err := l.Reload(t.Context()); err != nil || len(d.Shadowed) > 0 {
			t.Fatal(d, err)
		}
		set, err := l.Skills(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"x ws/skills/x"}, describe(set, dir)); diff != "" {
			t.Errorf("mismatch (-want +got):\n%s", diff)
		}
		for sk := range set.All() {
			if sk.Source != skills.Workspace {
				t.Errorf("source %s, want that of the last root", sk.Source)
			}
		}
	}
}

// Roots that nobody named are still apart, with files that look the same.
func TestRootsWithoutName(t *testing.T) {
	one := fstest.MapFS{"x/SKILL.md": {Data: []byte(manifest("one"))}}
	two := fstest.MapFS{"x/SKILL.md": {Data: []byte(manifest("two"))}}
	l := loader.New(&loader.Options{Roots: []loader.Root{{FS: one}, {FS: two}}})
	if _, err := l.Skills(t.Context()); err != nil {
		t.Fatal(err)
	}
	two["y/SKILL.md"] = &fstest.MapFile{Data: []byte(manifest("y"))}
	if _, err := l.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	set, err := l.Skills(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"one fs/x", "two fs/x", "y fs/y"}, describe(set, "")); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}
