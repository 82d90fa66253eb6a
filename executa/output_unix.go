//go:build unix

package executa

import (
	"io"
	"os"
	"syscall"
)

// readNow reads what is in a pipe, without waiting for more.
func readNow(f *os.File, p []byte) (n int, err error) {
	conn, err := f.SyscallConn()
	if err != nil {
		return 0, err
	}
	readErr := conn.Read(func(fd uintptr) bool {
		for {
			n, err = syscall.Read(int(fd), p) // it does not block: the file has deadlines
			if err != syscall.EINTR {
				return true
			}
		}
	})
	if readErr != nil || err != nil {
		return 0, io.EOF
	}
	return n, nil
}
