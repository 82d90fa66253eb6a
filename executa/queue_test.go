package executa

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
)

func TestQueueOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1)
		if err := q.acquire(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		var served []int
		for i := range 5 {
			go func() {
				if err := q.acquire(t.Context(), 0); err != nil {
					t.Error(err)
				}
				served = append(served, i) // one at a time has the slot
				q.release()
			}()
			synctest.Wait()
		}
		if taken, waiting := q.counts(); taken != 1 || waiting != 5 {
			t.Errorf("got %d taken, %d waiting; want 1, 5", taken, waiting)
		}
		q.release()
		synctest.Wait()
		if !slices.IsSorted(served) || len(served) != 5 {
			t.Errorf("served in the order %v", served)
		}
	})
}

func TestQueueLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1)
		if err := q.acquire(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		why := errors.New("why")
		ctx, cancel := context.WithCancelCause(t.Context())
		first, second := make(chan error, 1), make(chan error, 1)
		go func() { first <- q.acquire(ctx, 0) }()
		synctest.Wait()
		go func() { second <- q.acquire(t.Context(), 0) }()
		synctest.Wait()

		cancel(why)
		if err := <-first; err != why {
			t.Errorf("one that gave up got %v", err)
		}
		q.release()
		if err := <-second; err != nil {
			t.Errorf("the next one got %v", err)
		}
		if err := q.acquire(ctx, 0); err != why {
			t.Errorf("one that had given up before got %v", err)
		}
	})
}

// TestQueueLeaveAtTurn has a caller give up when the slot is handed to it.
func TestQueueLeaveAtTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 200 {
			q := newQueue(1)
			if err := q.acquire(t.Context(), 0); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			got := make(chan error, 1)
			go func() { got <- q.acquire(ctx, 0) }()
			synctest.Wait()
			go cancel()
			q.release()
			if err := <-got; err == nil {
				q.release()
			}
			if taken, waiting := q.counts(); taken != 0 || waiting != 0 {
				t.Fatalf("%d taken, %d waiting, with nobody there", taken, waiting)
			}
			cancel()
		}
	})
}

func TestQueueNested(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(MaxNesting + 2)
		for depth := range MaxNesting + 1 {
			if err := q.acquire(t.Context(), depth); err != nil {
				t.Fatalf("depth %d: %v", depth, err)
			}
		}
		if err := q.acquire(t.Context(), MaxNesting+1); err != ErrNested {
			t.Errorf("depth %d: got %v, want %v", MaxNesting+1, err, ErrNested)
		}
		if err := q.acquire(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		if err := q.acquire(t.Context(), 1); err != ErrNested {
			t.Errorf("without a free slot: got %v, want %v", err, ErrNested)
		}
	})
}

func TestQueueResize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1)
		for range 10 {
			go q.acquire(t.Context(), 0) // the counts tell
		}
		synctest.Wait()
		for _, test := range []struct{ slots, taken int }{{1, 1}, {8, 8}, {2, 8}, {20, 10}} {
			q.resize(test.slots)
			synctest.Wait()
			if taken, waiting := q.counts(); taken != test.taken || taken+waiting != 10 {
				t.Errorf("%d slots: %d taken, %d waiting; want %d taken", test.slots, taken, waiting, test.taken)
			}
		}
	})
}
