package skills_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/skills"
)

// countingFS counts the files opened.
type countingFS struct {
	fstest.MapFS
	opened int
}

func (c *countingFS) Open(name string) (fs.File, error) {
	c.opened++
	return c.MapFS.Open(name)
}

// A file that can be changed under a skill.
type source struct {
	*countingFS
	sk *skills.Skill
}

func newSource(text string) *source {
	s := &source{countingFS: &countingFS{MapFS: fstest.MapFS{}}}
	s.set(text, 0)
	s.sk = skills.New(skills.Header{Name: "a", Dir: "r/a", File: skills.FileName, MayHaveKey: true}, s.countingFS, nil)
	return s
}

// set writes the manifest file as of a minute after the epoch.
func (s *source) set(text string, minute int) {
	s.MapFS[skills.FileName] = &fstest.MapFile{Data: []byte(text), ModTime: time.Unix(int64(minute)*60, 0)}
}

const header = "---\nname: a\ndescription: d\n---\n"

func TestManifestIsReadOnce(t *testing.T) {
	s := newSource(header + "Body.\n")
	if s.opened != 0 {
		t.Errorf("New opened %d files", s.opened)
	}
	m, err := s.sk.Manifest()
	if err != nil || m.Description != "d" {
		t.Fatalf("Manifest = %+v, %v", m, err)
	}
	n := s.opened
	if again, err := s.sk.Manifest(); again != m || err != nil {
		t.Errorf("Manifest = %p, %v, want %p as before", again, err, m)
	}
	if s.opened != n {
		t.Errorf("an unchanged file was opened again")
	}
	s.set("---\nname: a\ndescription: e\n---\n", 1)
	if m, err := s.sk.Manifest(); err != nil || m.Description != "e" {
		t.Errorf("after a change, Manifest = %+v, %v", m, err)
	}
	s.set("---\nname: a\ndescription: longer\n---\n", 1)
	if m, err := s.sk.Manifest(); err != nil || m.Description != "longer" {
		t.Errorf("after a change of the size alone, Manifest = %+v, %v", m, err)
	}
}

func TestBodyIsReadOnce(t *testing.T) {
	text := "Body — with\r\n\ttabs\n---\nand a rule, without a last line break"
	s := newSource(header + text)
	body, err := s.sk.Body()
	if body != text || err != nil {
		t.Fatalf("Body = %q, %v, want it byte for byte", body, err)
	}
	n := s.opened
	if body, err := s.sk.Body(); body != text || err != nil || s.opened != n {
		t.Errorf("second Body = %q, %v, %d files opened", body, err, s.opened-n)
	}
	s.set(header+"Other.\n", 1)
	if m, err := s.sk.Manifest(); err != nil || m.Name != "a" {
		t.Fatal(err)
	}
	if body, err := s.sk.Body(); body != "Other.\n" || err != nil {
		t.Errorf("after a change, Body = %q, %v", body, err)
	}
}

// A file so young that its time may not change with the next write is read
// each time.
func TestYoungFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // in which no time passes
		s := newSource(header)
		for i := range 10 {
			want := strconv.Itoa(i)
			s.MapFS[skills.FileName] = &fstest.MapFile{Data: []byte(header + want), ModTime: time.Now()}
			if body, err := s.sk.Body(); body != want || err != nil {
				t.Fatalf("Body = %q, %v, want %q", body, err, want)
			}
		}
	})
}

