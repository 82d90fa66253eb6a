package loader

import (
	"encoding/binary"
	"errors"
	"io"
	"io/fs"

	"golang.org/x/sys/unix"

	"github.com/matrix-nexus/skillkit/metadata"
)

// openTree returns a tree over the folder dir.
func openTree(dir string) (tree, error) {
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: err}
	}
	t := fdTree{fd}
	// Kernels before 5.6 and some sandboxes have no openat2.
	top, err := t.open(".", unix.O_PATH)
	if err == nil {
		unix.Close(top)
		return t, nil
	}
	unix.Close(fd)
	if !errors.Is(err, unix.ENOSYS) && !errors.Is(err, unix.EPERM) {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: err}
	}
	return openRootTree(dir)
}

// An fdTree reads with bare system calls, since [os.Open] makes five more for
// each file, and finds a manifest by its name, without listing the folder.
type fdTree struct{ fd int }

func (t fdTree) probes() bool { return true }
func (t fdTree) close() error { return unix.Close(t.fd) }

// open opens a file or folder. The kernel refuses every link in the path and
// every way out of the tree.
func (t fdTree) open(name string, flags uint64) (fd int, err error) {
	how := unix.OpenHow{
		Flags:   flags | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	for {
		fd, err = unix.Openat2(t.fd, name, &how)
		// EAGAIN means that something was renamed meanwhile.
		if err != unix.EINTR && err != unix.EAGAIN {
			return fd, err
		}
	}
}

func (t fdTree) head(file string, buf *buffer, enough func([]byte) bool) (stamp, error) {
	fd, err := t.open(file, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY)
	switch err {
	case nil:
	case unix.ENOENT, unix.ENOTDIR:
		return stamp{}, fs.ErrNotExist
	case unix.ELOOP:
		return stamp{}, errLink
	case unix.ENXIO: // a socket
		return stamp{}, errNotRegular
	default:
		return stamp{}, err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return stamp{}, err
	}
	if err := regularStat(&st); err != nil {
		return stamp{}, err
	}
	return stampOfStat(&st), readHeadFD(fd, st.Size, buf, enough)
}

// readHeadFD is readHead for a file of known size, which saves the read that
// finds its end.
func readHeadFD(fd int, size int64, buf *buffer, enough func([]byte) bool) error {
	n, err := readFull(fd, buf.head[:], size)
	if err != nil || enough(buf.head[:n]) || int64(n) >= size {
		return err
	}
	if buf.large == nil {
		buf.large = make([]byte, metadata.MaxHeader)
	}
	copy(buf.large, buf.head[:n])
	m, err := readFull(fd, buf.large[n:], size-int64(n))
	if err == nil {
		enough(buf.large[:n+m])
	}
	return err
}

// readFull fills p, or reads as far as the file goes, which is size bytes.
func readFull(fd int, p []byte, size int64) (n int, err error) {
	for n < len(p) && int64(n) < size {
		m, err := unix.Read(fd, p[n:])
		switch {
		case err == unix.EINTR:
		case err != nil:
			return n, err
		case m == 0:
			return n, nil // it was cut short meanwhile
		default:
			n += m
		}
	}
	return n, nil
}

func (t fdTree) stat(file string) (stamp, error) {
	var st unix.Stat_t
	if err := unix.Fstatat(t.fd, file, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return stamp{}, err
	}
	return stampOfStat(&st), regularStat(&st)
}

func regularStat(st *unix.Stat_t) error {
	switch {
	case st.Mode&unix.S_IFMT == unix.S_IFLNK:
		return errLink
	case st.Mode&unix.S_IFMT != unix.S_IFREG:
		return errNotRegular
	case st.Size > metadata.MaxFile:
		return errTooLarge
	}
	return nil
}

func stampOfStat(st *unix.Stat_t) stamp {
	return stamp{
		size:     st.Size,
		modified: unix.TimespecToNsec(st.Mtim),
		changed:  unix.TimespecToNsec(st.Ctim),
		number:   st.Ino,
	}
}

// The layout of struct linux_dirent64: see getdents64(2).
const (
	direntLength = 16 // offset of the record's length, two bytes
	direntType   = 18
	direntName   = 19 // ends with a NUL
)

func (t fdTree) list(dir string, buf *buffer, yield func(dirent)) error {
	fd, err := t.open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NONBLOCK)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if buf.names == nil {
		buf.names = make([]byte, 32<<10)
	}
	for {
		n, err := unix.Getdents(fd, buf.names)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n == 0 {
			return err
		}
		for rest := buf.names[:n]; len(rest) > direntName; {
			length := int(binary.NativeEndian.Uint16(rest[direntLength:]))
			if length <= direntName || length > len(rest) {
				return io.ErrUnexpectedEOF
			}
			record := rest[:length]
			rest = rest[length:]
			name := unix.ByteSliceToString(record[direntName:])
			k := kindOf(record[direntType])
			if record[direntType] == unix.DT_UNKNOWN {
				k = statKind(fd, name)
			}
			if interesting(name, k) {
				yield(dirent{name, k})
			}
		}
	}
}

func kindOf(t byte) kind {
	switch t {
	case unix.DT_DIR:
		return isDir
	case unix.DT_LNK:
		return isLink
	}
	return other
}

// statKind is for file systems that do not keep the type in the entry.
func statKind(fd int, name string) kind {
	var st unix.Stat_t
	if unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return other
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		return isDir
	case unix.S_IFLNK:
		return isLink
	}
	return other
}
