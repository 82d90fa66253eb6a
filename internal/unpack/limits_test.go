package unpack_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/ulikunitz/xz"

	"github.com/matrix-nexus/skillkit/internal/unpack"
)

func TestLimits(t *testing.T) {
	body := strings.Repeat("0123456789", 100) // 1000 bytes
	three := []file{{name: "a", body: body}, {name: "d/b", body: body}, {name: "d/c", body: body}}
	inTar := tarOf(t, three...)
	tests := []struct {
		name   string
		format unpack.Format
		data   []byte
		opts   unpack.Options // at the limit
		lower  unpack.Options // one below
		want   string
	}{
		{"B41 bytes zip", unpack.Zip, zipOf(t, three...), unpack.Options{MaxBytes: 3000}, unpack.Options{MaxBytes: 2999},
			"unpacks to more than 2999 bytes in total"},
		{"B41 bytes tar", unpack.TarGzip, gzipOf(t, inTar), unpack.Options{MaxBytes: int64(len(inTar))}, unpack.Options{MaxBytes: int64(len(inTar) - 1)},
			fmt.Sprintf("unpacks to more than %d bytes in total", len(inTar)-1)},
		{"B41 file zip", unpack.Zip, zipOf(t, three...), unpack.Options{MaxFileBytes: 1000}, unpack.Options{MaxFileBytes: 999},
			"unpacks to a file of more than 999 bytes"},
		{"B41 file tar", unpack.Tar, inTar, unpack.Options{MaxFileBytes: 1000}, unpack.Options{MaxFileBytes: 999},
			"unpacks to a file of more than 999 bytes"},
		{"file gz", unpack.Gzip, gzipOf(t, []byte(body)), unpack.Options{Name: "x", MaxFileBytes: 1000}, unpack.Options{Name: "x", MaxFileBytes: 999},
			"unpacks to a file of more than 999 bytes"},
		{"B41 entries zip", unpack.Zip, zipOf(t, three...), unpack.Options{MaxEntries: 4}, unpack.Options{MaxEntries: 3}, "more than 3 entries"},
		{"B41 entries tar", unpack.Tar, inTar, unpack.Options{MaxEntries: 4}, unpack.Options{MaxEntries: 3}, "more than 3 entries"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := extract(t, tt.format, tt.data, &tt.opts)
			if err != nil || len(got) == 0 {
				t.Errorf("at the limit: got %v, %v", got, err)
			}
			refused(t, tt.format, tt.data, &tt.lower, unpack.ErrLimit, tt.want)
		})
	}
}

