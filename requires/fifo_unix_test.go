//go:build unix

package requires_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/matrix-nexus/skillkit/requires"
)

// To open a FIFO waits for somebody who writes to it.
func TestFIFOs(t *testing.T) {
	py := newPython(t)
	pipe := func(path string) string {
		if err := syscall.Mkfifo(path, 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	bin := t.TempDir()
	program(t, bin, "tool")
	onPath, added := pipe(filepath.Join(t.TempDir(), "path")), pipe(filepath.Join(t.TempDir(), "pth"))
	pipe(filepath.Join(bin, "piped"))
	pipe(filepath.Join(py.site, "module"))
	file(t, filepath.Join(py.site, "a.pth"), added+"\n")
	for _, tt := range []struct {
		kind   requires.Kind
		name   string
		python string
		want   requires.State
	}{
		{requires.KindBin, "tool", py.exe, requires.StateFound},
		{requires.KindBin, "piped", py.exe, requires.StateMissing},
		{requires.KindPython, "module", py.exe, requires.StateMissing},
		{requires.KindPython, "module", pipe(filepath.Join(t.TempDir(), "python3.11")), requires.StateUnchecked},
	} {
		h := requires.NewHost(&requires.Options{
			Lookup: vars("HOME="+t.TempDir(), pathOf(onPath, bin)), Extra: []string{onPath}, Python: []string{tt.python},
		})
		if got := h.Lookup(tt.kind, tt.name); got.State != tt.want {
			t.Errorf("%s %q is %s (%s), want %s", tt.kind, tt.name, got.State, got.Where, tt.want)
		}
	}
}
