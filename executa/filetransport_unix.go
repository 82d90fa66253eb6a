//go:build unix

package executa

import (
	"io/fs"
	"syscall"
)

// noWait opens a named pipe, which has been put in the place of a file, without
// waiting for its writer.
const noWait = syscall.O_NONBLOCK

// links returns how many names a file has.
func links(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink)
	}
	return 1
}
