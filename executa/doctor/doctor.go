package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/matrix-nexus/skillkit/executa"
	"github.com/matrix-nexus/skillkit/executa/manifest"
	"github.com/matrix-nexus/skillkit/registry"
)

// Defaults of [Options], and limits on the parts of a run.
const (
	DefaultTimeout  = 3 * time.Minute
	DefaultParallel = 4 // at which plugins of one SDK stop to answer

	settle    = 1 * time.Second // after which a process counts as one that stays
	linger    = 500 * time.Millisecond
	anonymous = "plugin" // the id of one that nothing names

	hold  = 3 * time.Second // for which a call of the host is waited for
	spare = 10 * time.Second
)

// A Target is a plugin to look at, and what to call of it.
type Target struct {
	executa.Spec
	// Tool is the tool to call. Empty means none; then the checks that need a call
	// are skipped.
	Tool string
	// Arguments is a JSON object; nil means {}.
	Arguments json.RawMessage
}

// Options configure [Run]. The zero Options, like a nil *Options, mean the
// defaults.
type Options struct {
	// Environ and TempDir are those of [executa.Options].
	Environ []string
	TempDir string
	// Timeout bounds the whole run but for ending the processes. What there is no
	// time for is skipped. Zero or less means [DefaultTimeout].
	Timeout time.Duration
	// Parallel is how many calls are made at once. Zero means [DefaultParallel],
	// one or less than zero that it is not tried.
	Parallel int
	// Credentials finds values to call the tool with. Nil means that all are
	// made up.
	Credentials executa.Resolver
	// Logger is that of [executa.Options].
	Logger *slog.Logger
	// Progress, if not nil, is called with what is done next, such as "call
	// add_note".
	Progress func(step string)
}

// A CallError says that the tool of a [Target] could not be called, since there is
// none of that name or the arguments do not fit it. Nothing was sent.
type CallError struct {
	Tool string
	Msg  string
}

func (e *CallError) Error() string { return fmt.Sprintf("tool %q: %s", e.Tool, e.Msg) }

// An exam is what was seen of a plugin.
type exam struct {
	target Target
	opts   Options
	script *transcript
	fakes  *fakes
	desk   *desk

	// The first process.
	startErr  error
	startTime time.Duration
	again     time.Duration // of a later start, 0 if there was none
	protocol  string
	id        string
	described *manifest.Plugin // nil if there is nothing to read
	health    executa.Health
	healthErr error
	exited    error // it ended by itself while nothing, or a call, was going on
	stats     executa.Stats
	stderr    string
	eof       time.Duration
	closed    bool // eof was measured
	folder    folder
	callErr   *CallError
	called    bool // the call was made
	result    registry.Result
	invokeErr error
	callTime  time.Duration
	afterCall error // it ended after the call
	parallel  int   // calls that were made at once, 0 if it was not tried
	answered  int   // of those
	inTime    time.Duration
	openEOF   time.Duration
	openSeen  bool  // a call of the host was open when the input was closed
	againErr  error // it did not come up once more
}

// Run looks at a plugin. ctx bounds all of it; when it ends, the error is its
// cause, and what was started has ended. The only other error is a [*CallError],
// beside a complete report.
func Run(ctx context.Context, target Target, opts *Options) (*Report, error) {
	x := &exam{target: target, script: newTranscript(), fakes: newFakes()}
	if opts != nil {
		x.opts = *opts
	}
	x.opts.Timeout = cmp.Or(max(x.opts.Timeout, 0), DefaultTimeout)
	x.opts.Parallel = cmp.Or(x.opts.Parallel, DefaultParallel)
	x.desk = newDesk()

	bounded, cancel := context.WithTimeout(ctx, x.opts.Timeout)
	defer cancel()
	x.first(bounded)
	if (x.called || x.startTime > slow) && x.startErr == nil && bounded.Err() == nil {
		x.second(bounded)
	}
	x.folder = lookAt(ctx, x)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if x.callErr != nil {
		return x.report(), x.callErr
	}
	return x.report(), nil
}

func (x *exam) step(format string, args ...any) {
	if x.opts.Progress != nil {
		x.opts.Progress(fmt.Sprintf(format, args...))
	}
}

// start starts a process.
func (x *exam) start(ctx context.Context) (*executa.Process, time.Duration, error) {
	began := time.Now()
	p, err := executa.Start(ctx, x.target.Spec, &executa.Options{
		Environ: x.opts.Environ, TempDir: x.opts.TempDir, Logger: x.opts.Logger,
		ColdStart: min(executa.DefaultColdStart, x.opts.Timeout/2), Drain: -1,
		Credentials: x.fakes.resolver(x.opts.Credentials),
		Services:    x.desk.services(), Trace: x.script.record,
	})
	return p, time.Since(began), err
}

// finish ends a process and says how long that took.
func (x *exam) finish(ctx context.Context, p *executa.Process) time.Duration {
	x.step("end it")
	began := time.Now()
	// The plugin has its time to end also if that of the run is over.
	_ = p.Close(context.WithoutCancel(ctx))
	return time.Since(began)
}

