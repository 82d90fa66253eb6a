//go:build unix

package publish_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestFIFO(t *testing.T) {
	for _, name := range []string{"pipe", "SKILL.md", ".gitignore", ".listing.json"} {
		dir := write(t, map[string]string{"a": manifest})
		if name != "SKILL.md" {
			dir = write(t, map[string]string{"SKILL.md": manifest})
		}
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o666); err != nil {
			t.Fatal(err)
		}
		refused(t, dir, name, "neither a regular file nor a folder")
	}
}

func TestUnreadableFile(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("as root every file can be read")
	}
	dir := write(t, map[string]string{"SKILL.md": manifest, "a": "x"})
	if err := os.Chmod(filepath.Join(dir, "a"), 0); err != nil {
		t.Fatal(err)
	}
	refused(t, dir, "a", "cannot be read: permission denied")
}
