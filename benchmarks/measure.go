package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/matrix-nexus/skillkit/benchmarks/sample"
)

// A result is what was measured on one tree.
type result struct {
	dir            string
	files, folders int
	rounds         int
	figures        map[string]*figure // by name of the case
	syscalls       bool               // they were counted
}

// A figure is the median of the samples of one case.
type figure struct {
	skills   int
	time     time.Duration
	spread   float64 // half the distance of the quartiles, as a share of time
	allocs   float64
	live     int64
	rss      int64
	syscalls float64
}

// maxTraced is how many SKILL.md files a tree may hold for system calls to be
// counted in it: strace takes a hundred times as long as the calls.
const maxTraced = 2000

// measure runs all cases in turn, rounds times.
func measure(ctx context.Context, p programs, dir, flat string, rounds int) (*result, error) {
	r := &result{dir: dir, rounds: rounds, figures: map[string]*figure{}}
	var err error
	if r.folders, r.files, err = countFolders(dir); err != nil {
		return nil, err
	}
	samples := map[string][]sample.Sample{}
	for range rounds {
		for _, c := range cases {
			s, err := p.measure(ctx, c, c.tree(dir, flat), c.times)
			if err != nil {
				return nil, err
			}
			samples[c.name] = append(samples[c.name], s)
		}
	}
	for name, list := range samples {
		r.figures[name] = summary(list)
	}
	if r.files > maxTraced {
		return r, nil
	}
	for _, c := range cases {
		f := r.figures[c.name]
		if f.syscalls, r.syscalls, err = p.countSyscalls(ctx, c, c.tree(dir, flat)); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (c benchCase) tree(dir, flat string) string {
	if c.flat {
		return flat
	}
	return dir
}

func summary(list []sample.Sample) *figure {
	times := make([]time.Duration, 0, len(list))
	f := &figure{skills: list[0].Skills}
	for _, s := range list {
		times = append(times, s.Time)
		f.rss = max(f.rss, s.PeakRSS)
		f.allocs += s.Allocs / float64(len(list))
		f.live += s.Live / int64(len(list))
	}
	slices.Sort(times)
	f.time = times[len(times)/2]
	f.spread = float64(times[3*len(times)/4]-times[len(times)/4]) / 2 / float64(max(1, f.time))
	return f
}

func (r *result) ratio(a, b string) float64 {
	return float64(r.figures[a].time) / float64(r.figures[b].time)
}

// perSkill divides by the number of SKILL.md files of the case's tree.
func (r *result) perSkill(name string, value float64) float64 {
	n := r.files
	if name == caseFlatIndex || name == caseEino {
		n = r.figures[caseEino].skills
	}
	return value / float64(max(1, n))
}

func (r *result) print(w io.Writer) {
	fmt.Fprintf(w, "%s: %d SKILL.md, %.2f folders each; medians of %d rounds\n", r.dir, r.files, float64(r.folders)/float64(max(1, r.files)), r.rounds)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "case\tskills\tms\t±\tµs/skill\t× (e)\tallocs/skill\tsyscalls/skill\tlive MB\tpeak RSS MB\t")
	for _, c := range cases {
		f := r.figures[c.name]
		calls := "-"
		if r.syscalls {
			calls = fmt.Sprintf("%.2f", r.perSkill(c.name, f.syscalls))
		}
		fmt.Fprintf(t, "%s\t%d\t%.3f\t%.0f %%\t%.2f\t%.2f\t%.1f\t%s\t%.1f\t%.1f\t\n", c.name, f.skills, float64(f.time)/1e6, 100*f.spread,
			r.perSkill(c.name, float64(f.time)/1e3), r.ratio(c.name, caseFloor), r.perSkill(c.name, f.allocs), calls, float64(f.live)/1e6, float64(f.rss)/1e6)
	}
	t.Flush()
	fmt.Fprintln(w)
}
