package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// A target is a bound on something measured.
type target struct {
	what    string
	atLeast bool // else at most
	bound   float64
	// value returns what was measured; ok is false if it could not be.
	value func(r *result) (v float64, ok bool)
}

func always(f func(r *result) float64) func(*result) (float64, bool) {
	return func(r *result) (float64, bool) { return f(r), true }
}

// targets holds for every tree; see printTargets for the two that compare
// trees or are about the largest.
var targets = []target{
	{"index, time against floor (e)", false, 0.5, always(func(r *result) float64 { return r.ratio(caseIndex, caseFloor) })},
	{"index with full depth, time against floor (e)", false, 1.0, always(func(r *result) float64 { return r.ratio(caseNested, caseFloor) })},
	{"refresh of an unchanged tree, time against floor (e)", false, 0.4, always(func(r *result) float64 { return r.ratio(caseReload, caseFloor) })},
	{"eino's list, time against our index of the same files", true, 5, always(func(r *result) float64 { return r.ratio(caseEino, caseFlatIndex) })},
	{"index, allocations per skill", false, 25, always(func(r *result) float64 { return r.perSkill(caseIndex, r.figures[caseIndex].allocs) })},
	{"index, system calls per skill", false, 6, func(r *result) (float64, bool) {
		return r.perSkill(caseIndex, r.figures[caseIndex].syscalls), r.syscalls
	}},
	{"list from memory, system calls", false, 0, func(r *result) (float64, bool) { return r.figures[caseList].syscalls, r.syscalls }},
}

// peakBound is for the peak memory in MB of an index of 18,000 skills.
const peakBound = 25

func printTargets(w io.Writer, all []*result) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "target\ttree\taim\tmeasured\t")
	row := func(what string, tree string, atLeast bool, bound, v float64, ok bool) {
		sign, met := "≤", v <= bound
		if atLeast {
			sign, met = "≥", v >= bound
		}
		verdict := "met"
		switch {
		case !ok:
			return
		case !met:
			verdict = "MISSED"
		}
		fmt.Fprintf(t, "%s\t%s\t%s %g\t%.2f\t%s\n", what, tree, sign, bound, v, verdict)
	}
	for _, x := range targets {
		for _, r := range all {
			v, ok := x.value(r)
			row(x.what, fmt.Sprint(r.files), x.atLeast, x.bound, v, ok)
		}
	}
	bySize := slices.SortedFunc(slices.Values(all), func(a, b *result) int { return cmp.Compare(a.files, b.files) })
	small, large := bySize[0], bySize[len(bySize)-1]
	if small != large {
		v := large.perSkill(caseIndex, float64(large.figures[caseIndex].time)) / small.perSkill(caseIndex, float64(small.figures[caseIndex].time))
		row("index, µs per skill, largest tree against smallest", fmt.Sprint(large.files), false, 1, v, true)
	}
	rss := large.figures[caseIndex].rss
	row("index, peak memory in MB", fmt.Sprint(large.files), false, peakBound, float64(rss)/1e6, rss > 0)
	t.Flush()
}
