// Package atomicfile writes files that are never seen half written.
package atomicfile

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Write makes data the content of the file path, with mode 0600, in one step:
// whoever reads it sees the old content or the new, also after a crash of the
// system, and the new once Write has returned. It goes through a temporary file
// in the same folder, which must exist, so a link at path is replaced. A crash
// may leave that file behind; its name begins with a dot. The error is one of
// the file system.
func Write(path string, data []byte) error {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer root.Close()
	return WriteIn(root, filepath.Base(path), data, 0o600)
}

// WriteIn is Write for the file of that name, which holds no separator, in the
// folder of root, with the permissions of mode; if that is 0, with those of any
// new file: 0666 less the umask.
func WriteIn(root *os.Root, name string, data []byte, mode fs.FileMode) error {
	temp := "." + name + ".tmp-" + rand.Text()
	first := fs.FileMode(0o600)
	if mode == 0 {
		first = 0o666
	}
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, first)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && mode != 0 && runtime.GOOS != "windows" {
		err = f.Chmod(mode.Perm()) // not at once, so that the umask takes nothing away
	}
	if err == nil {
		err = f.Sync() // or a crash of the system could leave the new name with no data
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = root.Rename(temp, name)
	}
	if err != nil {
		_ = root.Remove(temp)
		return err
	}
	return syncFolder(root)
}

// syncFolder makes a rename in a folder last. Windows has no such call for
// folders, and writes its journal by itself.
func syncFolder(root *os.Root) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
