package check_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matrix-nexus/skillkit/check"
	"github.com/matrix-nexus/skillkit/internal/golden"
)

// TestOpenclaw compares what is found in real skills (testdata/openclaw) with
// what a reader of them found to be true. docs/real-skills.md says why each
// rule is right there, and what no rule finds.
func TestOpenclaw(t *testing.T) {
	dir := filepath.Join("..", "cache", "openclaw")
	if _, err := os.Stat(filepath.Join(dir, "expected.json")); err != nil {
		t.Skip("the real skills are not here; fetch them with testdata/openclaw/fetch")
	}
	targets, err := check.Find(t.Context(), os.DirFS(dir), "skills", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(targets) < 50 {
		t.Fatalf("found %d skills, want at least 50", len(targets))
	}
	for _, profile := range []check.Profile{check.OpenClaw, check.Matrix} {
		t.Run(string(profile), func(t *testing.T) {
			checker, err := check.New(&check.Options{Profile: profile})
			if err != nil {
				t.Fatal(err)
			}
			report, err := checker.Check(t.Context(), targets)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			for _, f := range report.Findings {
				fmt.Fprintln(&b, f)
			}
			golden.File(t, filepath.Join("testdata", "openclaw", string(profile)+".txt"), b.String())
		})
	}
}
