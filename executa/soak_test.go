//go:build unix

package executa_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/matrix-nexus/skillkit/executa"
	"github.com/matrix-nexus/skillkit/executa/executatest"
	"github.com/matrix-nexus/skillkit/internal/leak"
	"github.com/matrix-nexus/skillkit/registry"
)

// How a call goes on, and how often of 10,000.
var soakModes = []struct {
	how   string
	often int
}{
	{"answer", 8185}, {"slow", 500}, {"noise", 500}, {"fail", 500}, {"large", 300}, {"die", 10}, {"stall", 5},
}

const soakPython = `
import json, os, random, sys, time
def reply(id, **kw):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": id, **kw}) + "\n")
    sys.stdout.flush()
for line in sys.stdin:
    m = json.loads(line)
    if m["method"] == "describe":
        reply(m["id"], result=json.loads(os.environ["SOAK_MANIFEST"]))
    elif m["method"] == "invoke":
        args = m["params"]["arguments"]
        f = os.open(os.environ["SOAK_FILE"], os.O_APPEND | os.O_CREAT | os.O_WRONLY, 0o600)
        os.write(f, (args["id"] + "\n").encode())
        os.close(f)
        how, data = args["how"], args["id"]
        if how == "slow": time.sleep(random.random() / 20)
        if how == "noise": sys.stdout.write("noise\n" * 100); sys.stderr.write("noise" * 1000)
        if how == "large": data += "x" * random.randrange(500000)
        if how == "die": os.kill(os.getpid(), 9)
        if how == "stall": time.sleep(1000)
        if how == "fail": reply(m["id"], result={"success": False, "error": "it failed"})
        else: reply(m["id"], result={"success": True, "data": data})
    else:
        reply(m["id"], error={"code": -32601, "message": "unknown method"})
`

const soakNode = `
const fs = require("fs"), env = process.env;
const reply = (id, rest) => process.stdout.write(JSON.stringify({jsonrpc: "2.0", id, ...rest}) + "\n");
require("readline").createInterface({input: process.stdin}).on("line", (line) => {
  const m = JSON.parse(line);
  if (m.method === "describe") return reply(m.id, {result: JSON.parse(env.SOAK_MANIFEST)});
  if (m.method !== "invoke") return reply(m.id, {error: {code: -32601, message: "unknown method"}});
  const {id, how} = m.params.arguments;
  fs.appendFileSync(env.SOAK_FILE, id + "\n");
  let data = id, wait = 0;
  if (how === "slow") wait = Math.random() * 50;
  if (how === "noise") { process.stdout.write("noise\n".repeat(100)); process.stderr.write("noise".repeat(1000)); }
  if (how === "large") data += "x".repeat(Math.random() * 500000);
  if (how === "die") process.kill(process.pid, "SIGKILL");
  if (how === "stall") return;
  if (how === "fail") return reply(m.id, {result: {success: false, error: "it failed"}});
  setTimeout(() => reply(m.id, {result: {success: true, data}}), wait);
});
`

// soakCallers is how many goroutines make calls.
const soakCallers = 64

// A soakOutcome is what a call came to.
type soakOutcome struct {
	status     string // "done", "failed", or a registry.Status
	mayHaveRun bool
	recorded   bool // by the journal
}

// A soak is one run.
type soak struct {
	*hostTest
	seed    uint64
	names   []string // of plugins
	specs   map[string]executa.Spec
	effects string // file
	chaos   struct{ kills, pauses, reloads, stops, starts int }

	mu       sync.Mutex // protects what follows
	outcomes map[string]soakOutcome
	slowest  time.Duration
}

