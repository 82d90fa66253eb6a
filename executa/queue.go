package executa

import (
	"container/list"
	"context"
	"sync"
)

// A queue hands out the slots of a plugin: as many calls as the plugin works on
// at the same time have one, the others wait, first come, first served. A slot
// belongs to no caller: one whose caller gave up is released when the plugin is
// done with the call.
type queue struct {
	mu      sync.Mutex // protects what follows
	slots   int
	taken   int
	waiting list.List // of chan struct{}, closed when a slot is handed over
}

func newQueue(slots int) *queue { return &queue{slots: slots} }

// acquire waits for a slot. depth is how deep the call is inside calls of the
// same plugin. One that is does not wait, since it would wait for those, and
// they for it: without a free slot, and over MaxNesting, it gets ErrNested.
func (q *queue) acquire(ctx context.Context, depth int) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	q.mu.Lock()
	switch {
	case depth > MaxNesting:
		q.mu.Unlock()
		return ErrNested
	case q.taken < q.slots: // then nobody waits
		q.taken++
		q.mu.Unlock()
		return nil
	case depth > 0:
		q.mu.Unlock()
		return ErrNested
	}
	turn := make(chan struct{})
	place := q.waiting.PushBack(turn)
	q.mu.Unlock()

	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	select {
	case <-turn: // at the same moment
		q.taken--
		q.handOut()
	default:
		q.waiting.Remove(place)
	}
	return context.Cause(ctx)
}

// release gives a slot back.
func (q *queue) release() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.taken--
	q.handOut()
}

// resize changes how many slots there are. Those that are taken stay so.
func (q *queue) resize(slots int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.slots = slots
	q.handOut()
}

// handOut gives free slots to those that wait.
func (q *queue) handOut() {
	for q.taken < q.slots && q.waiting.Len() > 0 {
		q.taken++
		close(q.waiting.Remove(q.waiting.Front()).(chan struct{}))
	}
}

func (q *queue) counts() (taken, waiting int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.taken, q.waiting.Len()
}
