package leak_test

import (
	"bufio"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/matrix-nexus/skillkit/internal/leak"
)

// A recorder is a test whose end and failures the test sees.
type recorder struct {
	testing.TB
	cleanups []func()
	failures []string
}

func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }

func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

// end returns what failed when the test had ended.
func (r *recorder) end() string {
	for _, f := range r.cleanups {
		f()
	}
	return strings.Join(r.failures, "\n")
}

const short = 50 * time.Millisecond

func TestCheck(t *testing.T) {
	var stop []func()
	tests := []struct {
		name string
		do   func(t testing.TB)
		want string // a regular expression; empty if nothing is left
	}{
		{"nothing", func(testing.TB) {}, ""},
		{"goroutine", func(testing.TB) {
			c := make(chan struct{})
			stop = append(stop, func() { close(c) })
			go func() { <-c }()
		}, `^a goroutine is left:\ngoroutine (.|\n)*leak_test`},
		{"goroutine that ends", func(testing.TB) {
			c := make(chan struct{})
			go func() { <-c }()
			time.AfterFunc(short/5, func() { close(c) })
		}, ""},
		{"child", func(testing.TB) {
			cmd := start(t, exec.Command("sleep", "1000"))
			stop = append(stop, func() { _ = cmd.Wait() })
		}, `^a process is left: \d+: sleep 1000, state S$`},
		{"child that ended", func(testing.TB) {
			cmd := start(t, exec.Command("sh", "-c", "echo"))
			stop = append(stop, func() { _ = cmd.Wait() })
		}, `^a child is not waited for: \d+: \(sh\), state Z$`},
		{"child that was waited for", func(testing.TB) {
			if err := exec.Command("true").Run(); err != nil {
				t.Error(err)
			}
		}, ""},
		{"process of a session of its own", func(tb testing.TB) {
			cmd := exec.Command("sh", "-c", "setsid sleep 1001 >/dev/null 2>&1 & echo")
			cmd.Env = append(cmd.Environ(), leak.Env(tb))
			if err := start(t, cmd).Wait(); err != nil {
				t.Error(err)
			}
		}, `^a process is left: \d+: (setsid )?sleep 1001, state .$`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			leak.Check(t)
			t.Cleanup(func() {
				for _, f := range stop {
					f()
				}
				stop = nil
			})
			r := &recorder{TB: t}
			leak.CheckFor(r, short)
			tt.do(r)
			got := r.end()
			if ok, err := regexp.MatchString(tt.want, got); err != nil || !ok || tt.want == "" && got != "" {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// start starts cmd and, if it prints a line, waits for that.
func start(t *testing.T, cmd *exec.Cmd) *exec.Cmd {
	t.Helper()
	if cmd.Args[0] == "sleep" {
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return cmd
}
