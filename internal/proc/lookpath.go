package proc

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// A Search finds programs by the rules of a system, which need not be that on
// which it runs.
type Search struct {
	Windows bool
	// Path is the value of PATH. Folders in it that are empty or not absolute
	// are left out: a program is never looked for where the process happens to
	// be.
	Path string
	// Ext is the value of PATHEXT: the suffixes that make a file a program on
	// Windows. Without any these are .com, .exe, .bat and .cmd.
	Ext string
	// IsProgram reports whether there is a file at an absolute path that may be
	// run. It is asked in the order in which files are preferred.
	IsProgram func(file string) bool
}

// A NotFoundError reports a program that is not there.
type NotFoundError struct {
	Name  string
	Tried []string // the files that were looked for; never nil if there is a PATH
}

func (e *NotFoundError) Error() string {
	const most = 12
	tried := strings.Join(e.Tried[:min(len(e.Tried), most)], ", ")
	switch n := len(e.Tried) - most; {
	case len(e.Tried) == 0:
		tried = "nothing, since PATH names no folder"
	case n > 0:
		tried += fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("program %q not found; tried %s", e.Name, tried)
}

// LookPath returns the absolute path of a program. A name with a separator is a
// path, relative to dir, which must be absolute then; another is looked for on
// PATH, never in dir. The error is a [*NotFoundError].
func (s *Search) LookPath(name, dir string) (string, error) {
	e := &NotFoundError{Name: name}
	// A colon parts a drive or a stream from a name on Windows.
	separators := "/"
	if s.Windows {
		separators = `/\:`
	}
	var folders []string
	switch {
	case name == "" || strings.ContainsRune(name, 0):
		return "", e
	case s.isAbs(name):
		folders = []string{""}
	case strings.ContainsAny(name, separators):
		if !s.isAbs(dir) || s.Windows && strings.Contains(name, ":") {
			return "", e
		}
		folders = []string{dir}
	case name == "." || name == "..":
		return "", e
	default:
		folders = s.folders()
	}
	for _, folder := range folders {
		for _, file := range s.files(s.join(folder, name)) {
			if s.IsProgram(file) {
				return file, nil
			}
			e.Tried = append(e.Tried, file)
		}
	}
	return "", e
}

// files returns the files that a path without a suffix may stand for.
func (s *Search) files(file string) []string {
	if !s.Windows {
		return []string{file}
	}
	exts := Exts(s.Ext)
	var list []string
	if slices.Contains(exts, strings.ToLower(path.Ext(strings.ReplaceAll(file, `\`, "/")))) {
		list = append(list, file)
	}
	for _, ext := range exts {
		list = append(list, file+ext)
	}
	return list
}

// Exts returns the suffixes in a PATHEXT, in lower case, or the usual ones.
func Exts(pathext string) []string {
	var exts []string
	for ext := range strings.SplitSeq(strings.ToLower(pathext), ";") {
		if ext = strings.TrimSpace(ext); len(ext) > 1 && ext[0] == '.' {
			exts = append(exts, ext)
		}
	}
	if exts == nil {
		exts = []string{".com", ".exe", ".bat", ".cmd"} // the default of os/exec
	}
	return exts
}

func (s *Search) folders() []string {
	separator := ":"
	if s.Windows {
		separator = ";"
	}
	var list []string
	for folder := range strings.SplitSeq(s.Path, separator) {
		if s.Windows {
			folder = strings.ReplaceAll(folder, `"`, "") // they may be quoted
		}
		if s.isAbs(folder) && !slices.Contains(list, folder) {
			list = append(list, folder)
		}
	}
	return list
}

// isAbs reports whether a path is absolute: with a drive or on a share, on
// Windows.
func (s *Search) isAbs(name string) bool {
	if !s.Windows {
		return strings.HasPrefix(name, "/")
	}
	name = strings.ReplaceAll(name, "/", `\`)
	drive := len(name) > 2 && name[1] == ':' && name[2] == '\\' && ('a' <= name[0]|0x20 && name[0]|0x20 <= 'z')
	return drive || len(name) > 2 && strings.HasPrefix(name, `\\`)
}

func (s *Search) join(folder, name string) string {
	if !s.Windows {
		return path.Join(folder, name)
	}
	name = strings.ReplaceAll(name, "/", `\`)
	if folder == "" {
		return name
	}
	name = strings.TrimPrefix(name, `.\`)
	return strings.TrimRight(strings.ReplaceAll(folder, "/", `\`), `\`) + `\` + name
}
