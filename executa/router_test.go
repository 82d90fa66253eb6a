package executa

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/executa/manifest"
	"github.com/matrix-nexus/skillkit/internal/jsonrpc"
)

// A rig is a router with a plugin that the test plays.
type rig struct {
	*router
	t    *testing.T
	logs *strings.Builder

	mu   sync.Mutex
	sent []string      // lines, without LF
	deaf chan struct{} // the plugin reads nothing until this is closed; nil if it does
}

func newRig(t *testing.T, opts *Options) *rig {
	g := &rig{t: t, logs: new(strings.Builder)}
	g.router = newRouter(routerConfig{
		plugin: "demo",
		opts:   opts,
		log:    slog.New(slog.NewTextHandler(&lockedWriter{w: g.logs}, &slog.HandlerOptions{Level: slog.LevelDebug})),
		send: func(ctx context.Context, m *jsonrpc.Message) error {
			if g.deaf != nil {
				select {
				case <-g.deaf:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			g.mu.Lock()
			defer g.mu.Unlock()
			g.sent = append(g.sent, strings.TrimSuffix(string(jsonrpc.Append(nil, m)), "\n"))
			return ctx.Err()
		},
	})
	g.negotiated(true, nil, &manifest.Plugin{HostCapabilities: manifest.Capabilities()})
	return g
}

// open returns how many calls are not answered yet.
func (g *rig) open() int {
	g.router.mu.Lock()
	defer g.router.mu.Unlock()
	return len(g.calls)
}

type lockedWriter struct {
	mu sync.Mutex
	w  *strings.Builder
}

func (l *lockedWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}

// line lets the plugin write a line.
func (g *rig) line(format string, args ...any) {
	g.t.Helper()
	line := fmt.Appendf(nil, format, args...)
	var m jsonrpc.Message
	if err := jsonrpc.Decode(line, &m); err != nil {
		g.t.Fatal(err)
	}
	g.receive(&m)
	clear(line) // the reader will reuse it
}

// begins makes calls active.
func (g *rig) begins(ids ...string) {
	for _, id := range ids {
		g.begin(&active{id: id, tool: "tool-" + id, ctx: g.t.Context()})
	}
}

// want waits until all goroutines wait, and compares what was sent since.
func (g *rig) want(lines ...string) {
	g.t.Helper()
	synctest.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	slices.Sort(g.sent)
	slices.Sort(lines)
	if diff := cmp.Diff(lines, g.sent); diff != "" {
		g.t.Errorf("answers (-want +got):\n%s", diff)
	}
	g.sent = nil
}

// refused is a line with an error.
func refused(id string, code int, message, errorCode string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q,"data":{"errorCode":%q}}}`, id, code, message, errorCode)
}

// echo answers with what it was called with.
func echo(_ context.Context, c *ReverseCall) (json.RawMessage, error) {
	return json.Marshal(map[string]any{"invoke": c.InvokeID, "tool": c.Tool, "plugin": c.Plugin, "params": c.Params})
}

func echoed(id, invoke, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"invoke":%q,"params":%s,"plugin":"demo","tool":"tool-%[2]s"}}`, id, invoke, params)
}

