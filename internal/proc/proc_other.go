//go:build !(linux || darwin || dragonfly || freebsd || netbsd || openbsd || windows)

package proc

import (
	"errors"
	"os/exec"
	"time"
)

type tree struct{ cmd *exec.Cmd }

func newTree(*exec.Cmd, string) (*tree, error) { return nil, errors.ErrUnsupported }

func (t *tree) start() error          { return errors.ErrUnsupported }
func (t *tree) awaitExit()            {}
func (t *tree) terminate() bool       { return false }
func (t *tree) kill()                 {}
func (t *tree) hasMembers() bool      { return false }
func (t *tree) reap(<-chan time.Time) {}
func (t *tree) close()                {}
