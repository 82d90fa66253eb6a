package jsonrpc

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"syscall"
	"time"
)

// ErrClosed is the error of [Writer.Write] after [Writer.Close].
var ErrClosed = errors.New("jsonrpc: the writer is closed")

// batchSize is how many bytes of waiting lines are written at once: what a pipe
// holds.
const batchSize = 64 << 10

// A Writer writes lines of several goroutines to one writer, each in one piece.
//
// While a pipe has room, the caller itself writes its line, without blocking. When
// it is full, and always on a writer that cannot tell, a goroutine writes what
// waits; it lasts until nothing does.
type Writer struct {
	w   io.Writer
	raw syscall.RawConn // nil if w cannot be written without blocking

	mu     sync.Mutex // protects following
	queue  []*waiting // in order; the first inHand are being written just now
	inHand int
	busy   bool  // somebody writes; if not, queue is empty
	err    error // why nothing new is written

	// What follows belongs to the one who is busy.
	batch   []byte // to be written
	n       int    // of it was
	tryErr  error
	scratch []byte
	attempt func(fd uintptr) bool
}

// A waiting line. The mutex of the Writer protects it.
type waiting struct {
	line  []byte // what is left of it
	begun bool   // a byte of it may have been written
	left  error  // why the caller waits no longer than for the write in hand

	over bool
	sent bool
	err  error
	done chan struct{} // closed when it is over
}

func (p *waiting) end(sent bool, err error) {
	if !p.over {
		p.over, p.sent, p.err = true, sent, err
		close(p.done)
	}
}

// NewWriter returns a writer to w. It does not close w: its owner does, which also
// ends a write that waits for the reader of a pipe.
func NewWriter(w io.Writer) *Writer {
	wr := &Writer{w: w}
	// A file that takes no deadline is one whose writes block.
	if file, ok := w.(interface {
		syscall.Conn
		SetWriteDeadline(time.Time) error
	}); ok && canTry && file.SetWriteDeadline(time.Time{}) == nil {
		if raw, err := file.SyscallConn(); err == nil {
			wr.raw = raw
		}
	}
	wr.attempt = func(fd uintptr) bool {
		wr.n, wr.tryErr = tryWrite(fd, wr.batch)
		return true
	}
	return wr
}

// Write writes line, which ends with LF, and returns when it is written, or when
// ctx ends: then the line is taken back if nothing of it was written. sent means
// that a byte of it may have been. If there is an error too, the rest of the line
// may still be written, to keep the stream whole, and the caller must not change
// line any more.
func (w *Writer) Write(ctx context.Context, line []byte) (sent bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	p, sent, err := w.start(line)
	if p == nil {
		return sent, err
	}
	return w.wait(ctx, p)
}

// WriteBefore is like [Writer.Write] with a context that ends at a time, which it makes
// only if the line has to wait: that saves most of what a call costs.
func (w *Writer) WriteBefore(ctx context.Context, end time.Time, line []byte) (sent bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	p, sent, err := w.start(line)
	if p == nil {
		return sent, err
	}
	ctx, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	return w.wait(ctx, p)
}

// start writes line, or returns that it waits.
func (w *Writer) start(line []byte) (p *waiting, sent bool, err error) {
	w.mu.Lock()
	if w.err != nil {
		defer w.mu.Unlock()
		return nil, false, w.err
	}
	rest, first := line, !w.busy
	w.busy = true
	if first && w.raw != nil {
		w.mu.Unlock()
		n, err := w.try(line)
		w.mu.Lock()
		rest = line[n:]
		if err == nil && n == 0 {
			err = w.err // if it was closed meanwhile
		}
		if err != nil || len(rest) == 0 {
			defer w.mu.Unlock()
			w.next(err)
			return nil, n > 0, err
		}
	}
	p = &waiting{line: rest, begun: len(rest) < len(line), done: make(chan struct{})}
	if first { // before what came during the try
		w.queue = slices.Insert(w.queue, 0, p)
		go w.flush()
	} else {
		w.queue = append(w.queue, p)
	}
	w.mu.Unlock()
	return p, false, nil
}

