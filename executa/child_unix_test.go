//go:build unix

package executa

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/matrix-nexus/skillkit/internal/leak"
)

const (
	neverGrace = time.Hour             // a grace that is not to pass
	shortGrace = 50 * time.Millisecond // one that is
)

// launched starts a command of a shell, whose output the caller reads.
func launched(t *testing.T, opts *Options, argv ...string) *child {
	t.Helper()
	leak.Check(t)
	if opts == nil {
		opts = &Options{}
	}
	opts.TempDir = t.TempDir()
	if opts.Environ == nil {
		opts.Environ = os.Environ()
	}
	spec := &Spec{ID: "test", Command: argv}
	c, err := resolve(spec, opts)
	if err != nil {
		t.Fatal(err)
	}
	p, err := startChild(c, opts, asIs)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		p.stop(ctx, 0)
		if _, err := os.Lstat(p.tmp); !os.IsNotExist(err) {
			t.Errorf("the private folder is left: %v", err)
		}
	})
	return p
}

func shellChild(t *testing.T, script string) *child {
	t.Helper()
	return launched(t, nil, "/bin/sh", "-c", script)
}

// childLine reads the next line of standard output.
func childLine(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	line, err := r.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(line, "\n")
}

// processGone fails the test if a process is still there, and is not dead.
func processGone(t *testing.T, pid string) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		stat, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
	}
	t.Errorf("process %s is left", pid)
}

func TestChild(t *testing.T) {
	p := shellChild(t, `read x; echo "got $x"; pwd >&2; echo in "$TMPDIR" >&2; : > "$TMPDIR/file"; exit 3`)
	if info, err := os.Stat(p.tmp); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the private folder: %v, %v", info, err)
	}
	if _, err := io.WriteString(p.stdin, "hello\n"); err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(p.stdout)
	if got, want := string(out), "got hello\n"; got != want || err != nil {
		t.Errorf("standard output: got %q, %v, want %q", got, err, want)
	}
	<-p.ended
	if got, want := p.status(), "exit status 3"; got != want {
		t.Errorf("status: got %q, want %q", got, want)
	}
	if got, want := p.stderr(), "in "+p.tmp; !strings.HasSuffix(got, want) {
		t.Errorf("standard error: got %q, want it to end in %q", got, want)
	}
	if _, err := os.Stat(filepath.Join(p.tmp, "file")); err != nil {
		t.Errorf("what it left is gone before somebody could read it: %v", err)
	}
}

// B14: the shell is killed, the server is its child and must not live on.
func TestB14Launcher(t *testing.T) {
	p := shellChild(t, `sleep 1000 & echo $!; wait`)
	pid := childLine(t, bufio.NewReader(p.stdout))
	p.stop(t.Context(), shortGrace)
	processGone(t, pid)
}

func TestB25Stop(t *testing.T) {
	t.Run("ends at EOF", func(t *testing.T) {
		p := shellChild(t, `cat; exit 7`)
		p.stop(t.Context(), neverGrace)
		if got := p.status(); got != "exit status 7" {
			t.Errorf("got %q, want an exit by itself", got)
		}
	})
	t.Run("ignores EOF", func(t *testing.T) {
		p := shellChild(t, `sleep 1000`)
		p.stop(t.Context(), shortGrace)
		if got := p.status(); got != "signal: terminated" {
			t.Errorf("got %q, want the end by SIGTERM", got)
		}
	})
	t.Run("ignores EOF and TERM", func(t *testing.T) {
		p := shellChild(t, `trap '' TERM; echo ready; while :; do sleep 1000; done`)
		childLine(t, bufio.NewReader(p.stdout))
		var again [3]chan struct{}
		for i := range again {
			again[i] = make(chan struct{})
			go func() { p.stop(t.Context(), shortGrace); close(again[i]) }()
		}
		for _, c := range again {
			<-c
		}
		if got := p.status(); got != "signal: killed" {
			t.Errorf("got %q, want the end by SIGKILL", got)
		}
		p.stop(t.Context(), neverGrace)
	})
	t.Run("context ends", func(t *testing.T) {
		p := shellChild(t, `trap '' TERM; echo ready; while :; do sleep 1000; done`)
		childLine(t, bufio.NewReader(p.stdout))
		ctx, cancel := context.WithTimeout(t.Context(), shortGrace)
		defer cancel()
		p.stop(ctx, neverGrace)
		if got := p.status(); got != "signal: killed" {
			t.Errorf("got %q, want the end by SIGKILL", got)
		}
	})
	t.Run("leaves a child with its output", func(t *testing.T) {
		p := shellChild(t, `sleep 600 & echo $!`)
		out, err := io.ReadAll(p.stdout)
		if err != nil {
			t.Fatal(err)
		}
		<-p.ended
		if got := p.status(); got != "exit status 0" {
			t.Errorf("got %q", got)
		}
		processGone(t, strings.TrimSpace(string(out)))
	})
}