func TestB47LastGood(t *testing.T) {
	for name, broken := range map[string]string{
		"half written": "---\nname: a\ndes", "empty": "", "no UTF-8": header + "\xff", "gone": "",
	} {
		t.Run(name, func(t *testing.T) {
			s := newSource(header + "Body.\n")
			m, err := s.sk.Manifest()
			if err != nil {
				t.Fatal(err)
			}
			breakIt := func() {
				s.set(broken, 1)
				if name == "gone" {
					delete(s.MapFS, skills.FileName)
				}
			}
			breakIt()
			if got, err := s.sk.Manifest(); err != nil || got.Description != m.Description {
				t.Errorf("Manifest = %+v, %v, want the last good one", got, err)
			}
			if body, err := s.sk.Body(); err == nil {
				t.Errorf("Body that had not been read = %q", body)
			}
			problems := s.sk.Problems()
			if len(problems) == 0 || problems[0].File != "r/a/SKILL.md" {
				t.Errorf("Problems = %v", problems)
			}
			noted := false
			for _, p := range problems {
				noted = noted || p.Code == "last-good"
			}
			if want := name != "no UTF-8"; noted != want { // there the header is good
				t.Errorf("Problems = %v: last-good is %v, want %v", problems, noted, want)
			}
			s.set(header+"Body.\n", 2)
			if body, err := s.sk.Body(); body != "Body.\n" || err != nil {
				t.Fatalf("mended: Body = %q, %v", body, err)
			}
			breakIt()
			if body, err := s.sk.Body(); body != "Body.\n" || err != nil {
				t.Errorf("broken again: Body = %q, %v, want the last good one", body, err)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	t.Run("B07 body is not UTF-8", func(t *testing.T) {
		s := newSource(header + "caf\xe9\n")
		if _, err := s.sk.Manifest(); err != nil {
			t.Errorf("Manifest: %v: a fault of the body is not one of the header", err)
		}
		_, err := s.sk.Body()
		e, ok := errors.AsType[*metadata.SyntaxError](err)
		if !ok || e.Pos != (metadata.Position{Line: 5, Column: 4}) {
			t.Errorf("Body: error %v, want a SyntaxError at 5:4", err)
		}
	})
	t.Run("B07 NUL in the body", func(t *testing.T) {
		if _, err := newSource(header + "a\x00b").sk.Body(); err == nil {
			t.Error("no error")
		}
	})
	t.Run("too large", func(t *testing.T) {
		fill := func(n int) string { return header + strings.Repeat("x", n-len(header)) }
		if _, err := newSource(fill(metadata.MaxFile)).sk.Body(); err != nil {
			t.Errorf("at the limit: %v", err)
		}
		_, err := newSource(fill(metadata.MaxFile + 1)).sk.Body()
		if _, ok := errors.AsType[*metadata.SyntaxError](err); !ok {
			t.Errorf("one past the limit: error %v, want a SyntaxError", err)
		}
	})
	t.Run("missing", func(t *testing.T) {
		s := newSource("")
		delete(s.MapFS, skills.FileName)
		_, err := s.sk.Manifest()
		e, ok := errors.AsType[*fs.PathError](err)
		if !ok || e.Path != "r/a/SKILL.md" || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Manifest: error %v, want a PathError with the path as shown", err)
		}
		if p := s.sk.Problems(); len(p) != 1 || p[0].Code != "unreadable" {
			t.Errorf("Problems = %v", p)
		}
	})
	t.Run("case 67 a folder", func(t *testing.T) {
		fsys := fstest.MapFS{"SKILL.md/x": {}}
		if _, err := skills.New(skills.Header{Name: "a", File: skills.FileName}, fsys, nil).Body(); err == nil {
			t.Error("no error")
		}
	})
}

func TestConcurrentUse(t *testing.T) {
	sk := named("a", "r/a")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			sk.Manifest()
			sk.Body()
			sk.Problems()
			sk.Files("")
		})
	}
	wg.Wait()
}

func supported(files map[string]string) *skills.Skill {
	fsys := fstest.MapFS{skills.FileName: {Data: []byte(header)}}
	for path, text := range files {
		fsys[path] = &fstest.MapFile{Data: []byte(text)}
	}
	return skills.New(skills.Header{Name: "a", Dir: "r/a", File: skills.FileName}, fsys, nil)
}

