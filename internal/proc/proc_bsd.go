//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package proc

import (
	"os/exec"

	"golang.org/x/sys/unix"
)

// awaitExit waits for the command to end and does not reap it.
func awaitExit(cmd *exec.Cmd) {
	queue, err := unix.Kqueue()
	if err != nil {
		return // as if it had ended: it is killed then
	}
	defer unix.Close(queue)
	var event unix.Kevent_t
	unix.SetKevent(&event, cmd.Process.Pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	event.Fflags = unix.NOTE_EXIT
	changes := []unix.Kevent_t{event}
	for {
		// ESRCH, as error or in the event, means that it has ended already.
		_, err := unix.Kevent(queue, changes, make([]unix.Kevent_t, 1), nil)
		if err != unix.EINTR {
			return
		}
		changes = nil // they were taken
	}
}

// hasMembers says that nothing is left of the group when the command has ended,
// so that what is left is killed at once.
func hasMembers(*exec.Cmd) bool { return false }
