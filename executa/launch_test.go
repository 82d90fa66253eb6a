package executa

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// writeTree writes files, given as name, text, name, text …; what is below a
// folder bin is executable. It returns the folder, without symbolic links.
func writeTree(t *testing.T, files ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(files); i += 2 {
		file := filepath.Join(dir, filepath.FromSlash(files[i]))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o666)
		if filepath.Base(filepath.Dir(file)) == "bin" {
			mode = 0o777
		}
		if err := os.WriteFile(file, []byte(files[i+1]), mode); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestResolve has the ways in which a folder says how it is started.
func TestResolve(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the programs are not named as there")
	}
	const pyproject = "[project]\nname = \"x\"\n[project.scripts]\nnotes = \"notes.cli:main\"\n"
	tests := []struct {
		name     string
		id       string
		command  []string
		programs string // on PATH
		files    []string
		want     string // argv, in which PATH and DIR are those folders
		wantErr  string
	}{
		{name: "python by uv", programs: "uv python3", files: []string{"executa.json", `{"tool_id":"tool-a","type":"python"}`, "pyproject.toml", pyproject},
			want: "PATH/uv run --project DIR notes"},
		{name: "python by uv, with a script named like it", programs: "uv", files: []string{"executa.json", `{"tool_id":"tool-a","type":"python"}`, "pyproject.toml", pyproject + "tool-a = \"a:b\"\n"},
			want: "PATH/uv run --project DIR tool-a"},
		{name: "python without uv", programs: "python3", files: []string{"executa.json", `{"tool_id":"tool-a","type":"python"}`, "pyproject.toml", pyproject},
			want: "PATH/python3 -c CALL notes.cli:main"},
		{name: "python in its environment", programs: "python3", files: []string{"executa.json", `{"type":"python"}`, "pyproject.toml", pyproject, ".venv/bin/python", ""},
			want: "DIR/.venv/bin/python -c CALL notes.cli:main"},
		{name: "python file", programs: "uv python3", files: []string{"executa.json", `{"tool_id":"my-tool","type":"python"}`, "my_tool.py", "", "test.py", ""},
			want: "PATH/python3 DIR/my_tool.py"},
		{name: "python file, the usual one", programs: "python3", files: []string{"executa.json", `{"tool_id":"my-tool","type":"python"}`, "my_tool.py", "", "main.py", ""},
			want: "PATH/python3 DIR/main.py"},
		{name: "python file, the only one", programs: "python", files: []string{"executa.json", `{"type":"python"}`, "x.py", ""},
			want: "PATH/python DIR/x.py"},
		{name: "python without anything", programs: "python3", files: []string{"executa.json", `{"tool_id":"t","type":"python"}`, "a.py", "", "b.py", ""},
			wantErr: "nothing says which Python to run"},
		{name: "python without a Python", files: []string{"main.py", ""}, wantErr: `program "python3" not found`},
		{name: "several scripts", programs: "uv python3", files: []string{"executa.json", `{"tool_id":"t"}`, "pyproject.toml", pyproject + "b = \"b:c\"\n"},
			wantErr: `scripts ["b" "notes"]`},
		{name: "a script that is none", programs: "python3", files: []string{"pyproject.toml", "[project.scripts]\na = \"module\"\n"},
			wantErr: "not of the form module:function"},
		{name: "pyproject that is not TOML", programs: "python3", files: []string{"pyproject.toml", "[project\n"}, wantErr: "pyproject.toml: toml: line 2"},
		{name: "no executa.json, an id", id: "tool-b", programs: "uv python3", files: []string{"README.md", ""},
			want: "PATH/uv run --project DIR tool-b"},
		{name: "no executa.json, an id and a project", id: "tool-b", programs: "uv python3", files: []string{"pyproject.toml", ""},
			want: "PATH/uv run --project DIR tool-b"},
		{name: "nothing", files: []string{"README.md", ""}, wantErr: "nothing says how to start it"},

		{name: "node, bin is text", programs: "node", files: []string{"executa.json", `{"type":"node"}`, "package.json", `{"bin":"./a.js","main":"b.js"}`, "a.js", ""},
			want: "PATH/node DIR/a.js"},
		{name: "node, bin by name", programs: "node", files: []string{"executa.json", `{"tool_id":"t"}`, "package.json", `{"bin":{"s":"a.js","t":"bin/b.js"}}`, "bin/b.js", ""},
			want: "PATH/node DIR/bin/b.js"},
		{name: "node, bin by the name of the package", programs: "node", files: []string{"package.json", `{"name":"@me/s","bin":{"s":"a.js","t":"b.js"}}`, "a.js", ""},
			want: "PATH/node DIR/a.js"},
		{name: "node, main", programs: "node", files: []string{"package.json", `{"main":"b.js"}`, "b.js", ""},
			want: "PATH/node DIR/b.js"},
		{name: "node, no main", programs: "node", files: []string{"package.json", `{}`, "index.js", ""},
			want: "PATH/node DIR/index.js"},
		{name: "node, outside", programs: "node", files: []string{"package.json", `{"main":"../b.js"}`}, wantErr: "names a file of the folder"},
		{name: "node, of several bins none", programs: "node", files: []string{"package.json", `{"bin":{"s":"a.js","t":"b.js"}}`}, wantErr: `"bin" has ["s" "t"]`},
		{name: "node, a bin that is none", programs: "node", files: []string{"package.json", `{"bin":7}`}, wantErr: `"bin" is neither`},
		{name: "node, not JSON", programs: "node", files: []string{"package.json", `{`}, wantErr: "package.json: unexpected end"},
		{name: "node is missing", files: []string{"package.json", `{"main":"b.js"}`, "b.js", ""}, wantErr: `program "node" not found; tried PATH/node`},

		{name: "go", programs: "go", files: []string{"executa.json", `{"tool_id":"t","type":"go"}`, "main.go", ""}, want: "PATH/go run ."},
		{name: "go, by go.mod", programs: "go", files: []string{"go.mod", ""}, want: "PATH/go run ."},
		{name: "go, built", programs: "go", files: []string{"executa.json", `{"tool_id":"t","type":"go"}`, "bin/t", ""}, want: "DIR/bin/t"},

		{name: "binary", files: []string{"executa.json", `{"tool_id":"t","type":"binary"}`, "bin/t", "", "bin/s", ""}, want: "DIR/bin/t"},
		{name: "binary, the only program", files: []string{"bin/s", ""}, want: "DIR/bin/s"},
		{name: "binary, declared", files: []string{"executa.json", `{"tool_id":"t","type":"binary"}`, "bin/t", "", "lib/bin/s", "", "manifest.json", `{"runtime":{"binary":{"entrypoint":"lib/bin/s"}}}`}, want: "DIR/lib/bin/s"},
		{name: "binary, declared for all systems", files: []string{"executa.json", `{"type":"binary","distribution":{"type":"binary","binary_urls":{"*":{"url":"https://a.b/c.tgz","entrypoint":"bin/s"}}}}`, "bin/t", "", "bin/s", ""}, want: "DIR/bin/s"},
		{name: "binary, named", files: []string{"executa.json", `{"type":"binary","distribution":{"type":"local","executable_name":"s"}}`, "bin/t", "", "bin/s", ""}, want: "DIR/bin/s"},
		{name: "binary, installed", files: []string{"current/bin/s", ""}, want: "DIR/current/bin/s"},
		{name: "binary, not there", files: []string{"executa.json", `{"type":"binary"}`, "bin/t", "", "manifest.json", `{"runtime":{"binary":{"entrypoint":"bin/s"}}}`}, wantErr: "no entrypoint"},
		{name: "binary, a manifest of another type", files: []string{"executa.json", `{"type":"binary"}`, "bin/t", "", "manifest.json", `[]`}, wantErr: "manifest.json"},

		{name: "command of the file", programs: "node", files: []string{"executa.json", `{"command":["node","x.js"]}`}, want: "PATH/node x.js"},
		{name: "command of the file, in the folder", files: []string{"executa.json", `{"command":["./bin/run","x"]}`, "bin/run", ""}, want: "DIR/bin/run x"},
		{name: "command of the caller", command: []string{"node"}, programs: "node", files: []string{"executa.json", `{"command":["other"]}`}, want: "PATH/node"},
		{name: "a program of the folder without its path", command: []string{"run"}, files: []string{"run", ""}, wantErr: `program "run" not found; tried PATH/run`},
		{name: "a file that is not executable", command: []string{"./run"}, files: []string{"run", ""}, wantErr: `tried DIR/run`},
		{name: "command without a program", command: []string{""}, wantErr: "empty"},
		{name: "command without anything", command: []string{}, wantErr: "empty"},

		{name: "disabled", files: []string{"executa.json", `{"enabled":false}`}, wantErr: `remove "enabled": false`},
		{name: "skill", files: []string{"executa.json", `{"executa_type":"skill"}`}, wantErr: "this is a skill"},
		{name: "unknown type", files: []string{"executa.json", `{"type":"ruby"}`}, wantErr: `type "ruby" is not known`},
		{name: "not JSON", files: []string{"executa.json", `{"type"`}, wantErr: "executa.json:1:8"},
		{name: "a command that cannot be read", command: []string{"node"}, programs: "node", files: []string{"executa.json", `{"command":"node x"}`}, wantErr: "executa.json:1:12"},
		{name: "a command of which a part cannot be read", files: []string{"executa.json", `{"command":["node",{}]}`}, programs: "node", wantErr: "executa.json:1:20"},
		{name: "a command with a number", programs: "node", files: []string{"executa.json", `{"command":["node",7,""]}`}, want: "PATH/node 7 "},
		{name: "enabled that cannot be read", files: []string{"executa.json", `{"enabled":"false","type":"go"}`}, programs: "go", wantErr: "enabled is text"},
		{name: "a type that cannot be read", files: []string{"executa.json", `{"type":{}}`, "go.mod", ""}, programs: "go", wantErr: "type is an object"},
		{name: "not strict JSON", files: []string{"executa.json", `{"type":"go",}`}, programs: "go", wantErr: "not strict JSON"},
		{name: "a folder that is a file", files: []string{"executa.json/x", ""}, wantErr: "not a regular file"},
		{name: "bad id", id: "../x", wantErr: "not a tool id"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := writeTree(t, tt.files...)
			var programs []string
			for p := range strings.FieldsSeq(tt.programs) {
				programs = append(programs, "bin/"+p, "")
			}
			path := filepath.Join(writeTree(t, programs...), "bin")
			names := strings.NewReplacer(path, "PATH", dir, "DIR", callEntry, "CALL")
			c, err := resolve(&Spec{ID: tt.id, Dir: dir, Command: tt.command}, &Options{Environ: []string{"PATH=" + path}})
			if err != nil {
				if got := names.Replace(err.Error()); tt.wantErr == "" || !strings.Contains(got, tt.wantErr) {
					t.Errorf("got the error %q, want %q", got, tt.wantErr)
				}
				return
			}
			got := names.Replace(strings.Join(c.argv, " "))
			if diff := cmp.Diff(tt.want, got); diff != "" || tt.wantErr != "" {
				t.Errorf("argv (-want +got):\n%s\nwant the error %q", diff, tt.wantErr)
			}
		})
	}
}

