package publish

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// WriteFolder makes the folder dir with the files of s, and its [ListingFile]
// if s has a listing. The folder that is to hold dir must exist.
//
// The files are staged in a folder beside dir, whose name begins with a dot and
// which a kill may leave behind, and get their place in one step: dir is whole or
// not there. If dir exists the error wraps [fs.ErrExist], unless replace is true;
// then dir must be the folder of a skill with nothing in it that would be lost,
// such as a .git, and is replaced: in one step on Linux and macOS, in two
// elsewhere.
func (s *Skill) WriteFolder(ctx context.Context, dir string, replace bool) (err error) {
	dir = filepath.Clean(dir)
	there, err := replaceable(ctx, dir, replace)
	if err != nil {
		return err
	}
	stage, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+".tmp-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(stage)) }()
	fresh := filepath.Join(stage, "new")
	if err := os.Mkdir(fresh, 0o777); err != nil {
		return err
	}
	if err := s.writeFiles(ctx, fresh); err != nil {
		return err
	}
	if !there {
		return os.Rename(fresh, dir)
	}
	// The old folder ends up in stage.
	if err := exchange(fresh, dir); !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	old := filepath.Join(stage, "old")
	if err := os.Rename(dir, old); err != nil {
		return err
	}
	if err := os.Rename(fresh, dir); err != nil {
		return errors.Join(err, os.Rename(old, dir))
	}
	return nil
}

// replaceable reports whether dir is there, with an error if it must stay.
func replaceable(ctx context.Context, dir string, replace bool) (there bool, err error) {
	info, err := os.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case !replace:
		return true, &fs.PathError{Op: "mkdir", Path: dir, Err: fs.ErrExist}
	case !info.IsDir():
		return true, fmt.Errorf("%s is not replaced: not a folder", dir)
	}
	old, err := ReadFolder(ctx, dir)
	if err != nil {
		return true, fmt.Errorf("%s is not replaced: %w", dir, err)
	}
	for _, l := range old.LeftOut {
		if l.Why != Junk && l.Path != ListingFile {
			return true, fmt.Errorf("%s is not replaced: %s in it would be lost; move it away", dir, l.Path)
		}
	}
	return true, nil
}

// writeFiles writes all files into the folder dir, which is empty.
func (s *Skill) writeFiles(ctx context.Context, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	files := s.Files
	if l := s.Listing; !l.empty() {
		l.SamplePrompts = append([]string{}, l.SamplePrompts...)
		data, err := marshal(l)
		if err != nil {
			return err
		}
		files = append(files[:len(files):len(files)], File{Path: ListingFile, Data: data})
	}
	for i := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := writeFile(root, &files[i]); err != nil {
			return err
		}
	}
	return nil
}

func writeFile(root *os.Root, f *File) error {
	name := filepath.FromSlash(f.Path)
	if err := root.MkdirAll(filepath.FromSlash(path.Dir(f.Path)), 0o777); err != nil {
		return err
	}
	out, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fs.FileMode(f.mode()))
	if err != nil {
		return err
	}
	_, err = out.Write(f.Data)
	if err == nil {
		err = out.Sync() // or a crash of the system could leave empty files under the new name
	}
	if closeErr := out.Close(); err == nil {
		err = closeErr
	}
	return err
}
