//go:build unix

package install

import (
	"os/exec"
	"syscall"
)

// detach takes the terminal away from a command, by a session of its own: a
// program that asks for a password does so on the terminal, whatever its
// standard input is.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
