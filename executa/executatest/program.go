package executatest

import (
	"os"
	"strings"
	"testing"

	"github.com/matrix-nexus/skillkit/executa"
)

// Programs are what the test binary can be run as, by name. Each returns when its
// process is to end, with status 0.
type Programs map[string]func()

// runAs begins the argument by which the test binary knows what it is to be.
const runAs = "executatest.program="

// Run is for TestMain. It runs the tests of m, or, in a process that was started
// with a [Spec], the program that it names. It returns the exit status.
func Run(m *testing.M, programs Programs) int {
	if len(os.Args) == 2 {
		if name, ok := strings.CutPrefix(os.Args[1], runAs); ok {
			main, ok := programs[name]
			if !ok {
				_, _ = os.Stderr.WriteString("executatest: there is no program " + name + "\n")
				return 2
			}
			main()
			return 0
		}
	}
	return m.Run()
}

// Spec returns how a program of [Run] is started. The caller may change it. The
// name is the id as well.
func Spec(name string) executa.Spec {
	return executa.Spec{
		ID:      name,
		Command: []string{os.Args[0], runAs + name},
		// The race detector sleeps for a second at the end of a process.
		Env: []string{"GORACE=atexit_sleep_ms=0"},
	}
}
