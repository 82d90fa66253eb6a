//go:build unix

package proc_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/matrix-nexus/skillkit/internal/proc"
)

// The graces of the tests. One that is to pass is short; one that is not would
// be longer than the test may take.
const (
	short = 50 * time.Millisecond
	long  = time.Hour
)

const roleEnv = "SKILLKIT_PROC_TEST_ROLE"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleEnv); role != "" {
		play(role)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// play is what the test binary does as a child.
func play(role string) {
	switch role {
	case "ignore": // SIGTERM
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("ready")
		time.Sleep(long)
	case "ignorant child": // of a leader that does not ignore it
		startSelf("ignore", nil)
		time.Sleep(long)
	case "orphan": // one that holds the output and ignores SIGTERM
		startSelf("ignore", nil)
	case "polite orphan": // one that needs a moment after SIGTERM, after its parent has ended
		terms := make(chan os.Signal, 1)
		signal.Notify(terms, syscall.SIGTERM)
		fmt.Println("ready")
		<-terms
		time.Sleep(short)
		fmt.Fprintln(os.Stderr, "cleaned up")
	case "parent of a polite orphan":
		startSelf("polite orphan", nil)
	case "parent of a polite orphan that stays":
		startSelf("polite orphan", nil)
		time.Sleep(long)
	case "escape":
		startSelf("ignore", &syscall.SysProcAttr{Setsid: true})
	case "endless":
		for {
			if _, err := os.Stdout.WriteString("and on "); err != nil {
				return
			}
		}
	case "lines":
		out := bufio.NewWriter(os.Stdout)
		for i := range 10_000 {
			fmt.Fprintln(out, "line", i)
		}
		out.Flush()
	case "root": // of a setuid binary, as sudo is
		if err := syscall.Setreuid(0, 0); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(os.Getpid())
		time.Sleep(long)
	case "not root":
		ctx, cancel := context.WithCancelCause(context.Background())
		cmd := exec.Command(os.Getenv("SETUID_COPY"))
		cmd.Env = []string{roleEnv + "=root"}
		out := &output{first: make(chan struct{})}
		cmd.Stdout = out
		go func() {
			<-out.first
			cancel(errStop)
		}()
		err := proc.Run(ctx, cmd, 0)
		fmt.Print(out, errors.Is(err, errStop), " ", errors.Is(err, proc.ErrSurvived))
	}
}

// startSelf starts the test binary in a role, with the output of this process
// as its standard error, prints its id, and returns when it is ready.
func startSelf(role string, attr *syscall.SysProcAttr) {
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleEnv+"="+role, "GORACE=atexit_sleep_ms=0")
	cmd.SysProcAttr = attr
	cmd.Stdout, cmd.Stderr = w, os.Stdout
	cmd.ExtraFiles = []*os.File{os.NewFile(3, "tree")}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	if _, err := bufio.NewReader(r).ReadString('\n'); err != nil {
		panic(err)
	}
	fmt.Println(cmd.Process.Pid)
}

// A child is a command whose tree the test watches: the read end of a pipe whose
// other end all processes of the tree hold.
type child struct {
	*exec.Cmd
	out  *output
	tree *os.File
}

func newChild(t *testing.T, cmd *exec.Cmd) *child {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c := &child{Cmd: cmd, out: &output{first: make(chan struct{})}, tree: r}
	cmd.Stdout, cmd.Stderr = c.out, c.out
	cmd.ExtraFiles = []*os.File{w}
	t.Cleanup(func() {
		w.Close()
		c.gone(t)
		r.Close()
		noGoroutines(t)
	})
	return c
}

func self(t *testing.T, role string) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleEnv+"="+role, "GORACE=atexit_sleep_ms=0")
	return newChild(t, cmd)
}

func shell(t *testing.T, script string) *child {
	t.Helper()
	return newChild(t, exec.Command("/bin/sh", "-c", script))
}

// gone fails the test unless all processes of the tree have ended.
func (c *child) gone(t *testing.T) {
	t.Helper()
	if err := c.tree.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if n, err := c.tree.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("a process is left: reading from the pipe that it holds: %d, %v", n, err)
	}
}

