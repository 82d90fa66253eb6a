package requires_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/requires"
)

// BenchmarkCheck measures all checks of 18,000 skills that name 700 distinct
// programs, a tenth of which are there, on a PATH of 13 folders with 1,300
// files: what the largest public collection asks of an ordinary machine.
func BenchmarkCheck(b *testing.B) {
	needUnix(b)
	var dirs []string
	for d := range 13 {
		dir := b.TempDir()
		dirs = append(dirs, dir)
		for f := range 100 {
			name := "other-" + strconv.Itoa(f)
			if f < 6 {
				name = "bin-" + strconv.Itoa(d*6+f)
			}
			program(b, dir, name)
		}
	}
	manifests := make([]metadata.Manifest, 18_000)
	for i := range manifests {
		manifests[i].Requires.Bins = reqs("bin-" + strconv.Itoa(i%700))
	}
	b.Setenv("PATH", pathOf(dirs...)[len("PATH="):])
	host := requires.NewHost(&requires.Options{Lookup: os.LookupEnv})

	checkAll := func(b *testing.B) {
		missing := 0
		for i := range manifests {
			if r := requires.Check(&manifests[i], host); r.Readiness == requires.Missing {
				missing++
			}
		}
		if missing == 0 || missing == len(manifests) {
			b.Fatalf("%d of %d are missing something", missing, len(manifests))
		}
	}
	b.Run("index=loaded", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			checkAll(b)
		}
	})
	b.Run("index=built", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			host.Refresh()
			checkAll(b)
		}
	})
	b.Run("naive=LookPath", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for i := range manifests {
				file, err := exec.LookPath(manifests[i].Requires.Bins[0].Name)
				if err == nil && !filepath.IsAbs(file) {
					b.Fatal(file)
				}
			}
		}
	})
}