// try writes what the pipe has room for. The caller is the one who is busy.
func (w *Writer) try(line []byte) (int, error) {
	w.batch = line
	defer func() { w.batch = nil }()
	if err := w.raw.Write(w.attempt); err != nil {
		return 0, err
	}
	return w.n, w.tryErr
}

// next is called by the one who is busy, after its write, with w locked.
func (w *Writer) next(err error) {
	switch {
	case err != nil && err != ErrClosed:
		w.fail(err)
	case len(w.queue) > 0:
		go w.flush()
	default:
		w.busy = false
	}
}

func (w *Writer) wait(ctx context.Context, p *waiting) (sent bool, err error) {
	select {
	case <-p.done:
	case <-ctx.Done():
		w.leave(p, ctx.Err())
	}
	return p.sent, p.err
}

// leave waits until it is certain whether p was sent, which is at once or after a
// write that does not block. The line is taken back if it was not.
func (w *Writer) leave(p *waiting, cause error) {
	w.mu.Lock()
	switch i := slices.Index(w.queue, p); {
	case p.over:
	case p.begun:
		p.end(true, cause)
	case i < w.inHand:
		p.left = cause
		w.mu.Unlock()
		<-p.done
		return
	default:
		w.queue = slices.Delete(w.queue, i, i+1)
		p.end(false, cause)
	}
	w.mu.Unlock()
}

// flush writes what waits. Its caller is the one who is busy and passes that on.
func (w *Writer) flush() {
	if w.raw == nil {
		for w.take() {
			n, err := w.w.Write(w.batch)
			w.settle(n, err)
		}
		return
	}
	err := w.raw.Write(func(fd uintptr) bool {
		for w.take() {
			n, err := tryWrite(fd, w.batch)
			if full := w.settle(n, err); full {
				return false // to be called again when there is room
			}
		}
		return true
	})
	if err != nil {
		w.mu.Lock()
		w.fail(err)
		w.mu.Unlock()
	}
}

// take makes a batch of what waits, or else nobody is busy any more. Of a writer
// that blocks it takes one line, so that the others can be taken back.
func (w *Writer) take() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) == 0 {
		w.busy, w.batch = false, nil
		return false
	}
	w.inHand, w.batch = 1, w.queue[0].line
	if w.raw == nil {
		w.queue[0].begun = true
		return true
	}
	size := len(w.batch)
	for _, p := range w.queue[1:] {
		if size += len(p.line); size > batchSize {
			break
		}
		if w.inHand == 1 {
			w.batch = append(w.scratch[:0], w.batch...)
		}
		w.inHand++
		w.batch = append(w.batch, p.line...)
	}
	if w.inHand > 1 {
		w.scratch = w.batch
	}
	return true
}

// settle ends the lines of the batch, of which n bytes were written, and reports
// whether there was no room for all.
func (w *Writer) settle(n int, err error) (full bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.inHand > 0 && n >= len(w.queue[0].line) {
		p := w.queue[0]
		n -= len(p.line)
		w.queue = slices.Delete(w.queue, 0, 1)
		w.inHand--
		p.end(true, nil)
	}
	full = w.inHand > 0
	if n > 0 {
		p := w.queue[0]
		p.line, p.begun = p.line[n:], true
	}
	w.inHand = 0
	if err != nil {
		w.fail(err)
		return false
	}
	w.queue = slices.DeleteFunc(w.queue, func(p *waiting) bool {
		switch {
		case p.left != nil:
			p.end(p.begun, p.left)
		case w.err != nil && !p.begun:
			p.end(false, w.err)
		}
		return p.over && !p.begun
	})
	return full
}

// fail ends everything. Nobody is busy then.
func (w *Writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
	for _, p := range w.queue {
		p.end(p.begun, err)
	}
	w.queue, w.inHand, w.busy, w.batch, w.scratch = nil, 0, false, nil, nil
}

// Close makes all writes fail that have not begun. It does not wait. A line that
// has is written to its end, unless the owner of the underlying writer closes it.
func (w *Writer) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = ErrClosed
	}
	i := 0
	w.queue = slices.DeleteFunc(w.queue, func(p *waiting) bool {
		i++
		if i <= w.inHand || p.begun {
			return false
		}
		p.end(false, w.err)
		return true
	})
}
