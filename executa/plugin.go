package executa

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/matrix-nexus/skillkit/executa/manifest"
	"github.com/matrix-nexus/skillkit/registry"
)

// A Plugin is one generation of a plugin of a [Host]: a process that is started
// when it is needed, and its tools. Its methods may be called by several
// goroutines.
type Plugin struct {
	host  *Host
	spec  Spec
	queue *queue
	// redact hides in what one process writes what an earlier one was given, also
	// one of an earlier generation.
	redact *redactor

	life context.Context // ends when the plugin is retired
	die  context.CancelFunc

	// publishing is held while tools are registered or replaced.
	publishing sync.Mutex

	mu       sync.Mutex         // protects what follows
	id       string             // written with host.mu too, before the plugin is registered
	manifest *manifest.Plugin   // nil until known
	handle   *registry.Handle   // nil until registered
	stale    []*registry.Handle // earlier ones, of tools that changed meanwhile
	retired  bool

	live      *instance // nil if there is no process
	flight    *flight   // nil if none is being started
	broken    bool      // it ended by itself or failed to start, and has not started since
	failures  int       // of that kind, in a row
	notBefore time.Time
	failed    error // why it is not started any more; nil if it is
	started   bool  // once at least
	reason    string
	since     time.Time
	starts    int
	restarts  int
	stats     Stats // of the process before

	users  int // calls, also those that wait and those that were given up
	idle   *time.Timer
	unused time.Time // since when there are no users
}

func newPlugin(h *Host, spec Spec, redact *redactor) *Plugin {
	spec.Command = slices.Clone(spec.Command)
	spec.Env = slices.Clone(spec.Env)
	p := &Plugin{host: h, spec: spec, redact: redact, since: time.Now()}
	// Until the protocol is known, one call starts the process and the others
	// wait for it.
	p.queue = newQueue(max(spec.MaxInFlight, 1))
	p.life, p.die = context.WithCancel(context.Background())
	return p
}

// ID returns the id under which the plugin is known.
func (p *Plugin) ID() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.id
}

// Manifest returns what the plugin said of itself last. It must not be changed.
func (p *Plugin) Manifest() *manifest.Plugin {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.manifest
}

// Tools returns the registered tools of this generation, sorted by name.
func (p *Plugin) Tools() []*registry.Tool {
	p.mu.Lock()
	handle := p.handle
	p.mu.Unlock()
	if handle == nil {
		return nil
	}
	return handle.Tools()
}

// A State says how a plugin is.
type State string

const (
	StateStopped  State = "stopped"
	StateStarting State = "starting"
	StateRunning  State = "running"
	StateFailed   State = "failed" // it is not started again until [Plugin.Start]
	StateRetired  State = "retired"
)

// A Status is what [Plugin.Status] returns.
type Status struct {
	State    State     `json:"state"`
	Reason   string    `json:"reason,omitempty"` // why it stopped or failed
	PID      int       `json:"pid,omitempty"`
	Protocol string    `json:"protocol,omitempty"`
	Since    time.Time `json:"since"`
	Starts   int       `json:"starts"`
	Restarts int       `json:"restarts"` // of Starts, those after an exit that was not asked for
	Running  int       `json:"running"`  // calls
	Waiting  int       `json:"waiting"`  // calls
	Stats    Stats     `json:"stats"`    // of the process that runs, or ran last
}

// Status says how the plugin is. Running also counts calls whose callers gave up
// and which the plugin is not known to be done with.
func (p *Plugin) Status() Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := Status{Reason: p.reason, Since: p.since, Starts: p.starts, Restarts: p.restarts, Stats: p.stats}
	s.Running, s.Waiting = p.queue.counts()
	switch {
	case p.retired:
		s.State = StateRetired
	case p.flight != nil:
		s.State = StateStarting
	case p.live != nil:
		s.State, s.Reason = StateRunning, p.live.why
	case p.failed != nil:
		s.State = StateFailed
	default:
		s.State = StateStopped
	}
	if l := p.live; l != nil {
		s.PID, s.Protocol, s.Stats = l.PID(), l.Protocol(), l.Stats()
	}
	return s
}

// Start starts the process, unless it runs, and forgets earlier failures.
func (p *Plugin) Start(ctx context.Context) error {
	p.mu.Lock()
	p.broken, p.failures, p.failed, p.notBefore = false, 0, nil, time.Time{}
	if p.flight != nil {
		p.flight.hurry()
	}
	p.mu.Unlock()
	p.enter()
	defer p.leave()
	_, err := p.process(ctx, false)
	return err
}

