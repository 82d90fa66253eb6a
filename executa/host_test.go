package executa_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"

	"github.com/matrix-nexus/skillkit/executa"
	"github.com/matrix-nexus/skillkit/executa/executatest"
	"github.com/matrix-nexus/skillkit/internal/leak"
	"github.com/matrix-nexus/skillkit/internal/openaitest"
	"github.com/matrix-nexus/skillkit/registry"
)

// A hostTest is a host of real processes.
type hostTest struct {
	*executa.Host
	t   *testing.T
	reg *registry.Registry
	dir string // for files

	mu     sync.Mutex // protects what follows
	events []executa.EventKind
}

func newHostTest(t *testing.T, opts executa.Options) *hostTest {
	t.Helper()
	leak.Check(t)
	return newHostIn(t, registry.New(nil), opts)
}

func newHostIn(t *testing.T, reg *registry.Registry, opts executa.Options) *hostTest {
	h := &hostTest{t: t, dir: t.TempDir(), reg: reg}
	opts.Environ = []string{"PATH=" + os.Getenv("PATH")}
	opts.TempDir = t.TempDir()
	opts.OnEvent = func(e executa.Event) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.events = append(h.events, e.Kind)
	}
	h.Host = executa.NewHost(h.reg, &opts)
	executa.SetBackoff(h.Host, time.Millisecond)
	t.Cleanup(func() {
		if err := h.Close(context.Background()); err != nil {
			t.Errorf("Close: %v", err)
		}
		left, err := os.ReadDir(opts.TempDir)
		if err != nil || len(left) > 0 {
			t.Errorf("folders that are left: %v, %v", left, err)
		}
	})
	return h
}

func (h *hostTest) spec(program, generation string) executa.Spec {
	spec := executatest.Spec(program)
	spec.Env = append(spec.Env, leak.Env(h.t), "GENERATION="+generation)
	return spec
}

func (h *hostTest) register(program string) *executa.Plugin {
	h.t.Helper()
	p, err := h.Register(h.t.Context(), h.spec(program, "1"))
	if err != nil {
		h.t.Fatal(err)
	}
	return p
}

func (h *hostTest) file(name string) string { return filepath.Join(h.dir, name) }

func (h *hostTest) tool(name string) *registry.Tool {
	h.t.Helper()
	tool, err := h.reg.Lookup(name)
	if err != nil {
		h.t.Fatal(err)
	}
	return tool
}

func call(id string, args workerArgs) registry.Call {
	arguments, _ := json.Marshal(map[string]string{"text": args.Text, "file": args.File, "then": args.Then})
	return registry.Call{ID: id, Arguments: arguments}
}

// invoke makes a call and checks its outcome: a text that it is to contain if it
// is to succeed, or the status of the error.
func (h *hostTest) invoke(tool *registry.Tool, c registry.Call, want string, status registry.Status) error {
	h.t.Helper()
	result, err := tool.Invoke(h.t.Context(), c)
	e, _ := errors.AsType[*registry.CallError](err)
	switch {
	case status == "" && (err != nil || result.IsError || !strings.Contains(result.ModelText(), want)):
		h.t.Errorf("got %+v, %v; want %q", result, err, want)
	case status != "" && (e == nil || e.Status != status):
		h.t.Errorf("got %+v, %v; want %s", result, err, status)
	}
	return err
}

// lines returns those of a file, of which there may be none.
func (h *hostTest) lines(name string) []string {
	h.t.Helper()
	text, err := os.ReadFile(h.file(name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		h.t.Fatal(err)
	}
	return strings.Fields(string(text))
}

// wait waits until a file is there and returns the numbers in it.
func (h *hostTest) wait(name string) []int {
	h.t.Helper()
	for {
		text, err := os.ReadFile(h.file(name))
		if err != nil {
			if h.t.Context().Err() != nil {
				h.t.Fatal(err)
			}
			time.Sleep(time.Millisecond)
			continue
		}
		var list []int
		for _, field := range strings.Fields(string(text)) {
			n, _ := strconv.Atoi(field)
			list = append(list, n)
		}
		return list
	}
}

// alive reports whether a process is there that has not ended; false where that
// cannot be seen.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z")
}

