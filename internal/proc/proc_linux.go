package proc

import (
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A tree is a command, its group, and if it is marked, the processes that left the
// group. Its methods, but for awaitExit, are called by one goroutine.
type tree struct {
	cmd    *exec.Cmd
	mark   string
	strays strays
}

func newTree(cmd *exec.Cmd, mark string) (*tree, error) {
	setGroup(cmd)
	return &tree{cmd: cmd, mark: mark, strays: strays{}}, nil
}

// awaitExit waits for the command to end and does not reap it.
func (t *tree) awaitExit() {
	for unix.Waitid(unix.P_PID, t.cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
}

func (t *tree) terminate() bool {
	t.look()
	t.strays.signal(syscall.SIGTERM)
	t.signal(syscall.SIGTERM)
	// A process that is stopped, such as by reading from the terminal, does
	// not learn of it otherwise.
	t.signal(syscall.SIGCONT)
	t.strays.signal(syscall.SIGCONT)
	return true
}

// maxLooks is how often what left the group is looked for when it is killed: one
// may have started another just before.
const maxLooks = 20

func (t *tree) kill() {
	t.look()
	t.signal(syscall.SIGKILL)
	for range maxLooks {
		t.strays.signal(syscall.SIGKILL)
		if !t.look() {
			return
		}
	}
}

// hasMembers reports whether the group holds a process, other than the command,
// that has not ended, or one that left it has not. It is for politeness only,
// since SIGKILL follows in any case; without /proc it is false.
//
// kill(2) cannot tell: a process that has ended and is not reaped, as is the
// command itself, is a member.
func (t *tree) hasMembers() bool {
	t.look()
	group := t.cmd.Process.Pid
	for _, p := range processes() {
		if !p.dead && p.pid != group && (p.group == group || t.strays[p.pid] != nil) {
			return true
		}
	}
	return false
}

// reap waits for what was killed beside the command, and after [AdoptOrphans]
// reaps it. The command itself is not reaped yet: its id is no other group's.
func (t *tree) reap(limit <-chan time.Time) {
	adopting := adopting()
	if !adopting && len(t.strays) == 0 {
		return
	}
	self, group := unix.Getpid(), t.cmd.Process.Pid
	for pause := memberPoll; ; pause = min(2*pause, maxPoll) {
		left := false
		for _, p := range processes() {
			stray := t.strays[p.pid]
			switch {
			case p.pid == group || p.group != group && stray == nil:
			case !p.dead || adopting && p.parent != self:
				left = true // its parent, which is dying, did not hand it over yet
			case adopting && (stray == nil || stray.Signal(syscall.Signal(0)) == nil):
				// It is our child, and os/exec did not start it: what
				// that starts has our group or one of its own.
				if pid, _ := unix.Wait4(p.pid, nil, unix.WNOHANG, nil); pid != p.pid {
					left = true
				}
			}
		}
		if !left {
			return
		}
		select {
		case <-limit:
			return
		case <-time.After(pause):
		}
	}
}

func (t *tree) close() { t.strays.close() }
