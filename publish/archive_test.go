package publish_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/internal/unpack"
	"github.com/matrix-nexus/skillkit/publish"
)

func pack(t testing.TB, s *publish.Skill, format publish.Format) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := s.Pack(&b, format); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sample is a skill with something of each kind.
var sample = map[string]string{
	"SKILL.md": manifest, "!scripts/run.sh": "#!/bin/sh\n", "data/é.csv": "1;2\n", "empty": "", "zero": "\x00",
	strings.Repeat("deep/", 30) + "f": "x", strings.Repeat("n", 200): "x", ".env": "TOKEN=x", "node_modules/x.js": "",
}

// What is packed unpacks to the same files, here and with the usual programs,
// and the folder that comes out has the same digest.
func TestUnpackedIsTheSame(t *testing.T) {
	s := read(t, write(t, sample))
	for _, tt := range []struct {
		format publish.Format
		argv   []string
	}{
		{publish.TarGz, nil}, {publish.Zip, nil}, {publish.TarGz, []string{"tar", "-xzf"}}, {publish.Zip, []string{"unzip", "-q"}},
	} {
		t.Run(string(tt.format)+strings.Join(tt.argv, ""), func(t *testing.T) {
			data := pack(t, s, tt.format)
			dir := t.TempDir()
			if tt.argv == nil {
				root, err := os.OpenRoot(dir)
				if err != nil {
					t.Fatal(err)
				}
				defer root.Close()
				if err := unpack.Extract(t.Context(), root, bytes.NewReader(data), int64(len(data)), unpack.Format(tt.format), nil); err != nil {
					t.Fatal(err)
				}
			} else {
				if _, err := exec.LookPath(tt.argv[0]); err != nil {
					t.Skipf("%s is not installed", tt.argv[0])
				}
				archive := filepath.Join(t.TempDir(), "x."+string(tt.format))
				if err := os.WriteFile(archive, data, 0o666); err != nil {
					t.Fatal(err)
				}
				cmd := exec.CommandContext(t.Context(), tt.argv[0], append(tt.argv[1:], archive)...)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8") // which unzip needs for é
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
			}
			back := read(t, filepath.Join(dir, "deploy"))
			if diff := cmp.Diff(s.Files, back.Files); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			if len(back.LeftOut) > 0 || back.Digest() != s.Digest() {
				t.Errorf("left out %v, digest %s, want %s", back.LeftOut, back.Digest(), s.Digest())
			}
			again, err := publish.ReadArchive(t.Context(), "x."+string(tt.format), bytes.NewReader(data), int64(len(data)))
			if err != nil || again.Digest() != s.Digest() {
				t.Errorf("digest of the archive %s, error %v", again.Digest(), err)
			}
		})
	}
}

// The permissions, times and owners in an archive are fixed.
func TestHeadersAreFixed(t *testing.T) {
	s := read(t, write(t, sample))
	gz, err := gzip.NewReader(bytes.NewReader(pack(t, s, publish.TarGz)))
	if err != nil {
		t.Fatal(err)
	}
	if !gz.ModTime.IsZero() || gz.Name != "" || gz.Comment != "" || gz.Extra != nil {
		t.Errorf("header of gzip %+v", gz.Header)
	}
	tr := tar.NewReader(gz)
	for i := range s.Files {
		h, err := tr.Next()
		if err != nil {
			t.Fatal(err)
		}
		mode := int64(0o644)
		if s.Files[i].Executable {
			mode = 0o755
		}
		if h.Name != "deploy/"+s.Files[i].Path || h.Mode != mode || h.Uid != 0 || h.Gid != 0 || h.Uname+h.Gname != "" || h.ModTime.Unix() != 315532800 {
			t.Errorf("header %+v", h)
		}
	}
}

