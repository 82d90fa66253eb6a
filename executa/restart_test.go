package executa

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/executa/manifest"
	"github.com/matrix-nexus/skillkit/registry"
)

// A fake is a process without a process, for tests of what takes long.
type fake struct {
	factory  *factory
	id       string
	manifest *manifest.Plugin
	done     chan struct{}
	unsent   bool // it ends before it gets the next call

	mu        sync.Mutex // protects what follows
	err       error
	condemned bool
	abandoned []func() // settled functions of calls that were given up
}

func (f *fake) ID() string                 { return f.id }
func (f *fake) PID() int                   { return 1 }
func (f *fake) Protocol() string           { return f.factory.protocol }
func (f *fake) Manifest() *manifest.Plugin { return f.manifest }
func (f *fake) Stats() Stats               { return Stats{Noise: 7} }
func (f *fake) Done() <-chan struct{}      { return f.done }
func (f *fake) Health(context.Context) (Health, error) {
	return Health{Status: "ready"}, nil
}

func (f *fake) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

func (f *fake) accepts() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err == nil && !f.condemned
}

func (f *fake) end(err error) {
	f.mu.Lock()
	var abandoned []func()
	if f.err == nil {
		f.err = err
		close(f.done)
		abandoned, f.abandoned = f.abandoned, nil
	}
	f.mu.Unlock()
	for _, settled := range abandoned {
		settled()
	}
}

func (f *fake) Close(context.Context) error {
	f.end(ErrClosed)
	return nil
}

func (f *fake) Invoke(ctx context.Context, inv Invocation) (registry.Result, bool, error) {
	if !f.accepts() {
		return registry.Result{}, false, ErrClosed
	}
	if err := inv.Sent(); err != nil {
		return registry.Result{}, false, err
	}
	if f.unsent {
		f.end(errKilled)
		return registry.Result{}, false, errKilled
	}
	result, err := f.factory.answer(ctx, f, inv)
	if ctx.Err() != nil {
		f.mu.Lock()
		ended := f.err != nil
		if !ended {
			f.abandoned = append(f.abandoned, inv.settled)
		}
		f.mu.Unlock()
		if ended {
			inv.settled()
		}
		return registry.Result{}, true, context.Cause(ctx)
	}
	inv.settled()
	return result, true, err
}

// A factory starts fakes.
type factory struct {
	protocol string
	tools    string // of the manifest
	err      error  // of the next starts
	takes    time.Duration
	answer   func(ctx context.Context, f *fake, inv Invocation) (registry.Result, error)
	id       string

	started []time.Duration // since the first
	first   time.Time
	firsts  []bool
	last    *fake
}

