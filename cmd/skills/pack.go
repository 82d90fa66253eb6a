package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/matrix-nexus/skillkit/cmd/internal/cli"
	"github.com/matrix-nexus/skillkit/internal/atomicfile"
	"github.com/matrix-nexus/skillkit/publish"
)

type packCmd struct {
	Dir    string `arg:"" help:"The folder of the skill."`
	Output string `short:"o" placeholder:"FILE" help:"Write FILE, in place of NAME-VERSION.tar.gz in the working folder or, if that is in DIR, beside DIR."`
	Format string `enum:"tar.gz,zip," default:"" placeholder:"FORMAT" help:"tar.gz or zip; by default what the name of FILE ends in, or tar.gz."`
	List   bool   `help:"Write nothing; list what would be packed and what would be left out."`
}

func (packCmd) Help() string {
	return `Packs a skill for others. The same files give the same bytes: sorted, with one fixed time, without owners, with the permissions 0644 or 0755. The archive unpacks to one folder that has the name of the skill.

Left out are credentials (.env and the like), junk of systems and editors, names that begin with a dot, and what a .gitignore in DIR excludes. Links, names that some system cannot have, files over 10 MiB and skills over 50 MiB are refused, as is a SKILL.md that cannot be read or declares no name or description.

--json prints {"path", "format", "bytes", "sha256", "digest", "name", "version", "size", "files": [{"path", "size", "executable"}], "left_out": [{"path", "why", "detail"}]}; with --list path and sha256 are "".`
}

// packed is what pack --json prints.
type packed struct {
	Path    string            `json:"path"`
	Format  publish.Format    `json:"format"`
	Bytes   int               `json:"bytes"`  // of the archive
	SHA256  string            `json:"sha256"` // of the archive, in hex
	Digest  string            `json:"digest"` // of the content
	Name    string            `json:"name"`
	Version string            `json:"version"`
	Size    int64             `json:"size"` // of all files, in bytes
	Files   []packedFile      `json:"files"`
	LeftOut []publish.LeftOut `json:"left_out"`
}

type packedFile struct {
	file
	Executable bool `json:"executable"`
}

func packedFiles(s *publish.Skill) []packedFile {
	list := []packedFile{}
	for i := range s.Files {
		f := &s.Files[i]
		list = append(list, packedFile{file{f.Path, int64(len(f.Data))}, f.Executable})
	}
	return list
}

func (c packCmd) Run(a *app) error {
	format, err := c.format()
	if err != nil {
		return err
	}
	s, err := publish.ReadFolder(a.ctx, c.Dir)
	if err != nil {
		return err
	}
	h, err := s.Header()
	if err != nil {
		return err
	}
	p := packed{
		Format: format, Digest: s.Digest(), Name: h.Name, Version: h.Version,
		Size: s.Size(), Files: packedFiles(s), LeftOut: nonNil(s.LeftOut),
	}
	if !c.List {
		if err := c.write(s, h, &p); err != nil {
			return err
		}
	}
	if a.flags.JSON {
		return a.out.JSON(p)
	}
	if c.List {
		p.list(a.out)
	}
	p.print(a.out)
	return nil
}

// format returns that of the archive.
func (c packCmd) format() (publish.Format, error) {
	ending, ok := publish.FormatOf(c.Output)
	switch {
	case c.Format == "" && (c.Output == "" || c.List && !ok):
		return publish.TarGz, nil
	case c.Format == "" && !ok:
		return "", fmt.Errorf("%s does not end in .tar.gz, .tgz or .zip; say --format", c.Output)
	case c.Format == "":
		return ending, nil
	}
	return publish.Format(c.Format), nil
}

// plainVersion is what a version must be to be part of the name of a file.
var plainVersion = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z.+-]{0,63}$`)

// write writes the archive and tells p of it.
func (c packCmd) write(s *publish.Skill, h *publish.Header, p *packed) error {
	dir, err := realPath(c.Dir)
	if err != nil {
		return err
	}
	p.Path = c.Output
	if p.Path == "" {
		name := h.Name
		if plainVersion.MatchString(h.Version) {
			name += "-" + h.Version
		}
		p.Path = name + "." + string(p.Format)
		if in, err := within(dir, p.Path); err != nil {
			return err
		} else if in {
			p.Path = filepath.Join(filepath.Dir(dir), p.Path)
		}
	}
	if in, err := within(dir, p.Path); err != nil {
		return err
	} else if in {
		return fmt.Errorf("%s is in the folder that is packed; write it elsewhere with -o", p.Path)
	}
	var b bytes.Buffer
	if err := s.Pack(&b, p.Format); err != nil {
		return err
	}
	sum := sha256.Sum256(b.Bytes())
	p.Bytes, p.SHA256 = b.Len(), hex.EncodeToString(sum[:])
	return writeOutput(p.Path, b.Bytes())
}

// realPath returns the absolute path of a folder, without links.
func realPath(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}

// within reports whether the file path is, or would be, below the folder dir, a
// path without links.
func within(dir, path string) (bool, error) {
	parent, err := realPath(filepath.Dir(path))
	if err != nil {
		return false, err
	}
	rel, err := filepath.Rel(dir, parent)
	return err == nil && filepath.IsLocal(rel), nil
}

// writeOutput writes a file that others may read, in one step. What is there is
// replaced if it is a regular file.
func writeOutput(path string, data []byte) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is there and is not a regular file", path)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer root.Close()
	return atomicfile.WriteIn(root, filepath.Base(path), data, 0)
}

// list prints what is packed, and what is not.
func (p *packed) list(out *printer) {
	out.section("files", len(p.Files), func(i int) string {
		f := p.Files[i]
		text := fmt.Sprintf("%s (%s)", f.Path, cli.Plural(int(f.Size), "byte"))
		if f.Executable {
			text += " executable"
		}
		return text
	})
	out.section("left out", len(p.LeftOut), func(i int) string { return leftOut(p.LeftOut[i]) })
}

func leftOut(l publish.LeftOut) string {
	if l.Detail != "" {
		return l.Path + ": " + string(l.Why) + " by " + l.Detail
	}
	return l.Path + ": " + string(l.Why)
}

func (p *packed) print(out *printer) {
	verb := "packed"
	if p.Path == "" {
		verb = "would pack"
	}
	out.Printf("%s %s: %s with %s", verb, oneLine(p.Name+" "+p.Version), cli.Plural(len(p.Files), "file"), cli.Plural(int(p.Size), "byte"))
	if n := len(p.LeftOut); n > 0 {
		out.Printf("; %d left out", n)
	}
	out.Printf("\n")
	rows := [][]cell{{{"content", cli.Dim}, {p.Digest, cli.Plain}}}
	if p.Path != "" {
		rows = append(rows, []cell{{"archive", cli.Dim}, {near(p.Path), cli.Plain}},
			[]cell{{"bytes", cli.Dim}, {fmt.Sprint(p.Bytes), cli.Plain}},
			[]cell{{"sha256", cli.Dim}, {p.SHA256, cli.Plain}})
	}
	for _, l := range p.LeftOut {
		if l.Why == publish.Secret {
			rows = append(rows, []cell{{"left out", cli.Yellow}, {l.Path + ", which may hold credentials", cli.Plain}})
		}
	}
	out.table(rows)
}