// TestUncertain is N1, items 1 to 5: what a call comes to that has no answer.
func TestUncertain(t *testing.T) {
	h := newHostTest(t, executa.Options{Grace: 50 * time.Millisecond})
	p := h.register("worker")
	appendTool, echo, stop := h.tool("worker_append"), h.tool("worker_echo"), h.tool("worker_stop")

	for _, how := range []string{"die", "half a line", "wrong id", "no JSON"} {
		t.Run(how, func(t *testing.T) {
			c := call(how, workerArgs{Text: "x", File: h.file(how), Then: how})
			err := h.invoke(appendTool, c, "", registry.Uncertain)
			if e, ok := errors.AsType[*executa.ExitError](err); !ok || e.Status == "" {
				t.Errorf("got %v, want an ExitError", err)
			}
			for range 3 { // restarts
				if err := p.Start(t.Context()); err != nil {
					t.Fatal(err)
				}
				h.invoke(echo, call("", workerArgs{Text: "after"}), "after1", "")
				h.invoke(appendTool, c, "", registry.Uncertain)
				h.invoke(appendTool, call("new", workerArgs{Text: "new", File: h.file("new")}), "", "")
				if err := p.Stop(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if got := h.lines(how); len(got) != 1 {
				t.Errorf("the file holds %q", got)
			}
		})
	}
	if got := h.lines("new"); len(got) != 1 {
		t.Errorf("the other file holds %q", got)
	}

	t.Run("not started", func(t *testing.T) {
		file := h.file("none")
		err := h.invoke(appendTool, registry.Call{Arguments: json.RawMessage(`{"file": 1}`)}, "", registry.NotStarted)
		if _, ok := errors.AsType[*registry.InvalidInput](err); !ok {
			t.Errorf("got %v", err)
		}
		h.invoke(appendTool, call("", workerArgs{File: file, Text: strings.Repeat("x", executa.MaxRequest)}), "", registry.NotStarted)
		if got := h.lines("none"); len(got) > 0 {
			t.Errorf("the file holds %q", got)
		}
	})

	t.Run("timeout", func(t *testing.T) {
		if err := p.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		pid := p.Status().PID
		err := h.invoke(stop, registry.Call{}, "", registry.Uncertain)
		if e, ok := errors.AsType[*executa.TimeoutError](err); !ok || e.After != time.Second {
			t.Errorf("got %v", err)
		}
		h.invoke(echo, call("", workerArgs{Text: "after"}), "after1", "") // by the next process
		if now := p.Status(); alive(pid) || now.PID == pid {
			t.Errorf("the process still runs: %+v", now)
		}
	})

	t.Run("before it was read", func(t *testing.T) {
		if runtime.GOOS != "linux" {
			t.Skip("stops a process by its signal")
		}
		pid := p.Status().PID
		signal := func(name string) {
			if out, err := exec.Command("kill", "-"+name, strconv.Itoa(pid)).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		}
		signal("STOP")
		awaitStopped(t, pid)
		got := make(chan error)
		go func() {
			_, err := appendTool.Invoke(t.Context(), call("", workerArgs{Text: "x", File: h.file("unread")}))
			got <- err
		}()
		for p.Status().Running == 0 {
			time.Sleep(time.Millisecond)
		}
		awaitUnread(t, pid)
		signal("KILL")
		if e, ok := errors.AsType[*registry.CallError](<-got); !ok || e.Status != registry.Uncertain {
			t.Errorf("got %v", e)
		}
		if err := p.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := h.lines("unread"); len(got) > 0 {
			t.Errorf("the file holds %q", got)
		}
	})
}

// awaitStopped waits until all threads of a process have stopped: one that has not
// yet may read what comes. Linux only.
func awaitStopped(t *testing.T, pid int) {
	t.Helper()
	await(t, "the process goes on", func() bool {
		files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		if err != nil || len(files) == 0 {
			t.Fatalf("%v, threads %v", err, files)
		}
		return !slices.ContainsFunc(files, func(file string) bool {
			stat, err := os.ReadFile(file)
			return err == nil && !strings.Contains(string(stat), ") T ")
		})
	})
}

// await waits until ok.
func await(t *testing.T, failure string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(failure)
		}
	}
}

// awaitUnread waits until the standard input of a process holds what it has not
// read. Linux only.
func awaitUnread(t *testing.T, pid int) {
	t.Helper()
	pipe, err := os.Open(fmt.Sprintf("/proc/%d/fd/0", pid))
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	await(t, "nothing was written", func() bool { return unread(t, pipe) > 0 })
}