func (s *factory) start(ctx context.Context, spec *Spec, _ *Options, first bool) (running, error) {
	if s.first.IsZero() {
		s.first = time.Now()
	}
	s.started = append(s.started, time.Since(s.first))
	s.firsts = append(s.firsts, first)
	select {
	case <-time.After(s.takes):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if s.err != nil {
		return nil, &StartError{Plugin: spec.ID, Stage: "launch", Err: s.err}
	}
	m, err := manifest.ParsePlugin("", fmt.Appendf(nil, `{"tools": [%s]}`, s.tools))
	if err != nil {
		return nil, err
	}
	s.last = &fake{factory: s, id: s.id, manifest: m, done: make(chan struct{})}
	return s.last, nil
}

// sleep lets time pass, and then what is due then.
func sleep(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

const echoTool = `{"name": "echo", "parameters": [{"name": "text", "type": "string"}]}`

// fakeHost returns a host of fakes and the registry of their tools.
func fakeHost(t *testing.T, opts *Options) (*Host, *registry.Registry, *factory) {
	r := registry.New(nil)
	h := NewHost(r, opts)
	s := &factory{
		protocol: "1.1", tools: echoTool, id: "fake",
		answer: func(_ context.Context, _ *fake, inv Invocation) (registry.Result, error) {
			return registry.Result{Text: string(inv.Arguments)}, nil
		},
	}
	h.start = s.start
	t.Cleanup(func() {
		if err := h.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return h, r, s
}

var fakeSpec = Spec{ID: "fake", Command: []string{"/bin/true"}}

func registerFake(t *testing.T, h *Host) *Plugin {
	t.Helper()
	p, err := h.Register(t.Context(), fakeSpec)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func callEcho(ctx context.Context, r *registry.Registry) error {
	tool, err := r.Lookup("fake_echo")
	if err != nil {
		return err
	}
	_, err = tool.Invoke(ctx, registry.Call{Arguments: json.RawMessage(`{"text": "a"}`)})
	return err
}

var errKilled = &ExitError{Plugin: "fake", Status: "signal: killed"}

// TestBackoff has a plugin that ends as soon as it was started.
func TestBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var events []EventKind
		h, r, s := fakeHost(t, &Options{OnEvent: func(e Event) { events = append(events, e.Kind) }})
		p := registerFake(t, h)
		for range 1 + restartAttempts {
			s.last.end(errKilled)
			sleep(time.Minute / 4)
			synctest.Wait()
		}
		for i, got := range s.started {
			least := time.Duration(0)
			if i > 0 {
				least = 15*time.Second*time.Duration(i-1) + restartBackoff<<(i-1)
			}
			if most := least * 3 / 2; got < least || got > most {
				t.Errorf("start no. %d after %s, want between %s and %s", i+1, got, least, most)
			}
		}
		want := []EventKind{
			EventStarted, EventExited, EventStarted, EventExited, EventStarted, EventExited, EventStarted,
			EventExited, EventFailed,
		}
		if diff := cmp.Diff(want, events); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]bool{true, false, false, false}, s.firsts); diff != "" {
			t.Errorf("first (-want +got):\n%s", diff)
		}
		status := p.Status()
		if status.State != StateFailed || status.Starts != 4 || status.Restarts != 3 || !strings.Contains(status.Reason, "4 times in a row") || status.Stats.Noise != 7 {
			t.Errorf("got %+v", status)
		}

		err := callEcho(t.Context(), r)
		if e, ok := errors.AsType[*registry.CallError](err); !ok || e.Status != registry.NotStarted || !errors.Is(err, error(errKilled)) {
			t.Errorf("a call of a failed plugin got %v", err)
		}
		if err := p.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := callEcho(t.Context(), r); err != nil {
			t.Error(err)
		}
		if status := p.Status(); status.State != StateRunning || status.PID != 1 || status.Protocol != "1.1" || status.Reason != "" {
			t.Errorf("got %+v", status)
		}
	})
}

// TestBackoffReset has a plugin that ends after it was well for a minute.
func TestBackoffReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, _, s := fakeHost(t, nil)
		p := registerFake(t, h)
		for range 3 * restartAttempts {
			sleep(restartHealthy)
			s.last.end(errKilled)
			sleep(2 * time.Second)
			synctest.Wait()
		}
		if status := p.Status(); status.State != StateRunning || status.Restarts != 3*restartAttempts {
			t.Errorf("got %+v", status)
		}
		for range restartAttempts - 1 { // the last one above was the first failure
			sleep(restartHealthy - 10*time.Second)
			s.last.end(errKilled)
			sleep(7 * time.Second)
			synctest.Wait()
		}
		if status := p.Status(); status.State != StateRunning {
			t.Errorf("got %+v", status)
		}
		s.last.end(errKilled)
		synctest.Wait()
		if status := p.Status(); status.State != StateFailed {
			t.Errorf("got %+v", status)
		}
	})
}

// TestExitsAfterOneRequest is pitfall 1.
func TestExitsAfterOneRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, r, s := fakeHost(t, nil)
		p := registerFake(t, h)
		s.answer = func(_ context.Context, f *fake, _ Invocation) (registry.Result, error) {
			go f.end(&ExitError{Plugin: "fake", Status: "exit status 0"})
			return registry.Result{}, nil
		}
		for range 1 + restartAttempts {
			if err := callEcho(t.Context(), r); err != nil {
				t.Error(err)
			}
			synctest.Wait()
		}
		if status := p.Status(); status.State != StateFailed || !strings.Contains(status.Reason, "pitfall 1") {
			t.Errorf("got %+v", status)
		}
	})
}

func TestStartFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, r, s := fakeHost(t, nil)
		s.err = errors.New("no")
		if _, err := h.Register(t.Context(), fakeSpec); !errors.Is(err, s.err) || len(s.started) != 1 {
			t.Errorf("Register got %v after %d starts", err, len(s.started))
		}
		if list := h.Plugins(); len(list) != 0 || h.Plugin("fake") != nil {
			t.Errorf("the host has %v", list)
		}
		s.err = nil
		p := registerFake(t, h) // the id is free again
		s.err = errors.New("not again")
		s.last.end(errKilled)
		err := callEcho(t.Context(), r)
		if e, ok := errors.AsType[*registry.CallError](err); !ok || e.Status != registry.NotStarted || !errors.Is(err, s.err) {
			t.Errorf("got %v", err)
		}
		if status := p.Status(); status.State != StateFailed || len(s.started) != 2+restartAttempts {
			t.Errorf("got %+v after %d starts", status, len(s.started))
		}
	})
}

// TestHostMadeEnd has processes end as the host wants it, more often than they
// may by themselves.
func TestHostMadeEnd(t *testing.T) {
	for name, end := range map[string]func(p *Plugin, f *fake) error{
		"stop":    func(p *Plugin, _ *fake) error { return p.Stop(context.Background()) },
		"timeout": func(_ *Plugin, f *fake) error { f.end(&TimeoutError{Plugin: "fake"}); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, r, s := fakeHost(t, nil)
				p := registerFake(t, h)
				for i := range 10 {
					if err := end(p, s.last); err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
					if status := p.Status(); status.State != StateStopped || status.Reason == "" {
						t.Fatalf("got %+v", status)
					}
					if err := callEcho(t.Context(), r); err != nil {
						t.Fatal(err)
					}
					if status := p.Status(); status.Starts != i+2 || status.Restarts != 0 || time.Since(s.first) > 0 {
						t.Fatalf("got %+v after %s", status, time.Since(s.first))
					}
				}
			})
		})
	}
}

// TestStopWhileStarting has a call wait for a start that is stopped.
func TestStopWhileStarting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, r, s := fakeHost(t, nil)
		p := registerFake(t, h)
		s.takes = 10 * time.Second
		s.last.end(errKilled)
		sleep(3 * time.Second)
		if status := p.Status(); status.State != StateStarting {
			t.Fatalf("got %+v", status)
		}
		if err := p.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if status := p.Status(); status.State != StateStopped || time.Since(s.first) != 3*time.Second {
			t.Errorf("got %+v after %s", status, time.Since(s.first))
		}
		if err := callEcho(t.Context(), r); err != nil {
			t.Error(err)
		}
	})
}

// TestSharedStart has the first of the callers that wait for a start give up.
func TestSharedStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, r, s := fakeHost(t, nil)
		p := registerFake(t, h)
		if err := p.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.takes = 10 * time.Second
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		gaveUp := make(chan error, 1)
		go func() { gaveUp <- callEcho(ctx, r) }()
		var others sync.WaitGroup
		for range 20 {
			others.Go(func() {
				if err := callEcho(t.Context(), r); err != nil {
					t.Error(err)
				}
			})
		}
		err := <-gaveUp
		if e, ok := errors.AsType[*registry.CallError](err); !ok || e.MayHaveRun || time.Since(s.first) != time.Second {
			t.Errorf("got %v after %s", err, time.Since(s.first))
		}
		others.Wait()
		if len(s.started) != 2 || time.Since(s.first) != 10*time.Second {
			t.Errorf("%d starts in %s", len(s.started), time.Since(s.first))
		}
	})
}

// TestRestartWait has a call wait for a restart no longer than its tool may take.
func TestRestartWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, r, s := fakeHost(t, nil)
		s.tools = `{"name": "echo", "timeout": 2, "parameters": [{"name": "text", "type": "string"}]}`
		registerFake(t, h)
		s.takes = time.Minute
		s.last.end(errKilled)
		synctest.Wait()
		err := callEcho(t.Context(), r)
		if e, ok := errors.AsType[*registry.CallError](err); !ok || e.Status != registry.NotStarted || time.Since(s.first) != 2*time.Second {
			t.Errorf("got %v after %s", err, time.Since(s.first))
		}
		if !strings.Contains(fmt.Sprint(err), "signal: killed") {
			t.Errorf("%q does not say why", err)
		}
	})
}

