//go:build unix

package proc_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
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
