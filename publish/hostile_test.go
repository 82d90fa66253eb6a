package publish_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/matrix-nexus/skillkit/publish"
)

// refused checks that dir is refused for the file name with the reason.
func refused(t *testing.T, dir, name, reason string) {
	t.Helper()
	s, err := publish.ReadFolder(t.Context(), dir)
	e, ok := errors.AsType[*publish.FileError](err)
	if !ok || s != nil {
		t.Fatalf("got skill %v, error %v, want a FileError", s, err)
	}
	if want := filepath.ToSlash(filepath.Join(dir, name)); e.Path != want || !strings.Contains(e.Reason, reason) {
		t.Errorf("error is %v, want %q for %s", e, reason, want)
	}
}

func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		name   string
		make   func(dir string, past int)
		file   string
		reason string
	}{
		{"MaxFile", func(dir string, past int) { sparse(t, dir, "big", publish.MaxFile+int64(past)) }, "big", "more than 10 MiB, the most that a file may have"},
		{"MaxTotal", func(dir string, past int) {
			for i := range 4 {
				sparse(t, dir, fmt.Sprintf("x%d", i), publish.MaxFile)
			}
			sparse(t, dir, "x4", publish.MaxFile-int64(len(manifest))+int64(past))
		}, "x4", "more than 50 MiB with the files before it"},
		{"MaxFiles", func(dir string, past int) {
			for i := range publish.MaxFiles - 1 + past {
				sparse(t, dir, fmt.Sprintf("x%04d", i), 0)
			}
		}, fmt.Sprintf("x%04d", publish.MaxFiles-1), "more than 2000 files"},
		{"MaxDepth", func(dir string, past int) {
			sparse(t, dir, strings.Repeat("d/", publish.MaxDepth-1+past)+"f", 0)
		}, strings.TrimSuffix(strings.Repeat("d/", publish.MaxDepth+1), "/"), ""},
		{"size of a .gitignore", func(dir string, past int) {
			sparse(t, dir, "a", 0)
			if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(strings.Repeat("#", 64<<10+past)), 0o666); err != nil {
				t.Fatal(err)
			}
		}, ".gitignore", "more than 65536 bytes"},
		{"patterns", func(dir string, past int) {
			if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(strings.Repeat("x\n", 2000+past)), 0o666); err != nil {
				t.Fatal(err)
			}
		}, ".gitignore", "more than 2000 patterns"},
		{"size of a listing", func(dir string, past int) {
			text := `{"readme": "` + strings.Repeat("r", 1<<20-14+past) + `"}`
			if err := os.WriteFile(filepath.Join(dir, publish.ListingFile), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}, publish.ListingFile, "more than 1048576 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := write(t, map[string]string{"SKILL.md": manifest})
			tt.make(dir, 0)
			s := read(t, dir)
			if tt.name == "MaxTotal" && s.Size() != publish.MaxTotal {
				t.Errorf("size is %d", s.Size())
			}
			dir = write(t, map[string]string{"SKILL.md": manifest})
			tt.make(dir, 1)
			if tt.name == "MaxDepth" { // the folder is too deep, or the file in it
				_, err := publish.ReadFolder(t.Context(), dir)
				if err == nil || !strings.Contains(err.Error(), "more than 31 folders deep") {
					t.Errorf("error is %v", err)
				}
				return
			}
			refused(t, dir, tt.file, tt.reason)
		})
	}
}

// sparse makes a file of that size.
func sparse(t testing.TB, dir, name string, size int64) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(size); err != nil {
		t.Fatal(err)
	}
}

func TestLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("making links needs a privilege")
	}
	outside := t.TempDir()
	sparse(t, outside, "x", 3)
	for name, target := range map[string]string{
		"a": "SKILL.md", "b": "/etc/passwd", "c": "none", "d": outside, "e": "../deploy", "f": ".",
	} {
		dir := write(t, map[string]string{"SKILL.md": manifest})
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		refused(t, dir, name, "a link")
		// One that is left out does not matter.
		if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
		if s := read(t, dir); len(s.Files) != 1 {
			t.Errorf("%s: %d files", name, len(s.Files))
		}
	}
	// The files that are read but not packed must not be links either.
	for _, name := range []string{".gitignore", publish.ListingFile} {
		dir := write(t, map[string]string{"SKILL.md": manifest})
		if err := os.Symlink(filepath.Join(outside, "x"), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		refused(t, dir, name, "neither a regular file")
	}
	// The folder itself may be one.
	link := filepath.Join(outside, "link")
	if err := os.Symlink(write(t, map[string]string{"SKILL.md": manifest}), link); err != nil {
		t.Fatal(err)
	}
	read(t, link)
}

