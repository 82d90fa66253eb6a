package executa

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/matrix-nexus/skillkit/executa/manifest"
	"github.com/matrix-nexus/skillkit/registry"
)

// How a plugin that ended by itself is started again: from the page on the
// lifecycle, which leaves open when failures are forgotten.
const (
	restartAttempts = 3               // in a row
	restartBackoff  = time.Second     // before the first, doubled each time, and up to half more
	restartHealthy  = 1 * time.Minute // after which failures are forgotten
)

// running is what a Plugin needs of a [*Process]; tests have another.
type running interface {
	ID() string
	PID() int
	Protocol() string
	Manifest() *manifest.Plugin
	Invoke(ctx context.Context, inv Invocation) (result registry.Result, sent bool, err error)
	Health(ctx context.Context) (Health, error)
	Stats() Stats
	Done() <-chan struct{}
	Err() error
	Close(ctx context.Context) error
	accepts() bool
}

func startRunning(ctx context.Context, spec *Spec, opts *Options, first bool) (running, error) {
	command, err := resolve(spec, opts)
	if err != nil {
		return nil, err
	}
	process, err := startProcess(ctx, command, spec, opts, first)
	if err != nil {
		return nil, err
	}
	return process, nil
}

// An instance is the process of a plugin.
type instance struct {
	running
	tools map[string]toolInfo
	since time.Time
	gone  chan struct{} // closed when the plugin has taken note of its end

	// What follows is protected by Plugin.mu.
	stopping bool   // the host ends it
	why      string // the host does so
}

// A flight is a start that is under way. Calls wait for it; it goes on if they
// give up.
type flight struct {
	done    chan struct{}
	err     error  // why there is no process, set before done is closed; nil after cancel
	cancel  func() // ends it
	hurry   func() // ends the wait before a restart
	hurried chan struct{}
	again   bool // go on after a failure as long as the plugin may; protected by Plugin.mu
}

