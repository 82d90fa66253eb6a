//go:build unix

package install_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/install"
	"github.com/matrix-nexus/skillkit/metadata"
)

func TestRunVerified(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	step := sh("apt:hello", "echo one; echo two >&2; "+bringing("$ROOT/path/hello"))
	step.Provides = bins("hello")
	outcomes := s.run(t.Context(), step)
	want := []install.Outcome{{Step: step, Status: install.StatusVerified}}
	if diff := cmp.Diff(want, outcomes); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	events := []string{"started apt:hello", "output apt:hello: one", "output apt:hello: two", "done apt:hello", "ended apt:hello: verified"}
	if diff := cmp.Diff(events, s.events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	r := s.receipts()["apt:hello"]
	if diff := cmp.Diff(install.Receipt{Step: step, State: install.ReceiptInstalled, Started: r.Started, Ended: r.Ended}, r); diff != "" {
		t.Errorf("receipt (-want +got):\n%s", diff)
	}
	if r.Started.IsZero() || r.Ended.Before(r.Started) {
		t.Errorf("receipt from %v to %v", r.Started, r.Ended)
	}
	if info, err := os.Stat(s.state); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("state folder: %v, %v", info.Mode(), err)
	}
}

// ctx ends: the group of the running step is ended, whatever it does, and the
// steps after it are not begun.
func TestRunInterrupted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, script string }{
		{"waits", "echo ready; sleep 600"},
		{"waits with children", "sleep 600 & sleep 600 & echo ready; wait"},
		{"prints for ever without line end", "yes | tr -d '\\n'"},
		{"prints lines for ever", "yes"},
		{"ignores SIGTERM", "trap '' TERM; echo ready; while :; do sleep 600; done"},
		{"exits 0 on SIGTERM", "trap 'exit 0' TERM; echo ready; sleep 600 & wait"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if testing.Short() && tt.name == "ignores SIGTERM" {
				t.Skip("takes the whole grace")
			}
			t.Parallel()
			s := newSite(t)
			ctx, cancel := context.WithCancelCause(t.Context())
			cause := errors.New("ctrl-c")
			record := s.opts.Event
			var lines int
			s.opts.Event = func(e install.Event) {
				if e.Type != install.EventOutput {
					record(e)
				} else if lines++; lines == 1 {
					cancel(cause)
				}
			}
			after := sh("b", "touch $ROOT/pwned")
			out := s.statuses(ctx, []install.Step{sh("a", tt.script), after}, install.StatusInterrupted, install.StatusSkipped)
			if !errors.Is(out[0].Err, cause) || !errors.Is(out[1].Err, cause) {
				t.Errorf("errors %v and %v, want the cause", out[0].Err, out[1].Err)
			}
			receipts := s.receipts()
			if r := receipts["a"]; r.State != install.ReceiptFailed || !strings.Contains(r.Error, "interrupted") || r.Ended.IsZero() {
				t.Errorf("receipt %+v", r)
			}
			if _, ok := receipts["b"]; ok {
				t.Error("the step that was not begun has a receipt")
			}
			want := []string{"started a", "ended a: interrupted", "ended b: skipped"}
			if diff := cmp.Diff(want, s.events); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRunEndedBefore(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.statuses(ctx, []install.Step{sh("a", "touch $ROOT/pwned")}, install.StatusSkipped)
	if n := len(s.receipts()); n != 0 {
		t.Errorf("%d receipts", n)
	}
}

func TestRunApprove(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	refusal := errors.New("policy says no")
	ctx, cancel := context.WithCancel(t.Context())
	s.opts.Approve = func(step install.Step) error {
		switch step.ID {
		case "no":
			return refusal
		case "cancels":
			cancel()
		}
		return nil
	}
	after := sh("after no", "")
	after.After = []string{"no"}
	blocked, fine := install.StatusBlocked, install.StatusVerified
	out := s.statuses(ctx, []install.Step{sh("no", "touch $ROOT/pwned"), after, sh("yes", ""), sh("cancels", "touch $ROOT/pwned"), sh("last", "")},
		blocked, install.StatusSkipped, fine, install.StatusSkipped, install.StatusSkipped)
	if !errors.Is(out[0].Err, refusal) || out[0].Detail != "not approved: policy says no" {
		t.Errorf("blocked by %v: %s", out[0].Err, out[0].Detail)
	}
	if !strings.Contains(out[1].Detail, `"no"`) {
		t.Errorf("skipped: %s", out[1].Detail)
	}
	want := []string{"ended no: blocked", "ended after no: skipped", "started yes", "done yes", "ended yes: verified", "ended cancels: skipped", "ended last: skipped"}
	if diff := cmp.Diff(want, s.events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if got := len(s.receipts()); got != 1 {
		t.Errorf("%d receipts, want that of the step that was begun", got)
	}
}

func TestRunAfter(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	step := func(id, script string, after ...string) install.Step {
		step := sh(id, script)
		step.Kind, step.After = metadata.Kind(id), after // a family for each, so that only After orders them
		return step
	}
	lost := step("unverified", "")
	lost.Provides = bins("none")
	off := step("off-path", bringing("$ROOT/off/tool"))
	off.Provides = bins("tool")
	optional := step("optional", "exit 1")
	optional.Optional = true
	ok, skip := install.StatusVerified, install.StatusSkipped
	out := s.statuses(t.Context(), []install.Step{
		step("good", "touch $ROOT/state/good"),
		step("after good", "test -e $ROOT/state/good", "good"),
		step("bad", "exit 1"),
		step("after bad", "touch $ROOT/pwned", "good", "bad"),
		step("after skipped", "touch $ROOT/pwned", "after bad"),
		optional,
		step("after optional", "", "optional"),
		lost,
		step("after unverified", "touch $ROOT/pwned", "unverified"),
		off,
		step("after off-path", "", "off-path"),
	}, ok, ok, install.StatusFailed, skip, skip, install.StatusFailed, ok, install.StatusUnverified, skip, install.StatusOffPath, ok)
	if want := `it needs step "bad", which is failed`; out[3].Detail != want {
		t.Errorf("detail %q, want %q", out[3].Detail, want)
	}
}

// Steps of two installers run at the same time: each waits for the other.
func TestRunFamiliesOverlap(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	toA, _ := s.fifo("a")
	toB, _ := s.fifo("b")
	a := sh("apt", "echo x >"+toB+"; read x <"+toA)
	b := sh("npm", "echo x >"+toA+"; read x <"+toB)
	b.Kind = metadata.KindNpm
	s.statuses(t.Context(), []install.Step{a, b}, install.StatusVerified, install.StatusVerified)
}

// Steps of one installer never do, nor do pip and uv; and a shell command runs
// alone. Each script fails if it meets another one.
func TestRunOneByOne(t *testing.T) {
	t.Parallel()
	script := "mkdir $ROOT/state/busy || exit 1; for i in 1 2 3 4 5 6 7 8; do ls / >/dev/null; done; rmdir $ROOT/state/busy"
	for name, kinds := range map[string][]metadata.Kind{
		"apt":         {metadata.KindApt, metadata.KindApt, metadata.KindApt, metadata.KindApt},
		"pip and uv":  {metadata.KindPip, metadata.KindUv, metadata.KindPip, metadata.KindUv},
		"shell alone": {metadata.KindShell, metadata.KindApt, metadata.KindShell, metadata.KindShell, metadata.KindDownload},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.opts.AllowShell = true
			var steps []install.Step
			var want []install.OutcomeStatus
			for i, kind := range kinds {
				step := sh(string(rune('a'+i)), script)
				step.Kind = kind
				step.Shell = name == "shell alone" && kind != metadata.KindApt
				steps = append(steps, step)
				want = append(want, install.StatusVerified)
			}
			s.statuses(t.Context(), steps, want...)
			if name == "shell alone" {
				return // the end of one may be told after the start of the next
			}
			var running string
			for _, e := range s.events {
				switch what, id, _ := strings.Cut(e, " "); what {
				case "started":
					if running != "" {
						t.Errorf("%s begins while %s runs", id, running)
					}
					running = id
				case "ended":
					running = ""
				}
			}
			if !slices.IsSorted(slices.DeleteFunc(slices.Clone(s.events), func(e string) bool { return !strings.HasPrefix(e, "started") })) {
				t.Errorf("not in the order of the plan: %q", s.events)
			}
		})
	}
}

// Approve and Event are each called by one goroutine at a time; the race
// detector sees the counters too.
func TestRunCallbacks(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var asking, telling atomic.Int32
	var asked, told int
	s.opts.Approve = func(install.Step) error {
		if asking.Add(1) != 1 {
			t.Error("Approve is called twice at a time")
		}
		asked++
		asking.Add(-1)
		return nil
	}
	s.opts.Event = func(install.Event) {
		if telling.Add(1) != 1 {
			t.Error("Event is called twice at a time")
		}
		told++
		telling.Add(-1)
	}
	var steps []install.Step
	var want []install.OutcomeStatus
	for _, kind := range []metadata.Kind{"a", "b", "c", "d"} {
		step := sh(string(kind), "for i in 1 2 3 4 5; do echo $i; done")
		step.Kind = kind
		steps, want = append(steps, step), append(want, install.StatusVerified)
	}
	s.statuses(t.Context(), steps, want...)
	if asked != 4 || told != 4*(5+3) {
		t.Errorf("asked %d times and told %d, want 4 and 32", asked, told)
	}
}

func TestRunCreates(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	venv := sh("venv", "echo ran; mkdir -p $ROOT/state/venv")
	venv.Creates = filepath.Join(s.root, "state", "venv")
	s.statuses(t.Context(), []install.Step{venv}, install.StatusVerified)
	if s.output("venv") != "ran" {
		t.Fatal("it was not run")
	}
	// It is there now: not asked, not run, and another skill uses it.
	s.opts.Approve = func(install.Step) error { return errors.New("asked") }
	venv.Skills = []string{"other"}
	s.statuses(t.Context(), []install.Step{venv}, install.StatusVerified)
	if diff := cmp.Diff([]string{"ended venv: verified"}, s.events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"other", "skill"}, s.receipts()["venv"].Step.Skills); diff != "" {
		t.Errorf("skills (-want +got):\n%s", diff)
	}
	// What a run left half done does not count.
	s.opts.Approve = nil
	broken := venv
	broken.Argv = []string{"/bin/false"}
	broken.Creates = filepath.Join(s.root, "state", "none")
	s.statuses(t.Context(), []install.Step{broken}, install.StatusFailed)
	s.statuses(t.Context(), []install.Step{venv}, install.StatusVerified)
	if s.output("venv") != "ran" {
		t.Error("it was not run again")
	}
	// Nor does exit status 0 without it.
	liar := sh("liar", "")
	liar.Creates = filepath.Join(s.root, "state", "none")
	s.statuses(t.Context(), []install.Step{liar}, install.StatusUnverified)
}