// TestSoak has many callers of plugins which are killed, stalled and replaced
// meanwhile, and counts what came of each call. It runs for as long as
// SKILLKIT_SOAK says, such as 2m; SKILLKIT_SOAK_SEED repeats the choices, though
// not the times, of an earlier run.
func TestSoak(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv("SKILLKIT_SOAK"))
	if err != nil {
		t.Skip("set SKILLKIT_SOAK to a duration")
	}
	seed, err := strconv.ParseUint(os.Getenv("SKILLKIT_SOAK_SEED"), 10, 64)
	if err != nil {
		seed = rand.Uint64()
	}
	t.Logf("SKILLKIT_SOAK_SEED=%d", seed)
	leak.Check(t)
	goroutines, heap := runtime.NumGoroutine(), heapSize()

	// In a test of its own, since what it cleans up at its end holds on to the registry
	// with what that recorded.
	t.Run("run", func(t *testing.T) { soakFor(t, length, seed) })

	// What was on its way when the host was closed may take a moment to end, and
	// the timers of calls that were given up hold on to them.
	goroutinesAfter, heapAfter := runtime.NumGoroutine(), heapSize()
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); {
		if goroutinesAfter <= goroutines && heapAfter <= heap+soakHeap {
			break
		}
		time.Sleep(10 * time.Millisecond)
		goroutinesAfter, heapAfter = runtime.NumGoroutine(), heapSize()
	}
	t.Logf("figure: soak: heap %d KiB before, %d KiB after; goroutines %d before, %d after", heap>>10, heapAfter>>10, goroutines, goroutinesAfter)
	if goroutinesAfter > goroutines {
		t.Errorf("%d goroutines before, %d after", goroutines, goroutinesAfter)
	}
	if heapAfter > heap+soakHeap {
		t.Errorf("heap of %d bytes before, of %d after", heap, heapAfter)
	}
}

// soakHeap is by how many bytes the heap may have grown.
const soakHeap = 4 << 20

// heapSize returns how many bytes are in use after what can be freed was.
func heapSize() uint64 {
	var m runtime.MemStats
	for range 3 { // pools are emptied by the second collection
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func soakFor(t *testing.T, length time.Duration, seed uint64) {
	file := filepath.Join(t.TempDir(), "journal")
	journal, err := executa.OpenJournal(file)
	if err != nil {
		t.Fatal(err)
	}
	s := &soak{
		hostTest: newHostIn(t, registry.New(nil), executa.Options{
			Grace: 100 * time.Millisecond, Drain: 200 * time.Millisecond, Idle: 5 * time.Second, Journal: journal,
		}),
		seed: seed, specs: map[string]executa.Spec{}, outcomes: map[string]soakOutcome{},
	}
	s.effects = s.file("effects")
	s.start()

	began := time.Now()
	stop := make(chan struct{})
	var callers, others sync.WaitGroup
	for n := range soakCallers {
		callers.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(n)))
			for i := 0; time.Since(began) < length; i++ {
				s.call(r, n, fmt.Sprintf("c%d.%d", n, i))
			}
		})
	}
	others.Go(func() { s.disturb(rand.New(rand.NewPCG(seed, soakCallers)), stop) })
	others.Go(func() { s.reload(rand.New(rand.NewPCG(seed, soakCallers+1)), stop) })
	callers.Wait()
	close(stop)
	others.Wait()
	took := time.Since(began)

	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if err := s.reg.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if err := journal.Close(); err != nil {
		t.Error(err)
	}
	s.count(took)
	s.compare(file)
}

// start registers the plugins.
func (s *soak) start() {
	add := func(name string, spec executa.Spec) {
		spec.ID = name
		spec.Env = append(spec.Env, leak.Env(s.t), "SOAK_FILE="+s.effects, "SOAK_MANIFEST="+soakManifest)
		s.names = append(s.names, name)
		s.specs[name] = spec
		if _, err := s.Register(s.t.Context(), spec); err != nil {
			s.t.Fatal(err)
		}
	}
	for _, script := range []struct{ program, which, text string }{
		{"python3", "import sys; print(sys.executable)", soakPython},
		{"node", "console.log(process.execPath)", soakNode},
	} {
		// What is on the PATH may be a wrapper, which takes its time.
		flag := map[string]string{"python3": "-c", "node": "-e"}[script.program]
		program, err := exec.Command(script.program, flag, script.which).Output()
		if err != nil {
			s.t.Logf("without a plugin in %s: %v", script.program, err)
			continue
		}
		file := s.file(script.program + ".plugin")
		if err := os.WriteFile(file, []byte(script.text), 0o600); err != nil {
			s.t.Fatal(err)
		}
		add(script.program, executa.Spec{Command: []string{strings.TrimSpace(string(program)), file}})
	}
	for i := len(s.names); i < 8; i++ {
		spec := executatest.Spec("soak" + strconv.Itoa(1+i%2))
		if i > 5 {
			spec.MaxInFlight = 3
		}
		add(fmt.Sprintf("go%d", i), spec)
	}
}