// process returns a process that takes calls. It starts one if there is none. A
// nested call, which what runs waits for, does not wait for that to end.
func (p *Plugin) process(ctx context.Context, nested bool) (*instance, error) {
	for {
		p.mu.Lock()
		l := p.live
		usable := l != nil && !l.stopping && l.accepts()
		switch {
		case p.retired:
			p.mu.Unlock()
			return nil, fmt.Errorf("plugin %q is retired: %w", p.id, ErrClosed)
		case usable:
			p.mu.Unlock()
			return l, nil
		case p.failed != nil:
			defer p.mu.Unlock()
			return nil, p.failed
		case nested && l != nil:
			p.mu.Unlock()
			return nil, fmt.Errorf("plugin %q is about to end: %w", p.id, ErrNested)
		}
		f := p.takeOff(false)
		p.mu.Unlock()
		select {
		case <-f.done:
			if f.err != nil {
				return nil, f.err
			}
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// takeOff begins to start a process, unless that is under way, and with again
// goes on trying as long as the plugin may. The caller holds mu.
func (p *Plugin) takeOff(again bool) *flight {
	if p.flight != nil {
		p.flight.again = p.flight.again || again
		return p.flight
	}
	ctx, cancel := context.WithCancel(p.life)
	f := &flight{done: make(chan struct{}), cancel: cancel, hurried: make(chan struct{}), again: again}
	f.hurry = sync.OnceFunc(func() { close(f.hurried) })
	p.flight = f
	p.since = time.Now()
	go func() {
		defer cancel()
		err := p.launch(ctx, f)
		p.mu.Lock()
		for f.again && err != nil && ctx.Err() == nil && p.failed == nil {
			p.mu.Unlock()
			err = p.launch(ctx, f)
			p.mu.Lock()
		}
		p.flight = nil
		p.since = time.Now()
		if ctx.Err() == nil {
			f.err = err
		}
		failed := p.failed
		p.mu.Unlock()
		close(f.done)
		if err != nil && failed != nil {
			p.host.emit(Event{Plugin: p.ID(), Kind: EventFailed, Err: failed})
		}
	}()
	return f
}

// launch starts a process once the one before is gone and it is time.
func (p *Plugin) launch(ctx context.Context, f *flight) error {
	p.mu.Lock()
	old := p.live
	p.mu.Unlock()
	if old != nil {
		select {
		case <-old.gone:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	p.mu.Lock()
	wait, failed := time.Until(p.notBefore), p.failed
	p.mu.Unlock()
	if failed != nil {
		return failed
	}
	timer := time.NewTimer(max(wait, 0))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-f.hurried:
	case <-ctx.Done():
		return ctx.Err()
	}

	p.mu.Lock()
	spec, first := p.spec, !p.started
	spec.ID = p.id
	p.starts++
	if p.broken {
		p.restarts++
	}
	p.mu.Unlock()
	opts := p.host.opts
	opts.redact = p.redact
	process, err := p.host.start(ctx, &spec, &opts, first)
	if err == nil {
		if err = p.take(process); err == nil {
			return nil
		}
		killed, cancel := context.WithCancel(ctx)
		cancel()
		_ = process.Close(killed) // nobody has used it
	}
	if ctx.Err() == nil {
		p.mu.Lock()
		p.fail(err)
		p.mu.Unlock()
	}
	return err
}

// take makes a process that was started that of the plugin.
func (p *Plugin) take(process running) error {
	if err := p.identify(process.ID()); err != nil {
		return err
	}
	m := process.Manifest()
	l := &instance{running: process, tools: toolInfos(m, p.spec.Timeout), since: time.Now(), gone: make(chan struct{})}
	if err := p.publish(m, l.tools); err != nil {
		return &StartError{Plugin: p.id, Stage: "describe", Err: err}
	}
	slots := p.spec.MaxInFlight
	if slots <= 0 {
		slots = V1InFlight
		if process.Protocol() == protocol2 {
			slots = V2InFlight
		}
	}
	p.mu.Lock()
	p.live = l
	p.started, p.broken = true, false
	p.reason = ""
	p.mu.Unlock()
	p.host.emit(Event{Plugin: p.id, Kind: EventStarted})
	p.queue.resize(slots)
	p.enter()
	p.leave() // from now on it may become idle
	go p.watch(l)
	return nil
}

// identify sees to it that the plugin stays the same.
func (p *Plugin) identify(id string) error {
	p.host.mu.Lock()
	defer p.host.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	switch p.id {
	case id:
		return nil
	case "":
		if err := p.host.claim(id, p, nil); err != nil {
			return err
		}
		p.id = id
		return nil
	}
	return &StartError{Plugin: p.id, Stage: "describe", Err: fmt.Errorf("it is %q now; register that as another plugin", id)}
}

// watch waits for the end of a process and decides what comes then.
func (p *Plugin) watch(l *instance) {
	<-l.Done()
	err := l.Err()
	_, late := errors.AsType[*TimeoutError](err)

	p.mu.Lock()
	p.stats = l.Stats()
	event := Event{Plugin: p.id, Kind: EventStopped, Err: err}
	switch {
	case l.stopping || errors.Is(err, ErrClosed):
		event.Err = nil
		p.reason = l.why
	case late:
		p.reason = err.Error()
	default:
		event.Kind = EventExited
		if time.Since(l.since) >= restartHealthy {
			p.failures = 0
		}
		p.fail(err)
	}
	failed := p.failed
	p.mu.Unlock()
	p.host.emit(event)
	if event.Kind == EventExited && failed != nil {
		p.host.emit(Event{Plugin: event.Plugin, Kind: EventFailed, Err: failed})
	}

	p.mu.Lock()
	p.live = nil
	p.since = time.Now()
	if event.Kind == EventExited && p.failed == nil && !l.stopping && !p.retired {
		p.takeOff(true)
	}
	p.mu.Unlock()
	close(l.gone)
}

// fail counts a failure and says when the next start may be. The caller holds mu.
func (p *Plugin) fail(err error) {
	p.broken = true
	p.failures++
	p.reason = err.Error()
	if p.failures > restartAttempts {
		p.failed = fmt.Errorf("plugin %q failed %d times in a row and is not started again until it is told to%s: %w",
			p.id, p.failures, habit(err), err)
		p.reason = p.failed.Error()
		return
	}
	delay := p.host.backoff << (p.failures - 1)
	p.notBefore = time.Now().Add(delay + rand.N(delay/2+1))
}

// habit explains an end that looks like a mistake which many plugins make.
func habit(err error) string {
	if e, ok := errors.AsType[*ExitError](err); ok && e.Status == "exit status 0" {
		return "; a plugin must read requests until its standard input ends, and not exit after one (pitfall 1)"
	}
	return ""
}