func TestRunImpossible(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("state/file", "")
	noHost, relative, blocked := s.opts, s.opts, s.opts
	noHost.Host, relative.State, blocked.State = nil, "state", filepath.Join(s.root, "state", "file")
	ok := sh("a", "touch $ROOT/pwned")
	with := func(change func(*install.Step)) []install.Step {
		step := ok
		change(&step)
		return []install.Step{ok, step}
	}
	id := func(id string) func(*install.Step) { return func(s *install.Step) { s.ID = id } }
	for _, tt := range []struct {
		name  string
		opts  *install.Options
		steps []install.Step
	}{
		{"no options", nil, []install.Step{ok}},
		{"no host", &noHost, []install.Step{ok}},
		{"relative state folder", &relative, []install.Step{ok}},
		{"state folder is a file", &blocked, []install.Step{ok}},
		{"same id", &s.opts, with(id("a"))},
		{"no id", &s.opts, with(id(""))},
		{"id that is not UTF-8", &s.opts, with(id("\xff"))},
		{"nothing to do", &s.opts, with(func(s *install.Step) { s.ID, s.Argv = "b", nil })},
		{"two things to do", &s.opts, with(func(s *install.Step) { s.ID, s.Remove = "b", []string{"/x"} })},
		{"relative program", &s.opts, with(func(s *install.Step) { s.ID, s.Argv = "b", []string{"sh"} })},
		{"after an unknown step", &s.opts, with(func(s *install.Step) { s.ID, s.After = "b", []string{"c"} })},
		{"after itself", &s.opts, with(func(s *install.Step) { s.ID, s.After = "b", []string{"b"} })},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if out, err := install.Run(t.Context(), &install.Plan{Steps: tt.steps}, tt.opts); err == nil || out != nil {
				t.Errorf("Run = %v, %v; want an error and no outcomes", out, err)
			}
		})
	}
	if out, err := install.Run(t.Context(), &install.Plan{}, &s.opts); out != nil || err != nil {
		t.Errorf("Run of nothing = %v, %v", out, err)
	}
	if _, err := os.Stat(s.state); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the state folder was made: %v", err)
	}
}