// Stop ends the process as [Process.Close] does. The next call starts it again.
func (p *Plugin) Stop(ctx context.Context) error {
	p.mu.Lock()
	f := p.flight
	if f != nil {
		f.cancel()
	}
	p.mu.Unlock()
	if f != nil {
		<-f.done
	}
	return p.stop(ctx, "it was stopped")
}

// stop ends the process that runs, if any.
func (p *Plugin) stop(ctx context.Context, why string) error {
	p.mu.Lock()
	l := p.live
	if l != nil {
		l.stopping, l.why = true, cmp.Or(l.why, why)
	}
	p.mu.Unlock()
	if l == nil {
		return nil
	}
	err := l.Close(ctx)
	<-l.gone
	return err
}

// Health starts the process if need be and asks it how it is.
func (p *Plugin) Health(ctx context.Context) (Health, error) {
	p.enter()
	defer p.leave()
	l, err := p.process(ctx, false)
	if err != nil {
		return Health{}, err
	}
	return l.Health(ctx)
}

// Replace starts a new generation of the plugin, from spec, and puts its tools in
// the place of these in one step. On an error nothing has changed. Calls of this
// generation go on until [Plugin.Retire]. The new one has the same id. ctx bounds
// the start.
func (p *Plugin) Replace(ctx context.Context, spec Spec) (*Plugin, error) {
	h, id := p.host, p.ID()
	if spec.ID = cmp.Or(spec.ID, id); spec.ID != id {
		return nil, fmt.Errorf("plugin %q cannot be replaced by %q: leave Spec.ID empty", id, spec.ID)
	}
	next, err := h.add(id, spec, p)
	if err != nil {
		return nil, err
	}
	if err := next.Start(ctx); err != nil {
		return nil, h.drop(next, err)
	}
	p.publishing.Lock() // so that its tools do not change meanwhile
	defer p.publishing.Unlock()
	p.mu.Lock()
	handle := p.handle
	p.mu.Unlock()
	err = next.register(func(defs []registry.Def) (*registry.Handle, error) { return handle.Replace(defs...) })
	if err != nil {
		return nil, h.drop(next, err)
	}
	return next, nil
}

func (p *Plugin) registered() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.handle != nil && !p.retired
}

// Retire takes the tools of this generation away, cancels its calls and ends its
// process with all that it started, within the bounds of ctx: then it is killed.
// It returns when the process is gone, and may be called again.
func (p *Plugin) Retire(ctx context.Context) error {
	p.mu.Lock()
	p.setRetired() // so that there are no tools but these
	handles := slices.Clone(p.stale)
	if p.handle != nil {
		handles = append(handles, p.handle)
	}
	p.mu.Unlock()
	errs := make([]error, len(handles)+1)
	var wg sync.WaitGroup
	for i, handle := range handles {
		wg.Go(func() { errs[i] = handle.Retire(ctx) })
	}
	wg.Wait()
	errs[len(handles)] = p.end(ctx)
	for i, handle := range handles {
		// The calls end with the process, also if ctx ended first.
		if _, late := errors.AsType[*registry.RetireError](errs[i]); late {
			errs[i] = handle.Retire(context.WithoutCancel(ctx))
		}
	}
	return errors.Join(errs...)
}

// setRetired is called with mu held.
func (p *Plugin) setRetired() {
	if !p.retired {
		p.retired, p.since, p.reason = true, time.Now(), "it was retired"
	}
}

// end ends the plugin but for its tools.
func (p *Plugin) end(ctx context.Context) error {
	p.mu.Lock()
	p.setRetired()
	f := p.flight
	if p.idle != nil {
		p.idle.Stop()
	}
	p.mu.Unlock()
	p.die()
	if f != nil {
		<-f.done
	}
	err := p.stop(ctx, "it was retired")
	p.host.forget(p)
	return err
}

// enter and leave count the users of the plugin, without which it is stopped
// after a while.
func (p *Plugin) enter() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.users++
}

func (p *Plugin) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.users--; p.users > 0 || p.host.opts.Idle <= 0 || p.retired {
		return
	}
	p.unused = time.Now()
	if p.idle != nil {
		p.idle.Reset(p.host.opts.Idle)
		return
	}
	p.idle = time.AfterFunc(p.host.opts.Idle, func() {
		p.mu.Lock()
		idle := p.users == 0 && time.Since(p.unused) >= p.host.opts.Idle
		if l := p.live; idle && l != nil {
			l.stopping = true // no call comes between
		}
		p.mu.Unlock()
		if idle {
			_ = p.stop(context.Background(), "it was idle") // which it says itself
		}
	})
}
