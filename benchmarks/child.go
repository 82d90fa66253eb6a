package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/matrix-nexus/skillkit/benchmarks/sample"
)

// measureCommand is the first argument of a process that measures one case. It
// is followed by the name of the case, the folder, and the number of calls.
const measureCommand = "measure-one"

// child measures one case of ours and prints the sample.
func child(ctx context.Context, name, dir, times string) error {
	c, err := caseNamed(name)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(times)
	if err != nil {
		return err
	}
	return sample.Measure(os.Stdout, n, func() (sample.Run, error) { return c.prepare(ctx, dir) })
}

// programs are the two that do the work: this one, and the peer's, which is
// built apart so that what it links does not count as our memory.
type programs struct{ self, peer string }

// buildPeer builds the peer's program into folder dir.
func buildPeer(ctx context.Context, dir string) (programs, error) {
	self, err := os.Executable()
	if err != nil {
		return programs{}, err
	}
	p := programs{self, filepath.Join(dir, "peer")}
	out, err := exec.CommandContext(ctx, "go", "build", "-o", p.peer, "github.com/matrix-nexus/skillkit/benchmarks/peer").CombinedOutput()
	if err != nil {
		return p, fmt.Errorf("building the peer, which needs the benchmarks folder as working directory: %w\n%s", err, out)
	}
	return p, nil
}

// flatten copies to flat, one level deep, the SKILL.md files below dir that
// the peer can load.
func (p programs) flatten(ctx context.Context, dir, flat string) error {
	if out, err := exec.CommandContext(ctx, p.peer, "flatten", dir, flat).CombinedOutput(); err != nil {
		return fmt.Errorf("flattening %s: %w\n%s", dir, err, out)
	}
	return nil
}

// measure runs one case in a process of its own, below the command wrap if
// that is given.
func (p programs) measure(ctx context.Context, c benchCase, dir string, times int, wrap ...string) (sample.Sample, error) {
	program := p.self
	if c.prepare == nil {
		program = p.peer
	}
	argv := append(wrap, program, measureCommand, c.name, dir, strconv.Itoa(times))
	out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).Output()
	if err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			err = fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		return sample.Sample{}, fmt.Errorf("case %q: %w", c.name, err)
	}
	var s sample.Sample
	if err := json.Unmarshal(out, &s); err != nil {
		return sample.Sample{}, fmt.Errorf("case %q: %w", c.name, err)
	}
	return s, nil
}

// noise are the system calls of the Go runtime, which come and go with the
// load of the machine and are nobody's doing.
var noise = strings.Fields(`futex nanosleep clock_nanosleep sched_yield madvise mmap munmap tgkill getpid gettid
	rt_sigreturn rt_sigprocmask rt_sigaction sigaltstack clone clone3 exit restart_syscall epoll_pwait epoll_wait
	set_robust_list rseq prctl total`)

// countSyscalls returns the number of system calls of one call of a case: those
// of a process that makes its calls less those of one that makes none. ok is
// false if there is no strace on this machine.
func (p programs) countSyscalls(ctx context.Context, c benchCase, dir string) (perCall float64, ok bool, err error) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		return 0, false, nil
	}
	var counts [2]int
	for i, times := range []int{0, c.times} {
		if counts[i], err = p.trace(ctx, strace, c, dir, times); err != nil {
			return 0, false, err
		}
	}
	// A call makes a whole number of them. The rest is the Go runtime's.
	return max(0, math.Round(float64(counts[1]-counts[0])/float64(c.times))), true, nil
}

func (p programs) trace(ctx context.Context, strace string, c benchCase, dir string, times int) (n int, err error) {
	f, err := os.CreateTemp("", "skillkit-strace-")
	if err != nil {
		return 0, err
	}
	f.Close()
	defer os.Remove(f.Name())
	if _, err := p.measure(ctx, c, dir, times, strace, "-f", "-c", "-U", "name,calls", "-o", f.Name()); err != nil {
		return 0, err
	}
	table, err := os.ReadFile(f.Name())
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(table)) {
		name, calls, _ := strings.Cut(strings.TrimSpace(line), " ")
		k, err := strconv.Atoi(strings.TrimSpace(calls))
		if err != nil || slices.Contains(noise, name) {
			continue
		}
		n += k
	}
	return n, nil
}
