// Plugin measures calls of a plugin: by this module's host, by the MCP Go SDK, and
// by two processes that only send lines to and fro.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// shortText makes a call of about lineSize bytes with what is around it.
const shortText = "a short text of some words, 40 bytes long"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	switch {
	case len(os.Args) == 2 && slices.Contains([]string{rolePong, rolePlugin, roleMCP}, os.Args[1]):
		err = play(os.Args[1])
	case len(os.Args) == 4 && os.Args[1] == measureCommand:
		err = measureOne(ctx, os.Args[2], os.Args[3])
	default:
		rounds := flag.Int("rounds", 5, "how often each case is measured")
		n := flag.Int("n", 20_000, "calls of one sample")
		flag.Parse()
		err = measureAll(ctx, *rounds, *n)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// measureCommand is the first argument of a process that measures one peer. It is
// followed by the peer and the number of calls.
const measureCommand = "measure-one"

// A sample is what one process measures. Durations are in nanoseconds.
type sample struct {
	P50, P99 float64
	Allocs   float64         // of a call, in the host
	Rate     map[int]float64 // calls a second, by how many are in flight
	Large    float64         // of an answer of 1 MiB
	File     float64         // of one of 30 MiB, which comes in a file if it can
}

func measureOne(ctx context.Context, name, calls string) error {
	n, err := strconv.Atoi(calls)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	s := sample{Rate: map[int]float64{}}
	switch name {
	case "ceiling":
		s.Rate[64], err = ceiling(ctx, 10*n, self, rolePlugin)
	case "python ceiling":
		s.Rate[64], err = ceiling(ctx, 10*n, python...)
	default:
		err = s.measure(ctx, name, self, n)
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(s)
}

func (s *sample) measure(ctx context.Context, name, self string, n int) error {
	p, err := peers[name](ctx, self)
	if err != nil {
		return err
	}
	defer p.close()
	short := func() error { return p.call(ctx, toolEcho, shortText) }
	for range min(n, 1000) { // until all is warm
		if err := short(); err != nil {
			return err
		}
	}
	times := make([]float64, n)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range times {
		took, err := timed(short)
		if err != nil {
			return err
		}
		times[i] = float64(took)
	}
	runtime.ReadMemStats(&after)
	slices.Sort(times)
	s.P50, s.P99 = times[n/2], times[n*99/100]
	s.Allocs = float64(after.Mallocs-before.Mallocs) / float64(n)
	if name == "floor" {
		return nil
	}
	for _, inFlight := range []int{1, 8, 64} {
		if s.Rate[inFlight], err = rate(short, inFlight, n); err != nil {
			return err
		}
	}
	if name == "python" {
		return nil // what else it is asked is about the host
	}
	if s.Large, err = median(20, func() error { return p.call(ctx, toolLarge, strconv.Itoa(1<<20)) }); err != nil {
		return err
	}
	if name == "mcp" {
		return nil // by default it takes no line of that length
	}
	s.File, err = median(3, func() error { return p.call(ctx, toolLarge, strconv.Itoa(30<<20)) })
	return err
}

// rate returns how many of n calls end in a second, of which some are in flight.
func rate(call func() error, inFlight, n int) (float64, error) {
	var wg sync.WaitGroup
	var next atomic.Int64
	errs := make(chan error, inFlight)
	took, _ := timed(func() error {
		for range inFlight {
			wg.Go(func() {
				for next.Add(1) <= int64(n) {
					if err := call(); err != nil {
						errs <- err
						return
					}
				}
			})
		}
		wg.Wait()
		return nil
	})
	select {
	case err := <-errs:
		return 0, err
	default:
		return float64(n) / took.Seconds(), nil
	}
}

func median(n int, call func() error) (float64, error) {
	times := make([]float64, n)
	for i := range times {
		took, err := timed(call)
		if err != nil {
			return 0, err
		}
		times[i] = float64(took)
	}
	return middle(times), nil
}

func middle(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[len(list)/2]
}

func timed(f func() error) (time.Duration, error) {
	start := time.Now()
	err := f()
	return time.Since(start), err
}

// child measures one peer in a process of its own, which runs on the first CPU
// with all that it starts if it is to be pinned.
func child(ctx context.Context, name string, n int, pinned bool) (sample, error) {
	var s sample
	self, err := os.Executable()
	if err != nil {
		return s, err
	}
	cmd := exec.CommandContext(ctx, self, measureCommand, name, strconv.Itoa(n))
	cmd.Stderr = os.Stderr
	if pinned {
		undo, err := pin()
		if err != nil {
			return s, err
		}
		defer undo()
	}
	out, err := cmd.Output()
	if err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	return s, json.Unmarshal(out, &s)
}
