package registry

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"

	"github.com/matrix-nexus/skillkit/internal/closest"
)

// Options configure [New]. The zero Options, like a nil *Options, mean the
// defaults.
type Options struct {
	// RetireTimeout bounds how long [Handle.Retire] waits, beside its
	// context. Zero or less means 10 seconds.
	RetireTimeout time.Duration
}

const defaultRetireTimeout = 10 * time.Second

// A Registry holds tools by name. It sees those of its parent as well, but
// not those of its siblings and children; a name is taken once on the way
// from the root to any descendant. Make one with [New] or [Registry.Child].
type Registry struct {
	scope  string
	parent *Registry
	tree   *tree
	calls  journal // of calls made through this registry
	cache  atomic.Pointer[listing]

	// What follows is protected by tree.mu.
	closed     bool
	byName     map[string]*entry // by name for models
	byOriginal map[string]*entry
	live       map[*Handle]struct{} // not yet retired
	children   map[*Registry]struct{}
}

// A tree is what a root registry and all its descendants share.
type tree struct {
	retireTimeout time.Duration

	mu      sync.RWMutex
	version uint64 // grows with each change of any registry's tools
}

// A listing is the sorted tools that a registry sees.
type listing struct {
	version uint64
	tools   []*Tool
}

// New returns an empty registry.
func New(opts *Options) *Registry {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.RetireTimeout <= 0 {
		o.RetireTimeout = defaultRetireTimeout
	}
	return newRegistry("", nil, &tree{retireTimeout: o.RetireTimeout})
}

func newRegistry(scope string, parent *Registry, t *tree) *Registry {
	return &Registry{
		scope:      scope,
		parent:     parent,
		tree:       t,
		byName:     map[string]*entry{},
		byOriginal: map[string]*entry{},
		live:       map[*Handle]struct{}{},
		children:   map[*Registry]struct{}{},
	}
}

// Child returns a new registry below r, for the tools of a session, a
// workspace or an app; scope says which, in errors. Two children are apart
// even if their scopes are equal. The parent holds on to a child until
// [Registry.Close]. A child of a closed registry is closed.
func (r *Registry) Child(scope string) *Registry {
	child := newRegistry(scope, r, r.tree)
	r.tree.mu.Lock()
	defer r.tree.mu.Unlock()
	if r.closed {
		child.closed = true
	} else {
		r.children[child] = struct{}{}
	}
	return child
}

