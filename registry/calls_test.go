package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/registry"
)

// counter is a tool that counts its runs and answers its arguments.
func counter(t *testing.T, r *registry.Registry, name string) (*registry.Tool, *atomic.Int32) {
	t.Helper()
	var runs atomic.Int32
	h := register(t, r, "test", registry.Def{Name: name, Invoke: func(_ context.Context, c *registry.Call) (registry.Result, error) {
		runs.Add(1)
		return registry.Result{Text: string(c.Arguments), Data: c.Arguments, Blobs: []registry.Blob{{Data: []byte("b")}}}, nil
	}})
	return h.Tools()[0], &runs
}

func TestCallID(t *testing.T) {
	r := registry.New(nil)
	tool, runs := counter(t, r, "a")
	other, _ := counter(t, r, "b")
	invoke := func(tool *registry.Tool, id, args string) (registry.Result, error) {
		return tool.Invoke(t.Context(), registry.Call{ID: id, Arguments: json.RawMessage(args)})
	}
	first, err := invoke(tool, "1", `{"x":1,"y":2}`)
	if err != nil {
		t.Fatal(err)
	}
	want := registry.Result{Text: first.Text, Data: []byte(first.Text), Blobs: []registry.Blob{{Data: []byte("b")}}}
	for _, args := range []string{`{"x":1,"y":2}`, ` { "y": 2, "x":1 } `, `{"__arg1":"{\"x\":1,\"y\":2}"}`} {
		first.Data[0], first.Blobs[0].Data[0] = 'x', 'x' // the caller's own
		got, err := invoke(tool, "1", args)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: result mismatch (-want +got):\n%s", args, diff)
		}
		first = got
	}
	for name, do := range map[string]func() (registry.Result, error){
		"other arguments": func() (registry.Result, error) { return invoke(tool, "1", `{"x":1,"y":3}`) },
		"other digits":    func() (registry.Result, error) { return invoke(tool, "1", `{"x":1.0,"y":2}`) },
		"other tool":      func() (registry.Result, error) { return invoke(other, "1", `{"x":1,"y":2}`) },
	} {
		_, err := do()
		if !errors.Is(err, registry.ErrCallIDReused) || callError(t, err).Status != registry.NotStarted {
			t.Errorf("%s: got %v, want ErrCallIDReused", name, err)
		}
	}
	if n := runs.Load(); n != 1 {
		t.Errorf("ran %d times, want once", n)
	}
	for range 2 {
		if _, err := invoke(tool, "", `{}`); err != nil {
			t.Fatal(err)
		}
	}
	if n := runs.Load(); n != 3 {
		t.Errorf("ran %d times, want thrice: an empty id is none", n)
	}

	// Ids belong to the registry through which the tool was found.
	for i, scope := range []string{"session:a", "session:b"} {
		seen, err := r.Child(scope).Lookup("a")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := invoke(seen, "1", fmt.Sprintf(`{"session":%d}`, i)); err != nil {
			t.Errorf("%s: %v", scope, err)
		}
	}
}

