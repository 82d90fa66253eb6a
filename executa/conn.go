package executa

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/matrix-nexus/skillkit/internal/jsonrpc"
)

const (
	// maxNoise is how many bytes of a line that is no message are logged.
	maxNoise = 200
	// maxFileError is how many bytes are said of a file that is not taken.
	maxFileError = 1000
)

// A conn is the host's end of the protocol: requests out, and what becomes of
// them. It knows no process.
//
// Its reader never runs anything that may wait: an answer goes to the goroutine
// that asked, a call of the plugin to the router.
type conn struct {
	w       *jsonrpc.Writer
	log     *slog.Logger
	redact  *redactor
	files   fileTransport
	receive func(*jsonrpc.Message)                      // takes requests and notifications; see router
	trace   func(plugin string, sent bool, line []byte) // nil if nobody wants to see
	broken  func()                                      // called when nothing can be written any more; does not wait

	noise, longLines, unknown atomic.Int64

	spare sync.Pool // of requests that were answered

	mu      sync.Mutex // protects following
	plugin  string     // its id, in what is logged and traced
	seq     int64      // the next id
	pending map[int64]*request
	refused error         // why there are no new requests; nil while there are
	idle    chan struct{} // closed when new requests are refused and nobody waits for one
}

// A request is one that was sent, or is about to be.
type request struct {
	id     int64
	answer chan answer // of one
	timer  *time.Timer // of the one who asks
	line   []byte      // memory for the line of an invoke; likewise
	// settled is called once when the plugin does not work on it any more.
	settled   func()
	abandoned bool        // nobody waits; written with conn.mu, while it is pending
	expiry    *time.Timer // ends it then
}

// An answer is what came of a request.
type answer struct {
	result json.RawMessage // nil if there is none
	err    *jsonrpc.Error
	lost   error // why there is none of these
}

func newConn(plugin string, w io.Writer, log *slog.Logger, redact *redactor) *conn {
	return &conn{
		plugin: plugin, w: jsonrpc.NewWriter(w), log: log, redact: redact,
		pending: map[int64]*request{}, idle: make(chan struct{}),
		spare: sync.Pool{New: func() any {
			r := &request{answer: make(chan answer, 1), timer: time.NewTimer(time.Hour)}
			r.timer.Stop()
			return r
		}},
	}
}

func (c *conn) name() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.plugin
}

// rename sets the id, which may be known late.
func (c *conn) rename(plugin string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.plugin = plugin
}

// begin makes a request that is about to be sent.
func (c *conn) begin() (*request, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refused != nil {
		return nil, c.refused
	}
	r := c.spare.Get().(*request)
	r.settled, r.abandoned, r.expiry = nil, false, nil
	r.id = c.seq
	c.seq++
	c.pending[r.id] = r
	return r, nil
}

// take returns the pending request with an id, which is not pending any more, or
// nil. It has to be told what came of it.
func (c *conn) take(id int64) *request {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.pending[id]
	delete(c.pending, id)
	c.checkIdle()
	return r
}

func (c *conn) checkIdle() {
	if c.refused == nil {
		return
	}
	for _, r := range c.pending {
		if !r.abandoned {
			return
		}
	}
	select {
	case <-c.idle:
	default:
		close(c.idle)
	}
}

// refuse ends the acceptance of requests, unless it has ended.
func (c *conn) refuse(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refused == nil {
		c.refused = err
	}
	c.checkIdle()
}

func (c *conn) refuses() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.refused
}

// end tells all that wait that nothing more will come.
func (c *conn) end(err error) {
	c.mu.Lock()
	if c.refused == nil {
		c.refused = err
	}
	lost := c.pending
	c.pending = map[int64]*request{}
	c.checkIdle()
	c.mu.Unlock()
	c.w.Close()
	for _, r := range lost {
		c.deliver(r, answer{lost: err})
	}
}

// ask sends the request r in line and waits for what comes of it, until ctx ends
// or it is end. The error is that of ctx, [context.DeadlineExceeded], that of the
// writer, or says that r was lost. If the time ends after it was sent, r is still
// pending, and the caller must take or abandon it. reuse says that line may be
// changed again.
func (c *conn) ask(ctx context.Context, end time.Time, r *request, line []byte) (a answer, sent, reuse bool, err error) {
	if c.trace != nil {
		c.trace(c.name(), true, c.redact.bytes(bytes.TrimSuffix(line, []byte("\n"))))
	}
	sent, err = c.w.WriteBefore(ctx, end, line)
	reuse = !sent || err == nil
	if err != nil && ctx.Err() == nil && err != context.DeadlineExceeded {
		// The plugin is going, or has closed its input, which is the same. If r
		// was sent, it gets to know how that ended.
		c.refuse(err)
		c.broken()
	}
	if !sent {
		c.take(r.id)
		return answer{}, false, reuse, err
	}
	r.timer.Reset(time.Until(end))
	defer r.timer.Stop()
	err = context.DeadlineExceeded
	select {
	case a = <-r.answer:
		return a, true, reuse, a.lost
	case <-ctx.Done():
		err = ctx.Err()
	case <-r.timer.C:
	}
	select {
	case a = <-r.answer: // at the same moment
		return a, true, reuse, a.lost
	default:
		return answer{}, true, reuse, err
	}
}

