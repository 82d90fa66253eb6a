package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/requires"
)

// linkPrograms links what programs a step put into folders of its own into the
// folder bin of the state folder. It returns the links, also those that were
// there before, and why it left out others.
func linkPrograms(s *Step, opts *Options) (links, notes []string) {
	bin := filepath.Join(opts.State, "bin")
	var made downloaded
	if s.Download != nil {
		var err error
		if made, err = openDownloaded(s.Download.Dir); err != nil {
			return nil, []string{err.Error()}
		}
		defer made.root.Close()
	}
	for _, name := range programs(s) {
		var target string
		switch {
		case s.Download != nil:
			var err error
			if target, err = made.program(name, opts.GOOS); err != nil {
				notes = append(notes, err.Error())
				continue
			}
		case s.LinkFrom != "" && s.LinkFrom != bin:
			file, ok := program(s.LinkFrom, name, opts.GOOS)
			if ok {
				target = file
			}
		}
		if target == "" {
			continue // verification tells that it is not there
		}
		// What is on PATH already is not what was missing, and bin may stand
		// before its folder.
		if got := opts.Host.Lookup(requires.KindBin, name); got.State == requires.StateFound && filepath.Dir(got.Where) != bin {
			continue
		}
		link := filepath.Join(bin, filepath.Base(target))
		if err := putLink(link, target, opts.State); err != nil {
			notes = append(notes, err.Error())
			continue
		}
		links = append(links, link)
	}
	return links, notes
}

// maxFolders is the number of folders in a downloaded one in which programs are
// looked for.
const maxFolders = 64

// A downloaded is a folder that was downloaded. Nothing outside it is touched,
// whatever the links in it say.
type downloaded struct {
	root    *os.Root
	folders []string // those in which programs are looked for, in this order
}

// openDownloaded finds the folders of programs: the folder, its folder bin, and
// the same two places of each of the first folders in it, in sorted order: an
// archive often holds a single folder with all the rest in it.
func openDownloaded(dir string) (downloaded, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return downloaded{}, err
	}
	d := downloaded{root, []string{".", "bin"}}
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		root.Close()
		return downloaded{}, err
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return !e.IsDir() })
	for _, e := range entries[:min(len(entries), maxFolders)] {
		d.folders = append(d.folders, e.Name(), filepath.Join(e.Name(), "bin"))
	}
	return d, nil
}

// program finds the file of a program, makes it executable and returns its
// path, or nothing if it is not there.
func (d *downloaded) program(name, goos string) (string, error) {
	for _, folder := range d.folders {
		for _, ext := range programExts(goos) {
			file := filepath.Join(folder, name+ext)
			info, err := d.root.Stat(file)
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			if mode := info.Mode().Perm() | 0o111; mode != info.Mode().Perm() && goos != "windows" {
				if err := d.root.Chmod(file, mode&0o755); err != nil {
					return "", err
				}
			}
			return filepath.Join(d.root.Name(), file), nil
		}
	}
	return "", nil
}

// putLink makes link a symbolic link to target. What is there already is left
// alone, unless it is a link of ours that leads nowhere any more.
func putLink(link, target, state string) error {
	old, err := os.Readlink(link)
	switch {
	case err == nil && old == target:
		return nil
	case err == nil && below(state, old) != "" && dangles(link):
		// Replaced below, in one step.
	case errors.Is(err, fs.ErrNotExist):
		return os.Symlink(target, link)
	default:
		return fmt.Errorf("%s is there already and is left alone: remove it and run the step again, or run %s", link, target)
	}
	staged := filepath.Join(filepath.Dir(link), "."+filepath.Base(link)+".new")
	if err := os.Remove(staged); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Symlink(target, staged); err != nil {
		return err
	}
	return os.Rename(staged, link)
}

func dangles(link string) bool {
	_, err := os.Stat(link)
	return errors.Is(err, fs.ErrNotExist)
}

// below returns the path of file relative to a folder, or nothing if it does
// not lie below it as the paths are written. Both are absolute.
func below(folder, file string) string {
	rel, err := filepath.Rel(folder, file)
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return ""
	}
	return rel
}

// ownLink reports whether the file at a path is a link in the folder bin that r
// records and that leads to where its step put programs.
func (r *Receipt) ownLink(file, state string) bool {
	target, err := os.Readlink(file)
	if err != nil || !slices.Contains(r.Files, file) || filepath.Dir(file) != filepath.Join(state, "bin") {
		return false
	}
	s := &r.Step
	return s.LinkFrom != "" && below(s.LinkFrom, target) != "" ||
		s.Download != nil && below(s.Download.Dir, target) != ""
}

// A fileID tells whether a file is still what it was.
type fileID struct {
	info fs.FileInfo // nil if it was not there
}

func identify(file string) fileID {
	info, _ := os.Lstat(file)
	return fileID{info}
}

func (a fileID) same(b fileID) bool {
	if a.info == nil || b.info == nil {
		return a.info == b.info
	}
	return os.SameFile(a.info, b.info) && a.info.Size() == b.info.Size() && a.info.ModTime().Equal(b.info.ModTime())
}

// builtPrograms returns the paths of the files that go puts programs into.
func builtPrograms(s *Step, opts *Options) []string {
	var files []string
	for _, name := range programs(s) {
		if opts.GOOS == "windows" && !strings.HasSuffix(strings.ToLower(name), ".exe") {
			name += ".exe"
		}
		files = append(files, filepath.Join(s.BinDir, name))
	}
	return files
}
