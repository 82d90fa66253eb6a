// Peer lists skills with the local backend of eino, for the benchmarks. It is
// a program of its own so that what eino links weighs on nobody else.
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cloudwego/eino/adk/middlewares/skill"

	"github.com/matrix-nexus/skillkit/benchmarks/sample"
)

const skillFile = "SKILL.md"

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "peer:", err)
		os.Exit(1)
	}
}

// run takes "measure-one NAME DIR TIMES", of which the name is for the reader
// of a process list, or "flatten DIR FLAT".
func run(ctx context.Context, args []string) error {
	switch {
	case len(args) == 4 && args[0] == "measure-one":
		times, err := strconv.Atoi(args[3])
		if err != nil {
			return err
		}
		return sample.Measure(os.Stdout, times, func() (sample.Run, error) {
			return func() (int, any, error) {
				got, err := list(ctx, args[2])
				return len(got), got, err
			}, nil
		})
	case len(args) == 3 && args[0] == "flatten":
		return flatten(ctx, args[1], args[2])
	}
	return errors.New("usage: peer measure-one NAME DIR TIMES | flatten DIR FLAT")
}

// list returns the skills one level below dir.
func list(ctx context.Context, dir string) ([]skill.FrontMatter, error) {
	backend, err := skill.NewLocalBackend(&skill.LocalBackendConfig{BaseDir: dir})
	if err != nil {
		return nil, err
	}
	return backend.List(ctx)
}

// flatten copies to flat, one level deep, each SKILL.md below dir that eino
// can load: one that it cannot load would empty its list.
func flatten(ctx context.Context, dir, flat string) error {
	probe := filepath.Join(flat+"-probe", "skill")
	for _, d := range []string{flat, probe} {
		if err := os.MkdirAll(d, 0o777); err != nil {
			return err
		}
	}
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Name() != skillFile || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(probe, skillFile), data, 0o666); err != nil {
			return err
		}
		if got, err := list(ctx, filepath.Dir(probe)); err != nil || len(got) != 1 {
			return nil
		}
		rel, err := filepath.Rel(dir, filepath.Dir(path))
		if err != nil {
			return err
		}
		to := filepath.Join(flat, strings.ReplaceAll(filepath.ToSlash(rel), "/", "_"))
		if err := os.Mkdir(to, 0o777); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, skillFile), data, 0o666)
	})
}