// TestJournalKilled is N1, item 6: the host is killed while a call runs.
func TestJournalKilled(t *testing.T) {
	leak.Check(t)
	dir := t.TempDir()
	spec := executatest.Spec("tiny-host")
	cmd := exec.Command(spec.Command[0], spec.Command[1:]...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.Env = append(spec.Env, leak.Env(t), "PATH="+os.Getenv("PATH"))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if err != nil || line != "ready\n" {
		t.Fatalf("got %q, %v", line, err)
	}

	for life := range 3 {
		t.Run(fmt.Sprintf("life %d", life), func(t *testing.T) {
			journal, err := executa.OpenJournal(filepath.Join(dir, "journal"))
			if err != nil {
				t.Fatal(err)
			}
			defer journal.Close()
			var uncertain []string
			for _, e := range journal.Uncertain() {
				uncertain = append(uncertain, e.Plugin+" "+e.Tool+" "+e.CallID)
			}
			if diff := cmp.Diff([]string{"worker append killed"}, uncertain); diff != "" {
				t.Errorf("uncertain (-want +got):\n%s", diff)
			}
			h := newHostTest(t, executa.Options{Journal: journal})
			h.register("worker")
			h.dir = dir
			for id, then := range map[string]string{"done": "", "killed": "wait"} {
				c := call(id, workerArgs{File: filepath.Join(dir, id), Text: id, Then: then})
				err := h.invoke(h.tool("worker_append"), c, "", registry.Uncertain)
				if e, ok := errors.AsType[*executa.RepeatError](err); !ok || e.Done != (id == "done") || !strings.Contains(err.Error(), "do not repeat") {
					t.Errorf("%s got %v", id, err)
				}
				err = h.invoke(h.tool("worker_append"), call(id, workerArgs{File: filepath.Join(dir, id), Text: "other"}), "", registry.NotStarted)
				if !errors.Is(err, registry.ErrCallIDReused) {
					t.Errorf("%s with other arguments got %v", id, err)
				}
				if got := h.lines(id); len(got) != 1 || got[0] != id {
					t.Errorf("the file of %s holds %q", id, got)
				}
			}
			new := fmt.Sprintf("new%d", life)
			h.invoke(h.tool("worker_append"), call(new, workerArgs{File: filepath.Join(dir, new), Text: new}), "", "")
			if got := h.lines(new); len(got) != 1 {
				t.Errorf("the file of a new call holds %q", got)
			}
			t.Cleanup(func() { _ = h.Close(context.Background()) }) // before the journal
		})
	}
}

// TestGenerations is M1, item 1.
func TestGenerations(t *testing.T) {
	h := newHostTest(t, executa.Options{Grace: 50 * time.Millisecond, Drain: time.Hour})
	first := h.register("worker")
	pinned := h.tool("worker_echo")
	blocked := make(chan error)
	go func() {
		_, err := h.tool("worker_block").Invoke(t.Context(), call("", workerArgs{File: h.file("pids")}))
		blocked <- err
	}()
	pids := h.wait("pids")

	second, err := first.Replace(t.Context(), h.spec("worker", "2"))
	if err != nil {
		t.Fatal(err)
	}
	if h.Plugin("worker") != second || len(h.Plugins()) != 1 || h.Plugins()[0] != second {
		t.Error("the second generation is not the newest")
	}
	if _, err := first.Replace(t.Context(), h.spec("worker", "3")); !errors.Is(err, registry.ErrReplaced) {
		t.Errorf("replacing the first again got %v", err)
	}
	h.invoke(pinned, call("", workerArgs{Text: "pinned"}), "pinned1", "")
	h.invoke(h.tool("worker_echo"), call("", workerArgs{Text: "new"}), "new2", "")

	if err := first.Retire(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-blocked; !errors.Is(err, registry.ErrRetired) {
		t.Errorf("the call that ran got %v", err)
	} else if e, _ := errors.AsType[*registry.CallError](err); !e.MayHaveRun {
		t.Errorf("the call that ran got %+v", e)
	}
	for _, pid := range pids {
		if alive(pid) {
			t.Errorf("process %d of %v is alive", pid, pids)
		}
	}
	if err := h.invoke(pinned, call("", workerArgs{}), "", registry.NotStarted); !errors.Is(err, registry.ErrRetired) {
		t.Errorf("a call of the retired one got %v", err)
	}
	if got := first.Status(); got.State != executa.StateRetired || h.Plugin("worker") != second {
		t.Errorf("got %+v", got)
	}
	if err := first.Start(t.Context()); !errors.Is(err, executa.ErrClosed) {
		t.Errorf("Start of the retired one got %v", err)
	}
	h.invoke(h.tool("worker_echo"), call("", workerArgs{Text: "still"}), "still2", "")
}

// TestDeaf is M1, item 2: a plugin that nothing but SIGKILL ends.
func TestDeaf(t *testing.T) {
	h := newHostTest(t, executa.Options{})
	deaf := h.register("deaf")
	h.register("worker")
	blocked := make(chan error)
	go func() {
		_, err := h.tool("deaf_stop").Invoke(t.Context(), registry.Call{})
		blocked <- err
	}()
	for deaf.Status().Running == 0 {
		time.Sleep(time.Millisecond)
	}
	pid := deaf.Status().PID
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	retired := make(chan error)
	go func() { retired <- deaf.Retire(ctx) }()
	for retiring := true; retiring; {
		select {
		case err := <-retired:
			if err != nil {
				t.Error(err)
			}
			retiring = false
		default:
			h.invoke(h.tool("worker_echo"), call("", workerArgs{Text: "meanwhile"}), "meanwhile1", "")
		}
	}
	if alive(pid) {
		t.Error("it is alive")
	}
	if err := <-blocked; !errors.Is(err, registry.ErrRetired) {
		t.Errorf("the call got %v", err)
	}
}

// TestLateSuccess is M1, item 3.
func TestLateSuccess(t *testing.T) {
	h := newHostTest(t, executa.Options{})
	p := h.register("worker2") // which works on one call at a time
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		h.wait("began")
		cancel()
	}()
	_, err := h.tool("worker2_late").Invoke(ctx, call("", workerArgs{File: h.file("began"), Then: h.file("go")}))
	if e, ok := errors.AsType[*registry.CallError](err); !ok || e.Status != registry.Cancelled || !e.MayHaveRun || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}

	// The plugin still works on it, so that the next call waits.
	next := make(chan error)
	go func() {
		_, err := h.tool("worker2_echo").Invoke(t.Context(), call("", workerArgs{}))
		next <- err
	}()
	for p.Status().Waiting == 0 {
		time.Sleep(time.Millisecond)
	}
	if got := p.Status(); got.Running != 1 {
		t.Errorf("got %+v", got)
	}
	if err := os.WriteFile(h.file("go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := <-next; err != nil {
		t.Error(err)
	}
	if got := p.Status(); got.Starts != 1 || got.Running != 0 {
		t.Errorf("got %+v", got)
	}
}

// TestBrokenGeneration is M1, item 4.
func TestBrokenGeneration(t *testing.T) {
	h := newHostTest(t, executa.Options{})
	first := h.register("worker")
	broken := map[string]executa.Spec{
		"describe": h.spec("mute", "2"),
		"launch":   {Command: []string{filepath.Join(h.dir, "none")}},
		"other id": {ID: "other", Command: []string{"true"}},
	}
	for name, spec := range broken {
		if name != "other id" {
			spec.ID = ""
		}
		_, err := first.Replace(t.Context(), spec)
		if e, ok := errors.AsType[*executa.StartError](err); err == nil || name != "other id" && (!ok || e.Stage != name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if h.Plugin("worker") != first || h.tool("worker_echo").Generation() != 1 {
		t.Error("the first generation is not the newest any more")
	}
	h.invoke(h.tool("worker_echo"), call("", workerArgs{Text: "still"}), "still1", "")
	if got := first.Status(); got.Starts != 1 || got.State != executa.StateRunning {
		t.Errorf("got %+v", got)
	}
}

// TestScopes is M1, item 5: hosts of two registries below one.
func TestScopes(t *testing.T) {
	leak.Check(t)
	root := registry.New(nil)
	a, b := root.Child("a"), root.Child("b")
	ha, hb := newHostIn(t, a, executa.Options{Grace: 50 * time.Millisecond}), newHostIn(t, b, executa.Options{})
	pa := ha.register("worker")
	hb.register("worker") // the same id and names
	for _, reg := range []*registry.Registry{root, a, b} {
		want := 5
		if reg == root {
			want = 0
		}
		if got := len(reg.Tools()); got != want {
			t.Errorf("there are %d tools, want %d", got, want)
		}
	}
	stolen, pid := ha.tool("worker_echo"), pa.Status().PID
	ha.invoke(stolen, call("", workerArgs{Text: "a"}), "a1", "")
	if err := a.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if alive(pid) || pa.Status().State != executa.StateRetired || ha.Plugin("worker") != nil {
		t.Errorf("the plugin has outlived its registry: %+v", pa.Status())
	}
	if err := ha.invoke(stolen, call("", workerArgs{}), "", registry.NotStarted); !errors.Is(err, registry.ErrRetired) {
		t.Errorf("got %v", err)
	}
	hb.invoke(hb.tool("worker_echo"), call("", workerArgs{Text: "b"}), "b1", "")
}

// TestHostile is M1, item 6.
func TestHostile(t *testing.T) {
	h := newHostTest(t, executa.Options{})
	p := h.register("hostile")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 3 {
		h.invoke(h.tool("hostile_echo"), call("", workerArgs{}), "the first", "")
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 8<<20 {
		t.Errorf("%d bytes more are held", grown)
	}
	if got := p.Status(); got.Stats.Noise < 20 || got.Stats.UnknownReplies < 20 || got.Starts != 1 {
		t.Errorf("got %+v", got)
	}
}

// TestOnce is pitfall 1 with a real process.
func TestOnce(t *testing.T) {
	h := newHostTest(t, executa.Options{})
	p := h.register("once")
	for p.Status().State != executa.StateFailed {
		_, err := h.tool("once_echo").Invoke(t.Context(), call("", workerArgs{}))
		if e, ok := errors.AsType[*registry.CallError](err); ok && e.Status != registry.NotStarted && e.Status != registry.Uncertain {
			t.Fatal(err)
		}
	}
	if got := p.Status(); !strings.Contains(got.Reason, "pitfall 1") || got.Starts != 4 {
		t.Errorf("got %+v", got)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if got := h.events[len(h.events)-1]; got != executa.EventFailed {
		t.Errorf("events are %v", h.events)
	}
}

// TestLazyStart registers from a manifest beside executa.json.
func TestLazyStart(t *testing.T) {
	h := newHostTest(t, executa.Options{})
	program := executatest.Spec("worker")
	command, err := json.Marshal(program.Command)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"executa.json":  fmt.Sprintf(`{"tool_id": "lazy", "command": %s}`, command),
		"manifest.json": string(workerManifest),
	} {
		if err := os.WriteFile(h.file(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	spec := executa.Spec{Dir: h.dir, Env: append(program.Env, leak.Env(t), "GENERATION=1")}
	p, err := h.Register(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Status(); got.Starts != 0 || got.State != executa.StateStopped || len(p.Tools()) != 5 || p.ID() != "lazy" {
		t.Errorf("got %+v, %d tools of %q", got, len(p.Tools()), p.ID())
	}
	if _, err := h.Register(t.Context(), spec); err == nil || !strings.Contains(err.Error(), "Spec.ID") {
		t.Errorf("a second one got %v", err)
	}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() { h.invoke(h.tool("lazy_echo"), call("", workerArgs{Text: "x"}), "x1", "") })
	}
	wg.Wait()
	if got := p.Status(); got.Starts != 1 || got.State != executa.StateRunning {
		t.Errorf("got %+v", got)
	}
	if health, err := p.Health(t.Context()); err != nil || health.Status != "ready" {
		t.Errorf("got %+v, %v", health, err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if diff := cmp.Diff([]executa.EventKind{executa.EventStarted}, h.events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestHostClose(t *testing.T) {
	h := newHostTest(t, executa.Options{})
	var pids []int
	for _, program := range []string{"worker", "worker2", "deaf"} {
		pids = append(pids, h.register(program).Status().PID)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	for range 2 {
		if err := h.Close(ctx); err != nil {
			t.Error(err)
		}
	}
	for _, pid := range pids {
		if alive(pid) {
			t.Errorf("process %d is alive", pid)
		}
	}
	if _, err := h.Register(t.Context(), h.spec("worker", "1")); !errors.Is(err, executa.ErrClosed) {
		t.Errorf("got %v", err)
	}
	if len(h.Plugins()) > 0 || len(h.reg.Tools()) > 0 {
		t.Errorf("left are %v and %v", h.Plugins(), h.reg.Tools())
	}
}

// TestCloseWhileRegistering races the two.
func TestCloseWhileRegistering(t *testing.T) {
	for range 10 {
		h := newHostTest(t, executa.Options{})
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := h.Register(t.Context(), h.spec("worker", "1")); err != nil && !errors.Is(err, executa.ErrClosed) {
				t.Error(err)
			}
		})
		if err := h.Close(t.Context()); err != nil {
			t.Error(err)
		}
		wg.Wait()
		if len(h.Plugins()) > 0 || len(h.reg.Tools()) > 0 {
			t.Errorf("left are %v and %v", h.Plugins(), h.reg.Tools())
		}
	}
}

// TestAgent has an agent of langchaingo call a plugin.
func TestAgent(t *testing.T) {
	h := newHostTest(t, executa.Options{})
	p := h.register("worker")
	last := func(want, say string) openaitest.Turn {
		return func(r *openaitest.Request) openaitest.Reply {
			if !strings.Contains(r.Last(), want) {
				t.Errorf("the model reads\n%s\nwant %q in it", r.Last(), want)
			}
			return openaitest.Reply{Text: say}
		}
	}
	server := openaitest.Start(t,
		last(`- worker_echo: The tool echo. Input: a JSON object with "file" (string, optional)`,
			"Thought: I try.\nAction: worker_echo\nAction Input: {\"text\": \"Oslo\"}\n"),
		last("Observation: Oslo1", "Action: worker_echo\nAction Input: {\"city\": \"Oslo\"}\n"),
		last("arguments do not fit", "Action: worker_append\nAction Input: {\"file\": "+strconv.Quote(h.file("a"))+", \"text\": \"x\", \"then\": \"die\"}\n"),
		last("do not repeat the call", "Thought: I now know the final answer\nFinal Answer: done"),
	)
	executor := agents.NewExecutor(agents.NewOneShotAgent(server.Model(), h.reg.Tools()), agents.WithMaxIterations(10))
	got, err := chains.Run(t.Context(), executor, "Where?")
	if err != nil || got != "done" {
		t.Errorf("got %q, %v", got, err)
	}
	if got := h.lines("a"); len(got) != 1 {
		t.Errorf("the file holds %q", got)
	}
	if err := p.Start(t.Context()); err != nil {
		t.Error(err)
	}
}

// A plugin that cannot be launched is named, whoever launches it.
func TestLaunchError(t *testing.T) {
	spec := executa.Spec{ID: "demo", Command: []string{"no-such-program"}}
	host := executa.NewHost(registry.New(nil), nil)
	_, registered := host.Register(t.Context(), spec)
	_, started := executa.Start(t.Context(), spec, nil)
	_, resolved := executa.CommandLine(spec, nil)
	for what, err := range map[string]error{"Register": registered, "Start": started, "CommandLine": resolved} {
		if e, ok := errors.AsType[*executa.StartError](err); !ok || e.Plugin != "demo" || e.Stage != "launch" {
			t.Errorf("%s: got %v", what, err)
		}
	}
}

func ExampleHost() {
	reg := registry.New(nil)
	host := executa.NewHost(reg, &executa.Options{Environ: os.Environ()})
	defer host.Close(context.Background())
	if _, err := host.Register(context.Background(), executatest.Spec("worker")); err != nil {
		fmt.Println(err)
		return
	}
	for _, tool := range reg.Tools() {
		fmt.Println(tool.Name())
	}
	tool, err := reg.Lookup("worker_echo")
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := tool.Call(context.Background(), `{"text": "hello"}`)
	fmt.Println(answer, err)
	// Output:
	// worker_append
	// worker_block
	// worker_echo
	// worker_late
	// worker_stop
	// hello <nil>
}

func BenchmarkHost(b *testing.B) {
	reg := registry.New(nil)
	host := executa.NewHost(reg, nil)
	defer host.Close(context.Background())
	if _, err := host.Register(b.Context(), executatest.Spec("worker")); err != nil {
		b.Fatal(err)
	}
	tool, err := reg.Lookup("worker_echo")
	if err != nil {
		b.Fatal(err)
	}
	c := call("", workerArgs{Text: "x"})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := tool.Invoke(b.Context(), c); err != nil {
			b.Fatal(err)
		}
	}
}
