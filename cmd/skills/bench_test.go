package main

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/matrix-nexus/skillkit/internal/skillgen"
)

// BenchmarkCommands measures doctor beside list on the same skills, which
// reads, parses and checks as many. The figure is that of doctor in relation to
// that of list, with the two taking turns.
func BenchmarkCommands(b *testing.B) {
	const skills = 2000
	dir := b.TempDir()
	if _, err := skillgen.Tree(dir, skills, 1); err != nil {
		b.Fatal(err)
	}
	environ := []string{"HOME=" + b.TempDir(), "PATH=" + os.Getenv("PATH")}
	command := func(name string) {
		var stderr bytes.Buffer
		if status := run(b.Context(), []string{"--root", dir, name}, strings.NewReader(""), io.Discard, &stderr, environ); status != exitOK {
			b.Fatalf("%s: status %d: %s", name, status, &stderr)
		}
	}
	for _, name := range []string{"list", "doctor"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				command(name)
			}
		})
	}
	b.Run("doctor-by-list", func(b *testing.B) {
		var list, doctor int64
		for b.Loop() {
			list += timed(func() { command("list") })
			doctor += timed(func() { command("doctor") })
		}
		b.ReportMetric(float64(doctor)/float64(list), "doctor/list")
	})
}

// timed returns how long f takes, in nanoseconds.
func timed(f func()) int64 {
	start := time.Now()
	f()
	return int64(time.Since(start))
}
