package publish_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/publish"
)

// names returns the names in the folder dir.
func names(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range list {
		all = append(all, e.Name())
	}
	return all
}

func TestWriteFolder(t *testing.T) {
	s := read(t, write(t, map[string]string{"SKILL.md": manifest, "!a/run": "#!", ".listing.json": listing}))
	parent := t.TempDir()
	dir := filepath.Join(parent, "new")
	if err := s.WriteFolder(t.Context(), dir, false); err != nil {
		t.Fatal(err)
	}
	back := read(t, dir)
	if back.Digest() != s.Digest() {
		t.Errorf("got %s", describe(back))
	}
	if diff := cmp.Diff(s.Listing, back.Listing); diff != "" {
		t.Errorf("listing (-want +got):\n%s", diff)
	}
	if err := s.WriteFolder(t.Context(), dir, false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a folder: %v", err)
	}
	if err := s.WriteFolder(t.Context(), filepath.Join(parent, "none", "new"), false); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("into nothing: %v", err)
	}
	// A skill without a listing leaves none of another.
	plain := read(t, write(t, map[string]string{"SKILL.md": manifest, "b": ""}))
	if err := plain.WriteFolder(t.Context(), dir, true); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"SKILL.md", "b"}, names(t, dir)); diff != "" {
		t.Errorf("replaced (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"new"}, names(t, parent)); diff != "" {
		t.Errorf("left behind (-want +got):\n%s", diff)
	}
}

// What would be lost, or is no skill, is not replaced.
func TestReplaceRefuses(t *testing.T) {
	s := read(t, write(t, map[string]string{"SKILL.md": manifest}))
	for name, tt := range map[string]struct {
		files map[string]string
		want  string
	}{
		"no skill":    {map[string]string{"x": ""}, "holds no SKILL.md"},
		"git":         {map[string]string{"SKILL.md": manifest, ".git/config": ""}, ".git/ in it would be lost"},
		"credentials": {map[string]string{"SKILL.md": manifest, ".env": ""}, ".env in it would be lost"},
		"ignored":     {map[string]string{"SKILL.md": manifest, ".gitignore": "x", "x": ""}, ".gitignore in it would be lost"},
		"junk":        {map[string]string{"SKILL.md": manifest, "__pycache__/x": ""}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := write(t, tt.files)
			before := names(t, dir)
			err := s.WriteFolder(t.Context(), dir, true)
			if tt.want == "" {
				if err != nil || slices.Contains(names(t, dir), "__pycache__") {
					t.Errorf("%v: %v", err, names(t, dir))
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %v, want %q", err, tt.want)
			}
			if diff := cmp.Diff(before, names(t, dir)); diff != "" {
				t.Errorf("folder (-want +got):\n%s", diff)
			}
		})
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := s.WriteFolder(t.Context(), file, true); err == nil {
		t.Error("a file was replaced")
	}
}

// A failure leaves nothing.
func TestWriteFolderFails(t *testing.T) {
	s := &publish.Skill{Files: []publish.File{{Path: "SKILL.md", Data: []byte(manifest)}, {Path: "a"}, {Path: "a/b"}}}
	parent := t.TempDir()
	if err := s.WriteFolder(t.Context(), filepath.Join(parent, "new"), false); err == nil {
		t.Error("no error")
	}
	s.Files[2].Path = "../../x"
	if err := s.WriteFolder(t.Context(), filepath.Join(parent, "new"), false); err == nil {
		t.Error("no error for a path that leads outside")
	}
	if got := names(t, parent); len(got) > 0 {
		t.Errorf("left behind %v", got)
	}
}
