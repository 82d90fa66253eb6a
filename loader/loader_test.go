package loader_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/loader"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/skills"
)

// manifest returns the text of a SKILL.md with that name.
func manifest(name string) string {
	return "---\nname: " + name + "\ndescription: About " + name + ".\n---\nBody of " + name + ".\n"
}

// write makes files below dir, by slash-separated paths: a path that ends in
// a slash makes a folder, a text that starts with "-> " a link.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		parent := filepath.Dir(path)
		if strings.HasSuffix(name, "/") {
			parent = path
		}
		if err := os.MkdirAll(parent, 0o777); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, ok := strings.CutPrefix(files[name], "-> "); ok {
			if err = os.Symlink(filepath.FromSlash(target), path); err != nil {
				t.Skip("no symbolic links here:", err)
			}
		} else if parent != path {
			err = os.WriteFile(path, []byte(files[name]), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// tree makes the files below a new folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, files)
	return dir
}

// load returns the skills that opts name. It reads them in the way of this
// system and in the portable one, which must come to the same.
func load(t *testing.T, opts *loader.Options) *skills.Set {
	t.Helper()
	set, err := loader.New(opts).Skills(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	l := loader.New(opts)
	l.Portable()
	portable, err := l.Skills(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	headers := func(set *skills.Set) (list []skills.Header) {
		for sk := range set.All() {
			list = append(list, sk.Header)
		}
		return list
	}
	if diff := cmp.Diff(headers(portable), headers(set)); diff != "" {
		t.Errorf("headers (-portable +this system):\n%s", diff)
	}
	if diff := cmp.Diff(portable.IndexProblems(), set.IndexProblems()); diff != "" {
		t.Errorf("problems (-portable +this system):\n%s", diff)
	}
	if diff := cmp.Diff(describe(portable, ""), describe(set, "")); diff != "" {
		t.Errorf("mismatch (-portable +this system):\n%s", diff)
	}
	return set
}

func loadDir(t *testing.T, dir string) *skills.Set {
	t.Helper()
	return load(t, &loader.Options{Roots: []loader.Root{{Dir: dir}}})
}

// describe tells what is in set, with paths relative to dir: a line "name
// path" for each skill, "name path < path" for one that is shadowed, and "!
// code path" for a problem.
func describe(set *skills.Set, dir string) []string {
	rel := func(path string) string {
		if r, err := filepath.Rel(dir, path); err == nil && filepath.IsAbs(path) {
			return filepath.ToSlash(r)
		}
		return path
	}
	var out []string
	for sk := range set.All() {
		out = append(out, sk.Name+" "+rel(sk.Dir))
	}
	for _, sh := range set.Shadowed() {
		out = append(out, sh.Name+" "+rel(sh.Loser.Dir)+" < "+rel(sh.Winner.Dir))
	}
	for _, p := range set.IndexProblems() {
		out = append(out, "! "+p.Code+" "+rel(p.File))
	}
	return out
}

// TestFind holds the cases in which a single root is walked.
func TestFind(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("d/", n) }
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{
			"case 65 exact name wins",
			map[string]string{"a/SKILL.md": manifest("exact"), "a/skill.md": manifest("variant")},
			[]string{"exact a"},
		},
		{
			"case 65 variants load",
			map[string]string{"a/skill.md": manifest("a"), "b/Skill.md": manifest("b"), "c/SKILL.MD": manifest("c"),
				"d/skill.md": manifest("lower"), "d/SKILL.MD": manifest("upper")},
			[]string{"a a", "b b", "c c", "upper d", "! file-name-case a/skill.md", "! file-name-case b/Skill.md",
				"! file-name-case c/SKILL.MD", "! file-name-case d/SKILL.MD"},
		},
		{
			"case 67 SKILL.md is a folder",
			map[string]string{"a/SKILL.md/": "", "a/below/SKILL.md": manifest("below"), "b/SKILL.md": manifest("b")},
			[]string{"b b", "below a/below", "! manifest-not-file a/SKILL.md"},
		},
		{"case 107 empty root", map[string]string{}, nil},
		{
			"case 110 B22 one name twice",
			map[string]string{"b/SKILL.md": manifest("x"), "a-b/SKILL.md": manifest("x"), "a/c/SKILL.md": manifest("x")},
			// In walk order a/c comes before a-b, whatever the bytes say.
			[]string{"x a/c", "x a-b < a/c", "x b < a/c", "! duplicate-name a-b/SKILL.md", "! duplicate-name b/SKILL.md"},
		},
		{
			"B22 names differ by case",
			map[string]string{"1/SKILL.md": manifest("Data"), "2/SKILL.md": manifest("data")},
			[]string{"Data 1", "data 2", "! similar-name 1/SKILL.md"},
		},
		{
			"case 112 B11 flat and nested",
			map[string]string{"a/SKILL.md": manifest("a"), "group/b/SKILL.md": manifest("b"), "db/migrate/up/SKILL.md": manifest("up")},
			[]string{"a a", "b group/b", "up db/migrate/up"},
		},
		{
			"B11 at the depth limit",
			map[string]string{deep(loader.MaxDepth) + "SKILL.md": manifest("deep")},
			[]string{"deep d/d/d/d/d/d/d/d"},
		},
		{
			"B11 one past the depth limit",
			map[string]string{deep(loader.MaxDepth+1) + "SKILL.md": manifest("deep"), "a/SKILL.md": manifest("a")},
			[]string{"a a", "! tree-too-deep d/d/d/d/d/d/d/d"},
		},
		{
			"case 113 folders passed over",
			map[string]string{
				".git/SKILL.md": manifest("1"), "node_modules/SKILL.md": manifest("2"), "dist/x/SKILL.md": manifest("3"),
				"__pycache__/SKILL.md": manifest("4"), "venv/SKILL.md": manifest("5"), ".venv/SKILL.md": manifest("6"),
				"ok/SKILL.md": manifest("ok"),
			},
			[]string{"ok ok"},
		},
		{
			"B33 stops at a skill",
			map[string]string{"a/SKILL.md": manifest("a"), "a/examples/x/SKILL.md": manifest("x"), "a/references/SKILL.md": manifest("r")},
			[]string{"a a"},
		},
		{
			"root is a skill",
			map[string]string{"SKILL.md": manifest("top"), "a/SKILL.md": manifest("a")},
			[]string{"top ."},
		},
		{
			"B42 names of any script",
			map[string]string{"数据/SKILL.md": manifest("数据"), "cafe\u0301/SKILL.md": manifest("caf\u00e9"), "My Skill/SKILL.md": manifest("My Skill"),
				"-a/SKILL.md": manifest("-a")},
			[]string{"-a -a", "My Skill My Skill", "caf\u00e9 cafe\u0301", "数据 数据"},
		},
		{
			"case 47 name from the folder",
			map[string]string{"deploy/SKILL.md": "---\ndescription: d\n---\n"},
			[]string{"deploy deploy"},
		},
		{
			"one bad file costs only itself",
			map[string]string{
				"a/SKILL.md": manifest("a"), "b/SKILL.md": "", "c/SKILL.md": "no header\n",
				"d/SKILL.md": "---\nname: d\ndescription: \xff\n---\n",
				"e/SKILL.md": strings.Repeat("x", metadata.MaxFile+1),
				"f/SKILL.md": "---\nname: f\ndescription: never closed\n",
			},
			[]string{"a a", "! no-frontmatter b/SKILL.md", "! no-frontmatter c/SKILL.md", "! not-utf8 d/SKILL.md",
				"! file-too-large e/SKILL.md", "! unclosed-frontmatter f/SKILL.md"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := tree(t, tt.files)
			if diff := cmp.Diff(tt.want, describe(loadDir(t, dir), dir)); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func replaceByLink(t *testing.T, path, target string) {
	t.Helper()
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, path); err != nil {
		t.Skip("no symbolic links here:", err)
	}
}
