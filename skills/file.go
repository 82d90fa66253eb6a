package skills

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// A File is a supporting file of a skill.
type File struct {
	Path string // slash-separated, relative to the skill's folder
	Size int64  // in bytes
}

// MaxListed is how many files [Skill.Files] returns at most.
const MaxListed = 1000

// MaxFileText is the size in bytes of the largest supporting file that
// [Skill.ReadFile] returns.
const MaxFileText = 256 << 10

// The causes of a [FileError] that are not those of the file system.
var (
	// ErrNotText is the cause for a file with a NUL or invalid UTF-8: run a
	// program on its path instead.
	ErrNotText = errors.New("skills: file is not text")
	// ErrTooLarge is the cause for a file of more than [MaxFileText] bytes.
	ErrTooLarge = errors.New("skills: file is larger than 256 KiB")
)

// A FileError reports a supporting file that cannot be read.
type FileError struct {
	Skill string
	Path  string // as asked for
	// Err is fs.ErrNotExist, fs.ErrInvalid (the path leaves the folder),
	// ErrNotText, ErrTooLarge, or another error of the file system.
	Err error
}

func (e *FileError) Error() string {
	cause := strings.TrimPrefix(e.Err.Error(), "skills: ")
	switch {
	case errors.Is(e.Err, fs.ErrNotExist):
		cause = "no such file: list the skill's files"
	case errors.Is(e.Err, fs.ErrInvalid):
		cause = "not a path within the skill's folder: use a relative one with forward slashes"
	}
	return fmt.Sprintf("skill %q: file %q: %s", e.Skill, e.Path, cause)
}

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// Files returns the supporting files that match pattern, a doublestar glob
// over slash-separated paths relative to the folder, in path order; an empty
// pattern matches all. The manifest file, dot-folders, links to folders and
// links out of the folder are left out. truncated reports that there are more
// than [MaxListed]. The error is a [*FileError], for a pattern that is not a
// glob or a folder that cannot be read; it holds [doublestar.ErrBadPattern] or
// an error of the file system.
func (s *Skill) Files(pattern string) (files []File, truncated bool, err error) {
	if pattern == "" {
		pattern = "**"
	}
	if !doublestar.ValidatePattern(pattern) {
		return nil, false, &FileError{s.Name, pattern, doublestar.ErrBadPattern}
	}
	err = fs.WalkDir(s.fsys, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && path == ".":
			return &FileError{s.Name, path, err}
		case err != nil:
			return nil // an unreadable folder costs only itself
		case d.IsDir():
			if path != "." && strings.HasPrefix(d.Name(), ".") {
				return fs.SkipDir
			}
			return nil
		case path == s.File || !doublestar.MatchUnvalidated(pattern, path):
			return nil
		}
		info, err := fs.Stat(s.fsys, path) // follows links, within the folder
		if err != nil || !info.Mode().IsRegular() {
			return nil
		}
		if len(files) == MaxListed {
			truncated = true
			return fs.SkipAll
		}
		files = append(files, File{path, info.Size()})
		return nil
	})
	if err != nil {
		return nil, false, err
	}
	return files, truncated, nil
}

// ReadFile returns the text of the supporting file at a slash-separated path
// relative to the folder. It never reads outside the folder, by "..", an
// absolute path, a drive letter, a backslash or a link. The error is a
// [*FileError].
func (s *Skill) ReadFile(path string) (string, error) {
	data, err := s.readText(path)
	if err != nil {
		return "", &FileError{s.Name, path, err}
	}
	return string(data), nil
}

func (s *Skill) readText(path string) ([]byte, error) {
	// A backslash or a drive letter means a path of Windows on any system:
	// what is refused must not depend on where it is asked for.
	if !fs.ValidPath(path) || strings.ContainsAny(path, "\\\x00") || hasDrive(path) {
		return nil, fs.ErrInvalid
	}
	data, info, err := readRegular(s.fsys, path, MaxFileText+1)
	switch {
	case err != nil:
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			err = e.Err
		}
		return nil, err
	case len(data) > MaxFileText || info.Size() > MaxFileText:
		return nil, ErrTooLarge
	case !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0:
		return nil, ErrNotText
	}
	return data, nil
}

func hasDrive(path string) bool {
	return len(path) >= 2 && path[1] == ':' && ('a' <= path[0]|0x20 && path[0]|0x20 <= 'z')
}
