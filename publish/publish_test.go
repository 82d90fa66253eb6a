package publish_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/matrix-nexus/skillkit/internal/golden"
	"github.com/matrix-nexus/skillkit/publish"
)

const manifest = "---\nname: deploy\ndescription: Roll out a release. Use when asked to deploy.\n---\nBody.\n"

// write writes files below a new folder, which it returns. A name that begins
// with "!" is that of an executable file without it.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "deploy")
	for name, text := range files {
		name, executable := strings.CutPrefix(name, "!")
		mode := os.FileMode(0o644)
		if executable {
			mode = 0o755
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func read(t testing.TB, dir string) *publish.Skill {
	t.Helper()
	s, err := publish.ReadFolder(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// describe returns what s holds, in lines.
func describe(s *publish.Skill) string {
	var b strings.Builder
	for _, f := range s.Files {
		kind := "file"
		if f.Executable {
			kind = "exec"
		}
		fmt.Fprintf(&b, "%s %s\n", kind, f.Path)
	}
	for _, l := range s.LeftOut {
		fmt.Fprintf(&b, "%s %s %s\n", l.Why, l.Path, l.Detail)
	}
	return strings.ReplaceAll(b.String(), " \n", "\n")
}

// What belongs to a skill, case 127 among it: each file in testdata/folder is a
// folder and what is taken of it.
func TestReadFolder(t *testing.T) {
	golden.Archives(t, "testdata/folder/*.txtar", func(t *testing.T, ar *txtar.Archive) string {
		files := map[string]string{}
		for _, f := range ar.Files {
			if f.Name != "want" {
				files[f.Name] = string(f.Data)
			}
		}
		s, err := publish.ReadFolder(t.Context(), write(t, files))
		if err != nil {
			_, text, _ := strings.Cut(filepath.ToSlash(err.Error()), "/deploy")
			return "error: deploy" + text + "\n"
		}
		return describe(s)
	})
}

// The same files give the same bytes, whatever the order in which they were
// written, their times and their permissions but for one bit.
func TestPackIsReproducible(t *testing.T) {
	names := []string{"SKILL.md", "b.txt", "a/z", "a.txt", "scripts/run.sh", "é/ü.md", strings.Repeat("long/", 30) + "file"}
	for _, format := range []publish.Format{publish.TarGz, publish.Zip} {
		var first []byte
		for round := range 2 {
			dir := filepath.Join(t.TempDir(), fmt.Sprint("folder", round))
			for i := range names {
				name := names[i]
				if round == 1 {
					name = names[len(names)-1-i]
				}
				text := manifest
				if name != "SKILL.md" {
					text = "content of " + name
				}
				path := filepath.Join(dir, filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(path), 0o700+os.FileMode(round)*0o55); err != nil {
					t.Fatal(err)
				}
				mode := os.FileMode(0o600)
				if round == 1 {
					mode = 0o664
				}
				if strings.HasSuffix(name, ".sh") {
					mode |= 0o100 >> (3 * round)
				}
				if err := os.WriteFile(path, []byte(text), mode); err != nil {
					t.Fatal(err)
				}
				if err := os.Chmod(path, mode); err != nil {
					t.Fatal(err)
				}
			}
			var b bytes.Buffer
			if err := read(t, dir).Pack(&b, format); err != nil {
				t.Fatal(err)
			}
			if round == 0 {
				first = b.Bytes()
			} else if !bytes.Equal(first, b.Bytes()) {
				t.Errorf("%s: the bytes differ", format)
			}
		}
		s, err := publish.ReadArchive(t.Context(), "x."+string(format), bytes.NewReader(first), int64(len(first)))
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Files) != len(names) {
			t.Errorf("%s: got %d files back, want %d", format, len(s.Files), len(names))
		}
	}
}

// Case 128: the digest does not depend on the order of files, and does on all
// else that it covers.
func TestDigest(t *testing.T) {
	base := map[string]string{"SKILL.md": manifest, "a": "1", "b/c": "2", "!run": "#!"}
	with := func(name, text string) map[string]string {
		m := map[string]string{}
		for n, s := range base {
			m[n] = s
		}
		if text == "" {
			delete(m, name)
		} else {
			m[name] = text
		}
		return m
	}
	const want = "sha256:022add56610a1b1a8acd7a5e4049cc606b966f1bc2fea44763ff560ca4a022d4"
	if got := read(t, write(t, base)).Digest(); got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
	for name, files := range map[string]map[string]string{
		"content":       with("a", "2"),
		"one more":      with("d", "1"),
		"one less":      with("a", ""),
		"another name":  {"SKILL.md": manifest, "A": "1", "b/c": "2", "!run": "#!"},
		"another place": {"SKILL.md": manifest, "a": "1", "c": "2", "!run": "#!"},
	} {
		if read(t, write(t, files)).Digest() == want {
			t.Errorf("%s: the same digest", name)
		}
	}
	for name, files := range map[string]map[string]string{
		"what is left out": with(".env", "1"),
		"junk":             with("__pycache__/x.pyc", "1"),
	} {
		if got := read(t, write(t, files)).Digest(); got != want {
			t.Errorf("%s: another digest", name)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	dir := write(t, base)
	if err := os.Chmod(filepath.Join(dir, "run"), 0o644); err != nil {
		t.Fatal(err)
	}
	if read(t, dir).Digest() == want {
		t.Error("the executable bit: the same digest")
	}
	dir = write(t, base)
	if err := os.Chmod(filepath.Join(dir, "SKILL.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	if read(t, dir).Digest() != want {
		t.Error("the executable bit of SKILL.md: another digest")
	}
}
