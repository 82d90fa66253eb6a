package publish

import (
	"errors"

	"golang.org/x/sys/unix"
)

// exchange makes each of two paths the name of what the other one named, in one
// step. Not every file system can, which is [errors.ErrUnsupported].
func exchange(a, b string) error {
	err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
	if err == unix.EINVAL || err == unix.ENOSYS {
		return errors.ErrUnsupported
	}
	return err
}
