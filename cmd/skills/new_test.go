package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matrix-nexus/skillkit/check"
	"github.com/matrix-nexus/skillkit/metadata"
)

// A new skill of any mode is one that the linter finds nothing wrong with, nor has
// an advice for, but for its name.
func TestNewSkillsAreClean(t *testing.T) {
	dir := t.TempDir()
	checker, err := check.New(&check.Options{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range []string{"prompt", "bash", "python", "api", "hybrid"} {
		for _, name := range []string{"deploy-" + mode, "x-" + mode, "données-" + mode, strings.Repeat("a", 57) + "-" + mode} {
			var stdout, stderr bytes.Buffer
			if status := run(t.Context(), []string{"new", name, "--mode", mode, "-o", dir}, strings.NewReader(""), &stdout, &stderr, nil); status != exitOK {
				t.Fatalf("status %d: %s", status, &stderr)
			}
			folder := filepath.Join(dir, name)
			report, err := checker.Check(t.Context(), []check.Target{{Path: name, Name: name, FS: os.DirFS(folder), Manifest: "SKILL.md"}})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range report.Findings {
				if f.Severity > metadata.Info || name == "x-"+mode {
					t.Errorf("%s: %v", name, f)
				}
			}
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for name, want := range map[string]string{
		"":                        "is empty",
		"Deploy":                  "use lower-case letters",
		"deploy_it":               "use lower-case letters",
		"deploy--it":              "a hyphen too many",
		"-deploy":                 "unknown flag", // as of a flag
		"../x":                    "use lower-case letters",
		"con":                     "reserved by Windows",
		"claude":                  "claude",
		"skill":                   "skill",
		strings.Repeat("a", 65):   "more than 64 characters",
		"a\x1b[31m":               "use lower-case letters",
		"deploy/../../etc/passwd": "use lower-case letters",
	} {
		dir := t.TempDir()
		var stdout, stderr bytes.Buffer
		status := run(t.Context(), []string{"new", "-o", dir, name}, strings.NewReader(""), &stdout, &stderr, nil)
		if status == exitOK || !strings.Contains(stderr.String(), want) {
			t.Errorf("%q: status %d, stderr %q, want %q", name, status, &stderr, want)
		}
		if list, err := os.ReadDir(dir); err != nil || len(list) > 0 {
			t.Errorf("%q: left %v behind, error %v", name, list, err)
		}
	}
}
