package loader

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/skills"
)

// A place is a root that can be walked.
type place struct {
	*Loader
	Root
	shown string // in paths that are shown: absolute, or the Name of an FS
	tree  tree
	// real is the path of Dir without links. allowed are the folders, without
	// links, that links may lead into; nil means any.
	real    string
	allowed []string
}

// A fault is an error that is told as a problem.
type fault struct {
	code     string
	severity metadata.Severity
	path     string
	message  string
}

func (f *fault) Error() string { return f.path + ": " + f.message }

func (s *scan) problem(code string, severity metadata.Severity, path, message string) {
	s.after.problems = append(s.after.problems, metadata.Problem{Code: code, Severity: severity, File: path, Message: message})
}

// open finds the place of r. The error is a [*fault].
func (s *scan) open(r Root) (*place, error) {
	if r.FS != nil {
		return &place{Loader: s.Loader, Root: r, shown: cmp.Or(r.Name, "fs"), tree: fsTree{fsys: r.FS}}, nil
	}
	p := &place{Loader: s.Loader, Root: r}
	var err error
	if p.shown, err = s.absolute(r.Dir); err != nil {
		return nil, &fault{codeRootInvalid, metadata.Error, r.Dir, err.Error()}
	}
	if err := s.openDir(p); err != nil {
		s.after.absent = append(s.after.absent, p.shown)
		if f, ok := errors.AsType[*fault](err); ok {
			return nil, f
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil, &fault{codeRootMissing, metadata.Info, p.shown, "does not exist: no skills were looked for there"}
		}
		return nil, &fault{codeRootRead, metadata.Error, p.shown, "cannot be read: " + cause(err).Error()}
	}
	return p, nil
}

// openDir sets what p has for a folder of the operating system.
func (s *scan) openDir(p *place) (err error) {
	if p.real, err = filepath.EvalSymlinks(p.shown); err != nil {
		return err
	}
	info, err := os.Stat(p.real)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return &fault{codeRootNotFolder, metadata.Error, p.shown, "is not a folder: name a folder that holds skills"}
	}
	if p.Source == skills.Workspace {
		if err := s.confine(p); err != nil {
			return err
		}
	}
	p.tree, err = s.openTree(p.real)
	return err
}

// confine sets what links of the workspace root p may lead into.
func (s *scan) confine(p *place) error {
	// The root itself may be a link within the workspace.
	limit := filepath.Dir(p.shown)
	if s.opts.Workspace != "" {
		if dir, err := s.absolute(s.opts.Workspace); err == nil && within(dir, p.shown) {
			limit = dir
		}
	}
	limit, err := filepath.EvalSymlinks(limit)
	if err != nil {
		return err
	}
	p.allowed = []string{p.real}
	for _, dir := range s.opts.WorkspaceAllow {
		dir, err := s.absolute(dir)
		if err == nil {
			dir, err = filepath.EvalSymlinks(dir)
		}
		if err == nil { // what does not exist cannot be led into
			p.allowed = append(p.allowed, dir)
		}
	}
	if within(limit, p.real) {
		return nil
	}
	for _, dir := range p.allowed[1:] {
		if within(dir, p.real) {
			return nil
		}
	}
	return &fault{codeLinkRefused, metadata.Warning, p.shown,
		fmt.Sprintf("links to %s, outside the workspace, and was not followed: allow that folder, or copy the skills", p.real)}
}

// within reports whether path is dir or lies in it. Both are absolute.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

func (l *Loader) absolute(dir string) (string, error) { return Abs(dir, l.opts.Lookup) }

// Abs returns dir as an absolute path, with a leading "~" or "~/" replaced by
// the home folder, which it asks lookup for: HOME, or USERPROFILE on Windows.
// It looks at no file. The error says what to write instead.
func Abs(dir string, lookup func(name string) (value string, ok bool)) (string, error) {
	if rest, ok := strings.CutPrefix(dir, "~"); ok {
		if rest != "" && !os.IsPathSeparator(rest[0]) {
			return "", errors.New(`"~" before a user's name is not supported: write the folder in full`)
		}
		name := "HOME"
		if runtime.GOOS == "windows" {
			name = "USERPROFILE"
		}
		home, _ := lookup(name)
		if home == "" {
			return "", fmt.Errorf(`"~" has no meaning where $%s is not set: write the folder in full`, name)
		}
		dir = home + rest
	}
	if dir == "" {
		return "", errors.New("the name of the folder is empty")
	}
	return filepath.Abs(dir)
}

// cause strips the path from an error of the file system.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}
