package executa

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/matrix-nexus/skillkit/internal/jsonrpc"
)

// A fileTransport reads messages that a plugin put into files.
//
// The name of such a file comes from the plugin, and it is read and removed, so it
// has to be in the private folder of the process, which nobody else writes to: not
// in the folder for temporary files of the whole system either, although some
// plugins write there if they have no TMPDIR. They have one.
type fileTransport struct {
	dir string // absolute, without symbolic links
	max int64  // bytes of a file
}

// errFile is wrapped by the errors of calls whose answers are in files that are not taken.
var errFile = errors.New("the file of the answer is not taken")

// read reads the message in file, and makes it m, which is the one that named
// file. Unless file is outside of the folder or is a folder, it is removed.
func (t fileTransport) read(file string, m *jsonrpc.Message) error {
	rel, err := filepath.Rel(t.dir, file)
	if t.dir == "" || err != nil || !filepath.IsAbs(file) || !filepath.IsLocal(rel) || rel == "." {
		return fmt.Errorf("%q is not in the plugin's TMPDIR", file)
	}
	// Whatever is changed under our hands, the root is not left.
	root, err := t.open()
	if err != nil {
		return err
	}
	defer root.Close()
	info, err := lstat(root, rel)
	if err != nil {
		return err
	}
	defer root.Remove(rel)
	data, err := t.content(root, rel, info)
	if err != nil {
		return fmt.Errorf("%q %w", rel, err)
	}
	outer := m.ID
	if err := jsonrpc.Decode(data, m); err != nil {
		return fmt.Errorf("%q does not hold a JSON object", rel)
	}
	if m.File != "" {
		return fmt.Errorf("%q names another file", rel)
	}
	if !sameID(outer, m.ID) {
		return fmt.Errorf("%q holds a message with the id %s, not %s", rel, m.ID, outer)
	}
	return nil
}

// open opens the folder, unless the plugin has put a link in its place.
func (t fileTransport) open() (*os.Root, error) {
	named, err := os.Lstat(t.dir)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(t.dir)
	if err != nil {
		return nil, err
	}
	opened, err := root.Stat(".")
	if err == nil && !os.SameFile(named, opened) {
		err = fmt.Errorf("%q is not a folder any more", t.dir)
	}
	if err != nil {
		root.Close()
		return nil, err
	}
	return root, nil
}

// lstat describes the file, to which no symbolic link may lead. It is an error if
// it is a folder.
func lstat(root *os.Root, rel string) (info fs.FileInfo, err error) {
	parts := strings.Split(rel, string(filepath.Separator))
	for i := range parts {
		info, err = root.Lstat(filepath.Join(parts[:i+1]...))
		if err != nil {
			return nil, err
		}
		if last := i == len(parts)-1; info.IsDir() == last {
			return nil, fmt.Errorf("%.200q: a file in folders is wanted, not %s", rel, info.Mode().Type())
		}
	}
	return info, nil
}

// content returns what is in the file that info describes.
func (t fileTransport) content(root *os.Root, rel string, info fs.FileInfo) ([]byte, error) {
	if !info.Mode().IsRegular() {
		return nil, errors.New("is not a regular file")
	}
	f, err := root.OpenFile(rel, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	opened, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !os.SameFile(info, opened):
		return nil, errors.New("was replaced while it was opened")
	case links(opened) > 1:
		return nil, errors.New("has another name elsewhere")
	case opened.Size() > t.max:
		return nil, fmt.Errorf("has %d bytes, and at most %d are taken", opened.Size(), t.max)
	}
	data := make([]byte, opened.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, err
	}
	return data, nil
}
