package unpack

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// An entryKind says what an entry is.
type entryKind int

const (
	kindFile entryKind = iota
	kindFolder
	kindLink
)

func (k entryKind) String() string { return [...]string{"file", "folder", "link"}[k] }

// An entry is what the reader of a format found, with its name checked.
type entry struct {
	raw    string // its name in the archive
	name   string // its name below the folder that is written to, or "" if it is passed over
	kind   entryKind
	perm   fs.FileMode // permission bits
	target string      // of a link
}

// A tree is what an archive unpacks to.
type tree struct {
	root *node
	left int // number of entries that may still come
	max  int
}

type node struct {
	name     string // of this component
	kind     entryKind
	perm     fs.FileMode
	target   string
	children map[string]*node // by folded name
}

func newTree(maxEntries int) *tree {
	return &tree{root: &node{kind: kindFolder}, left: maxEntries, max: maxEntries}
}

func (t *tree) count(e entry) error {
	if t.left--; t.left < 0 {
		return &Error{Entry: e.raw, Reason: fmt.Sprintf("more than %d entries", t.max), Err: ErrLimit}
	}
	return nil
}

// add adds an entry unless it is in conflict with one that was added before.
func (t *tree) add(e entry) error {
	if err := t.count(e); err != nil {
		return err
	}
	if e.name == "" {
		return nil
	}
	unsafe := func(format string, args ...any) error {
		return &Error{Entry: e.raw, Reason: fmt.Sprintf(format, args...), Err: ErrUnsafe}
	}
	at := t.root
	parts := strings.Split(e.name, "/")
	for i, part := range parts {
		last := i == len(parts)-1
		next := at.children[Fold(part)]
		switch {
		case next == nil:
			if !last {
				if err := t.count(e); err != nil {
					return err
				}
			}
			next = &node{name: part, kind: kindFolder, perm: 0o755}
			if at.children == nil {
				at.children = map[string]*node{}
			}
			at.children[Fold(part)] = next
			if last {
				next.kind, next.target = e.kind, e.target
			}
		case next.name != part:
			return unsafe("%q and %q are the same name where case or normalisation do not count", part, next.name)
		case !last && next.kind != kindFolder:
			return unsafe("is below a %v", next.kind)
		case last && next.kind != e.kind:
			return unsafe("a %v has the name of this %v", next.kind, e.kind)
		case last && e.kind != kindFolder:
			return unsafe("a second %v of this name", e.kind)
		}
		at = next
	}
	at.perm = permission(e)
	return nil
}

// permission returns the mode to give to an entry. Nobody but the owner may
// write, and the owner can always read and write it, and remove it.
func permission(e entry) fs.FileMode {
	if e.kind == kindFolder {
		return e.perm&0o755 | 0o700
	}
	return e.perm&0o755 | 0o600
}

// Fold returns what a file system that ignores case and normalisation takes a
// name for.
func Fold(name string) string {
	for i := range len(name) {
		if name[i] >= 0x80 {
			return norm.NFC.String(cases.Fold().String(norm.NFD.String(name)))
		}
	}
	return strings.ToLower(name)
}

// makeFolders makes all folders, none of which may be there.
func (t *tree) makeFolders(dst *os.Root) error {
	return t.root.each("", func(name string, n *node) error {
		if n.kind != kindFolder {
			return nil
		}
		return dst.Mkdir(filepath.FromSlash(name), n.perm)
	})
}

// makeLinks makes all links.
func (t *tree) makeLinks(dst *os.Root) error {
	return t.root.each("", func(name string, n *node) error {
		if n.kind != kindLink {
			return nil
		}
		return dst.Symlink(filepath.FromSlash(n.target), filepath.FromSlash(name))
	})
}

// each calls fn for all below n, in the order of names, a folder first.
func (n *node) each(dir string, fn func(name string, n *node) error) error {
	for _, key := range slices.Sorted(maps.Keys(n.children)) {
		child := n.children[key]
		name := dir + child.name
		if err := fn(name, child); err != nil {
			return err
		}
		if err := child.each(name+"/", fn); err != nil {
			return err
		}
	}
	return nil
}

var errChanged = errors.New("the archive changed while it was read")

// writeFile writes a file of the tree, which must not be there.
func (t *tree) writeFile(dst *os.Root, name string, body io.Reader) error {
	at := t.root
	for part := range strings.SplitSeq(name, "/") {
		if at = at.children[Fold(part)]; at == nil || at.name != part {
			return errChanged
		}
	}
	if at.kind != kindFile {
		return errChanged
	}
	f, err := dst.OpenFile(filepath.FromSlash(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, at.perm)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, body)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
