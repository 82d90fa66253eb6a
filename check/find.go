package check

import (
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/skills"
)

// Find returns the folders in fsys that hold a skill or an Executa Tool, sorted
// by path: dir itself, and those below it at any depth. It does not look into a
// skill for further ones, which no loader would find either, nor into folders that
// loaders pass over: those that start with a dot, node_modules, venv, dist and
// __pycache__. show is what the path of dir is shown as. The error is that of
// ctx or of dir; a folder below that cannot be listed is reported by skipped, which
// may be nil.
func Find(ctx context.Context, fsys fs.FS, dir, show string, skipped func(name string, err error)) ([]Target, error) {
	var list []Target
	err := fs.WalkDir(fsys, dir, func(name string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			if name == dir {
				return err
			}
			if skipped != nil {
				skipped(name, err)
			}
			return fs.SkipDir
		}
		if !d.IsDir() {
			return nil
		}
		if name != dir && passedOver(d.Name()) {
			return fs.SkipDir
		}
		t, err := target(fsys, name)
		if err != nil || t == nil {
			return nil // the walk reports it
		}
		rel := strings.TrimPrefix(strings.TrimPrefix(name, dir), "/")
		if dir == "." && name != "." {
			rel = name
		}
		t.Path = path.Join(show, rel)
		t.Name = path.Base(t.Path)
		list = append(list, *t)
		if t.Manifest != "" {
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b Target) int { return strings.Compare(a.Path, b.Path) })
	return list, nil
}

func passedOver(name string) bool {
	return strings.HasPrefix(name, ".") && name != "." || name == "node_modules" || name == "venv" || name == "dist" || name == "__pycache__"
}

// target returns the folder name if it holds a skill or a tool, else nil.
func target(fsys fs.FS, name string) (*Target, error) {
	entries, err := fs.ReadDir(fsys, name)
	if err != nil {
		return nil, err
	}
	manifest, tool := "", false
	for _, e := range entries {
		switch n := e.Name(); {
		case e.IsDir():
		case n == skills.FileName, strings.EqualFold(n, skills.FileName) && manifest == "":
			manifest = n
		case n == "executa.json":
			tool = true
		}
	}
	if manifest == "" && !tool {
		return nil, nil
	}
	sub, err := fs.Sub(fsys, name)
	if err != nil {
		return nil, err
	}
	return &Target{FS: sub, Manifest: manifest}, nil
}
