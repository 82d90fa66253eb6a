//go:build !linux

package install

import (
	"io/fs"
	"os"
	"path"
)

// flushFiles brings each file below a folder to the disk.
func flushFiles(root *os.Root, name string) error {
	sub, err := root.OpenRoot(name)
	if err != nil {
		return err
	}
	defer sub.Close()
	return fs.WalkDir(sub.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		f, err := sub.OpenFile(path.Clean(name), os.O_RDWR, 0)
		if err != nil {
			return err
		}
		err = f.Sync()
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		return err
	})
}
