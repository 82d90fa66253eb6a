package registry_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/registry"
)

// blocking returns a tool that answers when its context ends; with stubborn
// set, it answers only when release is closed.
func blocking(name string, release chan struct{}, stubborn bool) registry.Def {
	return registry.Def{Name: name, Invoke: func(ctx context.Context, _ *registry.Call) (registry.Result, error) {
		done := ctx.Done()
		if stubborn {
			done = nil
		}
		select {
		case <-done:
			return registry.Result{}, context.Cause(ctx)
		case <-release:
			return registry.Result{Text: "released"}, nil
		}
	}}
}

func TestReplace(t *testing.T) {
	r := registry.New(nil)
	register(t, r, "other", say("taken", ""))
	first := register(t, r, "plugin:p", say("a", "a1"), say("b", "b1"))
	pinned := first.Tools()

	// A generation that cannot be registered changes nothing.
	for name, bad := range map[string]registry.Def{"duplicate": say("taken", ""), "definition": {Name: "c"}} {
		if _, err := first.Replace(say("a", "bad"), bad); err == nil {
			t.Errorf("%s: no error", name)
		}
		if got := call(t, r, "a") + call(t, r, "b"); got != "a1b1" {
			t.Errorf("%s: got %q", name, got)
		}
	}

	second, err := first.Replace(say("b", "b2"), say("c", "c2"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"b", "c", "taken"}, names(t, r)); diff != "" {
		t.Errorf("names mismatch (-want +got):\n%s", diff)
	}
	if first.Generation() != 1 || second.Generation() != 2 || second.Owner() != "plugin:p" {
		t.Errorf("generations %d and %d of %q", first.Generation(), second.Generation(), second.Owner())
	}
	if got := call(t, r, "b"); got != "b2" {
		t.Errorf("by name: got %q, want the new generation", got)
	}
	for i, want := range []string{"a1", "b1"} {
		if got, err := pinned[i].Call(t.Context(), ""); err != nil || got != want {
			t.Errorf("pinned: got %q, %v; want %q", got, err, want)
		}
	}

	// An old handle cannot do anything to a newer generation.
	if _, err := first.Replace(say("b", "stale")); !errors.Is(err, registry.ErrReplaced) {
		t.Errorf("Replace of a replaced generation: got %v", err)
	}
	if err := first.Retire(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := call(t, r, "b"); got != "b2" {
		t.Errorf("after the old one retired: got %q, want the new generation", got)
	}
	if _, err := pinned[1].Invoke(t.Context(), registry.Call{}); !errors.Is(err, registry.ErrRetired) {
		t.Errorf("pinned after it retired: got %v, want ErrRetired", err)
	}

	third, err := second.Replace() // of no tools
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"taken"}, names(t, r)); diff != "" {
		t.Errorf("names mismatch (-want +got):\n%s", diff)
	}
	if err := third.Retire(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := third.Replace(say("b", "")); !errors.Is(err, registry.ErrRetired) {
		t.Errorf("Replace of a retired generation: got %v", err)
	}
	// A closed registry retires replaced generations too.
	if err := r.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := second.Tools()[0].Invoke(t.Context(), registry.Call{}); !errors.Is(err, registry.ErrRetired) {
		t.Errorf("after Close: got %v, want ErrRetired", err)
	}
}

func TestRetireDrains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := registry.New(nil)
		register(t, r, "other", say("other", "fine"))
		release := make(chan struct{})
		h := register(t, r, "plugin:p", blocking("slow", release, false), blocking("stubborn", release, true))
		var steps []string
		h.OnRetire(func(ctx context.Context) error {
			steps = append(steps, "first")
			return nil
		})
		h.OnRetire(func(ctx context.Context) error { // ends the process
			steps = append(steps, "second")
			close(release)
			return nil
		})
		errs := make(chan error, 2)
		for _, tool := range h.Tools() {
			go func() {
				_, err := tool.Invoke(t.Context(), registry.Call{})
				errs <- err
			}()
		}
		synctest.Wait()
		if err := h.Retire(t.Context()); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			err := <-errs
			want := registry.CallError{Status: registry.Cancelled, MayHaveRun: true}
			got := callError(t, err)
			got.Tool = ""
			if got != want || !errors.Is(err, registry.ErrRetired) {
				t.Errorf("got %v, want a call that was cancelled by retiring", err)
			}
		}
		if err := h.Retire(t.Context()); err != nil {
			t.Errorf("second Retire: %v", err)
		}
		if diff := cmp.Diff([]string{"first", "second"}, steps); diff != "" {
			t.Errorf("OnRetire functions (-want +got):\n%s", diff)
		}
		if got := call(t, r, "other"); got != "fine" {
			t.Errorf("the other owner's tool: got %q", got)
		}
		ran := false
		h.OnRetire(func(context.Context) error { ran = true; return nil })
		if !ran {
			t.Error("OnRetire after Retire was not called")
		}
	})
}

