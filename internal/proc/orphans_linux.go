package proc

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// AdoptOrphans makes this program the parent of all descendants whose parent ends,
// in place of init(1); see PR_SET_CHILD_SUBREAPER in prctl(2). Groups then reap
// what is left of them, so that nothing of a plugin is left, not even a zombie,
// also in a container whose init does not reap. It is for the main package of a
// program, since it holds for the whole process: an orphan that left its group and
// ended before its group did, or that belongs to no group of this package, stays a
// zombie until the program ends. Where there is no such thing it does nothing.
func AdoptOrphans() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// adopting reports whether this process gets orphans, which is also so if it is the
// init of a container.
func adopting() bool {
	if unix.Getpid() == 1 {
		return true
	}
	var on int32
	// Not unix.Prctl, whose parameter does not keep the pointer alive.
	_, _, errno := syscall.RawSyscall(unix.SYS_PRCTL, unix.PR_GET_CHILD_SUBREAPER, uintptr(unsafe.Pointer(&on)), 0)
	return errno == 0 && on != 0
}
