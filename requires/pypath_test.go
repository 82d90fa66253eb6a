package requires_test

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/requires"
)

// interpreters returns those of this machine whose path follows from rules.
func interpreters(t *testing.T) []string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("on Windows each interpreter is asked")
	}
	list, _ := filepath.Glob(filepath.Join(os.Getenv("PYENV_ROOT"), "versions", "3*", "bin", "python"))
	for _, exe := range []string{"/usr/bin/python3", "/usr/local/bin/python3"} {
		if _, err := os.Stat(exe); err == nil {
			list = append(list, exe)
		}
	}
	if len(list) == 0 {
		t.Skip("there is no python")
	}
	if testing.Short() {
		list = list[max(0, len(list)-2):] // a start takes long
	}
	return list
}

// comparePaths compares the rules with what the interpreter itself says.
func comparePaths(t *testing.T, exe string, env ...string) {
	t.Helper()
	opts := &requires.Options{GOOS: runtime.GOOS, Lookup: vars(append(env, "PATH="+os.Getenv("PATH"))...)}
	cwd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	asked, err := requires.AskPath(t.Context(), opts, exe)
	if err != nil {
		t.Fatal(err)
	}
	// An empty entry of PYTHONPATH is the current folder, which the rules leave
	// out since it is another in each process.
	asked = slices.DeleteFunc(asked, func(dir string) bool {
		_, err := os.Stat(dir)
		return err != nil || dir == cwd
	})
	site, std, ok := requires.RuledPath(opts, exe)
	if !ok {
		t.Fatalf("no rules for %s", exe)
	}
	for _, dir := range std {
		i := slices.Index(asked, dir)
		if i < 0 {
			t.Errorf("%s is not in the path of the interpreter", dir)
			continue
		}
		asked = slices.Delete(asked, i, i+1)
	}
	if diff := cmp.Diff(asked, site); diff != "" {
		t.Errorf("%s (-interpreter +rules):\n%s", exe, diff)
	}
}

func TestRulesAgreeWithInterpreters(t *testing.T) {
	for _, exe := range interpreters(t) {
		t.Run(exe, func(t *testing.T) {
			home, base, extra := t.TempDir(), t.TempDir(), t.TempDir()
			real, err := filepath.EvalSymlinks(exe)
			if err != nil {
				t.Fatal(err)
			}
			for _, dir := range []string{filepath.Join(home, ".local"), base} {
				user := filepath.Join(dir, "lib", filepath.Base(real), "site-packages")
				file(t, filepath.Join(user, "x.pth"), "# remark\n"+extra+"\n\nimport os\n../up\n"+extra+"/gone\n")
				mkdir(t, filepath.Join(user, "..", "up"))
			}
			for name, env := range map[string][]string{
				"plain":            {"HOME=" + t.TempDir()},
				"user":             {"HOME=" + home},
				"PYTHONNOUSERSITE": {"HOME=" + home, "PYTHONNOUSERSITE=1"},
				"PYTHONUSERBASE":   {"HOME=" + home, "PYTHONUSERBASE=" + base},
				"PYTHONPATH":       {"HOME=" + home, "PYTHONPATH=" + extra + ":" + base + "/gone:rel:" + home + "::" + extra},
			} {
				t.Run(name, func(t *testing.T) { comparePaths(t, exe, env...) })
			}
			link := filepath.Join(t.TempDir(), "py")
			if err := os.Symlink(exe, link); err != nil {
				t.Fatal(err)
			}
			t.Run("by a link", func(t *testing.T) { comparePaths(t, link, "HOME="+home) })
		})
	}
}

func TestRulesAgreeWithVirtualEnvironments(t *testing.T) {
	for _, exe := range interpreters(t) {
		t.Run(exe, func(t *testing.T) {
			home := t.TempDir()
			for _, args := range [][]string{{}, {"--system-site-packages"}} {
				dir := filepath.Join(t.TempDir(), "env")
				cmd := exec.CommandContext(t.Context(), exe, slices.Concat([]string{"-I", "-m", "venv", "--without-pip"}, args, []string{dir})...)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Skipf("cannot make an environment: %v: %s", err, out)
				}
				python := requires.VenvPython(runtime.GOOS, dir)
				real, err := filepath.EvalSymlinks(python)
				if err != nil {
					t.Fatal(err)
				}
				mkdir(t, filepath.Join(home, ".local", "lib", filepath.Base(real), "site-packages"))
				t.Run(strings.Join(args, " "), func(t *testing.T) { comparePaths(t, python, "HOME="+home) })
			}
		})
	}
}

