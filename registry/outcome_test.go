package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/registry"
)

// callError returns err as a *CallError without its cause, to compare.
func callError(t *testing.T, err error) registry.CallError {
	t.Helper()
	e, ok := errors.AsType[*registry.CallError](err)
	if !ok {
		t.Fatalf("got error %v, want a *CallError", err)
	}
	return registry.CallError{Tool: e.Tool, Status: e.Status, MayHaveRun: e.MayHaveRun}
}

// TestOutcomes has every way a call can end.
func TestOutcomes(t *testing.T) {
	errBroken := errors.New("broken")
	cause := errors.New("session over")
	type invoke = func(ctx context.Context, c *registry.Call, stop func()) (registry.Result, error)
	ok := registry.Result{Text: "ok"}
	retired := func(h *registry.Handle) { _ = h.Retire(context.Background()) }
	for _, tt := range []struct {
		name    string
		reports bool
		args    string
		// before runs before the call, stop is called by invoke.
		before, stop func(cancel context.CancelCauseFunc, h *registry.Handle)
		invoke       invoke
		result       registry.Result
		status       registry.Status // empty if there is no error
		mayHaveRun   bool
		is           error
		callErr      bool // Tool.Call returns an error too
		text         string
	}{
		{
			name:   "done",
			invoke: func(context.Context, *registry.Call, func()) (registry.Result, error) { return ok, nil },
			result: ok, text: "ok",
		},
		{
			name: "B21 an ordinary failure",
			invoke: func(context.Context, *registry.Call, func()) (registry.Result, error) {
				return registry.Result{Text: "exit status 1", IsError: true}, nil
			},
			result: registry.Result{Text: "exit status 1", IsError: true}, text: "error: exit status 1",
		},
		{
			name: "bad arguments", args: "[1]", status: registry.NotStarted,
			text: `error: tool "x" did not start: arguments do not fit: arguments must be a JSON object`,
		},
		{
			name:   "B21 the tool broke",
			invoke: func(context.Context, *registry.Call, func()) (registry.Result, error) { return ok, errBroken },
			status: registry.Uncertain, mayHaveRun: true, is: errBroken,
			text: `error: tool "x" broke, its outcome is uncertain, do not repeat the call: broken`,
		},
		{
			name: "the tool broke before it sent", reports: true,
			invoke: func(context.Context, *registry.Call, func()) (registry.Result, error) { return ok, errBroken },
			status: registry.NotStarted, is: errBroken, text: `error: tool "x" did not start: broken`,
		},
		{
			name: "the tool broke after it sent", reports: true,
			invoke: func(_ context.Context, c *registry.Call, _ func()) (registry.Result, error) {
				c.Sent()
				return ok, errBroken
			},
			status: registry.Uncertain, mayHaveRun: true, is: errBroken,
			text: `error: tool "x" broke, its outcome is uncertain, do not repeat the call: broken`,
		},
		{
			name:   "panic",
			invoke: func(context.Context, *registry.Call, func()) (registry.Result, error) { panic("oh") },
			status: registry.Uncertain, mayHaveRun: true,
			text: `error: tool "x" broke, its outcome is uncertain, do not repeat the call: panic: oh`,
		},
		{
			name:   "cancelled before",
			before: func(cancel context.CancelCauseFunc, _ *registry.Handle) { cancel(nil) },
			status: registry.Cancelled, is: context.Canceled, callErr: true,
		},
		{
			name: "cancelled and heeded",
			stop: func(cancel context.CancelCauseFunc, _ *registry.Handle) { cancel(cause) },
			invoke: func(ctx context.Context, _ *registry.Call, stop func()) (registry.Result, error) {
				stop()
				<-ctx.Done()
				return registry.Result{}, ctx.Err()
			},
			status: registry.Cancelled, mayHaveRun: true, is: cause, callErr: true,
		},
		{
			name: "success after a cancel",
			stop: func(cancel context.CancelCauseFunc, _ *registry.Handle) { cancel(nil) },
			invoke: func(_ context.Context, _ *registry.Call, stop func()) (registry.Result, error) {
				stop()
				return ok, nil
			},
			result: ok, status: registry.Cancelled, mayHaveRun: true, is: context.Canceled, callErr: true,
		},
		{
			name: "cancelled before it sent", reports: true,
			stop: func(cancel context.CancelCauseFunc, _ *registry.Handle) { cancel(nil) },
			invoke: func(ctx context.Context, _ *registry.Call, stop func()) (registry.Result, error) {
				stop()
				return registry.Result{}, ctx.Err()
			},
			status: registry.Cancelled, is: context.Canceled, callErr: true,
		},
		{
			name: "B21 a timeout of the tool's own",
			invoke: func(context.Context, *registry.Call, func()) (registry.Result, error) {
				return registry.Result{}, context.DeadlineExceeded
			},
			status: registry.Uncertain, mayHaveRun: true, is: context.DeadlineExceeded,
			text: `error: tool "x" broke, its outcome is uncertain, do not repeat the call: context deadline exceeded`,
		},
		{
			name:   "retired before",
			before: func(_ context.CancelCauseFunc, h *registry.Handle) { retired(h) },
			status: registry.NotStarted, is: registry.ErrRetired,
			text: `error: tool "x" did not start: registry: tool is retired`,
		},
		{
			name: "retired while it runs",
			stop: func(_ context.CancelCauseFunc, h *registry.Handle) { go retired(h) },
			invoke: func(ctx context.Context, _ *registry.Call, stop func()) (registry.Result, error) {
				stop()
				<-ctx.Done()
				return ok, nil
			},
			result: ok, status: registry.Cancelled, mayHaveRun: true, is: registry.ErrRetired,
			text: `error: tool "x" was cancelled but may have run, do not repeat the call: registry: tool is retired`,
		},
		{
			name: "success right after it was retired",
			stop: func(_ context.CancelCauseFunc, h *registry.Handle) {
				ctx, cancel := context.WithCancel(context.Background())
				cancel() // Retire does not wait
				_ = h.Retire(ctx)
			},
			invoke: func(_ context.Context, _ *registry.Call, stop func()) (registry.Result, error) {
				stop()
				return ok, nil
			},
			result: ok, status: registry.Cancelled, mayHaveRun: true, is: registry.ErrRetired,
			text: `error: tool "x" was cancelled but may have run, do not repeat the call: registry: tool is retired`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			check := func(t *testing.T, do func(ctx context.Context, tool *registry.Tool)) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				var h *registry.Handle
				h = register(t, registry.New(nil), "test", registry.Def{
					Name: "x", ReportsSent: tt.reports,
					Invoke: func(ctx context.Context, c *registry.Call) (registry.Result, error) {
						return tt.invoke(ctx, c, func() { tt.stop(cancel, h) })
					},
				})
				if tt.before != nil {
					tt.before(cancel, h)
				}
				do(ctx, h.Tools()[0])
			}
			check(t, func(ctx context.Context, tool *registry.Tool) {
				result, err := tool.Invoke(ctx, registry.Call{Arguments: json.RawMessage(tt.args)})
				if diff := cmp.Diff(tt.result, result); diff != "" {
					t.Errorf("result mismatch (-want +got):\n%s", diff)
				}
				if tt.status == "" {
					if err != nil {
						t.Errorf("Invoke: %v", err)
					}
					return
				}
				want := registry.CallError{Tool: "x", Status: tt.status, MayHaveRun: tt.mayHaveRun}
				if diff := cmp.Diff(want, callError(t, err)); diff != "" {
					t.Errorf("error mismatch (-want +got):\n%s", diff)
				}
				if tt.is != nil && !errors.Is(err, tt.is) {
					t.Errorf("got error %v, want it to wrap %v", err, tt.is)
				}
				if tt.is == registry.ErrRetired && errors.Is(err, context.Canceled) {
					t.Error("the caller's context is not cancelled")
				}
			})
			check(t, func(ctx context.Context, tool *registry.Tool) {
				text, err := tool.Call(ctx, tt.args)
				if text != tt.text {
					t.Errorf("Call: got %q, want %q", text, tt.text)
				}
				if tt.callErr != errors.Is(err, context.Canceled) || !tt.callErr && err != nil {
					t.Errorf("Call: got error %v", err)
				}
			})
		})
	}
}

// TestGoexit is a tool that ends its goroutine, as t.FailNow does.
func TestGoexit(t *testing.T) {
	var runs atomic.Int32
	h := register(t, registry.New(nil), "test", registry.Def{Name: "x", Invoke: func(context.Context, *registry.Call) (registry.Result, error) {
		runs.Add(1)
		runtime.Goexit()
		return registry.Result{}, nil
	}})
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = h.Tools()[0].Invoke(context.Background(), registry.Call{ID: "1"})
	}()
	<-done
	_, err := h.Tools()[0].Invoke(t.Context(), registry.Call{ID: "1"})
	if got := callError(t, err); got.Status != registry.Uncertain || !got.MayHaveRun {
		t.Errorf("got %+v, want an uncertain call", got)
	}
	if err := h.Retire(t.Context()); err != nil { // it is not counted as running
		t.Error(err)
	}
	if n := runs.Load(); n != 1 {
		t.Errorf("ran %d times, want once", n)
	}
}
