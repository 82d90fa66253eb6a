package install_test

import (
	"fmt"
	"testing"

	"github.com/matrix-nexus/skillkit/install"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/requires"
)

// BenchmarkNewPlan plans for as many skills as the largest collection holds,
// with 700 distinct programs of which half are missing.
func BenchmarkNewPlan(b *testing.B) {
	opts := exampleMachine()
	host := opts.Host.(*fakeHost)
	var targets []install.Target
	for i := range 18_000 {
		bin := fmt.Sprintf("bin%d", i%700)
		m := &metadata.Manifest{Name: fmt.Sprintf("skill%d", i), Install: []metadata.Recipe{
			{ID: "brew", Kind: metadata.KindBrew, Packages: []string{bin}, Bins: []string{bin}},
			{ID: "apt", Kind: metadata.KindApt, Packages: []string{bin}, Bins: []string{bin}},
		}}
		m.Requires.Bins = reqs(bin)
		m.Requires.PythonPackages = reqs("numpy")
		r := requires.Report{Readiness: requires.Ready}
		if i%2 == 0 {
			r = requires.Check(m, host)
		}
		targets = append(targets, install.Target{Name: m.Name, Manifest: m, Report: r})
	}
	b.ReportAllocs()
	for b.Loop() {
		if p := install.NewPlan(targets, opts); len(p.Steps) != 351 {
			b.Fatalf("got %d steps", len(p.Steps))
		}
	}
}
