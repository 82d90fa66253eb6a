package check_test

import (
	"context"
	"errors"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/check"
)

func TestFind(t *testing.T) {
	file, link := &fstest.MapFile{}, &fstest.MapFile{Data: []byte("../deploy"), Mode: fs.ModeSymlink}
	tree := fstest.MapFS{
		"s/a/SKILL.md": file, "s/a/skill.md": file, // case 65
		"s/b/SKILL.MD": file, "s/b/SKILL.md": file, "s/b/skill.md": file,
		"s/c/skill.md": file, "s/c/nested/SKILL.md": file,
		"s/d/SKILL.md/README.md": file, // case 67
		"s/e/SKILL.md/README.md": file, "s/e/Skill.md": file,
		"s/tool/executa.json": file, "s/tool/skills/x/SKILL.md": file,
		"s/both/executa.json": file, "s/both/SKILL.md": file,
		"s/.hidden/SKILL.md": file, "s/node_modules/SKILL.md": file, "s/venv/SKILL.md": file,
		"s/dist/SKILL.md": file, "s/__pycache__/SKILL.md": file,
		"s/link": link, "deploy/SKILL.md": file,
	}
	got := map[string]string{}
	targets, err := check.Find(t.Context(), tree, "s", "./skills/", nil)
	if err != nil {
		t.Fatal(err)
	}
	last := ""
	for _, target := range targets {
		if target.Path < last {
			t.Errorf("%s stands behind %s", target.Path, last)
		}
		last = target.Path
		got[target.Path] = target.Name + " " + target.Manifest
	}
	want := map[string]string{
		"skills/a": "a SKILL.md", "skills/b": "b SKILL.md", "skills/c": "c skill.md", "skills/e": "e Skill.md",
		"skills/tool": "tool ", "skills/tool/skills/x": "x SKILL.md", "skills/both": "both SKILL.md",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The name of a folder that is shown as a place is not known.
func TestFindName(t *testing.T) {
	for _, show := range []string{".", "", "..", "/", "../.."} {
		targets, err := check.Find(t.Context(), fstest.MapFS{"SKILL.md": {}}, ".", show, nil)
		if err != nil || len(targets) != 1 || targets[0].Name != "" {
			t.Errorf("%q: got %v, %v", show, targets, err)
		}
	}
}

func TestFindErrors(t *testing.T) {
	if _, err := check.Find(t.Context(), fstest.MapFS{}, "none", ".", nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := check.Find(ctx, fstest.MapFS{"a/SKILL.md": {}}, ".", ".", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
	var skipped []string
	targets, err := check.Find(t.Context(), shut{fstest.MapFS{"a/SKILL.md": {}, "b/SKILL.md": {}}}, ".", ".", func(name string, err error) {
		skipped = append(skipped, name)
	})
	if err != nil || len(targets) != 1 || targets[0].Name != "b" {
		t.Errorf("a folder that cannot be listed: got %v, %v", targets, err)
	}
	if diff := cmp.Diff([]string{"a"}, skipped); diff != "" {
		t.Errorf("skipped (-want +got):\n%s", diff)
	}
}

// shut is a file system in which the folder a cannot be listed.
type shut struct{ fstest.MapFS }

func (s shut) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == "a" {
		return nil, fs.ErrPermission
	}
	return s.MapFS.ReadDir(name)
}