// What no interpreter of this machine shows.
func TestRules(t *testing.T) {
	home := "HOME=/nonexistent"
	rules := func(exe, goos string, env ...string) (string, bool) {
		site, std, ok := requires.RuledPath(&requires.Options{GOOS: goos, Lookup: vars(env...)}, exe)
		return strings.Join(append(site, std...), " "), ok
	}
	check := func(name string, want bool, exe, goos string, env ...string) {
		t.Helper()
		if got, ok := rules(exe, goos, env...); ok != want {
			t.Errorf("%s: the rules decide %t, want %t: %s", name, ok, want, got)
		}
	}
	py := newPython(t)
	check("the usual layout", true, py.exe, "linux", home)
	check("not known who it runs as", false, py.exe, "linux")
	check("nor does it matter", true, py.exe, "linux", "PYTHONNOUSERSITE=1")
	check("Windows", false, py.exe, "windows", home)
	for _, name := range []string{"PYTHONHOME", "PYTHONPLATLIBDIR", "PYTHONEXECUTABLE", "__PYVENV_LAUNCHER__"} {
		check(name, false, py.exe, "linux", home, name+"=/x")
	}
	check("not there", false, py.exe+"x", "linux", home)

	wrapped := newPython(t)
	script(t, wrapped.exe, `exec pyenv python "$@"`) // through the link
	check("a script", false, wrapped.exe, "linux", home)
	file(t, filepath.Join(wrapped.prefix, "bin", "mise"), "\x7fELF")
	check("another program", false, filepath.Join(wrapped.prefix, "bin", "mise"), "linux", home)
	old := filepath.Join(wrapped.prefix, "bin", "python2.7")
	file(t, old, "\x7fELF")
	file(t, filepath.Join(wrapped.prefix, "lib", "python2.7", "os.py"), "")
	check("Python 2", false, old, "linux", home)
	moved := filepath.Join(t.TempDir(), "python3.99")
	file(t, moved, "\x7fELF")
	check("a library elsewhere", false, moved, "linux", home)

	fedora := newPython(t)
	file(t, filepath.Join(fedora.std, "site.py"), `if "RPM_BUILD_ROOT" not in os.environ:`)
	check("Fedora", false, fedora.exe, "linux", home)

	suse := newPython(t)
	lib64 := filepath.Join(suse.prefix, "lib64", "python3.11")
	mkdir(t, filepath.Dir(lib64))
	if err := os.Rename(suse.std, lib64); err != nil {
		t.Fatal(err)
	}
	mkdir(t, suse.site)
	got, _ := rules(suse.exe, "linux", home)
	want := strings.Join([]string{filepath.Join(lib64, "site-packages"), suse.site, lib64, filepath.Join(lib64, "lib-dynload")}, " ")
	if got != want {
		t.Errorf("lib64: got %s, want %s", got, want)
	}

	for _, framework := range []string{"Python", "Python3"} {
		prefix := filepath.Join(t.TempDir(), framework+".framework", "Versions")
		mkdir(t, prefix)
		py, home := newPython(t), t.TempDir()
		if err := os.Rename(py.prefix, filepath.Join(prefix, "3.11")); err != nil {
			t.Fatal(err)
		}
		mkdir(t, filepath.Join(home, "Library", "Python", "3.11", "lib", "python", "site-packages"))
		exe := filepath.Join(prefix, "3.11", "bin", "python3")
		check(framework+" of macOS", framework == "Python", exe, "darwin", "HOME="+home)
		if got, _ := rules(exe, "darwin", "HOME="+home); framework == "Python" && !strings.HasPrefix(got, home) {
			t.Errorf("packages of the user on macOS: %s", got)
		}
		check("the folders of others", true, exe, "linux", "HOME="+home)
	}
}