// Close retires the tools of r and of its descendants, as [Handle.Retire]
// does, all at once, and lets the parent forget r. The parent's tools are not
// touched. Nothing can be registered afterwards. It may be called again.
func (r *Registry) Close(ctx context.Context) error {
	r.tree.mu.Lock()
	handles := r.close()
	if r.parent != nil {
		delete(r.parent.children, r)
	}
	r.tree.mu.Unlock()

	slices.SortFunc(handles, func(a, b *Handle) int {
		return cmp.Or(cmp.Compare(a.owner, b.owner), cmp.Compare(a.generation, b.generation))
	})
	errs := make([]error, len(handles))
	var wg sync.WaitGroup
	for i, h := range handles {
		wg.Go(func() { errs[i] = h.Retire(ctx) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// close marks r and its descendants closed and returns what is to be retired.
func (r *Registry) close() []*Handle {
	r.closed = true
	handles := slices.Collect(maps.Keys(r.live))
	for child := range r.children {
		handles = append(handles, child.close()...)
	}
	return handles
}

// Register adds tools, all or none. owner says whose they are, in errors; it
// is a [ValidID] and need not be unique. The error is a [*DefError], a
// [*DuplicateError] that names both owners, or [ErrClosed]. A schema that
// cannot be used is no error; see [Tool.SchemaError].
func (r *Registry) Register(owner string, defs ...Def) (*Handle, error) {
	h, err := newHandle(r, owner, 1, defs)
	if err != nil {
		return nil, err
	}
	r.tree.mu.Lock()
	defer r.tree.mu.Unlock()
	if err := r.add(h, nil); err != nil {
		return nil, err
	}
	return h, nil
}

// add puts the tools of h in place of those of old, which may be nil, or does
// nothing and returns an error.
func (r *Registry) add(h, old *Handle) error {
	if r.closed {
		return ErrClosed
	}
	seen := make(map[string]*entry, len(h.entries))
	for _, e := range h.entries {
		taken := seen[e.name]
		if taken == nil {
			taken = r.taken(e.name, old)
		}
		if taken != nil {
			return &DuplicateError{Name: e.name, New: e.registrant(), Old: taken.registrant()}
		}
		seen[e.name] = e
	}
	if old != nil {
		r.remove(old)
	}
	for _, e := range h.entries {
		r.byName[e.name] = e
		r.byOriginal[e.def.Name] = e
	}
	r.live[h] = struct{}{}
	r.tree.version++
	return nil
}

// taken returns the tool with that name in r, its ancestors or descendants,
// if it is not one of h.
func (r *Registry) taken(name string, h *Handle) *entry {
	for a := r.parent; a != nil; a = a.parent {
		if e := a.byName[name]; e != nil {
			return e
		}
	}
	return r.takenBelow(name, h)
}

func (r *Registry) takenBelow(name string, h *Handle) *entry {
	if e := r.byName[name]; e != nil && e.handle != h {
		return e
	}
	for child := range r.children {
		if e := child.takenBelow(name, h); e != nil {
			return e
		}
	}
	return nil
}

// remove takes away the names that h still has.
func (r *Registry) remove(h *Handle) {
	for _, e := range h.entries {
		if r.byName[e.name] == e {
			delete(r.byName, e.name)
			delete(r.byOriginal, e.def.Name)
		}
	}
	r.tree.version++
}

// All returns the tools that r sees, sorted by name. The caller owns the
// slice.
func (r *Registry) All() []*Tool { return slices.Clone(r.list()) }

// Tools returns the tools that r sees for a langchaingo agent, sorted by
// name. They stay those of their generation: after a [Handle.Replace], make a
// new agent. The caller owns the slice. Providers limit their number; OpenAI
// takes 128.
func (r *Registry) Tools() []tools.Tool {
	list := r.list()
	out := make([]tools.Tool, len(list))
	for i, t := range list {
		out[i] = t
	}
	return out
}

// LLMTools returns the definitions of the tools that r sees, sorted by name,
// for llms.WithTools; see [Tool.LLMTool]. The caller owns all of it.
func (r *Registry) LLMTools() []llms.Tool {
	list := r.list()
	out := make([]llms.Tool, len(list))
	for i, t := range list {
		out[i] = t.LLMTool()
	}
	return out
}

// list returns a slice that must not be changed.
func (r *Registry) list() []*Tool {
	r.tree.mu.RLock()
	defer r.tree.mu.RUnlock()
	if l := r.cache.Load(); l != nil && l.version == r.tree.version {
		return l.tools
	}
	var list []*Tool
	for a := r; a != nil; a = a.parent {
		for _, e := range a.byName {
			list = append(list, &Tool{entry: e, registry: r})
		}
	}
	slices.SortFunc(list, func(a, b *Tool) int { return strings.Compare(a.Name(), b.Name()) })
	r.cache.Store(&listing{version: r.tree.version, tools: list})
	return list
}

// Lookup returns the newest generation of the tool with the given name: the
// name for models, in any case, or the tool's own. The error is an
// [*UnknownToolError].
func (r *Registry) Lookup(name string) (*Tool, error) {
	if e := r.find(name); e != nil {
		return &Tool{entry: e, registry: r}, nil
	}
	list := r.list()
	names := make([]string, len(list))
	for i, t := range list {
		names[i] = t.Name()
	}
	return nil, &UnknownToolError{Name: name, Similar: closest.Names(name, names), Tools: names}
}

func (r *Registry) find(name string) *entry {
	r.tree.mu.RLock()
	defer r.tree.mu.RUnlock()
	lower := strings.ToLower(name)
	for a := r; a != nil; a = a.parent {
		if e := cmp.Or(a.byName[name], a.byOriginal[name]); e != nil {
			return e
		}
	}
	for a := r; a != nil; a = a.parent {
		if e := a.byName[lower]; e != nil {
			return e
		}
	}
	return nil
}

// Dispatch answers the call of a model, as [Tool.Call] does; an unknown tool
// is answered with text as well, which names similar ones. The response is
// always one that can go into the conversation, also beside an error. There
// is an error only if ctx ended: that of the context. The model's id is not
// used to tell repeated calls, since providers leave it out or repeat it.
func (r *Registry) Dispatch(ctx context.Context, call llms.ToolCall) (llms.ToolCallResponse, error) {
	response := llms.ToolCallResponse{ToolCallID: call.ID}
	if call.FunctionCall == nil {
		response.Content = "error: the call names no function"
		return response, ctx.Err()
	}
	response.Name = call.FunctionCall.Name
	t, err := r.Lookup(strings.TrimSpace(call.FunctionCall.Name))
	if err != nil {
		response.Content = "error: " + err.Error()
		return response, ctx.Err()
	}
	response.Content, err = t.answer(ctx, call.FunctionCall.Arguments)
	return response, err
}
