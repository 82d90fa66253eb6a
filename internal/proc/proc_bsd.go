//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package proc

import (
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A tree is a command and its group.
type tree struct{ cmd *exec.Cmd }

func newTree(cmd *exec.Cmd, _ string) (*tree, error) {
	setGroup(cmd)
	return &tree{cmd: cmd}, nil
}

// awaitExit waits for the command to end and does not reap it.
func (t *tree) awaitExit() {
	queue, err := unix.Kqueue()
	if err != nil {
		return // as if it had ended: it is killed then
	}
	defer unix.Close(queue)
	var event unix.Kevent_t
	unix.SetKevent(&event, t.cmd.Process.Pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
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

func (t *tree) terminate() bool {
	t.signal(syscall.SIGTERM)
	// A process that is stopped does not learn of it otherwise.
	t.signal(syscall.SIGCONT)
	return true
}

func (t *tree) kill() { t.signal(syscall.SIGKILL) }

// hasMembers says that nothing is left of the group when the command has ended,
// so that what is left is killed at once.
func (t *tree) hasMembers() bool { return false }

func (t *tree) reap(<-chan time.Time) {}
func (t *tree) close()                {}
