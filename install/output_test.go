package install

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// lines writes the parts of an output and returns the lines and the tail.
func lines(parts ...string) (list []string, tail string) {
	w := &lineWriter{emit: func(s string) { list = append(list, s) }}
	for _, p := range parts {
		_, _ = w.Write([]byte(p))
	}
	return list, w.close()
}

func TestOutputLines(t *testing.T) {
	long := strings.Repeat("x", MaxLine)
	for _, tt := range []struct {
		name, in string
		want     []string
		tail     string
	}{
		{"nothing", "", nil, ""},
		{"lines", "a\nb\n", []string{"a", "b"}, "a | b"},
		{"no line end", "a\nb", []string{"a", "b"}, "a | b"},
		{"blank lines are told, not kept", "a\n\n \nb\n", []string{"a", "", " ", "b"}, "a | b"},
		{"CRLF", "a\r\nb\r\n", []string{"a", "b"}, "a | b"},
		{"CR CR LF", "a\r\r\nb", []string{"a", "b"}, "a | b"},
		{"progress", "get\n10%\r20%\r100%\ndone\n", []string{"get", "10%", "20%", "100%", "done"}, "get | 100% | done"},
		{"progress that is cleared", "10%\r    \rdone\n", []string{"10%", "    ", "done"}, "done"},
		{"CR before", "\r10%\r20%", []string{"10%", "20%"}, "20%"},
		{"colours", "\x1b[1;31mred\x1b[0m\n", []string{"red"}, "red"},
		{"private sequence", "\x1b[?25lx\x1b[2K\x1b[1Gy\n", []string{"xy"}, "xy"},
		{"title, ended by BEL", "\x1b]0;pwned\x07x\n", []string{"x"}, "x"},
		{"link, ended by ST", "\x1b]8;;http://x\x1b\\x\n", []string{"x"}, "x"},
		{"device control", "\x1bP1;2|evil\x1b\\x\n", []string{"x"}, "x"},
		{"charset", "\x1b(Bx\x1b(0y\n", []string{"xy"}, "xy"},
		{"simple escape", "\x1b7x\x1bMy\n", []string{"xy"}, "xy"},
		{"escape within a sequence", "\x1b[1\x1b[31mx\n", []string{"x"}, "x"},
		{"unfinished string hides one line", "\x1b]0;a\nb\n", []string{"", "b"}, "b"},
		{"unfinished sequence hides one line", "\x1b[1;\nb\n", []string{"", "b"}, "b"},
		{"escape at the end", "a\x1b", []string{"a"}, "a"},
		{"controls", "a\x00b\x07c\x08d\x7fe\tf\n", []string{"abcde f"}, "abcde f"},
		{"controls beyond ASCII", "a\u009bb\u0085c\u2028d\u202ee\u2066f\n", []string{"abcdef"}, "abcdef"},
		{"not UTF-8", "a\xffb\xe9\n", []string{"a\ufffdb\ufffd"}, "a\ufffdb\ufffd"},
		{"as long as can be", long + "\nb\n", []string{long, "b"}, "…" + long[:tailBytes-4] + " | b"},
		{"one longer", long + "y\nb\n", []string{long, "y", "b"}, "…" + long[:tailBytes-8] + " | y | b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, tail := lines(tt.in)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
			if tail != tt.tail {
				t.Errorf("tail %q, want %q", tail, tt.tail)
			}
			bytewise, tail := lines(strings.SplitAfter(tt.in, "")...)
			if diff := cmp.Diff(got, bytewise); diff != "" || tail != tt.tail {
				t.Errorf("in pieces (-whole +pieces):\n%s\ntail %q", diff, tail)
			}
		})
	}
}

