package unpack_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ulikunitz/xz"

	"github.com/matrix-nexus/skillkit/internal/unpack"
)

func TestFormats(t *testing.T) {
	inTar := tarOf(t, file{name: "tool/bin/tool", body: tool, mode: 0o755})
	tests := []struct {
		format unpack.Format
		data   []byte
	}{
		{unpack.Zip, zipOf(t, file{name: "tool/bin/tool", body: tool, mode: 0o755})},
		{unpack.Tar, inTar},
		{unpack.TarGzip, gzipOf(t, inTar)},
		{unpack.TarBzip2, bzip2OfTool(t)},
		{unpack.TarXZ, xzOf(t, inTar, xz.WriterConfig{})},
		{unpack.TarXZ, append(xzOf(t, inTar, xz.WriterConfig{BlockSize: 700, CheckSum: xz.SHA256}), make([]byte, 8)...)},
		// Members, as pigz and pixz write them.
		{unpack.TarGzip, append(gzipOf(t, inTar[:600]), gzipOf(t, inTar[600:])...)},
		{unpack.TarXZ, append(xzOf(t, inTar[:600], xz.WriterConfig{}), xzOf(t, inTar[600:], xz.WriterConfig{})...)},
	}
	for _, tt := range tests {
		t.Run(string(tt.format), func(t *testing.T) {
			for strip, want := range [][]string{
				{"drwxr-xr-x tool", "drwxr-xr-x tool/bin", "-rwxr-xr-x tool/bin/tool (20)"},
				{"drwxr-xr-x bin", "-rwxr-xr-x bin/tool (20)"},
				{"-rwxr-xr-x tool (20)"},
				{},
			} {
				got, err := extract(t, tt.format, tt.data, &unpack.Options{StripComponents: strip})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("strip %d (-want +got):\n%s", strip, diff)
				}
			}
			// Cut off anywhere near its end or in its midst, nothing is written.
			for _, n := range []int{1, 2, 9, len(tt.data) / 2, len(tt.data) - 1} {
				if tt.format == unpack.Tar && n < 10 {
					continue // padding
				}
				got, err := extract(t, tt.format, tt.data[:len(tt.data)-n], nil)
				if _, ok := errors.AsType[*unpack.Error](err); !ok || len(got) > 0 {
					t.Errorf("B35 cut by %d of %d bytes: got %v, %v; want nothing and an *Error", n, len(tt.data), got, err)
				}
			}
		})
	}
	for _, single := range []struct {
		format unpack.Format
		data   []byte
	}{
		{unpack.Gzip, gzipOf(t, []byte(tool))},
		{unpack.XZ, xzOf(t, []byte(tool), xz.WriterConfig{})},
	} {
		got, err := extract(t, single.format, single.data, &unpack.Options{Name: "tool"})
		if diff := cmp.Diff([]string{"-rwxr-xr-x tool (20)"}, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", single.format, err, diff)
		}
		for _, name := range []string{"", "../tool", ".", "/tool"} {
			if got, err := extract(t, single.format, single.data, &unpack.Options{Name: name}); err == nil || len(got) > 0 {
				t.Errorf("%s with name %q: got %v, %v; want an error", single.format, name, got, err)
			}
		}
	}
}