// first looks at a process with nothing but one call.
func (x *exam) first(ctx context.Context) {
	x.step("start the plugin")
	p, took, err := x.start(ctx)
	if errors.Is(err, executa.ErrNoID) {
		x.target.ID = anonymous
		x.script = newTranscript()
		p, took, err = x.start(ctx)
	}
	x.startTime, x.startErr = took, err
	x.id = x.target.ID
	x.described = x.manifest()
	if err != nil {
		if e, ok := errors.AsType[*executa.StartError](err); ok {
			x.id, x.stderr = cmp.Or(x.id, e.Plugin), e.Stderr
		}
		return
	}
	x.id, x.protocol = p.ID(), p.Protocol()
	x.step("ask for its health")
	x.health, x.healthErr = p.Health(ctx)
	if x.exited = ended(ctx, p, settle); x.exited == nil && x.target.Tool != "" {
		x.call(ctx, p)
	}
	if x.exited == nil && x.afterCall == nil {
		x.eof, x.closed = x.finish(ctx, p), true
	} else {
		x.finish(ctx, p)
	}
	x.stats, x.stderr = p.Stats(), p.Stderr()
}

// ended returns why p has ended, or nil if it has not within d.
func ended(ctx context.Context, p *executa.Process, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.Done():
		return cmp.Or(p.Err(), errors.New("it ended"))
	case <-timer.C:
	case <-ctx.Done():
	}
	return nil
}

// manifest returns what the plugin said of itself, also if that was refused.
func (x *exam) manifest() *manifest.Plugin {
	x.script.mu.Lock()
	defer x.script.mu.Unlock()
	if x.script.described == nil {
		return nil
	}
	m, err := manifest.ParsePlugin(manifest.ArchiveFile, x.script.described)
	if err != nil {
		return nil
	}
	return m
}

// check returns why the tool cannot be called as the target says.
func (x *exam) check(ctx context.Context, p *executa.Process) *CallError {
	var names []string
	for _, t := range p.Manifest().Tools {
		names = append(names, t.Name)
		if t.Name != x.target.Tool {
			continue
		}
		// The registry checks arguments for all callers.
		schema, _ := registry.ParamSchema(t.Parameters)
		r := registry.New(nil)
		pass := func(context.Context, *registry.Call) (registry.Result, error) { return registry.Result{}, nil }
		h, err := r.Register("doctor", registry.Def{Name: "tool", Description: "x", Schema: schema, Invoke: pass})
		if err == nil {
			_, err = h.Tools()[0].Invoke(ctx, registry.Call{Arguments: x.target.Arguments})
		}
		if err != nil {
			if e, ok := errors.AsType[*registry.InvalidInput](err); ok {
				err = e
			}
			return &CallError{x.target.Tool, err.Error()}
		}
		return nil
	}
	return &CallError{x.target.Tool, "the plugin has no such tool; it has " + cmp.Or(strings.Join(names, ", "), "none")}
}

func (x *exam) invocation() executa.Invocation {
	return executa.Invocation{Tool: x.target.Tool, Arguments: x.target.Arguments}
}

// call calls the tool once.
func (x *exam) call(ctx context.Context, p *executa.Process) {
	if x.callErr = x.check(ctx, p); x.callErr != nil {
		return
	}
	x.step("call %s", x.target.Tool)
	began := time.Now()
	x.result, x.called, x.invokeErr = p.Invoke(ctx, x.invocation())
	x.callTime = time.Since(began)
	x.afterCall = ended(ctx, p, linger)
}

// second looks at a process with several calls, and at one that is ended while it
// waits for its host.
func (x *exam) second(ctx context.Context) {
	p := x.restart(ctx)
	if p == nil {
		return
	}
	first := p
	defer func() { _ = first.Close(context.WithoutCancel(ctx)) }()
	if !x.called || x.invokeErr != nil || x.afterCall != nil {
		return
	}
	if x.opts.Parallel > 1 {
		x.together(ctx, p)
	}
	if x.desk.calls() == 0 || ctx.Err() != nil {
		return
	}
	if x.answered < x.parallel { // it is stuck
		q := x.restart(ctx)
		if q == nil {
			return
		}
		defer func() { _ = q.Close(context.WithoutCancel(ctx)) }()
		p = q
	}
	x.unanswered(ctx, p)
}

// restart returns another process, or nil if it does not come up.
func (x *exam) restart(ctx context.Context) *executa.Process {
	x.script.next()
	x.step("start it again")
	p, took, err := x.start(ctx)
	if err != nil {
		x.againErr = err
		return nil
	}
	x.again = cmp.Or(x.again, took)
	return p
}

// together makes calls at once. They have the time that they would need one after
// the other, and some.
func (x *exam) together(ctx context.Context, p *executa.Process) {
	n := x.opts.Parallel
	x.step("call %s %d times at once", x.target.Tool, n)
	x.inTime = time.Duration(n)*x.callTime + spare
	ctx, cancel := context.WithTimeout(ctx, x.inTime)
	defer cancel()
	var wg sync.WaitGroup
	answers := make(chan struct{}, n)
	for range n {
		wg.Go(func() {
			if _, _, err := p.Invoke(ctx, x.invocation()); err == nil {
				answers <- struct{}{}
			}
		})
	}
	wg.Wait()
	x.parallel, x.answered = n, len(answers)
}

// unanswered ends p while it waits for an answer of the host.
func (x *exam) unanswered(ctx context.Context, p *executa.Process) {
	x.step("end it while it waits for its host")
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	open := x.desk.holdBack()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _, _ = p.Invoke(ctx, x.invocation())
	}()
	timer := time.NewTimer(hold)
	defer timer.Stop()
	select {
	case <-open:
		x.openSeen = true
	case <-done:
	case <-timer.C:
	case <-ctx.Done():
	}
	if x.openSeen {
		x.openEOF = x.finish(ctx, p)
	}
	cancel()
	<-done
}
