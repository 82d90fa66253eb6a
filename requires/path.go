package requires

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/matrix-nexus/skillkit/internal/proc"
)

// A pathIndex finds programs on PATH, and outside it in the extra folders. It
// reads each folder once, those outside PATH only when one is needed.
type pathIndex struct {
	path     func() *dirIndex
	extra    func() *dirIndex
	searched func() string // the folders on PATH, as one text

	mu    sync.Mutex
	known map[string]Status // by name; guarded by mu
}

func newPathIndex(opts *Options) *pathIndex {
	exts := sync.OnceValue(func() []string { return pathExts(opts) })
	x := &pathIndex{known: make(map[string]Status)}
	x.path = sync.OnceValue(func() *dirIndex {
		path, _ := opts.Lookup("PATH")
		return newDirIndex(filepath.SplitList(path), exts())
	})
	x.extra = sync.OnceValue(func() *dirIndex { return newDirIndex(opts.Extra, exts()) })
	x.searched = sync.OnceValue(func() string {
		return strings.Join(x.path().dirs, string(filepath.ListSeparator))
	})
	return x
}

// pathExts returns the suffixes that make a file a program on Windows, in
// lower case, and nil elsewhere.
func pathExts(opts *Options) []string {
	if opts.GOOS != "windows" {
		return nil
	}
	list, _ := opts.Lookup("PATHEXT")
	return proc.Exts(list)
}

func (x *pathIndex) lookup(name string) Status {
	x.mu.Lock()
	defer x.mu.Unlock()
	s, ok := x.known[name]
	if !ok {
		s = x.search(name)
		x.known[name] = s
	}
	return s
}

func (x *pathIndex) search(name string) Status {
	// A path would be looked for where the process happens to be. The colon
	// parts a drive or a stream from a name on Windows.
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\\:\x00") {
		return Status{State: StateRefused}
	}
	if file, ok := x.path().find(name); ok {
		return Status{State: StateFound, Where: file}
	}
	if file, ok := x.extra().find(name); ok {
		return Status{State: StateOffPath, Where: file}
	}
	return Status{State: StateMissing, Where: x.searched()}
}

// A dirIndex holds the names in a list of folders.
type dirIndex struct {
	dirs []string
	exts []string // see pathExts
	// first maps a name, in lower case if there are exts, to the index of the
	// first folder that has it.
	first map[string]int
	// opaque is the index of the first folder that may be searched but not
	// read, or len(dirs).
	opaque int
}

// newDirIndex reads folders. Empty and relative ones, which mean something
// else in each process, are left out, as are those that are not there.
func newDirIndex(folders, exts []string) *dirIndex {
	x := &dirIndex{exts: exts, first: make(map[string]int), opaque: -1}
	for _, dir := range folders {
		if !filepath.IsAbs(dir) || slices.Contains(x.dirs, dir) {
			continue
		}
		i := len(x.dirs)
		x.dirs = append(x.dirs, dir)
		names, err := readNames(dir)
		if errors.Is(err, fs.ErrPermission) && x.opaque < 0 {
			x.opaque = i
		}
		for _, name := range names {
			if len(exts) > 0 {
				name = strings.ToLower(name)
			}
			if _, ok := x.first[name]; !ok {
				x.first[name] = i
			}
		}
	}
	if x.opaque < 0 {
		x.opaque = len(x.dirs)
	}
	return x
}

func readNames(dir string) ([]string, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fs.ErrInvalid // opening a pipe would wait for somebody to write
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

// find returns the absolute path of the program that a shell would run.
func (x *dirIndex) find(name string) (file string, ok bool) {
	files := []string{name}
	if len(x.exts) > 0 {
		name = strings.ToLower(name)
		files = files[:0]
		if slices.ContainsFunc(x.exts, func(ext string) bool { return strings.HasSuffix(name, ext) }) {
			files = append(files, name)
		}
		for _, ext := range x.exts {
			files = append(files, name+ext)
		}
	}
	start := x.opaque
	for _, f := range files {
		if i, ok := x.first[f]; ok {
			start = min(start, i)
		}
	}
	// The file in the first folder is nearly always the one. Where it is not
	// a program, those behind it are few enough to be asked directly.
	for _, dir := range x.dirs[start:] {
		for _, f := range files {
			if file := filepath.Join(dir, f); executable(file) {
				return file, true
			}
		}
	}
	return "", false
}

// executable reports whether the file at an absolute path can be run. Links
// are followed. The type that Go calls irregular is what Windows makes of an
// alias of an app, which can be run.
func executable(file string) bool {
	info, err := os.Stat(file)
	if err != nil || info.Mode().Type()&^fs.ModeIrregular != 0 {
		return false
	}
	_, err = exec.LookPath(file)
	return err == nil
}