func TestCallIDOverGenerations(t *testing.T) {
	r := registry.New(nil)
	h := register(t, r, "test", say("a", "one"))
	once, twice := registry.Call{ID: "1"}, registry.Call{ID: "2"}
	invoke := func(c registry.Call) string {
		tool, err := r.Lookup("a")
		if err != nil {
			t.Fatal(err)
		}
		result, err := tool.Invoke(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		return result.Text
	}
	invoke(once)
	if _, err := h.Replace(say("a", "two")); err != nil {
		t.Fatal(err)
	}
	if got := invoke(once) + invoke(twice); got != "onetwo" {
		t.Errorf("got %q, want the recorded and the new answer", got)
	}
}

// Calls that had no effect leave no record; uncertain ones do.
func TestCallIDOfFailures(t *testing.T) {
	var runs int
	errBroken := errors.New("broken")
	h := register(t, registry.New(nil), "test", registry.Def{
		Name: "a", ReportsSent: true,
		Schema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`),
		Invoke: func(_ context.Context, c *registry.Call) (registry.Result, error) {
			runs++
			if runs == 2 {
				c.Sent()
			}
			return registry.Result{}, errBroken
		},
	})
	for i, want := range []struct {
		args   string
		status registry.Status
		runs   int
	}{
		{`{"n":"x"}`, registry.NotStarted, 0},
		{`{"n":1}`, registry.NotStarted, 1},
		{`{"n":1}`, registry.Uncertain, 2},
		{`{"n":1}`, registry.Uncertain, 2},
	} {
		_, err := h.Tools()[0].Invoke(t.Context(), registry.Call{ID: "1", Arguments: json.RawMessage(want.args)})
		if got := callError(t, err).Status; got != want.status || runs != want.runs {
			t.Errorf("call %d: got %s after %d runs, want %s after %d", i+1, got, runs, want.status, want.runs)
		}
	}
}

func TestCallIDJoins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int32
		release := make(chan struct{})
		h := register(t, registry.New(nil), "test", registry.Def{Name: "a", Invoke: func(ctx context.Context, _ *registry.Call) (registry.Result, error) {
			runs.Add(1)
			select {
			case <-release:
				return registry.Result{Text: "ok"}, nil
			case <-ctx.Done():
				return registry.Result{}, ctx.Err()
			}
		}})
		invoke := func(ctx context.Context) chan error {
			done := make(chan error, 1)
			go func() {
				_, err := h.Tools()[0].Invoke(ctx, registry.Call{ID: "1"})
				done <- err
			}()
			synctest.Wait()
			return done
		}
		first := invoke(t.Context())
		waiting, cancel := context.WithCancel(t.Context())
		second, third := invoke(waiting), invoke(t.Context())
		cancel()
		err := <-second
		if want := (registry.CallError{Tool: "a", Status: registry.Cancelled, MayHaveRun: true}); callError(t, err) != want || !errors.Is(err, context.Canceled) {
			t.Errorf("the one that gave up: got %v", err)
		}
		select {
		case err := <-first:
			t.Errorf("the call ended with its waiter: %v", err)
		default:
		}
		close(release)
		if err1, err3 := <-first, <-third; err1 != nil || err3 != nil {
			t.Errorf("got %v and %v", err1, err3)
		}
		if n := runs.Load(); n != 1 {
			t.Errorf("ran %d times, want once", n)
		}
	})
}

// A call that its first caller cancels before it started is the next one's.
func TestCallIDIsInherited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int32
		h := register(t, registry.New(nil), "test", registry.Def{
			Name: "a", ReportsSent: true,
			Invoke: func(ctx context.Context, c *registry.Call) (registry.Result, error) {
				if runs.Add(1) == 1 { // waits in a queue
					<-ctx.Done()
					return registry.Result{}, ctx.Err()
				}
				c.Sent()
				return registry.Result{Text: "ok"}, nil
			},
		})
		first, cancel := context.WithCancel(t.Context())
		go func() { _, _ = h.Tools()[0].Invoke(first, registry.Call{ID: "1"}) }()
		synctest.Wait()
		done := make(chan error, 1)
		go func() {
			_, err := h.Tools()[0].Invoke(t.Context(), registry.Call{ID: "1"})
			done <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if n := runs.Load(); n != 2 {
			t.Errorf("ran %d times, want twice", n)
		}
	})
}

// TestRecordLimits checks each limit at it and one past it.
func TestRecordLimits(t *testing.T) {
	text := func(n int) registry.Def { return say(fmt.Sprint("n", n), strings.Repeat("x", n)) }
	for _, tt := range []struct {
		name string
		def  registry.Def
		// between happens between the first call with id "1" and its repetition.
		between func(t *testing.T, tool *registry.Tool)
		kept    bool
	}{
		{"age", text(1), func(*testing.T, *registry.Tool) { time.Sleep(registry.RecordAge) }, true},
		{"past the age", text(1), func(*testing.T, *registry.Tool) { time.Sleep(registry.RecordAge + 1) }, false},
		{"calls", text(1), func(t *testing.T, tool *registry.Tool) {
			for i := range registry.MaxRecords - 1 {
				_, _ = tool.Invoke(t.Context(), registry.Call{ID: fmt.Sprint("other", i)})
			}
		}, true},
		{"past the calls", text(1), func(t *testing.T, tool *registry.Tool) {
			for i := range registry.MaxRecords {
				_, _ = tool.Invoke(t.Context(), registry.Call{ID: fmt.Sprint("other", i)})
			}
		}, false},
		{"bytes", text(registry.RecordBytes - 1), func(*testing.T, *registry.Tool) {}, true},
		{"past the bytes", text(registry.RecordBytes), func(*testing.T, *registry.Tool) {}, false},
		{"bytes of two", text(registry.RecordBytes/2 - 1), func(t *testing.T, tool *registry.Tool) {
			_, _ = tool.Invoke(t.Context(), registry.Call{ID: "2"})
		}, true},
		{"past the bytes of two", text(registry.RecordBytes/2 - 1), func(t *testing.T, tool *registry.Tool) {
			_, _ = tool.Invoke(t.Context(), registry.Call{ID: "22"})
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var runs int
				def := tt.def
				def.Invoke = func(ctx context.Context, c *registry.Call) (registry.Result, error) {
					if c.ID == "1" {
						runs++
					}
					return tt.def.Invoke(ctx, c)
				}
				tool := register(t, registry.New(nil), "test", def).Tools()[0]
				for i := range 2 {
					if _, err := tool.Invoke(t.Context(), registry.Call{ID: "1"}); err != nil {
						t.Fatal(err)
					}
					if i == 0 {
						tt.between(t, tool)
					}
				}
				if kept := runs == 1; kept != tt.kept {
					t.Errorf("record kept: %t, want %t", kept, tt.kept)
				}
			})
		})
	}
}

// A running call has no age.
func TestRunningCallIsNotForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int32
		tool := register(t, registry.New(nil), "test", registry.Def{Name: "a", Invoke: func(context.Context, *registry.Call) (registry.Result, error) {
			runs.Add(1)
			time.Sleep(2 * registry.RecordAge)
			return registry.Result{}, nil
		}}).Tools()[0]
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = tool.Invoke(t.Context(), registry.Call{ID: "1"})
		}()
		time.Sleep(registry.RecordAge + time.Minute)
		if _, err := tool.Invoke(t.Context(), registry.Call{ID: "1"}); err != nil {
			t.Error(err)
		}
		<-done
		if n := runs.Load(); n != 1 {
			t.Errorf("ran %d times, want once", n)
		}
	})
}

func BenchmarkCall(b *testing.B) {
	schema, _ := registry.ParamSchema(json.RawMessage(`[{"name":"city","type":"string"},{"name":"days","type":"integer"}]`))
	h, err := registry.New(nil).Register("bench", registry.Def{Name: "a", Schema: schema, Invoke: answer("ok")})
	if err != nil {
		b.Fatal(err)
	}
	tool := h.Tools()[0]
	b.Run("text", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := tool.Call(b.Context(), `{"city":"Oslo","days":3}`); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("id", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if _, err := tool.Invoke(b.Context(), registry.Call{ID: fmt.Sprint(i), Arguments: json.RawMessage(`{"city":"Oslo","days":3}`)}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
