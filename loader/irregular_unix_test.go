//go:build unix

package loader_test

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/loader"
	"github.com/matrix-nexus/skillkit/skills"
)

func fifo(t *testing.T, path string) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Nothing that is no file blocks or costs another skill.
func TestIrregular(t *testing.T) {
	dir := tree(t, map[string]string{"a/SKILL.md": manifest("a"), "f/below/SKILL.md": manifest("below"), "s/": "", "v/": "", "l/SKILL.md": "-> pipe"})
	fifo(t, filepath.Join(dir, "f", "SKILL.md"))
	fifo(t, filepath.Join(dir, "v", "skill.md"))
	fifo(t, filepath.Join(dir, "l", "pipe"))
	t.Chdir(dir) // the path of a socket has to be short
	socket, err := net.Listen("unix", filepath.Join("s", "SKILL.md"))
	if err != nil {
		t.Skip("no sockets here:", err)
	}
	defer socket.Close()
	want := []string{
		"a a", "below f/below", "! manifest-not-file f/SKILL.md", "! unreadable l/SKILL.md",
		"! manifest-not-file s/SKILL.md", "! manifest-not-file v/skill.md",
	}
	if diff := cmp.Diff(want, describe(loadDir(t, dir), dir)); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

func TestFIFOFile(t *testing.T) {
	dir := tree(t, map[string]string{"a/SKILL.md": manifest("a")})
	fifo(t, filepath.Join(dir, "a", "pipe.txt"))
	sk, err := loadDir(t, dir).Get("a")
	if err != nil {
		t.Fatal(err)
	}
	text, err := sk.ReadFile("pipe.txt")
	if _, ok := errors.AsType[*skills.FileError](err); !ok || text != "" {
		t.Errorf("ReadFile of a FIFO = %q, %v", text, err)
	}
	if files, _, err := sk.Files(""); len(files) != 0 || err != nil {
		t.Errorf("Files = %v, %v", files, err)
	}
	if err := os.Remove(filepath.Join(dir, "a", "SKILL.md")); err != nil {
		t.Fatal(err)
	}
	fifo(t, filepath.Join(dir, "a", "SKILL.md"))
	if _, err := sk.Body(); err == nil {
		t.Error("Body of a FIFO has no error")
	}
}

func TestNameNotUTF8(t *testing.T) {
	dir := tree(t, map[string]string{"a/SKILL.md": manifest("a")})
	if err := os.Mkdir(filepath.Join(dir, "b\xe9"), 0o777); err != nil {
		t.Skip("the file system refuses the name:", err)
	}
	write(t, dir, map[string]string{"b\xe9/SKILL.md": manifest("b")})
	want := []string{"a a", "! name-not-utf8 b\uFFFD"}
	if diff := cmp.Diff(want, describe(loadDir(t, dir), dir)); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

// TestDifferential compares, in load, both ways to read odd random trees.
func TestDifferential(t *testing.T) {
	elems := []string{"a", "b", "SKILL.md", "skill.md", "Skill.md", ".hidden", "dist", "sub", "ß", "x y"}
	texts := []string{"", "no header", manifest("n"), manifest("m"), "---\nname: q\ndescription: >\n  d\n---\n", "---\nname: u\n",
		"---\nname: big\n" + strings.Repeat("x: y\n", 2000) + "---\n", "\xff\xfe"}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		dir := t.TempDir()
		for range 30 {
			var parts []string
			for range 1 + r.IntN(4) {
				parts = append(parts, elems[r.IntN(len(elems))])
			}
			path := filepath.Join(dir, "r", filepath.Join(parts...))
			// What is in the way of what makes the tree odd: errors are expected.
			_ = os.MkdirAll(filepath.Dir(path), 0o777)
			switch r.IntN(8) {
			case 0:
				_ = os.Mkdir(path, 0o777)
			case 1:
				_ = os.Symlink(filepath.Join("..", elems[r.IntN(len(elems))]), path)
			case 2:
				_ = syscall.Mkfifo(path, 0o600)
			default:
				if info, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular() {
					_ = os.WriteFile(path, []byte(texts[r.IntN(len(texts))]), 0o666)
				}
			}
		}
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			root := loader.Root{Dir: filepath.Join(dir, "r")}
			load(t, &loader.Options{Roots: []loader.Root{root}})
			load(t, &loader.Options{Roots: []loader.Root{root}, Nested: true})
			root.Source = skills.Workspace
			load(t, &loader.Options{Roots: []loader.Root{root}})
		})
	}
}

// What cannot be covered makes a digest fail, and never blocks it.
func TestDigestIrregular(t *testing.T) {
	dir := tree(t, map[string]string{"pipe/": "", "name/\xff": "", "secret/x": ""})
	fifo(t, filepath.Join(dir, "pipe", "p"))
	if err := os.Chmod(filepath.Join(dir, "secret", "x"), 0); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"pipe": "neither file, folder nor link: remove it", "name": "the name is not UTF-8: rename it", "secret": "permission denied",
	} {
		if name == "secret" && os.Geteuid() == 0 {
			continue // may read everything
		}
		d, err := loader.Digest(t.Context(), filepath.Join(dir, name))
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: got %q, %v", name, d, err)
		}
	}
}
