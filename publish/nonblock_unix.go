//go:build unix

package publish

import "syscall"

// nonblock makes opening a FIFO that nobody writes to return at once.
const nonblock = syscall.O_NONBLOCK
