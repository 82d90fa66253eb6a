package unpack_test

import (
	"archive/tar"
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

// A cut tar that ends where a file ends looks whole to archive/tar.
func TestTarWithoutEnd(t *testing.T) {
	data := tarOf(t, file{name: "a", body: strings.Repeat("\x00", 700)}, file{name: "b", body: "b"})
	end := len(data) - 1024
	for n, ok := range map[int]bool{end: false, end - 1024: false, end + 511: false, end + 512: true, len(data): true} {
		got, err := extract(t, unpack.Tar, data[:n], nil)
		if (err == nil) != ok || ok != (len(got) == 2) {
			t.Errorf("%d bytes of %d: got %v, %v; want success: %t", n, len(data), got, err, ok)
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

func TestLinks(t *testing.T) {
	lib := file{name: "lib/libx.so.1", body: "x"}
	good := []file{
		lib,
		{name: "lib/libx.so", link: "libx.so.1"},
		{name: "lib64", link: "lib"},
		{name: "bin/x", link: "../lib64/./libx.so"},
		{name: "share/self", link: "."},
		{name: "share/up", link: ".."},
		{name: "share/dangling", link: "not/there"},
	}
	got, err := extract(t, unpack.Tar, tarOf(t, good...), nil)
	want := []string{
		"drwxr-xr-x bin", "link bin/x -> ../lib64/./libx.so",
		"drwxr-xr-x lib", "link lib/libx.so -> libx.so.1", "-rw-r--r-- lib/libx.so.1 (1)",
		"link lib64 -> lib",
		"drwxr-xr-x share", "link share/dangling -> not/there", "link share/self -> .", "link share/up -> ..",
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}

	bad := []struct {
		name  string
		files []file
		strip int
		want  string
	}{
		{"B06 write through", []file{{name: "l", link: "/tmp"}, {name: "l/x", body: "x"}}, 0, "link: target: name is absolute"},
		{"B06 write through a good one", []file{{name: "l", link: "lib"}, {name: "l/x", body: "x"}}, 0, "is below a link"},
		{"link over a folder", []file{{name: "l/x", body: "x"}, {name: "l", link: "lib"}}, 0, "a folder has the name of this link"},
		{"file over a link", []file{{name: "l", link: "lib"}, {name: "l", body: "x"}}, 0, "a link has the name of this file"},
		{"case 124 outside", []file{{name: "a/l", link: "../../x"}}, 0, "link leads outside"},
		{"outside in the end", []file{{name: "a/l", link: "../.."}}, 0, "link leads outside"},
		{"outside after strip", []file{{name: "a/b/l", link: "../../x"}}, 1, "link leads outside"},
		{"by way of a link", []file{{name: "d/e/up", link: "../.."}, {name: "l", link: "d/e/up/../x"}}, 0, `link: target: name holds ".."`},
		{"backslash", []file{{name: "l", link: `..\x`}}, 0, "link: target: name holds a backslash"},
		{"drive", []file{{name: "l", link: "c:/x"}}, 0, "link: target: name holds a drive letter"},
		{"newline", []file{{name: "l", link: "a\nb"}}, 0, "link: target: name holds a control character"},
		{"slashes", []file{{name: "a/l", link: "..//x"}}, 0, "target of the link holds an empty component"},
		{"long", []file{{name: "l", link: "./" + strings.Repeat("./", 2047) + "abc"}}, 0, "link: target: name is longer than 4096 bytes"},
		{"B06 hard link", []file{{name: "a", body: "x"}, {name: "b", typ: tar.TypeLink, link: "a"}}, 0, "is a hard link"},
		{"hard link outside", []file{{name: "b", typ: tar.TypeLink, link: "/etc/passwd"}}, 0, "is a hard link"},
	}
	for _, tt := range bad {
		t.Run(tt.name, func(t *testing.T) {
			refused(t, unpack.Tar, tarOf(t, tt.files...), &unpack.Options{StripComponents: tt.strip}, unpack.ErrUnsafe, tt.want)
		})
	}
	t.Run("case 124 link in a zip", func(t *testing.T) {
		refused(t, unpack.Zip, zipOf(t, lib, file{name: "lib/libx.so", link: "libx.so.1"}), nil, unpack.ErrUnsafe, "is a link in a zip")
	})
}

func TestOddTypes(t *testing.T) {
	for typ, want := range map[byte]string{
		tar.TypeChar:  "is a device",
		tar.TypeBlock: "is a device",
		tar.TypeFifo:  "is a FIFO",
		tar.TypeCont:  "is of type '7', neither a file nor a folder",
		'Z':           "is of type 'Z', neither a file nor a folder",
	} {
		refused(t, unpack.Tar, tarOf(t, file{name: "x", typ: typ}), nil, unpack.ErrUnsafe, want)
	}
	for _, mode := range []fs.FileMode{fs.ModeNamedPipe, fs.ModeDevice, fs.ModeCharDevice | fs.ModeDevice, fs.ModeSocket} {
		refused(t, unpack.Zip, zipOf(t, file{name: "x", mode: mode | 0o644}), nil, unpack.ErrUnsafe, "is neither a file nor a folder")
	}
	var sparse bytes.Buffer
	w := tar.NewWriter(&sparse)
	// The writer refuses such records, but for a name that it does not know.
	err := errors.Join(w.WriteHeader(&tar.Header{Name: "x", Typeflag: tar.TypeReg, Format: tar.FormatPAX,
		PAXRecords: map[string]string{"GNU-sparse.zzzzz": "1"}}), w.Close())
	if err != nil {
		t.Fatal(err)
	}
	data := bytes.ReplaceAll(sparse.Bytes(), []byte("GNU-sparse.zzzzz"), []byte("GNU.sparse.zzzzz"))
	refused(t, unpack.Tar, data, nil, unpack.ErrUnsafe, "is a sparse file")
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

func TestTarHeaders(t *testing.T) {
	long := strings.Repeat("long/", 30) + "name"
	for _, format := range []tar.Format{tar.FormatPAX, tar.FormatGNU} {
		var buf bytes.Buffer
		w := tar.NewWriter(&buf)
		if format == tar.FormatPAX {
			err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeXGlobalHeader, Name: "pax_global_header",
				PAXRecords: map[string]string{"comment": "0123456789abcdef"}})
			if err != nil {
				t.Fatal(err)
			}
		}
		err := errors.Join(
			w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: "./", Mode: 0o700, Format: format}),
			w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: "./long/", Mode: 0o700, Format: format}),
			w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "./" + long, Mode: 0o644, Format: format}),
			w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: "./long", Mode: 0o755, Format: format}), // again
			w.Close())
		if err != nil {
			t.Fatal(err)
		}
		got, err := extract(t, unpack.Tar, buf.Bytes(), nil)
		if err != nil || len(got) != 31 || got[0] != "drwxr-xr-x long" || !strings.HasSuffix(got[30], long+" (0)") {
			t.Errorf("%v: got %q, %v", format, got, err)
		}
	}
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
