package proc_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/matrix-nexus/skillkit/internal/proc"
)

// What left the group of a marked command ends with it, as does what ignores
// SIGTERM.
func TestStrays(t *testing.T) {
	tests := []struct {
		role string
		end  bool // by us; else the command ends by itself
	}{
		{"escape", false}, // B14, and its parent has ended
		{"daemon", false},
		{"forgetful", true}, // known as a child of the command
	}
	for _, tt := range tests {
		t.Run(tt.role, func(t *testing.T) {
			c := self(t, tt.role)
			mark := "MARK=" + t.TempDir()
			c.Env = append(c.Env, mark)
			g, err := proc.StartMarked(c.Cmd, short, mark)
			if err != nil {
				t.Fatal(err)
			}
			if tt.end {
				<-c.out.first
				g.End()
			}
			if err := g.Wait(); err != nil && !tt.end {
				t.Error(err)
			}
			// That nothing is left is seen at the end of the test; in the
			// case of one that closed what it got, here.
			for _, pid := range strings.Fields(c.out.String()) {
				if _, err := strconv.Atoi(pid); err == nil {
					dead(t, pid)
				}
			}
		})
	}
}

// An unmarked group leaves alone what left it, and a marked one what is not its
// own.
func TestStraysOfOthers(t *testing.T) {
	other := exec.Command("/bin/sleep", "1000")
	other.Env = []string{"MARK=other"}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	c := self(t, "escape")
	c.Env = append(c.Env, "MARK=this")
	g, err := proc.StartMarked(c.Cmd, 0, "MARK=this")
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", other.Process.Pid))
	if err != nil || !bytes.Contains(stat, []byte(") S ")) {
		t.Errorf("the process of somebody else: %s, %v", stat, err)
	}
	_ = other.Process.Kill()
	_ = other.Wait()
}

func TestKill(t *testing.T) {
	c := self(t, "ignore")
	g, err := proc.Start(c.Cmd, long)
	if err != nil {
		t.Fatal(err)
	}
	<-c.out.first
	var wg sync.WaitGroup
	wg.Go(g.End) // waits for an hour
	g.Kill()
	wg.Wait()
	if err := g.Wait(); err == nil || err.Error() != "signal: killed" {
		t.Errorf("got %v", err)
	}
	g.Kill()
}

// dead fails the test if a process runs.
func dead(t *testing.T, pid string) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		stat, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
		if err != nil || bytes.Contains(stat, []byte(") Z ")) {
			return
		}
	}
	t.Errorf("process %s is left", pid)
}

// A command that ends when it is asked to leaves nobody who could tell whose the
// process is that it started.
func TestLook(t *testing.T) {
	c := self(t, "obedient")
	stdin, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stdin = stdin
	g, err := proc.StartMarked(c.Cmd, short, "MARK="+t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	stdin.Close()
	<-c.out.first
	g.Look()
	theirs.Close()
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
	g.Look()
	for _, pid := range strings.Fields(c.out.String()) {
		dead(t, pid)
	}
}

func TestAdoptOrphans(t *testing.T) {
	c := self(t, "adopt") // since it holds for the whole process
	if err := proc.Run(t.Context(), c.Cmd, long); err != nil {
		t.Error(err)
	}
	if got := c.out.String(); got != "" {
		t.Error(got)
	}
}

// adopt becomes a subreaper, ends groups that leave orphans beside commands that
// os/exec waits for, and prints what is wrong then.
func adopt() {
	if err := proc.AdoptOrphans(); err != nil {
		fmt.Println(err)
		return
	}
	tree := os.NewFile(3, "tree")
	defer tree.Close()
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for range 10 {
				if err := exec.Command("/bin/sh", "-c", "exit 0").Run(); err != nil {
					fmt.Println("somebody else has reaped it:", err)
				}
			}
		})
		wg.Go(func() {
			for _, role := range []string{"orphan", "escape"} {
				cmd := exec.Command(os.Args[0])
				mark := fmt.Sprint("MARK=", i, role)
				cmd.Env = append(os.Environ(), roleEnv+"="+role, mark)
				cmd.ExtraFiles = []*os.File{tree}
				var out bytes.Buffer
				cmd.Stdout, cmd.Stderr = &out, &out
				g, err := proc.StartMarked(cmd, short, mark)
				if err == nil {
					err = g.Wait()
				}
				if err != nil {
					fmt.Println(role, err, out.String())
				}
			}
		})
	}
	wg.Wait()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		stat, _ := os.ReadFile(name)
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if len(fields) > 1 && fields[1] == strconv.Itoa(os.Getpid()) {
			fmt.Printf("a child is left: %s", stat)
		}
	}
	if len(stats) == 0 {
		fmt.Println("no processes are seen:", err)
	}
}
