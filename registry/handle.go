package registry

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// A Handle is one generation of the tools of an owner.
type Handle struct {
	registry   *Registry
	owner      string
	generation int
	entries    []*entry

	drained   chan struct{} // closed when retired and no call runs
	hooksDone chan struct{} // closed when retired and the hooks have run

	mu       sync.Mutex // protects what follows
	running  map[*running]struct{}
	retired  bool
	replaced bool
	hooks    []func(context.Context) error
	hookErr  error // set before hooksDone is closed
}

func newHandle(r *Registry, owner string, generation int, defs []Def) (*Handle, error) {
	if !ValidID(owner) {
		return nil, &DefError{Owner: owner, Msg: "an owner is a letter and up to 127 letters, digits and . _ : -"}
	}
	h := &Handle{
		registry:   r,
		owner:      owner,
		generation: generation,
		running:    map[*running]struct{}{},
		drained:    make(chan struct{}),
		hooksDone:  make(chan struct{}),
	}
	schemas := map[string]*schema{} // many tools have the same
	for _, def := range defs {
		e, err := newEntry(h, def, schemas)
		if err != nil {
			return nil, err
		}
		h.entries = append(h.entries, e)
	}
	slices.SortFunc(h.entries, compareEntries)
	return h, nil
}

// Owner returns the owner as registered.
func (h *Handle) Owner() string { return h.owner }

// Generation returns 1 for what [Registry.Register] returned and one more for
// each [Handle.Replace].
func (h *Handle) Generation() int { return h.generation }

// Tools returns the tools of this generation, sorted by name. They stay those
// of this generation, which can be called until it is retired. The caller
// owns the slice.
func (h *Handle) Tools() []*Tool {
	list := make([]*Tool, len(h.entries))
	for i, e := range h.entries {
		list[i] = &Tool{entry: e, registry: h.registry}
	}
	return list
}

// Replace puts a new generation, which may have other tools or none, in the
// place of h in one step: no listing has a part of each. On an error, as of
// [Registry.Register], or [ErrReplaced] or [ErrRetired] if h is not the
// newest, nothing has changed. Calls of the old generation go on, and its
// [Tool] values can be called, until h is retired; the registry holds on to h
// until then.
func (h *Handle) Replace(defs ...Def) (*Handle, error) {
	next, err := newHandle(h.registry, h.owner, h.generation+1, defs)
	if err != nil {
		return nil, err
	}
	h.registry.tree.mu.Lock()
	defer h.registry.tree.mu.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.replaced:
		return nil, ErrReplaced
	case h.retired:
		return nil, ErrRetired
	}
	if err := h.registry.add(next, h); err != nil {
		return nil, err
	}
	h.replaced = true
	return next, nil
}

// OnRetire has f called when h is retired, at once if it is already: after
// its calls were cancelled and while they end, since ending a plugin's
// process may be what ends them. f must return when its context does. It is
// called once. Several are called one after the other.
func (h *Handle) OnRetire(f func(context.Context) error) {
	h.mu.Lock()
	retired := h.retired
	if !retired {
		h.hooks = append(h.hooks, f)
	}
	h.mu.Unlock()
	if retired {
		ctx, cancel := context.WithTimeout(context.Background(), h.registry.tree.retireTimeout)
		defer cancel()
		_ = runHook(ctx, f) // Retire, which would report it, is over
	}
}

// Retire takes the tools of this generation away (never those of a newer
// one), refuses new calls with [ErrRetired], cancels the running ones and
// waits until they and the [Handle.OnRetire] functions are done. It waits no
// longer than ctx and [Options.RetireTimeout] allow; then, or if a function
// failed, the error is a [*RetireError]. It may be called again to wait again.
func (h *Handle) Retire(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, h.registry.tree.retireTimeout)
	defer cancel()

	h.registry.tree.mu.Lock()
	h.registry.remove(h)
	delete(h.registry.live, h)
	h.mu.Lock()
	first := !h.retired
	h.retired = true
	if first && len(h.running) == 0 {
		close(h.drained)
	}
	hooks := h.hooks
	h.hooks = nil
	calls := slices.Collect(maps.Keys(h.running))
	h.mu.Unlock()
	h.registry.tree.mu.Unlock()

	for _, r := range calls {
		r.cancel(ErrRetired)
	}
	switch {
	case first && len(hooks) == 0:
		close(h.hooksDone)
	case first:
		// In a goroutine, so that not even a function that does not heed its
		// context can hold up the caller.
		go func() {
			defer close(h.hooksDone)
			for _, f := range hooks {
				if err := runHook(ctx, f); err != nil && h.hookErr == nil {
					h.hookErr = err
				}
			}
		}()
	}
	return h.wait(ctx)
}

func (h *Handle) wait(ctx context.Context) error {
	for _, done := range []chan struct{}{h.hooksDone, h.drained} {
		select {
		case <-done:
			continue
		default:
		}
		select {
		case <-done:
		case <-ctx.Done():
			h.mu.Lock()
			running := len(h.running)
			h.mu.Unlock()
			return &RetireError{Owner: h.owner, Generation: h.generation, Running: running, Err: ctx.Err()}
		}
	}
	if h.hookErr != nil {
		return &RetireError{Owner: h.owner, Generation: h.generation, Err: h.hookErr}
	}
	return nil
}

func runHook(ctx context.Context, f func(context.Context) error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return f(ctx)
}

// A running is a call that runs.
type running struct {
	cancel context.CancelCauseFunc
	sent   atomic.Bool
}

// begin counts a call in, unless h is retired. Its cancel is called when h is.
func (h *Handle) begin(r *running) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.retired {
		return false
	}
	h.running[r] = struct{}{}
	return true
}

func (h *Handle) isRetired() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.retired
}

// end counts it out.
func (h *Handle) end(r *running) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.running, r)
	if h.retired && len(h.running) == 0 {
		close(h.drained)
	}
}
