package unpack

import (
	"bytes"
	"strings"
)

// A Format is a kind of archive.
type Format string

const (
	Zip      Format = "zip"
	Tar      Format = "tar"
	TarGzip  Format = "tar.gz"
	TarBzip2 Format = "tar.bz2"
	TarXZ    Format = "tar.xz"

	// These hold a single file: see [Options.Name].
	Gzip  Format = "gz"
	Bzip2 Format = "bz2"
	XZ    Format = "xz"
)

// aliases are the names of formats, the longer ones of a name's end first.
var aliases = []struct {
	alias  string
	format Format
}{
	{"tar.gz", TarGzip}, {"tgz", TarGzip}, {"tar.gzip", TarGzip},
	{"tar.bz2", TarBzip2}, {"tbz2", TarBzip2}, {"tbz", TarBzip2}, {"tar.bzip2", TarBzip2},
	{"tar.xz", TarXZ}, {"txz", TarXZ},
	{"zip", Zip}, {"tar", Tar},
	{"gz", Gzip}, {"gzip", Gzip}, {"bz2", Bzip2}, {"bzip2", Bzip2}, {"xz", XZ},
}

// ParseFormat returns the format of a name such as "tar.gz", "tgz" or ".zip", in
// any case, as recipes write it.
func ParseFormat(s string) (Format, bool) {
	s = strings.TrimPrefix(strings.ToLower(strings.TrimSpace(s)), ".")
	for _, a := range aliases {
		if a.alias == s {
			return a.format, true
		}
	}
	return "", false
}

// FormatOf returns the format that the name of a file, or the path of a URL,
// ends in, such as that of "tool-1.2.tar.gz".
func FormatOf(name string) (Format, bool) {
	name = strings.ToLower(name)
	for _, a := range aliases {
		if strings.HasSuffix(name, "."+a.alias) {
			return a.format, true
		}
	}
	return "", false
}

// Single reports whether f holds a single file without a name.
func (f Format) Single() bool { return f == Gzip || f == Bzip2 || f == XZ }

// signatures are what files begin with, or hold at an offset.
var signatures = []struct {
	offset int
	magic  string
	what   string
}{
	{0, "\x1f\x8b", "a gzip file"},
	{0, "BZh", "a bzip2 file"},
	{0, "\xfd7zXZ\x00", "an xz file"},
	{0, "PK\x03\x04", "a zip file"},
	{0, "PK\x05\x06", "a zip file"}, // an empty one
	{257, "ustar", isTar},
	{0, "\x28\xb5\x2f\xfd", "a zstd file"},
	{0, "7z\xbc\xaf\x27\x1c", "a 7z file"},
	{0, "Rar!\x1a\x07", "a rar file"},
	{0, "!<arch>\n", "an ar or deb file"},
	{0, "\x7fELF", "an ELF program"},
	{0, "MZ", "a Windows program"},
	{0, "\xcf\xfa\xed\xfe", "a macOS program"},
	{0, "#!", isScript},
}

const (
	isHTML   = "an HTML page" // such as one that says that there is no such file
	isTar    = "a tar file"
	isScript = "a script"
)

// SniffLen is the number of bytes from the start of a file that [Sniff] wants.
const SniffLen = 512

// Sniff says in a word or two what a file is that begins with head, such as
// "a gzip file", or returns "".
func Sniff(head []byte) string {
	if len(head) == 0 {
		return "an empty file"
	}
	text := bytes.ToLower(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n"))
	for _, tag := range []string{"<!doctype html", "<html", "<head", "<body"} {
		if bytes.HasPrefix(text, []byte(tag)) {
			return isHTML
		}
	}
	for _, s := range signatures {
		if len(head) >= s.offset && bytes.HasPrefix(head[s.offset:], []byte(s.magic)) {
			return s.what
		}
	}
	switch {
	case bytes.HasPrefix(text, []byte("<?xml")):
		return "an XML document"
	case bytes.HasPrefix(text, []byte("{")):
		return "a JSON document"
	}
	return ""
}

// IsProgram reports whether what [Sniff] says is a program.
func IsProgram(is string) bool { return is == isScript || strings.HasSuffix(is, " program") }

// signature returns what [Sniff] says of an intact archive of the format. It is
// "" for a tar, since one of the oldest kind has none.
func (f Format) signature() string {
	switch f {
	case Zip:
		return "a zip file"
	case TarGzip, Gzip:
		return "a gzip file"
	case TarBzip2, Bzip2:
		return "a bzip2 file"
	case TarXZ, XZ:
		return "an xz file"
	}
	return ""
}

// notThis says that a file is not one of the format.
func notThis(is string, format Format) string {
	if is == "" {
		return "this is not a " + string(format) + " file"
	}
	return "this is " + is + ", not a " + string(format) + " file"
}
