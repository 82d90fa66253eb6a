//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package proc

import (
	"os/exec"
	"syscall"
)

// setGroup makes cmd start in a group of its own. A session of its own is one.
func setGroup(cmd *exec.Cmd) {
	var attr syscall.SysProcAttr
	if cmd.SysProcAttr != nil {
		attr = *cmd.SysProcAttr
	}
	attr.Setpgid, attr.Pgid = !attr.Setsid, 0
	cmd.SysProcAttr = &attr
}

func (t *tree) start() error { return t.cmd.Start() }

// signal sends sig to the group, or to the command alone if that has left its
// group and nothing else is in it. That it is not allowed to, or that there is
// nobody, shows in what happens next.
func (t *tree) signal(sig syscall.Signal) {
	if syscall.Kill(-t.cmd.Process.Pid, sig) == syscall.ESRCH {
		_ = t.cmd.Process.Signal(sig)
	}
}
