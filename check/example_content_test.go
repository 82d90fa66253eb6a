package check_test

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"testing/fstest"
)

const (
	elfHead = "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	pngHead = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
)

var (
	textOf    = regexp.MustCompile(`^\[(\d+) MiB of text\]\n?$`)
	zipOf     = regexp.MustCompile(`^\[zip of (\S+)( ELF program)?\]\n?$`)
	numbersIn = regexp.MustCompile(`\[1-(\d+)\]`)
)

// addExample adds a file of an example to a tree: see check.Rule.
func addExample(tree fstest.MapFS, name, text string) {
	if m := numbersIn.FindStringSubmatch(name); m != nil {
		n, _ := strconv.Atoi(m[1])
		for i := range n {
			addExample(tree, strings.Replace(name, m[0], strconv.Itoa(i+1), 1), text)
		}
		return
	}
	f := &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	if link, dest, ok := strings.Cut(name, " -> "); ok {
		name, f.Data, f.Mode = link, []byte(dest), fs.ModeSymlink|0o777
	}
	switch {
	case text == "[ELF program]\n":
		f.Data = []byte(elfHead)
	case text == "[PNG image]\n":
		f.Data = []byte(pngHead)
	case text == "[pipe]\n":
		f.Data, f.Mode = nil, fs.ModeNamedPipe|0o644
	case textOf.MatchString(text):
		n, _ := strconv.Atoi(textOf.FindStringSubmatch(text)[1])
		f.Data = bytes.Repeat([]byte("text\n"), n<<20/5+1)
	case zipOf.MatchString(text):
		m := zipOf.FindStringSubmatch(text)
		content := "x\n"
		if m[2] != "" {
			content = elfHead
		}
		f.Data = zipFile(map[string]string{m[1]: content})
	}
	tree[name] = f
}

// zipFile returns a zip with the files.
func zipFile(files map[string]string) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, content := range files {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write([]byte(content))
		}
		if err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}