func TestPathFiles(t *testing.T) {
	py := newPython(t)
	var dirs []string
	for _, name := range []string{"bom", "hidden", "tab", "blank", "last"} {
		dirs = append(dirs, mkdir(t, filepath.Join(py.prefix, name)))
	}
	mkdir(t, filepath.Join(py.site, "import\tx"))
	mkdir(t, filepath.Join(py.site, "#x"))
	file(t, filepath.Join(py.site, "a.pth"), "\ufeff"+dirs[0]+"\r\n#x\nimport\tx\n  \n"+dirs[3]+" \t\n"+dirs[3])
	file(t, filepath.Join(py.site, ".hidden.pth"), dirs[1])
	file(t, filepath.Join(py.site, "z.pth"), "../../../last")
	pipe := exec.CommandContext(t.Context(), "mkfifo", filepath.Join(py.site, "pipe.pth"))
	if err := pipe.Run(); err != nil {
		t.Log("without a pipe:", err)
	}
	site, _, _ := requires.RuledPath(&requires.Options{GOOS: "linux", Lookup: vars("HOME=/nonexistent")}, py.exe)
	if diff := cmp.Diff([]string{py.site, dirs[0], dirs[3], dirs[4]}, site); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAskPath(t *testing.T) {
	needUnix(t)
	tests := []struct {
		name, script string
		want         []string
		err          string
	}{
		{"a wrapper that talks", "echo hello; echo; echo '[\"/a\", \"rel\", \"/b\"]'; echo", []string{"/a", "/b"}, ""},
		{"an error", "echo 'pyenv: version not \033[1minstalled' >&2; exit 127", nil, "exit status 127: pyenv: version not [1minstalled"},
		{"no path", "echo hello", nil, "does not print its path"},
		{"nothing", "", nil, "does not print its path"},
		{"too much", "head -c 3000000 /dev/zero; exit 1", nil, "exit status 1"},
		{"reads its input", "cat; echo '[\"/a\"]'", []string{"/a"}, ""},
		{"has the variables that matter", `test "$PYENV_VERSION" = 3.9 && test -z "$SECRET" && echo '["/a"]'`, []string{"/a"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			exe := filepath.Join(t.TempDir(), "python3")
			script(t, exe, tt.script)
			got, err := requires.AskPath(t.Context(), &requires.Options{Lookup: vars("PATH="+os.Getenv("PATH"), "PYENV_VERSION=3.9", "SECRET=x")}, exe)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || err.Error() != exe+": "+tt.err) {
				t.Errorf("error %v, want %s", err, tt.err)
			}
		})
	}
	t.Run("not there", func(t *testing.T) {
		if _, err := requires.AskPath(t.Context(), &requires.Options{Lookup: vars()}, filepath.Join(t.TempDir(), "python3")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("has no variables of this process", func(t *testing.T) {
		t.Setenv("PYENV_VERSION", "3.9")
		exe := filepath.Join(t.TempDir(), "python3")
		script(t, exe, `test -z "$PYENV_VERSION$HOME" && echo '["/a"]'`)
		if _, err := requires.AskPath(t.Context(), &requires.Options{Lookup: vars()}, exe); err != nil {
			t.Error(err)
		}
	})
	t.Run("does not end", func(t *testing.T) {
		exe := filepath.Join(t.TempDir(), "python3")
		script(t, exe, "trap '' TERM; sleep 100 & sleep 100")
		ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, errors.New("too slow"))
		defer cancel()
		if _, err := requires.AskPath(ctx, &requires.Options{Lookup: vars("PATH=" + os.Getenv("PATH"))}, exe); err == nil || err.Error() != exe+": too slow" {
			t.Errorf("got %v", err)
		}
	})
	t.Run("what it prints is bounded", func(t *testing.T) {
		for _, tt := range []struct{ n, kept int }{{requires.MaxAnswer, requires.MaxAnswer}, {requires.MaxAnswer + 1, 1}} {
			// The last write is of one byte.
			r := io.MultiReader(strings.NewReader(strings.Repeat("x", tt.n-1)), iotest.OneByteReader(strings.NewReader("y")))
			got, err := requires.CopyAnswer(struct{ io.Reader }{r})
			if err != nil || len(got) != tt.kept || !strings.HasSuffix(got, "y") {
				t.Errorf("of %d bytes %d are kept, want %d: %v", tt.n, len(got), tt.kept, err)
			}
		}
	})
	// The folder that the process is in may be one of a stranger.
	t.Run("imports nothing from the current folder", func(t *testing.T) {
		python, err := exec.LookPath("python3")
		if err != nil {
			t.Skip(err)
		}
		dir := t.TempDir()
		t.Chdir(dir)
		for _, name := range []string{"json.py", "os.py", "sys.py"} {
			file(t, filepath.Join(dir, name), "open('ran', 'w')\ndumps = str\n")
		}
		for _, path := range []string{"", "PYTHONPATH=:"} {
			lookup := vars("PATH="+os.Getenv("PATH"), "HOME="+os.Getenv("HOME"), "PYENV_ROOT="+os.Getenv("PYENV_ROOT"), path)
			if _, err := requires.AskPath(t.Context(), &requires.Options{Lookup: lookup}, python); err != nil {
				t.Error(err)
			}
		}
		if _, err := os.Stat("ran"); err == nil {
			t.Error("code of the current folder ran")
		}
	})
}

func TestMayStart(t *testing.T) {
	if _, err := os.Stat("/Library/Developer"); err == nil {
		t.Skip("the command line tools are here")
	}
	if err := requires.MayStart("darwin", "/usr/bin/python3"); err == nil {
		t.Error("the stand-in of macOS would be started")
	}
	for _, exe := range []string{"/opt/homebrew/bin/python3", "/usr/local/bin/python3"} {
		if err := requires.MayStart("darwin", exe); err != nil {
			t.Errorf("darwin: %v", err)
		}
	}
	if err := requires.MayStart("linux", "/usr/bin/python3"); err != nil {
		t.Errorf("linux: %v", err)
	}
}

// file writes a file, and the folders that lead to it.
func file(t testing.TB, path, text string) {
	t.Helper()
	mkdir(t, filepath.Dir(path))
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// mkdir makes a folder, and those that lead to it, and returns it.
func mkdir(t testing.TB, dir string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// script writes a shell script.
func script(t testing.TB, path, text string) {
	t.Helper()
	mkdir(t, filepath.Dir(path))
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}
