package check

import (
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/executa/manifest"
	"github.com/matrix-nexus/skillkit/skills"
)

// Find returns the folders in fsys that hold a skill or an Executa Tool, sorted
// by path: dir itself, and those below it at any depth. It does not look into a
// skill for further ones, which no loader would find either, nor through links, nor
// into folders that loaders pass over: those that start with a dot,
// node_modules, venv, dist and __pycache__. show is what the path of dir is
// shown as. The error is that of ctx or of dir; a folder below that cannot be
// listed is reported by skipped, which may be nil.
//
// To check one file as a skill, whatever its name, make a [Target] of the folder that
// holds it with the file as Manifest.
func Find(ctx context.Context, fsys fs.FS, dir, show string, skipped func(name string, err error)) ([]Target, error) {
	var list []Target
	var walk func(name, show string) error
	walk = func(name, show string) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		entries, err := fs.ReadDir(fsys, name)
		if err != nil && name == dir {
			return err
		} else if err != nil && skipped != nil {
			skipped(name, err)
		}
		file, tool := mainFiles(entries)
		if file != "" || tool {
			sub, err := fs.Sub(fsys, name)
			if err != nil {
				return err
			}
			t := Target{Path: show, Name: path.Base(show), FS: sub, Manifest: file}
			if t.Name == "." || t.Name == ".." || t.Name == "/" {
				t.Name = ""
			}
			list = append(list, t)
		}
		if file != "" {
			return nil
		}
		for _, e := range entries {
			if n := e.Name(); e.IsDir() && !passedOver(n) {
				if err := walk(path.Join(name, n), path.Join(show, n)); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if err := walk(dir, path.Clean(show)); err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b Target) int { return strings.Compare(a.Path, b.Path) })
	return list, nil
}

func passedOver(name string) bool {
	switch name {
	case "node_modules", "venv", "dist", "__pycache__":
		return true
	}
	return strings.HasPrefix(name, ".")
}

// mainFiles returns the name of the SKILL.md among the entries of a folder, or
// of a case variant where there is none, and whether there is an executa.json.
func mainFiles(entries []fs.DirEntry) (skill string, tool bool) {
	for _, e := range entries {
		switch n := e.Name(); {
		case e.IsDir():
		case n == skills.FileName, skill == "" && strings.EqualFold(n, skills.FileName):
			skill = n
		case n == manifest.ExecutaFile:
			tool = true
		}
	}
	return skill, tool
}
