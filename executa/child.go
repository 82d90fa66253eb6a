package executa

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/matrix-nexus/skillkit/internal/proc"
)

// outputWait is for how long the standard output of a plugin is read after its
// group has ended, if a process that left the group holds it.
const outputWait = 2 * time.Second

// A child is an operating system process with its group. It knows no protocol.
// Its methods may be called by several goroutines. Whoever started it must read
// stdout to its end and then call stop, in any case.
type child struct {
	pid    int
	stdin  io.WriteCloser // an *os.File
	stdout io.Reader      // EOF comes within outputWait after the group has ended
	// tmp is its private TMPDIR: absolute, without symbolic links. It is there
	// until stop, or if the process ends by itself, until outputWait after EOF
	// of stdout, so that the files it answered with can be read.
	tmp string

	group *proc.Group
	log   *stderrLog

	state   string        // set before ended is closed
	ended   chan struct{} // closed when the group is reaped and standard error is complete
	release chan struct{} // closed by stop when tmp is not needed any more
	once    sync.Once     // closes release
	removed chan struct{} // closed when tmp is gone
}

// startChild starts c. redact is applied to each line of standard error, which is
// drained from here on, and to the end of it that stderr returns.
func startChild(c *command, opts *Options, redact func(string) string) (_ *child, err error) {
	tmp, err := privateDir(opts.TempDir)
	if err != nil {
		return nil, fmt.Errorf("a private folder for the plugin: %w", err)
	}
	defer func() {
		if err != nil {
			removeAll(tmp)
		}
	}()
	program, release, err := pinned(c.argv[0], c.sha256)
	if err != nil {
		return nil, err
	}
	defer release()
	cmd, err := proc.Command(program, c.argv)
	if err != nil {
		return nil, err
	}
	cmd.Dir = c.dir
	cmd.Env = slices.Concat(c.env, private(runtime.GOOS, tmp))

	// Pipes of our own, so that nothing but the group is waited for.
	var ours, theirs [3]*os.File
	defer func() {
		closeAll(theirs[:])
		if err != nil {
			closeAll(ours[:])
		}
	}()
	if theirs[0], ours[0], err = os.Pipe(); err != nil {
		return nil, err
	}
	if ours[1], theirs[1], err = os.Pipe(); err != nil {
		return nil, err
	}
	if ours[2], theirs[2], err = os.Pipe(); err != nil {
		return nil, err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs[0], theirs[1], theirs[2]
	group, err := proc.StartMarked(cmd, cmp.Or(opts.Grace, DefaultGrace), private(runtime.GOOS, tmp)[0])
	if err != nil {
		return nil, err
	}

	stdout, stderr := newOutput(ours[1]), newOutput(ours[2])
	p := &child{
		pid: cmd.Process.Pid, stdin: ours[0], stdout: stdout, tmp: tmp,
		group: group, log: newStderrLog(c.id, opts.Logger, redact),
		ended: make(chan struct{}), release: make(chan struct{}), removed: make(chan struct{}),
	}
	go func() {
		_, _ = io.Copy(p.log, stderr)
		p.log.flush()
		stderr.close()
	}()
	go func() {
		defer close(p.removed)
		waitErr := group.Wait()
		stdout.expire(outputWait)
		// What the group wrote is in the pipe, and read before this is over.
		stderr.expire(0)
		select {
		case <-stderr.eof:
		case <-time.After(outputWait):
		}
		p.state = status(cmd, waitErr)
		close(p.ended)

		select {
		case <-p.release:
		case <-stdout.eof:
			select {
			case <-p.release:
			case <-time.After(outputWait):
			}
		}
		removeAll(tmp)
	}()
	return p, nil
}

// status says how a command ended.
func status(cmd *exec.Cmd, err error) string {
	if cmd.ProcessState == nil || err == proc.ErrSurvived {
		return proc.ErrSurvived.Error()
	}
	return cmd.ProcessState.String()
}

// status says how the process ended, such as "exit status 3". It may be called
// when ended is closed.
func (c *child) status() string { return c.state }

// stderr returns the end of what was written to standard error so far, whole
// lines, redacted with what is to be redacted now.
func (c *child) stderr() string { return c.log.end() }

// closeStdin closes standard input, also while somebody writes to it.
func (c *child) closeStdin() { _ = c.stdin.Close() }

// stop closes standard input, and if need be sends SIGTERM to the group after
// grace, and SIGKILL after grace again, or when ctx ends. It returns when the
// group is reaped and its folder is gone.
func (c *child) stop(ctx context.Context, grace time.Duration) {
	c.group.Look() // while those live that have started others
	c.closeStdin()
	if !c.endsWithin(ctx, grace) {
		if ctx.Err() == nil {
			go c.group.End() // returns when the group has ended, as the rest of this does
			c.endsWithin(ctx, grace)
		}
		c.group.Kill()
	}
	<-c.ended
	c.once.Do(func() { close(c.release) })
	<-c.removed
}

func (c *child) endsWithin(ctx context.Context, grace time.Duration) bool {
	timer := time.NewTimer(max(grace, 0))
	defer timer.Stop()
	select {
	case <-c.ended:
		return true
	case <-ctx.Done():
	case <-timer.C:
	}
	return false
}

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

// privateDir makes a folder that only this user can enter. Its path has no
// symbolic links, so that a path in it can be compared.
func privateDir(parent string) (string, error) {
	dir, err := os.MkdirTemp(parent, "executa-") // mode 0700
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(dir)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		os.Remove(dir)
		return "", err
	}
	return real, nil
}

// removeAll removes a folder, also if something in it is read-only, as what the
// go command downloads is.
func removeAll(dir string) {
	if os.RemoveAll(dir) == nil {
		return
	}
	_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(name, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(dir)
}
