//go:build unix

package install_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/matrix-nexus/skillkit/install"
	"github.com/matrix-nexus/skillkit/requires"
)

// A run tells its events one at a time, so that they can be printed as they
// come.
func ExampleRun() {
	dir, err := os.MkdirTemp("", "skillkit-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := "/usr/bin:/bin"
	opts := &install.Options{
		State:   filepath.Join(dir, "state"),
		Environ: []string{"PATH=" + path},
		Host: requires.NewHost(&requires.Options{
			Lookup: func(name string) (string, bool) { return path, name == "PATH" },
		}),
		Approve: func(s install.Step) error {
			fmt.Println("may I run", s.Argv[0]+"?")
			return nil
		},
		Event: func(e install.Event) {
			switch e.Type {
			case install.EventWaiting:
				fmt.Println("another run is at work")
			case install.EventOutput:
				fmt.Println("  |", e.Line)
			case install.EventEnded:
				fmt.Println(e.Step.Label, "is", e.Outcome.Status)
			}
		},
	}
	plan := &install.Plan{Steps: []install.Step{{ // as NewPlan makes it
		ID: "apt:greeting", Kind: "apt", Label: "Install greeting",
		Argv:     []string{"/bin/echo", "unpacking greeting"},
		Skills:   []string{"greeter"},
		Provides: []install.Requirement{{Kind: requires.KindBin, Name: "sh"}},
	}}}
	outcomes, err := install.Run(context.Background(), plan, opts)
	if err != nil {
		fmt.Println(err)
		return
	}
	receipts, err := install.Receipts(opts.State)
	fmt.Println(len(outcomes), "outcome,", receipts[0].State, err)
	// Output:
	// may I run /bin/echo?
	//   | unpacking greeting
	// Install greeting is verified
	// 1 outcome, installed <nil>
}
