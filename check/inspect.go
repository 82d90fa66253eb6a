package check

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/matrix-nexus/skillkit/internal/unpack"
)

// An inspection looks at the files of a folder, rather than at their text.
type inspection struct {
	*Folder
	hitList
	names   map[string]bool   // of all files
	folded  map[string]string // names of files and folders as a file system that ignores case sees them
	told    map[string]bool   // files and folders whose names were reported
	keyed   map[string]bool   // files in which a key was found
	sources int               // number of files that are not passed over
}

// inspect returns what is at fault with the files of a folder. The hits are
// those of their texts.
func inspect(f *Folder, hits []hit) []hit {
	in := &inspection{Folder: f, names: map[string]bool{}, folded: map[string]string{}, told: map[string]bool{}, keyed: map[string]bool{}}
	for _, h := range hits {
		if h.rule == "secret" {
			in.keyed[h.file] = true
		}
	}
	for _, file := range f.Files {
		in.names[file.Name] = true
	}
	if f.FS != nil {
		if info, err := fs.Stat(f.FS, "node_modules"); err == nil && info.IsDir() {
			in.add("dependency-folder", "node_modules", "installed packages are in the folder; remove it, and list the packages in install")
		}
	}
	for _, file := range f.Files {
		in.file(file)
	}
	if in.sources > manyFiles {
		in.add("many-files", ".", "the folder holds %d files, more than %d; leave out what the skill does not use", in.sources, manyFiles)
	}
	return in.done()
}

func (in *inspection) add(rule, name, format string, args ...any) {
	in.hitList.add(hit{rule: rule, file: name, message: fmt.Sprintf(format, args...)})
}

// file looks at one file.
func (in *inspection) file(file File) {
	name, base := file.Name, path.Base(file.Name)
	if dir := dependencyFolder(in.names, name); dir != "" {
		if !in.told[dir] {
			in.told[dir] = true
			in.add("dependency-folder", dir, "installed packages are in the folder; remove it, and list the packages in install")
		}
		return
	}
	if in.leftover(name, base) {
		return
	}
	in.sources++
	in.name(name)
	switch {
	case file.Mode&fs.ModeSymlink != 0:
		in.link(name)
	case !file.Mode.IsRegular():
		in.add("special-file", name, "is neither a file nor a link, so it cannot be published; remove it")
	case name == in.Manifest:
	case isEnvFile(base):
		in.add("env-file", name, "a file of settings is in the folder of the skill, and it usually holds keys; move it out, and ship .env.example")
	case in.credentialFile(name, base):
	default:
		in.hidden(name)
		in.content(file)
	}
}

// dependencyFolder returns the folder of installed packages that name lies in,
// or "".
func dependencyFolder(names map[string]bool, name string) string {
	for i, c := range name {
		if c != '/' {
			continue
		}
		dir := name[:i]
		switch path.Base(dir) {
		case "node_modules", "bower_components", "site-packages":
			return dir
		}
		if names[dir+"/pyvenv.cfg"] {
			return dir
		}
	}
	return ""
}

// leftover reports what a program left behind, and reports whether it did.
func (in *inspection) leftover(name, base string) bool {
	lower := strings.ToLower(base)
	switch ext := path.Ext(lower); {
	case ext == ".pyc" || ext == ".pyo":
		if in.hasSource(name) {
			in.add("junk-file", name, "Python makes this file again; remove it")
		} else {
			in.add("bytecode-without-source", name, "holds compiled Python without its source, so nobody can read what it does; ship the .py file")
		}
	case lower == ".ds_store" || lower == "thumbs.db" || lower == "desktop.ini" || strings.HasPrefix(base, "._") || strings.HasPrefix(name, "__MACOSX/"):
		in.add("junk-file", name, "the system made this file; remove it")
	case strings.HasSuffix(base, "~") || ext == ".swp" || ext == ".swo" || ext == ".bak" || ext == ".orig" || ext == ".rej" || strings.HasPrefix(base, "#") && strings.HasSuffix(base, "#"):
		in.add("junk-file", name, "an editor made this copy; remove it")
	default:
		return false
	}
	return true
}

// hasSource reports whether the source of a compiled file of Python is there.
func (in *inspection) hasSource(name string) bool {
	dir, base := path.Split(name)
	module, _, _ := strings.Cut(base, ".") // run.cpython-312.pyc
	dir = strings.TrimSuffix(dir, "__pycache__/")
	return in.names[dir+module+".py"]
}

// isEnvFile reports whether a file holds the settings of one machine.
func isEnvFile(base string) bool {
	rest, ok := strings.CutPrefix(base, ".env")
	if !ok || rest != "" && rest != "rc" && rest[0] != '.' {
		return false
	}
	for _, s := range []string{"example", "sample", "template", "dist", "default", "schema", "test"} {
		if strings.Contains(rest, s) {
			return false
		}
	}
	return true
}

