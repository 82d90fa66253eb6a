package install

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// exchange exchanges two folders in one step.
func exchange(root *os.Root, a, b string) error {
	return inFolders(root, a, b, func(dirA, dirB int) error {
		err := unix.RenameatxNp(dirA, filepath.Base(a), dirB, filepath.Base(b), unix.RENAME_SWAP)
		if err == unix.ENOTSUP || err == unix.EINVAL { // of the file system
			return errors.ErrUnsupported
		}
		return err
	})
}

func flush(root *os.Root, name string) error { return flushFiles(root, name) }
