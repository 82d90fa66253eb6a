package main

import (
	"os"
	"testing"
)

func needUnix(t *testing.T) {
	t.Helper()
	if os.PathSeparator != '/' {
		t.Skip("runs shell scripts")
	}
}
