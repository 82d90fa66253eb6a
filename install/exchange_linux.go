package install

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// exchange exchanges two folders in one step.
func exchange(root *os.Root, a, b string) error {
	return inFolders(root, a, b, func(dirA, dirB int) error {
		err := unix.Renameat2(dirA, filepath.Base(a), dirB, filepath.Base(b), unix.RENAME_EXCHANGE)
		if err == unix.EINVAL || err == unix.ENOSYS { // of the file system, of the kernel
			return errors.ErrUnsupported
		}
		return err
	})
}

// flush brings all that was written to the file system of a folder to the disk:
// one call for any number of files.
func flush(root *os.Root, name string) error {
	dir, err := root.Open(name)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := unix.Syncfs(int(dir.Fd())); err != nil {
		return fmt.Errorf("write to the disk: %w", err)
	}
	return nil
}