// hostile are the archives that are refused for what an entry is called or
// where it stands, in any format.
var hostile = []struct {
	name  string
	files []file
	strip int
	want  string // the reason
}{

	{"B06 parent", []file{{name: "../x"}}, 0, `name holds ".."`},
	{"B06 parent inside", []file{{name: "a/../../x"}}, 0, `name holds ".."`},
	{"B06 absolute", []file{{name: "/abs"}}, 0, "name is absolute"},
	{"B06 absolute after strip", []file{{name: "/abs/x/y"}}, 1, "name is absolute"},
	{"B06 backslash", []file{{name: `..\x`}}, 0, "name holds a backslash"},
	{"B06 drive", []file{{name: `C:\x`}}, 0, "name holds a backslash"},
	{"B06 drive with slash", []file{{name: "C:/x"}}, 0, "name holds a drive letter"},
	{"B06 drive after strip", []file{{name: "a/c:x"}}, 1, "name holds a drive letter"},
	{"B06 host", []file{{name: "//host/x"}}, 0, "name is absolute"},
	{"B06 strip 1", []file{{name: "a/../b"}}, 1, `name holds ".."`},
	{"B06 passed over by strip", []file{{name: "ok/x"}, {name: ".."}}, 1, `name holds ".."`},
	{"case 124 parent", []file{{name: "ok"}, {name: "a/../../../etc/passwd"}}, 0, `name holds ".."`},
	{"newline", []file{{name: "a\nb"}}, 0, "name holds a control character"},
	{"C1 control", []file{{name: "a\u009bb"}}, 0, "name holds a control character"},
	{"not UTF-8", []file{{name: "a\xffb"}}, 0, "name is not UTF-8"},
	{"long component", []file{{name: strings.Repeat("x", 256)}}, 0, "a component of the name is longer than 255 bytes"},
	{"long name", []file{{name: strings.Repeat("x/", 2048) + "x"}}, 0, "name is longer than 4096 bytes"},
	{"deep", []file{{name: strings.Repeat("x/", 100) + "x"}}, 0, "name has more than 100 components"},
	{"twice", []file{{name: "a"}, {name: "./a"}}, 0, "a second file of this name"},
	{"twice after strip", []file{{name: "1/a"}, {name: "2/a"}}, 1, "a second file of this name"},
	{"case", []file{{name: "Makefile"}, {name: "makefile"}}, 0, `"makefile" and "Makefile" are the same name where case or normalisation do not count`},
	{"case of a folder", []file{{name: "Lib/a"}, {name: "lib/b"}}, 0, `"lib" and "Lib" are the same name where case or normalisation do not count`},
	{"case beyond ASCII", []file{{name: "STRASSE"}, {name: "straße"}}, 0, `"straße" and "STRASSE" are the same name where case or normalisation do not count`},
	{"normalisation", []file{{name: "\u00e9"}, {name: "e\u0301"}}, 0, `"e` + "\u0301" + `" and "é" are the same name where case or normalisation do not count`},
	{"below a file", []file{{name: "a", body: "x"}, {name: "a/b"}}, 0, "is below a file"},
	{"file over a folder", []file{{name: "a/b"}, {name: "a", body: "x"}}, 0, "a folder has the name of this file"},
	{"folder over a file", []file{{name: "a", body: "x"}, {name: "a/"}}, 0, "a file has the name of this folder"},
}

func TestHostileNames(t *testing.T) {
	for _, tt := range hostile {
		for format, data := range map[unpack.Format][]byte{
			unpack.Zip: zipOf(t, tt.files...),
			unpack.Tar: tarOf(t, tt.files...),
		} {
			t.Run(tt.name+" "+string(format), func(t *testing.T) {
				refused(t, format, data, &unpack.Options{StripComponents: tt.strip}, unpack.ErrUnsafe, tt.want)
			})
		}
	}
	t.Run("NUL", func(t *testing.T) {
		data := zipOf(t, file{name: "a-b"})
		data = bytes.ReplaceAll(data, []byte("a-b"), []byte("a\x00b"))
		refused(t, unpack.Zip, data, nil, unpack.ErrUnsafe, "name holds a control character")
	})
}

// refused checks that an archive is refused for the reason and that nothing is
// written, in the folder or beside it.
func refused(t *testing.T, format unpack.Format, data []byte, opts *unpack.Options, is error, reason string) {
	t.Helper()
	got, err := extract(t, format, data, opts)
	e, ok := errors.AsType[*unpack.Error](err)
	if !ok {
		t.Fatalf("got %v, %v; want an *Error: %s", got, err, reason)
	}
	if is != nil && !errors.Is(err, is) {
		t.Errorf("got an error that does not wrap %v", is)
	}
	if diff := cmp.Diff(reason, e.Reason); diff != "" {
		t.Errorf("reason (-want +got):\n%s", diff)
	}
	if e.Format != format || len(got) > 0 {
		t.Errorf("got format %s and files %q, want %s and none", e.Format, got, format)
	}
}

