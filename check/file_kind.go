package check

import (
	"bytes"
	"strings"

	"github.com/matrix-nexus/skillkit/internal/unpack"
)

// head returns the first bytes of the file of that name, at most
// [unpack.SniffLen], or nil if it cannot be read.
func (f *Folder) head(name string) []byte {
	data, err := f.readFile(name, unpack.SniffLen-1)
	if err != nil {
		return nil
	}
	return data
}

// A fileKind is what a file is by its first bytes.
type fileKind struct {
	what    string // "a PNG image"
	program bool
	archive bool
	exts    string // extensions that promise it, with a dot and a blank behind each
}

// magics are the first bytes of kinds of files.
var magics = []struct {
	magic string
	kind  *fileKind
}{
	{"\x7fELF", elf}, {"MZ", windows},
	{"\xcf\xfa\xed\xfe", macOS}, {"\xce\xfa\xed\xfe", macOS}, {"\xfe\xed\xfa\xcf", macOS}, {"\xfe\xed\xfa\xce", macOS}, {"\xca\xfe\xba\xbe", fat},
	{"\x89PNG\r\n\x1a\n", png}, {"\xff\xd8\xff", jpeg}, {"GIF8", gif}, {"%PDF-", pdf},
	{"PK\x03\x04", zipFile}, {"PK\x05\x06", zipFile}, {"\x1f\x8b", gzipFile}, {"BZh", bzip2File}, {"\xfd7zXZ\x00", xzFile},
	{"7z\xbc\xaf\x27\x1c", sevenZip}, {"Rar!\x1a\x07", rar}, {"\x28\xb5\x2f\xfd", zstd},
}

var (
	elf       = &fileKind{what: "a program for Linux", program: true, exts: ".so .elf .bin .o "}
	windows   = &fileKind{what: "a program for Windows", program: true, exts: ".exe .dll .sys .com "}
	macOS     = &fileKind{what: "a program for macOS", program: true, exts: ".dylib .o .bin "}
	fat       = &fileKind{what: "a program for macOS or Java", program: true, exts: ".dylib .class "}
	png       = &fileKind{what: "a PNG image", exts: ".png "}
	jpeg      = &fileKind{what: "a JPEG image", exts: ".jpg .jpeg "}
	gif       = &fileKind{what: "a GIF image", exts: ".gif "}
	pdf       = &fileKind{what: "a PDF document", exts: ".pdf "}
	zipFile   = &fileKind{what: "a zip file", archive: true, exts: ".zip "}
	gzipFile  = &fileKind{what: "a gzip file", archive: true, exts: ".gz .tgz "}
	bzip2File = &fileKind{what: "a bzip2 file", archive: true, exts: ".bz2 .tbz .tbz2 "}
	xzFile    = &fileKind{what: "an xz file", archive: true, exts: ".xz .txz "}
	sevenZip  = &fileKind{what: "a 7z file", archive: true, exts: ".7z "}
	rar       = &fileKind{what: "a rar file", archive: true, exts: ".rar "}
	zstd      = &fileKind{what: "a zstd file", archive: true, exts: ".zst "}
	tarFile   = &fileKind{what: "a tar file", archive: true, exts: ".tar "}
)

// zipped are the extensions of kinds of files that are zip files inside and are
// not taken for archives.
const zipped = ".docx .xlsx .pptx .odt .ods .odp .epub .dotx .xltx .potx .key .numbers .pages .sketch .xmind "

// kindOfHead returns what a file is that begins with head, or nil.
func kindOfHead(head []byte) *fileKind {
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.magic)) {
			return m.kind
		}
	}
	if len(head) > 262 && string(head[257:262]) == "ustar" {
		return tarFile
	}
	return nil
}

// promised returns the kind that the extension of a file promises, or nil.
func promised(ext string) *fileKind {
	if ext == "" {
		return nil
	}
	for _, m := range magics {
		if strings.Contains(m.kind.exts, ext+" ") {
			return m.kind
		}
	}
	if ext == ".tar" {
		return tarFile
	}
	return nil
}