func TestNames(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such names")
	}
	for name, reason := range map[string]string{
		"a\\b":    "Windows refuses",
		"a:b":     "Windows refuses",
		"what?":   "Windows refuses",
		"a\nb":    "control character",
		"a\x1b[m": "control character",
		"\u0085":  "control character",
		"a.":      "ends in a dot",
		"a ":      "ends in a dot or a blank",
		"con":     "reserved",
		"Com1.md": "reserved",
		"LPT¹":    "reserved",
	} {
		dir := write(t, map[string]string{"SKILL.md": manifest, name: "x"})
		refused(t, dir, name, reason)
		dir = write(t, map[string]string{"SKILL.md": manifest, name + "/x": "x"})
		refused(t, dir, name, reason)
	}
	if runtime.GOOS == "linux" { // which alone can hold these
		for name, files := range map[string]map[string]string{
			"readme.md": {"README.md": "1", "readme.md": "2"},
			"ss":        {"ß": "1", "ss": "2"},
			"\u00e9":    {"e\u0301": "1", "\u00e9": "2"},
			"b":         {"B/x": "1", "b/y": "2"},
		} {
			files["SKILL.md"] = manifest
			_, err := publish.ReadFolder(t.Context(), write(t, files))
			if err == nil || !strings.Contains(err.Error(), "the same name as") {
				t.Errorf("%s: error is %v", name, err)
			}
		}
		_, err := publish.ReadFolder(t.Context(), write(t, map[string]string{"SKILL.md": manifest, "a\xff": "x"}))
		if err == nil || !strings.HasSuffix(err.Error(), "deploy/a\ufffd: the name is not UTF-8; rename it") {
			t.Errorf("error is %v", err)
		}
	}
	read(t, write(t, map[string]string{"SKILL.md": manifest, "console.md": "", "com.md": "", "COM10": "", "a..b": "", "日本語 (1)": ""}))
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := write(t, map[string]string{"SKILL.md": manifest})
	if _, err := publish.ReadFolder(ctx, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("ReadFolder: %v", err)
	}
	if err := read(t, dir).WriteFolder(ctx, filepath.Join(t.TempDir(), "x"), false); !errors.Is(err, context.Canceled) {
		t.Errorf("WriteFolder: %v", err)
	}
	if _, err := publish.ReadPayload(ctx, "x", payloadOf(t, read(t, dir))); !errors.Is(err, context.Canceled) {
		t.Errorf("ReadPayload: %v", err)
	}
}

// What does not load, or has nothing to be found by, is not published.
func TestHeaderRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"Body.\n":                  "SKILL.md:1:1: no frontmatter",
		"---\nname: deploy\n---\n": "SKILL.md:1:1: no description",
		"---\nname: deploy\ndescription: \" \"\n---\n":                      "no description",
		"---\ndescription: d\n---\n":                                        "SKILL.md:1:1: no name",
		"---\nname: Deploy\ndescription: d\n---\n":                          "SKILL.md:2:7: the name \"Deploy\" holds 'D'",
		"---\nname: a--b\ndescription: d\n---\n":                            "a hyphen too many",
		"---\nname: nul\ndescription: d\n---\n":                             "reserved by Windows",
		"---\nname: a/b\ndescription: d\n---\n":                             `holds '/'`,
		"---\nname: " + strings.Repeat("a", 65) + "\ndescription: d\n---\n": "more than 64 characters",
		"---\nname: [\ndescription: d\n---\n":                               "SKILL.md:",
		"---\nname: a\ndescription: d\n---\n\x00":                           "SKILL.md:",
	} {
		s := read(t, write(t, map[string]string{"SKILL.md": text}))
		_, err := s.Header()
		if _, ok := errors.AsType[*publish.FileError](err); !ok || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error is %v, want %q", text, err, want)
		}
		if _, err := s.Payload(); err == nil {
			t.Errorf("%q: exported", text)
		}
		if err := s.Pack(failing{}, publish.Zip); err == nil || errors.Is(err, errDisk) {
			t.Errorf("%q: packed: %v", text, err)
		}
	}
	s := read(t, write(t, map[string]string{"SKILL.md": "---\nname: " + strings.Repeat("é", 64) + "\ndescription: d\n---\n"}))
	if _, err := s.Header(); err != nil {
		t.Error(err)
	}
}

var errDisk = errors.New("disk full")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errDisk }

func TestPackWriteError(t *testing.T) {
	s := read(t, write(t, map[string]string{"SKILL.md": manifest}))
	for _, format := range []publish.Format{publish.TarGz, publish.Zip} {
		if err := s.Pack(failing{}, format); !errors.Is(err, errDisk) {
			t.Errorf("%s: %v", format, err)
		}
	}
	if err := s.Pack(failing{}, "rar"); err == nil || errors.Is(err, errDisk) {
		t.Errorf("rar: %v", err)
	}
}