// zeros returns n MiB of zeros in an archive.
func zeros(t testing.TB, format unpack.Format, mib int) []byte {
	t.Helper()
	var buf bytes.Buffer
	var in io.Writer
	var closers []io.Closer
	switch format {
	case unpack.Zip:
		z := zip.NewWriter(&buf)
		w, err := z.Create("zeros")
		if err != nil {
			t.Fatal(err)
		}
		in, closers = w, []io.Closer{z}
	default:
		var z io.WriteCloser = gzip.NewWriter(&buf)
		if format == unpack.TarXZ {
			var err error
			if z, err = xz.NewWriter(&buf); err != nil {
				t.Fatal(err)
			}
		}
		w := tar.NewWriter(z)
		if err := w.WriteHeader(&tar.Header{Name: "zeros", Mode: 0o644, Size: int64(mib) << 20, Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		in, closers = w, []io.Closer{w, z}
	}
	block := make([]byte, 1<<20)
	for range mib {
		if _, err := in.Write(block); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range closers {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return buf.Bytes()
}

func TestBombs(t *testing.T) {
	for _, format := range []unpack.Format{unpack.Zip, unpack.TarGzip, unpack.TarXZ} {
		t.Run("B41 ratio "+string(format), func(t *testing.T) {
			mib := 17 // just over what is free, since more takes time
			if format == unpack.Zip {
				mib = 64
			}
			data := zeros(t, format, mib)
			refused(t, format, data, nil, unpack.ErrLimit, fmt.Sprintf("unpacks to more than 200 times its %d bytes", len(data)))
			if format == unpack.TarXZ {
				return
			}
			got, err := extract(t, format, data, &unpack.Options{MaxRatio: 1 << 20})
			if err != nil || len(got) != 1 {
				t.Errorf("with the limit lifted: got %v, %v", got, err)
			}
			data = zeros(t, format, 15)
			if got, err := extract(t, format, data, nil); err != nil || len(got) != 1 {
				t.Errorf("of 15 MiB: got %v, %v", got, err)
			}
		})
	}
	t.Run("B41 count", func(t *testing.T) {
		empty := make([]file, 100_000)
		for i := range empty {
			empty[i].name = fmt.Sprint("d/", i)
		}
		refused(t, unpack.Zip, zipOf(t, empty...), nil, unpack.ErrLimit, "more than 80000 entries")
		if !testing.Short() {
			got, err := extract(t, unpack.Zip, zipOf(t, empty[:50_000]...), nil)
			if err != nil || len(got) != 50_001 {
				t.Errorf("50,000 files: got %d, %v", len(got), err)
			}
		}
	})
	t.Run("folders that are implied", func(t *testing.T) {
		deep := make([]file, 20)
		for i := range deep {
			deep[i].name = strings.Repeat(fmt.Sprint("f", i, "/"), 60) + "x"
		}
		refused(t, unpack.Tar, tarOf(t, deep...), &unpack.Options{MaxEntries: 1000}, unpack.ErrLimit, "more than 1000 entries")
	})
	t.Run("table of contents", func(t *testing.T) {
		many := make([]file, 6000)
		for i := range many {
			many[i].name = fmt.Sprint(strings.Repeat("x", 100), i)
		}
		refused(t, unpack.Zip, zipOf(t, many...), &unpack.Options{MaxEntries: 500}, unpack.ErrLimit, "the table of contents is too large for 500 entries")
	})
	t.Run("headers without a file", func(t *testing.T) {
		// A tar of nothing but pax headers never gets to an entry.
		var buf bytes.Buffer
		w := tar.NewWriter(&buf)
		err := w.WriteHeader(&tar.Header{Name: "x", Format: tar.FormatPAX, PAXRecords: map[string]string{"comment": strings.Repeat("x", 1<<19)}})
		if err != nil {
			t.Fatal(err)
		}
		header := buf.Bytes()[:buf.Len()-512]
		data := gzipOf(t, bytes.Repeat(header, 34))
		refused(t, unpack.TarGzip, data, nil, unpack.ErrLimit, fmt.Sprintf("unpacks to more than 200 times its %d bytes", len(data)))
	})
	t.Run("xz dictionary", func(t *testing.T) {
		data := xzOf(t, tarOf(t, file{name: "a"}), xz.WriterConfig{DictCap: 1 << 20})
		good, err := extract(t, unpack.TarXZ, setDictionary(data, 28), nil) // 64 MiB
		if err != nil || len(good) != 1 {
			t.Errorf("64 MiB: got %v, %v", good, err)
		}
		refused(t, unpack.TarXZ, setDictionary(data, 29), nil, unpack.ErrLimit, "needs a dictionary of 100663296 bytes, of more than 67108864")
		refused(t, unpack.TarXZ, setDictionary(data, 40), nil, unpack.ErrLimit, "needs a dictionary of 4294967296 bytes, of more than 67108864")
		two := append(bytes.Clone(data), setDictionary(data, 39)...) // in a later stream
		refused(t, unpack.TarXZ, two, nil, unpack.ErrLimit, "needs a dictionary of 3221225472 bytes, of more than 67108864")
	})
	t.Run("xz dictionaries", func(t *testing.T) {
		one := setDictionary(xzOf(t, tarOf(t, file{name: "a"}), xz.WriterConfig{DictCap: 1 << 20}), 28)
		two := slices.Concat(one, one)
		want := fmt.Sprintf("needs dictionaries of 134217728 bytes for its %d bytes", len(two))
		refused(t, unpack.TarXZ, two, nil, unpack.ErrLimit, want)
		refused(t, unpack.TarXZ, two, &unpack.Options{MaxRatio: 1 << 26 / int64(len(two)+1)}, unpack.ErrLimit, want)
		if _, err := extract(t, unpack.TarXZ, two, &unpack.Options{MaxRatio: 1 << 26 / int64(len(two))}); errors.Is(err, unpack.ErrLimit) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("xz blocks", func(t *testing.T) {
		blocks := func(n int) []byte {
			return xzOf(t, bytes.Repeat([]byte("x"), n), xz.WriterConfig{BlockSize: 1, DictCap: 4096})
		}
		opts := &unpack.Options{Name: "a"}
		if got, err := extract(t, unpack.XZ, blocks(2000), opts); err != nil || len(got) != 1 {
			t.Errorf("2000 blocks: got %v, %v", got, err)
		}
		refused(t, unpack.XZ, blocks(2001), opts, unpack.ErrLimit, "more than 2000 blocks")
	})
}

// setDictionary sets the size of the dictionary of the first block of an xz
// file, in the encoding of the format.
func setDictionary(data []byte, size byte) []byte {
	data = bytes.Clone(data)
	block := data[12:]
	n := (int(block[0]) + 1) * 4
	at := bytes.Index(block[:n], []byte{0x21, 1})
	block[at+2] = size
	binary.LittleEndian.PutUint32(block[n-4:], crc32.ChecksumIEEE(block[:n-4]))
	return data
}

// What a header says of a size is not believed.
func TestLyingHeaders(t *testing.T) {
	big := strings.Repeat("0123456789abcdef", 10<<20/16)
	t.Run("B41 zip says 5 bytes of 10 MB", func(t *testing.T) {
		data := zipOf(t, file{name: "a", body: big})
		central := bytes.Index(data, []byte("PK\x01\x02"))
		binary.LittleEndian.PutUint32(data[central+24:], 5)
		_, err := extract(t, unpack.Zip, data, nil)
		if e, ok := errors.AsType[*unpack.Error](err); !ok || e.Entry != "a" {
			t.Errorf("got %v, want an *Error for a", err)
		}
	})
	t.Run("B41 limit holds for what is there", func(t *testing.T) {
		data := zipOf(t, file{name: "a", body: big})
		central := bytes.Index(data, []byte("PK\x01\x02"))
		binary.LittleEndian.PutUint32(data[central+24:], 1<<31)
		refused(t, unpack.Zip, data, &unpack.Options{MaxFileBytes: 1 << 20}, unpack.ErrLimit, "unpacks to a file of more than 1048576 bytes")
	})
	t.Run("zip64 says more than there is", func(t *testing.T) {
		data := zip64(t, "a", "hello", 1<<62)
		refused(t, unpack.Zip, data, nil, nil, "the archive is cut off or damaged")
	})
	t.Run("zip64 says 0", func(t *testing.T) {
		refused(t, unpack.Zip, zip64(t, "a", "hello", 0), nil, zip.ErrFormat, "zip: not a valid zip file")
	})
	t.Run("zip64 that is true", func(t *testing.T) {
		if got, err := extract(t, unpack.Zip, zip64(t, "a", "hello", 5), nil); err != nil || len(got) != 1 {
			t.Errorf("got %v, %v", got, err)
		}
	})
	t.Run("tar says more than there is", func(t *testing.T) {
		var buf bytes.Buffer
		if err := tar.NewWriter(&buf).WriteHeader(&tar.Header{Name: "a", Typeflag: tar.TypeReg, Size: 1 << 40}); err != nil {
			t.Fatal(err)
		}
		refused(t, unpack.Tar, append(buf.Bytes(), make([]byte, 4096)...), nil, io.ErrUnexpectedEOF, "the archive is cut off or damaged")
	})
}

// zip64 returns a zip with a stored file whose sizes stand in the extra field of
// the table of contents, that of the content being a lie unless it is true.
func zip64(t *testing.T, name, body string, size uint64) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	h := &zip.FileHeader{Name: name, CRC32: crc32.ChecksumIEEE([]byte(body)), CompressedSize64: uint64(len(body)), UncompressedSize64: uint64(len(body))}
	fw, err := w.CreateRaw(h)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(fw, body); err != nil {
		t.Fatal(err)
	}
	h.Extra = nil
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	data := buf.Bytes()
	central := bytes.Index(data, []byte("PK\x01\x02"))
	end := bytes.Index(data, []byte("PK\x05\x06"))
	extra := binary.LittleEndian.AppendUint64([]byte{1, 0, 8, 0}, size)
	head := bytes.Clone(data[central:end])
	binary.LittleEndian.PutUint32(head[24:], 1<<32-1)
	binary.LittleEndian.PutUint16(head[30:], uint16(len(extra)))
	head = append(head[:46+len(name)], extra...)
	tail := bytes.Clone(data[end:])
	binary.LittleEndian.PutUint32(tail[12:], uint32(len(head)))
	return append(append(bytes.Clone(data[:central]), head...), tail...)
}

func TestZipStructure(t *testing.T) {
	data := func() []byte { return zipOf(t, file{name: "aaaa", body: tool}, file{name: "bbbb", body: tool}) }
	central := bytes.Index(data(), []byte("PK\x01\x02"))
	tests := []struct {
		name  string
		spoil func(z []byte) []byte
		is    error
		want  string
	}{
		{"names disagree", func(z []byte) []byte { copy(z[30:], "zzzz"); return z }, unpack.ErrUnsafe,
			`its two headers name different files, the other one "zzzz"`},
		{"methods disagree", func(z []byte) []byte { z[8] = 0; return z }, unpack.ErrUnsafe, "its two headers name different compressions"},
		{"encrypted", func(z []byte) []byte { z[central+8] |= 1; return z }, unpack.ErrUnsafe, "is encrypted"},
		{"encrypted by the other header", func(z []byte) []byte { z[6] |= 1; return z }, unpack.ErrUnsafe, "is encrypted"},
		{"data after its end", func(z []byte) []byte { return append(z, "more"...) }, unpack.ErrUnsafe, "data after the end of the archive"},
		{"method", func(z []byte) []byte { z[8], z[central+10] = 93, 93; return z }, nil, "compression method 93 is not supported"},
		{"overlap", func(z []byte) []byte { // the first reaches into the second
			binary.LittleEndian.PutUint32(z[central+20:], binary.LittleEndian.Uint32(z[central+20:])+40)
			return z
		}, unpack.ErrUnsafe, `overlaps "aaaa"`},
		{"checksum", func(z []byte) []byte { z[central+16] ^= 1; return z }, zip.ErrChecksum, "zip: checksum error"},
		{"offset beyond", func(z []byte) []byte { z[central+42+2] = 0xff; return z }, nil, "EOF"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { refused(t, unpack.Zip, tt.spoil(data()), nil, tt.is, tt.want) })
	}
	t.Run("comment", func(t *testing.T) {
		var buf bytes.Buffer
		w := zip.NewWriter(&buf)
		if err := errors.Join(w.SetComment("made by hand"), w.Close()); err != nil {
			t.Fatal(err)
		}
		if got, err := extract(t, unpack.Zip, buf.Bytes(), nil); err != nil || len(got) > 0 {
			t.Errorf("got %v, %v", got, err)
		}
	})
}

func TestNotThisFormat(t *testing.T) {
	page := []byte("\n<!DOCTYPE html>\n<html><title>404</title></html>")
	inTar := tarOf(t, file{name: "a"})
	tests := []struct {
		name   string
		format unpack.Format
		data   []byte
		want   string
	}{
		{"B35 404 page", unpack.TarGzip, page, "this is an HTML page, not a tar.gz file"},
		{"B35 404 page as zip", unpack.Zip, page, "this is an HTML page, not a zip file"},
		{"B35 404 page as tar", unpack.Tar, page, "this is an HTML page, not a tar file"},
		{"long page as tar", unpack.Tar, append(page, make([]byte, 5000)...), "this is an HTML page, not a tar file"},
		{"page in gzip", unpack.TarGzip, gzipOf(t, page), "in it, this is an HTML page, not a tar file"},
		{"B41 gzip in gzip", unpack.TarGzip, gzipOf(t, gzipOf(t, inTar)), "in it, this is a gzip file, not a tar file"},
		{"zip as tar.gz", unpack.TarGzip, zipOf(t, file{name: "a"}), "this is a zip file, not a tar.gz file"},
		{"program", unpack.TarXZ, []byte("\x7fELF..."), "this is an ELF program, not a tar.xz file"},
		{"empty", unpack.Zip, nil, "this is an empty file, not a zip file"},
		{"empty tar", unpack.Tar, nil, "the archive is cut off or damaged"},
		{"noise", unpack.TarBzip2, []byte("noise"), "this is not a tar.bz2 file"},
		{"noise as tar", unpack.Tar, bytes.Repeat([]byte("noise"), 1000), "this is not a tar file"},
		{"text after a tar", unpack.Tar, append(bytes.Clone(inTar), "more"...), "data after the end of the archive"},
		{"two tars", unpack.Tar, append(bytes.Clone(inTar), inTar...), "data after the end of the archive"},
		{"text after gzip", unpack.TarGzip, append(gzipOf(t, inTar), "text that is long enough"...), "gzip: invalid header"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { refused(t, tt.format, tt.data, nil, nil, tt.want) })
	}
	// An archive in an archive is a file.
	inner := gzipOf(t, zeros(t, unpack.TarGzip, 20))
	if got, err := extract(t, unpack.Tar, tarOf(t, file{name: "case 124 nested.tar.gz", body: string(inner)}), nil); err != nil || len(got) != 1 {
		t.Errorf("case 124 nested archive: got %v, %v", got, err)
	}
}

func TestFormatNames(t *testing.T) {
	for name, want := range map[string]unpack.Format{
		"tar.gz": unpack.TarGzip, "tgz": unpack.TarGzip, ".TGZ": unpack.TarGzip, "zip": unpack.Zip, "tar": unpack.Tar,
		"tar.bz2": unpack.TarBzip2, "tbz2": unpack.TarBzip2, "txz": unpack.TarXZ, "tar.xz": unpack.TarXZ,
		"gz": unpack.Gzip, "gzip": unpack.Gzip, "bz2": unpack.Bzip2, "xz": unpack.XZ,
		"": "", "rar": "", "tar.zst": "", "x.tar.gz": "",
	} {
		if got, ok := unpack.ParseFormat(name); got != want || ok != (want != "") {
			t.Errorf("ParseFormat(%q): got %q, %t; want %q", name, got, ok, want)
		}
	}
	for name, want := range map[string]unpack.Format{
		"tool-1.2.tar.gz": unpack.TarGzip, "/dl/tool.TGZ": unpack.TarGzip, "tool.gz": unpack.Gzip, "tool.zip": unpack.Zip,
		"tool": "", "tar.gz": unpack.Gzip, "tool.exe": "", "tool.tar.zst": "", "notzip": "",
	} {
		if got, ok := unpack.FormatOf(name); got != want || ok != (want != "") {
			t.Errorf("FormatOf(%q): got %q, %t; want %q", name, got, ok, want)
		}
	}
}
