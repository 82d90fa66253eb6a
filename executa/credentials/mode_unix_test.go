//go:build unix

package credentials_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/matrix-nexus/skillkit/executa/credentials"
)

// The files are for their owner only, whatever the umask.
func TestUmask(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	dir := filepath.Join(t.TempDir(), "state")
	s := open(t, dir)
	set(t, s, credentials.Entry{Plugin: "p", Name: "NAME"}, "x")
	set(t, s, credentials.Entry{Plugin: "p", Name: "NAME"}, "y")
	for name, want := range map[string]os.FileMode{".": 0o700, "credentials": 0o600, "credentials.key": 0o600, "credentials.lock": 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %#o, want %#o", name, got, want)
		}
	}
}

// A file that others can read is refused, and the error tells the remedy.
func TestReadableByOthers(t *testing.T) {
	for _, name := range []string{"credentials", "credentials.key"} {
		for _, mode := range []os.FileMode{0o604, 0o640, 0o620, 0o666} {
			dir := filepath.Join(t.TempDir(), "a b")
			s := open(t, dir)
			set(t, s, credentials.Entry{Plugin: "p", Name: "NAME"}, "x")
			resolve(t, s, "p", "NAME") // what is cached does not help
			path := filepath.Join(dir, name)
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
			if name == "credentials.key" {
				s = open(t, dir)
			}
			_, _, err := s.Resolve(t.Context(), "p", "NAME")
			if err == nil || !strings.Contains(err.Error(), "run: chmod 600 '"+path+"'") {
				t.Errorf("%s with mode %#o: got %v", name, mode, err)
			}
			if err := s.Set(t.Context(), credentials.Entry{Plugin: "p", Name: "NAME"}, "y"); err == nil {
				t.Errorf("%s with mode %#o is written", name, mode)
			}
			if err := os.Chmod(path, 0o400); err != nil {
				t.Fatal(err)
			}
			if got := resolve(t, s, "p", "NAME"); got != "x" {
				t.Errorf("got %q", got)
			}
		}
	}
}
