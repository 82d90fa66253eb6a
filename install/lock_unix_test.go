//go:build unix

package install_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/install"
	"github.com/matrix-nexus/skillkit/requires"
)

// runnerRoot is the variable that makes the test binary a runner that is about
// to be killed, in the site at its value; see runUntil.
const runnerRoot = "SKILLKIT_TEST_RUNNER"

func TestMain(m *testing.M) {
	if root := os.Getenv(runnerRoot); root != "" {
		runUntil(root, os.Getenv("STAGE"), os.Getenv("SCRIPT"))
		return
	}
	os.Exit(m.Run())
}

// runUntil runs one step, a script or the download of a URL, up to a stage, says so and waits to be killed.
func runUntil(root, stage, script string) {
	s := openSite(nil, root)
	reached := func(at string) {
		if at == stage {
			fmt.Println("reached", stage)
			select {}
		}
	}
	s.opts.Approve = func(install.Step) error { reached("approve"); return nil }
	s.opts.Event = func(e install.Event) { reached(string(e.Type)) }
	step := sh("apt:tool", script)
	step.Provides = bins("tool")
	if strings.HasPrefix(script, "http:") {
		step = downloadStep(s, script, nil, "tool")
	}
	_, err := install.Run(context.Background(), &install.Plan{Steps: []install.Step{step}}, &s.opts)
	fmt.Println("not reached", err)
}

// startRunner starts a runner and returns, when it has reached the stage, what
// kills it.
func (s *site) startRunner(stage, script string) (kill func()) {
	s.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), runnerRoot+"="+s.root, "STAGE="+stage, "SCRIPT="+script)
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	kill = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	s.t.Cleanup(kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	if line != "reached "+stage+"\n" {
		s.t.Fatalf("the runner said %q, %v", line, err)
	}
	return kill
}

// The process is killed at each stage of a step: the receipt tells how far it
// got, and the next run is not in its way.
func TestRunKilled(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		stage string
		want  install.ReceiptState
		found requires.State
	}{
		{"approve", "", ""},
		{"started", install.ReceiptStarted, requires.StateMissing},
		{"done", install.ReceiptStarted, requires.StateFound},
		{"ended", install.ReceiptInstalled, requires.StateFound},
	} {
		t.Run(tt.stage, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.startRunner(tt.stage, bringing("$ROOT/path/tool"))()
			r, ok := s.receipts()["apt:tool"]
			if r.State != tt.want || ok != (tt.want != "") {
				t.Fatalf("receipt %+v, want it %q", r, tt.want)
			}
			if ok {
				if items := r.Check(s.opts.Host); len(items) != 1 || items[0].State != tt.found {
					t.Errorf("Check = %v, want it %s", items, tt.found)
				}
			}
			step := sh("apt:tool", bringing("$ROOT/path/tool"))
			step.Provides = bins("tool")
			s.statuses(t.Context(), []install.Step{step}, install.StatusVerified)
			if r := s.receipts()["apt:tool"]; r.State != install.ReceiptInstalled {
				t.Errorf("receipt after the next run: %+v", r)
			}
		})
	}
}

// The process is killed while an installer works: the installer goes on to its
// end, and is found out about.
func TestRunKilledOrphan(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	gate, open := s.fifo("gate")
	ended, _ := s.fifo("ended")
	kill := s.startRunner("output", "echo ready; read x <"+gate+"; "+bringing("$ROOT/path/tool")+"; echo x >"+ended)
	kill()
	r := s.receipts()["apt:tool"]
	if r.State != install.ReceiptStarted {
		t.Fatalf("receipt %+v", r)
	}
	if items := r.Check(s.opts.Host); items[0].State != requires.StateMissing {
		t.Errorf("Check while the installer works = %v", items)
	}
	open()
	s.await(ended)
	s.opts.Host.Refresh()
	items := r.Check(s.opts.Host)
	want := []requires.Item{{Kind: requires.KindBin, Name: "tool", State: requires.StateFound, Where: filepath.Join(s.path, "tool")}}
	if diff := cmp.Diff(want, items); diff != "" || items[0].String() != `program "tool" is there` {
		t.Errorf("Check (-want +got):\n%s", diff)
	}
	s.awaitNoProcess()
}

// An installer that prints for ever ends with the process that reads it.
func TestRunKilledPrinting(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.startRunner("output", "while echo x; do :; done")()
	s.awaitNoProcess()
	if r := s.receipts()["apt:tool"]; r.State != install.ReceiptStarted {
		t.Errorf("receipt %+v", r)
	}
}

// await reads a line from a FIFO.
func (s *site) await(fifo string) {
	s.t.Helper()
	f, err := os.OpenFile(fifo, os.O_RDWR, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	if _, err := bufio.NewReader(f).ReadString('\n'); err != nil {
		s.t.Fatal(err)
	}
}

// awaitNoProcess returns when the last process of the site has ended. That it
// does not is for the time-out of the test to find.
func (s *site) awaitNoProcess() {
	for s.t.Context().Err() == nil && len(s.processes()) > 0 {
	}
}

// B35: two runs in one state folder, of two processes and of one. The second
// says that it waits, and goes on when the first has ended.
func TestRunLock(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	kill := s.startRunner("started", "")
	waiting := make(chan struct{}, 1)
	s.opts.Event = func(e install.Event) {
		if e.Type == install.EventWaiting {
			waiting <- struct{}{}
		} else {
			s.record(e)
		}
	}

	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		<-waiting
		cancel(cause)
	}()
	plan := &install.Plan{Steps: []install.Step{sh("a", "echo ran")}}
	out, err := install.Run(ctx, plan, &s.opts)
	if out != nil || !errors.Is(err, cause) || !strings.Contains(err.Error(), "another run is at work") || !strings.Contains(err.Error(), s.state) {
		t.Errorf("Run beside another = %v, %v", out, err)
	}

	result := make(chan []install.Outcome)
	go func() { result <- s.run(t.Context(), plan.Steps...) }()
	<-waiting
	if _, ok := s.receipts()["a"]; ok {
		t.Error("the second run began while the first was at work")
	}
	kill()
	if out := <-result; out[0].Status != install.StatusVerified {
		t.Errorf("outcome %+v", out)
	}
}