// call makes a call of the caller n, or two with the same id at the same time,
// and notes the outcome.
func (s *soak) call(r *rand.Rand, n int, id string) {
	how, dice := "", r.IntN(10_000)
	for _, mode := range soakModes {
		if dice -= mode.often; dice < 0 {
			how = mode.how
			break
		}
	}
	// Each caller has a plugin that it calls most, or soon all of them would
	// wait for the slowest.
	if r.IntN(8) == 0 {
		n = r.IntN(len(s.names))
	}
	tool, err := s.reg.Lookup(s.names[n%len(s.names)] + "_run")
	if err != nil {
		s.t.Error(err)
		return
	}
	c := registry.Call{Arguments: fmt.Appendf(nil, `{"id":%q,"how":%q}`, id, how)}
	recorded, twice, cancel := r.IntN(5) == 0, false, r.IntN(10) == 0
	if recorded {
		c.ID = id
		twice = r.IntN(5) == 0 && !cancel
	}
	ctx, end := context.WithTimeout(context.Background(), time.Minute)
	if cancel {
		ctx, end = context.WithTimeout(context.Background(), time.Duration(r.IntN(int(60*time.Millisecond))))
	}
	defer end()
	var again sync.WaitGroup
	var other soakOutcome
	if twice {
		again.Go(func() { other = s.outcome(tool.Invoke(ctx, c)) })
	}
	began := time.Now()
	o := s.outcome(tool.Invoke(ctx, c))
	o.recorded = recorded
	took := time.Since(began)
	again.Wait()
	// One that did not start leaves no record: the other may have run.
	notStarted := string(registry.NotStarted)
	if twice && o.status == notStarted {
		o, o.recorded = other, true
	} else if other.recorded = true; twice && other.status != notStarted && other != o {
		s.t.Errorf("call %s came to %+v and %+v", id, o, other)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outcomes[id] = o
	s.slowest = max(s.slowest, took)
}

func (s *soak) outcome(result registry.Result, err error) soakOutcome {
	if err == nil {
		if result.IsError {
			return soakOutcome{status: "failed"}
		}
		return soakOutcome{status: "done"}
	}
	e, ok := errors.AsType[*registry.CallError](err)
	if !ok || errors.Is(err, executa.ErrNested) || errors.Is(err, registry.ErrCallIDReused) {
		s.t.Errorf("got %v", err)
		return soakOutcome{}
	}
	return soakOutcome{status: string(e.Status), mayHaveRun: e.MayHaveRun}
}

// pause waits for a random time and reports whether the run goes on.
func pause(r *rand.Rand, most time.Duration, stop <-chan struct{}) bool {
	select {
	case <-time.After(time.Duration(r.Int64N(int64(most)))):
		return true
	case <-stop:
		return false
	}
}

// disturb kills and stalls processes, and starts plugins again that failed too
// often.
func (s *soak) disturb(r *rand.Rand, stop <-chan struct{}) {
	for pause(r, time.Second, stop) {
		for _, p := range s.Plugins() {
			if p.Status().State == executa.StateFailed {
				s.chaos.starts++
				_ = p.Start(context.Background()) // or the next time
			}
		}
		pid := s.Plugin(s.names[r.IntN(len(s.names))]).Status().PID
		if pid == 0 {
			continue
		}
		process, err := os.FindProcess(pid)
		if err != nil {
			continue
		}
		// It may have ended and its number be that of another by now.
		env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err != nil || !bytes.Contains(env, []byte(leak.Env(s.t))) {
			continue
		}
		if r.IntN(3) > 0 {
			s.chaos.kills++
			_ = process.Kill()
			continue
		}
		s.chaos.pauses++
		if process.Signal(syscall.SIGSTOP) == nil {
			pause(r, 500*time.Millisecond, stop)
			_ = process.Signal(syscall.SIGCONT)
		}
	}
}

// reload replaces and stops plugins.
func (s *soak) reload(r *rand.Rand, stop <-chan struct{}) {
	var retiring sync.WaitGroup
	defer retiring.Wait()
	for pause(r, 2*time.Second, stop) {
		name := s.names[r.IntN(len(s.names))]
		old := s.Plugin(name)
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(r.IntN(int(time.Second))))
		if r.IntN(4) == 0 {
			s.chaos.stops++
			if err := old.Stop(ctx); err != nil {
				s.t.Errorf("stop %s: %v", name, err)
			}
			cancel()
			continue
		}
		if _, err := old.Replace(s.t.Context(), s.specs[name]); err != nil {
			if _, ok := errors.AsType[*executa.StartError](err); !ok {
				s.t.Errorf("replace %s: %v", name, err)
			}
			cancel()
			continue
		}
		s.chaos.reloads++
		retiring.Go(func() {
			defer cancel()
			if err := old.Retire(ctx); err != nil {
				s.t.Errorf("retire %s: %v", name, err)
			}
			if got := old.Status(); got.State != executa.StateRetired || got.Running+got.Waiting > 0 {
				s.t.Errorf("retired %s: %+v", name, got)
			}
		})
	}
}