func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, r, s := fakeHost(t, &Options{Idle: time.Minute})
		p := registerFake(t, h)
		s.answer = func(ctx context.Context, _ *fake, _ Invocation) (registry.Result, error) {
			select {
			case <-time.After(time.Hour):
			case <-ctx.Done():
			}
			return registry.Result{}, nil
		}
		sleep(59 * time.Second)
		if err := callEcho(t.Context(), r); err != nil { // takes an hour
			t.Fatal(err)
		}
		sleep(59 * time.Second)
		if status := p.Status(); status.State != StateRunning || len(s.started) != 1 {
			t.Fatalf("got %+v", status)
		}
		sleep(2 * time.Second)
		if status := p.Status(); status.State != StateStopped || status.Reason != "it was idle" {
			t.Fatalf("got %+v", status)
		}

		// One that was given up still runs.
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := callEcho(ctx, r); err == nil {
			t.Fatal("the call was answered")
		}
		sleep(time.Hour)
		if status := p.Status(); status.State != StateRunning || status.Running != 1 {
			t.Fatalf("got %+v", status)
		}
		s.last.mu.Lock()
		settled := s.last.abandoned[0]
		s.last.abandoned = nil
		s.last.mu.Unlock()
		settled()
		sleep(61 * time.Second)
		if status := p.Status(); status.State != StateStopped || status.Running != 0 {
			t.Fatalf("got %+v", status)
		}
	})
}

// TestIdleRestart has a plugin that was started again without a call.
func TestIdleRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, _, s := fakeHost(t, &Options{Idle: time.Minute})
		p := registerFake(t, h)
		s.last.end(errKilled)
		sleep(2 * time.Second)
		if status := p.Status(); status.State != StateRunning {
			t.Fatalf("got %+v", status)
		}
		sleep(time.Minute)
		if status := p.Status(); status.State != StateStopped {
			t.Fatalf("got %+v", status)
		}
	})
}

// TestCondemned has new calls wait for the process after one that takes no more,
// but not the calls that this one waits for.
func TestCondemned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, r, s := fakeHost(t, nil)
		p := registerFake(t, h)
		old := s.last
		old.mu.Lock()
		old.condemned = true
		old.mu.Unlock()
		if _, err := p.process(t.Context(), true); !errors.Is(err, ErrNested) {
			t.Errorf("a nested call got %v", err)
		}
		time.AfterFunc(5*time.Second, func() { old.end(&TimeoutError{Plugin: "fake"}) })
		if err := callEcho(t.Context(), r); err != nil {
			t.Error(err)
		}
		if time.Since(s.first) != 5*time.Second || len(s.started) != 2 {
			t.Errorf("%d starts after %s", len(s.started), time.Since(s.first))
		}
	})
}