// noGoroutines fails the test if one of this package's is left.
func noGoroutines(t *testing.T) {
	t.Helper()
	var stacks string
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); runtime.Gosched() {
		buf := make([]byte, 1<<20)
		stacks = string(buf[:runtime.Stack(buf, true)])
		if !strings.Contains(stacks, "internal/proc.") && !strings.Contains(stacks, "os/exec.") {
			return
		}
	}
	t.Errorf("a goroutine is left:\n%s", stacks)
}

// output is a buffer that says when something was written to it.
type output struct {
	mu    sync.Mutex
	buf   bytes.Buffer
	once  sync.Once
	first chan struct{}
}

func (o *output) Write(p []byte) (int, error) {
	o.once.Do(func() { close(o.first) })
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.buf.Len() > 1<<20 {
		return len(p), nil // an endless one
	}
	return o.buf.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

var errStop = errors.New("stopped by the test")

// cancelAfterOutput returns a context that ends when c has written something.
func cancelAfterOutput(t *testing.T, c *child) context.Context {
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		<-c.out.first
		cancel(errStop)
	}()
	return ctx
}

func TestRunToTheEnd(t *testing.T) {
	tests := []struct {
		name, script, want string
		code               int
	}{
		{"success", "echo hello", "hello\n", 0},
		{"exit status", "echo no >&2; exit 3", "no\n", 3},
		{"reads standard input, which is empty", "cat; echo end", "end\n", 0},
		{"kill 0 does not reach us", "trap '' TERM; kill -TERM 0; kill -KILL 0; echo not reached", "", -1},
		{"kill of the parent's group by number", `kill -TERM -$$; sleep 1000`, "", -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := shell(t, tt.script)
			err := proc.Run(t.Context(), c.Cmd, long)
			exit, _ := errors.AsType[*exec.ExitError](err)
			code := 0
			if exit != nil {
				code = exit.ExitCode()
			}
			if code != tt.code || err != nil && exit == nil {
				t.Errorf("Run: got %v, want exit status %d", err, tt.code)
			}
			if got := c.out.String(); got != tt.want {
				t.Errorf("output: got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestRunLongOutput(t *testing.T) {
	c := self(t, "lines")
	if err := proc.Run(t.Context(), c.Cmd, long); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(c.out.String(), "\n"); got != 10_000 {
		t.Errorf("got %d lines, want 10000", got)
	}
}

func TestRunCancel(t *testing.T) {
	tests := []struct {
		role  string
		grace time.Duration
	}{
		{"ignore", short},
		{"ignore", 0},
		{"ignore", -1},
		{"ignorant child", short},
		{"endless", long},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.role, " ", tt.grace), func(t *testing.T) {
			c := self(t, tt.role)
			err := proc.Run(cancelAfterOutput(t, c), c.Cmd, tt.grace)
			if err != errStop {
				t.Errorf("Run: got %v, want the cause of the context", err)
			}
			if c.ProcessState == nil {
				t.Error("the command is not reaped")
			}
		})
	}
}

// What a command leaves behind ends with it, and neither it nor the pipe that
// it holds keeps Run waiting.
func TestRunLeftBehind(t *testing.T) {
	t.Run("ignores SIGTERM", func(t *testing.T) {
		c := self(t, "orphan")
		if err := proc.Run(t.Context(), c.Cmd, short); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("sleeps", func(t *testing.T) {
		c := shell(t, "sleep 1000 & echo $!")
		if err := proc.Run(t.Context(), c.Cmd, long); err != nil {
			t.Fatal(err)
		}
	})
	if runtime.GOOS != "linux" {
		t.Skip("what is left of a group is seen on Linux only")
	}
	for _, role := range []string{"parent of a polite orphan", "parent of a polite orphan that stays"} {
		t.Run(role, func(t *testing.T) {
			c := self(t, role)
			ctx := t.Context()
			if strings.HasSuffix(role, "stays") {
				ctx = cancelAfterOutput(t, c)
			}
			if err := proc.Run(ctx, c.Cmd, long); err != nil && err != errStop {
				t.Fatal(err)
			}
			if !strings.Contains(c.out.String(), "cleaned up") {
				t.Errorf("output: got %q, want the orphan to have cleaned up", c.out)
			}
		})
	}
}

func TestRunNotStarted(t *testing.T) {
	marker := t.TempDir() + "/ran"
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errStop)
	c := shell(t, "touch "+marker)
	if err := proc.Run(ctx, c.Cmd, long); err != errStop {
		t.Errorf("Run with a context that has ended: got %v, want its cause", err)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("the command ran")
	}

	missing := newChild(t, exec.Command("/nonexistent/program"))
	if err := proc.Run(t.Context(), missing.Cmd, long); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Run of a program that is not there: got %v, want %v", err, os.ErrNotExist)
	}
}

// The documented limit: a process that leaves the group goes on, and does not
// keep Wait waiting although it holds the output.
func TestEscape(t *testing.T) {
	c := self(t, "escape")
	if err := proc.Run(t.Context(), c.Cmd, short); err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(c.out.String()))
	if err != nil {
		t.Fatal(err)
	}
	// It holds the pipe of newChild, so the test fails if this is not the one.
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Errorf("the process that left the group: %v, want it alive", err)
	}
}

