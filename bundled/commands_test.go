package bundled_test

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/matrix-nexus/skillkit/bundled"
)

// TestCommands runs every bash and python block of every skill's Markdown, each
// in a fresh folder with the sample files of testdata/<skill>.txtar, since an
// agent copies them one at a time. A block passes when it ends with status 0
// and prints the lines of the archive's section "want/<file>: <heading>",
// possibly among others, in that order. The archive has such a section for each
// block that is run, and no others.
//
// A block that needs the network says so in the text right above it, "Needs
// the network", and is not run. A program that is not on this machine skips
// what needs it.
func TestCommands(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are written for a POSIX shell")
	}
	if testing.Short() {
		t.Skip("starts a database server and many other programs")
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run, wants := find(t, name)
			for _, key := range slices.Sorted(maps.Keys(wants)) {
				if !slices.ContainsFunc(run, func(b runnable) bool { return b.key == key }) {
					t.Errorf("testdata: want/%s is for no block", key)
				}
			}
			for _, b := range run {
				if _, ok := wants[b.key]; !ok && !b.network {
					t.Errorf("testdata: no want/%s", b.key)
				}
			}
			if len(run) == 0 || t.Failed() {
				return
			}
			setUp := kits[name](t)
			for _, b := range run {
				t.Run(b.key, func(t *testing.T) {
					if b.network {
						t.Skip("the block needs the network")
					}
					checkOutput(t, execute(t, name, b, setUp(t)), wants[b.key])
				})
			}
		})
	}
}

// A runnable is a block to run, with the key that names it in the archive.
type runnable struct {
	block
	key     string
	network bool
}

// find returns the blocks of a skill that can be run, and the text that each
// must print.
func find(t *testing.T, name string) (run []runnable, wants map[string]string) {
	t.Helper()
	for _, file := range files(t, name) {
		if path.Ext(file) != ".md" {
			continue
		}
		for _, b := range blocks(t, file) {
			if b.lang != "bash" && b.lang != "python" {
				continue
			}
			run = append(run, runnable{
				block:   b,
				key:     strings.TrimPrefix(file, name+"/") + ": " + b.name,
				network: strings.Contains(b.before, "Needs the network"),
			})
		}
	}
	wants = map[string]string{}
	for _, f := range samples(t, name) {
		if key, ok := strings.CutPrefix(f.Name, "want/"); ok {
			wants[key] = string(f.Data)
		}
	}
	return run, wants
}

// samples returns the archive of a skill, empty if there is none.
func samples(t *testing.T, name string) []txtar.File {
	t.Helper()
	ar, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return ar.Files
}

// A box is what a block finds besides the sample files.
type box struct {
	env   []string          // in the form of os.Environ, added to a closed environment
	bin   string            // a folder put in front of PATH, or empty
	files map[string][]byte // more sample files
}

// A kit skips the test when a program that a skill needs is missing, starts
// what all its blocks share, and returns a function that makes the box of one.
type kit func(*testing.T) func(*testing.T) box

var kits = map[string]kit{
	"chart-generator": chartKit,
	"csv-data-tools":  csvKit,
	"curl":            curlKit,
	"jq":              programs("jq"),
	"pdf-tools":       pdfKit,
	"postgres-client": postgresKit,
	"uv":              programs("uv"),
}

// programs is the kit of a skill that needs nothing but some programs.
func programs(names ...string) kit {
	return func(t *testing.T) func(*testing.T) box {
		need(t, names...)
		return func(*testing.T) box { return box{} }
	}
}

// need skips the test if one of the programs is not on PATH.
func need(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range append([]string{"bash"}, programs...) {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("%s is not on PATH", p)
		}
	}
}

// python returns the folder of a python3 of version 3.10 or later that can run
// the statement, and skips the test if there is none.
func python(t *testing.T, statement string) (dir string) {
	t.Helper()
	for _, p := range []string{"python3", "/usr/bin/python3"} {
		// What is on PATH may be a slow wrapper, so ask for the real one.
		cmd := exec.CommandContext(t.Context(), p, "-c", statement+"\n"+
			"import os, sys; print(os.path.dirname(sys.executable)); sys.exit(sys.version_info < (3, 10))")
		if out, err := cmd.Output(); err == nil {
			return strings.TrimSpace(string(out))
		}
	}
	t.Skipf("no python3 of version 3.10 or later for which %q works", statement)
	return ""
}

func csvKit(t *testing.T) func(*testing.T) box {
	need(t)
	bin := python(t, "import csv, sqlite3")
	return func(*testing.T) box { return box{bin: bin} }
}

// uvStandIn does what "uv run" does with the flags that the skills give it,
// except that it installs nothing: the packages must be there already.
const uvStandIn = `#!/bin/sh
[ "$1 $2" = "run --no-project" ] || { echo "stand-in for uv: cannot do: $*" >&2; exit 2; }
shift 2
while [ "$1" = --with ]; do shift 2; done
[ "$1" = python ] || { echo "stand-in for uv: not a python command: $*" >&2; exit 2; }
shift
exec "$PYTHON3" "$@"
`

func chartKit(t *testing.T) func(*testing.T) box {
	need(t)
	python3 := filepath.Join(python(t, "import matplotlib, seaborn"), "python3")
	bin := t.TempDir()
	if err := os.Symlink(python3, filepath.Join(bin, "python3")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "uv"), []byte(uvStandIn), 0o777); err != nil {
		t.Fatal(err)
	}
	config := t.TempDir() // matplotlib's font cache, made once
	return func(*testing.T) box {
		return box{bin: bin, env: []string{"PYTHON3=" + python3, "MPLCONFIGDIR=" + config}}
	}
}

// execute runs a block in a folder of its own and returns what it printed.
func execute(t *testing.T, name string, b runnable, in box) string {
	t.Helper()
	dir, home, base := t.TempDir(), t.TempDir(), t.TempDir()
	skill, err := fs.Sub(bundled.FS(), name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(base, skill); err != nil {
		t.Fatal(err)
	}
	for _, f := range samples(t, name) {
		if !strings.HasPrefix(f.Name, "want/") {
			write(t, filepath.Join(dir, f.Name), f.Data)
		}
	}
	for file, data := range in.files {
		write(t, filepath.Join(dir, file), data)
	}
	code := strings.ReplaceAll(b.content, "{baseDir}", base)
	cmd := exec.CommandContext(t.Context(), "bash", "-eu", "-o", "pipefail", "-c", code)
	search := os.Getenv("PATH")
	if in.bin != "" {
		search = in.bin + string(os.PathListSeparator) + search
	}
	if b.lang == "python" {
		write(t, filepath.Join(dir, "task.py"), []byte(code))
		cmd = exec.CommandContext(t.Context(), filepath.Join(in.bin, "python3"), "task.py")
	}
	cmd.Dir = dir
	cmd.Env = append([]string{
		"PATH=" + search, "HOME=" + home, "TMPDIR=" + home,
		"LC_ALL=C.UTF-8", "PYTHONUTF8=1", "TZ=UTC",
		"UV_OFFLINE=1", "UV_PYTHON_DOWNLOADS=never",
	}, in.env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s\nprinted:\n%s", err, b.content, out)
	}
	return string(out)
}

func write(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// checkOutput reports the first line of want that no further line of got
// contains.
func checkOutput(t *testing.T, got, want string) {
	t.Helper()
	lines := strings.Split(got, "\n")
	for w := range strings.Lines(want) {
		w = strings.TrimRight(w, "\n")
		i := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, w) })
		if i < 0 {
			t.Fatalf("no line with %q (in the order of want) in\n%s", w, got)
		}
		lines = lines[i+1:]
	}
}
