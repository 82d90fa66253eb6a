package executa

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/matrix-nexus/skillkit/internal/jsonrpc"
)

// Bounds of what the calls of one plugin process may hold of the host.
const (
	// maxReverse is how many calls may be unanswered. More are refused.
	maxReverse = 512
	// maxReverseBytes is how large their parameters may be together, in bytes.
	// One call may always be that large: the reader bounds it.
	maxReverseBytes = 64 << 20
	// maxReverseID is the length in bytes of the longest id that is sent back.
	maxReverseID = 16 << 10
	// maxServing is how many are served at the same time, those apart that are
	// nested more or less deeply: so what a service waits for is not behind it
	// in the queue.
	maxServing = 32
	// closeGrace is how long a plugin that is closed may take to read the
	// answers.
	closeGrace = time.Second
)

type routerConfig struct {
	plugin string
	opts   *Options
	log    *slog.Logger                                        // never nil
	send   func(ctx context.Context, m *jsonrpc.Message) error // writes a reply; blocks
}

// A router answers the calls that a plugin process makes of the host. Each request
// gets one answer, unless the plugin does not read it.
//
// Neither services nor writes run on the goroutine of the reader: a service may
// wait for the same plugin. They run on goroutines that end with their call, or when
// the service returns, whichever is later.
type router struct {
	routerConfig
	sending context.Context // of all writes; ends closeGrace after close
	stop    context.CancelFunc
	closing sync.Once
	settled chan struct{} // closed when close was called and all is answered

	mu      sync.Mutex // protects what follows
	terms   negotiation
	live    map[string]*live
	calls   map[*reverse]struct{} // not answered
	size    int                   // in bytes, of their parameters
	lanes   [MaxNesting + 2]lane  // by how deep the call is nested
	outbox  []reply               // answers that no service gives
	writing bool                  // a goroutine writes the outbox
	closed  bool
	said    map[string]bool // what was logged by once
	// What was counted.
	requests, ignored, dropped int64
}

// An active call is one that the plugin works on.
type active struct {
	id, tool string
	ctx      context.Context
	deadline time.Time
	progress func(Progress) // or nil
}

// A live is an active with what it has led to. The router's mutex protects it.
type live struct {
	*active
	serving context.Context // of services; nil before the first call
	cancel  func(error)
	calls   map[*reverse]struct{} // not answered

	meter   *meter
	waiting []Progress    // for the receiver
	telling chan struct{} // closed when the goroutine that tells it ends; nil if there is none
}

// A reverse is a call of the plugin.
type reverse struct {
	id     json.RawMessage
	method string
	params map[string]json.RawMessage // without context
	size   int
	live   *live
	taken  bool // somebody answers it, or has
}

// A lane is the calls that are nested equally deeply.
type lane struct {
	serving int
	queue   []*reverse
}

// A reply is one in the outbox.
type reply struct {
	to *reverse // or nil, for one that was refused
	m  *jsonrpc.Message
}

func newRouter(c routerConfig) *router {
	r := &router{
		routerConfig: c,
		settled:      make(chan struct{}),
		live:         make(map[string]*live),
		calls:        make(map[*reverse]struct{}),
		said:         make(map[string]bool),
	}
	r.sending, r.stop = context.WithCancel(context.Background())
	return r
}

// begin makes a call one that the plugin can refer to.
func (r *router) begin(a *active) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.live[a.id] = &live{active: a}
}

var (
	errCallEnded = errors.New("executa: the call has ended that this was made for")
	errStopping  = errors.New("executa: the plugin is being stopped")
)

// end ends the context of the services that work for a call, and answers what the
// plugin still asks for it with an error: what a service returns later is dropped.
// It waits until the progress is delivered that came before. The caller must not be
// the reader.
func (r *router) end(id string) {
	r.mu.Lock()
	l := r.live[id]
	if l == nil {
		r.mu.Unlock()
		return
	}
	delete(r.live, id)
	if l.cancel != nil {
		l.cancel(errCallEnded)
	}
	for c := range l.calls {
		r.answer(c, newRPCError(codeInvalidParams, "the call has ended that this was made for", "UNKNOWN_INVOKE_CONTEXT", ""))
	}
	r.mu.Unlock()
	r.told(l)
}

