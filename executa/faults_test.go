package executa

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matrix-nexus/skillkit/internal/jsonrpc"
	"github.com/matrix-nexus/skillkit/registry"
)

// A lateContext ends while it is looked at: from the nth look on.
type lateContext struct {
	context.Context
	n atomic.Int64
}

func (c *lateContext) Err() error {
	if c.n.Add(-1) < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// A call ends also if its context does at the very moment at which its time is
// over.
func TestContextEndsWithTimeout(t *testing.T) {
	for n := range int64(6) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				p := session(t, &Options{}, func(s *script) { s.serve(func(jsonrpc.Message) string { return "" }) })
				ctx := &lateContext{Context: t.Context()}
				ctx.n.Store(n)
				begin := time.Now()
				var settled atomic.Int64
				_, sent, err := p.Invoke(ctx, Invocation{Tool: "t", settled: func() { settled.Add(1) }})
				if err == nil || time.Since(begin) > time.Minute {
					t.Errorf("%v, %v after %s", sent, err, time.Since(begin))
				}
				if !sent {
					return
				}
				<-p.Done()
				synctest.Wait() // it is settled just before or after
				if n := settled.Load(); n != 1 {
					t.Errorf("settled %d times", n)
				}
			})
		})
	}
}

// The time of a call that was given up is of no interest when it is answered, and
// nobody looks at one that is given up while the answer comes.
func TestGivenUpAndAnswered(t *testing.T) {
	p := session(t, &Options{}, func(s *script) { s.serve(ok) })
	var settled atomic.Int64
	var wg sync.WaitGroup
	const calls = 2000
	var sent atomic.Int64
	for i := range 4 {
		wg.Go(func() {
			for j := range calls / 4 {
				ctx, cancel := context.WithCancel(t.Context())
				go func() {
					time.Sleep(time.Duration((i+j)%40) * time.Microsecond)
					cancel()
				}()
				if _, s, _ := p.Invoke(ctx, Invocation{Tool: "t", settled: func() { settled.Add(1) }}); s {
					sent.Add(1)
				}
				cancel()
			}
		})
	}
	wg.Wait()
	if _, _, err := invoke(p, t.Context()); err != nil { // all others are answered then
		t.Fatal(err)
	}
	if settled.Load() != sent.Load() {
		t.Errorf("%d calls were sent, and %d are settled", sent.Load(), settled.Load())
	}
}

// A resolver that panics, or ends its goroutine, does not cost the plugin a slot.
func TestResolverPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, r, s := fakeHost(t, &Options{})
		fails := true
		s.protocol = protocol2 // with one slot
		s.answer = func(context.Context, *fake, Invocation) (registry.Result, error) {
			if fails {
				panic("boom")
			}
			return registry.Result{Text: "ok"}, nil
		}
		p := registerFake(t, h)
		if err := callEcho(t.Context(), r); err == nil {
			t.Error("got no error")
		}
		fails = false
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := callEcho(ctx, r); err != nil {
			t.Error(err)
		}
		if s := p.Status(); s.Running != 0 {
			t.Errorf("%d calls run", s.Running)
		}
	})
}

const secretToken = "ghp_0123456789abcdefghijklmnopqrstuvwxyz"

const secretTool = `{"name":"p","tools":[{"name":"t"}],"credentials":[{"name":"K"}],"host_capabilities":["aps.kv"]}`

// secretSession starts a plugin that is given secretToken. What is logged is in
// the text that is returned.
func secretSession(t *testing.T, opts *Options, plugin func(*script)) (*Process, *strings.Builder) {
	t.Helper()
	logs := new(strings.Builder)
	opts.Logger = slog.New(slog.NewTextHandler(&lockedWriter{w: logs}, &slog.HandlerOptions{Level: slog.LevelDebug}))
	opts.Credentials = func(context.Context, string, string) (string, bool, error) { return secretToken, true, nil }
	p, _, err := startOverPipes(t, &Spec{ID: "p"}, opts, true, func(s *script) {
		s.describe("2.0", secretTool)
		plugin(s)
	})
	if err != nil {
		t.Fatal(err)
	}
	return p, logs
}

// noSecret fails t if a part of the secret that is worth something is in text.
func noSecret(t *testing.T, where, text string) {
	t.Helper()
	for i := 0; i+8 <= len(secretToken); i++ {
		if strings.Contains(text, secretToken[i:i+8]) {
			t.Errorf("%s: a part of the secret is in %.400q", where, text)
			return
		}
	}
}

// What is cut for the log is cut after the secrets in it are hidden.
func TestSecretWhereLogsAreCut(t *testing.T) {
	for name, line := range map[string]string{
		"noise":          strings.Repeat("x", maxNoise-20) + secretToken,
		"noise, many":    strings.Repeat(secretToken, 4000),
		"id":             `{"id":"` + strings.Repeat("x", maxNoise-20) + secretToken + `","result":{}}`,
		"file":           `{"id":2,"__file_transport":"/` + strings.Repeat("x", 180) + secretToken + `"}`,
		"file, id":       `{"id":"` + strings.Repeat("x", 30) + secretToken + `","__file_transport":"/x"}`,
		"reverse method": `{"id":"r","method":"` + strings.Repeat("x", 50) + secretToken + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				p, logs := secretSession(t, &Options{}, func(s *script) {
					s.next()
					s.write("%s\n", line)
					s.write(`{"id":2,"result":{"success":true}}` + "\n")
					s.serve(ok)
				})
				_, _, err := p.Invoke(t.Context(), Invocation{Tool: "t"})
				noSecret(t, "error", fmt.Sprint(err))
				if _, _, err := p.Invoke(t.Context(), Invocation{Tool: "t"}); err != nil {
					t.Error(err)
				}
				noSecret(t, "log", logs.String())
			})
		})
	}
}

