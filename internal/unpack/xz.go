package unpack

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// The decoder takes memory for the dictionary that each block asks for, up to
// 4 GiB, before it reads the block, and time to clear it. So the blocks are
// looked at beforehand.
const (
	maxXZDictionary = 64 << 20 // that of xz -9
	maxXZBlocks     = 2_000    // xz -T makes one of 24 MiB at least
)

// checkXZ reads the headers of the blocks of an xz file, in the layout of
// "The .xz File Format" 1.2.1.
//
// All dictionaries together may be as large as what the file may unpack to, and
// one more: blocks of more than one are larger than their dictionaries.
func checkXZ(r io.Reader, size, maxRatio int64) error {
	s := &xzScanner{r: bufio.NewReaderSize(r, 1<<16), size: size, maxRatio: maxRatio}
	for s.more() {
		s.stream()
		if s.err == io.EOF {
			s.err = io.ErrUnexpectedEOF
		}
	}
	if s.err != nil {
		return &decodeError{err: s.err}
	}
	return nil
}

type xzScanner struct {
	r      *bufio.Reader
	n      int64 // bytes read
	blocks int
	sum    int64 // of the sizes of the dictionaries
	err    error // the first one

	size, maxRatio int64
}

// more skips padding and reports whether a stream follows.
func (s *xzScanner) more() bool {
	for s.err == nil {
		head, err := s.r.Peek(4)
		if err == io.EOF && len(head) == 0 {
			return false
		}
		if !bytes.Equal(head, make([]byte, 4)) {
			return true
		}
		s.skip(4)
	}
	return false
}

// stream reads one stream (section 2.1).
func (s *xzScanner) stream() {
	header := s.bytes(12)
	if s.err != nil {
		return
	}
	// Sizes of the checks by type (2.1.1.2).
	check := [16]int64{0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64}[header[7]&0xf]
	blocks := uint64(0)
	for s.err == nil {
		size := s.byte()
		if size == 0 {
			break
		}
		blocks++
		if s.blocks++; s.blocks > maxXZBlocks {
			s.fail(&Error{Reason: fmt.Sprintf("more than %d blocks", maxXZBlocks), Err: ErrLimit})
		}
		s.blockHeader(s.bytes((int(size)+1)*4 - 1))
		s.lzma2()
		s.align()
		s.skip(check)
	}
	if n := s.varint(); n != blocks {
		s.fail(fmt.Errorf("the index lists %d blocks of %d", n, blocks))
	}
	for range 2 * blocks {
		s.varint()
	}
	s.align()
	s.skip(4 + 12) // checksum of the index, footer
}

// blockHeader looks at the header of a block without its size (3.1).
func (s *xzScanner) blockHeader(h []byte) {
	if s.err != nil {
		return
	}
	if h[0]&3 != 0 {
		s.fail(errors.New("filters other than LZMA2 are not supported"))
		return
	}
	i := 1
	for _, flag := range []byte{1 << 6, 1 << 7} { // sizes
		if h[0]&flag != 0 {
			for i < len(h) && h[i]&0x80 != 0 {
				i++
			}
			i++
		}
	}
	if i+3 > len(h) || h[i] != 0x21 || h[i+1] != 1 || h[i+2] > 40 { // LZMA2 (5.3.1)
		s.fail(errors.New("filters other than LZMA2 are not supported"))
		return
	}
	bits := h[i+2]
	size := int64(2|bits&1) << (bits/2 + 11)
	s.sum += size
	switch {
	case size > maxXZDictionary:
		s.fail(&Error{Reason: fmt.Sprintf("needs a dictionary of %d bytes, of more than %d", size, maxXZDictionary), Err: ErrLimit})
	case s.sum > maxXZDictionary && (s.sum-maxXZDictionary)/s.maxRatio > s.size:
		s.fail(&Error{Reason: fmt.Sprintf("needs dictionaries of %d bytes for its %d bytes", s.sum, s.size), Err: ErrLimit})
	}
}

// lzma2 skips chunks of LZMA2 up to its end marker.
func (s *xzScanner) lzma2() {
	for s.err == nil {
		control := s.byte()
		switch {
		case control == 0:
			return
		case control <= 2: // not compressed
			size := s.bytes(2)
			if s.err == nil {
				s.skip(int64(size[0])<<8 + int64(size[1]) + 1)
			}
		case control < 0x80:
			s.fail(errors.New("invalid LZMA2 chunk"))
		default:
			sizes := s.bytes(4)
			if control >= 0xc0 {
				s.skip(1) // properties
			}
			if s.err == nil {
				s.skip(int64(sizes[2])<<8 + int64(sizes[3]) + 1)
			}
		}
	}
}

// varint reads a number in groups of seven bits, the lowest first (1.2).
func (s *xzScanner) varint() (n uint64) {
	for shift := 0; s.err == nil && shift < 63; shift += 7 {
		b := s.byte()
		n |= uint64(b&0x7f) << shift
		if b&0x80 == 0 {
			break
		}
	}
	return n
}

func (s *xzScanner) align() { s.skip(-s.n & 3) }

func (s *xzScanner) byte() byte {
	b := s.bytes(1)
	if s.err != nil {
		return 0
	}
	return b[0]
}

func (s *xzScanner) bytes(n int) []byte {
	b := make([]byte, n)
	if s.err == nil {
		_, err := io.ReadFull(s.r, b)
		s.fail(err)
		s.n += int64(n)
	}
	return b
}

func (s *xzScanner) skip(n int64) {
	if s.err == nil {
		_, err := s.r.Discard(int(n))
		s.fail(err)
		s.n += n
	}
}

func (s *xzScanner) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}