func TestResolveIdentity(t *testing.T) {
	dir := writeTree(t,
		"executa.json", `{"tool_id":"tool-a","name":"a","command":["./bin/run"]}`,
		"manifest.json", `{"name":"b","tools":[{"name":"t","description":"d"}]}`,
		"bin/run", "")
	for id, want := range map[string]string{"": "tool-a", "mine": "mine"} {
		c, err := resolve(&Spec{ID: id, Dir: dir}, &Options{})
		if err != nil {
			t.Fatal(err)
		}
		if c.id != want || c.known == nil || c.known.Name != "b" || c.dir != dir {
			t.Errorf("got id %q, manifest %v, folder %s", c.id, c.known, c.dir)
		}
	}
	archive := writeTree(t, "executa.json", `{"type":"binary"}`, "manifest.json", `{"name":"b","runtime":{"binary":{"entrypoint":"bin/run"}}}`, "bin/run", "")
	c, err := resolve(&Spec{Dir: archive}, &Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c.known != nil {
		t.Error("the manifest of an archive is taken for that of a plugin")
	}
}

// An upgrade must not change the files of a plugin that runs.
func TestResolveBundle(t *testing.T) {
	dir := writeTree(t, "v1/bin/t", "", "v1/bin/s", "", "v1/share/bin/tool", "", "v1/lib/x.so", "", "v1/data/x", "")
	if err := os.Symlink("v1", filepath.Join(dir, "current")); err != nil {
		t.Skip(err)
	}
	var log bytes.Buffer
	opts := &Options{Environ: []string{"PATH=/usr/bin", "LD_LIBRARY_PATH=/evil"}, Logger: slog.New(slog.NewTextHandler(&log, nil))}
	home := filepath.Join(dir, "v1")
	for _, from := range []string{dir, filepath.Join(dir, "current")} {
		c, err := resolve(&Spec{Dir: from, InheritEnv: true}, opts)
		if err != nil {
			t.Fatal(err)
		}
		if c.dir != home || c.argv[0] != filepath.Join(home, "bin", "s") {
			t.Errorf("got %q in %s", c.argv, c.dir)
		}
		loader := "LD_LIBRARY_PATH"
		if runtime.GOOS == "darwin" {
			loader = "DYLD_LIBRARY_PATH"
		}
		want := []string{
			"EXECUTA_HOME=" + home, "EXECUTA_DATA=" + filepath.Join(home, "data"),
			"PATH=" + filepath.Join(home, "share", "bin") + ":/usr/bin", loader + "=" + filepath.Join(home, "lib"),
		}
		if diff := cmp.Diff(want, c.env); diff != "" {
			t.Errorf("environment (-want +got):\n%s", diff)
		}
	}
	if got := log.String(); !strings.Contains(got, "several programs") || !strings.Contains(got, "bin/s") {
		t.Errorf("that it is a guess is not logged: %s", got)
	}
}

// The program that calls an entry point works as the script of an installer.
func TestCallEntry(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	dir := writeTree(t,
		"pyproject.toml", "[project.scripts]\nrun = \"pkg.cli:App.main [extra]\"\n",
		"src/pkg/__init__.py", "",
		"src/pkg/cli.py", "import sys\nclass App:\n    def main():\n        print(sys.argv, __name__)\n        return 5\n")
	c, err := resolve(&Spec{Dir: dir}, &Options{Environ: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(c.argv[0], c.argv[1:]...)
	cmd.Env, cmd.Dir = c.env, c.dir
	out, err := cmd.CombinedOutput()
	if got, want := string(out), "['pkg.cli:App.main'] pkg.cli\n"; got != want || cmd.ProcessState.ExitCode() != 5 {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestEnviron(t *testing.T) {
	host := []string{
		"PATH=/bin", "HOME=/home/u", "LC_ALL=C.UTF-8", "TZ=", "GITHUB_TOKEN=secret", "PYTHONPATH=/p", "LD_PRELOAD=/evil.so",
		"DYLD_INSERT_LIBRARIES=/evil", "TMPDIR=/tmp", "USER=u", "HOME=/home/later", "broken", "=C:=C:\\x",
	}
	closed := []string{"PATH=/bin", "LC_ALL=C.UTF-8", "TZ=", "USER=u", "HOME=/home/later"}
	tests := []struct {
		name    string
		goos    string
		host    []string
		inherit bool
		add     []string
		want    []string
		wantErr string
	}{
		{name: "B43 closed", goos: "linux", host: host, want: closed},
		{name: "inherited", goos: "linux", host: host, inherit: true,
			want: []string{"PATH=/bin", "LC_ALL=C.UTF-8", "TZ=", "GITHUB_TOKEN=secret", "PYTHONPATH=/p", "USER=u", "HOME=/home/later"}},
		{name: "added", goos: "linux", host: host, add: []string{"A=1=2", "HOME=/x", "B="},
			want: []string{"PATH=/bin", "LC_ALL=C.UTF-8", "TZ=", "USER=u", "A=1=2", "HOME=/x", "B="}},
		{name: "nothing", goos: "linux"},
		{name: "Windows", goos: "windows", host: []string{"Path=C:\\a", "SystemRoot=C:\\W", "Temp=C:\\t", "ComSpec=c", "SECRET=s"}, add: []string{"PATH=C:\\b"},
			want: []string{"SystemRoot=C:\\W", "ComSpec=c", "PATH=C:\\b"}},
		{name: "loader", goos: "linux", add: []string{"LD_PRELOAD=/x"}, wantErr: "LD_PRELOAD"},
		{name: "loader of macOS", goos: "linux", add: []string{"dyld_insert_libraries=/x"}, wantErr: "dyld_insert"},
		{name: "private folder", goos: "linux", add: []string{"TMPDIR=/x"}, wantErr: "TMPDIR is set by the host"},
		{name: "no value", goos: "linux", add: []string{"sk-123"}, wantErr: "form NAME=value"},
		{name: "no name", goos: "linux", add: []string{"=x"}, wantErr: "form NAME=value"},
		{name: "NUL", goos: "linux", add: []string{"A=\x00"}, wantErr: "form NAME=value"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := newEnviron(tt.goos, tt.host, tt.inherit)
			err := e.add(tt.add)
			switch {
			case tt.wantErr != "":
				if err == nil || !strings.Contains(err.Error(), tt.wantErr) || strings.Contains(err.Error(), "sk-123") {
					t.Errorf("got the error %v, want %q", err, tt.wantErr)
				}
			case err != nil:
				t.Error(err)
			default:
				if diff := cmp.Diff(tt.want, e.list); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestPinned(t *testing.T) {
	dir := writeTree(t, "bin/tool", "program", "bin/script", "#!/bin/sh\n")
	file, script := filepath.Join(dir, "bin", "tool"), filepath.Join(dir, "bin", "script")
	const digest = "9596ec3ba4bff8dbb7b0a2a0be4d4ea7a0ca1d4d0c5d0cb2d7ab3b7f7d9b7d33"
	if _, _, err := pinned(file, digest); err == nil || !strings.Contains(err.Error(), "not the program that was pinned") {
		t.Errorf("another digest: got %v", err)
	}
	if _, _, err := pinned(filepath.Join(dir, "none"), digest); err == nil {
		t.Error("no file: got no error")
	}
	program, release, err := pinned(file, strings.ToUpper(hash(t, file)))
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	// Another program in its place is not what is started.
	if err := os.WriteFile(file+".new", []byte("other"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(program); runtime.GOOS == "linux" && (err != nil || string(data) != "program") {
		t.Errorf("what would be started: %q, %v", data, err)
	}
	if got, release, err := pinned(script, hash(t, script)); err != nil || got != script {
		t.Errorf("a script: got %q, %v", got, err)
	} else {
		release()
	}
}

func TestKnownIsChecked(t *testing.T) {
	for _, file := range []string{"../manifest.json", "other.json"} {
		dir := writeTree(t, "executa.json", `{"command":["./bin/run"],"manifest_file":"`+file+`"}`, "bin/run", "")
		if err := os.WriteFile(filepath.Join(filepath.Dir(dir), "manifest.json"), []byte(`{"tools":[]}`), 0o666); err != nil {
			t.Fatal(err)
		}
		c, err := resolve(&Spec{Dir: dir}, &Options{})
		if err != nil || c.known != nil {
			t.Errorf("manifest_file %q: got %v, %v", file, c, err)
		}
	}
}

func hash(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(data))
}
