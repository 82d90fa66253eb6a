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
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/matrix-nexus/skillkit/internal/proc"
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
	case "daemon": // a stray whose parent has ended
		startSelf("escape", nil)
	case "forgetful", "obedient": // a stray that cannot be known by its environment
		cmd := exec.Command(os.Args[0])
		cmd.Env = []string{roleEnv + "=ignore"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		cmd.Stdout = os.Stdout
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		if role == "obedient" {
			_, _ = os.Stdin.Read(make([]byte, 1))
			return
		}
		time.Sleep(long)
	case "adopt":
		adopt()
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
