package requires_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/requires"
)

// program writes an executable file and returns its path.
func program(t testing.TB, dir, name string) string {
	t.Helper()
	return write(t, dir, name, 0o755)
}

func write(t testing.TB, dir, name string, mode os.FileMode) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"), mode); err != nil {
		t.Fatal(err)
	}
	return file
}

func vars(kv ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for _, s := range kv {
			if k, v, _ := strings.Cut(s, "="); k == name {
				return v, true
			}
		}
		return "", false
	}
}

func pathOf(dirs ...string) string {
	return "PATH=" + strings.Join(dirs, string(filepath.ListSeparator))
}

func needUnix(t testing.TB) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs permission bits and symbolic links")
	}
}

func TestHostNothing(t *testing.T) {
	h := requires.NewHost(nil)
	for kind, want := range map[requires.Kind]requires.State{
		requires.KindBin:    requires.StateMissing,
		requires.KindEnv:    requires.StateMissing,
		requires.KindConfig: requires.StateUnchecked,
		requires.KindPython: requires.StateMissing,
		requires.KindSkill:  requires.StateUnchecked,
		requires.KindTool:   requires.StateUnchecked,
		requires.Kind("x"):  requires.StateUnchecked,
	} {
		if got := h.Lookup(kind, "x").State; got != want {
			t.Errorf("%s: got %s, want %s", kind, got, want)
		}
	}
	if got := h.Lookup(requires.KindOS, runtime.GOOS).State; got != requires.StateFound {
		t.Errorf("this system: got %s", got)
	}
}

func TestHostOS(t *testing.T) {
	// The manifest holds values of GOOS; names that are not known match
	// nothing, not even themselves.
	for _, tt := range []struct {
		name string
		os   []string
		want requires.Readiness
	}{
		{"B49 darwin", []string{"darwin"}, requires.Ready},
		{"B49 one of two", []string{"windows", "darwin"}, requires.Ready},
		{"B49 another", []string{"linux"}, requires.Unsupported},
		{"B49 unknown", []string{"plan9x"}, requires.Unsupported},
		{"B49 no limit", nil, requires.Ready},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := requires.Check(&metadata.Manifest{OS: tt.os}, requires.NewHost(&requires.Options{GOOS: "darwin"}))
			if r.Readiness != tt.want {
				t.Errorf("got %s, want %s", r.Readiness, tt.want)
			}
			if r.Readiness == requires.Unsupported && !strings.HasSuffix(r.Hidden(), "; this is darwin") {
				t.Errorf("Hidden = %q", r.Hidden())
			}
		})
	}
}

