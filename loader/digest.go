package loader

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// Limits on what [Digest] reads.
const (
	// MaxDigestEntries is the number of files, links and folders.
	MaxDigestEntries = 100_000
	// MaxDigestBytes is the size in bytes of all files together.
	MaxDigestBytes = 256 << 20
	// MaxDigestDepth is how many folders deep a file may lie.
	MaxDigestDepth = 64
)

// Digest returns a digest of all that the folder dir of skills brings to an
// agent: each regular file below it with its path, its content and whether it
// is executable, and each symbolic link with its path and target as written.
// It has the form "sha256:" and 64 hex digits, and depends on neither times nor
// owners nor the order in which a folder lists its entries. Empty folders do
// not count.
//
// It covers all that a [Loader] reads of a root of source [skills.Workspace],
// since that reads nothing outside the root. It does not cover what links lead
// to in the folders of [Options.WorkspaceAllow]: take a digest of each of them
// too. Folders named .git are left out, since git writes there all the time;
// a link into one is an error, so that no skill hides there.
//
// No link below dir is followed. Whatever could not be covered is an error:
// what is neither file, folder nor link, a name that is not UTF-8, a file that
// cannot be read, and more than the limits allow. A digest says what was there
// while it was taken.
func Digest(ctx context.Context, dir string) (string, error) {
	return digest(ctx, dir, MaxDigestEntries, MaxDigestBytes)
}

func digest(ctx context.Context, dir string, maxEntries int, maxBytes int64) (string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	d := &digester{root: rootFS{root}, maxEntries: maxEntries, maxBytes: maxBytes}
	all := sha256.New()
	err = fs.WalkDir(d.root, ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil && name != "." {
			var record []byte
			record, err = d.record(name, e)
			all.Write(record)
		}
		if err == nil || err == fs.SkipDir {
			return err
		}
		return fmt.Errorf("digest of %s: %w", filepath.Join(dir, filepath.FromSlash(name)), cause(err))
	})
	if err != nil {
		return "", err
	}
	return "sha256:" + hex.EncodeToString(all.Sum(nil)), nil
}

// A digester knows how much was read.
type digester struct {
	root       rootFS
	entries    int
	maxEntries int
	bytes      int64
	maxBytes   int64
}

// record returns what stands for one entry: a letter, its path after its
// length, and a hash of fixed size. A folder has none.
func (d *digester) record(name string, e fs.DirEntry) ([]byte, error) {
	if e.IsDir() && e.Name() == ".git" {
		return nil, fs.SkipDir
	}
	d.entries++
	switch {
	case d.entries > d.maxEntries:
		return nil, fmt.Errorf("more than %d files and folders in all", d.maxEntries)
	case !utf8.ValidString(name):
		return nil, errors.New("the name is not UTF-8: rename it")
	case strings.Count(name, "/") > MaxDigestDepth:
		return nil, fmt.Errorf("more than %d folders deep", MaxDigestDepth)
	}
	var kind byte
	var content [sha256.Size]byte
	switch e.Type() {
	case fs.ModeDir:
		return nil, nil
	case fs.ModeSymlink:
		target, err := d.root.ReadLink(name)
		if err != nil {
			return nil, err
		}
		for part := range strings.FieldsFuncSeq(target, func(r rune) bool { return r == '/' || r == filepath.Separator }) {
			if strings.EqualFold(part, ".git") {
				return nil, fmt.Errorf("a link into %s, which the digest does not cover: remove it", part)
			}
		}
		kind, content = 'l', sha256.Sum256([]byte(target))
	case 0:
		f, err := d.root.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return nil, err
		}
		kind = 'f'
		if info.Mode()&0o111 != 0 {
			kind = 'x'
		}
		sum := sha256.New()
		n, err := io.Copy(sum, io.LimitReader(f, d.maxBytes-d.bytes+1))
		if err != nil {
			return nil, err
		}
		if d.bytes += n; d.bytes > d.maxBytes {
			return nil, fmt.Errorf("more than %d bytes of files in all", d.maxBytes)
		}
		sum.Sum(content[:0])
	default:
		return nil, errors.New("neither file, folder nor link: remove it")
	}
	record := binary.AppendUvarint([]byte{kind}, uint64(len(name)))
	return append(append(record, name...), content[:]...), nil
}