// Hardly a plugin says for which call it calls.
func TestRoute(t *testing.T) {
	t.Run("item 3 calls without correlation", func(t *testing.T) {
		const (
			unknown = "UNKNOWN_INVOKE_CONTEXT"
			missing = "MISSING_INVOKE_CONTEXT"
		)
		for _, tt := range []struct {
			name   string
			live   []string
			params string
			want   string // the invoke id, or an error code
			passed string // the parameters that the service gets
		}{
			{"by context", []string{"a", "b"}, `{"context":{"invoke_id":"b"},"k":1}`, "b", `{"k":1}`},
			{"context comes first", []string{"a", "b"}, `{"context":{"invoke_id":"b"},"metadata":{"executa_invoke_id":"a"}}`, "b", `{"metadata":{"executa_invoke_id":"a"}}`},
			{"unknown context of one", []string{"a"}, `{"context":{"invoke_id":"x"}}`, unknown, ""},
			{"unknown context, known metadata", []string{"a", "b"}, `{"context":{"invoke_id":"x"},"metadata":{"executa_invoke_id":"a"}}`, unknown, ""},
			{"context that is no text", []string{"a"}, `{"context":{"invoke_id":7}}`, unknown, ""},
			{"by metadata", []string{"a", "b"}, `{"metadata":{"executa_invoke_id":"a","step":1}}`, "a", `{"metadata":{"executa_invoke_id":"a","step":1}}`},
			{"empty context", []string{"a", "b"}, `{"context":{"invoke_id":""},"metadata":{"executa_invoke_id":"a"}}`, "a", `{"metadata":{"executa_invoke_id":"a"}}`},
			{"unknown metadata of one", []string{"a"}, `{"metadata":{"executa_invoke_id":"x"}}`, "a", `{"metadata":{"executa_invoke_id":"x"}}`},
			{"unknown metadata of two", []string{"a", "b"}, `{"metadata":{"executa_invoke_id":"x"}}`, unknown, ""},
			{"metadata that is no text", []string{"a"}, `{"metadata":{"executa_invoke_id":7}}`, "a", `{"metadata":{"executa_invoke_id":7}}`},
			{"metadata that is no object", []string{"a"}, `{"metadata":"x"}`, "a", `{"metadata":"x"}`},
			{"empty metadata of two", []string{"a", "b"}, `{"metadata":{"executa_invoke_id":""}}`, missing, ""},
			{"one", []string{"a"}, `{}`, "a", `{}`},
			{"one, null context", []string{"a"}, `{"context":null}`, "a", `{}`},
			{"one, context of another kind", []string{"a"}, `{"context":"a"}`, "a", `{}`},
			{"one, no parameters", []string{"a"}, ``, "a", `{}`},
			{"one, null parameters", []string{"a"}, `null`, "a", `{}`},
			{"two", []string{"a", "b"}, `{}`, missing, ""},
			{"none", nil, `{}`, unknown, ""},
			{"none, by metadata", nil, `{"metadata":{"executa_invoke_id":"a"}}`, unknown, ""},
			{"digits are kept", []string{"a"}, `{"n":12345678901234567890.10,"s":"<é>"}`, "a", `{"n":12345678901234567890.10,"s":"<é>"}`},
			{"list", []string{"a"}, `[1]`, "INVALID_PARAMS", ""},
		} {
			t.Run(tt.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var params string
					g := newRig(t, &Options{Services: map[string]Service{"storage/get": func(ctx context.Context, c *ReverseCall) (json.RawMessage, error) {
						params = string(c.Params)
						return json.RawMessage(`{"invoke":"` + c.InvokeID + `"}`), nil
					}}})
					g.begins(tt.live...)
					if tt.params == "" {
						g.line(`{"id":1,"method":"storage/get"}`)
					} else {
						g.line(`{"id":1,"method":"storage/get","params":%s}`, tt.params)
					}
					synctest.Wait()
					var got struct {
						Result struct{ Invoke string }
						Error  struct {
							Code int
							Data struct{ ErrorCode string }
						}
					}
					if len(g.sent) != 1 || json.Unmarshal([]byte(g.sent[0]), &got) != nil {
						t.Fatalf("sent %q", g.sent)
					}
					if got.Result.Invoke+got.Error.Data.ErrorCode != tt.want || params != tt.passed {
						t.Errorf("got %s with parameters %s", g.sent[0], params)
					}
					if got.Error.Code != 0 && got.Error.Code != -32602 {
						t.Errorf("code is %d", got.Error.Code)
					}
				})
			})
		}
	})
}

func TestReverseIDs(t *testing.T) {
	t.Run("B26 and item 23 an id is sent back byte for byte", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			g := newRig(t, &Options{Services: map[string]Service{"echo": echo}})
			g.begins("a")
			var want []string
			for _, id := range []string{`"abc"`, `"1"`, `7`, `9007199254740993`, `1.50`, `-1e3`, `null`, `"é\u00e9\/"`, `"` + strings.Repeat("x", 9999) + `"`, `true`, `[1,"a"]`} {
				g.line(`{"id":%s,"method":"echo","params":{}}`, id)
				g.line(`{"id":%s,"method":"none"}`, id)
				want = append(want, echoed(id, "a", "{}"), refused(id, -32601, `method not found: "none"`, "METHOD_NOT_FOUND"))
			}
			// Equal ids are those of two calls.
			g.line(`{"id":7,"method":"echo"}`)
			g.want(append(want, echoed(`7`, "a", "{}"))...)
			// One that is too long to be sent back gets no answer.
			g.line(`{"id":"%s","method":"none"}`, strings.Repeat("x", MaxRequest))
			g.want()
			if g.open() != 0 {
				t.Errorf("%d calls are open", g.open())
			}
		})
	})
}

