package proc

// A Tail keeps the end of what is written to it. It needs no more than twice the
// memory of that. It is not safe for concurrent use.
type Tail struct {
	max int
	buf []byte
}

// NewTail returns a Tail that keeps the last size bytes. A size of zero or less
// keeps none.
func NewTail(size int) *Tail { return &Tail{max: max(size, 0)} }

// Write never fails.
func (t *Tail) Write(p []byte) (int, error) {
	n := len(p)
	p = p[max(0, n-t.max):]
	if len(t.buf)+len(p) > 2*t.max {
		keep := t.max - len(p)
		t.buf = append(t.buf[:0], t.buf[len(t.buf)-keep:]...)
	}
	t.buf = append(t.buf, p...)
	return n, nil
}

// String returns the end of what was written, which starts anywhere: also in the
// middle of a line or a character.
func (t *Tail) String() string { return string(t.buf[max(0, len(t.buf)-t.max):]) }
