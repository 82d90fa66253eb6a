//go:build unix

package unpack_test

import (
	"syscall"
	"testing"
)

// clearUmask makes files come out with the modes that they are made with.
func clearUmask(t *testing.T) {
	old := syscall.Umask(0)
	t.Cleanup(func() { syscall.Umask(old) })
}
