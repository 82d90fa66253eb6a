//go:build unix

package jsonrpc

import "syscall"

const canTry = true

// tryWrite writes to fd, which does not block, until it has no more room.
func tryWrite(fd uintptr, b []byte) (n int, err error) {
	for n < len(b) {
		m, err := syscall.Write(int(fd), b[n:])
		switch {
		case err == syscall.EINTR:
		case err == syscall.EAGAIN:
			return n, nil
		case err != nil:
			return n, err
		default:
			n += m
		}
	}
	return n, nil
}
