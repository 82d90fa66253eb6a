package loader

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/skills"
)

// A tree reads a directory tree without following links. Paths are
// slash-separated and relative to its top, which is ".". It is safe for
// concurrent use. It has two implementations that give the same results: one
// over [fs.FS], and one that saves system calls on Linux.
type tree interface {
	// head calls enough with the first headSize bytes of a regular file; if it
	// answers false and there is more, again with up to [metadata.MaxHeader].
	// buf is scratch memory.
	head(file string, buf *buffer, enough func(head []byte) bool) (stamp, error)
	// stat returns the stamp of a regular file.
	stat(file string) (stamp, error)
	// list yields what a walk may be interested in, in any order.
	list(dir string, buf *buffer, yield func(dirent)) error
	// probes reports that asking for a file that may not exist is cheaper
	// than listing its folder, and finds it by its exact name only.
	probes() bool
	close() error
}

// headSize is how many bytes of a manifest file are read at first: enough for
// 99.5 % of the headers that are in use.
const headSize = 4 << 10

// A buffer is the scratch memory of one worker.
type buffer struct {
	head  [headSize]byte
	large []byte // of metadata.MaxHeader bytes, made when first needed
	names []byte
}

// errLink is the cause for a manifest file that is a link, errTooLarge for
// one of more than [metadata.MaxFile] bytes.
var (
	errLink     = errors.New("is a link")
	errTooLarge = errors.New("larger than 1 MiB; move what is long to supporting files")
)

// A stamp tells one state of a file from another.
type stamp struct {
	size, modified, changed int64 // times in nanoseconds, changed zero where unknown
	number                  uint64
}

// last is when the file was last written, as far as the stamp tells.
func (s stamp) last() int64 { return max(s.modified, s.changed) }

func stampOf(info fs.FileInfo) stamp {
	return stamp{size: info.Size(), modified: info.ModTime().UnixNano()}
}

// tick is longer than the steps in which kernels count file times. A file
// that was written less than that before it was read may have been written
// again without a trace in its stamp.
const tick = 50 * time.Millisecond

// A dirent is an entry of a folder.
type dirent struct {
	name string
	kind kind
}

type kind uint8

const (
	other kind = iota
	isDir
	isLink
)

// interesting reports whether a walk needs to know of an entry.
func interesting[S string | []byte](name S, k kind) bool {
	if len(name) == len(skills.FileName) && strings.EqualFold(string(name), skills.FileName) {
		return true
	}
	return k != other && !passedOver(name)
}

// passedOver reports whether a walk does not look into folders of that name.
func passedOver[S string | []byte](name S) bool {
	switch string(name) {
	case "node_modules", "venv", "dist", "__pycache__":
		return true
	}
	return len(name) == 0 || name[0] == '.'
}

// fsTree is the tree over any [fs.FS].
type fsTree struct {
	fsys   fs.FS
	closer io.Closer // or nil
}

func (t fsTree) probes() bool { return false }

func (t fsTree) close() error {
	if t.closer == nil {
		return nil
	}
	return t.closer.Close()
}

func (t fsTree) stat(file string) (stamp, error) {
	info, err := fs.Lstat(t.fsys, file)
	if err != nil {
		return stamp{}, err
	}
	return stampOf(info), regular(info)
}

// regular returns what keeps info from being that of a manifest file.
func regular(info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return errLink
	case !info.Mode().IsRegular():
		return errNotRegular
	case info.Size() > metadata.MaxFile:
		return errTooLarge
	}
	return nil
}

func (t fsTree) head(file string, buf *buffer, enough func([]byte) bool) (stamp, error) {
	// Looking before opening: opening may follow a link, or block.
	if _, err := t.stat(file); err != nil {
		return stamp{}, err
	}
	f, err := t.fsys.Open(file)
	if err != nil {
		return stamp{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return stamp{}, err
	}
	if err := regular(info); err != nil {
		return stamp{}, err
	}
	return stampOf(info), readHead(f, buf, enough)
}

// readHead does the reading of [tree.head].
func readHead(r io.Reader, buf *buffer, enough func([]byte) bool) error {
	n, err := io.ReadFull(r, buf.head[:])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	if enough(buf.head[:n]) || err != nil {
		return nil
	}
	if buf.large == nil {
		buf.large = make([]byte, metadata.MaxHeader)
	}
	copy(buf.large, buf.head[:n])
	m, err := io.ReadFull(r, buf.large[n:])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	enough(buf.large[:n+m])
	return nil
}

func (t fsTree) list(dir string, _ *buffer, yield func(dirent)) error {
	entries, err := fs.ReadDir(t.fsys, dir)
	for _, e := range entries {
		k := other
		switch {
		case e.IsDir():
			k = isDir
		case e.Type()&fs.ModeSymlink != 0:
			k = isLink
		}
		if interesting(e.Name(), k) {
			yield(dirent{path.Base(e.Name()), k})
		}
	}
	return err
}

// openRootTree returns the tree over the folder dir that works everywhere.
func openRootTree(dir string) (tree, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return fsTree{rootFS{root}, root}, nil
}
