package loader_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/loader"
	"github.com/matrix-nexus/skillkit/skills"
)

// TestLinks walks the folder "root" of each tree, as the caller's own root
// and as a workspace's.
func TestLinks(t *testing.T) {
	a := manifest("a")
	for _, tt := range []struct {
		name  string
		files map[string]string
		own   []string
		ws    []string // as a workspace root; nil if the same
	}{
		{
			"B05 link to a skill",
			map[string]string{"real/SKILL.md": a, "root/lnk": "-> ../real"},
			[]string{"a root/lnk"},
			[]string{"! link-refused root/lnk"},
		},
		{
			"B05 link to a group",
			map[string]string{"real/x/SKILL.md": a, "real/y/SKILL.md": manifest("y"), "root/lnk": "-> ../real"},
			[]string{"a root/lnk/x", "y root/lnk/y"},
			// B31: one problem a link, not one a file.
			[]string{"! link-refused root/lnk"},
		},
		{
			"B05 dangling",
			map[string]string{"root/lnk": "-> nowhere", "root/a/SKILL.md": a},
			[]string{"a root/a", "! link-dangling root/lnk"}, nil,
		},
		{
			"B05 link to a file",
			map[string]string{"root/README": "x", "root/lnk": "-> README", "root/a/SKILL.md": a},
			[]string{"a root/a", "! link-not-folder root/lnk"}, nil,
		},
		{
			"link that stays inside",
			map[string]string{"root/.pool/x/SKILL.md": a, "root/lnk": "-> .pool/x"},
			[]string{"a root/lnk"}, nil,
		},
		{
			"case 116 each folder once",
			map[string]string{"root/a/SKILL.md": a, "root/lnk": "-> a", "root/m": "-> ."},
			[]string{"a root/a"}, nil,
		},
		{
			"case 116 B33 cycle upwards",
			map[string]string{"root/s/x/SKILL.md": a, "root/s/loop": "-> .."},
			[]string{"a root/s/x"}, nil,
		},
		{
			"B33 cycle of two",
			map[string]string{"root/a/l": "-> ../b", "root/b/l": "-> ../a", "root/a/s/SKILL.md": a},
			[]string{"a root/a/s"}, nil,
		},
		{
			"B33 link to itself",
			map[string]string{"root/l": "-> l", "root/a/SKILL.md": a},
			[]string{"a root/a", "! link-dangling root/l"}, nil,
		},
		{
			"B33 cycle through the folder above",
			map[string]string{"root/up": "-> ..", "root/a/SKILL.md": a, "beside/SKILL.md": manifest("beside")},
			[]string{"a root/a", "beside root/up/beside"},
			[]string{"a root/a", "! link-refused root/up"},
		},
		{
			"B33 link inside a skill is not walked",
			map[string]string{"big/x/SKILL.md": manifest("x"), "root/a/SKILL.md": a, "root/a/data": "-> ../../big"},
			[]string{"a root/a"}, nil,
		},
		{
			"two links to one folder: the first counts",
			map[string]string{"real/SKILL.md": a, "root/b": "-> ../real", "root/c": "-> ../real"},
			[]string{"a root/b"},
			[]string{"! link-refused root/b", "! link-refused root/c"},
		},
		{
			"link behind a link",
			map[string]string{"real/x": "-> ../far", "far/SKILL.md": a, "root/l": "-> ../real"},
			[]string{"a root/l/x"},
			[]string{"! link-refused root/l"},
		},
		{
			"allowed folder",
			map[string]string{"allowed/x/SKILL.md": a, "root/l": "-> ../allowed/x", "root/m": "-> ../allowed/up", "allowed/up": "-> .."},
			// The way back to the top leads to nothing new.
			[]string{"a root/l"},
			[]string{"a root/l", "! link-refused root/m"},
		},
		{
			"manifest is a link in its folder",
			map[string]string{"root/a/docs/skill.txt": a, "root/a/SKILL.md": "-> docs/skill.txt"},
			[]string{"a root/a"}, nil,
		},
		{
			"B31 manifest is a link out of its folder",
			map[string]string{"root/secret": a, "root/a/SKILL.md": "-> ../secret", "root/b/SKILL.md": manifest("b")},
			[]string{"b root/b", "! unreadable root/a/SKILL.md"}, nil,
		},
		{
			"manifest is a dangling link",
			map[string]string{"root/a/SKILL.md": "-> nowhere", "root/b/SKILL.md": manifest("b")},
			[]string{"b root/b", "! unreadable root/a/SKILL.md"}, nil,
		},
		{
			"manifest is a link to a folder",
			map[string]string{"root/a/SKILL.md": "-> docs", "root/a/docs/": "", "root/b/SKILL.md": manifest("b")},
			[]string{"b root/b", "! unreadable root/a/SKILL.md"}, nil,
		},
		{
			"links that are passed over",
			map[string]string{"real/SKILL.md": a, "root/.hidden": "-> ../real", "root/node_modules": "-> ../real"},
			nil, nil,
		},
		{
			"root is a link",
			map[string]string{"real/a/SKILL.md": a, "root": "-> real"},
			[]string{"a root/a"}, nil,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := tree(t, tt.files)
			root := filepath.Join(dir, "root")
			if diff := cmp.Diff(tt.own, describe(loadDir(t, root), dir)); diff != "" {
				t.Errorf("own root (-want +got):\n%s", diff)
			}
			if tt.ws == nil {
				tt.ws = tt.own
			}
			set := load(t, &loader.Options{
				Roots:          []loader.Root{{Dir: root, Source: skills.Workspace}},
				WorkspaceAllow: []string{filepath.Join(dir, "allowed")},
			})
			if diff := cmp.Diff(tt.ws, describe(set, dir)); diff != "" {
				t.Errorf("workspace root (-want +got):\n%s", diff)
			}
			for sk := range set.All() {
				if body, err := sk.Body(); err != nil || body != "Body of "+sk.Name+".\n" {
					t.Errorf("%s: Body = %q, %v", sk.Name, body, err)
				}
			}
		})
	}
}

