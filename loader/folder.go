package loader

import (
	"errors"
	"io/fs"
	"os"
	"path"
)

// errNotRegular is the cause for what is neither a regular file nor, where
// that will do, a folder.
var errNotRegular = errors.New("not a regular file")

// rootFS is the file system of root. What it opens never blocks and is a
// regular file or a folder.
type rootFS struct{ root *os.Root }

func (r rootFS) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	f, err := r.root.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: errNotRegular}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (r rootFS) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(r.root.FS(), name) }
func (r rootFS) Stat(name string) (fs.FileInfo, error)      { return fs.Stat(r.root.FS(), name) }
func (r rootFS) Lstat(name string) (fs.FileInfo, error)     { return fs.Lstat(r.root.FS(), name) }
func (r rootFS) ReadLink(name string) (string, error)       { return fs.ReadLink(r.root.FS(), name) }

// A folder is the file system of one skill. It holds no file descriptor: each
// call opens the anchor, a folder without links in its path, and the skill's
// folder within it, so that a folder which has meanwhile become a link leads
// nowhere outside the anchor.
type folder struct {
	anchor *string // the skills of a tree share it
	rel    string  // slash-separated
}

// in calls f with the file system of the folder.
func in[T any](d folder, f func(rootFS) (T, error)) (T, error) {
	var zero T
	anchor, err := os.OpenRoot(*d.anchor)
	if err != nil {
		return zero, err
	}
	defer anchor.Close()
	root, err := anchor.OpenRoot(d.rel)
	if err != nil {
		return zero, err
	}
	defer root.Close()
	return f(rootFS{root})
}

func (d folder) Open(name string) (fs.File, error) {
	return in(d, func(r rootFS) (fs.File, error) { return r.Open(name) })
}

func (d folder) ReadDir(name string) ([]fs.DirEntry, error) {
	return in(d, func(r rootFS) ([]fs.DirEntry, error) { return r.ReadDir(name) })
}

func (d folder) Stat(name string) (fs.FileInfo, error) {
	return in(d, func(r rootFS) (fs.FileInfo, error) { return r.Stat(name) })
}

func (d folder) Lstat(name string) (fs.FileInfo, error) {
	return in(d, func(r rootFS) (fs.FileInfo, error) { return r.Lstat(name) })
}

func (d folder) ReadLink(name string) (string, error) {
	return in(d, func(r rootFS) (string, error) { return r.ReadLink(name) })
}

// linkless is a folder of an [fs.FS], without what is reached through links,
// which could lead out of it.
type linkless struct {
	fsys fs.ReadLinkFS
	dir  string
}

func (l linkless) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	full := path.Join(l.dir, name)
	for i := range len(full) + 1 {
		if i < len(full) && full[i] != '/' {
			continue
		}
		info, err := l.fsys.Lstat(full[:i])
		if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			err = &fs.PathError{Op: "open", Path: name, Err: errLink}
		}
		if err != nil {
			return nil, err
		}
	}
	return l.fsys.Open(full)
}