// A program that runs as another user, such as sudo, cannot be ended, and Run
// says so rather than wait for it.
func TestSurvivor(t *testing.T) {
	if testing.Short() || os.Getuid() != 0 {
		t.Skip("takes seconds, and needs root to make a setuid program")
	}
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	data, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	file := dir + "/survivor"
	if err := errors.Join(os.WriteFile(file, data, 0o755), os.Chmod(file, 0o755|os.ModeSetuid), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(file)
	cmd.Env = []string{roleEnv + "=not root", "SETUID_COPY=" + file}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	// The binary must not be setuid for the process that is not to be root.
	plain := dir + "/plain"
	if err := os.WriteFile(plain, data, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd.Path = plain
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	pid, rest, _ := strings.Cut(string(out), "\n")
	if strings.TrimSpace(rest) != "true true" {
		t.Errorf("got %q, want both the cause and ErrSurvived", out)
	}
	if n, err := strconv.Atoi(pid); err != nil || syscall.Kill(n, syscall.SIGKILL) != nil {
		t.Errorf("the survivor %q is gone", pid)
	}
}

// A process that is stopped, such as one that read from the terminal, learns of
// its end.
func TestStopped(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("that a process is stopped is seen in /proc")
	}
	c := shell(t, "kill -STOP $$")
	g, err := proc.Start(c.Cmd, long)
	if err != nil {
		t.Fatal(err)
	}
	stat := fmt.Sprintf("/proc/%d/stat", c.Process.Pid)
	for state := ""; state != "T"; runtime.Gosched() {
		data, err := os.ReadFile(stat)
		if err != nil {
			t.Fatal(err)
		}
		state = strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))[0]
	}
	g.End()
	if err := g.Wait(); err == nil {
		t.Error("Wait: got no error, want an exit by SIGTERM")
	}
}

func TestGroupEnd(t *testing.T) {
	c := self(t, "ignore")
	g, err := proc.Start(c.Cmd, short)
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-g.Done():
		t.Error("done before the end")
	case <-c.out.first:
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			g.End()
			<-g.Done()
			exit, ok := errors.AsType[*exec.ExitError](g.Wait())
			if !ok || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
				t.Errorf("Wait: got %v, want an exit by SIGKILL", exit)
			}
		})
	}
	wg.Wait()
	g.End()
}

// A caller that keeps a child and talks to it over pipes reads all of its
// output, also what it wrote just before its end.
func TestGroupPipes(t *testing.T) {
	cmd := exec.Command("/bin/sh", "-c", `while read -r line; do echo "got $line"; done; echo bye`)
	t.Cleanup(func() { noGoroutines(t) })
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	g, err := proc.Start(cmd, long)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(in, "one")
	in.Close()
	<-g.Done()
	got, err := io.ReadAll(out)
	if want := "got one\nbye\n"; string(got) != want || err != nil {
		t.Errorf("output: got %q, %v; want %q", got, err, want)
	}
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
}

// A session of its own takes the terminal away, and is a group of its own too.
func TestSession(t *testing.T) {
	c := shell(t, "sleep 1000 & wait")
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	g, err := proc.Start(c.Cmd, long)
	if err != nil {
		t.Fatal(err)
	}
	g.End()
	if err := g.Wait(); err == nil {
		t.Error("Wait: got no error, want an exit by SIGTERM")
	}
}
