// Package sample measures one call in a process that does nothing else.
package sample

import (
	"encoding/json"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// A Sample is what one process has measured, around the calls of a [Run] only:
// its start and its preparation are left out.
type Sample struct {
	Skills  int           // that were seen
	Time    time.Duration // of one call
	Allocs  float64       // of one call
	Live    int64         // bytes of heap that preparation and result hold on to
	PeakRSS int64         // bytes, of the whole process; 0 if not known
}

// A Run is what is measured. It returns the number of skills it has seen, and
// something to keep alive for the measure of the live heap.
type Run func() (n int, keep any, err error)

// Measure prepares a Run, calls it the given number of times, and writes the
// sample to w as JSON. With no times at all it only prepares.
func Measure(w io.Writer, times int, prepare func() (Run, error)) error {
	empty := heap()
	run, err := prepare()
	if err != nil {
		return err
	}
	var s Sample
	var keep any
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	for range times {
		if s.Skills, keep, err = run(); err != nil {
			return err
		}
	}
	s.Time = time.Since(start) / time.Duration(max(1, times))
	runtime.ReadMemStats(&after)
	s.PeakRSS = peakRSS()
	s.Allocs = float64(after.Mallocs-before.Mallocs) / float64(max(1, times))
	s.Live = heap() - empty
	runtime.KeepAlive(keep)
	return json.NewEncoder(w).Encode(s)
}

// heap returns the bytes of live heap.
func heap() int64 {
	runtime.GC()
	runtime.GC() // what finalizers have let go
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// peakRSS returns the largest resident set of this process. It asks /proc and
// not getrusage: the latter counts the parent's memory too, for a process
// that was started by vfork, as Go's are.
func peakRSS() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kb, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, err := strconv.ParseInt(kb, 10, 64)
	if err != nil {
		return 0
	}
	return n << 10
}
