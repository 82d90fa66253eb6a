//go:build !linux && !darwin

package install

import (
	"errors"
	"os"
)

func exchange(*os.Root, string, string) error { return errors.ErrUnsupported }

func flush(root *os.Root, name string) error { return flushFiles(root, name) }
