package publish

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/skills"
)

// Limits on what is published.
const (
	// MaxFile is the size in bytes of the largest file; catalogues allow 10 MB.
	MaxFile = 10 << 20
	// MaxTotal is the size in bytes of all files together; catalogues allow
	// 50 MB.
	MaxTotal = 50 << 20
	// MaxFiles is the number of files.
	MaxFiles = 2000
)

// A Skill is a skill as it is published: its files with their content, and no
// more of the folder, archive or payload that it was read from. Do not change
// one that was read.
type Skill struct {
	// Path is where it was read from, as was given.
	Path string
	// Files are sorted by path, byte by byte. One of them is SKILL.md.
	Files []File
	// LeftOut is what was there and is not published, sorted by path.
	LeftOut []LeftOut
	// Listing is what a catalogue shows besides.
	Listing Listing
}

// A File is a regular file of a skill.
type File struct {
	Path string // slash-separated, relative to the skill's folder
	// Executable is the executable bit. SKILL.md has none.
	Executable bool
	Data       []byte
}

// mode returns the permissions that f is published with.
func (f *File) mode() int64 {
	if f.Executable {
		return 0o755
	}
	return 0o644
}

// A LeftOut is a file, or a folder with all that is in it, that is not
// published.
type LeftOut struct {
	Path string `json:"path"` // that of a folder ends in a slash
	Why  Why    `json:"why"`
	// Detail is, for [Ignored], the line of the .gitignore.
	Detail string `json:"detail,omitempty"`
}

// A FileError reports a file because of which a skill cannot be published.
type FileError struct {
	Path   string // of the file, as a reader would find it, or that of the skill
	Reason string // what is wrong and what to do, in lower case without a final period
	Err    error  // the cause, or nil
}

func (e *FileError) Error() string { return e.Path + ": " + e.Reason }

// Unwrap returns e.Err.
func (e *FileError) Unwrap() error { return e.Err }

// ErrNoSkill is wrapped by the [*FileError] for what holds no SKILL.md.
var ErrNoSkill = errors.New("publish: no SKILL.md")

// Size returns the size in bytes of all files together.
func (s *Skill) Size() int64 {
	var n int64
	for i := range s.Files {
		n += int64(len(s.Files[i].Data))
	}
	return n
}

// file returns the file of that path, or nil.
func (s *Skill) file(name string) *File {
	i, ok := slices.BinarySearchFunc(s.Files, name, func(f File, name string) int { return strings.Compare(f.Path, name) })
	if !ok {
		return nil
	}
	return &s.Files[i]
}

// A Header is what the SKILL.md of a skill that can be published says of it.
type Header struct {
	Name        string // names a folder on every system
	Description string // not blank
	Version     string // the text as written, or empty
	// Metadata is the vendor block, the one that [metadata.Document.Vendors]
	// gives, as a JSON object; empty where there is none.
	Metadata json.RawMessage
}

// Header returns the header of s. The error is a [*FileError] with the position
// of what keeps s from being published: SKILL.md cannot be read as a skill, or
// does not declare a name that names a folder, or a description.
func (s *Skill) Header() (*Header, error) {
	file := path.Join(s.Path, skills.FileName)
	f := s.file(skills.FileName)
	if f == nil {
		return nil, &FileError{Path: s.Path, Reason: "holds no SKILL.md", Err: ErrNoSkill}
	}
	doc, err := metadata.Parse(file, f.Data, nil)
	if err != nil {
		if e, ok := errors.AsType[*metadata.SyntaxError](err); ok {
			return nil, &FileError{Path: at(file, e.Pos), Reason: e.Msg, Err: err}
		}
		return nil, err
	}
	for _, p := range doc.Problems {
		if p.Severity == metadata.Error {
			return nil, &FileError{Path: at(file, p.Position), Reason: p.Message}
		}
	}
	m := &doc.Manifest
	name, ok := doc.Top("name")
	if !ok || name.Text() == "" {
		return nil, &FileError{Path: at(file, metadata.Position{Line: 1, Column: 1}), Reason: "no name is declared; add one, as in name: deploy"}
	}
	if reason := CheckName(m.Name); reason != "" {
		return nil, &FileError{Path: at(file, name.Pos), Reason: fmt.Sprintf("the name %s %s", short(m.Name), reason)}
	}
	if strings.TrimSpace(m.Description) == "" {
		return nil, &FileError{Path: at(file, metadata.Position{Line: 1, Column: 1}), Reason: "no description is declared; say what the skill does and when to use it"}
	}
	h := &Header{Name: m.Name, Description: m.Description, Version: m.Version}
	if h.Metadata, err = marshal(vendorBlock(doc)); err != nil {
		return nil, &FileError{Path: file, Reason: "metadata cannot be written as JSON", Err: err}
	}
	return h, nil
}

