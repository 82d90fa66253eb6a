package leak_test

import (
	"os/exec"
	"testing"

	"github.com/matrix-nexus/skillkit/internal/leak"
)

func ExampleCheck() {
	_ = func(t *testing.T) {
		leak.Check(t)
		cmd := exec.Command("sleep", "1000")
		cmd.Env = []string{leak.Env(t)}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// Without this the test fails.
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
	}
}
