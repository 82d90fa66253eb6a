package executa_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/executa"
	"github.com/matrix-nexus/skillkit/executa/executatest"
	"github.com/matrix-nexus/skillkit/internal/leak"
	"github.com/matrix-nexus/skillkit/registry"
)

// token is a credential that is written in another way in JSON, and in yet another
// in that of Python.
const token = `ghp_s3cr3t/"tök<en>\`

// A host is what the tests give a plugin, and see of it.
type host struct {
	spec executa.Spec
	opts executa.Options
	log  *buffer
}

// newHost returns a host for a plugin, the environment, the folder for temporary
// files and the log of which are looked at when t has ended.
func newHost(t *testing.T, spec executa.Spec) *host {
	t.Helper()
	leak.Check(t)
	tmp := t.TempDir()
	t.Cleanup(func() {
		if files, err := os.ReadDir(tmp); err != nil || len(files) > 0 {
			t.Errorf("left in the folder for temporary files: %v, %v", files, err)
		}
	})
	h := &host{spec: spec, log: new(buffer)}
	h.spec.Env = append(h.spec.Env, leak.Env(t))
	h.opts = executa.Options{
		Environ: os.Environ(),
		TempDir: tmp,
		Logger:  slog.New(slog.NewJSONHandler(h.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Services: map[string]executa.Service{
			"storage/get": func(context.Context, *executa.ReverseCall) (json.RawMessage, error) {
				return json.RawMessage(`{"value":1,"exists":true,"etag":"e"}`), nil
			},
			"host/uploadFile": func(_ context.Context, call *executa.ReverseCall) (json.RawMessage, error) {
				return fmt.Appendf(nil, `{"size_bytes":%d}`, len(call.Params)), nil
			},
		},
		Credentials: func(_ context.Context, _, name string) (string, bool, error) {
			return token, name == "GITHUB_ACCESS_TOKEN", nil
		},
	}
	return h
}

// languages returns those in which a role is tried: in a short run one is enough.
func languages(in string) []string {
	all := strings.Fields(in)
	if testing.Short() {
		return all[:1]
	}
	return all
}

// python returns the program itself: on a machine with several versions, python3
// is a script that looks for it, and takes longer than Python.
var python = sync.OnceValue(func() string {
	out, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		return "python3"
	}
	return strings.TrimSpace(string(out))
})

// specOf returns how the plugin that plays a role is started in a language.
func specOf(t *testing.T, language, role string) executa.Spec {
	t.Helper()
	if language == "go" {
		spec := executatest.Spec("bad " + role)
		spec.ID = "bad"
		return spec
	}
	program, file := python(), "bad.py"
	if language == "node" {
		program, file = "node", "bad.js"
	}
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("%s is not installed", language)
	}
	file, err := filepath.Abs(filepath.Join("..", "testdata", "plugins", file))
	if err != nil {
		t.Fatal(err)
	}
	return executa.Spec{ID: "bad", Command: []string{program, file, role}}
}

// start starts the plugin. It is closed at the end of t.
func (h *host) start(t *testing.T) *executa.Process {
	t.Helper()
	p, err := executa.Start(t.Context(), h.spec, &h.opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if err := p.Err(); err == nil {
			t.Error("Err: got nil after the end")
		}
	})
	return p
}

// An outcome is that of a call.
type outcome struct {
	result registry.Result
	sent   bool
	err    error
}

// callTool calls a tool with arguments that are marshaled, nil for none.
func callTool(ctx context.Context, p *executa.Process, tool string, args any) outcome {
	inv := executa.Invocation{Tool: tool}
	if args != nil {
		inv.Arguments, _ = json.Marshal(args)
	}
	var o outcome
	o.result, o.sent, o.err = p.Invoke(ctx, inv)
	return o
}

// data fails t unless the call is a success with the data want, as JSON.
func (o outcome) data(t *testing.T, want string) {
	t.Helper()
	var b bytes.Buffer // JSON of Python has blanks
	_ = json.Compact(&b, o.result.Data)
	if got := b.String(); o.err != nil || o.result.IsError || got != want {
		t.Errorf("call: got %.300s, error %v (%.300s); want %.300s", got, o.err, o.result.Text, want)
	}
}

// lost fails t unless the call was sent and has no answer.
func (o outcome) lost(t *testing.T) {
	t.Helper()
	if !o.sent || o.err == nil {
		t.Errorf("call: got sent %v, error %v; want one that was sent and has no answer", o.sent, o.err)
	}
}

// works fails t unless the plugin still answers.
func works(t *testing.T, p *executa.Process) {
	t.Helper()
	callTool(t.Context(), p, "ok", nil).data(t, `"ok"`)
}

// async makes a call in a goroutine. It returns when the request is about to be
// sent.
func async(t *testing.T, ctx context.Context, p *executa.Process, tool string) <-chan outcome {
	t.Helper()
	done := make(chan outcome, 1)
	sent := make(chan struct{})
	go func() {
		var o outcome
		o.result, o.sent, o.err = p.Invoke(ctx, executa.Invocation{Tool: tool, Sent: func() error { close(sent); return nil }})
		done <- o
	}()
	select {
	case <-sent:
	case o := <-done:
		t.Fatalf("call: got %v before it was sent", o.err)
	}
	return done
}

// A buffer is one that several may write to.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// TestBad runs plugins that do what they must not. Rows are named by the lists of
// what was seen in the field: "B15" of what hosts got wrong, "item 9" of what
// plugins do.
func TestBad(t *testing.T) {
	const all = "go python node"
	tests := []struct {
		name, role string
		in         string // languages
		setup      func(*host)
		check      func(*testing.T, *executa.Process)
	}{
		{"B15 long lines", "long line", all, func(h *host) { h.opts.MaxLine = 6 << 20 }, func(t *testing.T, p *executa.Process) {
			for _, n := range []int{70_000, 1<<20 + 1, 5 << 20} {
				callTool(t.Context(), p, "run", map[string]int{"n": n}).data(t, `"`+strings.Repeat("x", n)+`"`)
			}
			o := callTool(t.Context(), p, "run", map[string]int{"n": 6 << 20})
			o.lost(t)
			if e, ok := errors.AsType[*executa.ProtocolError](o.err); !ok || e.Plugin != "bad" || e.Method != "invoke" {
				t.Errorf("line over the limit: got %v, want a ProtocolError", o.err)
			}
			if n := p.Stats().LongLines; n != 1 {
				t.Errorf("LongLines: got %d, want 1", n)
			}
			works(t, p)
		}},
		{"B15 limit of a line", "long line", "go", func(h *host) { h.opts.MaxLine = 1000 }, func(t *testing.T, p *executa.Process) {
			frame := len(answered(json.RawMessage("2"), `""`)) - 1 // without LF; initialize is 0
			n := 1000 - frame
			callTool(t.Context(), p, "run", map[string]int{"n": n}).data(t, `"`+strings.Repeat("x", n)+`"`)
			callTool(t.Context(), p, "run", map[string]int{"n": n + 1}).lost(t)
			works(t, p)
		}},
		{"B25 B27 ignores the end and SIGTERM", "ignores all", all, func(h *host) { h.opts.Grace = 20 * time.Millisecond }, func(t *testing.T, p *executa.Process) {
			works(t, p)
			_ = p.Close(t.Context())
			if err := p.Err(); !errors.Is(err, executa.ErrClosed) {
				t.Errorf("Err: got %v, want ErrClosed", err)
			}
			if o := callTool(t.Context(), p, "ok", nil); o.sent || !errors.Is(o.err, executa.ErrClosed) {
				t.Errorf("call of a closed one: got sent %v, %v; want ErrClosed", o.sent, o.err)
			}
		}},
		{"B25 killed at once", "ignores all", "go", func(h *host) { h.opts.Grace = forever }, func(t *testing.T, p *executa.Process) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			_ = p.Close(ctx)
			_ = p.Close(ctx)
		}},
		{"B14 B25 a child holds the pipes", "child", all, func(h *host) { h.opts.Grace = 20 * time.Millisecond }, func(t *testing.T, p *executa.Process) {
			if o := callTool(t.Context(), p, "run", nil); o.err != nil || o.result.IsError {
				t.Errorf("got %v, %s", o.err, o.result.Text)
			}
		}},
		{"B14 a child left the group", "child of its own session", all, func(h *host) { h.opts.Grace = 20 * time.Millisecond }, func(t *testing.T, p *executa.Process) {
			if o := callTool(t.Context(), p, "run", nil); o.err != nil || o.result.IsError {
				t.Errorf("got %v, %s", o.err, o.result.Text)
			}
		}},
		{"B14 item 17 behind a launcher", "echo", all, func(h *host) {
			h.spec.Command = append([]string{"sh", "-c", `exec 3<&0; "$0" "$@" <&3 & wait`}, h.spec.Command...)
			h.opts.Grace = 20 * time.Millisecond
		}, works},
		{"B26 an id that comes back as text", "id as text", all, nil, func(t *testing.T, p *executa.Process) {
			callTool(t.Context(), p, "run", nil).data(t, `"matched"`)
		}},
		{"B26 item 23 ids of the plugin", "reverse ids", all, nil, func(t *testing.T, p *executa.Process) {
			o := callTool(t.Context(), p, "run", nil)
			var got []string
			if err := json.Unmarshal(o.result.Data, &got); err != nil {
				t.Fatal(err, o.err, o.result.Text)
			}
			want := []string{`"abc"`, `"ü\u00fc"`, "1.5", "2", "7", "9007199254740993"} // 2 is that of the call
			slices.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("ids (-want +got):\n%s", diff)
			}
		}},
		{"B27 closes its standard input", "closes stdin", "go python", func(h *host) { h.opts.Grace = -1 }, func(t *testing.T, p *executa.Process) {
			o := callTool(t.Context(), p, "run", map[string]string{"text": strings.Repeat("x", 900_000)})
			if o.err == nil {
				t.Error("got an answer, want an error")
			}
			<-p.Done()
		}},
		{"B29 late answers", "holds", all, nil, func(t *testing.T, p *executa.Process) {
			var late int64
			for range 50 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
				o := callTool(ctx, p, "run", nil)
				cancel()
				if !errors.Is(o.err, context.DeadlineExceeded) {
					t.Fatalf("got %v, want the error of the context", o.err)
				}
				if o.sent {
					late++
				}
			}
			works(t, p)
			if got := p.Stats().UnknownReplies; got != late || late == 0 {
				t.Errorf("UnknownReplies: got %d, want %d", got, late)
			}
		}},
		{"B29 no answer in time", "holds", all, nil, func(t *testing.T, p *executa.Process) {
			other := async(t, t.Context(), p, "run")
			_, sent, err := p.Invoke(t.Context(), executa.Invocation{Tool: "run", Timeout: 50 * time.Millisecond})
			outcome{sent: sent, err: err}.lost(t)
			if e, ok := errors.AsType[*executa.TimeoutError](err); !ok || e.Tool != "run" || e.After != 50*time.Millisecond {
				t.Errorf("got %v, want a TimeoutError", err)
			}
			if o := callTool(t.Context(), p, "ok", nil); o.sent || o.err == nil {
				t.Errorf("a new call: got sent %v, %v; want it to be refused", o.sent, o.err)
			}
			_ = p.Close(ended(t)) // else the other call may go on
			(<-other).lost(t)
			if _, ok := errors.AsType[*executa.TimeoutError](p.Err()); !ok {
				t.Errorf("Err: got %v, want a TimeoutError", p.Err())
			}
		}},
		{"B38 dies with a call open", "dies in between", all, nil, func(t *testing.T, p *executa.Process) {
			first := async(t, t.Context(), p, "run")
			second := async(t, t.Context(), p, "run")
			a, b := <-first, <-second
			if a.err != nil {
				a, b = b, a
			}
			a.data(t, `"answered"`)
			b.lost(t)
			e, ok := errors.AsType[*executa.ExitError](b.err)
			if !ok || e.Status != "exit status 3" || !strings.Contains(e.Stderr, "last words") {
				t.Errorf("got %v, want an ExitError with the status and what was said last", b.err)
			}
			<-p.Done()
			if o := callTool(t.Context(), p, "ok", nil); o.sent || o.err == nil {
				t.Errorf("a new call: got sent %v, %v; want it to fail", o.sent, o.err)
			}
			if _, ok := errors.AsType[*executa.ExitError](p.Err()); !ok {
				t.Errorf("Err: got %v, want an ExitError", p.Err())
			}
		}},
		{"B38 an answer before the end", "replies and exits", all, nil, answersOnce},
		{"B55 an answer without line end", "no newline", all, nil, answersOnce},
		{"B38 closes its standard output", "closes stdout", "go python", func(h *host) { h.opts.Grace = 20 * time.Millisecond }, func(t *testing.T, p *executa.Process) {
			o := callTool(t.Context(), p, "run", nil)
			o.lost(t)
			if _, ok := errors.AsType[*executa.ExitError](o.err); !ok {
				t.Errorf("got %v, want an ExitError", o.err)
			}
		}},
		{"B45 byte by byte", "byte by byte", all, nil, func(t *testing.T, p *executa.Process) {
			callTool(t.Context(), p, "run", nil).data(t, `"— 行 🙂"`)
			works(t, p)
		}},
		{"B45 a byte order mark", "byte order mark", all, nil, func(t *testing.T, p *executa.Process) {
			if p.Protocol() != "2.0" {
				t.Errorf("Protocol: got %s, want 2.0", p.Protocol())
			}
			works(t, p)
		}},
		{"B46 many calls of the host", "many reverse", all, nil, func(t *testing.T, p *executa.Process) {
			callTool(t.Context(), p, "run", map[string]int{"n": 200}).data(t, `"all answered"`)
			if n := p.Stats().ReverseCalls; n != 200 {
				t.Errorf("ReverseCalls: got %d, want 200", n)
			}
		}},
		{"B54 parallel long calls", "echo", all, nil, func(t *testing.T, p *executa.Process) {
			var wg sync.WaitGroup
			for i := range 50 {
				wg.Go(func() {
					n := 64<<10 + i
					callTool(t.Context(), p, "run", map[string]string{"text": strings.Repeat("x", n)}).data(t, fmt.Sprint(n))
				})
			}
			wg.Wait()
		}},
		{"B54 does not read", "stops reading", all, func(h *host) { h.opts.Grace = 20 * time.Millisecond }, func(t *testing.T, p *executa.Process) {
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					o := callTool(ctx, p, "run", map[string]string{"text": strings.Repeat("x", 900_000)})
					if !errors.Is(o.err, context.DeadlineExceeded) {
						t.Errorf("got %v, want the error of the context", o.err)
					}
				})
			}
			wg.Wait()
			_ = p.Close(ended(t))
		}},
		{"item 1 no name", "no name", all, nil, func(t *testing.T, p *executa.Process) {
			if p.ID() != "bad" || p.Manifest().Name != "" {
				t.Errorf("got id %q of a plugin named %q", p.ID(), p.Manifest().Name)
			}
			works(t, p)
		}},
		{"items 2 11 what is sent", "params", all, nil, func(t *testing.T, p *executa.Process) {
			o := callTool(t.Context(), p, "ok", nil)
			var line string
			if err := json.Unmarshal(o.result.Data, &line); err != nil {
				t.Fatal(err, o.err, o.result.Text)
			}
			// The credential that it was given is hidden from us.
			line = strings.NewReplacer(`\`, "").Replace(line)
			var m struct {
				Params struct {
					Tool      string
					Name      *string
					Arguments map[string]any
					InvokeID  string `json:"invoke_id"`
					Context   struct {
						InvokeID string `json:"invoke_id"`
						Deadline int64  `json:"deadline_ms"`
						Plugin   string `json:"plugin_name"`
					}
				}
			}
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				t.Fatal(err, line)
			}
			if x := m.Params; x.Tool != "ok" || x.Name != nil || x.Arguments == nil || len(x.InvokeID) != 32 || x.InvokeID != x.Context.InvokeID ||
				x.Context.Plugin != "bad" || time.Until(time.UnixMilli(x.Context.Deadline)) > time.Minute {
				t.Errorf("got %s", line)
			}
		}},
		{"item 3 two calls and no word for which", "uncorrelated", all, nil, func(t *testing.T, p *executa.Process) {
			first, second := async(t, t.Context(), p, "run"), async(t, t.Context(), p, "run")
			for _, o := range []outcome{<-first, <-second} {
				var e struct {
					Code int
					Data struct{ ErrorCode string }
				}
				if err := json.Unmarshal(o.result.Data, &e); err != nil || e.Code != -32602 || e.Data.ErrorCode != "MISSING_INVOKE_CONTEXT" {
					t.Errorf("got %s, %v", o.result.Data, o.err)
				}
			}
		}},
		{"item 7 words for health", "health", all, nil, func(t *testing.T, p *executa.Process) {
			var got []string
			for range 7 {
				h, err := p.Health(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, h.Status+" "+h.Raw+" "+h.Message)
			}
			want := []string{"ready healthy said", "ready ok said", "ready  said", "error  said", "initializing  said", "unknown busy said", "ready  "}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("Health (-want +got):\n%s", diff)
			}
		}},
		{"item 8 a request in a file", "pointer request", all, nil, func(t *testing.T, p *executa.Process) {
			callTool(t.Context(), p, "run", nil).data(t, `{"value":1,"exists":true,"etag":"e"}`)
		}},
		{"item 9 a long call of the host", "long reverse", all, nil, func(t *testing.T, p *executa.Process) {
			o := callTool(t.Context(), p, "run", nil)
			var got struct {
				Size int `json:"size_bytes"`
			}
			if err := json.Unmarshal(o.result.Data, &got); err != nil || got.Size < 11_185_000 {
				t.Errorf("got %s, %v", o.result.Data, o.err)
			}
		}},
		{"item 10 a request that is too long", "echo", all, nil, func(t *testing.T, p *executa.Process) {
			o := callTool(t.Context(), p, "run", map[string]string{"text": strings.Repeat("x", executa.MaxRequest)})
			if o.sent || !errors.Is(o.err, executa.ErrTooLarge) {
				t.Errorf("got sent %v, %v; want ErrTooLarge", o.sent, o.err)
			}
			works(t, p)
		}},
		{"item 12 replies to nothing", "stray", all, nil, func(t *testing.T, p *executa.Process) {
			callTool(t.Context(), p, "run", nil).data(t, `"answered"`)
			if n := p.Stats().UnknownReplies; n != 4 {
				t.Errorf("UnknownReplies: got %d, want 4", n)
			}
			works(t, p)
		}},
		{"item 12 answers twice", "twice", all, nil, func(t *testing.T, p *executa.Process) {
			callTool(t.Context(), p, "run", nil).data(t, `"first"`)
			works(t, p)
			if n := p.Stats().UnknownReplies; n != 1 {
				t.Errorf("UnknownReplies: got %d, want 1", n)
			}
		}},
		{"item 13 forgets what it works on at the end", "answers late", all, nil, func(t *testing.T, p *executa.Process) {
			o := async(t, t.Context(), p, "run")
			_ = p.Close(t.Context())
			(<-o).data(t, `"answered"`)
		}},
		{"item 14 answers in any order", "answers out of order", "go", nil, works},
		{"item 15 waits for the host at the end", "waits for host", all, func(h *host) {
			h.opts.Drain, h.opts.Grace = -1, forever
			h.opts.Services["storage/get"] = func(ctx context.Context, _ *executa.ReverseCall) (json.RawMessage, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}
		}, func(t *testing.T, p *executa.Process) {
			o := async(t, t.Context(), p, "run")
			for p.Stats().ReverseCalls == 0 {
				runtime.Gosched()
			}
			_ = p.Close(t.Context())
			if o := <-o; o.err != nil {
				t.Errorf("got %v, want the answer to the error", o.err)
			}
		}},
		{"item 16 does not know SIGTERM", "stops reading", all, func(h *host) { h.opts.Grace = 50 * time.Millisecond }, func(t *testing.T, p *executa.Process) {
			_ = p.Close(t.Context())
			if err := p.Err(); !errors.Is(err, executa.ErrClosed) {
				t.Errorf("Err: got %v, want ErrClosed", err)
			}
		}},
		{"item 18 writes much to standard error", "floods stderr", all, nil, func(t *testing.T, p *executa.Process) {
			for range 3 {
				callTool(t.Context(), p, "run", nil).data(t, `"answered"`)
			}
			_ = p.Close(t.Context()) // ends the line
			if n := len(p.Stderr()); n == 0 || n > 1<<20 {
				t.Errorf("%d bytes of standard error are kept", n)
			}
		}},
		{"item 20 another key, another answer", "bare", "go python", func(h *host) { h.spec.CompatName, h.spec.LenientResult = true, true }, func(t *testing.T, p *executa.Process) {
			callTool(t.Context(), p, "run", nil).data(t, `{"value":"run"}`)
		}},
		{"item 20 an answer without success", "bare", "go python", nil, func(t *testing.T, p *executa.Process) {
			o := callTool(t.Context(), p, "run", nil)
			if o.err != nil || !o.result.IsError || !strings.Contains(o.result.Text, `"success"`) || !strings.Contains(o.result.Text, `"value"`) {
				t.Errorf("got %v, %s; want a failure that names the key and shows the answer", o.err, o.result.Text)
			}
		}},
		{"item 21 silent on initialize", "ignores initialize", "go", func(h *host) { h.opts.ColdStart = 600 * time.Millisecond }, func(t *testing.T, p *executa.Process) {
			if p.Protocol() != "1.1" {
				t.Errorf("Protocol: got %s, want 1.1", p.Protocol())
			}
			works(t, p)
		}},
		{"null as the data of an error", "null data", all, nil, func(t *testing.T, p *executa.Process) {
			o := callTool(t.Context(), p, "run", nil)
			if got, want := string(o.result.Data), `{"code":-32000,"message":"no"}`; o.err != nil || !o.result.IsError || got != want {
				t.Errorf("got %v, %s; want a failure with %s", o.err, got, want)
			}
		}},
		{"neither result nor error", "neither", "go", nil, notAnAnswer},
		{"a list as the result", "list result", "go", nil, notAnAnswer},
		{"pitfall 1 one answer only", "one shot", all, nil, answersOnce},
		{"pitfall 3 noise", "noise", all, nil, func(t *testing.T, p *executa.Process) {
			callTool(t.Context(), p, "run", nil).data(t, `"answered"`)
			if n := p.Stats().Noise; n < 3 {
				t.Errorf("Noise: got %d, want at least 3 lines", n)
			}
			works(t, p)
		}},
		{"calls of the host that are refused", "refused", "go python", nil, func(t *testing.T, p *executa.Process) {
			callTool(t.Context(), p, "run", nil).data(t, `[[-32601,"METHOD_NOT_FOUND"],[-32602,"UNKNOWN_INVOKE_CONTEXT"]]`)
		}},
		{"pitfall 13 progress", "progress", "go python", nil, func(t *testing.T, p *executa.Process) {
			var got []string
			ctx := executa.WithProgress(t.Context(), func(e executa.Progress) { got = append(got, e.Type+" "+string(e.Data)) })
			callTool(ctx, p, "run", nil).data(t, `"answered"`)
			n := len(got)
			works(t, p)
			if len(got) != n {
				t.Errorf("progress after the end of the call: %q", got)
			}
			if diff := cmp.Diff([]string{`progress "first"`, `progress "second"`}, got[:2]); diff != "" {
				t.Errorf("progress (-want +got):\n%s", diff)
			}
			// What Python writes right behind the answer is read before the
			// call ends, or dropped.
			if dropped := p.Stats().DroppedProgress; dropped != 3 && dropped != 4 {
				t.Errorf("DroppedProgress: got %d, want 3 or 4", dropped)
			}
		}},
		{"a line end inside a text", "readline", "node", nil, func(t *testing.T, p *executa.Process) {
			callTool(t.Context(), p, "run", json.RawMessage("{\"text\":\"a\u2028b\u2029c\"}")).data(t, "5")
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, language := range languages(tt.in) {
				t.Run(language, func(t *testing.T) {
					unixOnly(t, tt.name)
					h := newHost(t, specOf(t, language, tt.role))
					if tt.setup != nil {
						tt.setup(h)
					}
					tt.check(t, h.start(t))
				})
			}
		})
	}
}

// unixOnly skips what needs programs of Unix.
func unixOnly(t *testing.T, name string) {
	t.Helper()
	if runtime.GOOS == "windows" && strings.Contains(name, "B14") {
		t.Skip("runs sh, sleep and setsid")
	}
}

// ended returns a context that has ended.
func ended(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

func answersOnce(t *testing.T, p *executa.Process) {
	t.Helper()
	callTool(t.Context(), p, "run", nil).data(t, `"answered"`)
	<-p.Done()
	if e, ok := errors.AsType[*executa.ExitError](p.Err()); !ok || e.Status != "exit status 0" {
		t.Errorf("Err: got %v, want an ExitError with the status 0", p.Err())
	}
	if o := callTool(t.Context(), p, "ok", nil); o.sent || o.err == nil {
		t.Errorf("a new call: got sent %v, %v; want it to fail", o.sent, o.err)
	}
}

func notAnAnswer(t *testing.T, p *executa.Process) {
	t.Helper()
	o := callTool(t.Context(), p, "run", nil)
	o.lost(t)
	if _, ok := errors.AsType[*executa.ProtocolError](o.err); !ok {
		t.Errorf("got %v, want a ProtocolError", o.err)
	}
	works(t, p)
}

// TestBadStart runs plugins that do not come up.
func TestBadStart(t *testing.T) {
	tests := []struct {
		name, role, in string
		setup          func(*host)
		stage, want    string // a part of the error
	}{
		{"B38 exits at once", "exits at once", "go python node", nil, "initialize", "what is this argument?"},
		{"pitfall 5 a manifest inside another object", "wrapped", "go python node", nil, "describe", "manifest"},
		{"a manifest that is a list", "list of tools", "go", nil, "describe", ""},
		{"item 1 neither name nor id", "no name", "go python node", func(h *host) { h.spec.ID = "" }, "describe", "id"},
		{"a program that is not there", "", "go", func(h *host) { h.spec.Command = []string{"no-such-program"} }, "launch", "no-such-program"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, language := range languages(tt.in) {
				t.Run(language, func(t *testing.T) {
					h := newHost(t, specOf(t, language, tt.role))
					if tt.setup != nil {
						tt.setup(h)
					}
					p, err := executa.Start(t.Context(), h.spec, &h.opts)
					if err == nil {
						_ = p.Close(t.Context())
					}
					e, ok := errors.AsType[*executa.StartError](err)
					if !ok || e.Stage != tt.stage || !strings.Contains(err.Error(), tt.want) {
						t.Errorf("got %v, want a StartError of %s with %q", err, tt.stage, tt.want)
					}
				})
			}
		})
	}
	t.Run("B14 the launcher does not wait", func(t *testing.T) {
		unixOnly(t, "B14")
		h := newHost(t, specOf(t, "go", "echo"))
		h.spec.Command = append([]string{"sh", "-c", `exec 3<&0; "$0" "$@" <&3 &`}, h.spec.Command...)
		h.opts.Grace = 20 * time.Millisecond
		p, err := executa.Start(t.Context(), h.spec, &h.opts)
		if err == nil { // the plugin was faster than the end of its launcher
			<-p.Done()
			err = p.Err()
		}
		if !strings.Contains(fmt.Sprint(err), "ended") {
			t.Errorf("got %v, want that it ended", err)
		}
	})
	t.Run("the caller gives up", func(t *testing.T) {
		h := newHost(t, specOf(t, "go", "answers nothing"))
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if _, err := executa.Start(ctx, h.spec, &h.opts); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the error of the context", err)
		}
	})
	t.Run("item 21 answers nothing", func(t *testing.T) {
		if testing.Short() {
			t.Skip("takes as long as describe may")
		}
		h := newHost(t, specOf(t, "go", "answers nothing"))
		h.opts.ColdStart = 100 * time.Millisecond
		_, err := executa.Start(t.Context(), h.spec, &h.opts)
		if e, ok := errors.AsType[*executa.TimeoutError](err); !ok || e.Method != "describe" {
			t.Errorf("got %v, want a TimeoutError of describe", err)
		}
	})
}

// TestBadFile runs a plugin that answers by a file that must not be taken.
func TestBadFile(t *testing.T) {
	for _, language := range languages("go python node") {
		t.Run(language, func(t *testing.T) {
			h := newHost(t, specOf(t, language, "points outside"))
			p := h.start(t)
			secret := filepath.Join(t.TempDir(), "executa-resp-secret.json")
			if err := os.WriteFile(secret, []byte(answered(json.RawMessage("2"), `"secret"`)), 0o600); err != nil {
				t.Fatal(err)
			}
			o := callTool(t.Context(), p, "run", map[string]string{"file": secret})
			o.lost(t)
			if _, err := os.Stat(secret); err != nil {
				t.Errorf("the file of somebody else: %v", err)
			}
			works(t, p)
		})
	}
	h := newHost(t, specOf(t, "go", "points"))
	h.opts.MaxFile = 1000
	var dir string
	h.opts.Trace = func(_ string, _ bool, line []byte) {
		var m struct {
			File string `json:"__file_transport"`
		}
		if json.Unmarshal(line, &m); filepath.IsAbs(m.File) {
			dir = filepath.Dir(m.File)
		}
	}
	p := h.start(t)
	outside := filepath.Join(t.TempDir(), "file")
	for _, how := range []string{"missing", "folder", "relative", "dots", "other id", "nested", "not JSON", "too large", "link", ""} {
		t.Run("points to "+how, func(t *testing.T) {
			if err := os.WriteFile(outside, []byte("{}"), 0o600); err != nil {
				t.Fatal(err)
			}
			o := callTool(t.Context(), p, "run", map[string]any{"text": how, "file": outside, "n": 1000})
			if how == "" {
				o.data(t, `"from a file"`)
				if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
					t.Errorf("the file is still there: %v, %v", files, err)
				}
				return
			}
			o.lost(t)
			if _, ok := errors.AsType[*executa.ProtocolError](o.err); !ok {
				t.Errorf("got %v, want a ProtocolError", o.err)
			}
			if _, err := os.Stat(outside); err != nil {
				t.Errorf("the file of somebody else: %v", err)
			}
			works(t, p)
		})
	}
}

// TestSecrets runs plugins that tell the credential that they were given. None of
// it reaches the log, the trace, an error, a result or what is kept of standard
// error.
func TestSecrets(t *testing.T) {
	var forms []string
	for _, secret := range []string{token, "s3cr3t"} {
		quoted, _ := json.Marshal(secret)
		forms = append(forms, secret, strings.Trim(string(quoted), `"`))
	}
	for _, language := range languages("go python node") {
		t.Run("item 19 "+language, func(t *testing.T) {
			h := newHost(t, specOf(t, language, "tells"))
			var trace buffer
			h.opts.Trace = func(_ string, _ bool, line []byte) { _, _ = trace.Write(append(line, '\n')) }
			p := h.start(t)
			seen := map[string]string{}
			for _, how := range []string{"data", "error", "rpc"} {
				o := callTool(t.Context(), p, "run", map[string]string{"text": how})
				if o.err != nil || o.result.IsError != (how != "data") {
					t.Errorf("%s: got %v, %+v", how, o.err, o.result)
				}
				if how != "error" && !json.Valid(o.result.Data) {
					t.Errorf("%s: the data is not JSON any more: %s", how, o.result.Data)
				}
				seen["result "+how] = o.result.Text + string(o.result.Data) + o.result.ModelText()
			}
			_ = p.Close(t.Context())
			seen["log"], seen["trace"], seen["standard error"] = h.log.String(), trace.String(), p.Stderr()
			for where, text := range seen {
				if text == "" {
					t.Errorf("%s: there is nothing", where)
				}
				for _, secret := range forms {
					if strings.Contains(text, secret) {
						t.Errorf("%s: the credential is in %q", where, text)
					}
				}
			}
		})
	}
}