// vendorBlock returns the vendor block of the frontmatter.
func vendorBlock(doc *metadata.Document) map[string]any {
	block := map[string]any{}
	for field := range doc.Vendors() {
		block[field.Key] = field.Value()
	}
	return block
}

func at(file string, pos metadata.Position) string {
	if !pos.IsValid() {
		return file
	}
	return file + ":" + pos.String()
}

// short quotes text of a skill for a message.
func short(s string) string {
	const most = 60 // bytes
	if len(s) > most {
		return strconv.Quote(strings.ToValidUTF8(s[:most], "")) + "…"
	}
	return strconv.Quote(s)
}

// A builder collects the files of a skill.
type builder struct {
	ctx   context.Context
	skill *Skill
	names map[string]named // by the name where case and normalisation do not count
	size  int64
}

// A named is a file or a folder that is published.
type named struct {
	name string
	dir  bool
}

func newBuilder(ctx context.Context, shown string) *builder {
	return &builder{ctx: ctx, skill: &Skill{Path: shown}, names: map[string]named{}}
}

// fail returns a [*FileError] for the file name.
func (b *builder) fail(name, format string, args ...any) error {
	return &FileError{Path: path.Join(b.skill.Path, name), Reason: fmt.Sprintf(format, args...)}
}

// claim takes the name for a file that is to be added.
func (b *builder) claim(name string) error {
	if err := b.ctx.Err(); err != nil {
		return err
	}
	if reason := checkPath(name); reason != "" {
		return b.fail(strings.ToValidUTF8(name, "\ufffd"), "%s", reason)
	}
	for i := range len(name) + 1 {
		if i < len(name) && name[i] != '/' {
			continue
		}
		this := named{name[:i], i < len(name)}
		folded := fold(this.name)
		there, taken := b.names[folded]
		switch {
		case !taken:
			b.names[folded] = this
		case there.name != this.name:
			return b.fail(this.name, "the same name as %s where case or normalisation do not count; rename one of them", there.name)
		case !this.dir || !there.dir:
			return b.fail(this.name, "there twice")
		}
	}
	if len(b.skill.Files) == MaxFiles {
		return b.fail(name, "more than %d files; leave some out with a .gitignore", MaxFiles)
	}
	return nil
}

// add adds a file, whose name was claimed.
func (b *builder) add(name string, executable bool, data []byte) error {
	if len(data) > MaxFile {
		return b.fail(name, "more than %d MiB, the most that a file may have; leave it out with a .gitignore", MaxFile>>20)
	}
	if b.size += int64(len(data)); b.size > MaxTotal {
		return b.fail(name, "more than %d MiB with the files before it; leave some out with a .gitignore", MaxTotal>>20)
	}
	b.skill.Files = append(b.skill.Files, File{name, executable && name != skills.FileName, data})
	return nil
}

// leave notes what is left out.
func (b *builder) leave(name string, dir bool, why Why, detail string) {
	if dir {
		name += "/"
	}
	b.skill.LeftOut = append(b.skill.LeftOut, LeftOut{name, why, detail})
}

// done returns the skill.
func (b *builder) done() (*Skill, error) {
	s := b.skill
	slices.SortFunc(s.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(s.LeftOut, func(a, b LeftOut) int { return strings.Compare(a.Path, b.Path) })
	if s.file(skills.FileName) != nil {
		return s, nil
	}
	e := &FileError{Path: s.Path, Reason: "holds no SKILL.md", Err: ErrNoSkill}
	for _, l := range s.LeftOut {
		if l.Path == skills.FileName {
			e.Reason = "SKILL.md is left out by " + l.Detail
		}
	}
	for _, f := range s.Files {
		if strings.EqualFold(f.Path, skills.FileName) {
			e.Reason = fmt.Sprintf("holds no SKILL.md; rename %s", f.Path)
		}
	}
	return nil, e
}
