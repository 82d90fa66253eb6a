//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package proc

import (
	"os/exec"
	"syscall"
)

// setGroup makes cmd start in a group of its own. A session of its own is one.
func setGroup(cmd *exec.Cmd) error {
	var attr syscall.SysProcAttr
	if cmd.SysProcAttr != nil {
		attr = *cmd.SysProcAttr
	}
	attr.Setpgid, attr.Pgid = !attr.Setsid, 0
	cmd.SysProcAttr = &attr
	return nil
}

func terminate(cmd *exec.Cmd) {
	signal(cmd, syscall.SIGTERM)
	// A process that is stopped, such as by reading from the terminal, does
	// not learn of it otherwise.
	signal(cmd, syscall.SIGCONT)
}

func kill(cmd *exec.Cmd) { signal(cmd, syscall.SIGKILL) }

// signal sends sig to the group, or to the command alone if that has left its
// group and nothing else is in it. That it is not allowed to, or that there is
// nobody, shows in what happens next.
func signal(cmd *exec.Cmd, sig syscall.Signal) {
	if syscall.Kill(-cmd.Process.Pid, sig) == syscall.ESRCH {
		_ = cmd.Process.Signal(sig)
	}
}
