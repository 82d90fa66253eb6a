//go:build unix

package install_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/matrix-nexus/skillkit/install"
)

// The names are those of the attacks and accidents that an installer is good
// for.
func TestRunInstallers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, script string
		want         install.OutcomeStatus
		detail       string // part of it
	}{
		{"exits 0 but brings nothing", "exit 0", install.StatusUnverified, `it ran, but program "tool" is not on PATH (looked in `},
		{"B10 brings it off PATH", bringing("$ROOT/off/tool"), install.StatusOffPath, "/off:$PATH\""},
		{"exits non-zero", "echo fine; echo 'E: no such package' >&2; exit 7", install.StatusFailed, "exit status 7: fine | E: no such package"},
		{"reads stdin", `read x && exit 3; ` + bringing("$ROOT/path/tool"), install.StatusVerified, ""},
		{"asks the terminal", `read x </dev/tty && exit 3; ` + bringing("$ROOT/path/tool"), install.StatusVerified, ""},
		{"B14 leaves a grandchild that holds the output", "sleep 600 & " + bringing("$ROOT/path/tool"), install.StatusVerified, ""},
		{"leaves a grandchild that ignores SIGHUP", "(trap '' HUP; sleep 600) & echo x; " + bringing("$ROOT/path/tool"), install.StatusVerified, ""},
		{"kills its group", "kill -KILL 0", install.StatusFailed, "signal: killed"},
		{"kills its parent's group", `kill -TERM -$(ps -o pgid= -p $$ | tr -d ' ')`, install.StatusFailed, "signal: terminated"},
		{"kills itself", "kill -SEGV $$", install.StatusFailed, "signal: segmentation fault"},
		{"prints escape sequences", `printf '\033]0;pwned\007\033[31mred\033[0m\r\n'; exit 1`, install.StatusFailed, "exit status 1: red"},
		{"brings a folder", "mkdir $ROOT/path/tool", install.StatusUnverified, "is not on PATH"},
		{"brings a file that cannot be run", "echo x >$ROOT/path/tool", install.StatusUnverified, "is not on PATH"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			step := sh("apt:tool", tt.script)
			step.Provides = bins("tool")
			out := s.statuses(t.Context(), []install.Step{step}, tt.want)[0]
			if !strings.Contains(out.Detail, tt.detail) || (tt.detail == "") != (out.Detail == "") {
				t.Errorf("detail %q, want %q in it", out.Detail, tt.detail)
			}
			state := install.ReceiptInstalled
			if tt.want == install.StatusFailed {
				state = install.ReceiptFailed
			}
			if r := s.receipts()["apt:tool"]; r.State != state {
				t.Errorf("receipt is %q, want %q", r.State, state)
			}
		})
	}
}

func TestRunNoSuchProgram(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	step := sh("a", "")
	step.Argv = []string{filepath.Join(s.path, "none"), "x"}
	out := s.statuses(t.Context(), []install.Step{step}, install.StatusFailed)[0]
	if !errors.Is(out.Err, os.ErrNotExist) || !strings.Contains(out.Detail, step.Argv[0]) {
		t.Errorf("error %v", out.Err)
	}
}

// What an installer gets: no loader variables, none that the step takes out,
// and a folder that is not that of the caller. The environment of the process
// itself does not matter (B43).
func TestRunEnvironment(t *testing.T) {
	s := newSite(t)
	t.Setenv("PIP_INDEX_URL", "http://process.example")
	t.Setenv("SKILLKIT_TEST_LEAK", "1")
	t.Chdir(t.TempDir())
	s.opts.Environ = append(s.opts.Environ, "LD_PRELOAD=/evil.so", "DYLD_INSERT_LIBRARIES=/evil", "PIP_INDEX_URL=http://evil.example", "PIP_USER=1", "TOKEN=hunter2")
	step := sh("pip:x", `pwd; ps -o sid= -p $$ | tr -d ' ' | grep -x $$ >/dev/null && echo OWN_SESSION=1; env`)
	step.Unset, step.Env = []string{"PIP_*"}, []string{"PIP_INDEX_URL=http://good.example"}
	tool := sh("apt:beside", `case "$PATH" in *:$ROOT/off) echo beside;; esac`)
	tool.Argv[0] = filepath.Join(s.off, "sh")
	if err := os.Symlink("/bin/sh", tool.Argv[0]); err != nil {
		t.Fatal(err)
	}
	s.statuses(t.Context(), []install.Step{step, tool}, install.StatusVerified, install.StatusVerified)
	lines := strings.Split(s.output("pip:x"), "\n")
	if lines[0] != s.state {
		t.Errorf("it works in %s, want the state folder", lines[0])
	}
	env := strings.Join(lines, "\n")
	for _, want := range []string{"PIP_INDEX_URL=http://good.example", "PWD=" + s.state, "TOKEN=hunter2", "OWN_SESSION=1"} {
		if !slices.Contains(lines, want) {
			t.Errorf("%s is not in the environment:\n%s", want, env)
		}
	}
	for _, not := range []string{"LD_", "DYLD_", "evil", "PIP_USER", "SKILLKIT_TEST_LEAK", "process.example"} {
		if strings.Contains(env, not) {
			t.Errorf("%q is in the environment:\n%s", not, env)
		}
	}
	if s.output("apt:beside") != "beside" {
		t.Error("B10: the folder of an installer that is not on PATH is not on the PATH of the installer")
	}
}

// Nothing of the environment is in what is told or kept of a failed step.
func TestRunSecrets(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.opts.Environ = append(s.opts.Environ, "TOKEN=hunter2")
	gone := sh("gone", "")
	gone.Argv = []string{"/nonexistent/installer"}
	fails := sh("fails", "echo $TOKEN; exit 1")
	for _, out := range s.run(t.Context(), gone, fails) {
		if strings.Contains(out.Err.Error(), "hunter2") {
			t.Errorf("error %v", out.Err)
		}
	}
	for _, r := range s.receipts() {
		if strings.Contains(r.Error, "hunter2") {
			t.Errorf("receipt %+v", r)
		}
	}
}

// B57, the running half: no shell sees the operands.
func TestRunOperands(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	operands := []string{"$(touch $ROOT/pwned)", "; touch $ROOT/pwned", "a b", "*", "'\"", "--", "-x", ""}
	step := sh("a", "")
	step.Argv = append([]string{"/bin/sh", "-c", `for a; do echo "<$a>"; done`, "sh"}, operands...)
	s.statuses(t.Context(), []install.Step{step}, install.StatusVerified)
	if got, want := s.output("a"), "<"+strings.Join(operands, ">\n<")+">"; got != want {
		t.Errorf("operands\n%s\nwant\n%s", got, want)
	}
}

func TestRunMuchOutput(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	s := newSite(t)
	const size = 100 << 20
	var got, longest int
	s.opts.Event = func(e install.Event) {
		got += len(e.Line)
		longest = max(longest, len(e.Line))
	}
	s.statuses(t.Context(), []install.Step{sh("a", "head -c 104857600 /dev/zero | tr '\\0' x")}, install.StatusVerified)
	if got != size || longest != install.MaxLine {
		t.Errorf("%d bytes in lines of at most %d, want %d and %d", got, longest, size, install.MaxLine)
	}
}

func TestRunShell(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	step := sh("a", "touch $ROOT/pwned")
	step.Shell = true
	out := s.statuses(t.Context(), []install.Step{step}, install.StatusBlocked)[0]
	if !errors.Is(out.Err, install.ErrShell) {
		t.Errorf("error %v, want ErrShell", out.Err)
	}
}
