package executa

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

const testSecret = "sk-4242424242"

func hideSecret(s string) string { return strings.ReplaceAll(s, testSecret, "[redacted]") }

// writeChunks writes s in pieces of size bytes.
func writeChunks(t testing.TB, l *stderrLog, s string, size int) {
	t.Helper()
	for p := []byte(s); len(p) > 0; {
		n := min(size, len(p))
		if got, err := l.Write(p[:n]); got != n || err != nil {
			t.Fatalf("Write: got %d, %v", got, err)
		}
		p = p[n:]
	}
}

func TestStderrLog(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"lines", "a\nb\r\n\nc\n", "a\nb\nc"},
		{"no line break at the end", "a\nb", "a\nb"},
		{"nothing", "", ""},
		{"a secret", "token " + testSecret + "!\n", "token [redacted]!"},
		{"a secret at the end", "x\n" + testSecret, "x\n[redacted]"},
		{"control characters", "a\x1b[31mb\x00c\td\n", "a\ufffd[31mb\ufffdc\td"},
		{"not UTF-8", "a\xffb\n", "a\ufffdb"},
		{"a line at the limit", strings.Repeat("x", maxStderrLine) + "\n", strings.Repeat("x", maxStderrLine)},
		{"a line over the limit", strings.Repeat("x", maxStderrLine+1) + "\n", strings.Repeat("x", maxStderrLine) + "…"},
		{"a secret that is cut", strings.Repeat("x", maxStderrLine-4) + testSecret + "\n", strings.Repeat("x", maxStderrLine-4) + "[red…"},
		{"a secret where reading is cut", strings.Repeat("x", maxStderrLine+maxSecret-4) + testSecret + "\nnext\n", strings.Repeat("x", maxStderrLine) + "…\nnext"},
		{"secrets up to where reading is cut", strings.Repeat(testSecret, (maxStderrLine+maxSecret)/len(testSecret)+1) + "\n", "…"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, size := range []int{1, 7, 1 << 20} {
				var log bytes.Buffer
				l := newStderrLog("p", slog.New(slog.NewTextHandler(&log, nil)), hideSecret)
				writeChunks(t, l, tt.in, size)
				l.flush()
				got := l.end()
				if got != tt.want && !(strings.HasPrefix(tt.name, "secrets") && strings.HasSuffix(got, "…")) {
					t.Errorf("in chunks of %d: got %q, want %q", size, got, tt.want)
				}
				if all := got + log.String(); strings.Contains(all, testSecret[:4]) {
					t.Errorf("in chunks of %d: a part of the secret is left: %q", size, all)
				}
			}
		})
	}
}

func TestStderrEnd(t *testing.T) {
	l := newStderrLog("p", nil, asIs)
	for i := range 10_000 {
		fmt.Fprintf(l, "line %d\n", i)
	}
	got := l.end()
	lines := strings.Split(got, "\n")
	if len(got) > stderrTail || len(got) < stderrTail/2 || lines[len(lines)-1] != "line 9999" {
		t.Errorf("got %d bytes that end in %q", len(got), lines[len(lines)-1])
	}
	for _, line := range lines {
		if !strings.HasPrefix(line, "line ") {
			t.Errorf("a part of a line: %q", line)
		}
	}
	// What became a secret later is hidden too.
	l.redact = func(s string) string { return strings.ReplaceAll(s, "9999", "x") }
	if got := l.end(); !strings.HasSuffix(got, "\nline x") {
		t.Errorf("got %q", got[len(got)-20:])
	}
}

func asIs(s string) string { return s }

func BenchmarkStderrLog(b *testing.B) {
	l := newStderrLog("p", nil, asIs)
	line := []byte(strings.Repeat("x", 99) + "\n")
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		_, _ = l.Write(line)
	}
}

func FuzzStderrLog(f *testing.F) {
	f.Add([]byte("a\nb"), 3)
	f.Fuzz(func(t *testing.T, in []byte, size int) {
		whole, parts := newStderrLog("p", nil, asIs), newStderrLog("p", nil, asIs)
		_, _ = whole.Write(in)
		writeChunks(t, parts, string(in), max(size%64, 1))
		whole.flush()
		parts.flush()
		if a, b := whole.end(), parts.end(); a != b || len(a) > stderrTail {
			t.Errorf("at once %q, in chunks %q", a, b)
		}
	})
}
