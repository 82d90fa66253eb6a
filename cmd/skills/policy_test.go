package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/matrix-nexus/skillkit/install"
)

// A policy program that hangs, says too much or fails blocks the step.
func TestPolicyMisbehaves(t *testing.T) {
	needUnix(t)
	for _, tt := range []struct{ name, script, want string }{
		{"hangs", "trap '' TERM; while :; do read x </dev/zero; done", "no answer within"},
		{"leaves a child that hangs", "sleep 600 & echo allow", ""},
		{"says too much", "trap '' PIPE; echo allow; while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx 2>/dev/null; done", "more than 65536 bytes"},
		{"fails after allow", "echo allow; exit 1", "exit status 1"},
		{"says nothing", "", `answered ""`},
		{"says an escape sequence", `printf '\033[31m'`, "answered"},
		{"does not read", "exec <&-; echo allow", ""},
		{"allows", "cat >/dev/null; echo allow", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			program := filepath.Join(t.TempDir(), "policy")
			if err := os.WriteFile(program, []byte("#!/bin/sh\n"+tt.script+"\n"), 0o777); err != nil {
				t.Fatal(err)
			}
			timeout := time.Minute
			if tt.name == "hangs" {
				timeout = 100 * time.Millisecond
			}
			var stderr bytes.Buffer
			a := &app{ctx: t.Context(), environ: []string{"PATH=" + os.Getenv("PATH")}, stderr: &stderr}
			// Longer than a pipe holds.
			step := install.Step{ID: "go:x", Label: strings.Repeat("x", 200_000)}
			err := a.askPolicy(program, step, timeout, func(string) { t.Error("warned") })
			switch {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