func TestRetireHasADeadline(t *testing.T) {
	for _, tt := range []struct {
		name    string
		options *registry.Options
		timeout time.Duration // of the context; zero means none
		want    time.Duration
	}{
		{"default", nil, 0, 10 * time.Second},
		{"zero", &registry.Options{}, 0, 10 * time.Second},
		{"negative", &registry.Options{RetireTimeout: -1}, 0, 10 * time.Second},
		{"option", &registry.Options{RetireTimeout: time.Second}, 0, time.Second},
		{"context", nil, 3 * time.Second, 3 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := registry.New(tt.options)
				release := make(chan struct{})
				h := register(t, r, "plugin:p", blocking("stubborn", release, true))
				h.OnRetire(func(ctx context.Context) error { <-release; return errors.New("too late") })
				go func() { _, _ = h.Tools()[0].Invoke(context.Background(), registry.Call{}) }()
				synctest.Wait()

				ctx := t.Context()
				if tt.timeout > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tt.timeout)
					defer cancel()
				}
				start := time.Now()
				err := h.Retire(ctx)
				if got := time.Since(start); got != tt.want {
					t.Errorf("took %v, want %v", got, tt.want)
				}
				e, ok := errors.AsType[*registry.RetireError](err)
				if !ok || e.Running != 1 || e.Owner != "plugin:p" || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v, want a *RetireError", err)
				}
				if got := call(t, r, "stubborn"); !strings.Contains(got, "unknown tool") {
					t.Errorf("still there: %q", got)
				}
				close(release)
				err = h.Retire(t.Context())
				if e, ok := errors.AsType[*registry.RetireError](err); !ok || e.Running != 0 || e.Err.Error() != "too late" {
					t.Errorf("second Retire: got %v, want the error of the function", err)
				}
			})
		})
	}
}

func TestOnRetirePanics(t *testing.T) {
	h := register(t, registry.New(nil), "test", say("a", ""))
	after := false
	h.OnRetire(func(context.Context) error { panic("oh") })
	h.OnRetire(func(context.Context) error { after = true; return nil })
	err := h.Retire(t.Context())
	if _, ok := errors.AsType[*registry.RetireError](err); !ok || !strings.Contains(err.Error(), "oh") {
		t.Errorf("got %v, want a *RetireError", err)
	}
	if !after {
		t.Error("the other function was not called")
	}
}

// Close retires all at once: it takes as long as the slowest.
func TestCloseSharesTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := registry.New(nil)
		release := make(chan struct{})
		for _, owner := range []string{"b", "a", "c"} {
			h := register(t, r.Child("session:"+owner), owner, blocking("stubborn", release, true))
			go func() { _, _ = h.Tools()[0].Invoke(context.Background(), registry.Call{}) }()
		}
		synctest.Wait()
		start := time.Now()
		err := r.Close(t.Context())
		if got := time.Since(start); got != 10*time.Second {
			t.Errorf("took %v, want 10s", got)
		}
		want := `retire generation 1 of "a" (calls still running: 1): context deadline exceeded
retire generation 1 of "b" (calls still running: 1): context deadline exceeded
retire generation 1 of "c" (calls still running: 1): context deadline exceeded`
		if diff := cmp.Diff(want, err.Error()); diff != "" {
			t.Errorf("error mismatch (-want +got):\n%s", diff)
		}
		close(release)
	})
}

// What is retired or closed is not held on to.
func TestNothingIsKept(t *testing.T) {
	r := registry.New(nil)
	child, handle := func() (weak.Pointer[registry.Registry], weak.Pointer[registry.Handle]) {
		child := r.Child("session")
		h := register(t, r, "test", say("a", ""))
		if err := errors.Join(child.Close(t.Context()), h.Retire(t.Context())); err != nil {
			t.Fatal(err)
		}
		return weak.Make(child), weak.Make(h)
	}()
	runtime.GC()
	if child.Value() != nil {
		t.Error("the parent holds a closed child")
	}
	if handle.Value() != nil {
		t.Error("the registry holds a retired handle")
	}
	runtime.KeepAlive(r)
}