func (r *router) counts() (reverse, droppedProgress int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.requests, r.dropped
}

// close ends the contexts of all services, answers all calls that are open with an
// error, and refuses later ones. It returns when the answers are written, or when
// the plugin has not read them for closeGrace. A service that does not heed its
// context goes on.
func (r *router) close() {
	r.closing.Do(func() {
		time.AfterFunc(closeGrace, r.stop)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.closed = true
		for _, l := range r.live {
			if l.cancel != nil {
				l.cancel(errStopping)
			}
		}
		for c := range r.calls {
			r.answer(c, newRPCError(codeInternal, "the host is stopping this plugin", "HOST_STOPPING", ""))
		}
		r.settle()
	})
	<-r.settled
}

// settle lets close return if there is nothing to answer. r.mu is held.
func (r *router) settle() {
	if !r.closed || len(r.calls) > 0 {
		return
	}
	select {
	case <-r.settled:
	default:
		close(r.settled)
	}
}

// receive takes a request or notification of the plugin. It does not keep m, never
// waits, and runs no service.
func (r *router) receive(m *jsonrpc.Message) {
	if m.ID == nil {
		if m.Method == progressMethod {
			r.progress(m)
			return
		}
		r.mu.Lock()
		r.ignored++
		r.mu.Unlock()
		return
	}
	if len(m.ID) > maxReverseID {
		r.log.Warn("call of the host without an answer: the id is too long", slog.Int("bytes", len(m.ID)))
		return
	}
	c := &reverse{id: bytes.Clone(m.ID), method: m.Method, size: len(m.Params)}
	if r.opts.Services[m.Method] == nil {
		r.refuse(c, newRPCError(codeMethodNotFound, fmt.Sprintf("method not found: %q", cut(m.Method)), "METHOD_NOT_FOUND", ""))
		return
	}
	var ok bool
	if c.params, ok = object(m.Params); !ok {
		r.refuse(c, newRPCError(codeInvalidParams, "params must be an object", "INVALID_PARAMS", ""))
		return
	}
	if err := r.accept(c); err != nil {
		r.refuse(c, err)
	}
}

// accept puts a call into its lane, or says why not.
func (r *router) accept(c *reverse) *RPCError {
	r.mu.Lock()
	defer r.mu.Unlock()
	err, advice := r.terms.check(r.plugin, c.method)
	if err != nil {
		r.once(slog.LevelWarn, c.method, string(err.Data))
		return err
	}
	if advice != "" {
		r.once(slog.LevelInfo, c.method, advice)
	}
	if c.live, err = r.route(c.params); err != nil {
		return err
	}
	delete(c.params, "context")
	switch {
	case r.closed:
		return newRPCError(codeInternal, "the host is stopping this plugin", "HOST_STOPPING", "")
	case len(r.calls) == maxReverse:
		return newRPCError(-32000, fmt.Sprintf("%d calls are not answered yet", maxReverse), "TOO_MANY_CALLS", "")
	case r.size+c.size > maxReverseBytes && r.size > 0:
		return newRPCError(-32000, fmt.Sprintf("the calls that are not answered yet exceed %d bytes", maxReverseBytes), "TOO_MANY_CALLS", "")
	}
	r.requests++
	r.size += c.size
	r.calls[c] = struct{}{}
	l := c.live
	if l.calls == nil {
		l.calls = make(map[*reverse]struct{})
		l.serving, l.cancel = r.serviceContext(l.active)
	}
	l.calls[c] = struct{}{}
	lane := &r.lanes[min(nesting(l.ctx, r.plugin), len(r.lanes)-1)]
	if lane.serving == maxServing {
		lane.queue = append(lane.queue, c)
		return nil
	}
	lane.serving++
	go r.work(lane, c)
	return nil
}

