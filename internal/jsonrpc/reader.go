package jsonrpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
)

const (
	readerSize = 16 << 10 // bytes, of the buffer at first and after a long line
	keptPrefix = 4 << 10  // bytes of a line that was left out
	keptSuffix = 1 << 10
)

// A LineError reports a line that was too long and was left out.
type LineError struct {
	Prefix []byte // the start of it
	Suffix []byte // the end of it
	Size   int64  // in bytes, without the line end
	Max    int    // what was allowed
}

func (e *LineError) Error() string {
	return fmt.Sprintf("jsonrpc: a line of %d bytes is over the limit of %d", e.Size, e.Max)
}

// endID is an id at the end of a message: nothing else than the version is behind
// it there, so that it is not one within a result.
var endID = regexp.MustCompile(`,\s*"id"\s*:\s*("[^"\\]*"|-?[0-9.eE+-]+)\s*(?:,\s*"jsonrpc"\s*:\s*"[0-9.]*"\s*)?\}\s*$`)

// Head finds out which message the line was: its id, if that is in the kept parts,
// and whether it is a request. The rest of m is empty.
func (e *LineError) Head() (m Message) {
	s := scanner{text: e.Prefix}
	s.space()
	s.object(1, func(key, value []byte) {
		if s.at < len(s.text) && (string(key) == "id" || string(key) == "method") { // else it may be cut
			m.member(key, value)
		}
	})
	m.HasMethod = m.HasMethod || string(s.key) == "params" // which was cut
	if m.ID == nil {
		if match := endID.FindSubmatch(e.Suffix); match != nil {
			m.ID = json.RawMessage(match[1])
		}
	}
	return m
}

// A Reader reads lines.
type Reader struct {
	r     io.Reader
	max   int
	buf   []byte // buf[start:end] has been read and not been returned
	start int
	end   int
	began bool // the first line is over
	err   error
}

// NewReader returns a reader of lines of at most max bytes without their end.
func NewReader(r io.Reader, max int) *Reader {
	return &Reader{r: r, max: max, buf: make([]byte, readerSize)}
}

// Next returns the next line that is not empty, without its end, LF or CRLF, which
// is valid until the next call. A last line without LF is one, and a byte order
// mark at the very start is left out. The error is a [*LineError], after which
// Next can be called again, or that of the reader.
func (r *Reader) Next() ([]byte, error) {
	for {
		line, err := r.next()
		if err != nil {
			return nil, err
		}
		if !r.began {
			r.began = true
			line = bytes.TrimPrefix(line, []byte("\uFEFF"))
		}
		if len(line) > 0 {
			return line, nil
		}
	}
}

func (r *Reader) next() ([]byte, error) {
	r.shrink()
	for searched := 0; ; {
		if i := bytes.IndexByte(r.buf[r.start+searched:r.end], '\n'); i >= 0 {
			line := r.buf[r.start : r.start+searched+i]
			r.start += len(line) + 1
			return r.checked(line)
		}
		searched = r.end - r.start
		if r.err != nil {
			line := r.buf[r.start:r.end]
			r.start = r.end
			if len(line) == 0 {
				return nil, r.err
			}
			return r.checked(line)
		}
		if searched > r.max+1 { // even if the last byte is a CR
			return nil, r.skip()
		}
		r.fill()
	}
}

// checked takes the CR from a whole line, and reports one that is too long.
func (r *Reader) checked(line []byte) ([]byte, error) {
	line = bytes.TrimSuffix(line, []byte("\r"))
	if len(line) > r.max {
		e := &LineError{Max: r.max}
		e.add(line)
		return nil, e
	}
	return line, nil
}

// skip leaves out the line that r is in the middle of.
func (r *Reader) skip() error {
	e := &LineError{Max: r.max}
	for {
		part := r.buf[r.start:r.end]
		i := bytes.IndexByte(part, '\n')
		if i >= 0 {
			part = part[:i]
		}
		e.add(part)
		r.start += len(part)
		if i >= 0 {
			r.start++
		}
		if i >= 0 || r.err != nil {
			if bytes.HasSuffix(e.Suffix, []byte("\r")) {
				e.Suffix = e.Suffix[:len(e.Suffix)-1]
				e.Size--
			}
			return e
		}
		r.start, r.end = 0, 0
		r.shrink()
		r.fill()
	}
}

func (e *LineError) add(part []byte) {
	e.Size += int64(len(part))
	e.Prefix = append(e.Prefix, part[:min(len(part), keptPrefix-len(e.Prefix))]...)
	e.Suffix = append(e.Suffix, part[max(0, len(part)-keptSuffix):]...)
	e.Suffix = append(e.Suffix[:0], e.Suffix[max(0, len(e.Suffix)-keptSuffix):]...)
}

// fill reads at least a byte behind what there is, or sets r.err.
func (r *Reader) fill() {
	if r.start > 0 && r.end == len(r.buf) {
		r.end = copy(r.buf, r.buf[r.start:r.end])
		r.start = 0
	}
	if r.end == len(r.buf) {
		bigger := make([]byte, min(2*len(r.buf), max(r.max, readerSize)+readerSize))
		r.end = copy(bigger, r.buf[:r.end])
		r.buf = bigger
	}
	for range 100 {
		n, err := r.r.Read(r.buf[r.end:])
		r.end += n
		if err != nil {
			r.err = err
		}
		if n > 0 || err != nil {
			return
		}
	}
	r.err = io.ErrNoProgress
}

// shrink gives back the memory that a long line took.
func (r *Reader) shrink() {
	if r.start == r.end {
		r.start, r.end = 0, 0
	}
	if len(r.buf) > 4*readerSize && r.end-r.start <= readerSize {
		small := make([]byte, readerSize)
		r.end = copy(small, r.buf[r.start:r.end])
		r.start = 0
		r.buf = small
	}
}