func TestHostEnv(t *testing.T) {
	t.Setenv("FILTERED", "set in the process, not given to the skill")
	host := requires.NewHost(&requires.Options{Lookup: vars("SET=1", "EMPTY=", "BOTH=1", "TOOK=1", "LD_PRELOAD=", "LD_AUDIT=/x")})
	h := host.With(requires.Settings{
		Var: vars("MINE=1", "BOTH=2", "TOOK=", "LD_PRELOAD=/evil.so", "DYLD_INSERT_LIBRARIES=/evil", "ld_library_path=/evil"),
	})
	tests := []struct {
		name, variable string
		want           requires.Status
	}{
		{"set", "SET", requires.Status{State: requires.StateFound, Where: "environment"}},
		{"B43 empty is missing", "EMPTY", requires.Status{State: requires.StateMissing, Where: "environment"}},
		{"absent", "ABSENT", requires.Status{State: requires.StateMissing, Where: "environment"}},
		{"B43 set in this process only", "FILTERED", requires.Status{State: requires.StateMissing, Where: "environment"}},
		{"given by the configuration", "MINE", requires.Status{State: requires.StateFound, Where: "configuration"}},
		{"the configuration wins", "BOTH", requires.Status{State: requires.StateFound, Where: "configuration"}},
		{"B43 emptied by the configuration", "TOOK", requires.Status{State: requires.StateMissing, Where: "configuration"}},
		{"case 95 loader variable of the configuration", "LD_PRELOAD", requires.Status{State: requires.StateMissing, Where: "environment"}},
		{"case 95 on darwin", "DYLD_INSERT_LIBRARIES", requires.Status{State: requires.StateMissing, Where: "environment"}},
		{"case 95 in lower case", "ld_library_path", requires.Status{State: requires.StateMissing, Where: "environment"}},
		{"case 95 loader variable of the host", "LD_AUDIT", requires.Status{State: requires.StateFound, Where: "environment"}},
		{"not a name", "A=B", requires.Status{State: requires.StateRefused}},
		{"no name", "", requires.Status{State: requires.StateRefused}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := h.Lookup(requires.KindEnv, tt.variable); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
	t.Run("B43 the variable of one skill is not seen by another", func(t *testing.T) {
		other := host.With(requires.Settings{})
		for _, h := range []*requires.Host{host, other} {
			if got := h.Lookup(requires.KindEnv, "MINE").State; got != requires.StateMissing {
				t.Errorf("got %s", got)
			}
		}
	})
}

func TestHostCallbacks(t *testing.T) {
	is := func(want string) func(string) bool { return func(got string) bool { return got == want } }
	h := requires.NewHost(&requires.Options{Skill: is("jq"), Tool: is("exec")}).
		With(requires.Settings{Config: is("github.host"), Disabled: true})
	want := map[string]requires.State{
		"skills jq": requires.StateFound, "skills no": requires.StateMissing,
		"tools exec": requires.StateFound, "tools no": requires.StateMissing,
		"config github.host": requires.StateFound, "config no": requires.StateMissing,
	}
	for key, state := range want {
		kind, name, _ := strings.Cut(key, " ")
		if got := h.Lookup(requires.Kind(kind), name).State; got != state {
			t.Errorf("%s: got %s, want %s", key, got, state)
		}
	}
	if !h.Disabled() {
		t.Error("Disabled = false")
	}
}

func TestHostRefresh(t *testing.T) {
	needUnix(t)
	dir, later := t.TempDir(), t.TempDir()
	path := pathOf(dir)
	h := requires.NewHost(&requires.Options{Lookup: func(name string) (string, bool) { return vars(path)(name) }})
	view := h.With(requires.Settings{})
	state := func(name string) requires.State { return view.Lookup(requires.KindBin, name).State }

	file := program(t, dir, "old")
	if got := state("old"); got != requires.StateFound {
		t.Fatalf("old: %s", got)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	program(t, dir, "new")
	program(t, later, "later")
	path = pathOf(dir, later)
	for _, name := range []string{"new", "later"} {
		if got := state(name); got != requires.StateMissing {
			t.Errorf("%s before Refresh: %s", name, got)
		}
	}
	h.Refresh()
	for name, want := range map[string]requires.State{
		"old": requires.StateMissing, "new": requires.StateFound, "later": requires.StateFound,
	} {
		if got := state(name); got != want {
			t.Errorf("%s after Refresh: got %s, want %s", name, got, want)
		}
	}
}

func TestHostConcurrent(t *testing.T) {
	needUnix(t)
	dir := t.TempDir()
	for i := range 50 {
		program(t, dir, "p"+strconv.Itoa(i))
	}
	host := requires.NewHost(&requires.Options{Lookup: vars(pathOf(dir))})
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			h := host.With(requires.Settings{})
			for i := range 100 {
				want := requires.StateFound
				if i >= 50 {
					want = requires.StateMissing
				}
				if got := h.Lookup(requires.KindBin, "p"+strconv.Itoa(i)).State; got != want {
					t.Errorf("p%d: got %s, want %s", i, got, want)
				}
				if g == 0 && i%10 == 0 {
					host.Refresh()
				}
			}
		})
	}
	wg.Wait()
}

func TestReserved(t *testing.T) {
	for name, want := range map[string]bool{
		"LD_PRELOAD": true, "LD_LIBRARY_PATH": true, "DYLD_INSERT_LIBRARIES": true, "Path": true, "PATHEXT": true,
		"GITHUB_TOKEN": false, "LDFLAGS": false, "MY_PATH": false, "": false,
	} {
		if got := requires.Reserved(name); got != want {
			t.Errorf("Reserved(%q) = %t, want %t", name, got, want)
		}
	}
}

func TestUsualDirs(t *testing.T) {
	home := t.TempDir()
	var nodes []string // the newest first
	for _, v := range []string{"v22.10.0", "v22.9.1", "v20.1.0", "v9.11.2"} {
		dir := filepath.Join(home, ".nvm", "versions", "node", v, "bin")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		nodes = append(nodes, dir)
	}
	gobin := filepath.Join(home, "gobin")
	for _, goos := range []string{"linux", "darwin"} {
		dirs := requires.UsualDirs(goos, home, vars("GOBIN="+gobin, "CARGO_HOME=relative"))
		for _, want := range []string{gobin, filepath.Join(home, ".local", "bin"), filepath.Join(home, ".cargo", "bin")} {
			if !slices.Contains(dirs, want) {
				t.Errorf("%s: %s is not in %q", goos, want, dirs)
			}
		}
		i := slices.Index(dirs, nodes[0])
		if i < 0 || !slices.Equal(dirs[i:i+len(nodes)], nodes) {
			t.Errorf("%s: %q are not in a row in %q", goos, nodes, dirs)
		}
		for i, dir := range dirs {
			if runtime.GOOS != "windows" && !filepath.IsAbs(dir) {
				t.Errorf("%s: relative %s", goos, dir)
			}
			if slices.Contains(dirs[:i], dir) {
				t.Errorf("%s: %s is there twice", goos, dir)
			}
		}
	}
	if dirs := requires.UsualDirs("windows", "", nil); len(dirs) != 0 {
		t.Errorf("windows without home and environment: %q", dirs)
	}
	appdata := filepath.Join(home, "AppData")
	dirs := requires.UsualDirs("windows", "", vars("APPDATA="+appdata))
	if diff := cmp.Diff([]string{filepath.Join(appdata, "npm")}, dirs); diff != "" {
		t.Errorf("windows (-want +got):\n%s", diff)
	}
}