// once logs a remark about a method, which has a service, when it is made for the
// first time. r.mu is held.
func (r *router) once(level slog.Level, method, what string) {
	if key := method + " " + what; !r.said[key] {
		r.said[key] = true
		r.log.Log(context.Background(), level, "call of the host", slog.String("method", method), slog.String("remark", what))
	}
}

// serviceContext returns the context of the services that work for a.
func (r *router) serviceContext(a *active) (context.Context, func(error)) {
	// What is told of a call that this one leads to is not told of this one.
	ctx, stop := WithProgress(withNesting(a.ctx, r.plugin), nil), context.CancelFunc(func() {})
	if !a.deadline.IsZero() {
		ctx, stop = context.WithDeadline(ctx, a.deadline)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	return ctx, func(err error) {
		cancel(err)
		stop()
	}
}

// route returns the call that a call of the plugin is made for, which it has to say
// unless there is one only. r.mu is held.
func (r *router) route(params map[string]json.RawMessage) (*live, *RPCError) {
	unknown := func(field, id string) *RPCError {
		return newRPCError(codeInvalidParams, fmt.Sprintf("%s %q is that of no call that this plugin works on", field, cut(id)), "UNKNOWN_INVOKE_CONTEXT", "")
	}
	if id, given := text(member(params["context"], "invoke_id")); given {
		if l := r.live[id]; l != nil {
			return l, nil
		}
		return nil, unknown("context.invoke_id", id)
	}
	// A convention only, of which SDKs make what they like.
	id, _ := text(member(params["metadata"], "executa_invoke_id"))
	if l := r.live[id]; l != nil {
		return l, nil
	}
	switch len(r.live) {
	case 0:
		return nil, newRPCError(codeInvalidParams, "this plugin works on no call", "UNKNOWN_INVOKE_CONTEXT", "")
	case 1:
		for _, l := range r.live {
			if id != "" {
				r.log.Debug("metadata.executa_invoke_id is unknown: taken for the only call", slog.String("tool", l.tool))
			}
			return l, nil
		}
	}
	if id != "" {
		return nil, unknown("metadata.executa_invoke_id", id)
	}
	return nil, newRPCError(codeInvalidParams, fmt.Sprintf("this plugin works on %d calls: send back the context.invoke_id of the one this is for", len(r.live)), "MISSING_INVOKE_CONTEXT", "")
}

// cut returns the beginning of what a plugin sent, for a message.
func cut(s string) string {
	const most = 64 // bytes
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}

// nestingKey is that of how deep a context is inside calls of a plugin.
type nestingKey struct{ plugin string }

// nesting returns how deep ctx is inside calls of plugin: 0 if a call with it is
// not made for a call that the plugin works on.
func nesting(ctx context.Context, plugin string) int {
	depth, _ := ctx.Value(nestingKey{plugin}).(int)
	return depth
}

// withNesting returns a context for what a call with ctx of plugin leads to.
func withNesting(ctx context.Context, plugin string) context.Context {
	return context.WithValue(ctx, nestingKey{plugin}, nesting(ctx, plugin)+1)
}

// object returns the members of an object, of which nothing or null is an empty
// one, as copies.
func object(raw json.RawMessage) (members map[string]json.RawMessage, ok bool) {
	members = make(map[string]json.RawMessage)
	if len(raw) > 0 && json.Unmarshal(raw, &members) != nil {
		return nil, false
	}
	if members == nil { // of null
		members = make(map[string]json.RawMessage)
	}
	return members, true
}

// encode is the reverse of object.
func encode(members map[string]json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(members); err != nil {
		return json.RawMessage("{}") // no decoded object fails
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// member returns a member of an object, or nil.
func member(raw json.RawMessage, key string) json.RawMessage {
	var members map[string]json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &members) != nil {
		return nil
	}
	return members[key]
}

// text returns the string that raw is. Neither null nor an empty one is given, and
// of another value it is the text of that, which no id of ours is.
func text(raw json.RawMessage) (s string, given bool) {
	if len(raw) == 0 {
		return "", false
	}
	if json.Unmarshal(raw, &s) != nil {
		return string(raw), true
	}
	return s, s != ""
}
