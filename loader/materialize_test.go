package loader_test

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/loader"
)

// contents returns the files below dir.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	got := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		got[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestMaterialize(t *testing.T) {
	fsys := fstest.MapFS{
		"jq/SKILL.md":       {Data: []byte(manifest("../jq"))},
		"jq/bin/run.sh":     {Data: []byte("#!/bin/sh\necho hello\n")},
		"jq/data/table.csv": {Data: []byte("a,b\n")},
	}
	want := map[string]string{}
	for path, f := range fsys {
		want[path[len("jq/"):]] = string(f.Data)
	}
	get := func() (string, error) {
		sk, err := load(t, &loader.Options{Bundled: fsys}).Get("../jq")
		if err != nil {
			t.Fatal(err)
		}
		return loader.Materialize(t.TempDir(), sk)
	}
	sk, err := load(t, &loader.Options{Bundled: fsys}).Get("../jq")
	if err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()

	t.Run("by many at once", func(t *testing.T) {
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if _, err := loader.Materialize(state, sk); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	})
	dir, err := loader.Materialize(state, sk)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, contents(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if filepath.Dir(dir) != filepath.Join(state, "skills") {
		t.Errorf("folder %s, want it in %s", dir, state)
	}
	if info, err := os.Stat(filepath.Join(dir, "bin", "run.sh")); runtime.GOOS != "windows" && (err != nil || info.Mode()&0o111 == 0) {
		t.Errorf("the script is not executable: %v, %v", info.Mode(), err)
	}

	t.Run("a second call writes nothing", func(t *testing.T) {
		file := filepath.Join(dir, "data", "table.csv")
		before, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := loader.Materialize(state, sk); again != dir || err != nil {
			t.Errorf("Materialize = %s, %v, want %s", again, err, dir)
		}
		after, err := os.Stat(file)
		if err != nil || !os.SameFile(before, after) {
			t.Errorf("the file was written again (%v)", err)
		}
	})
	t.Run("damage is mended", func(t *testing.T) {
		write(t, dir, map[string]string{"SKILL.md": "other"})
		remove(t, filepath.Join(dir, "data"))
		if _, err := loader.Materialize(state, sk); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, contents(t, dir)); diff != "" {
			t.Errorf("files (-want +got):\n%s", diff)
		}
	})
	t.Run("a link in the way leads nowhere", func(t *testing.T) {
		outside := t.TempDir()
		remove(t, filepath.Join(dir, "data"))
		write(t, dir, map[string]string{"data": "-> " + outside})
		if _, err := loader.Materialize(state, sk); err == nil {
			t.Error("no error")
		}
		if got := contents(t, outside); len(got) != 0 {
			t.Errorf("written through the link: %v", got)
		}
	})
	t.Run("another version has another folder", func(t *testing.T) {
		first, err := get()
		if err != nil {
			t.Fatal(err)
		}
		fsys["jq/data/table.csv"] = &fstest.MapFile{Data: []byte("a,c\n")}
		second, err := get()
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(first) == filepath.Base(second) {
			t.Errorf("both are in %s", filepath.Base(first))
		}
	})
	t.Run("a skill on disk stays where it is", func(t *testing.T) {
		dir := tree(t, map[string]string{"a/SKILL.md": manifest("a")})
		sk, err := loadDir(t, dir).Get("a")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := loader.Materialize(filepath.Join(dir, "none"), sk); got != filepath.Join(dir, "a") || err != nil {
			t.Errorf("Materialize = %s, %v", got, err)
		}
	})
}
