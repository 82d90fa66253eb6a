package unpack_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ulikunitz/xz"

	"github.com/matrix-nexus/skillkit/internal/unpack"
)

const tool = "#!/bin/sh\necho tool\n"

// bzip2Tool is a tar.bz2 of tool/bin/tool with the content tool; Go has no
// compressor for it.
const bzip2Tool = "QlpoOTFBWSZTWe9pIu8AAH9bgMqRaAD+gAgAemWeAAgIIAB1DKamg0AAeoDaQSVAaaANANGhpF9pKhAydCEXQdUOsaxAiQK3zEMoup8M2iqcCFQjFX6u4zetJbkfK0YjcsFQwLVygmzSwJIfi7kinChId7SRd4A="

// A file is one to put into an archive.
type file struct {
	name string
	body string
	mode fs.FileMode // 0 means 0644, or 0755 for a folder
	link string      // target of a symbolic link
	typ  byte        // of a tar entry, if it is neither of these
}

func tarOf(t testing.TB, files ...file) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: int64(f.mode), Typeflag: f.typ, Linkname: f.link}
		switch {
		case f.typ != 0:
		case f.link != "":
			h.Typeflag = tar.TypeSymlink
		case strings.HasSuffix(f.name, "/"):
			h.Typeflag = tar.TypeDir
		default:
			h.Typeflag, h.Size = tar.TypeReg, int64(len(f.body))
		}
		if h.Mode == 0 {
			h.Mode = 0o644
			if h.Typeflag == tar.TypeDir {
				h.Mode = 0o755
			}
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if h.Size > 0 {
			if _, err := io.WriteString(w, f.body); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func zipOf(t testing.TB, files ...file) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate}
		if f.body == "" {
			h.Method = zip.Store // a compressor takes time to make
		}
		mode, body := f.mode, f.body
		if f.link != "" {
			mode, body = fs.ModeSymlink|0o777, f.link
		}
		if mode != 0 {
			h.SetMode(mode)
		}
		fw, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if body != "" {
			if _, err := io.WriteString(fw, body); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func gzipOf(t testing.TB, data []byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func xzOf(t testing.TB, data []byte, config xz.WriterConfig) []byte {
	t.Helper()
	var buf bytes.Buffer
	w, err := config.NewWriter(&buf)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func bzip2OfTool(t testing.TB) []byte {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(bzip2Tool)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// extract unpacks data into a folder within another, and returns a listing of
// the outer one.
func extract(t testing.TB, format unpack.Format, data []byte, opts *unpack.Options) ([]string, error) {
	t.Helper()
	outer := t.TempDir()
	dir := filepath.Join(outer, "dst")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return extractTo(t, outer, format, data, opts)
}

func extractTo(t testing.TB, outer string, format unpack.Format, data []byte, opts *unpack.Options) ([]string, error) {
	t.Helper()
	dst, err := os.OpenRoot(filepath.Join(outer, "dst"))
	if err != nil {
		t.Fatal(err)
	}
	defer dst.Close()
	err = unpack.Extract(t.Context(), dst, bytes.NewReader(data), int64(len(data)), format, opts)
	return list(t, outer), err
}

// list returns a line for each file below dir/dst, such as "-rwxr-xr-x x (7)",
// and for anything else below dir.
func list(t testing.TB, dir string) []string {
	t.Helper()
	lines := []string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		rel = filepath.ToSlash(rel)
		if rel == "." || rel == "dst" {
			return nil
		}
		if in, ok := strings.CutPrefix(rel, "dst/"); ok {
			rel = in
		} else {
			rel = "OUTSIDE " + rel
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		line := fmt.Sprintf("%v %s", info.Mode(), rel)
		switch {
		case info.Mode().IsRegular():
			line += fmt.Sprintf(" (%d)", info.Size())
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(name)
			if err != nil {
				return err
			}
			line = "link " + rel + " -> " + filepath.ToSlash(target)
		}
		lines = append(lines, line)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}
