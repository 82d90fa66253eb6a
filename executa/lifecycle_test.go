package executa

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/matrix-nexus/skillkit/executa/manifest"
	"github.com/matrix-nexus/skillkit/registry"
)

// quickHost returns a host of fakes that start at once or after a moment.
func quickHost(r *registry.Registry, answer func(ctx context.Context, f *fake, inv Invocation) (registry.Result, error)) (*Host, *atomic.Int64) {
	h := NewHost(r, &Options{Idle: time.Millisecond})
	h.backoff = 100 * time.Microsecond
	s := &factory{protocol: "1.1", id: "fake", answer: answer}
	alive := new(atomic.Int64)
	h.start = func(ctx context.Context, _ *Spec, _ *Options, _ bool) (process running, err error) {
		for range rand.N(4) {
			runtime.Gosched()
		}
		if rand.N(4) == 0 {
			select {
			case <-time.After(rand.N(500 * time.Microsecond)):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		tools := echoTool
		if rand.N(3) == 0 {
			tools += `,{"name":"other","description":"` + string(rune('a'+rand.N(3))) + `"}`
		}
		m, err := manifest.ParsePlugin("", []byte(`{"tools": [`+tools+`]}`))
		if err != nil {
			return nil, err
		}
		f := &fake{factory: s, id: s.id, manifest: m, done: make(chan struct{})}
		alive.Add(1)
		go func() { <-f.done; alive.Add(-1) }()
		return f, nil
	}
	return h, alive
}

func echoAnswer(_ context.Context, _ *fake, inv Invocation) (registry.Result, error) {
	return registry.Result{Text: string(inv.Arguments)}, nil
}

// A host that is closed while a plugin is registered leaves no tools.
func TestCloseDuringRegister(t *testing.T) {
	rounds := 3000
	if testing.Short() {
		rounds = 300
	}
	for i := range rounds {
		r := registry.New(nil)
		h, running := quickHost(r, echoAnswer)
		var wg sync.WaitGroup
		wg.Go(func() {
			_, _ = h.Register(t.Context(), fakeSpec) // either way
		})
		wg.Go(func() {
			for range rand.N(30) {
				runtime.Gosched()
			}
			if err := h.Close(context.Background()); err != nil {
				t.Error(err)
			}
		})
		wg.Wait()
		if all := r.All(); len(all) > 0 {
			t.Fatalf("round %d: %s is left", i, all[0].Name())
		}
		for running.Load() > 0 {
			runtime.Gosched()
		}
	}
}

// Whatever is done to a plugin at the same time: no tool, no process and no slot
// is left, and every call ends.
func TestLifecycleChaos(t *testing.T) {
	rounds := 150
	if testing.Short() {
		rounds = 40
	}
	for round := range rounds {
		r := registry.New(nil)
		h, running := quickHost(r, func(ctx context.Context, f *fake, inv Invocation) (registry.Result, error) {
			switch rand.N(12) {
			case 0:
				f.end(errKilled)
				return registry.Result{}, errKilled
			case 1:
				f.mu.Lock()
				f.condemned = true
				f.mu.Unlock()
				go f.end(&TimeoutError{Plugin: "fake"})
				return registry.Result{}, &TimeoutError{Plugin: "fake"}
			case 2, 3:
				select {
				case <-ctx.Done():
				case <-f.done:
					return registry.Result{}, errKilled
				case <-time.After(rand.N(time.Millisecond)):
				}
			}
			return registry.Result{Text: "ok"}, nil
		})
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		if _, err := h.Register(ctx, fakeSpec); err != nil {
			t.Fatal(err)
		}
		var plugins sync.Map
		var wg sync.WaitGroup
		some := func(f func(p *Plugin)) func() {
			return func() {
				for range 20 {
					if p := h.Plugin("fake"); p != nil {
						plugins.Store(p, true)
						f(p)
					}
					for range rand.N(50) {
						runtime.Gosched()
					}
				}
			}
		}
		for range 6 {
			wg.Go(func() {
				for range 60 {
					tool, err := r.Lookup("fake_echo")
					if err != nil {
						runtime.Gosched()
						continue
					}
					ctx, cancel := context.WithTimeout(ctx, rand.N(5*time.Millisecond))
					if rand.N(2) == 0 {
						cancel()
						ctx, cancel = context.WithTimeout(t.Context(), 10*time.Second)
					}
					_, _ = tool.Invoke(ctx, registry.Call{Arguments: json.RawMessage(`{"text":"a"}`)})
					cancel()
				}
			})
		}
		wg.Go(some(func(p *Plugin) { _ = p.Stop(ctx) }))
		wg.Go(some(func(p *Plugin) { _ = p.Start(ctx) }))
		wg.Go(some(func(p *Plugin) {
			if next, err := p.Replace(ctx, fakeSpec); err == nil {
				plugins.Store(next, true)
				if err := p.Retire(ctx); err != nil {
					t.Error(err)
				}
			}
		}))
		wg.Go(some(func(p *Plugin) {
			if rand.N(10) == 0 {
				_ = p.Retire(ctx)
				_, _ = h.Register(ctx, fakeSpec)
			}
			p.Status()
			_, _ = p.Health(ctx)
		}))
		if round%2 == 0 {
			wg.Go(func() {
				time.Sleep(rand.N(5 * time.Millisecond))
				if err := h.Close(ctx); err != nil {
					t.Error(err)
				}
			})
		}
		ended := make(chan struct{})
		go func() { wg.Wait(); close(ended) }()
		select {
		case <-ended:
		case <-time.After(30 * time.Second):
			buf := make([]byte, 1<<20)
			t.Fatalf("round %d hangs:\n%s", round, buf[:runtime.Stack(buf, true)])
		}
		if err := h.Close(ctx); err != nil {
			t.Error(err)
		}
		cancel()
		if all := r.All(); len(all) > 0 {
			t.Fatalf("round %d: tool %s is left", round, all[0].Name())
		}
		for range 1000 {
			if running.Load() == 0 {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if n := running.Load(); n != 0 {
			t.Fatalf("round %d: %d processes are left", round, n)
		}
		plugins.Range(func(key, _ any) bool {
			p := key.(*Plugin)
			taken, waiting := p.queue.counts()
			p.mu.Lock()
			defer p.mu.Unlock()
			if taken != 0 || waiting != 0 || p.users != 0 || p.live != nil || p.flight != nil {
				t.Errorf("round %d: %d slots taken, %d wait, %d users, live %v, flight %v", round, taken, waiting, p.users, p.live, p.flight)
			}
			return true
		})
	}
}
