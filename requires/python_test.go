package requires_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/requires"
)

// A python is a fake interpreter in a prefix of its own. It is no program, so
// that starting it fails.
type python struct{ prefix, exe, std, site string }

func newPython(t testing.TB) python {
	t.Helper()
	needUnix(t)
	prefix, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	std := filepath.Join(prefix, "lib", "python3.11")
	p := python{prefix: prefix, exe: filepath.Join(prefix, "bin", "python3"), std: std, site: filepath.Join(std, "site-packages")}
	file(t, p.exe+".11", "\x7fELF")
	for _, path := range []string{p.exe, p.exe + ".11"} {
		if err := os.Symlink("python3.11", path); err != nil && !os.IsExist(err) {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(p.exe, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"os.py", "site.py", "json/__init__.py", "sqlite3/__init__.py", "lib-dynload/readline.cpython-311-x86_64-linux-gnu.so"} {
		file(t, filepath.Join(p.std, name), "")
	}
	mkdir(t, p.site)
	return p
}

// install puts a distribution into a folder: its metadata, and the modules.
func install(t testing.TB, site, name, version string, files ...string) string {
	t.Helper()
	info := filepath.Join(site, name+"-"+version+".dist-info")
	file(t, filepath.Join(info, "METADATA"), "Metadata-Version: 2.1\nName: "+name+"\nVersion: "+version+"\n")
	record := name + "-" + version + ".dist-info/METADATA,,\n"
	for _, f := range files {
		file(t, filepath.Join(site, f), "")
		record += f + ",sha256=x,0\n"
	}
	file(t, filepath.Join(info, "RECORD"), record)
	return info
}

func TestPythonPackages(t *testing.T) {
	py := newPython(t)
	in := func(elem ...string) string { return filepath.Join(append([]string{py.site}, elem...)...) }
	yaml := install(t, py.site, "PyYAML", "6.0.1", "yaml/__init__.py", "_yaml/__init__.py")
	cv2 := install(t, py.site, "opencv_python", "4.9.0.80", "cv2/cv2.abi3.so")
	pillow := install(t, py.site, "pillow", "10.3.0", "PIL/Image.py")
	soup := install(t, py.site, "beautifulsoup4", "4.12.3", "bs4/__init__.py")
	sklearn := install(t, py.site, "scikit_learn", "1.4.2", "sklearn/__init__.py")
	rich := install(t, py.site, "rich", "13.7.0", "rich/__init__.py")
	install(t, py.site, "pre", "2.0rc1")
	install(t, py.site, "local", "2.1.0+cu118", "localmod.py")
	odd := install(t, py.site, "odd", "1.0ubuntu1")
	six := install(t, py.site, "six", "1.16.0", "six.py")
	zope := install(t, py.site, "zope.interface", "6.0", "zope/interface/__init__.py")

	for _, name := range []string{"alone.py", "no-module.py", "native.cpython-311-x86_64-linux-gnu.so", "native.txt", "notes.md"} {
		file(t, in(name), "")
	}
	file(t, in("gone", "__pycache__", "x.pyc"), "")  // what a removal left
	mkdir(t, in("halfway-1.0.dist-info"))            // the same
	file(t, in("~ick-13.dist-info", "METADATA"), "") // an interrupted update
	file(t, in("folder.py", "x"), "")                // no module
	file(t, in("filelike.dist-info"), "")            // no distribution
	file(t, in("old_file-0.9-py3.11.egg-info"), "")  // of distutils
	file(t, in("dev_mode.egg-info", "PKG-INFO"), "Name: dev-mode\nversion:  3.1 \n\nVersion: 9\n")
	file(t, in("empty-1.egg-info", "x"), "")
	file(t, in("nameless.egg-info", "PKG-INFO"), "Name: nameless\n\nVersion: 9 is what this tells about.\n")

	// Editable installs: by a path, by code, and by develop.
	source := filepath.Join(t.TempDir(), "src")
	file(t, filepath.Join(source, "pathmod", "__init__.py"), "")
	install(t, py.site, "by_path", "0.1")
	file(t, in("__editable__.by_path-0.1.pth"), source+"\n")
	byCode := install(t, py.site, "by_code", "0.2")
	file(t, filepath.Join(byCode, "top_level.txt"), "codemod\nother\n")
	file(t, in("__editable___by_code_0_2_finder.py"), "MAPPING = {}\n")
	file(t, in("__editable__.by_code-0.2.pth"), "import __editable___by_code_0_2_finder\n")
	develop := filepath.Join(t.TempDir(), "develop")
	file(t, filepath.Join(develop, "developed.egg-info", "PKG-INFO"), "Name: developed\nVersion: 5.dev0\n")
	file(t, in("developed.egg-link"), develop+"\n.")
	file(t, in("easy-install.pth"), develop+"\n./zipped-2.0-py3.11.egg\n./unzipped-2.1-py3.11.egg\n"+filepath.Join(py.prefix, "gone")+"\n")
	file(t, in("zipped-2.0-py3.11.egg"), "PK")
	file(t, in("unzipped-2.1-py3.11.egg", "EGG-INFO", "PKG-INFO"), "Version: 2.1\n")
	file(t, in("unzipped-2.1-py3.11.egg", "unzippedmod.py"), "")

	h := requires.NewHost(&requires.Options{Lookup: vars("HOME="+t.TempDir(), pathOf(filepath.Dir(py.exe)))})
	// The path files are read in the order of their names.
	searched := strings.Join([]string{py.site, source, develop, in("zipped-2.0-py3.11.egg"), in("unzipped-2.1-py3.11.egg")}, string(filepath.ListSeparator))

	found := func(where, version string) requires.Status {
		return requires.Status{State: requires.StateFound, Where: where, Version: version, Interpreter: py.exe}
	}
	other := func(where, version string) requires.Status {
		return requires.Status{State: requires.StateMissing, Where: where, Version: version, Interpreter: py.exe}
	}
	unclear := func(where string) requires.Status {
		return requires.Status{State: requires.StateUnchecked, Where: where}
	}
	missing := requires.Status{State: requires.StateMissing, Where: searched}
	refused := requires.Status{State: requires.StateRefused}
	oddly := requires.Status{State: requires.StateUnchecked, Where: `version "1.0ubuntu1" cannot be compared: ` + odd, Version: "1.0ubuntu1", Interpreter: py.exe}
	alone := requires.Status{State: requires.StateUnchecked, Where: "its version is not known: " + in("alone.py"), Interpreter: py.exe}

	tests := []struct {
		name, requirement string
		want              requires.Status
	}{
		{"B19 PyYAML", "PyYAML", found(yaml, "6.0.1")},
		{"B19 in another case", "pyyaml", found(yaml, "6.0.1")},
		{"B19 yaml is what it is imported as", "yaml", found(in("yaml"), "")},
		{"B19 opencv-python", "opencv-python", found(cv2, "4.9.0.80")},
		{"B19 cv2", "cv2", found(in("cv2"), "")},
		{"B19 Pillow", "Pillow", found(pillow, "10.3.0")},
		{"B19 PIL", "PIL", found(in("PIL"), "")},
		{"B19 beautifulsoup4", "beautifulsoup4", found(soup, "4.12.3")},
		{"B19 bs4", "bs4", found(in("bs4"), "")},
		{"B19 scikit-learn", "scikit-learn", found(sklearn, "1.4.2")},
		{"B19 other separators", "Scikit._Learn", found(sklearn, "1.4.2")},
		{"B19 sklearn", "sklearn", found(in("sklearn"), "")},
		{"B19 at least", "rich>=13", found(rich, "13.7.0")},
		{"B19 at least, and it is older", "rich>=14", other(rich, "13.7.0")},
		{"B19 an extra", "rich[jupyter]", found(rich, "13.7.0")},
		{"B19 an extra and versions", "Rich[a,b] >=13, <14", found(rich, "13.7.0")},
		{"B19 an import name with a version", "yaml>=6", found(yaml, "6.0.1")},
		{"B19 an import name with another version", "cv2<4", other(cv2, "4.9.0.80")},

		{"compatible", "rich~=13.1", found(rich, "13.7.0")},
		{"not", "rich!=13.7", other(rich, "13.7.0")},
		{"a series", "rich==13.*", found(rich, "13.7.0")},
		{"exactly", "rich===13.7.0", found(rich, "13.7.0")},
		{"a pre-release is what is there", "pre>=1", found(in("pre-2.0rc1.dist-info"), "2.0rc1")},
		{"a pre-release before the release", "pre>=2", other(in("pre-2.0rc1.dist-info"), "2.0rc1")},
		{"a local version", "local==2.1", found(in("local-2.1.0+cu118.dist-info"), "2.1.0+cu118")},
		{"the module of a file", "localmod<2", other(in("local-2.1.0+cu118.dist-info"), "2.1.0+cu118")},
		{"a version that cannot be compared", "odd>=0.1", oddly},
		{"a version that need not be compared", "odd", found(odd, "1.0ubuntu1")},
		{"a module whose version is not known", "alone>=1", alone},

		{"a module in a file", "six", found(six, "1.16.0")},
		{"a module without a distribution", "alone", found(in("alone.py"), "")},
		{"a native module", "native", found(in("native.cpython-311-x86_64-linux-gnu.so"), "")},
		{"a distribution with a dot", "zope-interface", found(zope, "6.0")},
		{"a module with a dot", "PIL.Image", found(in("PIL", "Image.py"), "")},
		{"a module with a dot that is not there", "PIL.Video", missing},
		{"a module with a dot and a version", "PIL.Image>=10", found(pillow, "10.3.0")},
		{"import names have a case", "pil", missing},
		{"a file that is no module", "notes", missing},
		{"a folder that is called like a file", "folder", missing},
		{"what a removal left of a package", "gone", missing},
		{"what a removal left of a distribution", "halfway", missing},
		{"an empty file", "filelike", missing},
		{"metadata without the file", "empty", missing},
		{"an egg-info file", "old-file>0.8", found(in("old_file-0.9-py3.11.egg-info"), "0.9")},
		{"metadata without a version", "nameless", found(in("nameless.egg-info"), "")},
		{"an egg-info folder without a version", "dev-mode==3.1", found(in("dev_mode.egg-info"), "3.1")},

		{"editable, the distribution", "by-path==0.1", found(in("by_path-0.1.dist-info"), "0.1")},
		{"editable, a module that a path leads to", "pathmod", found(filepath.Join(source, "pathmod"), "")},
		{"editable, a module that code leads to", "codemod", found(byCode, "0.2")},
		{"editable, its version", "codemod>=1", other(byCode, "0.2")},
		{"editable by develop", "developed>=5.dev0", found(filepath.Join(develop, "developed.egg-info"), "5.dev0")},
		{"an egg", "zipped", found(in("zipped-2.0-py3.11.egg"), "2.0")},
		{"an egg that is a folder", "unzipped", found(in("unzipped-2.1-py3.11.egg", "EGG-INFO"), "2.1")},
		{"a module in an egg", "unzippedmod", found(in("unzipped-2.1-py3.11.egg", "unzippedmod.py"), "")},

		{"of the library", "json", found(filepath.Join(py.std, "json"), "")},
		{"of the library, sqlite3", "sqlite3", found(filepath.Join(py.std, "sqlite3"), "")},
		{"of the library, native", "readline", found(filepath.Join(py.std, "lib-dynload", "readline.cpython-311-x86_64-linux-gnu.so"), "")},
		{"of the program", "sys", found(py.exe, "")},
		{"not of the program", "sys.path", missing},

		{"a marker, and it is there", "rich; python_version < '3'", found(rich, "13.7.0")},
		{"a marker, and it is not there", "nope; os_name == 'nt'", unclear(`not there, and it is not known whether it must be: "os_name == 'nt'"`)},
		{"a URL, and it is there", "rich @ https://example.com/rich.whl", found(rich, "13.7.0")},
		{"a URL, and it is not there", "nope @ https://example.com/nope.whl", missing},

		{"nowhere", "nope", missing},
		{"a name with a hyphen is no module", "no-module", missing},
		{"empty", "", refused},
		{"a path", "../yaml", refused},
		{"an option", "--index-url=http://x", refused},
		{"not ASCII", "naïve", refused},
		{"another tool's operator", "rich^13", refused},
		{"a NUL", "rich\x00", refused},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for range 2 { // the second answer comes from memory
				if diff := cmp.Diff(tt.want, h.Lookup(requires.KindPython, tt.requirement)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", tt.requirement, diff)
				}
			}
		})
	}
}

