//go:build !(linux || darwin || dragonfly || freebsd || netbsd || openbsd || windows)

package proc

import (
	"errors"
	"os/exec"
)

func setGroup(*exec.Cmd) error { return errors.ErrUnsupported }

func awaitExit(*exec.Cmd)       {}
func terminate(*exec.Cmd)       {}
func kill(*exec.Cmd)            {}
func hasMembers(*exec.Cmd) bool { return false }
