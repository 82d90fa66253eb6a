//go:build unix

package install_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/install"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/requires"
)

// A site is a machine for one test: a state folder, two folders for programs,
// of which one is on PATH, and things that nothing may touch.
type site struct {
	t     *testing.T
	root  string
	state string
	path  string // on PATH
	off   string // searched, and not on PATH
	opts  install.Options

	mu     sync.Mutex
	events []string
}

// siteMark is the variable by which the processes of a site are found.
const siteMark = "SKILLKIT_TEST_SITE"

// newSite makes a site and has the end of the test check that no process is
// left and nothing was touched.
func newSite(t *testing.T) *site {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := openSite(t, root)
	for _, dir := range []string{s.path, s.off, filepath.Join(root, "home", ".config")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"precious", "home/.npmrc", "home/.config/pip.conf"} {
		s.write(file, "keep "+file)
	}
	before := s.surroundings()
	t.Cleanup(func() {
		if diff := cmp.Diff(before, s.surroundings()); diff != "" {
			t.Errorf("things outside of the state folder changed (-before +after):\n%s", diff)
		}
		if pids := s.processes(); len(pids) > 0 {
			t.Errorf("processes are left: %v", pids)
		}
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		for g := range bytes.SplitSeq(stacks, []byte("\n\n")) {
			if bytes.Contains(g, []byte(root)) {
				t.Errorf("a goroutine is left:\n%s", g)
			}
		}
	})
	return s
}

// openSite is the site that is at root already.
func openSite(t *testing.T, root string) *site {
	s := &site{
		t: t, root: root,
		state: filepath.Join(root, "state", "skillkit"), path: filepath.Join(root, "path"), off: filepath.Join(root, "off"),
	}
	env := []string{"PATH=" + s.path + ":/usr/bin:/bin", "HOME=" + filepath.Join(root, "home"), siteMark + "=" + root, "ROOT=" + root}
	s.opts = install.Options{
		State: s.state, Environ: env,
		Host: requires.NewHost(&requires.Options{
			Lookup: func(name string) (string, bool) {
				return s.path, name == "PATH"
			},
			Extra: []string{s.off, filepath.Join(s.state, "bin")},
		}),
		Event: s.record,
	}
	return s
}

// record keeps what matters of an event.
func (s *site) record(e install.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := string(e.Type) + " " + e.Step.ID
	switch e.Type {
	case install.EventOutput:
		text += ": " + e.Line
	case install.EventProgress:
		return
	case install.EventEnded:
		text += ": " + string(e.Outcome.Status)
	}
	s.events = append(s.events, text)
}

// output returns the lines that a step put out.
func (s *site) output(id string) string {
	var lines []string
	for _, e := range s.events {
		if line, ok := strings.CutPrefix(e, "output "+id+": "); ok {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// write writes a file below root.
func (s *site) write(name, text string) {
	s.t.Helper()
	file := filepath.Join(s.root, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// fifo makes a FIFO and returns its path and a function that lets one read of
// a line from it go on.
func (s *site) fifo(name string) (path string, release func()) {
	s.t.Helper()
	path = filepath.Join(s.root, "state", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		s.t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { f.Close() })
	return path, func() {
		if _, err := f.WriteString("go\n"); err != nil {
			s.t.Error(err)
		}
	}
}

// surroundings lists all files but those in the folders that may change.
func (s *site) surroundings() map[string]string {
	list := map[string]string{}
	err := filepath.WalkDir(s.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == filepath.Join(s.root, "state") || path == s.path || path == s.off {
			return filepath.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := info.Mode().String()
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += " " + string(data)
		}
		list[path] = text
		return nil
	})
	if err != nil {
		s.t.Error(err)
	}
	return list
}

// processes returns the ids of the processes that were started in the site and
// have not ended. It knows them by their environment, wherever they moved.
func (s *site) processes() (pids []string) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		environ, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil || !bytes.Contains(environ, []byte(siteMark+"="+s.root+"\x00")) {
			continue
		}
		pids = append(pids, filepath.Base(dir))
	}
	return pids
}

// sh returns a step that runs a shell script in which $ROOT is the site.
func sh(id, script string) install.Step {
	return install.Step{
		ID: id, Kind: metadata.KindApt, Label: id, Argv: []string{"/bin/sh", "-c", script},
		Skills: []string{"skill"}, Reason: "test",
	}
}

// bringing is the script of an installer that brings a program.
func bringing(path string) string {
	return fmt.Sprintf("echo '#!/bin/sh' >%[1]s.new && chmod +x %[1]s.new && mv %[1]s.new %[1]s", path)
}

func bins(names ...string) (list []install.Requirement) {
	for _, name := range names {
		list = append(list, install.Requirement{Kind: requires.KindBin, Name: name})
	}
	return list
}

// run runs steps, which must be possible.
func (s *site) run(ctx context.Context, steps ...install.Step) []install.Outcome {
	s.t.Helper()
	s.events = nil
	outcomes, err := install.Run(ctx, &install.Plan{Steps: steps}, &s.opts)
	if err != nil {
		s.t.Fatal(err)
	}
	if len(outcomes) != len(steps) {
		s.t.Fatalf("%d outcomes of %d steps", len(outcomes), len(steps))
	}
	for i, out := range outcomes {
		if diff := cmp.Diff(steps[i], out.Step); diff != "" {
			s.t.Errorf("step of outcome %d (-want +got):\n%s", i, diff)
		}
		if strings.ContainsAny(out.Detail, "\n\r\x1b") {
			s.t.Errorf("detail %q is not one line", out.Detail)
		}
	}
	return outcomes
}

// statuses runs steps and compares what became of them.
func (s *site) statuses(ctx context.Context, steps []install.Step, want ...install.OutcomeStatus) []install.Outcome {
	s.t.Helper()
	outcomes := s.run(ctx, steps...)
	for i, out := range outcomes {
		if out.Status != want[i] {
			s.t.Errorf("step %s is %s, want %s: %s", out.Step.ID, out.Status, want[i], out.Detail)
		}
	}
	return outcomes
}

// receipts returns the receipts by the ID of their steps.
func (s *site) receipts() map[string]install.Receipt {
	s.t.Helper()
	list, err := install.Receipts(s.state)
	if err != nil {
		s.t.Fatal(err)
	}
	byID := map[string]install.Receipt{}
	for _, r := range list {
		byID[r.Step.ID] = r
	}
	return byID
}
