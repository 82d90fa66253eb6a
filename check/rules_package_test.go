package check_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/matrix-nexus/skillkit/check"
)

func TestPackage(t *testing.T) {
	file := func(data string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(data), Mode: 0o644} }
	link := func(dest string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(dest), Mode: fs.ModeSymlink | 0o777}
	}
	for _, c := range []struct {
		name string
		file *fstest.MapFile
		want string // in the message, too, behind a colon
	}{
		{".env", file("A=1\n"), "env-file"},
		{".env.production", file("A=1\n"), "env-file"},
		{"config/.envrc", file("A=1\n"), "env-file"},
		{".env.example", file("A=1\n"), ""},
		{".environment/x", file("A=1\n"), "hidden-file"},

		{"id_rsa", file(strings.Replace(pem("RSA "), "-----\n", "-----\nProc-Type: 4,ENCRYPTED\n\n", 1)), "credential-file"},
		{"id_rsa.pub", file("ssh-rsa AAAA\n"), ""},
		{"keys/a.kdbx", file("\x03\xd9\xa2\x9a\x00"), "credential-file"},
		{"server.pem", file(pem("")), "secret"},
		{"ca.pem", file("-----BEGIN CERTIFICATE-----\n"), ""},
		{".npmrc", file("//r.acme.io/:_authToken=q7Zp4vLm\n"), "credential-file"},
		{".npmrc", file("//r.acme.io/:_authToken=${NPM_TOKEN}\n"), ""},
		{"credentials.json", file(`{"refresh_token": "1//0abc"}`), "credential-file"},

		{"bin/tool", file(elfHead), "executable-file:Linux"},
		{"tool.exe", file("MZ\x90\x00\x03\x00"), "executable-file:Windows"},
		{"tool", file("\xcf\xfa\xed\xfe\x07\x00"), "executable-file:macOS"},
		{"logo.png", file(elfHead), "executable-file:promises something else"},
		{"notes.txt", file(elfHead), "executable-file:promises something else"},
		{"logo.png", file(pngHead), ""},
		{"logo.png", file("\xff\xd8\xff\xe0"), "file-type-mismatch:JPEG"},
		{"a.pdf", file("<html>"), "file-type-mismatch:text"},
		{"a.zip", file("text"), "file-type-mismatch"},
		{"logo.png", file(""), ""},
		{"data.bin", file("\x00\x01\x02"), ""},
		{"a.docx", &fstest.MapFile{Data: zipFile(map[string]string{"a": "b"})}, ""},

		{"a.pyc", file("\x00"), "bytecode-without-source"},
		{"__pycache__/a.cpython-312.pyc", file("\x00"), "bytecode-without-source"},
		{".DS_Store", file("x"), "junk-file"},
		{"a.md~", file("x"), "junk-file"},
		{"a/Thumbs.db", file("x"), "junk-file"},
		{"venv/pyvenv.cfg", file("x"), "dependency-folder"},
		{"lib/python3/site-packages/a.py", file("x"), "dependency-folder"},
		{"node_modules/a/b.js", file("x"), "dependency-folder"},
		{".gitignore", file("x"), ""},
		{".github/workflows/ci.yml", file("x"), ""},
		{".cache/x", file("x"), "hidden-file"},
		{"a/.hidden", file("x"), "hidden-file"},

		{"l", link("SKILL.md"), "symlink"},
		{"a/l", link("../SKILL.md"), "symlink"},
		{"l", link("/etc/passwd"), "symlink-outside"},
		{"l", link("../other/SKILL.md"), "symlink-outside"},
		{"a/l", link("../../x"), "symlink-outside"},
		{"l", link(`C:\x`), "symlink-outside"},
		{"l", link("missing"), "symlink-broken"},
		{"l", link("l"), "symlink-broken"},

		{`a\b.txt`, file("x"), "file-name-unportable"},
		{"a\tb.txt", file("x"), "file-name-unportable:control"},
		{"a\u202eb.txt", file("x"), "file-name-unportable:nobody sees"},
		{"a\xffb.txt", file("x"), "file-name-unportable:UTF-8"},
		{"con", file("x"), "file-name-unportable:device"},
		{"AUX.txt", file("x"), "file-name-unportable:device"},
		{"com1.md", file("x"), "file-name-unportable:device"},
		{"com0.md", file("x"), ""},
		{"console.md", file("x"), ""},
		{"a.", file("x"), "file-name-unportable:dot"},
		{"a?.md", file("x"), "file-name-unportable:Windows"},
		{"a b.md", file("x"), "file-name-blank"},
		{strings.Repeat("ab/", 66) + "ab", file("x"), ""},
		{strings.Repeat("ab/", 66) + "abc", file("x"), "file-name-unportable:201"},

		{"a.txt", file("caf\xe9"), "text-not-utf8"},
		{"a.md", file("\xff\xfea\x00"), "text-not-utf8:UTF-16"},
		{"a.md", file("\ufeffcafé"), ""},
	} {
		tree := fstest.MapFS{"deploy/SKILL.md": {Data: []byte(bodyStart)}, "deploy/" + c.name: c.file}
		got, list := foundIn(t, tree)
		rule, message, _ := strings.Cut(c.want, ":")
		if got != rule || rule != "" && !strings.Contains(list[0].Message, message) {
			t.Errorf("%q: got %q, want %q: %v", c.name, got, c.want, list)
		}
	}
}

