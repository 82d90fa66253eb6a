package requires

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A pyPath is what an interpreter has in sys.path, by its kinds.
type pyPath struct {
	first []string // folders in which files of the form *.pth have no effect
	site  []string // folders in which they have
	std   []string // its own library
}

// ruledPath returns the path of an interpreter by the rules that CPython 3 itself
// follows (Modules/getpath.py and Lib/site.py), with the changes of Debian. ok
// is false where they do not decide: for a script that starts an interpreter, a
// program that is not named like python3.11, another layout, and on Windows,
// where the registry has a say. What code adds that runs at the start of each
// interpreter, such as sitecustomize, is not seen.
func ruledPath(opts *Options, exe string) (p pyPath, ok bool) {
	env := func(name string) string { value, _ := opts.Lookup(name); return value }
	if opts.GOOS == "windows" || env("PYTHONHOME") != "" || env("PYTHONPLATLIBDIR") != "" || env("PYTHONEXECUTABLE") != "" || env("__PYVENV_LAUNCHER__") != "" {
		return p, false
	}
	program, err := filepath.EvalSymlinks(exe)
	if err != nil || isScript(program) {
		return p, false
	}
	version := filepath.Base(program) // such as "python3.11", the name of folders
	if !isVersioned(version) {
		return p, false
	}

	venv, inVenv := readVenv(exe)
	home := filepath.Dir(program)
	if inVenv {
		home = venv.home
	}
	prefix, lib, ok := findLibrary(home, version)
	if !ok {
		return p, false
	}
	std := filepath.Join(prefix, lib, version)
	code := readFile(filepath.Join(std, "site.py"))
	if bytes.Contains(code, []byte("RPM_BUILD_ROOT")) {
		return p, false // Fedora adds folders in /usr/local under conditions of its own
	}
	layout := siteLayout{version: version, lib: lib, debian: bytes.Contains(code, []byte("dist-packages")), venv: inVenv}

	for _, dir := range filepath.SplitList(env("PYTHONPATH")) {
		if filepath.IsAbs(dir) {
			p.first = append(p.first, filepath.Clean(dir))
		}
	}
	if inVenv {
		p.site = layout.dirs(venv.prefix)
	}
	if (!inVenv || venv.system) && env("PYTHONNOUSERSITE") == "" {
		dir, ok := userSite(opts, program, version)
		if !ok {
			return p, false
		}
		p.site = append(p.site, dir)
	}
	if !inVenv || venv.system {
		p.site = append(p.site, layout.dirs(prefix)...)
	}
	p.std = []string{std, filepath.Join(std, "lib-dynload")}
	return p, true
}

// isScript reports whether a program is a text that another program runs, or
// cannot be read.
func isScript(file string) bool {
	if !isFile(file) {
		return true
	}
	f, err := os.Open(file)
	if err != nil {
		return true
	}
	defer f.Close()
	var magic [2]byte
	_, err = f.Read(magic[:])
	return err != nil || string(magic[:]) == "#!"
}

// isVersioned reports whether the name of an interpreter is that of the folder
// of its library. A "t" marks a build without the global lock.
func isVersioned(name string) bool {
	return slices.ContainsFunc([]string{"python3.[0-9]", "python3.[0-9][0-9]", "python3.[0-9][0-9]t"}, func(pattern string) bool {
		ok, _ := filepath.Match(pattern, name)
		return ok
	})
}

// findLibrary searches the folder of an interpreter and those above it for its
// library, and returns the one in which it is and its name there.
func findLibrary(dir, version string) (prefix, lib string, ok bool) {
	for filepath.IsAbs(dir) {
		for _, lib := range [...]string{"lib", "lib64"} {
			if isFile(filepath.Join(dir, lib, version, "os.py")) {
				return dir, lib, true
			}
		}
		if up := filepath.Dir(dir); up != dir {
			dir = up
			continue
		}
		break
	}
	return "", "", false
}

// A siteLayout says where packages are below the prefix of an interpreter.
type siteLayout struct {
	version, lib string
	debian, venv bool
}

func (l siteLayout) dirs(prefix string) []string {
	var dirs []string
	if !l.debian || l.venv {
		dirs = append(dirs, filepath.Join(prefix, l.lib, l.version, "site-packages"))
		if l.lib != "lib" {
			dirs = append(dirs, filepath.Join(prefix, "lib", l.version, "site-packages"))
		}
	}
	if l.debian {
		dirs = append(dirs,
			filepath.Join(prefix, "local", "lib", l.version, "dist-packages"),
			filepath.Join(prefix, "lib", "python3", "dist-packages"),
			filepath.Join(prefix, "lib", l.version, "dist-packages"))
	}
	return dirs
}

// userSite returns the folder of the packages of the user. ok is false if it
// is not known.
func userSite(opts *Options, program, version string) (dir string, ok bool) {
	base, _ := opts.Lookup("PYTHONUSERBASE")
	home, _ := opts.Lookup("HOME")
	if base == "" && home == "" {
		return "", false // it would ask the system who it runs as
	}
	if opts.GOOS == "darwin" && strings.Contains(program, ".framework/") {
		if !strings.Contains(program, "/Python.framework/") {
			return "", false // that of Apple, which has other folders
		}
		if base == "" {
			base = filepath.Join(home, "Library", "Python", strings.TrimPrefix(version, "python"))
		}
		return filepath.Join(base, "lib", "python", "site-packages"), true
	}
	if base == "" {
		base = filepath.Join(home, ".local")
	}
	return filepath.Join(base, "lib", version, "site-packages"), true
}

// A venv is what the file pyvenv.cfg says of a virtual environment.
type venv struct {
	prefix string // its folder
	home   string // the folder of the interpreter that it was made with
	system bool   // it sees the packages of that interpreter
}

// readVenv returns the virtual environment that an interpreter belongs to: its
// file is beside the interpreter or one folder up.
func readVenv(exe string) (venv, bool) {
	bin := filepath.Dir(exe)
	v := venv{prefix: filepath.Dir(bin), system: true}
	for _, dir := range [...]string{bin, v.prefix} {
		text := readFile(filepath.Join(dir, "pyvenv.cfg"))
		if text == nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			key, value, _ := strings.Cut(line, "=")
			value = strings.TrimSpace(value)
			switch strings.ToLower(strings.TrimSpace(key)) {
			case "home":
				v.home = value
			case "include-system-site-packages":
				v.system = strings.EqualFold(value, "true")
			}
		}
		return v, true
	}
	return venv{}, false
}
