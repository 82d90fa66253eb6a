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
	b.Run("floor=scan", func(b *testing.B) { // the names on PATH, and nothing else
		for b.Loop() {
			for _, dir := range dirs {
				f, err := os.Open(dir)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := f.Readdirnames(-1); err != nil {
					b.Fatal(err)
				}
				f.Close()
			}
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

// BenchmarkPython measures the look-up of Python packages in a site-packages of
// 94 distributions, where half of the names that are asked for are there.
func BenchmarkPython(b *testing.B) {
	py := newPython(b)
	var names []string
	for i := range 94 {
		name := "package_" + strconv.Itoa(i)
		install(b, py.site, name, "1."+strconv.Itoa(i), name+"/__init__.py")
		if i%10 == 0 {
			names = append(names, "Package-"+strconv.Itoa(i), "absent-"+strconv.Itoa(i))
		}
	}
	file(b, filepath.Join(py.site, "distutils-precedence.pth"), "import os\n")
	host := requires.NewHost(&requires.Options{Python: []string{py.exe}, Lookup: vars("HOME=/nonexistent")})
	lookup := func(b *testing.B, names ...string) {
		found := 0
		for _, name := range names {
			if host.Lookup(requires.KindPython, name).State == requires.StateFound {
				found++
			}
		}
		if found != (len(names)+1)/2 {
			b.Fatalf("%d of %d are found", found, len(names))
		}
	}
	b.Run("folder=read,names=1", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			host.Refresh()
			lookup(b, names[0])
		}
	})
	b.Run("folder=read,names=20", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			host.Refresh()
			lookup(b, names...)
		}
	})
	b.Run("folder=loaded,names=20", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			lookup(b, names...)
		}
	})
	b.Run("floor=scan", func(b *testing.B) { // the names in site-packages
		for b.Loop() {
			f, err := os.Open(py.site)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := f.Readdirnames(-1); err != nil {
				b.Fatal(err)
			}
			f.Close()
		}
	})
	b.Run("naive=start", func(b *testing.B) {
		exe, err := exec.LookPath("/usr/bin/python3")
		if err != nil {
			b.Skip(err)
		}
		for b.Loop() {
			if out, err := exec.Command(exe, "-c", "import importlib.metadata as m; list(m.distributions())").CombinedOutput(); err != nil {
				b.Fatalf("%v: %s", err, out)
			}
		}
	})
}
