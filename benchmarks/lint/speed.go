package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/text"

	"github.com/matrix-nexus/skillkit/bundled"
	"github.com/matrix-nexus/skillkit/check"
	"github.com/matrix-nexus/skillkit/internal/skillgen"
)

func bundledFS() fs.FS { return bundled.FS() }

// speed prints the time that linting the skills below dir takes, as ratios.
func speed(ctx context.Context, dir string, rounds int) error {
	root := os.DirFS(dir)
	targets, err := check.Find(ctx, root, ".", ".", nil)
	if err != nil {
		return err
	}
	c, err := check.New(nil)
	if err != nil {
		return err
	}
	// What needs other files is left out of the second case, as it is of the
	// floor.
	var others []string
	for _, r := range c.Rules() {
		if r.RunSet != nil {
			others = append(others, r.ID)
		}
	}
	single, err := check.New(&check.Options{Disable: others})
	if err != nil {
		return err
	}
	cases := []struct {
		name string
		run  func() error
	}{
		{"floor: read each SKILL.md and parse its Markdown", func() error { return floor(targets) }},
		{"all rules for one file", func() error { return oneFile(ctx, single, targets) }},
		{"all rules, with the folders and all skills together", func() error {
			_, err := c.Check(ctx, targets)
			return err
		}},
	}
	times := make([][]time.Duration, len(cases))
	for range rounds {
		for i, c := range cases {
			runtime.GC()
			start := time.Now()
			if err := c.run(); err != nil {
				return err
			}
			times[i] = append(times[i], time.Since(start))
		}
	}
	fmt.Printf("\n%d skills, %d rounds, %d rules\n\n| case | ms | × floor |\n|---|---|---|\n", len(targets), rounds, len(c.Rules()))
	base := median(times[0])
	for i, c := range cases {
		fmt.Printf("| %s | %.0f | %.2f |\n", c.name, ms(median(times[i])), ms(median(times[i]))/ms(base))
	}
	return nil
}

// commands prints the time of each linter on as many skills as the peer manages in
// some seconds.
func commands(ctx context.Context, tmp string, rounds int, linters []linter) error {
	const n = 500
	dir := filepath.Join(tmp, "small")
	if _, err := skillgen.Tree(dir, n, 1); err != nil {
		return err
	}
	fmt.Printf("\n| command, %d skills | ms |\n|---|---|\n", n)
	for _, l := range linters {
		var list []time.Duration
		for range min(rounds, 3) {
			start := time.Now()
			if _, err := l.check(ctx, dir); err != nil {
				return err
			}
			list = append(list, time.Since(start))
		}
		fmt.Printf("| %s | %.0f |\n", l.name, ms(median(list)))
	}
	return nil
}

// each runs f for n numbers with as many goroutines as a Checker has.
func each(n int, f func(i int) error) error {
	next := make(chan int)
	errs := make([]error, n)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				errs[i] = f(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
	return errors.Join(errs...)
}

func floor(targets []check.Target) error {
	md := goldmark.New()
	return each(len(targets), func(i int) error {
		data, err := fs.ReadFile(targets[i].FS, targets[i].Manifest)
		if err != nil {
			return err
		}
		if _, body, ok := bytes.Cut(data, []byte("\n---\n")); ok {
			data = body
		}
		md.Parser().Parse(text.NewReader(data))
		return nil
	})
}

// oneFile checks the SKILL.md files as if each were alone.
func oneFile(ctx context.Context, c *check.Checker, targets []check.Target) error {
	alone := make([]check.Target, len(targets))
	err := each(len(targets), func(i int) error {
		t := targets[i]
		data, err := fs.ReadFile(t.FS, t.Manifest)
		alone[i] = check.Target{Path: t.Path, Name: t.Name, Manifest: t.Manifest, Text: data}
		return err
	})
	if err != nil {
		return err
	}
	_, err = c.Check(ctx, alone)
	return err
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
