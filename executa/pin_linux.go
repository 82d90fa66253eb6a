package executa

import (
	"fmt"
	"os"
)

// samePath returns a path that leads to an open file, also for a child.
func samePath(f *os.File) string { return fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), f.Fd()) }
