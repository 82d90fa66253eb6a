package requires

import (
	"bytes"
	"cmp"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/internal/pydist"
)

// maxRecord is the size in bytes up to which the files are read that tell of a
// distribution; the list of its files is the largest of them.
const maxRecord = 4 << 20

// A siteDir is a folder from which Python imports.
type siteDir struct {
	path   string
	names  []string         // sorted
	dists  []dist           // sorted by key, then by entry
	finder bool             // an editable install has put code there that finds modules
	owners map[string]*dist // by the top-level module that they bring; nil until owner is called
}

// A dist is a distribution that was installed into a folder.
type dist struct {
	key     string // its name, as [pydist.Normalize] returns it
	version string // empty if only its metadata tell
	entry   string // the file or folder that holds its metadata
}

// readSiteDir reads a folder, or takes an archive of the kind ".egg" for one. It
// returns nil if there is neither.
func readSiteDir(path string) *siteDir {
	names, err := readNames(path)
	egg, isEgg := newDist(filepath.Base(path), ".egg")
	if err != nil && !(isEgg && isFile(path)) {
		return nil
	}
	d := &siteDir{path: path, names: names}
	slices.Sort(d.names)
	if isEgg {
		egg.entry = "EGG-INFO"
		d.dists = append(d.dists, egg)
	}
	for _, name := range d.names {
		if v, ok := newDist(name, ".dist-info"); ok {
			d.dists = append(d.dists, v)
		} else if v, ok := newDist(name, ".egg-info"); ok {
			d.dists = append(d.dists, v)
		} else if strings.HasPrefix(name, "__editable__") && strings.HasSuffix(name, "_finder.py") {
			d.finder = true
		}
	}
	slices.SortStableFunc(d.dists, func(a, b dist) int { return cmp.Compare(a.key, b.key) })
	return d
}

// newDist reads a file name of the form NAME[-VERSION[-MORE]]SUFFIX.
func newDist(entry, suffix string) (dist, bool) {
	stem, ok := strings.CutSuffix(entry, suffix)
	if !ok {
		return dist{}, false
	}
	name, version, _ := strings.Cut(stem, "-")
	version, _, _ = strings.Cut(version, "-") // an egg goes on with the version of Python
	if !pydist.IsName(name) {
		return dist{}, false // such as what an interrupted removal leaves, "~ame"
	}
	return dist{key: pydist.Normalize(name), version: version, entry: entry}, true
}

// distribution returns where the metadata of a distribution are and its
// version, if the metadata tell. A folder that was left behind is not one.
func (d *siteDir) distribution(key string) (where, version string, ok bool) {
	i, _ := slices.BinarySearchFunc(d.dists, key, func(v dist, key string) int { return cmp.Compare(v.key, key) })
	for ; i < len(d.dists) && d.dists[i].key == key; i++ {
		if where, version, ok := d.confirm(&d.dists[i]); ok {
			return where, version, true
		}
	}
	return "", "", false
}

func (d *siteDir) confirm(v *dist) (where, version string, ok bool) {
	where = filepath.Join(d.path, v.entry)
	meta := filepath.Join(where, "METADATA")
	switch {
	case v.entry == "EGG-INFO" && isFile(d.path):
		return d.path, v.version, true // an archive
	case !strings.HasSuffix(v.entry, ".dist-info"):
		if meta = where; !isFile(meta) {
			meta = filepath.Join(where, "PKG-INFO")
		}
	}
	if !isFile(meta) {
		return "", "", false
	}
	version = v.version
	if version == "" {
		for line := range bytes.Lines(readFile(meta)) {
			line = bytes.TrimSpace(line)
			if len(line) == 0 {
				break // the end of the header
			}
			if name, value, _ := bytes.Cut(line, []byte(":")); bytes.EqualFold(name, []byte("Version")) {
				version = string(bytes.TrimSpace(value))
				break
			}
		}
	}
	return where, version, true
}