func TestReverseResults(t *testing.T) {
	t.Run("item 24 a result is an object", func(t *testing.T) {
		internal := refused("1", -32603, "internal error", "INTERNAL_ERROR")
		for _, tt := range []struct {
			name   string
			result string
			err    error
			want   string
		}{
			{"object", "{\n\"a\": 1.50}", nil, `{"jsonrpc":"2.0","id":1,"result":{"a":1.50}}`},
			{"bytes that are not UTF-8", "{\"a\":\"\xff\"}", nil, `{"jsonrpc":"2.0","id":1,"result":{"a":"` + "\ufffd" + `"}}`},
			{"null", "null", nil, internal},
			{"nothing", "", nil, internal},
			{"list", "[]", nil, internal},
			{"text", `"a"`, nil, internal},
			{"no JSON", `{"a"`, nil, internal},
			{"two", `{}{}`, nil, internal},
			{"plain error", "{}", errors.New("the secret of the host"), internal},
			{"error", "{}", &RPCError{Code: -32023, Message: "a\nb", Data: json.RawMessage("{\n\"errorCode\":\"X\"}")},
				`{"jsonrpc":"2.0","id":1,"error":{"code":-32023,"message":"a\nb","data":{"errorCode":"X"}}}`},
			{"wrapped error", "", fmt.Errorf("the host: %w", &RPCError{Code: -32001, Message: "m"}), `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"m"}}`},
			{"error with bad data", "", &RPCError{Code: 1, Message: "m", Data: json.RawMessage(`{`)}, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}`},
			{"nil error", "{}", (*RPCError)(nil), internal},
			{"as large as can be", `{"a":"` + strings.Repeat("x", MaxRequest-137) + `"}`, nil, `{"jsonrpc":"2.0","id":1,"result":{"a":"` + strings.Repeat("x", MaxRequest-137) + `"}}`},
			{"too large", `{"a":"` + strings.Repeat("x", MaxRequest-136) + `"}`, nil, refused("1", -32603, "the result exceeds 1048575 bytes", "RESULT_TOO_LARGE")},
		} {
			t.Run(tt.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					g := newRig(t, &Options{Services: map[string]Service{"m": func(context.Context, *ReverseCall) (json.RawMessage, error) {
						return json.RawMessage(tt.result), tt.err
					}}})
					g.begins("a")
					g.line(`{"id":1,"method":"m"}`)
					g.want(tt.want)
					if tt.name == "plain error" && !strings.Contains(g.logs.String(), "the secret of the host") {
						t.Error("the error is not in the log")
					}
				})
			})
		}
	})
}

// Whatever a service does to its goroutine, the plugin gets an answer.
func TestServicePanics(t *testing.T) {
	t.Run("B46 a panic is an error reply", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			g := newRig(t, &Options{Services: map[string]Service{
				"panic": func(context.Context, *ReverseCall) (json.RawMessage, error) { panic("in the service") },
				"exit":  func(context.Context, *ReverseCall) (json.RawMessage, error) { runtime.Goexit(); return nil, nil },
				"echo":  echo,
			}})
			g.begins("a")
			for range 2 * maxServing { // no place in the lane is lost
				g.line(`{"id":1,"method":"panic"}`)
				g.line(`{"id":1,"method":"exit"}`)
			}
			g.line(`{"id":2,"method":"echo"}`)
			g.want(append(slices.Repeat([]string{refused("1", -32603, "internal error", "INTERNAL_ERROR")}, 4*maxServing), echoed("2", "a", "{}"))...)
			if !strings.Contains(g.logs.String(), "in the service") {
				t.Error("the panic is not in the log")
			}
		})
	})
}

// An unknown method is -32601 whatever else is wrong, and a notification of one is
// passed over.
func TestUnknownMethods(t *testing.T) {
	t.Run("B46 an unknown method is not found", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			g := newRig(t, &Options{Services: map[string]Service{"storage/get": echo}})
			g.negotiated(false, nil, &manifest.Plugin{})
			g.line(`{"id":1,"method":"storage/set","params":[1]}`)
			g.line(`{"id":2,"method":""}`)
			g.line(`{"method":"storage/get","params":{}}`)
			g.line(`{"method":"log","params":3}`)
			g.want(refused("1", -32601, `method not found: "storage/set"`, "METHOD_NOT_FOUND"), refused("2", -32601, `method not found: ""`, "METHOD_NOT_FOUND"))
			if g.ignored != 2 {
				t.Errorf("%d notifications ignored, want 2", g.ignored)
			}
			if n, _ := g.counts(); n != 2 {
				t.Errorf("%d calls counted, want 2", n)
			}
		})
	})
}

func TestNestedCalls(t *testing.T) {
	t.Run("B46 200 calls at once that call the plugin again", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var g *rig
			var inner sync.Map // by invoke id, a channel that is closed when its own call is answered
			call := func(ctx context.Context, c *ReverseCall) (json.RawMessage, error) {
				depth := nesting(ctx, "demo")
				if depth > MaxNesting {
					return nil, &RPCError{Code: -32000, Message: "too deep"}
				}
				if got := nesting(ctx, "other"); got != 0 {
					t.Errorf("nested %d deep in another plugin", got)
				}
				id := c.InvokeID + "." + string(c.Params)
				done := make(chan struct{})
				inner.Store(id, done)
				g.begin(&active{id: id, ctx: ctx})
				g.line(`{"id":%q,"method":"call","params":{"context":{"invoke_id":%q}}}`, id, id)
				<-done
				g.end(id)
				return json.RawMessage(`{}`), nil
			}
			g = newRig(t, &Options{Services: map[string]Service{"call": call}})
			send := g.send
			g.send = func(ctx context.Context, m *jsonrpc.Message) error {
				var id string
				if json.Unmarshal(m.ID, &id) == nil {
					if done, ok := inner.Load(id); ok {
						close(done.(chan struct{}))
					}
				}
				return send(ctx, m)
			}
			g.begins("a")
			for i := range 200 {
				g.line(`{"id":%d,"method":"call","params":{"n":%d,"context":{"invoke_id":"a"}}}`, i, i)
			}
			synctest.Wait()
			ok := 0
			for _, line := range g.sent {
				if !strings.HasPrefix(line, `{"jsonrpc":"2.0","id":"`) && strings.HasSuffix(line, `"result":{}}`) {
					ok++
				}
			}
			if want := 200 * (MaxNesting + 1); ok != 200 || len(g.sent) != want || g.open() != 0 {
				t.Errorf("%d of 200 calls succeed; %d answers, want %d; %d are open", ok, len(g.sent), want, g.open())
			}
		})
	})
}

