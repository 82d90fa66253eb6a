// Benchmarks compares the index of skillkit with floors and with a peer, on
// generated trees of skills or on given ones.
//
// Every figure comes from one run: the cases take turns, each in a process of
// its own, and what is printed are ratios of medians. See README.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/matrix-nexus/skillkit/internal/skillgen"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "benchmarks:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 4 && args[0] == measureCommand {
		return child(ctx, args[1], args[2], args[3])
	}
	flags := flag.NewFlagSet("benchmarks", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "usage: go run . [flags] [DIR...]")
		flags.PrintDefaults()
	}
	sizes := flags.String("n", "1000,5000,18000", "sizes of the generated trees, in skills; left out when a DIR is given")
	rounds := flags.Int("rounds", 11, "how often each case is run")
	seed := flags.Uint64("seed", 1, "seed of the generated trees")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *rounds < 1 {
		return fmt.Errorf("-rounds must be at least 1, not %d", *rounds)
	}
	tmp, err := os.MkdirTemp("", "skillkit-benchmarks-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)

	progs, err := buildPeer(ctx, tmp)
	if err != nil {
		return err
	}

	trees := flags.Args()
	if len(trees) == 0 {
		for s := range strings.SplitSeq(*sizes, ",") {
			n, err := strconv.Atoi(s)
			if err != nil || n < 1 {
				return fmt.Errorf("-n: %q is not a number of skills", s)
			}
			dir := filepath.Join(tmp, "tree-"+s)
			if _, err := skillgen.Tree(dir, n, *seed); err != nil {
				return err
			}
			trees = append(trees, dir)
		}
	}
	var all []*result
	for i, dir := range trees {
		flat := filepath.Join(tmp, fmt.Sprintf("flat-%d", i))
		if err := progs.flatten(ctx, dir, flat); err != nil {
			return err
		}
		r, err := measure(ctx, progs, dir, flat, *rounds)
		if err != nil {
			return err
		}
		r.print(os.Stdout)
		all = append(all, r)
	}
	printTargets(os.Stdout, all)
	return nil
}
