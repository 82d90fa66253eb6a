package executa

import (
	"context"
	"encoding/json"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/matrix-nexus/skillkit/internal/jsonrpc"
)

// A Progress is what a plugin tells while it works on a call, with the notification
// executa/progress. Others are dropped: "skills plugin doctor" tells of them.
type Progress struct {
	Type string          // "progress" or "tool_update"
	Data json.RawMessage // at most [MaxProgress] bytes
}

// Limits of progress, from the page on pitfalls, no. 13. What is over them is
// dropped and counted.
const (
	MaxProgress     = 8 << 10 // bytes of an event
	ProgressPerCall = 50      // events a second
)

type progressKey struct{}

// WithProgress returns a context with which calls of plugin tools report to f
// what the plugin tells meanwhile. Without it progress is dropped. f is called by
// one goroutine at a time for one call, must be fast, and is not called after the
// call has ended.
func WithProgress(ctx context.Context, f func(Progress)) context.Context {
	return context.WithValue(ctx, progressKey{}, f)
}

const (
	// progressMethod is that of the notification.
	progressMethod = "executa/progress"
	// progressQueue is how many events of a call wait for a receiver that is
	// slower than they come. Then the oldest goes.
	progressQueue = 50
	// progressGrace is how long the end of a call waits for the receiver of what
	// came before.
	progressGrace = time.Second
)

// A meter tells whether an event is within ProgressPerCall in any second.
type meter struct {
	times [ProgressPerCall]time.Time // of the last events, a ring
	next  int
}

func (m *meter) take(now time.Time) bool {
	if oldest := m.times[m.next]; !oldest.IsZero() && now.Sub(oldest) < time.Second {
		return false
	}
	m.times[m.next] = now
	m.next = (m.next + 1) % len(m.times)
	return true
}

// progress hands what a plugin tells to the call that it names. It never goes to
// another, be it the only one: what is shown as progress has to be of this call.
func (r *router) progress(m *jsonrpc.Message) {
	params, _ := object(m.Params)
	id, _ := text(member(params["context"], "invoke_id"))
	data := params["data"]

	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.live[id]
	if l == nil || l.progress == nil || len(data) > MaxProgress {
		r.dropped++
		return
	}
	if l.meter == nil {
		l.meter = new(meter)
	}
	if !l.meter.take(time.Now()) {
		r.dropped++
		return
	}
	p := Progress{Type: "progress", Data: data}
	if t, _ := text(params["type"]); t == "tool_update" {
		p.Type = t
	}
	if len(l.waiting) == progressQueue {
		l.waiting = l.waiting[1:]
		r.dropped++
	}
	l.waiting = append(l.waiting, p)
	if l.telling == nil {
		l.telling = make(chan struct{})
		go r.tell(l)
	}
}

// tell calls the receiver, which the reader of the plugin must not wait for.
func (r *router) tell(l *live) {
	for {
		r.mu.Lock()
		if len(l.waiting) == 0 {
			close(l.telling)
			l.telling = nil
			r.mu.Unlock()
			return
		}
		p := l.waiting[0]
		l.waiting = l.waiting[1:]
		r.mu.Unlock()
		func() {
			defer func() {
				if p := recover(); p != nil {
					r.log.Error("progress: panic", slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
				}
			}()
			l.progress(p)
		}()
	}
}

// told waits until the receiver has what came before the end of the call, unless
// nobody waits for it any more. l is no longer live.
func (r *router) told(l *live) {
	drop := func() {
		r.mu.Lock()
		r.dropped += int64(len(l.waiting))
		l.waiting = nil
		r.mu.Unlock()
	}
	if l.ctx.Err() != nil {
		drop()
	}
	r.mu.Lock()
	telling := l.telling
	r.mu.Unlock()
	if telling == nil {
		return
	}
	grace := time.NewTimer(progressGrace)
	defer grace.Stop()
	select {
	case <-telling:
	case <-grace.C:
		drop()
	}
}
