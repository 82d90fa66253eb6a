package main

import (
	"bytes"
	"io/fs"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/matrix-nexus/skillkit/benchmarks/sample"
	"github.com/matrix-nexus/skillkit/internal/skillgen"
)

func TestFloorFindsEveryFence(t *testing.T) {
	dir := t.TempDir()
	if _, err := skillgen.Tree(dir, 100, 1); err != nil {
		t.Fatal(err)
	}
	want := 0
	tree := os.DirFS(dir)
	if err := fs.WalkDir(tree, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Name() != skillFile {
			return err
		}
		data, err := fs.ReadFile(tree, path)
		if head := data[:min(len(data), headSize)]; bytes.HasPrefix(head, []byte("---\n")) && bytes.Contains(head[3:], []byte("\n---\n")) {
			want++
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	var headers atomic.Int64
	got, err := floor(dir, func([]byte) { headers.Add(1) })
	if err != nil {
		t.Fatal(err)
	}
	if got != want || int(headers.Load()) != want || want < 50 {
		t.Errorf("got %d files with fences and %d headers, want %d", got, headers.Load(), want)
	}
}

func TestFloorReportsErrors(t *testing.T) {
	if _, err := floor(t.TempDir()+"/missing", nil); err == nil {
		t.Error("got no error for a folder that does not exist")
	}
}

func TestSummaryIsTheMedian(t *testing.T) {
	f := summary([]sample.Sample{{Time: 9 * time.Second}, {Time: time.Second, PeakRSS: 7}, {Time: 2 * time.Second, Allocs: 3}})
	if f.time != 2*time.Second || f.rss != 7 || f.allocs != 1 {
		t.Errorf("got time %v, peak %d, allocations %v, want 2s, 7, 1", f.time, f.rss, f.allocs)
	}
}