func TestSourceBesideBytecode(t *testing.T) {
	got, _ := foundIn(t, fstest.MapFS{
		"deploy/SKILL.md":                      {Data: []byte(bodyStart)},
		"deploy/a.py":                          {Data: []byte("print()\n")},
		"deploy/__pycache__/a.cpython-312.pyc": {Data: []byte("\x00")},
	})
	if got != "junk-file" {
		t.Errorf("got %q", got)
	}
}

func TestNameCollisions(t *testing.T) {
	f := &fstest.MapFile{Data: []byte("x")}
	_, list := foundIn(t, fstest.MapFS{
		"deploy/SKILL.md": {Data: []byte(bodyStart)}, "deploy/skill.md": f, // another rule's
		"deploy/Docs/a.md": f, "deploy/docs/b.md": f, "deploy/docs/c.md": f,
		"deploy/caf\u00e9.md": f, "deploy/cafe\u0301.md": f,
	})
	var got []string
	for _, f := range list {
		got = append(got, f.File+" "+f.Rule)
	}
	if want := "deploy/café.md file-name-collision, deploy/docs file-name-collision"; strings.Join(got, ", ") != want {
		t.Errorf("got %q, want %q", strings.Join(got, ", "), want)
	}
}

// case 124: what an unpacker refuses is an error.
func TestArchives(t *testing.T) {
	tarGz := func(headers ...*tar.Header) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		w := tar.NewWriter(z)
		for _, h := range headers {
			h.Mode = 0o644
			if err := w.WriteHeader(h); err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write(make([]byte, h.Size)); err != nil {
				t.Fatal(err)
			}
		}
		if err := cmpErr(w.Close(), z.Close()); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	zipOf := func(name, content string) string { return string(zipFile(map[string]string{name: content})) }
	for _, c := range []struct{ name, file, data, want, message string }{
		{"plain zip", "a.zip", zipOf("a.txt", "x"), "archive-file", ""},
		{"plain tar", "a.tar.gz", tarGz(&tar.Header{Name: "a", Size: 1}), "archive-file", ""},
		{"case 124 zip with ..", "a.zip", zipOf("../a", "x"), "archive-unsafe", `".."`},
		{"case 124 zip with absolute path", "a.zip", zipOf("/etc/cron.d/a", "x"), "archive-unsafe", "absolute"},
		{"case 124 zip without its extension", "a.skill", zipOf("../a", "x"), "archive-unsafe", `".."`},
		{"case 124 tar with link", "a.tgz", tarGz(&tar.Header{Name: "l", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}), "archive-unsafe", "link"},
		{"case 124 bomb", "a.tar.gz", tarGz(&tar.Header{Name: "a", Size: 64 << 20}), "archive-unsafe", "times its"},
		{"case 124 nested", "a.zip", zipOf("b.zip", zipOf("c", "x")), "archive-content", "b.zip"},
		{"program", "a.zip", zipOf("bin/a", elfHead), "archive-content", "bin/a"},
		{"program in a gzip file", "a.gz", gz(t, elfHead), "archive-content", "Linux"},
		{"damaged", "a.zip", zipOf("a.txt", "x")[:40], "archive-file", "cannot be read"},
		{"not looked into", "a.7z", "7z\xbc\xaf\x27\x1c\x00", "archive-file", "not looked into"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, list := foundIn(t, fstest.MapFS{"deploy/SKILL.md": {Data: []byte(bodyStart)}, "deploy/" + c.file: {Data: []byte(c.data)}})
			if got != c.want || !strings.Contains(list[0].Message, c.message) {
				t.Errorf("got %q, want %q: %v", got, c.want, list)
			}
		})
	}
}

func gz(t *testing.T, content string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(content))
	if err := cmpErr(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func cmpErr(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

func TestSizes(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		name string
		opts *check.Options
		size []int
		want string
	}{
		{"case 148 exactly 8 MiB", nil, []int{4 * mib, 4*mib - len(bodyStart)}, ""},
		{"case 148 one byte more", nil, []int{4 * mib, 4*mib - len(bodyStart) + 1}, "folder-too-large"},
		{"another limit", &check.Options{MaxFolder: 1000}, []int{1000}, "folder-too-large"},
		{"5 MiB", nil, []int{5 * mib}, ""},
		{"5 MiB and a byte", nil, []int{5*mib + 1}, "file-large"},
		{"10 MiB to ClawHub", &check.Options{Profile: check.OpenClaw}, []int{10 * mib}, "folder-too-large file-large"},
		{"10 MiB and a byte to ClawHub", &check.Options{Profile: check.OpenClaw}, []int{10*mib + 1}, "folder-too-large publish-file-too-large"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := fstest.MapFS{"deploy/SKILL.md": {Data: []byte(bodyStart)}}
			for i, n := range c.size {
				tree["deploy/data/"+string(rune('a'+i))+".csv"] = &fstest.MapFile{Data: bytes.Repeat([]byte("a"), n)}
			}
			var got []string
			for _, f := range secureTree(t, tree, c.opts) {
				got = append(got, f.Rule)
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("got %v, want %s", got, c.want)
			}
		})
	}
}

func TestManyFiles(t *testing.T) {
	tree := fstest.MapFS{"deploy/SKILL.md": {Data: []byte(bodyStart)}}
	addExample(tree, "deploy/[1-99].txt", "x")
	if got, _ := foundIn(t, tree); got != "" {
		t.Errorf("100 files: got %q", got)
	}
	addExample(tree, "deploy/100.txt", "x")
	if got, _ := foundIn(t, tree); got != "many-files" {
		t.Errorf("101 files: got %q", got)
	}
}