func TestFiles(t *testing.T) {
	sk := supported(map[string]string{
		"b.md": "b", "scripts/x.py": "xx", "scripts/lib/y.py": "y", ".git/config": "g", "scripts/.cache/z.py": "z", "sub/SKILL.md": "s",
	})
	for _, tt := range []struct {
		pattern string
		want    []skills.File
	}{
		{"", []skills.File{{"b.md", 1}, {"scripts/lib/y.py", 1}, {"scripts/x.py", 2}, {"sub/SKILL.md", 1}}},
		{"**/*.py", []skills.File{{"scripts/lib/y.py", 1}, {"scripts/x.py", 2}}},
		{"scripts/*", []skills.File{{"scripts/x.py", 2}}},
		{"*.{md,txt}", []skills.File{{"b.md", 1}}},
		{"none", nil},
	} {
		got, truncated, err := sk.Files(tt.pattern)
		if diff := cmp.Diff(tt.want, got); diff != "" || truncated || err != nil {
			t.Errorf("Files(%q): %v, %v (-want +got):\n%s", tt.pattern, truncated, err, diff)
		}
	}
	_, _, err := sk.Files("[a")
	if e, ok := errors.AsType[*skills.FileError](err); !ok || !errors.Is(e, doublestar.ErrBadPattern) {
		t.Errorf("malformed glob: error %v", err)
	}
}

func TestFilesLimit(t *testing.T) {
	files := map[string]string{}
	for i := range skills.MaxListed {
		files["f"+strconv.Itoa(i)] = ""
	}
	if got, truncated, _ := supported(files).Files(""); len(got) != skills.MaxListed || truncated {
		t.Errorf("at the limit: %d files, truncated %v", len(got), truncated)
	}
	files["one-more"] = ""
	if got, truncated, _ := supported(files).Files(""); len(got) != skills.MaxListed || !truncated {
		t.Errorf("one past the limit: %d files, truncated %v", len(got), truncated)
	}
}

func TestReadFileLimits(t *testing.T) {
	sk := supported(map[string]string{
		"full": strings.Repeat("x", skills.MaxFileText), "over": strings.Repeat("x", skills.MaxFileText+1),
		"nul": "a\x00", "latin1": "caf\xe9", "ok": "naïve",
	})
	for path, want := range map[string]error{
		"full": nil, "ok": nil, "over": skills.ErrTooLarge, "nul": skills.ErrNotText, "latin1": skills.ErrNotText,
		"none": fs.ErrNotExist, "../x": fs.ErrInvalid,
	} {
		text, err := sk.ReadFile(path)
		if !errors.Is(err, want) || (err == nil) != (text != "") {
			t.Errorf("ReadFile(%q) = %d bytes, %v, want %v", path, len(text), err, want)
		}
		if err != nil && !strings.Contains(err.Error(), path) {
			t.Errorf("error %q does not name the file", err)
		}
	}
}

// FuzzReadFile looks for a path that leads out of a skill's folder.
func FuzzReadFile(f *testing.F) {
	dir := f.TempDir()
	for path, text := range map[string]string{
		"secret": "outside", "r/secret": "outside", "r/a/SKILL.md": header, "r/a/in/x": "inside", "r/a/x": "inside",
	} {
		full := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
			f.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o666); err != nil {
			f.Fatal(err)
		}
	}
	// The last line of defence, which ReadFile must not need.
	root, err := os.OpenRoot(filepath.Join(dir, "r", "a"))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { root.Close() })
	sk := skills.New(skills.Header{Name: "a", Dir: "r/a", File: skills.FileName}, root.FS(), nil)
	for _, path := range []string{"x", "in/x", "../secret", "in/../../secret", `..\secret`, "C:/x", "/etc/passwd", "", ".", "in//x", "x/"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		text, err := sk.ReadFile(path)
		switch _, ok := errors.AsType[*skills.FileError](err); {
		case err == nil && text != "inside" && text != header:
			t.Errorf("ReadFile(%q) = %q", path, text)
		case err != nil && (!ok || text != ""):
			t.Errorf("ReadFile(%q) = %q, %v, want a FileError", path, text, err)
		}
	})
}
