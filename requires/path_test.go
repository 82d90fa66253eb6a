package requires_test

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/requires"
)

func TestHostBins(t *testing.T) {
	needUnix(t)
	one, two, off := t.TempDir(), t.TempDir(), t.TempDir()
	jq := program(t, two, "jq")
	if err := os.Mkdir(filepath.Join(one, "jq"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, one, "rg", 0o644)
	if err := os.Symlink(filepath.Join(one, "gone"), filepath.Join(one, "dangling")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(jq, filepath.Join(one, "link")); err != nil {
		t.Fatal(err)
	}
	socket, err := net.Listen("unix", filepath.Join(one, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { socket.Close() })
	both := program(t, one, "both")
	program(t, two, "both")
	fd := program(t, off, "fd")
	program(t, off, "both")
	t.Chdir(two) // where the relative entries of PATH would lead

	h := requires.NewHost(&requires.Options{
		Lookup: vars(pathOf(one, "", ".", "rel", filepath.Join(one, "absent"), two, one)),
		Extra:  []string{off, "rel"},
	})
	searched := strings.Join([]string{one, filepath.Join(one, "absent"), two}, string(filepath.ListSeparator))
	tests := []struct {
		name  string
		bin   string
		state requires.State
		where string
	}{
		{"B53 a folder before the program", "jq", requires.StateFound, jq},
		{"B53 a file of mode 0644", "rg", requires.StateMissing, searched},
		{"B53 a dangling link", "dangling", requires.StateMissing, searched},
		{"B53 a socket, which has the bits of a program", "socket", requires.StateMissing, searched},
		{"a link to a program", "link", requires.StateFound, filepath.Join(one, "link")},
		{"the first folder wins", "both", requires.StateFound, both},
		{"B10 a program outside PATH", "fd", requires.StateOffPath, fd},
		{"nowhere", "nope", requires.StateMissing, searched},
		{"a name in another case", "JQ", requires.StateMissing, searched},
		{"B53 a path", "sub/jq", requires.StateRefused, ""},
		{"an absolute path", jq, requires.StateRefused, ""},
		{"a backslash", `sub\jq`, requires.StateRefused, ""},
		{"empty", "", requires.StateRefused, ""},
		{"this folder", ".", requires.StateRefused, ""},
		{"the folder above", "..", requires.StateRefused, ""},
		{"a NUL", "jq\x00", requires.StateRefused, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for range 2 { // the second answer comes from memory
				want := requires.Status{State: tt.state, Where: tt.where}
				if got := h.Lookup(requires.KindBin, tt.bin); got != want {
					t.Errorf("got %+v, want %+v", got, want)
				}
			}
		})
	}
}

// A service is started with a PATH that lacks the folders of package managers.
func TestHostOfService(t *testing.T) {
	needUnix(t)
	home, state := t.TempDir(), filepath.Join(t.TempDir(), "state")
	path := t.TempDir()
	lookup := vars(pathOf(path), "HOME="+home)
	program(t, filepath.Join(home, ".nvm", "versions", "node", "v9.11.2", "bin"), "node")
	node := program(t, filepath.Join(home, ".nvm", "versions", "node", "v22.1.0", "bin"), "node")
	black := program(t, filepath.Join(home, ".local", "bin"), "black")
	h := requires.NewHost(&requires.Options{
		Lookup: lookup,
		Extra:  append([]string{filepath.Join(state, "bin")}, requires.UsualDirs("linux", home, lookup)...),
	})
	check := func(name, bin string, want requires.Status) {
		t.Run(name, func(t *testing.T) {
			if got := h.Lookup(requires.KindBin, bin); got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
	check("B10 in ~/.local/bin", "black", requires.Status{State: requires.StateOffPath, Where: black})
	check("B10 the newest of nvm", "node", requires.Status{State: requires.StateOffPath, Where: node})
	check("B10 the PATH that was searched", "gone", requires.Status{State: requires.StateMissing, Where: path})
	tool := program(t, filepath.Join(state, "bin"), "gone")
	h.Refresh()
	check("B10 in a folder that was made later", "gone", requires.Status{State: requires.StateOffPath, Where: tool})
}

func TestLacksTellsOfProgramsOutsidePath(t *testing.T) {
	needUnix(t)
	off := t.TempDir()
	fd := program(t, off, "fd")
	host := requires.NewHost(&requires.Options{Extra: []string{off}})
	m := metadata.Manifest{Requires: metadata.Requires{Bins: reqs("fd", "a/b"), AnyBins: reqs("find", "fd")}}
	r := requires.Check(&m, host)
	want := []string{
		`program "fd" is installed as ` + fd + `, which is not on PATH`,
		`program "a/b" has a name that is not looked up`,
		`none of the programs "find", "fd" is on PATH; program "fd" is installed as ` + fd + `, which is not on PATH`,
	}
	if diff := cmp.Diff(want, r.Lacks()); diff != "" {
		t.Errorf("Lacks mismatch (-want +got):\n%s", diff)
	}
	if r.Readiness != requires.Missing {
		t.Errorf("B10: got %s, want missing", r.Readiness)
	}
}

// What the check finds is what a process with that PATH runs.
func TestHostAgreesWithLookPath(t *testing.T) {
	needUnix(t)
	names := []string{"a", "b", "c", "d", "e"}
	var dirs []string
	for i := range 4 {
		dir := t.TempDir()
		dirs = append(dirs, dir)
		for j, name := range names {
			switch (i*7 + j*3) % 5 {
			case 0:
				program(t, dir, name)
			case 1:
				write(t, dir, name, 0o600)
			case 2:
				os.Mkdir(filepath.Join(dir, name), 0o755)
			}
		}
	}
	path := strings.Join(dirs, string(filepath.ListSeparator))
	t.Setenv("PATH", path)
	h := requires.NewHost(&requires.Options{Lookup: os.LookupEnv})
	for _, name := range names {
		want := requires.Status{State: requires.StateMissing, Where: path}
		if file, err := exec.LookPath(name); err == nil {
			want = requires.Status{State: requires.StateFound, Where: file}
		}
		if got := h.Lookup(requires.KindBin, name); got != want {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
}

// A folder may allow running what is in it, but not listing it.
func TestHostUnlistableFolder(t *testing.T) {
	needUnix(t)
	if os.Geteuid() == 0 {
		t.Skip("root may list every folder")
	}
	one, two := t.TempDir(), t.TempDir()
	jq := program(t, one, "jq")
	program(t, two, "jq")
	if err := os.Chmod(one, 0o311); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(one, 0o755) }) // so that it can be removed
	h := requires.NewHost(&requires.Options{Lookup: vars(pathOf(one, two))})
	if got, want := h.Lookup(requires.KindBin, "jq"), (requires.Status{State: requires.StateFound, Where: jq}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestHostPathExt(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	gh := program(t, one, "gh.exe")
	program(t, two, "gh.com")
	npm := program(t, two, "NPM.cmd")
	npx := program(t, two, "npx.cmd")
	program(t, one, "notes")
	program(t, one, "notes.txt")
	ps := program(t, two, "deploy.ps1")

	host := func(kv ...string) *requires.Host {
		return requires.NewHost(&requires.Options{GOOS: "windows", Lookup: vars(append(kv, pathOf(one, two))...)})
	}
	tests := []struct {
		name string
		host *requires.Host
		bin  string
		want string
	}{
		{"B53 gh finds gh.exe of the first folder", host(), "gh", gh},
		{"case does not matter", host(), "GH", gh},
		{"B34 npx finds npx.cmd", host(), "npx", npx},
		{"B34 npx without .cmd in PATHEXT", host("PATHEXT=.COM;.EXE"), "npx", ""},
		{"a name with its suffix", host(), "gh.exe", gh},
		{"a file without a suffix is no program", host(), "notes", ""},
		{"a suffix that is not in PATHEXT", host(), "notes.txt", ""},
		{"PATHEXT is used", host("PATHEXT=.EXE; .PS1;;"), "deploy", ps},
		{"PATHEXT without a suffix", host("PATHEXT=;.; exe"), "gh", gh},
		{"PATHEXT replaces the usual suffixes", host("PATHEXT=.PS1"), "gh", ""},
	}
	if runtime.GOOS == "windows" {
		tests = append(tests, struct {
			name string
			host *requires.Host
			bin  string
			want string
		}{"a file in capitals", host(), "npm", npm})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.host.Lookup(requires.KindBin, tt.bin)
			if got.State == requires.StateMissing {
				got.Where = ""
			}
			if !strings.EqualFold(got.Where, tt.want) {
				t.Errorf("got %+v, want %q", got, tt.want)
			}
		})
	}
}
