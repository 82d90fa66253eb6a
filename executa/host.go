package executa

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/matrix-nexus/skillkit/registry"
)

// A Host keeps plugins and has their tools in a registry. Its methods may be
// called by several goroutines.
type Host struct {
	registry *registry.Registry
	opts     Options
	log      *slog.Logger
	backoff  time.Duration // before the first restart
	// start starts a process; tests have another.
	start func(ctx context.Context, spec *Spec, opts *Options, first bool) (running, error)

	mu     sync.Mutex // protects what follows
	closed bool
	newest map[string]*Plugin   // by id
	all    map[*Plugin]struct{} // not yet retired, also those that are not registered yet
}

// NewHost returns a host that registers tools in r.
func NewHost(r *registry.Registry, opts *Options) *Host {
	h := &Host{
		registry: r,
		backoff:  restartBackoff,
		start:    startRunning,
		newest:   map[string]*Plugin{},
		all:      map[*Plugin]struct{}{},
	}
	if opts != nil {
		h.opts = *opts
	}
	h.log = cmp.Or(h.opts.Logger, slog.New(slog.DiscardHandler))
	return h
}

// Register adds a plugin. Its tools are registered when Register returns. The
// process is started for that, unless the folder has the plugin's manifest beside
// its executa.json; then the process is started by the first call. ctx bounds
// that. The error of a plugin that cannot be started is a [*StartError]; an id that is
// taken is an error too, see [Plugin.Replace].
func (h *Host) Register(ctx context.Context, spec Spec) (*Plugin, error) {
	command, err := resolve(&spec, &h.opts)
	if err != nil {
		return nil, err
	}
	p, err := h.add(command.id, spec, nil)
	if err != nil {
		return nil, err
	}
	if command.id != "" && command.known != nil {
		p.manifest = command.known
	} else if err := p.Start(ctx); err != nil {
		return nil, h.drop(p, err)
	}
	if err := p.register(func(defs []registry.Def) (*registry.Handle, error) {
		return h.registry.Register(p.ID(), defs...)
	}); err != nil {
		return nil, h.drop(p, err)
	}
	return p, nil
}

// add makes a plugin, of which the host then knows. The id may be empty: then it
// is that by which the plugin describes itself. The new one may have the id of
// old.
func (h *Host) add(id string, spec Spec, old *Plugin) (*Plugin, error) {
	redact := new(redactor)
	if old != nil {
		redact = old.redact
	}
	p := newPlugin(h, spec, redact)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, ErrClosed
	}
	if id != "" {
		if err := h.claim(id, p, old); err != nil {
			return nil, err
		}
		p.id = id
	}
	h.all[p] = struct{}{}
	return p, nil
}

// claim gives an id to p, unless another plugin than old has it; if old has it,
// it keeps it until p is registered. The caller holds mu.
func (h *Host) claim(id string, p, old *Plugin) error {
	if !registry.ValidID(id) {
		return fmt.Errorf("plugin %q: an id is a letter and up to 127 letters, digits and . _ : -; set one as Spec.ID", id)
	}
	switch other := h.newest[id]; {
	case other == nil && old == nil:
		h.newest[id] = p
	case other == old:
	case old != nil:
		return fmt.Errorf("plugin %q: %w", id, registry.ErrReplaced)
	default:
		return fmt.Errorf("plugin %q: there is one with this id; give another as Spec.ID, or replace it", id)
	}
	return nil
}

// drop ends a plugin that could not be registered.
func (h *Host) drop(p *Plugin, err error) error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // nobody has used it
	_ = p.end(ctx)
	return err
}

// forget is called for a plugin that has ended.
func (h *Host) forget(p *Plugin) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.all, p)
	if h.newest[p.id] == p {
		delete(h.newest, p.id)
	}
}

// Plugins returns the newest generation of each plugin, sorted by id.
func (h *Host) Plugins() []*Plugin {
	h.mu.Lock()
	list := slices.Collect(maps.Values(h.newest))
	h.mu.Unlock()
	list = slices.DeleteFunc(list, func(p *Plugin) bool { return !p.registered() })
	slices.SortFunc(list, func(a, b *Plugin) int { return strings.Compare(a.ID(), b.ID()) })
	return list
}

// Plugin returns the newest generation of a plugin, or nil.
func (h *Host) Plugin(id string) *Plugin {
	h.mu.Lock()
	p := h.newest[id]
	h.mu.Unlock()
	if p == nil || !p.registered() {
		return nil
	}
	return p
}

// Close retires all plugins, side by side. When ctx ends, what still runs is
// killed. It returns when no process is left, and may be called again.
func (h *Host) Close(ctx context.Context) error {
	h.mu.Lock()
	h.closed = true
	list := slices.Collect(maps.Keys(h.all))
	h.mu.Unlock()
	errs := make([]error, len(list))
	var wg sync.WaitGroup
	for i, p := range list {
		wg.Go(func() { errs[i] = p.Retire(ctx) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

func (h *Host) emit(e Event) {
	log := h.log.With("plugin", e.Plugin)
	if e.Err != nil {
		log = log.With("error", e.Err)
	}
	switch e.Kind {
	case EventExited, EventFailed, EventDrift:
		log.Warn("plugin " + string(e.Kind))
	default:
		log.Info("plugin " + string(e.Kind))
	}
	if h.opts.OnEvent != nil {
		h.opts.OnEvent(e)
	}
}
