package check

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/matrix-nexus/skillkit/internal/unpack"
)

// keyFiles are the ends of names of files that hold nothing but keys.
var keyFiles = []string{".kdbx", ".p12", ".pfx", ".jks", ".keystore", ".ppk", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", ".git-credentials", ".htpasswd"}

// credentialMarks are what files of other kinds hold if they hold a key, by the
// ends of their names.
var credentialMarks = []struct{ name, mark string }{
	{".pem", "PRIVATE KEY-----"}, {".key", "PRIVATE KEY-----"},
	{".npmrc", "_authToken="}, {".npmrc", "_password="}, {".pypirc", "password"}, {"netrc", "password "},
	{"credentials.json", `"private_key"`}, {"credentials.json", `"refresh_token"`}, {"credentials.json", `"client_secret"`},
	{"token.json", `"refresh_token"`}, {"service-account.json", `"private_key"`}, {".aws/credentials", "aws_secret_access_key"},
}

// credentialFile reports a file with keys, and reports whether it is one.
func (in *inspection) credentialFile(name, base string) bool {
	if in.keyed[name] {
		return false // the key itself is told
	}
	is := false
	for _, end := range keyFiles {
		is = is || strings.HasSuffix(base, end)
	}
	for _, c := range credentialMarks {
		if is || !strings.HasSuffix(name, c.name) {
			continue
		}
		text, _ := in.Text(name)
		_, value, ok := strings.Cut(text, c.mark)
		value, _, _ = strings.Cut(strings.TrimLeft(value, ` :="'`), "\n")
		is = ok && !strings.HasPrefix(value, "$") && !isStandIn(value)
	}
	if is {
		in.add("credential-file", name, "a file with keys is in the folder of the skill; move it out and, if it was published, revoke them")
	}
	return is
}

// textExts are the extensions of files that are text.
const textExts = ".md .txt .py .sh .js .mjs .ts .json .yaml .yml .toml .csv .html .css .xml .rb .go .rs .ps1 .sql .ini .cfg "

// content looks at what a file is.
func (in *inspection) content(file File) {
	name, ext := file.Name, strings.ToLower(path.Ext(file.Name))
	if file.Size == 0 {
		return
	}
	if !isBinaryName(name) && file.Size <= MaxText {
		if _, ok := in.Text(name); ok {
			return
		}
	}
	head := in.head(name)
	is, want := kindOfHead(head), promised(ext)
	switch {
	case is != nil && is.program:
		if want != nil && !want.program || ext != "" && strings.Contains(textExts, ext+" ") {
			in.add("executable-file", name, "is %s, though its name promises something else; remove it", is.what)
		} else {
			in.add("executable-file", name, "is %s, which nobody can look into and which runs on one system; ship its source, or name it in install", is.what)
		}
	case want != nil && !want.program && is != want:
		what := "something else"
		if is != nil {
			what = is.what
		} else if utf8.Valid(head) && !bytes.Contains(head, []byte{0}) {
			what = "text"
		}
		in.add("file-type-mismatch", name, "is named as %s, but is %s; rename it, or put the right file there", want.what, what)
	case is != nil && is.archive && !(is == zipFile && strings.Contains(zipped, ext+" ")):
		in.archive(name, is)
	case strings.Contains(textExts, ext+" ") && ext != "":
		in.notText(name, head)
	}
}

// notText reports a file that is named as text and is none.
func (in *inspection) notText(name string, head []byte) {
	data, err := in.readFile(name, MaxText)
	switch {
	case err != nil:
	case bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")):
		in.add("text-not-utf8", name, "the text is in UTF-16; save it as UTF-8")
	case len(data) <= MaxText && !utf8.Valid(data):
		in.add("text-not-utf8", name, "the text is not in UTF-8; save it so")
	}
}

// Limits on the archives that are looked into, in bytes.
const (
	maxArchive        = 16 << 20
	maxArchiveBytes   = 256 << 20
	maxArchiveEntries = 10_000
)

// archive looks into an archive.
func (in *inspection) archive(name string, is *fileKind) {
	format, known := unpack.FormatOf(name)
	if !known && is == zipFile {
		format, known = unpack.Zip, true
	}
	inside := ""
	var err error
	if data, readErr := in.readFile(name, maxArchive); readErr != nil || len(data) > maxArchive || !known {
		known = false
	} else {
		opts := &unpack.Options{Name: "content", MaxBytes: maxArchiveBytes, MaxFileBytes: maxArchiveBytes, MaxEntries: maxArchiveEntries}
		err = unpack.Files(context.Background(), bytes.NewReader(data), int64(len(data)), format, opts, func(entry string, _ fs.FileMode, body io.Reader) error {
			head := make([]byte, unpack.SniffLen)
			n, err := io.ReadFull(body, head)
			if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
				return err
			}
			if k := kindOfHead(head[:n]); k != nil && (k.program || k.archive) && inside == "" {
				inside = k.what + ", " + entry
			}
			return nil
		})
	}
	fault, _ := errors.AsType[*unpack.Error](err)
	switch {
	case errors.Is(err, unpack.ErrUnsafe) || errors.Is(err, unpack.ErrLimit):
		in.add("archive-unsafe", name, "an unpacker refuses the archive: %s; make it again, or ship the files themselves", reason(fault))
	case inside != "":
		in.add("archive-content", name, "the archive holds %q, which nobody sees before it is unpacked; leave it out", clip(inside))
	case err != nil:
		in.add("archive-file", name, "the archive cannot be read: %s; make it again, or ship the files themselves", reason(fault))
	case known:
		in.add("archive-file", name, "is %s, into which a reviewer and a model do not look; ship the files themselves", is.what)
	default:
		in.add("archive-file", name, "is %s, which was not looked into; ship the files themselves", is.what)
	}
}

// reason says what is wrong with an archive.
func reason(e *unpack.Error) string {
	if e == nil {
		return "it is damaged"
	}
	text := *e
	text.Entry = clip(e.Entry)
	return text.Error()
}
