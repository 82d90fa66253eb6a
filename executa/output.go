package executa

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/matrix-nexus/skillkit/internal/proc"
)

const (
	// stderrTail is the size in bytes of the end of standard error that is
	// kept.
	stderrTail = 8 << 10
	// maxStderrLine is the size in bytes up to which a line of standard error
	// is kept and logged.
	maxStderrLine = 4 << 10
	// maxSecret is the size in bytes of the longest value that is redacted
	// where a line of standard error is cut.
	maxSecret = 64 << 10
	// maxLeft is the size in bytes of what is read from a pipe after its time
	// is over: the most that a pipe holds, see pipe(7).
	maxLeft = 1 << 20
)

// An output is the end of a pipe that is read. One goroutine reads.
type output struct {
	f    *os.File
	left int           // of maxLeft
	eof  chan struct{} // closed when Read has returned an error
	once sync.Once
}

func newOutput(f *os.File) *output {
	return &output{f: f, left: maxLeft, eof: make(chan struct{})}
}

// expire makes Read return EOF after d, when it has returned what was in the pipe
// by then. It does nothing where a pipe has no deadlines, which is Windows: there
// the processes that hold it end with the job.
func (o *output) expire(d time.Duration) { _ = o.f.SetReadDeadline(time.Now().Add(d)) }

// Read returns io.EOF as its only error.
func (o *output) Read(p []byte) (int, error) {
	n, err := o.f.Read(p)
	if errors.Is(err, os.ErrDeadlineExceeded) && o.left > 0 {
		// The deadline counts before the data. It does not come again.
		_ = o.f.SetReadDeadline(time.Time{})
		n, err = readNow(o.f, p[:min(len(p), o.left)])
		o.left -= n
		if n > 0 {
			o.expire(0)
		}
	}
	if err != nil || n == 0 && len(p) > 0 {
		o.close()
		return n, io.EOF
	}
	return n, nil
}

func (o *output) close() {
	o.once.Do(func() {
		o.f.Close()
		close(o.eof)
	})
}

// A stderrLog takes what a plugin writes to standard error, line by line.
type stderrLog struct {
	plugin string
	logger *slog.Logger
	redact func(string) string

	line []byte // that is not complete; of the writer alone
	over bool   // line is not all of it

	mu   sync.Mutex
	tail *proc.Tail // guarded by mu
}

func newStderrLog(plugin string, logger *slog.Logger, redact func(string) string) *stderrLog {
	return &stderrLog{plugin: plugin, logger: logger, redact: redact, tail: proc.NewTail(stderrTail)}
}

// Write never fails. It is called by one goroutine.
func (l *stderrLog) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		part, rest, full := bytes.Cut(p, []byte{'\n'})
		room := maxStderrLine + maxSecret - len(l.line)
		l.over = l.over || len(part) > room
		l.line = append(l.line, part[:min(len(part), room)]...)
		if full {
			l.flush()
		}
		p = rest
	}
	return n, nil
}

// flush ends a line, also one that is not complete.
func (l *stderrLog) flush() {
	if len(l.line) == 0 && !l.over {
		return
	}
	s := l.redact(strings.TrimSuffix(string(l.line), "\r"))
	if l.over {
		// A secret may go on behind what was kept. What there is of it is
		// shorter than this, and at the end.
		s = s[:max(0, len(s)-maxSecret)]
	}
	s = printable(s)
	if l.over || len(s) > maxStderrLine {
		s = strings.ToValidUTF8(s[:min(len(s), maxStderrLine)], "") + "…"
	}
	l.line, l.over = l.line[:0], false

	l.mu.Lock()
	_, _ = io.WriteString(l.tail, s+"\n")
	l.mu.Unlock()
	if l.logger != nil && s != "" {
		l.logger.LogAttrs(context.Background(), slog.LevelInfo, "plugin wrote to standard error", slog.String("plugin", l.plugin), slog.String("line", s))
	}
}

// end returns the last lines.
func (l *stderrLog) end() string {
	l.mu.Lock()
	s := l.tail.String()
	l.mu.Unlock()
	if len(s) == stderrTail {
		// The first line may be the rest of one.
		_, s, _ = strings.Cut(s, "\n")
	}
	return l.redact(strings.TrimSuffix(s, "\n"))
}

// printable returns s as UTF-8 that cannot steer a terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