func TestWorkspaceIsLink(t *testing.T) {
	dir := tree(t, map[string]string{
		"out/a/SKILL.md": manifest("a"), "ws/skills": "-> ../out", "ok/skills": "-> inner", "ok/inner/b/SKILL.md": manifest("b"),
	})
	for _, tt := range []struct {
		ws    string
		allow []string
		want  []string
	}{
		{"ws", nil, []string{"! link-refused ws/skills"}},
		{"ws", []string{filepath.Join(dir, "out")}, []string{"a ws/skills/a"}},
		{"ok", nil, []string{"b ok/skills/b"}},
	} {
		set, err := loader.LoadWorkspace(t.Context(), filepath.Join(dir, tt.ws), &loader.Options{WorkspaceAllow: tt.allow})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, describe(set, dir)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.ws, diff)
		}
	}
}

// TestFilesAreConfined asks for files outside a skill's folder.
func TestFilesAreConfined(t *testing.T) {
	dir := tree(t, map[string]string{
		"secret.txt": "secret", "r/b/SKILL.md": manifest("b"),
		"r/a/SKILL.md": manifest("a"), "r/a/in.txt": "inside", "r/a/sub/x.md": "x",
		"r/a/out.txt": "-> ../../secret.txt", "r/a/up": "-> ../..", "r/a/ok.txt": "-> in.txt",
	})
	sk, err := loadDir(t, filepath.Join(dir, "r")).Get("a")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, path string
		cause      error // nil where any will do
	}{
		{"case 118 link out", "out.txt", nil},
		{"case 118 link to a folder out", "up/secret.txt", nil},
		{"case 119 parent", "../b/SKILL.md", fs.ErrInvalid},
		{"case 119 absolute", "/etc/passwd", fs.ErrInvalid},
		{"case 119 backslashes", `..\..\secret.txt`, fs.ErrInvalid},
		{"case 119 in the middle", "sub/../../b/SKILL.md", fs.ErrInvalid},
		{"case 121 drive", `C:\Windows`, fs.ErrInvalid},
		{"case 121 drive with a slash", "C:/Windows", fs.ErrInvalid},
		{"case 121 leading backslash", `\SKILL.md`, fs.ErrInvalid},
		{"case 122 missing", "nothing.txt", fs.ErrNotExist},
		{"a folder", "sub", nil},
		{"empty", "", fs.ErrInvalid},
		{"NUL", "in.txt\x00", fs.ErrInvalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text, err := sk.ReadFile(tt.path)
			e, ok := errors.AsType[*skills.FileError](err)
			if text != "" || !ok || e.Path != tt.path || e.Skill != "a" {
				t.Fatalf("ReadFile = %q, %v, want a FileError", text, err)
			}
			if tt.cause != nil && !errors.Is(err, tt.cause) {
				t.Errorf("error %v, want %v", err, tt.cause)
			}
		})
	}
	for _, path := range []string{"in.txt", "ok.txt"} {
		if text, err := sk.ReadFile(path); text != "inside" || err != nil {
			t.Errorf("ReadFile(%q) = %q, %v", path, text, err)
		}
	}
	files, _, err := sk.Files("")
	if err != nil {
		t.Fatal(err)
	}
	want := []skills.File{{Path: "in.txt", Size: 6}, {Path: "ok.txt", Size: 6}, {Path: "sub/x.md", Size: 1}}
	if diff := cmp.Diff(want, files); diff != "" {
		t.Errorf("Files (-want +got):\n%s", diff)
	}
}

func TestFolderFS(t *testing.T) {
	dir := tree(t, map[string]string{"r/a/SKILL.md": manifest("a"), "r/a/sub/x.md": "x"})
	sk, err := loadDir(t, filepath.Join(dir, "r")).Get("a")
	if err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(sk.FS(), "SKILL.md", "sub/x.md"); err != nil {
		t.Error(err)
	}
}

// A folder that becomes a link after the index was made leads nowhere.
func TestFolderBecomesLink(t *testing.T) {
	dir := tree(t, map[string]string{"ws/skills/a/SKILL.md": manifest("a"), "out/SKILL.md": manifest("secret")})
	set, err := loader.LoadWorkspace(t.Context(), filepath.Join(dir, "ws"), nil)
	if err != nil {
		t.Fatal(err)
	}
	sk, err := set.Get("a")
	if err != nil {
		t.Fatal(err)
	}
	replaceByLink(t, filepath.Join(dir, "ws", "skills", "a"), filepath.Join(dir, "out"))
	if body, err := sk.Body(); err == nil {
		t.Errorf("Body reads through the link: %q", body)
	}
}

// Links in an fs.FS are not followed, neither by the walk nor by a skill.
func TestLinksInFS(t *testing.T) {
	link := func(target string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink}
	}
	fsys := fstest.MapFS{
		"a/SKILL.md": {Data: []byte(manifest("a"))}, "a/l.txt": link("../secret"), "secret": {Data: []byte("secret")},
		"b": link("a"), "c/SKILL.md": link("../a/SKILL.md"),
	}
	set := load(t, &loader.Options{Roots: []loader.Root{{FS: fsys}}})
	if diff := cmp.Diff([]string{"a fs/a", "! link-refused fs/b", "! unreadable fs/c/SKILL.md"}, describe(set, "")); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	sk, err := set.Get("a")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := sk.ReadFile("l.txt"); err == nil {
		t.Errorf("ReadFile through a link = %q", text)
	}
}