// count logs the outcomes, which must not all be of one kind.
func (s *soak) count(took time.Duration) {
	kinds := map[string]int{}
	for _, o := range s.outcomes {
		kind := o.status
		if o.mayHaveRun && o.status == string(registry.Cancelled) {
			kind += " but may have run"
		}
		kinds[kind]++
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		s.t.Logf("figure: soak: %d calls %s", kinds[kind], cmp.Or(kind, "?"))
	}
	total := len(s.outcomes)
	s.t.Logf("figure: soak: %d calls of %d plugins in %.1f s, %.0f/s; the slowest took %.1f s; %d kills, %d pauses, %d reloads, %d stops, %d starts by hand",
		total, len(s.names), took.Seconds(), float64(total)/took.Seconds(), s.slowest.Seconds(),
		s.chaos.kills, s.chaos.pauses, s.chaos.reloads, s.chaos.stops, s.chaos.starts)
	if kinds["done"] < total/2 || kinds[string(registry.Uncertain)] == 0 || kinds[string(registry.Cancelled)+" but may have run"] == 0 || kinds["failed"] == 0 {
		s.t.Errorf("the outcomes prove little: %v", kinds)
	}
}

// compare holds the effects and the journal against the outcomes.
func (s *soak) compare(journalFile string) {
	effects := map[string]int{}
	for _, id := range s.lines("effects") {
		effects[id]++
	}
	for id, n := range effects {
		if o, made := s.outcomes[id]; !made || n > 1 || o.status == string(registry.NotStarted) || !o.mayHaveRun && o.status == string(registry.Cancelled) {
			s.t.Errorf("call %s, %+v, had an effect %d times", id, o, n)
		}
	}
	for id, o := range s.outcomes {
		if (o.status == "done" || o.status == "failed") && effects[id] != 1 {
			s.t.Errorf("call %s, %+v, had an effect %d times", id, o, effects[id])
		}
	}

	journal, err := executa.OpenJournal(journalFile)
	if err != nil {
		s.t.Fatal(err)
	}
	defer journal.Close()
	uncertain := map[string]bool{}
	for _, e := range journal.Uncertain() {
		uncertain[e.CallID] = true
		if o := s.outcomes[e.CallID]; !o.mayHaveRun || !o.recorded {
			s.t.Errorf("call %s, %+v, is in the journal without an end", e.CallID, o)
		}
	}
	for id, o := range s.outcomes {
		if o.recorded && o.status == string(registry.Uncertain) && !uncertain[id] && len(uncertain) < executa.MaxUncertain {
			s.t.Errorf("call %s, %+v, is not in the journal", id, o)
		}
	}
	s.t.Logf("figure: soak: %d effects, %d calls in the journal without an end", len(effects), len(uncertain))
}