// A step of which no receipt can be kept is not begun.
func TestRunNoReceipt(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.statuses(t.Context(), []install.Step{sh("a", "")}, install.StatusVerified)
	files, err := filepath.Glob(filepath.Join(s.state, "receipts", "*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if err := os.WriteFile(files[0], []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := s.statuses(t.Context(), []install.Step{sh("a", "touch $ROOT/pwned")}, install.StatusFailed)[0]
	if e, ok := errors.AsType[*install.ReceiptError](out.Err); !ok || e.File != files[0] {
		t.Errorf("error %v, want a ReceiptError for %s", out.Err, files[0])
	}
}

// The receipt of a step that is run for another skill goes on, also if the
// step fails this time.
func TestRunSameStep(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	step := sh("go:x", bringing("$ROOT/path/x"))
	step.Kind, step.BinDir, step.Provides = metadata.KindGo, s.path, bins("x")
	s.statuses(t.Context(), []install.Step{step}, install.StatusVerified)
	step.Skills, step.Argv = []string{"another", "skill"}, []string{"/bin/false"}
	s.statuses(t.Context(), []install.Step{step}, install.StatusFailed)
	r := s.receipts()["go:x"]
	if r.State != install.ReceiptFailed || r.Error != "exit status 1" {
		t.Errorf("receipt %+v", r)
	}
	if diff := cmp.Diff([]string{filepath.Join(s.path, "x")}, r.Files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	step.Skills, step.Argv = []string{"third"}, []string{"/bin/true"}
	s.statuses(t.Context(), []install.Step{step}, install.StatusVerified)
	r = s.receipts()["go:x"]
	if diff := cmp.Diff([]string{"another", "skill", "third"}, r.Step.Skills); diff != "" || r.State != install.ReceiptInstalled || r.Error != "" {
		t.Errorf("receipt %+v, skills (-want +got):\n%s", r, diff)
	}
}