// A plugin that sends a secret in a call of the host.
func TestSecretInReverseCall(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		var got string
		opts := &Options{Services: map[string]Service{
			"storage/get": func(_ context.Context, c *ReverseCall) (json.RawMessage, error) {
				got = string(c.Params)
				return nil, fmt.Errorf("no key %s", c.Params)
			},
			"storage/set": func(_ context.Context, c *ReverseCall) (json.RawMessage, error) { panic(string(c.Params)) },
		}}
		p, logs := secretSession(t, opts, func(s *script) {
			m, _ := s.next()
			s.write(`{"id":"a","method":"storage/get","params":{"key":"%s"}}`+"\n", secretToken)
			s.next()
			s.write(`{"id":"b","method":"storage/set","params":{"key":"%s"}}`+"\n", secretToken)
			s.next()
			s.write("%s", ok(m))
			s.serve(ok)
		})
		if _, _, err := p.Invoke(t.Context(), Invocation{Tool: "t"}); err != nil {
			t.Fatal(err)
		}
		noSecret(t, "params", got)
		noSecret(t, "log", logs.String())
		if got == "" {
			t.Error("the service was not called")
		}
	})
}

// The sink for progress is that of one call, not of those that it leads to.
func TestProgressOfNestedCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nested := make(chan any, 1)
		g := newRig(t, &Options{Services: map[string]Service{"storage/get": func(ctx context.Context, _ *ReverseCall) (json.RawMessage, error) {
			f, _ := ctx.Value(progressKey{}).(func(Progress))
			nested <- f != nil
			return json.RawMessage("{}"), nil
		}}})
		ctx := WithProgress(t.Context(), func(Progress) {})
		g.begin(&active{id: "a", tool: "t", ctx: ctx})
		g.line(`{"id":1,"method":"storage/get","params":{}}`)
		if got := <-nested; got != false {
			t.Errorf("the progress of other plugins goes to the caller of this one")
		}
		g.end("a")
	})
}

// Ids that are as long as a line do not fill the memory.
func TestLongReverseIDs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t, &Options{Services: map[string]Service{"storage/get": func(ctx context.Context, _ *ReverseCall) (json.RawMessage, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}}})
		g.deaf = make(chan struct{})
		g.begins("a")
		id := strings.Repeat("x", 900<<10)
		for range 80 {
			g.line(`{"id":"%s","method":"storage/get","params":{}}`, id)
			g.line(`{"id":"%s","method":"none","params":{}}`, id)
		}
		g.router.mu.Lock()
		held := 0
		for c := range g.calls {
			held += len(c.id)
		}
		for _, r := range g.outbox {
			held += len(r.m.ID)
		}
		g.router.mu.Unlock()
		if held > maxReverseBytes {
			t.Errorf("%d MiB of ids are held", held>>20)
		}
		close(g.deaf)
		g.end("a")
	})
}

// The timer of a call that was given up does not outlive its late answer.
func TestGivenUpTimer(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := session(t, &Options{}, func(s *script) {
			m, _ := s.next()
			s.sleep(time.Second)
			s.write("%s", ok(m))
			s.serve(ok)
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		r := make(chan *request, 1)
		_, sent, err := p.Invoke(ctx, Invocation{Tool: "slow", Sent: func() error {
			p.conn.mu.Lock()
			defer p.conn.mu.Unlock()
			for _, one := range p.conn.pending {
				r <- one
			}
			return nil
		}})
		if err == nil || !sent {
			t.Fatal(sent, err)
		}
		sleep(2 * time.Second)
		if timer := (<-r).expiry; timer.Stop() {
			t.Error("the timer still runs")
		}
	})
}

// What one process was given is hidden in what the next one writes before it is
// given anything.
func TestSecretAfterRestart(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := NewHost(registry.New(nil), nil)
		old, err := h.add("p", Spec{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		next, err := h.add("p", Spec{}, old)
		if err != nil {
			t.Fatal(err)
		}
		opts := &Options{redact: old.redact}
		p, _ := secretSession(t, opts, func(s *script) { s.serve(ok) })
		if _, _, err := invoke(p, t.Context()); err != nil {
			t.Fatal(err)
		}
		opts = &Options{redact: next.redact}
		traced := new(strings.Builder)
		trace := &lockedWriter{w: traced}
		opts.Trace = func(_ string, sent bool, line []byte) { fmt.Fprintf(trace, "%s\n", line) }
		p, logs := secretSession(t, opts, func(s *script) {
			s.write("loaded %s\n", secretToken)
			m, _ := s.next()
			s.write(`{"id":%s,"result":{"status":"ready","message":"%s"}}`+"\n", m.ID, secretToken)
			s.serve(ok)
		})
		health, err := p.Health(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		noSecret(t, "health", health.Message)
		noSecret(t, "trace", traced.String())
		noSecret(t, "log", logs.String())
		if logs.Len() == 0 || traced.Len() == 0 {
			t.Error("nothing is logged or traced")
		}
	})
}
