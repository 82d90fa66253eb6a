//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestRealInstalls installs real packages from the registries of apt, npm and
// Go, and removes them. It changes the machine, so it runs only when asked for.
func TestRealInstalls(t *testing.T) {
	if os.Getenv("SKILLKIT_REAL_INSTALLS") == "" {
		t.Skip("changes the machine; set SKILLKIT_REAL_INSTALLS=1 to run it")
	}
	t.Run("apt", func(t *testing.T) {
		m := newRealMachine(t)
		m.skill(t, "greeter", `{"requires":{"bins":["hello"]},"install":[{"id":"brew","kind":"brew","formula":"hello","bins":["hello"]},{"id":"apt","kind":"apt","package":"hello","bins":["hello"]}],`+
			`"uninstall":[{"id":"apt","kind":"apt","command":"sudo apt-get remove hello"}]}`)
		m.roundTrip(t, "greeter", "apt", "apt")
	})
	t.Run("go", func(t *testing.T) {
		m := newRealMachine(t)
		m.environ = append(m.environ, goVars(t)...)
		m.skill(t, "greeter", `{"requires":{"bins":["hello"]},"install":[{"id":"go","kind":"go","module":"golang.org/x/example/hello@latest","bins":["hello"]}]}`)
		m.roundTrip(t, "greeter", "go")
	})
	t.Run("npm", func(t *testing.T) {
		m := newRealMachine(t)
		m.skill(t, "versions", `{"requires":{"bins":["semver"]},"install":[{"id":"node","kind":"node","package":"semver@7.7.3","bins":["semver"]}]}`)
		m.asNobody(t)
		m.roundTrip(t, "versions", "npm")
	})
}

// newRealMachine returns a machine with the variables of this one that tell
// package managers how to reach their registries.
func newRealMachine(t *testing.T) *machine {
	t.Helper()
	m := newMachine(t)
	for _, v := range os.Environ() {
		switch name, _, _ := strings.Cut(v, "="); {
		case name == "HOME" || name == "PATH" || strings.HasPrefix(name, "XDG_"):
		default:
			m.environ = append(m.environ, v)
		}
	}
	return m
}

// goVars returns what keeps the caches and the settings of the go command, which
// a home for a test does not have.
func goVars(t *testing.T) []string {
	t.Helper()
	names := []string{"GOPROXY", "GONOSUMDB", "GOSUMDB", "GOFLAGS", "GOCACHE", "GOMODCACHE"}
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	values := strings.Split(string(out), "\n")
	for i, name := range names {
		names[i] = name + "=" + values[i]
	}
	return names
}

// asNobody makes m run the command as a user who may write nothing but the
// folder of m, so that npm cannot use its global prefix.
func (m *machine) asNobody(t *testing.T) {
	t.Helper()
	const nobody = 65534
	if os.Geteuid() != 0 {
		return
	}
	// The folders above that of the test are open to root only.
	dir, err := os.MkdirTemp("/var/tmp", "skillkit")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	program := filepath.Join(dir, "skills")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.CopyFS(filepath.Join(dir, "skills-root"), os.DirFS(m.root)); err != nil {
		t.Fatal(err)
	}
	for i, v := range m.environ {
		m.environ[i] = strings.ReplaceAll(v, m.dir, dir)
	}
	m.home, m.state = filepath.Join(dir, "home"), strings.Replace(m.state, m.dir, dir, 1)
	m.root, m.dir = filepath.Join(dir, "skills-root"), dir
	if err := os.Mkdir(m.home, 0o777); err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chown(path, nobody, nobody)
	})
	if err != nil {
		t.Fatal(err)
	}
	// npm reads its registry from the configuration of root otherwise.
	registry, err := exec.Command("npm", "config", "get", "registry").Output()
	if err != nil {
		t.Fatal(err)
	}
	m.write(t, filepath.Join(m.home, ".npmrc"), "registry="+string(registry))
	if err := os.Chown(filepath.Join(m.home, ".npmrc"), nobody, nobody); err != nil {
		t.Fatal(err)
	}
	m.exec = func(t *testing.T, environ, args []string) (string, string, int) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		cmd := exec.Command(program, args...)
		cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, environ, &stdout, &stderr
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
	}
}
