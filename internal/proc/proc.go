// Package proc runs a command in a process group of its own, so that the
// command and what it started can be ended together and within a bound.
//
// os/exec alone does not do that: Cmd.Cancel and WaitDelay end the command, and
// leave its children running.
//
// A process that leaves its group, by setsid(2) or setpgid(2), is ended on Linux
// only, and if the command was started by [StartMarked]. It does not keep anyone
// waiting, also if it holds the output: see [Group.Wait]. On Windows all of a
// group are in a job that they cannot leave, and that ends with this program.
//
// The package also has what else starting a program of somebody else takes: how
// one is found, how a batch file is given arguments, and a [Tail] for output.
package proc

import (
	"context"
	"errors"
	"os/exec"
	"sync"
	"time"
)

const (
	// outputWait is for how long output is read after the group has ended,
	// if a process that left the group still holds it.
	outputWait = 2 * time.Second

	// killWait is how long a process may take to end after SIGKILL. More than
	// moments means that it cannot be ended: it runs as another user, as
	// sudo(8) does, or waits for a device.
	killWait = 5 * time.Second

	// memberPoll is the pause after the first look at what is left of a group.
	// It doubles up to maxPoll.
	memberPoll = 5 * time.Millisecond
	maxPoll    = 80 * time.Millisecond
)

// ErrSurvived is the error of [Group.Wait] and [Run] for a process that was
// killed and goes on, since it runs as another user or waits for a device. Its
// output may still be written to the writers of the command.
var ErrSurvived = errors.New("proc: the process cannot be ended; it may run as another user")

// Run starts cmd and waits for it to end, and for its group, as [Start] and
// [Group.Wait] do. When ctx ends, the group is ended as [Group.End] does and
// the error is the cause of ctx, or [ErrSurvived] joined with it. Nothing is
// started if ctx has ended already.
func Run(ctx context.Context, cmd *exec.Cmd, grace time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	g, err := Start(cmd, grace)
	if err != nil {
		return err
	}
	select {
	case <-g.Done():
	case <-ctx.Done():
		g.End()
	}
	err = g.Wait()
	switch {
	case g.ownEnd:
		return err
	case errors.Is(err, ErrSurvived):
		return errors.Join(context.Cause(ctx), err)
	}
	return context.Cause(ctx)
}

// A Group is a command that was started and the processes of its group. Its
// methods may be called by several goroutines.
type Group struct {
	tree  *tree
	grace time.Duration

	looks    chan chan struct{} // each is closed when somebody has looked
	ending   chan struct{}      // closed when nobody looks any more
	end      chan struct{}      // closed by End and Kill
	endOnce  sync.Once
	kill     chan struct{} // closed by Kill
	killOnce sync.Once
	done     chan struct{} // closed by watch, after which nothing is signalled
	wait     func() error

	ownEnd   bool // the command ended without End; set before done is closed
	left     bool // and others of the group went on then; likewise
	survived bool // the command did not end; likewise
}

// Start starts cmd in a process group of its own; in a session of its own, which
// takes the terminal away from it, if cmd.SysProcAttr says so. The group ends
// with the command: what is left of it then is sent SIGTERM and, after grace,
// SIGKILL. A grace of zero or less means SIGKILL at once.
//
// cmd should not come from [exec.CommandContext]. Its standard input is empty if
// it is nil. The caller must call [Group.Wait], in any case.
func Start(cmd *exec.Cmd, grace time.Duration) (*Group, error) {
	return StartMarked(cmd, grace, "")
}

