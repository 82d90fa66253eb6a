package requires_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/requires"
)

func TestPythonInterpreters(t *testing.T) {
	one, two := newPython(t), newPython(t)
	install(t, one.site, "both", "1.0")
	install(t, two.site, "both", "2.0")
	install(t, two.site, "second", "1.0")
	file(t, filepath.Join(install(t, one.site, "stale", "1.0"), "top_level.txt"), "stalemod")
	state, home := t.TempDir(), "HOME="+t.TempDir()
	managed := filepath.Join(state, "python")

	venv := func(dir string, base python, config string) string {
		file(t, filepath.Join(dir, "pyvenv.cfg"), "home = "+filepath.Dir(base.exe)+"\n"+config)
		exe := requires.VenvPython("linux", dir)
		mkdir(t, filepath.Dir(exe))
		if err := os.Symlink(base.exe, exe); err != nil {
			t.Fatal(err)
		}
		return filepath.Join(dir, "lib", "python3.11", "site-packages")
	}
	broken := filepath.Join(t.TempDir(), "python3")
	script(t, broken, "echo no such version >&2; exit 1")

	status := func(h *requires.Host, name string) string {
		s := h.Lookup(requires.KindPython, name)
		text := string(s.State)
		if s.Version != "" {
			text += " " + s.Version
		}
		return text + " " + s.Interpreter
	}
	check := func(name string, opts *requires.Options, want map[string]string) {
		t.Run(name, func(t *testing.T) {
			if opts.Lookup == nil {
				opts.Lookup = vars(home)
			}
			h := requires.NewHost(opts)
			got := make(map[string]string)
			for name := range want {
				got[name] = status(h, name)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}

	check("the first that has it", &requires.Options{Python: []string{one.exe, two.exe}}, map[string]string{
		"both": "found 1.0 " + one.exe, "both>=2": "found 2.0 " + two.exe, "second": "found 1.0 " + two.exe,
		"both>=3": "missing 1.0 " + one.exe, "none": "missing ",
	})
	check("only the one that is named", &requires.Options{Python: []string{one.exe}}, map[string]string{
		"both>=2": "missing 1.0 " + one.exe, "second": "missing ",
		"stalemod": "missing ", // it is to be there, and it is not
	})
	check("no absolute path", &requires.Options{Python: []string{"bin/python3"}}, map[string]string{"both": "missing "})
	check("one that does not answer", &requires.Options{Python: []string{broken, one.exe}}, map[string]string{
		"both": "found 1.0 " + one.exe, "second": "unchecked ", "stale>=2": "unchecked ",
	})
	check("one that does not answer, behind another version", &requires.Options{Python: []string{one.exe, broken}}, map[string]string{
		"stale>=2": "unchecked ", "both<=1": "found 1.0 " + one.exe,
	})
	check("one that is not there", &requires.Options{Python: []string{filepath.Join(state, "gone")}}, map[string]string{"both": "unchecked "})
	check("a managed environment that is not there yet", &requires.Options{Python: []string{one.exe}, Managed: managed}, map[string]string{
		"both": "found 1.0 " + one.exe, "second": "missing ",
	})

	site := venv(managed, one, "include-system-site-packages = TRUE\nversion = 3.11.2\n")
	install(t, site, "stale", "2.0")
	install(t, site, "fresh", "3.0", "freshmod.py")
	python := requires.VenvPython("linux", managed)
	check("a managed environment", &requires.Options{Python: []string{one.exe}, Managed: managed}, map[string]string{
		"both": "found 1.0 " + one.exe, "fresh": "found 3.0 " + python, "freshmod": "found " + python,
		"stale": "found 1.0 " + one.exe, "stale>=2": "found 2.0 " + python, "stale>=3": "missing 1.0 " + one.exe, "second": "missing ",
	})
	check("without another interpreter", &requires.Options{Managed: managed}, map[string]string{
		"both": "found 1.0 " + python, "fresh": "found 3.0 " + python, "json": "found " + python,
	})

	alone := t.TempDir()
	install(t, venv(alone, two, "Include-System-Site-Packages=FALSE\n"), "inside", "1.0")
	exe := requires.VenvPython("linux", alone)
	check("the folder of an environment", &requires.Options{Python: []string{alone}}, map[string]string{
		"inside": "found 1.0 " + exe, "both": "missing ", "json": "found " + exe,
	})
	check("the one on PATH", &requires.Options{Lookup: vars(home, pathOf(t.TempDir(), filepath.Dir(exe), filepath.Dir(one.exe)))}, map[string]string{
		"inside": "missing ", "both": "found 1.0 " + one.exe, // an environment here has only python
	})

	odd := newPython(t)
	file(t, filepath.Join(odd.prefix, "bin", "pyvenv.cfg"), "home = "+filepath.Dir(one.exe)+"\n")
	install(t, odd.site, "oddly", "1.0")
	check("the file of the environment beside the interpreter", &requires.Options{Python: []string{odd.exe}}, map[string]string{
		"oddly": "found 1.0 " + odd.exe, "both": "found 1.0 " + odd.exe,
	})

	user := filepath.Join(t.TempDir(), "lib", "python3.11", "site-packages")
	install(t, user, "mine", "1.0")
	base := "PYTHONUSERBASE=" + strings.TrimSuffix(user, "/lib/python3.11/site-packages")
	check("packages of the user", &requires.Options{Python: []string{one.exe}, Lookup: vars(base)}, map[string]string{"mine": "found 1.0 " + one.exe})
	check("an environment without them", &requires.Options{Python: []string{alone}, Lookup: vars(base)}, map[string]string{"mine": "missing "})
	check("an environment with them", &requires.Options{Python: []string{managed}, Lookup: vars(base)}, map[string]string{"mine": "found 1.0 " + python})
	check("switched off", &requires.Options{Python: []string{one.exe}, Lookup: vars(base, "PYTHONNOUSERSITE=x")}, map[string]string{"mine": "missing "})
	check("PYTHONPATH", &requires.Options{Python: []string{one.exe}, Lookup: vars(home, "PYTHONPATH=rel:"+user)}, map[string]string{"mine": "found 1.0 " + one.exe})
	check("an interpreter that must be asked, and is none", &requires.Options{Python: []string{one.exe}, Lookup: vars(home, "PYTHONHOME=/x")}, map[string]string{
		"both": "unchecked ",
	})
}

func TestHostCopiesItsOptions(t *testing.T) {
	py := newPython(t)
	opts := requires.Options{Lookup: vars("HOME=/nonexistent"), Python: []string{py.exe}, Extra: []string{filepath.Dir(py.exe)}}
	h := requires.NewHost(&opts)
	opts.Python[0], opts.Extra[0] = "", ""
	for kind, name := range map[requires.Kind]string{requires.KindPython: "json", requires.KindBin: "python3"} {
		if s := h.Lookup(kind, name); s.State != requires.StateFound && s.State != requires.StateOffPath {
			t.Errorf("%s %s: %+v", kind, name, s)
		}
	}
}

func TestPythonWithoutInterpreter(t *testing.T) {
	h := requires.NewHost(&requires.Options{Lookup: vars(pathOf(t.TempDir()))})
	r := requires.Check(&metadata.Manifest{Requires: metadata.Requires{PythonPackages: reqs("rich")}}, h)
	if diff := cmp.Diff([]string{`python package "rich" is not there: no python3 or python on PATH`}, r.Lacks()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An interpreter that must be asked is started once, whoever asks for what.
func TestPythonIsStartedOnce(t *testing.T) {
	needUnix(t)
	site, bin := t.TempDir(), t.TempDir()
	install(t, site, "rich", "13.7.0")
	script(t, filepath.Join(bin, "python3"), "echo x >> "+site+"/starts\necho '[\"\", \""+site+"\"]'")
	h := requires.NewHost(&requires.Options{Lookup: vars(pathOf(bin, os.Getenv("PATH")))})
	starts := func() int {
		data, _ := os.ReadFile(filepath.Join(site, "starts"))
		return strings.Count(string(data), "x")
	}
	h.Lookup(requires.KindBin, "python3")
	if n := starts(); n != 0 {
		t.Errorf("%d starts before a package was asked for", n)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			view := h.With(requires.Settings{})
			if s := view.Lookup(requires.KindPython, "rich"); s.State != requires.StateFound {
				t.Errorf("rich: %+v", s)
			}
			view.Lookup(requires.KindPython, "nope"+strconv.Itoa(i))
		})
	}
	wg.Wait()
	if n := starts(); n != 1 {
		t.Errorf("%d starts", n)
	}
	install(t, site, "nope1", "1.0")
	if s := h.Lookup(requires.KindPython, "nope1"); s.State == requires.StateFound {
		t.Error("nope1 is found before Refresh")
	}
	h.Refresh()
	if s := h.Lookup(requires.KindPython, "nope1"); s.State != requires.StateFound {
		t.Errorf("nope1 after Refresh: %+v", s)
	}
	if n := starts(); n != 2 {
		t.Errorf("%d starts after Refresh", n)
	}
}

func TestVenvPython(t *testing.T) {
	dir := t.TempDir()
	if got, want := requires.VenvPython("windows", dir), filepath.Join(dir, "Scripts", "python.exe"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := requires.VenvPython(runtime.GOOS, dir), filepath.Join(dir, "bin", "python"); got != want && runtime.GOOS != "windows" {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestPythonOnWindows(t *testing.T) {
	needUnix(t)
	bin := t.TempDir()
	exe := program(t, bin, "python.exe")
	program(t, bin, "python3.exe")
	h := requires.NewHost(&requires.Options{GOOS: "windows", Lookup: vars(pathOf(bin))})
	if s := h.Lookup(requires.KindPython, "rich"); s.State != requires.StateUnchecked || !strings.HasPrefix(s.Where, exe+": ") {
		t.Errorf("got %+v, want that %s was asked", s, exe)
	}
}
