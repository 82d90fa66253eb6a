package proc_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/internal/proc"
)

func TestLookPath(t *testing.T) {
	const windows = true
	files := []string{
		"/usr/bin/node", "/home/u/bin/node", "/plugin/run.sh", "/plugin/node", "/plugin/bin/node",
		`C:\nodejs\npx`, `C:\nodejs\npx.cmd`, `C:\nodejs\node.exe`, `D:\tools\npx.exe`, `C:\plugin\npx.cmd`, `C:\plugin\bin\run.exe`, `C:\my tools\x.ps1`, `\\share\bin\s.exe`,
	}
	const path, winPath = ".::bin:/usr/bin:/home/u/bin", `;.;bin;C:\nodejs\;"C:\my tools";D:/tools;\\share\bin`
	tests := []struct {
		name    string
		windows bool
		ext     string
		program string
		want    string
	}{
		{"the first folder", !windows, "", "node", "/usr/bin/node"},
		{"never the working directory", !windows, "", "run.sh", ""},
		{"relative to the folder", !windows, "", "./run.sh", "/plugin/run.sh"},
		{"relative without a dot", !windows, "", "bin/node", "/plugin/bin/node"},
		{"absolute", !windows, "", "/home/u/bin/node", "/home/u/bin/node"},
		{"empty", !windows, "", "", ""},
		{"a dot", !windows, "", "..", ""},
		{"NUL", !windows, "", "node\x00", ""},

		{"B34 npx is npx.cmd", windows, "", "npx", `C:\nodejs\npx.cmd`},
		{"B34 the suffix is given", windows, "", "npx.CMD", ``}, // the case of the file system, which is none here
		{"B34 without .cmd in PATHEXT", windows, ".COM;.EXE", "npx", `D:\tools\npx.exe`},
		{"B34 suffixes in the order of PATHEXT", windows, ".CMD;.EXE", "node", `C:\nodejs\node.exe`},
		{"B34 a quoted folder", windows, ".PS1", "x", `C:\my tools\x.ps1`},
		{"B34 a share", windows, "", "s", `\\share\bin\s.exe`},
		{"B34 never the working directory", windows, "", "run", ""},
		{"B34 relative", windows, "", `bin\run`, `C:\plugin\bin\run.exe`},
		{"B34 relative with slashes", windows, "", `./bin/run.exe`, `C:\plugin\bin\run.exe`},
		{"B34 absolute", windows, "", `c:/nodejs/node`, `c:\nodejs\node.exe`},
		{"B34 relative to a drive", windows, "", `C:npx`, ``},
		{"B34 a stream", windows, "", `npx.cmd:x`, ``},
		{"B34 relative to the root", windows, "", `\nodejs\node`, ``},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &proc.Search{Windows: tt.windows, Path: path, Ext: tt.ext, IsProgram: func(file string) bool {
				return slices.Contains(files, file) || tt.windows && slices.Contains(files, strings.Replace(file, "c:", "C:", 1))
			}}
			dir := "/plugin"
			if tt.windows {
				s.Path, dir = winPath, `C:\plugin`
			}
			got, err := s.LookPath(tt.program, dir)
			if got != tt.want {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
			if e, ok := errors.AsType[*proc.NotFoundError](err); (tt.want == "") != ok || ok && e.Name != tt.program {
				t.Errorf("got the error %v", err)
			}
		})
	}
}

func TestNotFound(t *testing.T) {
	s := &proc.Search{Windows: true, Path: `C:\a;C:\b`, Ext: ".exe;.cmd", IsProgram: func(string) bool { return false }}
	_, err := s.LookPath("npx", "")
	const want = `program "npx" not found; tried C:\a\npx.exe, C:\a\npx.cmd, C:\b\npx.exe, C:\b\npx.cmd`
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	s.Path = strings.Repeat(`C:\a;`, 3) + `C:\c;C:\d;C:\e;C:\f;C:\g;C:\h`
	if _, err := s.LookPath("npx", ""); !strings.HasSuffix(err.Error(), `C:\g\npx.cmd and 2 more`) {
		t.Errorf("got %v", err)
	}
	s.Path = "bin"
	if _, err := s.LookPath("npx", ""); !strings.HasSuffix(err.Error(), "tried nothing, since PATH names no folder") {
		t.Errorf("got %v", err)
	}
}
