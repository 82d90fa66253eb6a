// Package atomicfile writes files that are never seen half written.
package atomicfile

import (
	"os"
	"path/filepath"
)

// Write makes data the content of the file path, with mode 0600, in one step:
// whoever reads it sees the old content or the new. It goes through a
// temporary file in the same folder, which must exist, so a link at path is
// replaced, and a crash may leave that file behind. The error is one of the
// file system.
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
	}
	return err
}
