//go:build linux || darwin

package install

import (
	"os"
	"path/filepath"
)

// inFolders calls fn with the folders that two files are in. They are opened
// through the root, and so are within it whatever links there are.
func inFolders(root *os.Root, a, b string, fn func(dirA, dirB int) error) error {
	dirA, err := root.Open(filepath.Dir(a))
	if err != nil {
		return err
	}
	defer dirA.Close()
	dirB, err := root.Open(filepath.Dir(b))
	if err != nil {
		return err
	}
	defer dirB.Close()
	if err := fn(int(dirA.Fd()), int(dirB.Fd())); err != nil {
		return &os.LinkError{Op: "exchange", Old: a, New: b, Err: err}
	}
	_ = dirB.Sync() // without it the exchange may be lost with the power, not half of it
	return nil
}