// B27: writing to a process that is dead is an error and no more.
func TestB27DeadPlugin(t *testing.T) {
	p := shellChild(t, `exec <&-; exit 0`)
	<-p.ended
	if _, err := p.stdin.Write(make([]byte, 1<<20)); err == nil {
		t.Error("writing to a dead process: got no error")
	}
}

func TestStdoutAfterClose(t *testing.T) {
	p := shellChild(t, `echo last; printf part`)
	<-p.ended
	out, err := io.ReadAll(p.stdout)
	if string(out) != "last\npart" || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
}

// B43 and item 0.18: the process sees what it is meant to, and no more.
func TestB43Environment(t *testing.T) {
	env := func(opts *Options) string {
		p := launched(t, opts, "/usr/bin/env")
		out, err := io.ReadAll(p.stdout)
		if err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(string(out), p.tmp, "TMP")
	}
	host := append(os.Environ(), "GITHUB_TOKEN="+testSecret, "LD_PRELOAD=/none")
	got := env(&Options{Environ: host})
	if strings.Contains(got, testSecret) || strings.Contains(got, "LD_PRELOAD") || !strings.Contains(got, "\nTMPDIR=TMP\n") {
		t.Errorf("closed environment:\n%s", got)
	}
}

// No file of the host or of another plugin is open in a plugin.
func TestFilesAreClosed(t *testing.T) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip(err)
	}
	files := func() string {
		out, err := io.ReadAll(shellChild(t, `ls /proc/$$/fd`).stdout)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	before := files() // the test itself may have been given some
	other := shellChild(t, `read x`)
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got := files(); got != before {
		t.Errorf("open files: got %q, want %q", got, before)
	}
	other.stop(t.Context(), neverGrace) // which ends at EOF: nobody else has its standard input
}

// Item 0.18: a plugin that writes much to standard error is neither blocked nor
// held in memory, and its lines may have any length.
func TestStderrFlood(t *testing.T) {
	size := 100 << 20
	if testing.Short() {
		size = 10 << 20
	}
	for _, tt := range []struct{ name, script string }{
		{"lines", `yes 'a line of standard error' | head -c %d >&2; echo done`},
		{"one line", `head -c %d /dev/zero >&2; echo done`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := shellChild(t, fmt.Sprintf(tt.script, size))
			if out, err := io.ReadAll(p.stdout); string(out) != "done\n" || err != nil {
				t.Errorf("got %q, %v", out, err)
			}
			<-p.ended
			if got := p.stderr(); got == "" || len(got) > stderrTail {
				t.Errorf("%d bytes of standard error are kept", len(got))
			}
		})
	}
}

// A process that left the group and holds the output is found where that can be,
// and keeps nobody waiting elsewhere.
func TestEscape(t *testing.T) {
	for _, end := range []string{"by itself", "by us"} {
		t.Run(end, func(t *testing.T) {
			p := launched(t, &Options{Environ: os.Environ(), Grace: shortGrace}, os.Args[0], "-test.run=^TestRole$", "escape", end)
			out := bufio.NewReader(p.stdout)
			pid := childLine(t, out)
			if end == "by us" {
				p.stop(t.Context(), shortGrace)
			}
			if _, err := io.Copy(io.Discard, out); err != nil {
				t.Error(err)
			}
			<-p.ended
			if runtime.GOOS == "linux" {
				processGone(t, pid)
			} else if pid, err := strconv.Atoi(pid); err == nil {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		})
	}
}

// A process that cannot be found holds the output: what the plugin wrote is read
// nevertheless, and then there is an end.
func TestOutputIsHeld(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close() // it is who holds it
	want := strings.Repeat("x", 40_000)
	if _, err := io.WriteString(w, want); err != nil {
		t.Fatal(err)
	}
	out := newOutput(r)
	out.expire(0)
	if got, err := io.ReadAll(out); string(got) != want || err != nil {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
	<-out.eof
	if n, err := out.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("after the end: got %d, %v", n, err)
	}
}

// One that holds the output and writes on does not either.
func TestOutputIsEndless(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for err := error(nil); err == nil; {
			_, err = w.Write(make([]byte, 1000))
		}
		w.Close()
	}()
	out := newOutput(r)
	out.expire(0)
	if n, err := io.Copy(io.Discard, out); err != nil || n > maxLeft+1<<16 {
		t.Errorf("got %d, %v", n, err)
	}
	<-done
}