// zipOf returns a zip of names and contents; a name that ends in "@" is a link.
func zipOf(t testing.TB, files ...[2]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		name, link := strings.CutSuffix(f[0], "@")
		h := &zip.FileHeader{Name: name, Method: zip.Deflate}
		h.SetMode(0o644)
		if link {
			h.SetMode(0o777 | os.ModeSymlink)
		}
		fw, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fw.Write([]byte(f[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestReadArchive(t *testing.T) {
	skill := [2]string{"SKILL.md", manifest}
	for _, tt := range []struct {
		name  string
		files [][2]string
		want  string
	}{
		{"at the top", [][2]string{skill, {"a", "x"}}, "file SKILL.md\nfile a\n"},
		{"in a folder", [][2]string{{"x/SKILL.md", manifest}, {"x/a", "x"}}, "file SKILL.md\nfile a\n"},
		{"beside what a Mac adds", [][2]string{{"x/SKILL.md", manifest}, {"__MACOSX/x/._SKILL.md", "x"}, {".DS_Store", "x"}}, "file SKILL.md\n"},
		{"what is left out", [][2]string{skill, {"node_modules/a/b.js", ""}, {"node_modules/c.js", ""}, {".env", ""}}, "file SKILL.md\nsecret .env\njunk node_modules/\n"},
		{"with a .gitignore", [][2]string{{"x/+/.gitignore", "!a.log\n"}, {"x/+/a.log", ""}, {"x/.gitignore", "*.log\n/out\n"}, {"x/a.log", ""}, {"x/out/a", ""}, {"x/SKILL.md", manifest}},
			"file +/a.log\nfile SKILL.md\nhidden +/.gitignore\nhidden .gitignore\nignored a.log .gitignore:1: *.log\nignored out/ .gitignore:2: /out\n"},
		{"none", [][2]string{{"a", "x"}}, "x.zip: holds no SKILL.md"},
		{"two folders", [][2]string{{"a/SKILL.md", manifest}, {"b/SKILL.md", manifest}}, "x.zip: holds 2 skills, the first in a/ and b/; unpack it"},
		{"case 125 one in a repository", [][2]string{{"r/README.md", "x"}, {"r/.gitignore", "*"}, {"r/skills/x/SKILL.md", manifest}, {"r/skills/x/a/SKILL.md", manifest}, {"r/skills/xy", "x"}}, "file SKILL.md\nfile a/SKILL.md\n"},
		{"case 125 beside what is left out", [][2]string{{".cache/SKILL.md", manifest}, {"x/SKILL.md", manifest}}, "file SKILL.md\n"},
		{"case 124 up", [][2]string{skill, {"../x", "x"}}, `x.zip: zip: entry "../x": name holds ".."`},
		{"case 124 absolute", [][2]string{skill, {"/x", "x"}}, "name is absolute"},
		{"case 124 a link", [][2]string{skill, {"x@", "SKILL.md"}}, "link"},
		{"case 124 a link among junk", [][2]string{skill, {"node_modules/x@", "../SKILL.md"}}, "link"},
		{"case 124 an archive in it", [][2]string{skill, {"x.zip", string(zipOf(t, skill))}}, "file SKILL.md\nfile x.zip\n"},
		{"case 124 a bomb", [][2]string{skill, {"x", strings.Repeat("\x00", publish.MaxTotal+1)}}, "unpacks to"},
		{"case 124 a small bomb", [][2]string{skill, {"x", strings.Repeat("\x00", publish.MaxFile+1)}}, "x.zip/x: more than 10 MiB"},
		{"a name of Windows", [][2]string{skill, {"docs/nul.md", "x"}}, "x.zip/docs/nul.md: the name is reserved"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			data := zipOf(t, tt.files...)
			s, err := publish.ReadArchive(t.Context(), "x.zip", bytes.NewReader(data), int64(len(data)))
			if err != nil {
				if _, ok := errors.AsType[*publish.FileError](err); !ok || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("error is %v, want %q", err, tt.want)
				}
				return
			}
			if diff := cmp.Diff(tt.want, describe(s)); diff != "" {
				t.Errorf("skill (-want +got):\n%s", diff)
			}
		})
	}
	if _, err := publish.ReadArchive(t.Context(), "x.rar", bytes.NewReader(nil), 0); err == nil {
		t.Error("a name that is none of an archive is accepted")
	}
	if _, err := publish.ReadArchive(t.Context(), "x.tgz", strings.NewReader("\x1f\x8b"), 2); err == nil {
		t.Error("an archive that is cut off is accepted")
	}
}

// What an archive is read as is what its folder is read as, once it is unpacked.
func FuzzReadArchive(f *testing.F) {
	s := read(f, write(f, map[string]string{"SKILL.md": manifest, "!run": "#!", "a/b": "x"}))
	f.Add(pack(f, s, publish.Zip))
	f.Add(zipOf(f, [2]string{"x/SKILL.md", manifest}, [2]string{"x/.gitignore", "*\n!a/\n!SKILL.md"}, [2]string{"x/a/.gitignore", "!b"}, [2]string{"x/a/b", ""}))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := publish.ReadArchive(t.Context(), "x.zip", bytes.NewReader(data), int64(len(data)))
		if err != nil {
			if _, ok := errors.AsType[*publish.FileError](err); !ok {
				t.Fatalf("error %T: %v", err, err)
			}
			return
		}
		dir := t.TempDir()
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		if err := unpack.Extract(t.Context(), root, bytes.NewReader(data), int64(len(data)), unpack.Zip, nil); err != nil {
			t.Skip(err) // as of a folder in it that this system cannot make
		}
		if _, err := os.Lstat(filepath.Join(dir, "SKILL.md")); err != nil {
			list, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range list {
				if _, err := os.Lstat(filepath.Join(dir, e.Name(), "SKILL.md")); err == nil && e.Name()[0] != '.' {
					dir = filepath.Join(dir, e.Name())
					break
				}
			}
		}
		folder, err := publish.ReadFolder(t.Context(), dir)
		if err != nil {
			return // an empty folder with a bad name, or a listing that is none
		}
		if folder.Digest() != s.Digest() {
			t.Errorf("archive:\n%sfolder:\n%s", describe(s), describe(folder))
		}
	})
}
