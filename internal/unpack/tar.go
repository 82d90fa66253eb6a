package unpack

import (
	"archive/tar"
	"bufio"
	"bytes"
	"io"
	"io/fs"
	"strconv"
	"strings"
)

// endOfTar is the least number of zeros at the end of a tar: one block. The
// standard wants two, and not all programs write them.
const endOfTar = 512

func (a *archive) walkTar(m *meter, visit visitor) error {
	head, _ := m.r.(*bufio.Reader).Peek(SniffLen)
	inside := Sniff(head)
	r := tar.NewReader(m)
	for first := true; ; first = false {
		m.zeros = 0
		h, err := r.Next()
		switch {
		case err == io.EOF && m.zeros < endOfTar:
			return &decodeError{err: io.ErrUnexpectedEOF}
		case err == io.EOF:
			return a.restOfTar(m)
		case first && inside != isTar && (err == tar.ErrHeader || err == io.ErrUnexpectedEOF && inside != ""):
			reason := notThis(inside, Tar)
			if a.format != Tar {
				reason = "in it, " + reason
			}
			return &Error{Reason: reason, Err: err}
		case err != nil:
			return &decodeError{err: err}
		}
		e, err := a.tarEntry(h)
		if err != nil {
			return err
		}
		body := io.Reader(r)
		if e.kind != kindFile {
			body = bytes.NewReader(nil)
		}
		if err := visit(e, m.file(e.raw, body)); err != nil {
			return err
		}
	}
}

// restOfTar reads what comes after the end, so that the checksum of the
// compression is looked at. It must be padding, lest another program sees more
// files than this one.
func (a *archive) restOfTar(m *meter) error {
	buf := make([]byte, 1<<15)
	for {
		n, err := m.Read(buf)
		if len(bytes.Trim(buf[:n], "\x00")) > 0 {
			return &Error{Reason: "data after the end of the archive", Err: ErrUnsafe}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (a *archive) tarEntry(h *tar.Header) (entry, error) {
	e := entry{raw: h.Name, perm: fs.FileMode(h.Mode) & fs.ModePerm}
	unsafe := func(reason string) (entry, error) {
		return e, &Error{Entry: h.Name, Reason: reason, Err: ErrUnsafe}
	}
	switch h.Typeflag {
	case tar.TypeReg:
		if strings.HasSuffix(h.Name, "/") {
			return unsafe("is a file with the name of a folder")
		}
	case tar.TypeDir:
		e.kind = kindFolder
	case tar.TypeSymlink:
		e.kind, e.target = kindLink, h.Linkname
	case tar.TypeXGlobalHeader:
		e.kind = kindFolder // passed over
		return e, nil
	case tar.TypeLink:
		return unsafe("is a hard link")
	case tar.TypeChar, tar.TypeBlock:
		return unsafe("is a device")
	case tar.TypeGNUSparse:
		return unsafe("is a sparse file")
	case tar.TypeFifo:
		return unsafe("is a FIFO")
	default:
		return unsafe("is of type " + strconv.QuoteRune(rune(h.Typeflag)) + ", neither a file nor a folder")
	}
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return unsafe("is a sparse file")
		}
	}
	name, reason := stripName(h.Name, a.opts.StripComponents)
	if reason == "" && name != "" && e.kind == kindLink {
		reason = checkTarget(name, e.target)
	}
	if reason != "" {
		return unsafe(reason)
	}
	e.name = name
	return e, nil
}