// notHidden are files with a dot that a reader expects.
const notHidden = " .gitignore .gitattributes .gitkeep .keep .editorconfig .skillcheck.yaml .npmignore .dockerignore .clawhubignore .skillignore" +
	" .prettierrc .eslintrc .eslintrc.json .python-version .node-version .nvmrc .tool-versions .ruff.toml .pre-commit-config.yaml .npmrc .pypirc .netrc .envrc "

// hidden reports a file or a folder with a dot, once.
func (in *inspection) hidden(name string) {
	for at := 0; at < len(name); {
		end := len(name)
		if i := strings.IndexByte(name[at:], '/'); i >= 0 {
			end = at + i
		}
		part := name[at:end]
		folder := end < len(name)
		switch {
		case part[0] != '.' || folder && part == ".github" || !folder && strings.HasPrefix(part, ".env."):
		case !folder && strings.Contains(notHidden, " "+part+" "):
		case in.told[name[:end]]:
			return
		default:
			in.told[name[:end]] = true
			in.add("hidden-file", name[:end], "a name with a dot hides it from most listings; rename or remove it")
			return
		}
		at = end + 1
	}
}

// The numbers that names are held to.
const (
	manyFiles = 100
	maxPath   = 200 // of characters; Windows allows 260 for the whole path
)

// name looks at the name of a file and of the folders that it is in.
func (in *inspection) name(name string) {
	if n := utf8.RuneCountInString(name); n > maxPath {
		in.add("file-name-unportable", name, "the path has %d characters, and Windows allows 260 with the folders above; shorten it to %d", n, maxPath)
	}
	for i := range len(name) + 1 {
		if i < len(name) && name[i] != '/' {
			continue
		}
		full := name[:i]
		if in.folded[unpack.Fold(full)] == full {
			continue // a folder that was looked at
		}
		if other, ok := in.folded[unpack.Fold(full)]; ok {
			if !in.told[full] && unpack.Fold(full) != "skill.md" {
				in.told[full] = true
				in.add("file-name-collision", full, "differs from %q by case or by the form of accents alone, so one overwrites the other on macOS and Windows; rename one", other)
			}
			continue
		}
		in.folded[unpack.Fold(full)] = full
		part := path.Base(full)
		if why := unportable(part); why != "" {
			in.add("file-name-unportable", full, "%q %s; rename it", clip(part), why)
		} else if strings.ContainsAny(part, " \t\u00a0") {
			in.add("file-name-blank", full, "the name holds a blank, so a command needs quotes around it; use - or _")
		}
	}
}

// unportable says why a system refuses the name or shows another one, or returns
// "".
func unportable(part string) string {
	stem, _, _ := strings.Cut(part, ".")
	switch stem = strings.ToLower(stem); {
	case !utf8.ValidString(part):
		return "is not UTF-8"
	case strings.ContainsFunc(part, func(r rune) bool { return r < ' ' || 0x7f <= r && r <= 0x9f }):
		return "holds a control character"
	case strings.ContainsFunc(part, func(r rune) bool { return isBidi(r) || isZeroWidth(r) || 0xe0000 <= r && r <= 0xe007f }):
		return "holds a character that nobody sees"
	case strings.ContainsAny(part, `\<>:"|?*`):
		return `holds one of \ < > : " | ? *, which Windows refuses`
	case strings.HasSuffix(part, ".") || strings.HasSuffix(part, " "):
		return "ends with a dot or a blank, which Windows drops"
	case stem == "con" || stem == "prn" || stem == "aux" || stem == "nul" ||
		len(stem) == 4 && (strings.HasPrefix(stem, "com") || strings.HasPrefix(stem, "lpt")) && '1' <= stem[3] && stem[3] <= '9':
		return "is the name of a device on Windows"
	case len(part) > 255:
		return "is longer than 255 bytes, which most file systems refuse"
	}
	return ""
}

// link looks at a symbolic link.
func (in *inspection) link(name string) {
	dest, err := fs.ReadLink(in.FS, name)
	if err != nil {
		in.add("symlink", name, "is a link, which not all archives and systems keep; put the file itself there")
		return
	}
	clean := path.Join(path.Dir(name), strings.ReplaceAll(dest, `\`, "/"))
	switch _, err := in.resolve(name); {
	case path.IsAbs(dest) || clean == ".." || strings.HasPrefix(clean, "../") || len(dest) > 1 && dest[1] == ':':
		in.add("symlink-outside", name, "links to %q, which is not in the folder: it would publish a file of this machine, or read one of the user's; put the file itself there", clip(dest))
	case err != nil:
		in.add("symlink-broken", name, "links to %q, which is not there; remove it or put the file itself there", clip(dest))
	default:
		in.add("symlink", name, "links to %q, and not all archives and systems keep links; put the file itself there", clip(dest))
	}
}
