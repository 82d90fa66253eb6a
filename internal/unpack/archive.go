package unpack

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/ulikunitz/xz"
)

// An archive is one that is being read.
type archive struct {
	ctx    context.Context
	src    io.ReaderAt
	size   int64
	format Format
	opts   Options // with the defaults filled in
}

func newArchive(ctx context.Context, src io.ReaderAt, size int64, format Format, opts *Options) *archive {
	a := &archive{ctx: ctx, src: src, size: size, format: format}
	if opts != nil {
		a.opts = *opts
	}
	o := &a.opts
	o.StripComponents = max(o.StripComponents, 0)
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.MaxFileBytes <= 0 {
		o.MaxFileBytes = DefaultMaxFileBytes
	}
	if o.MaxEntries <= 0 {
		o.MaxEntries = DefaultMaxEntries
	}
	if o.MaxRatio <= 0 {
		o.MaxRatio = DefaultMaxRatio
	}
	return a
}

// A visitor is called for each entry. It reads body, which is empty for all but
// a file, to its end.
type visitor func(e entry, body io.Reader) error

// walk reads the archive from its start to its end.
func (a *archive) walk(visit visitor) error {
	head := make([]byte, SniffLen)
	n, err := a.src.ReadAt(head[:min(SniffLen, max(a.size, 0))], 0)
	if err != nil && err != io.EOF {
		return err
	}
	is := Sniff(head[:n])
	if want := a.format.signature(); want != "" && is != want {
		return &Error{Reason: notThis(is, a.format)}
	}
	m := &meter{archive: a}
	if a.format == Zip {
		return a.walkZip(m, visit)
	}
	stream, err := a.decompress()
	if err != nil {
		return &decodeError{err: err}
	}
	m.r = bufio.NewReaderSize(stream, 1<<16)
	switch a.format {
	case Tar, TarGzip, TarBzip2, TarXZ:
		return a.walkTar(m, visit)
	case Gzip, Bzip2, XZ:
		name, reason := stripName(a.opts.Name, 0)
		if reason != "" || name == "" {
			return &Error{Entry: a.opts.Name, Reason: "a name for the file is wanted: " + reason}
		}
		e := entry{raw: a.opts.Name, name: name, perm: 0o755}
		return visit(e, m.file(e.raw, m))
	}
	return &Error{Reason: "not a format that can be unpacked"}
}

// decompress returns the content of all formats but zip.
func (a *archive) decompress() (io.Reader, error) {
	src := bufio.NewReaderSize(io.NewSectionReader(a.src, 0, a.size), 1<<16)
	switch a.format {
	case TarGzip, Gzip:
		return gzip.NewReader(src)
	case TarBzip2, Bzip2:
		return bzip2.NewReader(src), nil
	case TarXZ, XZ:
		if err := checkXZ(io.NewSectionReader(a.src, 0, a.size), a.size, a.opts.MaxRatio); err != nil {
			return nil, err
		}
		return xz.NewReader(src)
	}
	return src, nil
}

// wrap makes an [*Error] of an error of a decoder, and completes one.
func (a *archive) wrap(err error) error {
	if a.ctx.Err() != nil {
		return context.Cause(a.ctx)
	}
	if e, ok := errors.AsType[*Error](err); ok {
		e.Format = a.format
		return e
	}
	if e, ok := errors.AsType[*decodeError](err); ok {
		reason := e.err.Error()
		if errors.Is(e.err, io.ErrUnexpectedEOF) {
			reason = "the archive is cut off or damaged"
		}
		return &Error{Format: a.format, Entry: e.entry, Reason: reason, Err: e.err}
	}
	return err
}

// A decodeError is an error of reading an archive, as opposed to one of writing
// what is in it.
type decodeError struct {
	entry string
	err   error
}

func (e *decodeError) Error() string { return e.err.Error() }
func (e *decodeError) Unwrap() error { return e.err }

// A meter reads what a decompressor yields and counts it.
type meter struct {
	archive *archive
	r       io.Reader
	total   int64
	zeros   int64 // number of zeros at the end of what was read, for the tar reader
}

// Read reads content of the archive that may be of any file or of none.
func (m *meter) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	if err := m.count("", n); err != nil {
		return 0, err
	}
	if rest := bytes.TrimRight(p[:n], "\x00"); len(rest) > 0 {
		m.zeros = int64(n - len(rest))
	} else {
		m.zeros += int64(n)
	}
	if err != nil && err != io.EOF {
		err = &decodeError{err: err}
	}
	return n, err
}

// count counts n more bytes of content.
func (m *meter) count(entry string, n int) error {
	a := m.archive
	if a.ctx.Err() != nil {
		return context.Cause(a.ctx)
	}
	m.total += int64(n)
	if m.total > a.opts.MaxBytes {
		return &Error{Entry: entry, Reason: fmt.Sprintf("unpacks to more than %d bytes in total", a.opts.MaxBytes), Err: ErrLimit}
	}
	if m.total > ratioFree && m.total/a.opts.MaxRatio > a.size {
		return &Error{Entry: entry, Reason: fmt.Sprintf("unpacks to more than %d times its %d bytes", a.opts.MaxRatio, a.size), Err: ErrLimit}
	}
	return nil
}

// file returns a reader of the content of one file, of which r is the content.
func (m *meter) file(entry string, r io.Reader) io.Reader {
	return &fileMeter{entry: entry, r: r, max: m.archive.opts.MaxFileBytes}
}

type fileMeter struct {
	entry  string
	r      io.Reader
	n, max int64
}

func (f *fileMeter) Read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	f.n += int64(n)
	if f.n > f.max {
		return 0, &Error{Entry: f.entry, Reason: fmt.Sprintf("unpacks to a file of more than %d bytes", f.max), Err: ErrLimit}
	}
	if err == nil || err == io.EOF {
		return n, err
	}
	if _, ok := errors.AsType[*Error](err); ok {
		return n, err
	}
	return n, &decodeError{f.entry, err}
}
