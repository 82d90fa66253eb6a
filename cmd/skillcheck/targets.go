package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/matrix-nexus/skillkit/check"
	"github.com/matrix-nexus/skillkit/executa/manifest"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/skills"
)

// findTargets fills in the targets that the command line names.
func (a *app) findTargets() error {
	f := a.flags
	if f.Stdin != (f.Path != "") {
		return errors.New("--stdin and --path go together")
	}
	if f.Stdin {
		if len(f.Paths) > 0 || f.Fix {
			return errors.New("--stdin takes neither paths nor --fix; --diff shows the repairs")
		}
		return a.addStdin()
	}
	paths := f.Paths
	if len(paths) == 0 {
		paths = []string{"."}
	}
	for _, arg := range paths {
		if err := a.addArg(arg); err != nil {
			return err
		}
	}
	a.dropDouble()
	if len(a.targets) == 0 {
		return fmt.Errorf("no %s and no %s in %s; folders that start with a dot are looked into only if they are named",
			skills.FileName, manifest.ExecutaFile, strings.Join(paths, ", "))
	}
	a.exclude()
	return nil
}

// addArg adds what one argument names.
func (a *app) addArg(arg string) error {
	info, err := os.Stat(arg)
	if err == nil {
		return a.addPath(arg, info.IsDir())
	}
	if !strings.ContainsAny(arg, "*?[{") {
		return err
	}
	matches, err := expand(arg)
	if err != nil {
		return err
	}
	if len(matches) == 0 {
		return fmt.Errorf("no folder, Markdown file or %s matches %s", manifest.ExecutaFile, arg)
	}
	for _, m := range matches {
		info, err := os.Stat(m)
		if err == nil {
			err = a.addPath(m, info.IsDir())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// expand returns the paths that a pattern stands for: folders and files that
// could be checked. A Markdown file that is no SKILL.md must be meant, by a
// pattern that ends in .md.
func expand(pattern string) ([]string, error) {
	matches, err := doublestar.FilepathGlob(pattern, doublestar.WithNoHidden(), doublestar.WithFailOnIOErrors())
	if err != nil {
		return nil, fmt.Errorf("pattern %s: %w", pattern, err)
	}
	markdown := strings.EqualFold(filepath.Ext(pattern), ".md")
	return slices.DeleteFunc(matches, func(m string) bool {
		slash := "/" + filepath.ToSlash(m)
		if strings.Contains(slash, "/node_modules/") && !strings.Contains(pattern, "node_modules") {
			return true
		}
		if info, err := os.Stat(m); err == nil && info.IsDir() {
			return false
		}
		base := filepath.Base(m)
		return base != manifest.ExecutaFile && !strings.EqualFold(base, skills.FileName) &&
			!(markdown && strings.EqualFold(filepath.Ext(m), ".md"))
	}), nil
}

// addPath adds a folder or a file that is there.
func (a *app) addPath(arg string, dir bool) error {
	if dir {
		return a.addFolder(arg)
	}
	folder, base := filepath.Split(arg)
	t := check.Target{Path: shown(folder), Name: nameOf(folder)}
	switch {
	case base == manifest.ExecutaFile:
	case strings.EqualFold(base, skills.FileName):
		t.Manifest = base
	case strings.EqualFold(filepath.Ext(base), ".md"):
		// Its folder is not that of a skill.
		t.Name, t.Manifest = "", base
	default:
		return fmt.Errorf("%s is neither a folder nor a Markdown file nor an %s; name the folder that it is in", arg, manifest.ExecutaFile)
	}
	root, err := a.open(folder)
	if err != nil {
		return err
	}
	if t.Name != "" {
		t.FS = root
	} else if t.Text, err = readFile(root, base); err != nil {
		return err
	}
	a.targets = append(a.targets, t)
	return nil
}

// addFolder adds all that is in a folder.
func (a *app) addFolder(dir string) error {
	root, err := a.open(dir)
	if err != nil {
		return err
	}
	show := shown(dir)
	found, err := check.Find(a.ctx, root, ".", show, func(name string, err error) {
		a.warn(fmt.Errorf("%s: %w", path.Join(show, name), err))
	})
	if err != nil {
		return err
	}
	for _, t := range found {
		if t.Path == show {
			t.Name = nameOf(dir)
		}
		a.targets = append(a.targets, t)
	}
	return nil
}

// addStdin adds the text on standard input.
func (a *app) addStdin() error {
	folder, base := filepath.Split(a.flags.Path)
	if !strings.EqualFold(filepath.Ext(base), ".md") {
		return fmt.Errorf("--path %s: --stdin reads Markdown", a.flags.Path)
	}
	t := check.Target{Path: shown(folder), Name: nameOf(folder), Manifest: base}
	var err error
	if t.Text, err = a.readStdin(); err != nil {
		return fmt.Errorf("standard input: %w", err)
	}
	if !strings.EqualFold(base, skills.FileName) {
		t.Name = ""
	} else if root, err := a.open(folder); err == nil {
		t.FS = root
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	a.targets = append(a.targets, t)
	return nil
}

// open opens a folder, out of which nothing leads.
func (a *app) open(dir string) (fs.FS, error) {
	root, err := os.OpenRoot(cmp.Or(dir, "."))
	if err != nil {
		return nil, err
	}
	a.closers = append(a.closers, root)
	return root.FS(), nil
}

// shown returns how the path of a folder is shown.
func shown(dir string) string { return path.Clean(filepath.ToSlash(cmp.Or(dir, "."))) }

// nameOf returns the name of a folder, also of "." and "..".
func nameOf(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return filepath.Base(dir)
}

// dropDouble drops targets that are named more than once.
func (a *app) dropDouble() {
	seen := map[string]bool{}
	a.targets = slices.DeleteFunc(a.targets, func(t check.Target) bool {
		key := t.Path
		if abs, err := filepath.Abs(filepath.FromSlash(t.Path)); err == nil {
			key = abs
		}
		key += "\x00" + t.Manifest
		double := seen[key]
		seen[key] = true
		return double
	})
}

// exclude drops targets that the configuration excludes.
func (a *app) exclude() {
	before := len(a.targets)
	a.targets = slices.DeleteFunc(a.targets, func(t check.Target) bool {
		return a.config.excludes(path.Join(t.Path, cmp.Or(t.Manifest, manifest.ExecutaFile)))
	})
	a.left = before - len(a.targets)
}

// readFile reads a file up to where it is too large to be read. To open another
// thing, such as a pipe, may take for ever.
func readFile(fsys fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errors.New("not a file")}
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f)
}

// readAll reads at most one byte more than a skill may have. The result is never
// nil.
func readAll(r io.Reader) ([]byte, error) {
	return io.ReadAll(io.LimitReader(r, metadata.MaxFile+1))
}

// readStdin reads standard input. A read that blocks does not hold up an
// interrupt.
func (a *app) readStdin() (text []byte, err error) {
	done := make(chan struct{})
	var data []byte
	var readErr error
	go func() {
		defer close(done)
		data, readErr = readAll(a.stdin)
	}()
	select {
	case <-done:
		return data, readErr
	case <-a.ctx.Done():
		return nil, a.ctx.Err()
	}
}