// More calls than the host holds for a plugin are refused at once.
func TestTooManyCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block := make(chan struct{})
		var mu sync.Mutex
		serving, most := 0, 0
		g := newRig(t, &Options{Services: map[string]Service{"m": func(ctx context.Context, c *ReverseCall) (json.RawMessage, error) {
			mu.Lock()
			serving++
			most = max(most, serving)
			mu.Unlock()
			<-block
			mu.Lock()
			serving--
			mu.Unlock()
			return json.RawMessage("{}"), nil
		}}})
		g.begins("a")
		for i := range maxReverse {
			g.line(`{"id":%d,"method":"m"}`, i)
		}
		g.want()
		g.line(`{"id":"x","method":"m"}`)
		g.want(refused(`"x"`, -32000, "512 calls are not answered yet", "TOO_MANY_CALLS"))
		if got := g.open(); got != maxReverse {
			t.Errorf("%d are open", got)
		}
		close(block)
		synctest.Wait()
		if len(g.sent) != maxReverse || g.open() != 0 || most != maxServing {
			t.Errorf("%d answers, %d open, at most %d at once", len(g.sent), g.open(), most)
		}
	})
}

func TestTooManyBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block := make(chan struct{})
		g := newRig(t, &Options{Services: map[string]Service{"m": func(ctx context.Context, c *ReverseCall) (json.RawMessage, error) {
			<-block
			return json.RawMessage("{}"), nil
		}}})
		g.begins("a")
		const part = maxReverseBytes / 4
		params := `{"a":"` + strings.Repeat("x", part-8) + `"}`
		for range 4 {
			g.receive(&jsonrpc.Message{ID: json.RawMessage("1"), HasMethod: true, Method: "m", Params: json.RawMessage(params)})
		}
		g.want()
		g.line(`{"id":2,"method":"m","params":{}}`)
		g.want(refused("2", -32000, "the calls that are not answered yet exceed 67108864 bytes", "TOO_MANY_CALLS"))
		close(block)
		synctest.Wait()
		g.sent = nil
		g.line(`{"id":3,"method":"m","params":{}}`)
		g.want(`{"jsonrpc":"2.0","id":3,"result":{}}`)
	})
}

