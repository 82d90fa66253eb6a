package publish

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

// maxVisited is how many entries of a folder are looked at, those that are left
// out among them.
const maxVisited = 50_000

// ReadFolder reads the skill in the folder dir. The documentation of the package
// says which files belong to it. A link to dir is followed, none below it.
//
// The error is a [*FileError] for what cannot be published: a link or another
// thing that is no regular file, a name that some system cannot have, a file
// that cannot be read or that changed meanwhile, more than the limits allow, or
// no SKILL.md. It is that of ctx if ctx ended.
func ReadFolder(ctx context.Context, dir string) (*Skill, error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, &FileError{Path: filepath.ToSlash(dir), Reason: "is no folder; name the one that holds the SKILL.md"}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	w := &walker{builder: newBuilder(ctx, filepath.ToSlash(dir)), root: root}
	if err := fs.WalkDir(root.FS(), ".", w.visit); err != nil {
		return nil, err
	}
	if err := w.readListing(); err != nil {
		return nil, err
	}
	return w.done()
}

// A walker reads a folder.
type walker struct {
	*builder
	root    *os.Root
	ignore  ignorer
	visited int
}

// unreadable returns the error for what the file system refuses.
func (w *walker) unreadable(name string, err error) error {
	if ctxErr := w.ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	return &FileError{path.Join(w.skill.Path, name), "cannot be read: " + err.Error(), err}
}

func (w *walker) visit(name string, e fs.DirEntry, err error) error {
	if err != nil {
		return w.unreadable(name, err)
	}
	if w.visited++; w.visited > maxVisited {
		return w.fail(name, "more than %d files and folders; is this the folder of one skill?", maxVisited)
	}
	if name == "." {
		return w.readIgnore(name)
	}
	why, detail := leaveOut(name, e.IsDir()), ""
	if why == "" {
		if detail = w.ignore.match(name, e.IsDir()); detail != "" {
			why = Ignored
		}
	}
	switch {
	case why != "":
		w.leave(name, e.IsDir(), why, detail)
		if e.IsDir() {
			return fs.SkipDir
		}
		return nil
	case e.IsDir():
		if reason := checkPath(name); reason != "" {
			return w.fail(strings.ToValidUTF8(name, "\ufffd"), "%s", reason)
		}
		return w.readIgnore(name)
	}
	if err := w.claim(name); err != nil {
		return err
	}
	if e.Type()&fs.ModeSymlink != 0 {
		return w.fail(name, "a link, which many systems cannot unpack; put a copy of its target in its place, or leave it out with a .gitignore")
	}
	data, executable, err := w.read(name, MaxFile)
	if err != nil {
		return err
	}
	return w.add(name, executable, data)
}

// readIgnore reads the .gitignore in the folder dir, if there is one.
func (w *walker) readIgnore(dir string) error {
	name := path.Join(dir, ".gitignore")
	if _, err := w.root.Lstat(filepath.FromSlash(name)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	text, _, err := w.read(name, maxIgnoreFile)
	if err != nil {
		return err
	}
	if err := w.ignore.add(dir, text); err != nil {
		return w.fail(name, "%v", err)
	}
	return nil
}

// read returns the content of the file name of at most one byte more than most,
// and whether it is executable.
func (w *walker) read(name string, most int64) (data []byte, executable bool, err error) {
	if err := w.ctx.Err(); err != nil {
		return nil, false, err
	}
	seen, err := w.root.Lstat(filepath.FromSlash(name))
	if err != nil {
		return nil, false, w.unreadable(name, err)
	}
	if !seen.Mode().IsRegular() {
		return nil, false, w.fail(name, "neither a regular file nor a folder; remove it")
	}
	f, err := w.root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, false, w.unreadable(name, err)
	}
	defer f.Close()
	before, err := f.Stat()
	if err != nil {
		return nil, false, w.unreadable(name, err)
	}
	if data, err = io.ReadAll(io.LimitReader(f, most+1)); err != nil {
		return nil, false, w.unreadable(name, err)
	}
	after, err := f.Stat()
	if err != nil {
		return nil, false, w.unreadable(name, err)
	}
	whole := int64(len(data)) == after.Size() || int64(len(data)) == most+1
	if !whole || !os.SameFile(seen, before) || before.Size() != after.Size() || !before.ModTime().Equal(after.ModTime()) {
		return nil, false, w.fail(name, "changed while it was read; try again once nothing writes to it")
	}
	return data, isExecutable(after.Mode(), data), nil
}

// isExecutable returns the executable bit of a file. Windows keeps none: there
// it is that of a script with a line #!.
func isExecutable(mode fs.FileMode, data []byte) bool {
	if runtime.GOOS == "windows" {
		return len(data) > 2 && string(data[:2]) == "#!"
	}
	return mode&0o111 != 0
}

// readListing reads the file for the catalogue, if there is one.
func (w *walker) readListing() error {
	if _, err := w.root.Lstat(ListingFile); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	data, _, err := w.read(ListingFile, maxListing)
	if err != nil {
		return err
	}
	if len(data) > maxListing {
		return w.fail(ListingFile, "more than %d bytes", maxListing)
	}
	if w.skill.Listing, err = parseListing(data); err != nil {
		return &FileError{path.Join(w.skill.Path, ListingFile), err.Error(), err}
	}
	return nil
}