func TestModes(t *testing.T) {
	files := []file{
		{name: "script", body: tool, mode: 0o755},
		{name: "data", body: "x", mode: 0o644},
		{name: "all", body: "x", mode: 0o777},
		{name: "mine", body: "x", mode: 0o500},
		{name: "none", body: "x", mode: 0o001},
		{name: "bits", body: "x", mode: 0o755 | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky},
		{name: "dir/", mode: fs.ModeDir | 0o777},
		{name: "closed/", mode: fs.ModeDir | 0o001},
	}
	want := []string{
		"-rwxr-xr-x all (1)", "-rwxr-xr-x bits (1)", "drwx-----x closed", "-rw-r--r-- data (1)",
		"drwxr-xr-x dir", "-rwx------ mine (1)", "-rw------x none (1)", "-rwxr-xr-x script (20)",
	}
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	clearUmask(t)
	t.Run("B37 zip", func(t *testing.T) {
		got, err := extract(t, unpack.Zip, zipOf(t, files...), nil)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})
	t.Run("B37 tar", func(t *testing.T) {
		for i := range files {
			if files[i].name == "bits" {
				files[i].mode = 0o7755 // as a tar has them
			}
		}
		got, err := extract(t, unpack.Tar, tarOf(t, files...), nil)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})
	t.Run("B37 zip made on Windows", func(t *testing.T) {
		var buf bytes.Buffer
		w := zip.NewWriter(&buf)
		for _, h := range []*zip.FileHeader{
			{Name: "plain"},
			{Name: "read-only", ExternalAttrs: 1},
			{Name: "dir/", ExternalAttrs: 0x10},
			{Name: "dir/unix-without-mode", CreatorVersion: 3 << 8},
		} {
			if _, err := w.CreateHeader(h); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := extract(t, unpack.Zip, buf.Bytes(), nil)
		want := []string{"drwxr-xr-x dir", "-rw-r--r-- dir/unix-without-mode (0)", "-rw-r--r-- plain (0)", "-rw-r--r-- read-only (0)"}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})
}

// Nothing that lies in the folder is overwritten or followed.
func TestExistingFiles(t *testing.T) {
	data := tarOf(t, file{name: "a/b", body: "new"}, file{name: "c", link: "a"})
	for _, name := range []string{"a", "c"} {
		outer := t.TempDir()
		if err := errors.Join(os.Mkdir(filepath.Join(outer, "dst"), 0o755), os.Mkdir(filepath.Join(outer, "else"), 0o755)); err != nil {
			t.Fatal(err)
		}
		for _, target := range []string{"../else", "else"} {
			if err := os.Symlink(target, filepath.Join(outer, "dst", name)); err != nil {
				t.Skip("no symbolic links here:", err)
			}
			_, err := extractTo(t, outer, unpack.Tar, data, nil)
			if !errors.Is(err, fs.ErrExist) {
				t.Errorf("%s -> %s: got %v, want %v", name, target, err, fs.ErrExist)
			}
			if left, _ := os.ReadDir(filepath.Join(outer, "else")); len(left) > 0 {
				t.Errorf("%s -> %s was followed: %v", name, target, left)
			}
			if err := errors.Join(os.RemoveAll(filepath.Join(outer, "dst")), os.Mkdir(filepath.Join(outer, "dst"), 0o755)); err != nil {
				t.Fatal(err)
			}
		}
	}
	got, err := extract(t, unpack.Format("rar"), data, nil)
	if err == nil || len(got) > 0 {
		t.Errorf("an unknown format: got %v, %v", got, err)
	}
}

func TestContext(t *testing.T) {
	stop := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	dst, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dst.Close()
	for format, data := range map[unpack.Format][]byte{unpack.Tar: tarOf(t, file{name: "a"}), unpack.Zip: zipOf(t, file{name: "a", body: "x"})} {
		if err := unpack.Extract(ctx, dst, bytes.NewReader(data), int64(len(data)), format, nil); err != stop {
			t.Errorf("%s: got %v, want the cause of the context", format, err)
		}
	}
}

// changing is an archive that is another one when it is read again.
type changing struct {
	first, then io.ReaderAt
	again       bool
}

func (c *changing) ReadAt(p []byte, off int64) (int, error) {
	if off == 0 && len(p) == unpack.SniffLen {
		if c.again {
			c.first = c.then
		}
		c.again = true
	}
	return c.first.ReadAt(p, off)
}

func TestChangedBetweenReads(t *testing.T) {
	good := tarOf(t, file{name: "a", body: "x"}, file{name: "d/"})
	for name, other := range map[string][]byte{
		"other name":    tarOf(t, file{name: "b", body: "x"}, file{name: "d/"}),
		"file twice":    tarOf(t, file{name: "a", body: "x"}, file{name: "a", body: "y"}),
		"was a folder":  tarOf(t, file{name: "d", body: "x"}),
		"other unsafe":  tarOf(t, file{name: "../a", body: "x"}),
		"now a symlink": tarOf(t, file{name: "a", link: "../x"}),
	} {
		outer := t.TempDir()
		if err := os.Mkdir(filepath.Join(outer, "dst"), 0o755); err != nil {
			t.Fatal(err)
		}
		dst, err := os.OpenRoot(filepath.Join(outer, "dst"))
		if err != nil {
			t.Fatal(err)
		}
		defer dst.Close()
		src := &changing{first: bytes.NewReader(good), then: bytes.NewReader(other)}
		err = unpack.Extract(t.Context(), dst, src, int64(min(len(good), len(other))), unpack.Tar, nil)
		got := list(t, outer)
		if err == nil || strings.Contains(strings.Join(got, "\n"), "OUTSIDE") {
			t.Errorf("%s: got %v, %v; want an error", name, got, err)
		}
	}
}