// StartMarked is like [Start], and on Linux also ends processes that left the
// group. mark is an entry of cmd.Env that no other command has, such as TMPDIR=
// with a folder of its own. A process is found by it, or by its parents while
// those live, see [Group.Look]: not one that has cleared its environment and left a parent that has
// ended. An empty mark finds none.
func StartMarked(cmd *exec.Cmd, grace time.Duration, mark string) (*Group, error) {
	tree, err := newTree(cmd, mark)
	if err != nil {
		return nil, err
	}
	if cmd.WaitDelay == 0 {
		cmd.WaitDelay = outputWait
	}
	if err := tree.start(); err != nil {
		return nil, err
	}
	g := &Group{
		tree:   tree,
		grace:  max(grace, 0),
		looks:  make(chan chan struct{}),
		ending: make(chan struct{}),
		end:    make(chan struct{}),
		kill:   make(chan struct{}),
		done:   make(chan struct{}),
	}
	exited := make(chan struct{})
	g.wait = sync.OnceValue(func() error {
		<-g.done
		if g.survived {
			go func() { <-exited; _ = cmd.Wait() }()
			return ErrSurvived
		}
		err := cmd.Wait()
		if errors.Is(err, exec.ErrWaitDelay) {
			err = nil // the command itself succeeded
		}
		return err
	})
	go func() {
		tree.awaitExit()
		close(exited)
	}()
	go g.watch(exited)
	return g, nil
}

// Look takes note of the processes that have left the group, as long as their
// parents can tell whose they are. Whoever asks the command to end by itself should
// call it before. It does nothing when the command has ended.
func (g *Group) Look() {
	looked := make(chan struct{})
	select {
	case g.looks <- looked:
		<-looked
	case <-g.ending:
	}
}

// Done returns a channel that is closed when the command and its group have
// ended. What they wrote to a pipe of the command may still be unread.
func (g *Group) Done() <-chan struct{} { return g.done }

// Wait waits for the command and its group to end, and returns the error of
// [exec.Cmd.Wait] for the command: nil or an [*exec.ExitError], in general; or
// [ErrSurvived]. The output is complete then, except for that of a process that
// left the group, for which Wait waits no longer than cmd.WaitDelay or 2 seconds.
//
// As with [exec.Cmd.Wait], pipes of the command must be read to their end first.
func (g *Group) Wait() error { return g.wait() }

// Left reports whether the command ended by itself and others of its group went on
// then, and were ended. It is false until Done is closed, and where it is not known:
// it is on Linux.
func (g *Group) Left() bool {
	select {
	case <-g.done:
		return g.left
	default:
		return false
	}
}

// End sends SIGTERM to the group and, if not all of it has ended after the grace
// that was given to [Start], SIGKILL. It returns when the group has ended. It
// may be called more than once, and after the end.
func (g *Group) End() {
	g.endOnce.Do(func() { close(g.end) })
	<-g.done
}

// Kill sends SIGKILL to the group now, also while [Group.End] waits for it to
// end. It returns when the group has ended. It may be called more than once, and
// after the end.
func (g *Group) Kill() {
	g.killOnce.Do(func() { close(g.kill) })
	g.End()
}

// watch sees the group to its end. It alone sends signals, and does so only
// while the command is not reaped: until then its id, which is that of the
// group, belongs to no other process.
func (g *Group) watch(exited <-chan struct{}) {
	defer close(g.done)
	defer g.tree.close()
	for runs := true; runs; {
		select {
		case looked := <-g.looks:
			g.tree.hasMembers() // which looks
			close(looked)
		case <-exited:
			g.ownEnd, runs = true, false
		case <-g.end:
			runs = false
		}
	}
	close(g.ending)
	g.left = g.ownEnd && g.tree.hasMembers()
	if (!g.ownEnd || g.left) && g.tree.terminate() {
		g.awaitMembers(exited)
	}
	g.tree.kill()
	timer := time.NewTimer(killWait)
	defer timer.Stop()
	select {
	case <-exited:
		g.tree.reap(timer.C)
	case <-timer.C:
		g.survived = true
	}
}

// awaitMembers returns when the command and all others of its group have ended,
// or after the grace.
func (g *Group) awaitMembers(exited <-chan struct{}) {
	grace := time.NewTimer(g.grace)
	defer grace.Stop()
	select {
	case <-exited:
	case <-g.kill:
		return
	case <-grace.C:
		return
	}
	for pause := memberPoll; g.tree.hasMembers(); pause = min(2*pause, maxPoll) {
		select {
		case <-time.After(pause):
		case <-g.kill:
			return
		case <-grace.C:
			return
		}
	}
}