// TestSlots counts how many calls a plugin of each protocol gets at a time.
func TestSlots(t *testing.T) {
	for _, test := range []struct {
		protocol string
		max      int
		want     int
	}{{"1.1", 0, V1InFlight}, {"2.0", 0, V2InFlight}, {"2.0", 3, 3}} {
		synctest.Test(t, func(t *testing.T) {
			h, r, s := fakeHost(t, nil)
			s.protocol = test.protocol
			spec := fakeSpec
			spec.MaxInFlight = test.max
			if _, err := h.Register(t.Context(), spec); err != nil {
				t.Fatal(err)
			}
			var mu sync.Mutex
			at, most := 0, 0
			s.answer = func(context.Context, *fake, Invocation) (registry.Result, error) {
				mu.Lock()
				at++
				most = max(most, at)
				mu.Unlock()
				time.Sleep(time.Second)
				mu.Lock()
				at--
				mu.Unlock()
				return registry.Result{}, nil
			}
			var wg sync.WaitGroup
			for range 24 {
				wg.Go(func() {
					if err := callEcho(t.Context(), r); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if most != test.want {
				t.Errorf("protocol %s, limit %d: %d at a time, want %d", test.protocol, test.max, most, test.want)
			}
		})
	}
}

func TestDrift(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var drift []Event
		h, r, s := fakeHost(t, &Options{OnEvent: func(e Event) {
			if e.Kind == EventDrift {
				drift = append(drift, e)
			}
		}})
		s.tools = echoTool + `, {"name": "same"}, {"name": "gone"}`
		p := registerFake(t, h)
		before := map[string]*registry.Tool{}
		for _, tool := range p.Tools() {
			before[tool.Original()] = tool
		}

		restart := func(tools string) {
			s.tools = tools
			s.last.end(errKilled)
			sleep(2 * restartHealthy)
		}
		restart(s.tools)
		if len(drift) != 0 {
			t.Errorf("%d events without a change", len(drift))
		}
		restart(`{"name": "echo"}, {"name": "same"}, {"name": "new"}`)
		if len(drift) != 1 || len(drift[0].Old.Tools) != 3 || drift[0].New != p.Manifest() {
			t.Errorf("events are %+v", drift)
		}
		var names []string
		for _, tool := range r.All() {
			names = append(names, tool.Name())
		}
		if diff := cmp.Diff([]string{"fake_echo", "fake_new", "fake_same"}, names); diff != "" {
			t.Errorf("tools (-want +got):\n%s", diff)
		}
		for name, want := range map[string]*ChangedError{
			"fake_echo": {Plugin: "fake", Tool: "echo"},
			"fake_gone": {Plugin: "fake", Tool: "gone", Gone: true},
			"fake_same": nil,
		} {
			_, err := before[name].Invoke(t.Context(), registry.Call{Arguments: json.RawMessage(`{"text":"a"}`)})
			if name != "fake_echo" {
				_, err = before[name].Invoke(t.Context(), registry.Call{})
			}
			got, _ := errors.AsType[*ChangedError](err)
			if diff := cmp.Diff(want, got); diff != "" || want == nil && err != nil {
				t.Errorf("%s got %v (-want +got):\n%s", name, err, diff)
			}
			if e, ok := errors.AsType[*registry.CallError](err); ok && e.Status != registry.NotStarted {
				t.Errorf("%s: %v", name, err)
			}
		}

		s.id = "other"
		restart(s.tools)
		if status := p.Status(); status.State != StateFailed || !strings.Contains(status.Reason, `"other" now`) {
			t.Errorf("got %+v", status)
		}
	})
}

// TestDriftOften has a plugin that describes other tools each time.
func TestDriftOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, _, s := fakeHost(t, nil)
		p := registerFake(t, h)
		first := p.Tools()[0]
		for i := range 3 * maxStale {
			s.tools = fmt.Sprintf(`{"name": "tool%d"}`, i)
			s.last.end(errKilled)
			sleep(2 * restartHealthy)
		}
		if len(p.stale) != maxStale {
			t.Errorf("%d earlier versions are kept", len(p.stale))
		}
		if status := p.Status(); status.State != StateRunning {
			t.Errorf("got %+v", status)
		}
		if _, err := first.Invoke(t.Context(), registry.Call{Arguments: json.RawMessage(`{"text":"a"}`)}); !errors.Is(err, registry.ErrRetired) {
			t.Errorf("got %v", err)
		}
	})
}

// TestDriftCollision has a plugin that takes the name of another tool.
func TestDriftCollision(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, r, s := fakeHost(t, nil)
		p := registerFake(t, h)
		_, err := r.Register("other", registry.Def{Name: "fake_taken", Invoke: func(context.Context, *registry.Call) (registry.Result, error) {
			return registry.Result{}, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		s.tools = `{"name": "taken"}`
		s.last.end(errKilled)
		sleep(time.Minute)
		if status := p.Status(); status.State != StateFailed || !strings.Contains(status.Reason, `"other"`) {
			t.Errorf("got %+v", status)
		}
	})
}

// TestUnsent has a process end after the call was about to be sent, before a byte
// of it was: the next process gets the call.
func TestUnsent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := openJournal(t, t.TempDir()+"/journal")
		h, r, s := fakeHost(t, &Options{Journal: j})
		registerFake(t, h)
		tool, err := r.Lookup("fake_echo")
		if err != nil {
			t.Fatal(err)
		}
		call := registry.Call{ID: "a", Arguments: json.RawMessage(`{"text": "a"}`)}
		s.last.unsent = true
		if result, err := tool.Invoke(t.Context(), call); err != nil || !strings.Contains(result.Text, "a") || len(s.started) != 2 {
			t.Errorf("got %+v, %v after %d starts", result, err, len(s.started))
		}

		s.last.unsent = true
		s.err = errors.New("no")
		call.ID = "b"
		_, err = tool.Invoke(t.Context(), call)
		if e, ok := errors.AsType[*registry.CallError](err); !ok || e.Status != registry.NotStarted {
			t.Errorf("got %v", err)
		}
		if len(j.calls) != 1 || j.calls["b"] != nil {
			t.Errorf("the journal has %v", j.calls)
		}
	})
}
