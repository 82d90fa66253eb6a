package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/matrix-nexus/skillkit/benchmarks/sample"
	"github.com/matrix-nexus/skillkit/loader"
	"github.com/matrix-nexus/skillkit/skills"
)

// A benchCase is one way to index a tree of skills.
type benchCase struct {
	name string
	flat bool // runs on the flattened copy
	// times is how often run is called for one measurement.
	times int
	// prepare does what is not measured and returns what is. It is nil for the
	// case of the peer.
	prepare func(ctx context.Context, dir string) (sample.Run, error)
}

// The names of the cases that targets refer to.
const (
	caseNothing   = "nothing"
	caseIndex     = "index"
	caseNested    = "index, full depth"
	caseReload    = "refresh, unchanged"
	caseList      = "list from memory"
	caseFloor     = "floor (e)"
	caseYAML      = "(e) and yaml.v3"
	caseFlatIndex = "index, flat copy"
	caseEino      = "eino, flat copy"
)

// cases are in the order in which they take turns. The first does nothing:
// what it costs is what a process costs.
var cases = []benchCase{
	{caseNothing, false, 1, func(context.Context, string) (sample.Run, error) {
		return func() (int, any, error) { return 0, nil, nil }, nil
	}},
	{caseIndex, false, 1, index(false)},
	{caseNested, false, 1, index(true)},
	{caseReload, false, 1, func(ctx context.Context, dir string) (sample.Run, error) {
		l := newLoader(dir, false)
		if _, err := l.Skills(ctx); err != nil {
			return nil, err
		}
		return func() (int, any, error) {
			diff, err := l.Reload(ctx)
			if err == nil && !diff.Empty() {
				err = fmt.Errorf("an unchanged tree has changes: %+v", diff)
			}
			if err != nil {
				return 0, nil, err
			}
			set, err := l.Skills(ctx)
			if err != nil {
				return 0, nil, err
			}
			return found(set), l, nil
		}, nil
	}},
	{caseList, false, listTimes, func(ctx context.Context, dir string) (sample.Run, error) {
		l := newLoader(dir, false)
		if _, err := l.Skills(ctx); err != nil {
			return nil, err
		}
		return func() (int, any, error) {
			set, err := l.Skills(ctx)
			if err != nil {
				return 0, nil, err
			}
			n, bytes := 0, 0
			for s := range set.All() {
				n++
				bytes += len(s.Name) + len(s.Description)
			}
			return n, l, nil
		}, nil
	}},
	{caseFloor, false, 1, func(_ context.Context, dir string) (sample.Run, error) {
		return func() (int, any, error) {
			n, err := floor(dir, nil)
			return n, nil, err
		}, nil
	}},
	{caseYAML, false, 1, func(_ context.Context, dir string) (sample.Run, error) {
		return func() (int, any, error) {
			briefs := new(briefs)
			n, err := floor(dir, briefs.decode)
			return n, briefs, err
		}, nil
	}},
	{caseFlatIndex, true, 1, index(false)},
	{caseEino, true, 1, nil},
}

// listTimes is how often one measurement lists the skills: once is too short
// for the clock.
const listTimes = 100

func caseNamed(name string) (benchCase, error) {
	i := slices.IndexFunc(cases, func(c benchCase) bool { return c.name == name })
	if i < 0 {
		return benchCase{}, fmt.Errorf("no case is named %q", name)
	}
	return cases[i], nil
}

func newLoader(dir string, nested bool) *loader.Loader {
	return loader.New(&loader.Options{NoBase: true, Roots: []loader.Root{{Dir: dir}}, Nested: nested})
}

func index(nested bool) func(context.Context, string) (sample.Run, error) {
	return func(ctx context.Context, dir string) (sample.Run, error) {
		return func() (int, any, error) {
			l := newLoader(dir, nested)
			set, err := l.Skills(ctx)
			if err != nil {
				return 0, nil, err
			}
			return found(set), l, nil
		}, nil
	}
}

// found counts the skills of set, and those that lost their name to another.
func found(set *skills.Set) int { return set.Len() + len(set.Shadowed()) }