// A character at the place where a line is cut stays whole, and what replaces
// bytes that are no character makes no line too long.
func TestOutputCut(t *testing.T) {
	for pad := range utf8.UTFMax {
		in := strings.Repeat("x", MaxLine-pad) + "€𝄞é" + strings.Repeat("y", MaxLine)
		got, _ := lines(in)
		if strings.Join(got, "") != in {
			t.Errorf("pad %d: the pieces are not the line", pad)
		}
		for _, l := range got {
			if len(l) > MaxLine || !utf8.ValidString(l) {
				t.Errorf("pad %d: a piece has %d bytes, valid UTF-8: %v", pad, len(l), utf8.ValidString(l))
			}
		}
	}
	got, _ := lines(strings.Repeat("a\xff", MaxLine))
	if want := strings.Repeat("a\ufffd", MaxLine); strings.Join(got, "") != want {
		t.Error("a line of replaced bytes is not whole")
	}
	for _, l := range got {
		if len(l) > MaxLine {
			t.Errorf("a piece has %d bytes", len(l))
		}
	}
}

func TestOutputTail(t *testing.T) {
	var in strings.Builder
	for i := range 100 {
		fmt.Fprintf(&in, "line %d\n", i)
	}
	_, tail := lines(in.String())
	if want := "line 96 | line 97 | line 98 | line 99"; tail != want {
		t.Errorf("tail %q, want %q", tail, want)
	}
	_, tail = lines("hello\n" + strings.Repeat("cannot connect\nretrying\n", 20) + "giving up\n")
	if want := "hello | cannot connect | retrying | giving up"; tail != want {
		t.Errorf("tail of repeated lines %q, want %q", tail, want)
	}
	_, tail = lines(strings.Repeat("€", 2*MaxLine))
	if !utf8.ValidString(tail) || len(tail) > tailBytes+len("…") {
		t.Errorf("the tail has %d bytes", len(tail))
	}
}

// What is written after the end is lost, and does no harm.
func TestOutputAfterClose(t *testing.T) {
	var n int
	w := &lineWriter{emit: func(string) { n++ }}
	_, _ = w.Write([]byte("a\n"))
	w.close()
	if k, err := w.Write([]byte("b\nc")); k != 3 || err != nil || n != 1 {
		t.Errorf("Write = %d, %v; %d lines", k, err, n)
	}
}

// An output without end grows nothing: neither one without line ends, nor one
// within an escape sequence.
func TestOutputMemory(t *testing.T) {
	for _, in := range []string{"x", "\x1b]", "\x1b[1;", "\r", "\xff", "x\n"} {
		w := &lineWriter{emit: func(string) {}}
		chunk := []byte(strings.Repeat(in, 32<<10))
		_, _ = w.Write(chunk)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for range 100 {
			_, _ = w.Write(chunk)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 1<<20 {
			t.Errorf("%q for ever: grown by %d bytes", in, grown)
		}
		runtime.KeepAlive(w)
	}
}

func FuzzOutput(f *testing.F) {
	f.Add("a\r\n\x1b[31mb\x1b]0;t\x07\xff", 3)
	f.Fuzz(func(t *testing.T, in string, n int) {
		want, tail := lines(in)
		for _, l := range append(want, tail) {
			if len(l) > max(MaxLine, tailBytes+3) || !utf8.ValidString(l) || strings.ContainsAny(l, "\x1b\r\n\x00\x7f") {
				t.Fatalf("line %q", l)
			}
		}
		n = min(max(n, 0), len(in))
		got, gotTail := lines(in[:n], in[n:])
		if diff := cmp.Diff(want, got); diff != "" || tail != gotTail {
			t.Errorf("cut at %d (-whole +cut):\n%s", n, diff)
		}
	})
}

func BenchmarkOutput(b *testing.B) {
	chunk := []byte(strings.Repeat("Get:1 http://deb.example.com stable/main amd64 Packages [8,786 kB]\n", 480))
	w := &lineWriter{emit: func(string) {}}
	b.SetBytes(int64(len(chunk)))
	for b.Loop() {
		_, _ = w.Write(chunk)
	}
}
