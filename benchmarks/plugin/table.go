package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"text/tabwriter"
)

var cases = []string{"floor", "ours", "mcp", "ceiling", "python", "python ceiling"}

// measureAll lets the cases take turns and prints medians and ratios.
func measureAll(ctx context.Context, rounds, n int) error {
	pins := []bool{false, true}
	if runtime.GOOS != "linux" {
		pins = pins[:1]
	}
	for _, pinned := range pins {
		samples := map[string][]sample{}
		for range rounds {
			for _, name := range cases {
				s, err := child(ctx, name, n, pinned)
				if err != nil {
					return err
				}
				samples[name] = append(samples[name], s)
			}
		}
		where := fmt.Sprintf("%d CPUs", runtime.NumCPU())
		if pinned {
			where = "both pinned to one CPU"
		}
		fmt.Printf("%s; medians of %d rounds of %d calls\n", where, rounds, n)
		table(samples)
		fmt.Println()
	}
	return nil
}

func table(samples map[string][]sample) {
	of := func(name string, get func(sample) float64) float64 {
		var list []float64
		for _, s := range samples[name] {
			list = append(list, get(s))
		}
		return middle(list)
	}
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tfloor\tours\tMCP SDK\tceiling\tours / floor\tours : MCP\tours / ceiling\t")
	row := func(what, format string, faster float64, get func(sample) float64) {
		floor, ours, mcp, top := of("floor", get), of("ours", get), of("mcp", get), of("ceiling", get)
		cell := func(format string, v float64) string {
			if v == 0 || v != v {
				return "-"
			}
			return fmt.Sprintf(format, v)
		}
		better, overFloor, ofTop := mcp/ours, 0.0, 0.0
		if faster > 0 {
			better = ours / mcp
		}
		if floor > 0 {
			overFloor = ours / floor
		}
		if top > 0 {
			ofTop = ours / top
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", what, cell(format, floor), cell(format, ours), cell(format, mcp), cell(format, top),
			cell("%.2f", overFloor), cell("%.1f ×", better), cell("%.2f", ofTop))
	}
	us := func(get func(sample) float64) func(sample) float64 {
		return func(s sample) float64 { return get(s) / 1e3 }
	}
	row("p50, µs", "%.1f", 0, us(func(s sample) float64 { return s.P50 }))
	row("p99, µs", "%.1f", 0, us(func(s sample) float64 { return s.P99 }))
	for _, inFlight := range []int{1, 8, 64} {
		row(fmt.Sprintf("%d in flight, calls/s", inFlight), "%.0f", 1, func(s sample) float64 { return s.Rate[inFlight] })
	}
	row("1 MiB, µs", "%.0f", 0, us(func(s sample) float64 { return s.Large }))
	row("30 MiB, µs", "%.0f", 0, us(func(s sample) float64 { return s.File }))
	row("allocations a call", "%.1f", 0, func(s sample) float64 { return s.Allocs })
	t.Flush()
	python, top := of("python", rate64), of("python ceiling", rate64)
	fmt.Printf("a plugin in Python, 64 in flight: %.0f calls/s of its ceiling of %.0f, %.2f\n", python, top, python/top)
}

func rate64(s sample) float64 { return s.Rate[64] }
