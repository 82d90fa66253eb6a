//go:build unix

package main

import (
	"strings"
	"syscall"
	"testing"
)

// No named pipe is opened, which would take for ever.
func TestPipes(t *testing.T) {
	writeTree(t, map[string]string{
		"skill/SKILL.md":    skillText("skill", ""),
		"tool/executa.json": `{"name": "tool", "manifest_file": "manifest.json"}`,
		"pipe/README.md":    "# Pipe\n",
		"conf/README.md":    "# Configuration\n",
	})
	for _, name := range []string{"skill/notes.md", "tool/manifest.json", "pipe/SKILL.md", "conf/" + configFile, "text.md"} {
		if err := syscall.Mkfifo(name, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, format := range []string{"text", "json", "sarif", "github"} {
		out := runOutput(t, exitFound, "--format", format, "skill", "tool", "pipe")
		if n := strings.Count(out, "special-file"); n < 3 {
			t.Errorf("%s: %d pipes are told of, want 3", format, n)
		}
	}
	runOutput(t, exitFound, "--fix", "skill", "tool", "pipe")
	runOutput(t, exitFound, "--checklist", "pipe")
	runOutput(t, exitFailed, "text.md")
	t.Chdir("conf")
	runOutput(t, exitFailed, "../skill")
}
