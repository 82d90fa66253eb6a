// Package leak fails a test that leaves goroutines or processes behind.
package leak

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	// patience is how long what is left may take to end after the test.
	patience = 10 * time.Second
	// pause is that between two looks.
	pause = 2 * time.Millisecond
)

// marker is the name of the variable that [Env] sets.
const marker = "SKILLKIT_LEAK_TEST"

// Env returns an entry for the environment of the processes that t starts, in the
// form of [os.Environ]. By it [Check] knows them also after they have left their
// parent, their group and their session.
func Env(t testing.TB) string {
	return fmt.Sprintf("%s=%d/%s", marker, os.Getpid(), t.Name())
}

// Check fails t at its end if a goroutine of this module or of os/exec is left
// that was not there when Check was called, or, on Linux, a process that t
// started: a child or one of its descendants, or one that has [Env] in its
// environment. A child that has ended and that nobody waits for is one too; a
// zombie of another parent is not. What is left may take some seconds to end;
// what does not is killed, so that it disturbs no later test.
//
// Call it first in a test: then its look is the last thing the test does, after
// all other cleanups. The test must not run in parallel with others, whose
// goroutines would count.
func Check(t testing.TB) {
	t.Helper()
	check(t, patience)
}

func check(t testing.TB, patience time.Duration) {
	t.Helper()
	before := goroutines()
	children := processes("")
	env := Env(t)
	t.Cleanup(func() {
		var stacks []goroutine
		var procs []process
		tick := time.NewTicker(pause)
		defer tick.Stop()
		// Two looks, since a process that is just being started may escape one.
		clean := 0
		for end := time.Now().Add(patience); ; <-tick.C {
			stacks = slices.DeleteFunc(goroutines(), func(g goroutine) bool {
				return slices.ContainsFunc(before, func(b goroutine) bool { return b.id == g.id })
			})
			procs = slices.DeleteFunc(processes(env), func(p process) bool {
				return slices.ContainsFunc(children, p.is)
			})
			if len(stacks) > 0 || len(procs) > 0 {
				clean = 0
			} else if clean++; clean == 2 {
				return
			}
			if clean == 0 && time.Now().After(end) {
				break
			}
		}
		for _, g := range stacks {
			t.Errorf("a goroutine is left:\n%s", g.stack)
		}
		for _, p := range procs {
			if p.zombie {
				t.Errorf("a child is not waited for: %s", p)
				continue
			}
			t.Errorf("a process is left: %s", p)
			if left, err := os.FindProcess(p.pid); err == nil {
				_ = left.Kill()
			}
		}
	})
}

// A process is one that was found by [processes].
type process struct {
	pid    int
	start  string // in clock ticks, which tells it from a later one with its pid
	zombie bool
	name   string
}

func (p process) is(q process) bool { return p.pid == q.pid && p.start == q.start }

func (p process) String() string { return fmt.Sprintf("%d: %s", p.pid, p.name) }

// A goroutine is one that was found by [goroutines].
type goroutine struct{ id, stack string }

// ours matches the stack of a goroutine that runs, or was started by, code of this
// module or of os/exec.
var ours = regexp.MustCompile(`(?m)^(created by )?(github\.com/matrix-nexus/skillkit[/.]|os/exec\.)`)

// goroutines returns those that are ours, without the calling one and those of
// other tests, such as that which t is a part of.
func goroutines() []goroutine {
	buf := make([]byte, 1<<20)
	n := runtime.Stack(buf, true)
	for n == len(buf) {
		buf = make([]byte, 2*len(buf))
		n = runtime.Stack(buf, true)
	}
	var found []goroutine
	for i, stack := range bytes.Split(buf[:n], []byte("\n\n")) {
		if i == 0 || !ours.Match(stack) || bytes.Contains(stack, []byte("\ncreated by testing.")) {
			continue
		}
		id, _, _ := strings.Cut(strings.TrimPrefix(string(stack), "goroutine "), " ")
		found = append(found, goroutine{id, string(stack)})
	}
	return found
}
