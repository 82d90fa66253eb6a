// Package unpack writes the files of an archive that nobody vouches for into a
// folder.
//
// An archive is read twice: first to look at all of it, with nothing written,
// then to write it. So an archive with one bad entry leaves nothing behind, as
// does one that is cut off, fails its checksum or is larger than allowed. What
// counts is what comes out of the decompressor; sizes in headers are not
// believed.
//
// The whole archive is refused for
//
//   - a name that is absolute, holds "..", a backslash, a drive letter, a control
//     character or invalid UTF-8, or is too long;
//   - two names that are the same, also if only a file system that ignores case or
//     Unicode normalisation takes them for the same, except for a folder that is
//     listed twice;
//   - an entry below a file or a link;
//   - a link, except for a relative one in a tar whose target stays inside: real
//     programs come with libx.so -> libx.so.1;
//   - a hard link, a device, a FIFO, a sparse file, an encrypted file;
//   - a zip whose two headers of a file disagree, whose files overlap, or that has
//     data after its end; a tar without an end.
//
// An archive in an archive is a file like any other. Owners and times are not
// kept, nor are the bits of a mode beyond 0755.
package unpack

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"
)

// The limits that hold when [Options] give no other. They let toolchains of tens
// of thousands of files and models of gigabytes pass.
const (
	DefaultMaxBytes     = 8 << 30 // 8 GiB
	DefaultMaxFileBytes = 4 << 30 // 4 GiB
	DefaultMaxEntries   = 80_000
	DefaultMaxRatio     = 200 // real archives reach about 20
)

// Options configure [Extract]. Nil means the defaults.
type Options struct {
	// StripComponents is the number of leading components that are taken off
	// each name. An entry of which nothing is left is passed over, after its
	// name was looked at. Negative means zero.
	StripComponents int

	// Name is the name of the file to write for [Gzip], [Bzip2] and [XZ], which
	// hold one file without a name. It is made executable.
	Name string

	// MaxBytes is the greatest number of bytes that may come out of the
	// archive in total. For a tar that includes its headers and padding.
	// Zero or less means [DefaultMaxBytes].
	MaxBytes int64

	// MaxFileBytes is the same for a single file.
	// Zero or less means [DefaultMaxFileBytes].
	MaxFileBytes int64

	// MaxEntries is the greatest number of entries, including folders that
	// are not listed but implied. Zero or less means [DefaultMaxEntries].
	MaxEntries int

	// MaxRatio is how many times as large as the archive its content may be.
	// It does not limit the first 16 MiB.
	// Zero or less means [DefaultMaxRatio].
	MaxRatio int64
}

// ratioFree is the number of bytes that any archive may unpack to.
const ratioFree = 16 << 20

var (
	// ErrUnsafe is wrapped by the [*Error] for an entry that is refused for
	// what it is.
	ErrUnsafe = errors.New("unpack: unsafe archive")

	// ErrLimit is wrapped by the [*Error] for a limit of [Options].
	ErrLimit = errors.New("unpack: archive over a limit")
)

// An Error reports an archive that was refused.
type Error struct {
	Format Format
	Entry  string // the name in the archive, or empty if no entry is at fault
	Reason string // lower case, without a final period; for a limit with its numbers
	Err    error  // [ErrUnsafe], [ErrLimit], the error of a decoder, or nil
}

// maxShown is the number of bytes of a name that an error shows.
const maxShown = 120

func (e *Error) Error() string {
	text := string(e.Format) + ": "
	if e.Entry != "" {
		name, dots := e.Entry, ""
		if len(name) > maxShown {
			name, dots = name[:maxShown], "…"
		}
		text += "entry " + strconv.Quote(name) + dots + ": "
	}
	return text + e.Reason
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// Extract writes the files of the archive src of size bytes into dst, which
// should be empty: nothing there is overwritten or followed, and anything in the
// way is an error. ctx bounds the work.
//
// The error is an [*Error] for a fault of the archive, and then nothing was
// written; the cause of ctx; or an error of the file system. After one of the
// latter, part of the content is in dst.
func Extract(ctx context.Context, dst *os.Root, src io.ReaderAt, size int64, format Format, opts *Options) error {
	a := newArchive(ctx, src, size, format, opts)
	tree := newTree(a.opts.MaxEntries)
	err := a.walk(func(e entry, body io.Reader) error {
		if err := tree.add(e); err != nil {
			return err
		}
		_, err := io.Copy(io.Discard, body)
		return err
	})
	if err != nil {
		return a.wrap(err)
	}
	if err := tree.makeFolders(dst); err != nil {
		return err
	}
	// The tree has links of its own making only at the end, so that nothing
	// can be written through one.
	err = a.walk(func(e entry, body io.Reader) error {
		if e.kind != kindFile || e.name == "" {
			_, err := io.Copy(io.Discard, body)
			return err
		}
		return tree.writeFile(dst, e.name, body)
	})
	if err != nil {
		return a.wrap(err)
	}
	return tree.makeLinks(dst)
}

// Files calls fn for each file of the archive src of size bytes, in the order of
// the archive, after all of it was looked at as [Extract] does. A link is
// refused. fn may read less than all of body. ctx bounds the work.
//
// The error is an [*Error] for a fault of the archive, and then fn was not
// called; the cause of ctx; an error of src; or that of fn.
func Files(ctx context.Context, src io.ReaderAt, size int64, format Format, opts *Options, fn func(name string, perm fs.FileMode, body io.Reader) error) error {
	a := newArchive(ctx, src, size, format, opts)
	tree := newTree(a.opts.MaxEntries)
	err := a.walk(func(e entry, body io.Reader) error {
		if e.kind == kindLink {
			return &Error{Entry: e.raw, Reason: "is a link", Err: ErrUnsafe}
		}
		if err := tree.add(e); err != nil {
			return err
		}
		_, err := io.Copy(io.Discard, body)
		return err
	})
	if err != nil {
		return a.wrap(err)
	}
	err = a.walk(func(e entry, body io.Reader) error {
		if e.kind == kindFile && e.name != "" {
			if err := fn(e.name, permission(e), body); err != nil {
				return err
			}
		}
		_, err := io.Copy(io.Discard, body)
		return err
	})
	if err != nil {
		return a.wrap(err)
	}
	return nil
}
