package unpack

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
)

const (
	// maxZipDirectory is the number of bytes of the table of contents of a zip
	// for each entry that it may have. archive/zip reads all of it at once.
	maxZipDirectory = 512

	// The sizes of fixed parts: APPNOTE.TXT 4.3.7 and 4.3.16.
	zipLocalHeader = 30
	zipEnd         = 22
)

// Flags of an encrypted file: APPNOTE.TXT 4.4.4, bits 0, 6 and 13.
const zipEncrypted = 1 | 1<<6 | 1<<13

func (a *archive) walkZip(m *meter, visit visitor) error {
	src := &zipSource{r: a.src, left: int64(a.opts.MaxEntries)*maxZipDirectory + 1<<17, max: a.opts.MaxEntries}
	r, err := zip.NewReader(src, a.size)
	if errors.Is(err, zip.ErrInsecurePath) {
		err = nil // names are looked at below
	}
	if err != nil {
		return &decodeError{err: err}
	}
	src.left = -1
	// Another program might take another place for the end, and see other files.
	end := make([]byte, zipEnd)
	if _, err := a.src.ReadAt(end, a.size-zipEnd-int64(len(r.Comment))); err != nil || !bytes.HasPrefix(end, []byte("PK\x05\x06")) {
		return &Error{Reason: "data after the end of the archive", Err: ErrUnsafe}
	}
	if err := a.checkZip(src, r); err != nil {
		return err
	}
	for _, f := range r.File {
		e, err := a.zipEntry(f)
		if err != nil {
			return err
		}
		body, err := f.Open()
		if err != nil {
			if errors.Is(err, zip.ErrAlgorithm) {
				err = fmt.Errorf("compression method %d is not supported", f.Method)
			}
			return &decodeError{f.Name, err}
		}
		m.r = body
		err = visit(e, m.file(e.raw, m))
		body.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// checkZip compares the table of contents with the headers that precede the
// files, which another program might go by, and looks for files in files.
func (a *archive) checkZip(src *zipSource, r *zip.Reader) error {
	type span struct {
		start, end int64
		name       string
	}
	spans := make([]span, 0, len(r.File))
	for _, f := range r.File {
		unsafe := func(reason string) error {
			return &Error{Entry: f.Name, Reason: reason, Err: ErrUnsafe}
		}
		start, header, body, err := src.localHeader(f)
		if err != nil {
			return &decodeError{f.Name, err}
		}
		flags := binary.LittleEndian.Uint16(header[6:])
		switch {
		case (f.Flags|flags)&zipEncrypted != 0:
			return unsafe("is encrypted")
		case binary.LittleEndian.Uint16(header[8:]) != f.Method:
			return unsafe("its two headers name different compressions")
		case string(header[zipLocalHeader:]) != f.Name:
			return unsafe(fmt.Sprintf("its two headers name different files, the other one %q", header[zipLocalHeader:]))
		case f.CompressedSize64 > uint64(a.size) || body > a.size-int64(f.CompressedSize64):
			return &decodeError{f.Name, io.ErrUnexpectedEOF}
		}
		spans = append(spans, span{start, body + int64(f.CompressedSize64), f.Name})
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	for i := 1; i < len(spans); i++ {
		if spans[i].start < spans[i-1].end {
			return &Error{Entry: spans[i].name, Reason: fmt.Sprintf("overlaps %q", spans[i-1].name), Err: ErrUnsafe}
		}
	}
	return nil
}

func (a *archive) zipEntry(f *zip.File) (entry, error) {
	e := entry{raw: f.Name, perm: f.Mode().Perm()}
	unsafe := func(reason string) (entry, error) {
		return e, &Error{Entry: f.Name, Reason: reason, Err: ErrUnsafe}
	}
	switch mode := f.Mode(); {
	case mode&fs.ModeSymlink != 0:
		return unsafe("is a link in a zip")
	case mode.Type()&^fs.ModeDir != 0:
		return unsafe("is neither a file nor a folder")
	case mode.IsDir():
		e.kind = kindFolder
		if f.UncompressedSize64 != 0 {
			return unsafe("is a folder with content")
		}
	}
	if f.ExternalAttrs>>16 == 0 {
		// Made where there are no modes, or by a program that gives none.
		e.perm = 0o644
		if e.kind == kindFolder {
			e.perm = 0o755
		}
	}
	name, reason := stripName(f.Name, a.opts.StripComponents)
	if reason != "" {
		return unsafe(reason)
	}
	e.name = name
	return e, nil
}

// A zipSource is what archive/zip reads from. It limits the size of the table of
// contents, and notes where headers are, which archive/zip does not tell.
type zipSource struct {
	r      io.ReaderAt
	left   int64 // bytes that may still be read, or -1
	max    int
	offset int64 // of the last read
	length int
}

func (s *zipSource) ReadAt(p []byte, off int64) (int, error) {
	s.offset, s.length = off, len(p)
	if s.left >= 0 {
		if s.left -= int64(len(p)); s.left < 0 {
			return 0, &Error{Reason: fmt.Sprintf("the table of contents is too large for %d entries", s.max), Err: ErrLimit}
		}
	}
	return s.r.ReadAt(p, off)
}

// localHeader returns the offset of the header before a file, the header with
// the name, and the offset of the content.
func (s *zipSource) localHeader(f *zip.File) (start int64, header []byte, body int64, err error) {
	// DataOffset reads the fixed part of the header, and nothing else.
	s.length = 0
	body, err = f.DataOffset()
	if err != nil {
		return 0, nil, 0, err
	}
	if s.length != zipLocalHeader {
		return 0, nil, 0, errors.New("archive/zip read no header")
	}
	start = s.offset
	header = make([]byte, zipLocalHeader)
	if _, err := s.r.ReadAt(header, start); err != nil {
		return 0, nil, 0, err
	}
	header = append(header, make([]byte, binary.LittleEndian.Uint16(header[26:]))...)
	if _, err := s.r.ReadAt(header[zipLocalHeader:], start+zipLocalHeader); err != nil {
		return 0, nil, 0, err
	}
	return start, header, body, nil
}
