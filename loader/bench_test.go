package loader_test

import (
	"testing"

	"github.com/matrix-nexus/skillkit/internal/skillgen"
	"github.com/matrix-nexus/skillkit/loader"
)

const benchSkills = 1000

// generated returns a tree of skills as they are found, faults included.
func generated(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	if _, err := skillgen.Tree(dir, benchSkills, 1); err != nil {
		b.Fatal(err)
	}
	return dir
}

func BenchmarkIndex(b *testing.B) {
	dir := generated(b)
	for _, bb := range []struct {
		name             string
		nested, portable bool
	}{{name: "pruned"}, {name: "nested", nested: true}, {name: "portable", portable: true}} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				l := loader.New(&loader.Options{Roots: []loader.Root{{Dir: dir}}, Nested: bb.nested})
				if bb.portable {
					l.Portable()
				}
				if _, err := l.Skills(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/benchSkills, "µs/skill")
		})
	}
}

func BenchmarkReloadUnchanged(b *testing.B) {
	l := loader.New(&loader.Options{Roots: []loader.Root{{Dir: generated(b)}}})
	if _, err := l.Skills(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := l.Reload(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/benchSkills, "µs/skill")
}

func BenchmarkSkills(b *testing.B) {
	l := loader.New(&loader.Options{Roots: []loader.Root{{Dir: generated(b)}}})
	b.ReportAllocs()
	for b.Loop() {
		set, err := l.Skills(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		for sk := range set.All() {
			if sk.Name == "" {
				b.Fatal("no name")
			}
		}
	}
}

// BenchmarkBody reads the body of a skill for the first time.
func BenchmarkBody(b *testing.B) {
	dir := generated(b)
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		set, err := loader.New(&loader.Options{Roots: []loader.Root{{Dir: dir}}}).Skills(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		for sk := range set.All() {
			// Some have faults, which cost time too.
			_, _ = sk.Body()
		}
	}
}
