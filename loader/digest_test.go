package loader_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/matrix-nexus/skillkit/loader"
)

func takeDigest(t *testing.T, dir string) string {
	t.Helper()
	d, err := loader.Digest(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// sample is a folder of skills.
func sample(t *testing.T) string {
	dir := tree(t, map[string]string{
		"a/SKILL.md": manifest("a"), "a/run.sh": "#!/bin/sh\n", "a/ab": "c", "a/.hidden/x": "y", "b/SKILL.md": manifest("b"), "b/empty": "", "c": "-> a",
	})
	if err := os.Chmod(filepath.Join(dir, "a", "run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Records of trust outlive the version that made them.
func TestDigestIsStable(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no file is executable there")
	}
	const want = "sha256:287d7a4c893b7952b22ecf062a131844a065c23d7e061df2d9082452196d2405"
	if got := takeDigest(t, sample(t)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestDigest(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	in := func(dir, name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	write := func(dir, name, text string) {
		must(os.MkdirAll(filepath.Dir(in(dir, name)), 0o755))
		must(os.WriteFile(in(dir, name), []byte(text), 0o644))
	}
	seen := map[string]string{takeDigest(t, sample(t)): "nothing"}
	for _, tt := range []struct {
		name   string
		change func(dir string)
		same   bool
	}{
		{"nothing", func(string) {}, true},
		{"times", func(dir string) {
			must(os.Chtimes(in(dir, "a/SKILL.md"), time.Unix(1, 0), time.Unix(1, 0)))
			must(os.Chtimes(in(dir, "a"), time.Unix(1, 0), time.Unix(1, 0)))
		}, true},
		{"an empty folder", func(dir string) { must(os.Mkdir(in(dir, "d"), 0o755)) }, true},
		{"permissions of others", func(dir string) { must(os.Chmod(in(dir, "a/ab"), 0o600)) }, true},
		{"what git writes", func(dir string) { write(dir, "a/.git/index", "x"); write(dir, ".git/index", "x") }, true},
		{"the order of writing", func(dir string) {
			must(os.Remove(in(dir, "a/ab")))
			write(dir, "a/ab", "c")
		}, true},
		{"a byte of a manifest", func(dir string) { write(dir, "a/SKILL.md", manifest("a")+" ") }, false},
		{"a byte of a hidden file", func(dir string) { write(dir, "a/.hidden/x", "z") }, false},
		{"another file", func(dir string) { write(dir, "a/new", "") }, false},
		{"a file fewer", func(dir string) { must(os.Remove(in(dir, "b/empty"))) }, false},
		{"another skill", func(dir string) { write(dir, "d/SKILL.md", manifest("d")) }, false},
		{"a name", func(dir string) { must(os.Rename(in(dir, "b/empty"), in(dir, "b/Empty"))) }, false},
		{"a folder's name", func(dir string) { must(os.Rename(in(dir, "b"), in(dir, "d"))) }, false},
		{"a letter from the name to the text", func(dir string) {
			must(os.Remove(in(dir, "a/ab")))
			write(dir, "a/a", "bc")
		}, false},
		{"two files swapped", func(dir string) { write(dir, "a/ab", "y"); write(dir, "a/.hidden/x", "c") }, false},
		{"a file that is executable", func(dir string) { must(os.Chmod(in(dir, "a/ab"), 0o755)) }, false},
		{"the target of a link", func(dir string) {
			must(os.Remove(in(dir, "c")))
			must(os.Symlink("b", in(dir, "c")))
		}, false},
		{"a file in place of a link", func(dir string) {
			must(os.Remove(in(dir, "c")))
			write(dir, "c", "a")
		}, false},
		{"a file named .git", func(dir string) { write(dir, "b/.git", "x") }, false},
		{"another file named .git", func(dir string) { write(dir, "b/.git", "y") }, false},
		{"a folder like .git", func(dir string) { write(dir, "b/.github/x", "x") }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if runtime.GOOS == "windows" && strings.Contains(tt.name, "executable") {
				t.Skip("no file is executable there")
			}
			dir := sample(t)
			tt.change(dir)
			d := takeDigest(t, dir)
			if as, ok := seen[d]; ok != tt.same {
				t.Errorf("same as %q: %t, want %t", as, ok, tt.same)
			}
			seen[d] = tt.name
		})
	}
}

func TestDigestErrors(t *testing.T) {
	for _, tt := range []struct {
		name string
		tree map[string]string
		want string // how the error ends
	}{
		{"a link into .git", map[string]string{"a": "-> .git/a", ".git/a/SKILL.md": manifest("a")}, "a: a link into .git, which the digest does not cover: remove it"},
		{"a link into .git from below", map[string]string{"b/a": "-> ../.Git/a"}, "a: a link into .Git, which the digest does not cover: remove it"},
		{"a file that is too deep", map[string]string{strings.Repeat("d/", loader.MaxDigestDepth+1) + "x": ""}, "more than 64 folders deep"},
	} {
		dir := tree(t, tt.tree)
		d, err := loader.Digest(t.Context(), dir)
		if d != "" || err == nil || !strings.HasSuffix(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "digest of "+dir) {
			t.Errorf("%s: got %q, %v", tt.name, d, err)
		}
	}
	takeDigest(t, tree(t, map[string]string{strings.Repeat("d/", loader.MaxDigestDepth) + "x": ""})) // at the limit

	if _, err := loader.Digest(t.Context(), filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of no folder: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := loader.Digest(ctx, sample(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("of a context that ended: %v", err)
	}
}

func TestDigestLimits(t *testing.T) {
	dir := tree(t, map[string]string{"a/x": "12345", "b/y": "12345"}) // with the folders four entries
	for _, tt := range []struct {
		entries int
		bytes   int64
		want    string
	}{
		{4, 10, ""},
		{3, 10, "more than 3 files and folders in all"},
		{4, 9, "more than 9 bytes of files in all"},
	} {
		d, err := loader.DigestWithin(t.Context(), dir, tt.entries, tt.bytes)
		if tt.want == "" && (err != nil || d == "") || tt.want != "" && (err == nil || !strings.HasSuffix(err.Error(), tt.want)) {
			t.Errorf("%+v: got %q, %v", tt, d, err)
		}
	}
}

func BenchmarkDigest(b *testing.B) {
	dir := filepath.Join("..", "bundled", "skills")
	for b.Loop() {
		if _, err := loader.Digest(b.Context(), dir); err != nil {
			b.Fatal(err)
		}
	}
}
