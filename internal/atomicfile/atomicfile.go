// Package atomicfile writes files that are never seen half written.
package atomicfile

import (
	"errors"
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
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".tmp-*") // has mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync() // or a crash of the system could leave the new name with no data
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// syncFolder makes a rename in a folder last. Windows has no such call for
// folders, and writes its journal by itself.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