// send writes an answer to the plugin.
func (c *conn) send(ctx context.Context, m *jsonrpc.Message) error {
	line := jsonrpc.Append(nil, m)
	if c.trace != nil {
		c.trace(c.name(), true, c.redact.bytes(bytes.TrimSuffix(line, []byte("\n"))))
	}
	_, err := c.w.Write(ctx, line)
	return err
}

// abandon has r settled when its answer comes, and expire called if that is not
// before end. It reports false if it has come.
func (c *conn) abandon(r *request, end time.Time, expire func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pending[r.id] != r {
		return false
	}
	r.abandoned, r.expiry = true, time.AfterFunc(time.Until(end), expire)
	c.checkIdle()
	return true
}

// deliver passes on what came of a request that is not pending any more.
func (c *conn) deliver(r *request, a answer) {
	if !r.abandoned { // nobody changes it after it was taken
		r.answer <- a
		return
	}
	c.unknown.Add(1)
	r.expiry.Stop()
	if r.settled != nil {
		r.settled()
	}
}

// read reads what the plugin writes, to its end.
func (c *conn) read(stdout io.Reader, maxLine int) {
	lines := jsonrpc.NewReader(stdout, maxLine)
	var m jsonrpc.Message
	for {
		line, err := lines.Next()
		if err == nil {
			if c.trace != nil {
				c.trace(c.name(), false, c.redact.bytes(line))
			}
			c.line(line, &m)
			continue
		}
		long, ok := err.(*jsonrpc.LineError)
		if !ok {
			return
		}
		c.longLines.Add(1)
		c.log.Warn("line of a plugin left out", "plugin", c.name(), "bytes", long.Size, "max", long.Max)
		m = long.Head()
		if m.HasMethod {
			c.receive(&m) // which finds it to be without parameters
			continue
		}
		c.reply(m.ID, func() answer { return answer{lost: long} })
	}
}

// line takes one that a plugin wrote.
func (c *conn) line(line []byte, m *jsonrpc.Message) {
	if jsonrpc.Decode(line, m) != nil {
		c.noise.Add(1)
		c.log.Debug("noise of a plugin on standard output", "plugin", c.name(), "line", c.redact.beginning(line, maxNoise))
		return
	}
	if m.File == "" {
		c.message(m, bytes.Clone)
		return
	}
	// What the message is can be seen in the file only.
	id := m.ID
	if err := c.files.read(m.File, m); err != nil {
		err = fmt.Errorf("%w: %s", errFile, c.redact.beginning([]byte(err.Error()), maxFileError))
		c.log.Warn("file of a plugin refused", "plugin", c.name(), "error", err)
		c.reply(id, func() answer { return answer{lost: err} })
		return
	}
	c.message(m, func(b []byte) []byte { return b }) // nobody else has what was read
}

// message takes m. keep returns a part of it for as long as it is needed.
func (c *conn) message(m *jsonrpc.Message, keep func([]byte) []byte) {
	if m.HasMethod {
		m.Params = c.redact.bytes(m.Params) // a service or a model does not need the plugin's secrets
		c.receive(m)
		return
	}
	c.reply(m.ID, func() answer { return answer{result: keep(m.Result), err: m.Error} })
}

// reply delivers an answer, if there is a request for it.
func (c *conn) reply(id json.RawMessage, a func() answer) {
	if n, ok := number(id); ok {
		if r := c.take(n); r != nil {
			c.deliver(r, a())
			return
		}
	}
	c.unknown.Add(1)
	c.log.Debug("reply of a plugin to no request", "plugin", c.name(), "id", c.redact.beginning(id, maxNoise))
}

// number returns the number that an id is: ours are, but plugins send them back as
// strings and with fractions too.
func number(id json.RawMessage) (int64, bool) {
	s := id
	if len(s) >= 2 && s[0] == '"' {
		s = s[1 : len(s)-1]
	}
	if n, err := strconv.ParseInt(string(s), 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(string(id), 64)
	n := int64(f)
	return n, err == nil && float64(n) == f && n == min(max(n, 0), 1<<53)
}

func sameID(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	m, ok := number(a)
	n, also := number(b)
	return ok && also && m == n
}