// A plugin that calls and does not read is not kept in memory, and does not stop
// the reader.
func TestDeafPlugin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t, &Options{Services: map[string]Service{"echo": echo}})
		g.deaf = make(chan struct{})
		g.begins("a")
		for range 10 * maxReverse {
			g.line(`{"id":1,"method":"echo"}`)
			g.line(`{"id":2,"method":"none"}`)
		}
		synctest.Wait()
		if len(g.outbox) > 2*maxReverse || g.open() != maxReverse {
			t.Errorf("%d answers wait, %d calls are open", len(g.outbox), g.open())
		}
		start := time.Now()
		g.close()
		if d := time.Since(start); d > closeGrace {
			t.Errorf("close takes %v", d)
		}
		synctest.Wait()
		if len(g.sent) != 0 || g.open() != 0 || len(g.outbox) != 0 {
			t.Errorf("%d sent, %d open, %d wait", len(g.sent), g.open(), len(g.outbox))
		}
	})
}

// The context of a service ends with the call that it works for, whose plugin is
// told at once; what the service returns then is dropped.
func TestEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		deadline := time.Now().Add(time.Minute)
		var cause error
		stubborn := make(chan struct{})
		g := newRig(t, &Options{Services: map[string]Service{
			"heeds": func(ctx context.Context, c *ReverseCall) (json.RawMessage, error) {
				if got, ok := ctx.Deadline(); !ok || !got.Equal(deadline) || !c.Deadline.Equal(deadline) {
					t.Errorf("deadline is %v and %v", got, c.Deadline)
				}
				if ctx.Value(key{}) != "value" || nesting(ctx, "demo") != 1 {
					t.Error("it is not the context of the call")
				}
				<-ctx.Done()
				cause = context.Cause(ctx)
				return json.RawMessage(`{"late":true}`), nil
			},
			"ignores": func(ctx context.Context, c *ReverseCall) (json.RawMessage, error) {
				<-stubborn
				return json.RawMessage(`{"late":true}`), nil
			},
			"echo": echo,
		}})
		g.begin(&active{id: "a", ctx: context.WithValue(t.Context(), key{}, "value"), deadline: deadline})
		g.begins("b")
		g.line(`{"id":1,"method":"heeds","params":{"context":{"invoke_id":"a"}}}`)
		g.line(`{"id":2,"method":"ignores","params":{"context":{"invoke_id":"a"}}}`)
		g.want()
		g.end("a")
		g.end("a")
		const ended = "the call has ended that this was made for"
		g.want(refused("1", -32602, ended, "UNKNOWN_INVOKE_CONTEXT"), refused("2", -32602, ended, "UNKNOWN_INVOKE_CONTEXT"))
		if !errors.Is(cause, errCallEnded) {
			t.Errorf("the cause is %v", cause)
		}
		close(stubborn)
		g.line(`{"id":3,"method":"echo","params":{"context":{"invoke_id":"a"}}}`)
		g.line(`{"id":4,"method":"echo","params":{"context":{"invoke_id":"b"}}}`)
		g.want(refused("3", -32602, `context.invoke_id "a" is that of no call that this plugin works on`, "UNKNOWN_INVOKE_CONTEXT"), echoed("4", "b", "{}"))
	})
}

// A call that waits for its turn when its own call ends is not served.
func TestEndOfWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := 0
		block := make(chan struct{})
		g := newRig(t, &Options{Services: map[string]Service{
			"block": func(ctx context.Context, c *ReverseCall) (json.RawMessage, error) { <-block; return echo(ctx, c) },
			"count": func(ctx context.Context, c *ReverseCall) (json.RawMessage, error) { served++; return echo(ctx, c) },
		}})
		g.begins("a")
		for range maxServing {
			g.line(`{"id":1,"method":"block"}`)
		}
		g.line(`{"id":2,"method":"count"}`)
		g.end("a")
		g.begins("b")
		g.line(`{"id":3,"method":"count"}`)
		close(block)
		synctest.Wait()
		if served != 1 || g.open() != 0 {
			t.Errorf("%d served, want that of b; %d are open", served, g.open())
		}
	})
}

