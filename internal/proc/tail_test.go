package proc_test

import (
	"strings"
	"testing"

	"github.com/matrix-nexus/skillkit/internal/proc"
)

func TestTail(t *testing.T) {
	for _, size := range []int{-1, 0, 1, 4, 10} {
		tail := proc.NewTail(size)
		var all strings.Builder
		for _, s := range []string{"", "a", "bcd", "efghijklmnop", "q", "rs", "tuvwxyz0123", "4"} {
			n, err := tail.Write([]byte(s))
			if n != len(s) || err != nil {
				t.Fatalf("Write(%q): got %d, %v", s, n, err)
			}
			all.WriteString(s)
			want := all.String()[max(0, all.Len()-max(size, 0)):]
			if got := tail.String(); got != want {
				t.Errorf("size %d, after %q: got %q, want %q", size, all.String(), got, want)
			}
		}
	}
}
