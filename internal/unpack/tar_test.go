package unpack_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/internal/unpack"
)

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
