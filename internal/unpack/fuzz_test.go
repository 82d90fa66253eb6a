package unpack_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ulikunitz/xz"

	"github.com/matrix-nexus/skillkit/internal/unpack"
)

// Any bytes are an archive that is unpacked into its folder or a documented
// error that leaves nothing.
func FuzzExtract(f *testing.F) {
	formats := []unpack.Format{unpack.Zip, unpack.Tar, unpack.TarGzip, unpack.TarBzip2, unpack.TarXZ}
	files := []file{{name: "a/b", body: tool, mode: 0o755}, {name: "c/"}, {name: "C", body: "x"}, {name: "../d", body: "x"}}
	for n := range files {
		inTar := tarOf(f, append(files[:n:n], file{name: "l", link: "a/b"})...)
		f.Add(uint8(0), zipOf(f, files[:n]...))
		f.Add(uint8(1), inTar)
		f.Add(uint8(2), gzipOf(f, inTar))
		f.Add(uint8(4), xzOf(f, inTar, xz.WriterConfig{DictCap: 1 << 16}))
	}
	f.Add(uint8(3), bzip2OfTool(f))
	f.Fuzz(func(t *testing.T, kind uint8, data []byte) {
		format := formats[int(kind)%len(formats)]
		outer, err := os.MkdirTemp("", "")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(outer)
		if err := os.Mkdir(filepath.Join(outer, "dst"), 0o755); err != nil {
			t.Fatal(err)
		}
		dst, err := os.OpenRoot(filepath.Join(outer, "dst"))
		if err != nil {
			t.Fatal(err)
		}
		defer dst.Close()
		err = unpack.Extract(t.Context(), dst, bytes.NewReader(data), int64(len(data)), format, &unpack.Options{MaxBytes: 1 << 20, MaxEntries: 100})
		got := list(t, outer)
		if err != nil {
			if e, ok := errors.AsType[*unpack.Error](err); !ok || e.Reason == "" || len(got) > 0 {
				t.Fatalf("got %q, %#v; want nothing and an *Error with a reason", got, err)
			}
			return
		}
		for _, line := range got {
			// Links in the folder lead into it, or to nothing.
			if name, _, ok := strings.Cut(strings.TrimPrefix(line, "link "), " -> "); ok && strings.HasPrefix(line, "link ") {
				if _, err := dst.Stat(name); err != nil && strings.Contains(err.Error(), "escapes") {
					t.Errorf("%s: %v", line, err)
				}
			}
			if strings.HasPrefix(line, "OUTSIDE") {
				t.Error(line)
			}
		}
	})
}
