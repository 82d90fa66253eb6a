//go:build !unix

package executa

import "io/fs"

const noWait = 0

// links cannot tell on this system.
func links(fs.FileInfo) uint64 { return 1 }
