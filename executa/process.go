package executa

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/matrix-nexus/skillkit/executa/manifest"
)

// A Process is a plugin that runs: one process, from its start to its end. Its
// methods may be called by several goroutines.
type Process struct {
	spec   Spec
	opts   Options
	child  *child // not used but by what follows, so that pipes will do in tests
	stop   func(context.Context)
	exit   func() *ExitError // after stop
	conn   *conn
	router *router
	redact *redactor

	// These are set before Start returns.
	id       string
	protocol string
	manifest *manifest.Plugin
	timeouts map[string]time.Duration // by tool

	done chan struct{} // closed when the process has ended

	mu    sync.Mutex // protects following
	cause error      // why it ends; nil until that is known
}

// Start runs the plugin of spec and waits until it has described its tools. ctx
// bounds the start only: end the process with [Process.Close]. The error is a
// [*StartError].
func Start(ctx context.Context, spec Spec, opts *Options) (*Process, error) {
	var own Options
	if opts != nil {
		own = *opts
	}
	c, err := resolve(&spec, &own)
	if err != nil {
		return nil, err
	}
	return startProcess(ctx, c, &spec, &own, true)
}

// startProcess starts c. first means that it may take as long as [Options.ColdStart]
// says. spec and opts are copied.
func startProcess(ctx context.Context, c *command, spec *Spec, opts *Options, first bool) (*Process, error) {
	id := cmp.Or(c.id, filepath.Base(c.argv[0]))
	fail := func(stage, stderr string, err error) (*Process, error) {
		return nil, &StartError{Plugin: id, Stage: stage, Stderr: stderr, Err: err}
	}
	if ctx.Err() != nil {
		return fail("launch", "", contextError(ctx))
	}
	p := newProcess(id, spec, opts)
	child, err := startChild(c, &p.opts, p.redact.string)
	if err != nil {
		return fail("launch", "", err)
	}
	p.child = child
	p.stop = func(ctx context.Context) { child.stop(ctx, patience(p.opts.Grace, DefaultGrace)) }
	p.exit = func() *ExitError {
		return &ExitError{Plugin: p.conn.name(), Status: child.status(), Stderr: child.stderr()}
	}
	p.serve(child.stdin, child.stdout, child.tmp)
	stage, err := p.handshake(ctx, c.id, first)
	if err == nil {
		return p, nil
	}
	killed, cancel := context.WithCancel(ctx)
	cancel()
	p.close(killed, ErrClosed, 0)
	<-p.done
	if exit, ok := errors.AsType[*ExitError](err); ok {
		err = &ExitError{Plugin: exit.Plugin, Status: exit.Status} // the rest is said already
	}
	return fail(stage, p.child.stderr(), err)
}

func newProcess(id string, spec *Spec, opts *Options) *Process {
	return &Process{id: id, spec: *spec, opts: *opts, redact: cmp.Or(opts.redact, new(redactor)), done: make(chan struct{})}
}

// serve begins to speak with the plugin.
func (p *Process) serve(stdin io.Writer, stdout io.Reader, tmp string) {
	log := cmp.Or(p.opts.Logger, slog.New(slog.DiscardHandler))
	c := newConn(p.id, stdin, log, p.redact)
	c.files = fileTransport{dir: tmp, max: positive(p.opts.MaxFile, DefaultMaxFile)}
	c.trace = p.opts.Trace
	c.broken = func() { go p.stop(context.Background()) }
	p.conn = c
	p.router = newRouter(routerConfig{plugin: p.id, opts: &p.opts, log: log, send: c.send})
	c.receive = p.router.receive
	go p.run(stdout)
}

// positive returns the first of n and the default that is more than zero.
func positive[T int | int64 | time.Duration](n, other T) T {
	if n > 0 {
		return n
	}
	return other
}

// patience returns d, which means the default if it is zero, and no time if it is
// less.
func patience(d, other time.Duration) time.Duration { return max(0, cmp.Or(d, other)) }

// run reads what the plugin writes, and ends what is left when it has ended.
func (p *Process) run(stdout io.Reader) {
	p.conn.read(stdout, positive(p.opts.MaxLine, DefaultMaxLine))
	p.stop(context.Background()) // it has ended, or it will never answer any more
	exit := p.exit()
	p.endAs(exit)
	p.conn.end(exit)
	p.router.close()
	close(p.done)
}

// endAs says why the process ends, if nobody has yet.
func (p *Process) endAs(cause error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cause == nil {
		p.cause = cause
	}
}

// close ends the process for a cause: it refuses calls, waits for those that run
// for as long as drain, less than zero means until they end, and stops the process,
// at once when ctx ends.
func (p *Process) close(ctx context.Context, cause error, drain time.Duration) {
	p.endAs(cause)
	p.conn.refuse(fmt.Errorf("plugin %q: %w", p.id, ErrClosed))
	var enough <-chan time.Time
	if drain >= 0 {
		timer := time.NewTimer(drain)
		defer timer.Stop()
		enough = timer.C
	}
	select {
	case <-p.conn.idle:
	case <-enough:
	case <-ctx.Done():
	case <-p.done:
	}
	p.router.close()
	p.stop(ctx)
}

// ID returns the id under which the plugin is known.
func (p *Process) ID() string { return p.id }

// PID returns the id of the process.
func (p *Process) PID() int { return p.child.pid }

// Protocol returns the version that was negotiated: "2.0" or "1.1".
func (p *Process) Protocol() string { return p.protocol }

// Manifest returns what the plugin answered describe with. It must not be
// changed.
func (p *Process) Manifest() *manifest.Plugin { return p.manifest }

// Stderr returns the end of what the plugin wrote to standard error, without
// credentials.
func (p *Process) Stderr() string { return p.child.stderr() }

// Done returns a channel that is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// accepts reports whether the process takes new calls: it runs, and is neither
// to be closed nor condemned by a call that took too long.
func (p *Process) accepts() bool { return p.conn.refuses() == nil }

// Err returns nil while the process runs, then why it ended: [ErrClosed] if it
// was closed, else an [*ExitError] or a [*TimeoutError].
func (p *Process) Err() error {
	select {
	case <-p.done:
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.cause
	default:
		return nil
	}
}

// Stats count what a process did that it should not, and what was made of it.
type Stats struct {
	Noise           int64 `json:"noise"`           // lines on standard output that are no JSON object
	LongLines       int64 `json:"long_lines"`      // over [Options.MaxLine]
	UnknownReplies  int64 `json:"unknown_replies"` // to no request, or late
	DroppedProgress int64 `json:"dropped_progress"`
	ReverseCalls    int64 `json:"reverse_calls"` // that it made of the host
	// LeftBehind means that the process ended by itself, processes that it had
	// started went on, and these were ended. It is known after the end, on Linux.
	LeftBehind bool `json:"left_behind"`
}

// Stats returns what was counted so far.
func (p *Process) Stats() Stats {
	s := Stats{Noise: p.conn.noise.Load(), LongLines: p.conn.longLines.Load(), UnknownReplies: p.conn.unknown.Load()}
	s.ReverseCalls, s.DroppedProgress = p.router.counts()
	s.LeftBehind = p.child != nil && p.child.group.Left()
	return s
}

// Close ends the process: it refuses new calls, waits up to Options.Drain for
// running ones, answers what the plugin asked of the host with an error, closes
// its standard input, and ends its process group as [Options.Grace] says. When ctx
// ends, the group is killed at once. It returns when the process is gone, and may
// be called again.
func (p *Process) Close(ctx context.Context) error {
	p.close(ctx, ErrClosed, patience(p.opts.Drain, DefaultDrain))
	<-p.done
	return nil
}
