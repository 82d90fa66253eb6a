package atomicfile_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/matrix-nexus/skillkit/internal/atomicfile"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil || string(data) != "new" {
		t.Errorf("got %q, %v", data, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode != 0o600 {
		t.Errorf("mode is %#o", mode)
	}
}

// The mode is the one that is asked for, whatever the umask, and nothing leads out
// of the folder.
func TestWriteIn(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := atomicfile.WriteIn(root, "file", []byte("new"), 0o666); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "file"))
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode != 0o666 {
		t.Errorf("mode is %#o", mode)
	}
	if err := atomicfile.WriteIn(root, "../file", nil, 0o666); err == nil {
		t.Error("a file outside is written")
	}
}

// A write that fails leaves nothing behind.
func TestWriteFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(path, "full"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(path, nil); err == nil {
		t.Error("a folder was replaced")
	}
	if err := atomicfile.Write(filepath.Join(dir, "none", "file"), nil); err == nil {
		t.Error("a missing folder was written to")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("got %v, %v", entries, err)
	}
}

// Of several writers one wins, and no reader sees a mixture.
func TestWriteAtOnce(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a file cannot be replaced there while it is being read")
	}
	path := filepath.Join(t.TempDir(), "file")
	whole := func(data []byte) bool {
		return len(data) == 1<<16 && bytes.Count(data, data[:1]) == len(data)
	}
	if err := atomicfile.Write(path, bytes.Repeat([]byte("x"), 1<<16)); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for range 20 {
				if err := atomicfile.Write(path, bytes.Repeat([]byte{byte('a' + i)}, 1<<16)); err != nil {
					t.Error(err)
				}
				if data, err := os.ReadFile(path); err != nil || !whole(data) {
					t.Errorf("read %d bytes, %v", len(data), err)
				}
			}
		})
	}
	wg.Wait()
}

// Mode 0 is what any new file gets.
func TestWriteInUsualMode(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := atomicfile.WriteIn(root, "file", []byte("x"), 0); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "other"), []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	got, err := os.Stat(filepath.Join(dir, "file"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.Stat(filepath.Join(dir, "other"))
	if err != nil {
		t.Fatal(err)
	}
	if got.Mode() != want.Mode() {
		t.Errorf("mode is %v, want %v", got.Mode(), want.Mode())
	}
}
