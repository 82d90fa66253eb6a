package skills

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/matrix-nexus/skillkit/metadata"
)

// FileName is the name of the file that makes a folder a skill.
const FileName = "SKILL.md"

// A Source says what kind of root a skill comes from.
type Source string

// The sources, in rising precedence.
const (
	Bundled   Source = "bundled"   // the embedded set, or <runtime>/skills
	Env       Source = "env"       // $MATRIX_SKILLS_DIR
	Extra     Source = "extra"     // a root given by the caller
	Workspace Source = "workspace" // <workspace>/skills
)

// A Header is what an index holds of a skill.
type Header struct {
	Name        string // the declared name, else that of the folder
	Description string
	// Dir is the skill's folder: an absolute path of the operating system
	// when OnDisk, else a slash-separated path for display, such as
	// "bundled/jq".
	Dir string
	// File is the base name of the manifest file within Dir: [FileName], or a
	// case variant of it.
	File   string
	Root   string // the root it was found under, as Dir
	Source Source
	OnDisk bool
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

	mu   sync.Mutex // protects what follows
	read *readings  // nil until something was read
}

// readings holds the last good values and the state of the file they were
// read from.
type readings struct {
	manifest   *metadata.Manifest
	manifestAt stamp
	body       string
	bodyAt     stamp
	hasBody    bool
}

// A stamp tells one state of a file from another.
type stamp struct {
	size    int64
	modTime time.Time
	// settled is false when the file was so young at the time that a later
	// write may have left size and time as they were.
	settled bool
}

// timestampTick is longer than the steps in which kernels count file times.
const timestampTick = 50 * time.Millisecond

// stampOf returns the stamp of a file that was described no earlier than now.
func stampOf(info fs.FileInfo, now time.Time) stamp {
	age := now.Sub(info.ModTime())
	return stamp{info.Size(), info.ModTime(), age < 0 || age > timestampTick}
}

// holds reports whether info describes the state that s was taken of.
func (s stamp) holds(info fs.FileInfo) bool {
	return s.settled && s.size == info.Size() && s.modTime.Equal(info.ModTime())
}

// New returns the skill with the given header whose folder is fsys. fsys must
// not give access to anything outside the folder, and must be safe for
// concurrent use. opts may be nil; it is not copied, since the skills of an
// index share it.
func New(h Header, fsys fs.FS, opts *metadata.Options) *Skill {
	return &Skill{Header: h, fsys: fsys, opts: opts}
}

// Path returns the path of the manifest file, for messages.
func (s *Skill) Path() string {
	if s.OnDisk {
		return filepath.Join(s.Dir, s.File)
	}
	return s.Dir + "/" + s.File
}

// FS returns the skill's folder, confined to it.
func (s *Skill) FS() fs.FS { return s.fsys }

// Manifest returns what the frontmatter declares. The result is shared:
// callers must not change it. The file is read when it is first asked for and
// again when its size or time changed; if it then has no readable manifest,
// the last good one is returned and [Skill.Problems] says so. An error means
// that there is none; it is a [*metadata.SyntaxError] or a [*fs.PathError].
func (s *Skill) Manifest() (*metadata.Manifest, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.read
	if r != nil && r.manifest != nil {
		info, err := fs.Stat(s.fsys, s.File)
		if err != nil || r.manifestAt.holds(info) {
			return r.manifest, nil
		}
	}
	data, at, err := s.readFile(metadata.MaxHeader)
	if err == nil {
		var doc *metadata.Document
		if doc, err = metadata.ParseHeader(s.Path(), data, s.opts); err == nil {
			s.keep(doc, at)
			return s.read.manifest, nil
		}
	}
	if r != nil && r.manifest != nil {
		return r.manifest, nil
	}
	return nil, err
}

// Body returns the text after the frontmatter, byte for byte. It is kept in
// memory once asked for, while the file is unchanged. If the file is then
// broken, the last good body is returned and [Skill.Problems] says so. The
// errors are those of [Skill.Manifest].
func (s *Skill) Body() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.read
	if r != nil && r.hasBody {
		info, err := fs.Stat(s.fsys, s.File)
		if err != nil || r.bodyAt.holds(info) {
			return r.body, nil
		}
	}
	doc, at, err := s.parse()
	if err != nil {
		if r != nil && r.hasBody {
			return r.body, nil
		}
		return "", err
	}
	s.keep(doc, at)
	s.read.body, s.read.bodyAt, s.read.hasBody = string(doc.Body), at, true
	return s.read.body, nil
}

// Problems reads the whole file and returns the faults in it, sorted. It
// leaves nothing of the body in memory.
func (s *Skill) Problems() []metadata.Problem {
	s.mu.Lock()
	defer s.mu.Unlock()
	doc, at, err := s.parse()
	if err == nil {
		s.keep(doc, at)
		return slices.Clone(doc.Problems)
	}
	problems := []metadata.Problem{s.problem(err)}
	if head, _, err := s.readFile(metadata.MaxHeader); err == nil {
		// A fault of the body leaves the header as it is.
		doc, err := metadata.ParseHeader(s.Path(), head, s.opts)
		if err == nil {
			problems = append(problems, doc.Problems...)
			slices.SortFunc(problems, metadata.Problem.Compare)
			return problems
		}
	}
	if s.read != nil {
		problems = append(problems, metadata.Problem{
			Code: codeLastGood, Severity: metadata.Warning, File: s.Path(),
			Message: "the last readable version of this skill is in use: mend the file",
		})
	}
	slices.SortFunc(problems, metadata.Problem.Compare)
	return problems
}

// problem returns err, an error of reading the manifest file, as a Problem.
func (s *Skill) problem(err error) metadata.Problem {
	if e, ok := errors.AsType[*metadata.SyntaxError](err); ok {
		return e.Problem()
	}
	p := metadata.Problem{Code: codeUnreadable, Severity: metadata.Error, File: s.Path(), Message: err.Error()}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		p.Message = "cannot be read: " + e.Err.Error()
	}
	return p
}

// keep records the manifest of doc. It must not hold on to doc.Body.
func (s *Skill) keep(doc *metadata.Document, at stamp) {
	if s.read == nil {
		s.read = new(readings)
	}
	m := doc.Manifest
	s.read.manifest, s.read.manifestAt = &m, at
}

// parse reads and parses the whole manifest file.
func (s *Skill) parse() (*metadata.Document, stamp, error) {
	// One byte over the limit, so that Parse sees that it is passed.
	data, at, err := s.readFile(metadata.MaxFile + 1)
	if err != nil {
		return nil, at, err
	}
	doc, err := metadata.Parse(s.Path(), data, s.opts)
	return doc, at, err
}

// readFile returns the first limit bytes of the manifest file.
func (s *Skill) readFile(limit int64) ([]byte, stamp, error) {
	now := time.Now()
	data, info, err := readRegular(s.fsys, s.File, limit)
	if err != nil {
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			err = e.Err
		}
		return nil, stamp{}, &fs.PathError{Op: "read", Path: s.Path(), Err: err}
	}
	return data, stampOf(info, now), nil
}

// readRegular returns at most limit bytes of a regular file, and what the
// file was like before they were read.
func readRegular(fsys fs.FS, name string, limit int64) ([]byte, fs.FileInfo, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, &fs.PathError{Op: "read", Path: name, Err: errNotRegular}
	}
	var buf bytes.Buffer
	buf.Grow(int(min(info.Size(), limit)) + bytes.MinRead)
	_, err = buf.ReadFrom(io.LimitReader(f, limit))
	return buf.Bytes(), info, err
}

var errNotRegular = errors.New("not a regular file")
