package skills

import (
	"io/fs"

	"github.com/matrix-nexus/skillkit/metadata"
)

// FileName is the name of the file that makes a folder a skill.
const FileName = "SKILL.md"

// An Origin says what kind of root a skill comes from.
type Origin string

const (
	Bundled   Origin = "bundled"   // the embedded set, or <runtime>/skills
	Env       Origin = "env"       // $MATRIX_SKILLS_DIR
	Extra     Origin = "extra"     // a root given by the caller
	Workspace Origin = "workspace" // <workspace>/skills
)

// A Header is what an index holds of a skill.
type Header struct {
	Name        string // the declared name, else that of the folder
	Description string
	// Dir is the skill's folder: a path of the operating system when OnDisk,
	// else a slash-separated path for display, such as "bundled:jq".
	Dir    string
	OnDisk bool
	// File is the base name of the manifest file within Dir: [FileName], or a
	// case variant of it.
	File   string
	Root   string // the root it was found under, as Dir
	Origin Origin
	// MayHaveKey is false when the header is known to declare no skill_key.
	MayHaveKey bool
}

// A Skill is a folder with a SKILL.md. Its Header is fixed; the rest is read
// on demand, at most once while the file is unchanged. A Skill is safe for
// concurrent use. Callers must not change its fields.
type Skill struct {
	Header

	fsys fs.FS
	opts *metadata.Options
	// lazily read state, guarded
}

// New returns the skill with the given header whose folder is fsys. fsys must
// not give access to anything outside the folder. opts may be nil.
func New(h Header, fsys fs.FS, opts *metadata.Options) *Skill {
	return &Skill{Header: h, fsys: fsys, opts: opts}
}

// Path returns the path of the manifest file, for messages.
func (s *Skill) Path() string { panic("not implemented") }

// Manifest returns what the frontmatter declares. The result is shared:
// callers must not change it. The file is read when it is first asked for and
// again when its size or time changed; if it then has no readable manifest,
// the last good one is returned and [Skill.Problems] says so. An error means
// that there is none; it is a [*metadata.SyntaxError] or a [*fs.PathError].
func (s *Skill) Manifest() (*metadata.Manifest, error) { panic("not implemented") }

// Problems reads the whole file and returns the faults in it, sorted.
func (s *Skill) Problems() []metadata.Problem { panic("not implemented") }

// Body returns the text after the frontmatter, byte for byte. It is kept in
// memory once asked for, while the file is unchanged.
func (s *Skill) Body() (string, error) { panic("not implemented") }

// A File is a supporting file of a skill.
type File struct {
	Path string // slash-separated, relative to the skill's folder
	Size int64  // in bytes
}

// MaxListed is how many files [Skill.Files] returns at most.
const MaxListed = 1000

// Files returns the supporting files that match pattern, a doublestar glob
// over slash-separated paths relative to the folder; an empty pattern matches
// all. The manifest file, dot-folders and links out of the folder are left
// out. truncated reports that there are more than [MaxListed].
func (s *Skill) Files(pattern string) (files []File, truncated bool, err error) {
	panic("not implemented")
}

// MaxFileText is the size in bytes of the largest supporting file that
// [Skill.ReadFile] returns.
const MaxFileText = 256 << 10

// ReadFile returns the text of the supporting file at a slash-separated path
// relative to the folder. It never reads outside the folder, by "..", an
// absolute path, a drive letter, a backslash or a link. The error is a
// [*FileError].
func (s *Skill) ReadFile(path string) (string, error) { panic("not implemented") }

// FS returns the skill's folder, confined to it.
func (s *Skill) FS() fs.FS { return s.fsys }

// A FileError reports a supporting file that cannot be read.
type FileError struct {
	Skill string
	Path  string // as asked for
	// Err is fs.ErrNotExist, fs.ErrInvalid (the path leaves the folder),
	// ErrNotText, ErrTooLarge, or another error of the file system.
	Err error
}

func (e *FileError) Error() string { panic("not implemented") }
func (e *FileError) Unwrap() error { return e.Err }