// Item 0.17: go run is a parent, and ending it leaves the plugin alone; the group
// does not.
func TestWrapperThatDoesNotForward(t *testing.T) {
	p := shellChild(t, `trap 'exit 0' TERM; sh -c 'trap "" TERM; echo $$; while :; do sleep 1000; done' & wait`)
	pid := childLine(t, bufio.NewReader(p.stdout))
	p.stop(t.Context(), shortGrace)
	processGone(t, pid)
}

// A program that was pinned runs as itself.
func TestPinnedProgram(t *testing.T) {
	cat, err := filepath.EvalSymlinks("/bin/cat")
	if err != nil {
		t.Skip(err)
	}
	leak.Check(t)
	opts := &Options{TempDir: t.TempDir()}
	c, err := resolve(&Spec{Command: []string{cat, "/dev/null", "-"}, SHA256: hash(t, cat)}, opts)
	if err != nil {
		t.Fatal(err)
	}
	p, err := startChild(c, opts, asIs)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(p.stdin, "hello"); err != nil {
		t.Fatal(err)
	}
	p.closeStdin()
	if out, err := io.ReadAll(p.stdout); string(out) != "hello" || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
	p.stop(t.Context(), neverGrace)
	if got := p.status(); got != "exit status 0" {
		t.Errorf("got %q", got)
	}
	c.sha256 = strings.Repeat("0", 64)
	if _, err := startChild(c, opts, asIs); err == nil || !strings.Contains(err.Error(), "pinned") {
		t.Errorf("another digest: got %v", err)
	}
	if left, err := os.ReadDir(opts.TempDir); len(left) > 0 || err != nil {
		t.Errorf("folders are left: %v, %v", left, err)
	}
}

func TestStartChildFails(t *testing.T) {
	opts := &Options{TempDir: t.TempDir()}
	dir := writeTree(t, "bin/run", "\x7fELF no program")
	for _, c := range []*command{
		{argv: []string{filepath.Join(dir, "none")}},
		{argv: []string{filepath.Join(dir, "bin", "run")}},
		{argv: []string{"/bin/cat"}, dir: filepath.Join(dir, "none")},
	} {
		if _, err := startChild(c, opts, asIs); err == nil {
			t.Errorf("%v: got no error", c.argv)
		}
	}
	if left, err := os.ReadDir(opts.TempDir); len(left) > 0 || err != nil {
		t.Errorf("folders are left: %v, %v", left, err)
	}
	if _, err := startChild(&command{argv: []string{"/bin/cat"}}, &Options{TempDir: filepath.Join(dir, "none")}, asIs); err == nil {
		t.Error("no folder for temporary files: got no error")
	}
}

func TestFolderIsRemoved(t *testing.T) {
	t.Run("read-only", func(t *testing.T) {
		p := shellChild(t, `mkdir -p "$TMPDIR/a/b" && : > "$TMPDIR/a/b/c" && chmod 0 "$TMPDIR/a/b" && chmod 500 "$TMPDIR/a"`)
		p.stop(t.Context(), neverGrace) // the rest is looked at by launched
	})
	t.Run("killed", func(t *testing.T) {
		p := shellChild(t, `: > "$TMPDIR/a"; kill -KILL $$`)
		<-p.ended
	})
	t.Run("without stop", func(t *testing.T) {
		p := shellChild(t, `: > "$TMPDIR/a"`)
		if _, err := io.Copy(io.Discard, p.stdout); err != nil {
			t.Fatal(err)
		}
		<-p.removed
	})
}

// TestRole is what the test binary does when it is started as a child, with the
// role and more behind the flags.
func TestRole(t *testing.T) {
	args := flag.Args()
	if len(args) == 0 {
		return // it is no test then
	}
	switch args[0] {
	case "ignore": // all that would end it
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP)
		fmt.Println(os.Getpid())
		time.Sleep(neverGrace)
	case "escape": // and end, or not
		cmd := exec.Command(os.Args[0], "-test.run=^TestRole$", "ignore")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		r, w, _ := os.Pipe()
		cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = w, os.Stderr, []*os.File{os.Stdout}
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		line, _ := bufio.NewReader(r).ReadString('\n')
		fmt.Print(line)
		if args[1] == "by us" {
			time.Sleep(neverGrace)
		}
	}
	os.Exit(0)
}
