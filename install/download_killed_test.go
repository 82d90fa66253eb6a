package install

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// childEnv makes the test binary a download that is about to be killed; see
// TestDownloadChild.
const childEnv = "SKILLKIT_TEST_DOWNLOAD"

// A childConfig says what the child does.
type childConfig struct {
	URL, State, Stage string
	InTwoSteps        bool
	MaxFile           uint64 // bytes, or 0
}

// TestDownloadChild is a test only for the process that killAt starts.
func TestDownloadChild(t *testing.T) {
	data := os.Getenv(childEnv)
	if data == "" {
		return
	}
	var c childConfig
	if err := json.Unmarshal([]byte(data), &c); err != nil {
		t.Fatal(err)
	}
	limitFiles(t, c.MaxFile)
	l := downloader{fetcher: newFetcher(nil), exchange: exchange, reached: func(stage string) {
		if stage == c.Stage {
			fmt.Println("reached")
			select {}
		}
	}}
	if c.InTwoSteps {
		l.exchange = noExchange
	}
	_, err := l.run(t.Context(), archiveOfTool(c.URL, c.State), c.State, nil)
	fmt.Println("ended:", err)
}

func startChild(t *testing.T, c childConfig) (cmd *exec.Cmd, out *bufio.Reader) {
	t.Helper()
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command(os.Args[0], "-test.run=^TestDownloadChild$")
	cmd.Env = append(os.Environ(), childEnv+"="+string(data))
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewReader(pipe)
}

// killAt kills a download when it has reached a stage.
func killAt(t *testing.T, c childConfig) {
	t.Helper()
	cmd, out := startChild(t, c)
	said, err := out.ReadString('\n')
	if err := errors.Join(cmd.Process.Kill(), ignoreExit(cmd.Wait())); err != nil {
		t.Fatal(err)
	}
	if said != "reached\n" {
		t.Fatalf("got %q, %v; want the child to reach %q", said, err, c.Stage)
	}
}

func ignoreExit(err error) error {
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil
	}
	return err
}

func TestDownloadKilled(t *testing.T) {
	data := tgz(t, "new")
	base := serve(t, func(w http.ResponseWriter, r *http.Request) { w.Write(data) })
	for _, inTwoSteps := range []bool{false, true} {
		for _, old := range []map[string]string{{}, oldFiles} {
			for _, stage := range []string{"staged", "fetched", "unpacked", "moved away", "replaced"} {
				if stage == "moved away" && (!inTwoSteps || len(old) == 0) {
					continue
				}
				t.Run(fmt.Sprintf("B35 killed when %s, of %d files, in two steps %t", stage, len(old), inTwoSteps), func(t *testing.T) {
					state := stateWith(t, old)
					killAt(t, childConfig{URL: base, State: state, Stage: stage, InTwoSteps: inTwoSteps})
					want := old
					if stage == "replaced" {
						want = newFiles
					}
					check := func(when string, want map[string]string, staged bool) {
						t.Helper()
						got := files(t, state)
						left := false
						for name := range got {
							if strings.HasPrefix(name, staging) {
								left = true
								delete(got, name)
							}
						}
						if diff := cmp.Diff(want, got); diff != "" {
							t.Errorf("%s (-want +got):\n%s", when, diff)
						}
						if left != staged {
							t.Errorf("%s: a folder is left: %t, want %t", when, left, staged)
						}
					}
					if stage == "moved away" {
						check("after the kill", map[string]string{}, true)
					} else {
						check("after the kill", want, true)
					}
					if err := sweep(state); err != nil {
						t.Fatal(err)
					}
					check("after sweep", want, false)
					if _, err := download(t.Context(), archiveOfTool(base, state), &Options{State: state}, nil); err != nil {
						t.Fatal(err)
					}
					check("after another run", newFiles, false)
				})
			}
		}
	}
}

func TestSweep(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	if err := sweep(missing); err != nil {
		t.Errorf("no state folder: %v", err)
	}
	if err := sweep(t.TempDir()); err != nil {
		t.Errorf("no tools: %v", err)
	}
	// What was moved away and cannot be put back is kept, and the rest removed.
	state := stateWith(t, map[string]string{
		"skill/tool/a":           "a",
		staging + "1/body":       "x",
		staging + "2/old/a":      "precious",
		staging + "2/target":     "",
		staging + "3/old/a":      "stale",
		staging + "3/target":     "tools/skill/tool",
		staging + "4/old/a":      "precious",
		staging + "4/target":     "../elsewhere",
		staging + "5/old/a":      "put back",
		staging + "5/target":     "tools/skill/other",
		".something-else/file":   "x",
		"skill/" + staging + "x": "not ours",
	})
	if err := sweep(state); err == nil {
		t.Error("got no error for what cannot be put back")
	}
	entries, err := os.ReadDir(filepath.Join(state, "tools"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	slices.Sort(names)
	if diff := cmp.Diff([]string{staging + "2", staging + "4", ".something-else", "skill"}, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, _ := os.ReadFile(filepath.Join(state, "tools", "skill", "other", "a")); string(got) != "put back" {
		t.Errorf("got %q, want what was moved away", got)
	}
}

func TestDownloadDisk(t *testing.T) {
	big := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	data := tgz(t, string(big))
	base := serve(t, func(w http.ResponseWriter, r *http.Request) { w.Write(data) })
	for _, limit := range []uint64{100, uint64(len(data)) + 100} { // in the download, in the unpacking
		state := stateWith(t, oldFiles)
		cmd, out := startChild(t, childConfig{URL: base, State: state, MaxFile: limit})
		said, _ := io.ReadAll(out)
		if err := cmd.Wait(); err != nil && runsLimits {
			t.Fatal(err)
		}
		if !runsLimits {
			t.Skip("no limit on the size of files here")
		}
		if want := "file too large"; !strings.Contains(string(said), want) {
			t.Errorf("got %q, want %q", said, want)
		}
		if diff := cmp.Diff(oldFiles, files(t, state)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
