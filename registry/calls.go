package registry

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"time"
)

// Limits of the records of calls with a [Call.ID], for each registry. The
// oldest records end first.
const (
	RecordAge   = 10 * time.Minute // since the call ended
	MaxRecords  = 4096             // calls
	RecordBytes = 16 << 20         // bytes of ids and results
)

// A journal makes sure that a call with an id runs once. Calls that did not
// start leave no record. The zero journal is ready.
type journal struct {
	mu      sync.Mutex // protects what follows
	records map[string]*record
	ended   []*record // the oldest first
	bytes   int       // of ended
}

// A record is one call, running until done is closed.
type record struct {
	id   string
	key  [sha256.Size]byte // of the tool and the arguments
	done chan struct{}

	// What follows is written before done is closed.
	result  Result
	err     error
	dropped bool // not started: the next one may run it
	at      time.Time
}

func (r *record) size() int {
	n := len(r.id) + len(r.result.Text) + len(r.result.Data)
	for _, b := range r.result.Blobs {
		n += len(b.Data)
	}
	return n
}

// do returns what run returns, or what it returned to an earlier caller with
// the same id. ctx bounds how long it waits for another caller.
func (j *journal) do(ctx context.Context, tool, id string, key [sha256.Size]byte, run func() (Result, error)) (Result, error) {
	for {
		j.mu.Lock()
		j.expire()
		r := j.records[id]
		if r == nil {
			r = &record{id: id, key: key, done: make(chan struct{})}
			if j.records == nil {
				j.records = map[string]*record{}
			}
			j.records[id] = r
			j.mu.Unlock()
			return j.lead(r, tool, run)
		}
		j.mu.Unlock()
		if r.key != key {
			return Result{}, &CallError{Tool: tool, Status: NotStarted, Err: ErrCallIDReused}
		}
		select {
		case <-r.done:
		default:
			select {
			case <-r.done:
			case <-ctx.Done():
				return Result{}, &CallError{Tool: tool, Status: Cancelled, MayHaveRun: true, Err: contextError(ctx)}
			}
		}
		if !r.dropped {
			return r.result.clone(), r.err
		}
	}
}

func (j *journal) lead(r *record, tool string, run func() (Result, error)) (Result, error) {
	// This stays if the tool ends its goroutine.
	r.err = &CallError{Tool: tool, Status: Uncertain, MayHaveRun: true, Err: &PanicError{}}
	defer func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		defer close(r.done)
		if e, ok := errors.AsType[*CallError](r.err); ok && !e.MayHaveRun {
			r.dropped = true
			delete(j.records, r.id)
			return
		}
		r.at = time.Now()
		j.ended = append(j.ended, r)
		j.bytes += r.size()
		j.expire()
	}()
	result, err := run()
	r.result, r.err = result.clone(), err
	return result, err
}

// expire ends records that are over a limit.
func (j *journal) expire() {
	for len(j.ended) > 0 {
		r := j.ended[0]
		if len(j.ended) <= MaxRecords && j.bytes <= RecordBytes && time.Since(r.at) <= RecordAge {
			break
		}
		j.ended[0] = nil
		j.ended = j.ended[1:]
		j.bytes -= r.size()
		delete(j.records, r.id)
	}
}
