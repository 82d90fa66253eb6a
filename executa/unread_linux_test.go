package executa_test

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// unread returns how many bytes a pipe holds: TIOCINQ is FIONREAD.
func unread(t *testing.T, pipe *os.File) int {
	t.Helper()
	n, err := unix.IoctlGetInt(int(pipe.Fd()), unix.TIOCINQ)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