// TestEnvironment looks at what a plugin sees of the environment of the host.
func TestEnvironment(t *testing.T) {
	for _, language := range languages("go python node") {
		for _, inherit := range []bool{false, true} {
			t.Run(fmt.Sprint("B43 ", language, " inherit ", inherit), func(t *testing.T) {
				h := newHost(t, specOf(t, language, "environment"))
				h.spec.InheritEnv = inherit
				h.spec.Env = append(h.spec.Env, "OF_SPEC=yes")
				h.opts.Environ = append(slices.Clip(h.opts.Environ), "AWS_SECRET=sesame", "GITHUB_ACCESS_TOKEN=sesame", "LC_TIME=C", "LD_PRELOAD=/none", "TMPDIR=/none")
				p := h.start(t)
				o := callTool(t.Context(), p, "run", nil)
				var env map[string]string
				if err := json.Unmarshal(o.result.Data, &env); err != nil {
					t.Fatal(err, o.err, o.result.Text)
				}
				if got := env["AWS_SECRET"] != "" || env["GITHUB_ACCESS_TOKEN"] != ""; got != inherit {
					t.Errorf("a secret of the host is visible: %v", got)
				}
				if env["OF_SPEC"] != "yes" || env["LC_TIME"] != "C" || env["PATH"] == "" || env["LD_PRELOAD"] != "" {
					t.Errorf("got %v", env)
				}
				if dir := env["TMPDIR"]; !strings.HasPrefix(dir, h.opts.TempDir) || dir == h.opts.TempDir {
					t.Errorf("TMPDIR: got %q, want a folder of its own in %q", dir, h.opts.TempDir)
				} else if info, err := os.Stat(dir); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
					t.Errorf("TMPDIR: %v, %v", info.Mode(), err)
				}
				_ = p.Close(t.Context())
				if _, err := os.Stat(env["TMPDIR"]); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("TMPDIR after the end: %v, want that it is gone", err)
				}
			})
		}
	}
}