// What the distributions bring is read once: a skill may ask for thousands of
// versions of one module.
func TestPythonOwnersAreRemembered(t *testing.T) {
	py := newPython(t)
	info := install(t, py.site, "Pillow", "10.2.0", "PIL/__init__.py", "PIL/Image.py")
	h := requires.NewHost(&requires.Options{Lookup: vars("HOME=/nonexistent"), Python: []string{py.exe}})
	for requirement, want := range map[string]requires.State{
		"PIL>=10": requires.StateFound, "PIL>=11": requires.StateMissing, "PIL.Image>=10": requires.StateFound,
	} {
		if got := h.Lookup(requires.KindPython, requirement); got.State != want {
			t.Errorf("%s is %s, want %s", requirement, got.State, want)
		}
		if err := os.WriteFile(filepath.Join(info, "RECORD"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPythonVerdicts(t *testing.T) {
	py := newPython(t)
	info := install(t, py.site, "rich", "13.7.0")
	broken := filepath.Join(t.TempDir(), "python3")
	script(t, broken, "echo no such version >&2; exit 1")
	m := &metadata.Manifest{Requires: metadata.Requires{PythonPackages: reqs("rich>=14", "nope"), OptionalPythonPackages: reqs("seaborn")}}
	for _, tt := range []struct {
		name   string
		python string
		want   []string
	}{
		{"another version", py.exe, []string{
			`missing`,
			`python package "rich>=14" is not there; version 13.7.0 is, in ` + info,
			`python package "nope" is not there`,
			`python package "seaborn" is not there`,
		}},
		{"not known", broken, []string{
			`unknown`,
			`python package "rich>=14" was not checked: ` + broken + `: exit status 1: no such version`,
			`python package "nope" was not checked: ` + broken + `: exit status 1: no such version`,
			`python package "seaborn" was not checked: ` + broken + `: exit status 1: no such version`,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := requires.Check(m, requires.NewHost(&requires.Options{Lookup: vars("HOME=/nonexistent"), Python: []string{tt.python}}))
			got := []string{string(r.Readiness)}
			for _, it := range r.Items {
				got = append(got, it.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestUvProvides(t *testing.T) {
	py := newPython(t)
	install(t, py.site, "rich", "13.7.0")
	bin := t.TempDir()
	uv := program(t, bin, "uv")
	m := &metadata.Manifest{Requires: metadata.Requires{PythonPackages: reqs("rich", "rich>=14", "nope; os_name == 'nt'", "-x"), OptionalPythonPackages: reqs("seaborn")}}
	broken := filepath.Join(t.TempDir(), "python3")
	script(t, broken, "exit 1")

	for _, tt := range []struct {
		name string
		opts requires.Options
		want string
	}{
		{"with an interpreter", requires.Options{Lookup: vars("HOME=/nonexistent", pathOf(bin)), Python: []string{py.exe}}, "found provided provided refused provided"},
		{"without one", requires.Options{Lookup: vars(pathOf(bin))}, "provided provided provided refused provided"},
		{"with a broken one", requires.Options{Lookup: vars(pathOf(bin)), Python: []string{broken}}, "provided provided provided refused provided"},
		{"B10 off PATH it does not count", requires.Options{Lookup: vars("HOME=/nonexistent"), Extra: []string{bin}, Python: []string{py.exe}}, "found missing unchecked refused missing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := requires.Check(m, requires.NewHost(&tt.opts))
			var states []string
			for _, it := range r.Items {
				states = append(states, string(it.State))
				if it.State == requires.StateProvided && (it.Where != uv || !strings.HasSuffix(it.String(), " is provided by uv")) {
					t.Errorf("%v, where %s", it, it.Where)
				}
			}
			if got := strings.Join(states, " "); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
	t.Run("and makes a skill ready", func(t *testing.T) {
		m := &metadata.Manifest{Requires: metadata.Requires{PythonPackages: reqs("rich", "nope")}}
		r := requires.Check(m, requires.NewHost(&requires.Options{Lookup: vars(pathOf(bin))}))
		if r.Readiness != requires.Ready || r.Missing() != nil || r.Unchecked() != nil || r.Lacks() != nil {
			t.Errorf("got %+v", r)
		}
	})
}
