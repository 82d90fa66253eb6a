package publish

import (
	"errors"

	"golang.org/x/sys/unix"
)

// exchange makes each of two paths the name of what the other one named, in one
// step. Not every file system can, which is [errors.ErrUnsupported].
func exchange(a, b string) error {
	err := unix.RenameatxNp(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_SWAP)
	if err == unix.ENOTSUP {
		return errors.ErrUnsupported
	}
	return err
}
