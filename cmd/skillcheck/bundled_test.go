package main

import (
	"path/filepath"
	"testing"
)

// The skills that are built in can be published.
func TestBundled(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	if out := runOutput(t, exitClean, "--strict", "bundled/skills"); t.Failed() {
		t.Errorf("bundled skills:\n%s", out)
	}
}
