package publish_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matrix-nexus/skillkit/publish"
)

// The files of this folder have no size and yet a content, as one has that grows
// while it is read.
func TestChangedWhileRead(t *testing.T) {
	const dir = "/proc/sys/kernel/random"
	if _, err := os.Stat(filepath.Join(dir, "boot_id")); err != nil {
		t.Skip(err)
	}
	_, err := publish.ReadFolder(t.Context(), dir)
	if e, ok := errors.AsType[*publish.FileError](err); !ok || !strings.Contains(e.Reason, "changed while it was read") {
		t.Errorf("error is %v", err)
	}
}
