//go:build unix

package install

import (
	"os/signal"
	"syscall"
	"testing"
)

const runsLimits = true

// limitFiles makes writing to a file fail beyond a size, as on a full disk.
func limitFiles(t *testing.T, size uint64) {
	if size == 0 {
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: size}); err != nil {
		t.Fatal(err)
	}
}