// A plugin waits at its end for what it has asked, so it gets an answer.
func TestClose(t *testing.T) {
	t.Run("item 15 what is asked is answered at the end", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			stubborn := make(chan struct{})
			defer close(stubborn)
			g := newRig(t, &Options{Services: map[string]Service{
				"heeds": func(ctx context.Context, c *ReverseCall) (json.RawMessage, error) {
					<-ctx.Done()
					return nil, ctx.Err()
				},
				"ignores": func(ctx context.Context, c *ReverseCall) (json.RawMessage, error) { <-stubborn; return nil, nil },
			}})
			g.begins("a")
			var want []string
			const stopping = "the host is stopping this plugin"
			for i := range maxServing + 2 {
				g.line(`{"id":%d,"method":"ignores"}`, 2*i)
				g.line(`{"id":%d,"method":"heeds"}`, 2*i+1)
				want = append(want, refused(fmt.Sprint(2*i), -32603, stopping, "HOST_STOPPING"), refused(fmt.Sprint(2*i+1), -32603, stopping, "HOST_STOPPING"))
			}
			start := time.Now()
			g.close()
			g.close()
			if d := time.Since(start); d > 0 {
				t.Errorf("close takes %v", d)
			}
			g.want(want...)
			g.line(`{"id":"x","method":"heeds"}`)
			g.want(refused(`"x"`, -32603, stopping, "HOST_STOPPING"))
			if g.open() != 0 {
				t.Errorf("%d calls are open", g.open())
			}
		})
	})
}

// Nothing is left after a close without calls, or with an answer under way.
func TestCloseWhileAnswering(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		newRig(t, &Options{}).close()
		g := newRig(t, &Options{Services: map[string]Service{"echo": echo}})
		g.deaf = make(chan struct{})
		g.begins("a")
		g.line(`{"id":1,"method":"echo"}`)
		synctest.Wait()
		time.AfterFunc(closeGrace/2, func() { close(g.deaf) })
		g.close()
		g.want(echoed("1", "a", "{}"))
	})
}

// Whatever a plugin writes, there is one answer to each request, with its id.
func FuzzRouter(f *testing.F) {
	f.Add([]byte(`{"id":1,"method":"echo","params":{"context":{"invoke_id":"a"}}}` + "\n" + `{"id":"x","method":"none"}`))
	f.Add([]byte(`{"method":"executa/progress","params":{"data":1,"context":{"invoke_id":"a"}}}`))
	f.Add([]byte(`{"id":null,"method":"storage/get","params":[]}` + "\n" + `{"id":1e9,"method":"echo","params":{"metadata":{"executa_invoke_id":3}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		synctest.Test(t, func(t *testing.T) {
			g := newRig(t, &Options{Services: map[string]Service{"echo": echo, "storage/get": echo, "panic": func(context.Context, *ReverseCall) (json.RawMessage, error) { panic("x") }}})
			g.begin(&active{id: "a", ctx: t.Context(), progress: func(p Progress) {
				if len(p.Data) > MaxProgress || p.Type != "progress" && p.Type != "tool_update" {
					t.Errorf("progress %+v", p)
				}
			}})
			g.begins("b")
			asked := make(map[string]int)
			for line := range strings.Lines(string(data)) {
				var m jsonrpc.Message
				if jsonrpc.Decode([]byte(strings.TrimSuffix(line, "\n")), &m) != nil || !m.HasMethod {
					continue
				}
				if m.ID != nil {
					asked[string(m.ID)]++
				}
				g.receive(&m)
			}
			synctest.Wait()
			g.end("a")
			g.close()
			synctest.Wait()
			answered := make(map[string]int)
			for _, line := range g.sent {
				var m jsonrpc.Message
				if err := jsonrpc.Decode([]byte(line), &m); err != nil || strings.Contains(line, "\n") || (m.Error == nil) == (m.Result == nil) {
					t.Fatalf("%v: sent %q", err, line)
				}
				answered[string(m.ID)]++
			}
			if !maps.Equal(asked, answered) {
				t.Errorf("asked %v, answered %v", asked, answered)
			}
		})
	})
}

func BenchmarkReverseCall(b *testing.B) {
	answered := make(chan struct{})
	r := newRouter(routerConfig{
		plugin: "demo", log: slog.New(slog.DiscardHandler),
		opts: &Options{Services: map[string]Service{"storage/get": func(context.Context, *ReverseCall) (json.RawMessage, error) {
			return json.RawMessage(`{"value":null,"exists":false,"etag":null}`), nil
		}}},
		send: func(context.Context, *jsonrpc.Message) error { answered <- struct{}{}; return nil },
	})
	r.negotiated(true, nil, &manifest.Plugin{HostCapabilities: manifest.Capabilities()})
	r.begin(&active{id: "a", ctx: b.Context()})
	m := &jsonrpc.Message{ID: json.RawMessage("1"), HasMethod: true, Method: "storage/get", Params: json.RawMessage(`{"key":"a","scope":"tool","context":{"invoke_id":"a"}}`)}
	b.ReportAllocs()
	for b.Loop() {
		r.receive(m)
		<-answered
	}
}