// owner returns the distribution that brings a top-level module. It reads the
// metadata of all of them once.
func (d *siteDir) owner(module string) (where, version string, ok bool) {
	if d.owners == nil {
		d.owners = make(map[string]*dist)
		for i := range d.dists {
			v := &d.dists[i]
			where, _, ok := d.confirm(v)
			if !ok {
				continue
			}
			for _, name := range brought(where) {
				if _, taken := d.owners[name]; !taken {
					d.owners[name] = v
				}
			}
		}
	}
	if v := d.owners[module]; v != nil {
		return d.confirm(v)
	}
	return "", "", false
}

// brought returns the top-level modules that the metadata in a folder list.
func brought(info string) (modules []string) {
	if top := readFile(filepath.Join(info, "top_level.txt")); top != nil {
		return strings.Fields(string(top))
	}
	for line := range bytes.Lines(readFile(filepath.Join(info, "RECORD"))) {
		first, _, _ := strings.Cut(string(line), ",")
		first, rest, folder := strings.Cut(first, "/")
		name, _, _ := strings.Cut(first, ".")
		if folder && rest != "" {
			name = first
		} else if folder || !isModuleFile(first, name) {
			continue
		}
		if len(modules) == 0 || modules[len(modules)-1] != name {
			modules = append(modules, name)
		}
	}
	return modules
}

// module returns the file or folder that holds a module, or "". The name may
// have dots.
func (d *siteDir) module(name string) string {
	top, rest, nested := strings.Cut(name, ".")
	if _, ok := slices.BinarySearch(d.names, top); ok {
		// What is left of a package that was removed is no module.
		sub := readSiteDir(filepath.Join(d.path, top))
		switch {
		case sub == nil:
		case nested:
			if where := sub.module(rest); where != "" {
				return where
			}
		case slices.ContainsFunc(sub.names, func(s string) bool { return s != "__pycache__" }):
			return sub.path
		}
	}
	if nested {
		return ""
	}
	i, _ := slices.BinarySearch(d.names, top+".")
	for _, name := range d.names[i:] {
		if !strings.HasPrefix(name, top+".") {
			break
		}
		if file := filepath.Join(d.path, name); isModuleFile(name, top) && isFile(file) {
			return file
		}
	}
	return ""
}

// isModuleFile reports whether a file name is that of a module: NAME.py, or
// NAME.so with or without the name of a binary interface between.
func isModuleFile(file, module string) bool {
	rest, ok := strings.CutPrefix(file, module+".")
	if !ok {
		return false
	}
	switch path.Ext("." + rest) {
	case ".so", ".pyd":
		return true
	}
	return rest == "py" || rest == "pyc"
}

// isModule reports whether a name may stand in an import statement.
func isModule(name string) bool {
	for part := range strings.SplitSeq(name, ".") {
		if part == "" || strings.Contains(part, "-") || '0' <= part[0] && part[0] <= '9' {
			return false
		}
	}
	return true
}

// pathFiles returns the folders that the files of the form *.pth add, which is
// how editable installs and eggs come into the path. Lines of code in them are
// not understood.
func (d *siteDir) pathFiles() (dirs []string) {
	for _, name := range d.names {
		if !strings.HasSuffix(name, ".pth") || name[0] == '.' {
			continue
		}
		for line := range bytes.Lines(readFile(filepath.Join(d.path, name))) {
			text := strings.TrimRight(string(bytes.TrimPrefix(line, []byte("\ufeff"))), " \t\r\n")
			if text == "" || text[0] == '#' || strings.HasPrefix(text, "import ") || strings.HasPrefix(text, "import\t") {
				continue
			}
			if !filepath.IsAbs(text) {
				text = filepath.Join(d.path, text)
			}
			dirs = append(dirs, filepath.Clean(text))
		}
	}
	return dirs
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// readFile returns up to maxRecord bytes of a regular file, or nil.
func readFile(path string) []byte {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil // opening a pipe would wait for somebody to write
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	data := make([]byte, min(info.Size(), maxRecord))
	n, err := io.ReadFull(f, data)
	if err != nil && n == 0 && len(data) > 0 {
		return nil
	}
	return data[:n]
}
