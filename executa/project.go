package executa

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/matrix-nexus/skillkit/executa/manifest"
)

// python makes a Python write at once and in UTF-8, unless the spec says
// otherwise.
func (l *launch) python() {
	for _, v := range [][2]string{{"PYTHONUNBUFFERED", "1"}, {"PYTHONIOENCODING", "utf-8"}} {
		if l.env.index(v[0]) < 0 {
			l.env.set(v[0], v[1])
		}
	}
}

// callEntry is a program that calls an entry point "module:function" with the
// arguments behind it, as the script does that an installer would make of it.
const callEntry = `import sys, importlib, operator
sys.argv.pop(0)
module, _, name = sys.argv[0].partition(":")
sys.exit(operator.attrgetter(name)(importlib.import_module(module))())`

// pythonProject decides how a project is run: by uv if that is there, else with
// the interpreter of the project's environment or PATH.
func (l *launch) pythonProject() error {
	l.python()
	scripts, err := l.scripts()
	if err != nil {
		return err
	}
	script := choose(scripts, l.names())
	if uv, err := l.lookPath("uv"); err == nil && (l.has("pyproject.toml") || l.pythonFile() == "") {
		// A project whose scripts are not known is for uv to look at.
		if name := script; name != "" || len(scripts) == 0 && len(l.names()) > 0 {
			if name == "" {
				name = l.names()[0]
			}
			l.argv = []string{uv, "run", "--project", l.dir, name}
			return nil
		}
	}
	file := l.pythonFile()
	if script == "" && file == "" {
		return fmt.Errorf("%s: nothing says which Python to run: pyproject.toml has the scripts %q, and there is no main.py, plugin.py or %s.py", l.dir, slices.Sorted(maps.Keys(scripts)), l.names()[0])
	}
	python, err := l.interpreter()
	if err != nil {
		return err
	}
	l.env.prepend("PYTHONPATH", l.dir, filepath.Join(l.dir, "src"))
	if script == "" {
		l.argv = []string{python, file}
		return nil
	}
	entry, _, _ := strings.Cut(scripts[script], "[") // extras
	entry = strings.TrimSpace(entry)
	if module, function, ok := strings.Cut(entry, ":"); !ok || module == "" || function == "" {
		return fmt.Errorf("%s: the script %q is %q, which is not of the form module:function", filepath.Join(l.dir, "pyproject.toml"), script, entry)
	}
	l.argv = []string{python, "-c", callEntry, entry}
	return nil
}

// scripts returns the entry points that pyproject.toml declares, by name.
func (l *launch) scripts() (map[string]string, error) {
	if !l.has("pyproject.toml") {
		return nil, nil
	}
	file := filepath.Join(l.dir, "pyproject.toml")
	data, err := readFile(file)
	if err != nil {
		return nil, err
	}
	var p struct {
		Project struct {
			Scripts map[string]string `toml:"scripts"`
		} `toml:"project"`
	}
	if err := toml.Unmarshal(data, &p); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return p.Project.Scripts, nil
}

// choose returns the key that is one of names, or the only one, or "".
func choose(m map[string]string, names []string) string {
	for _, name := range names {
		if _, ok := m[name]; ok {
			return name
		}
	}
	if len(m) == 1 {
		for name := range m {
			return name
		}
	}
	return ""
}

// pythonFile returns the path of the file that is evidently the plugin, or "".
func (l *launch) pythonFile() string {
	names := []string{"main.py", "plugin.py"}
	for _, name := range l.names() {
		names = append(names, name+".py", strings.ReplaceAll(name, "-", "_")+".py")
	}
	for _, name := range append(names, "__main__.py") {
		if l.has(name) {
			return filepath.Join(l.dir, name)
		}
	}
	files, _ := filepath.Glob(filepath.Join(globEscape(l.dir), "*.py"))
	if len(files) == 1 {
		return files[0]
	}
	return ""
}

// globEscape makes a path one that [filepath.Glob] takes as it is.
func globEscape(dir string) string {
	return strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`).Replace(dir)
}

// interpreter returns the Python of the project, or of PATH.
func (l *launch) interpreter() (string, error) {
	venv := filepath.Join(l.dir, ".venv", "bin", "python")
	names := []string{"python3", "python"}
	if l.goos == "windows" {
		venv = filepath.Join(l.dir, ".venv", "Scripts", "python.exe")
		names = []string{"python", "py"} // python3 may be a link to the shop
	}
	if isFile(venv) {
		return venv, nil
	}
	var first error
	for _, name := range names {
		python, err := l.lookPath(name)
		if err == nil {
			return python, nil
		}
		if first == nil {
			first = err
		}
	}
	return "", first
}

// nodePackage decides which file of a package node runs.
func (l *launch) nodePackage() error {
	var p struct {
		Name string          `json:"name"`
		Main string          `json:"main"`
		Bin  json.RawMessage `json:"bin"`
	}
	file := filepath.Join(l.dir, "package.json")
	if l.has("package.json") {
		data, err := readFile(file)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(data, &p); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	var one string
	var bins map[string]string
	if len(p.Bin) > 0 && json.Unmarshal(p.Bin, &one) != nil && json.Unmarshal(p.Bin, &bins) != nil {
		return fmt.Errorf(`%s: "bin" is neither a path nor an object of paths`, file)
	}
	if one == "" && len(bins) > 0 {
		names := append(l.names(), p.Name[strings.LastIndexByte(p.Name, '/')+1:])
		if one = bins[choose(bins, names)]; one == "" {
			return fmt.Errorf(`%s: "bin" has %q, none of which is named like the plugin`, file, slices.Sorted(maps.Keys(bins)))
		}
	}
	if one == "" {
		one = p.Main
	}
	if one == "" {
		for _, name := range []string{"index.js", "plugin.js", "main.js", "index.mjs", "plugin.mjs"} {
			if l.has(name) {
				one = name
				break
			}
		}
	}
	if one == "" || !manifest.IsLocal(one) || !l.has(one) {
		return fmt.Errorf(`%s: neither "bin" nor "main" names a file of the folder that node could run`, file)
	}
	l.argv = []string{"node", filepath.Join(l.dir, filepath.FromSlash(one))}
	return nil
}

// goModule decides on the program that was built, or go run.
func (l *launch) goModule() error {
	for _, name := range l.names() {
		if l.goos == "windows" {
			name += ".exe"
		}
		if file := filepath.Join(l.dir, "bin", name); isFile(file) {
			l.argv = []string{file}
			return nil
		}
	}
	l.argv = []string{"go", "run", "."}
	return nil
}
