package executa

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"strings"
)

// pinned returns the path by which to start the program at file, after a look at
// its digest: on Linux one that leads to the file that was read, also if another
// has been put in its place. A script is started by its own path, since its
// interpreter opens it; that, and a file that is written to in place, is not seen
// between the two. release is called after the start. Without a digest all are
// taken.
func pinned(file, digest string) (program string, release func(), err error) {
	release = func() {}
	if digest == "" {
		return file, release, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return "", nil, err
	}
	defer func() {
		if err != nil || program == file {
			f.Close()
		}
	}()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", nil, err
	}
	if got := fmt.Sprintf("%x", h.Sum(nil)); !strings.EqualFold(got, digest) {
		return "", nil, fmt.Errorf("%s is not the program that was pinned: its SHA-256 is %s, not %s", file, got, digest)
	}
	start := make([]byte, 2)
	if _, err := f.ReadAt(start, 0); err == nil && string(start) == "#!" {
		return file, release, nil
	}
	if program = samePath(f); program == "" {
		return file, release, nil
	}
	return program, func() { f.Close() }, nil
}
