//go:build unix

package executa

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/matrix-nexus/skillkit/internal/jsonrpc"
)

// Item 0.8 and A9: a file is read only where nobody but the plugin writes, and is
// gone then.
func TestFileTransport(t *testing.T) {
	const max = 100
	message := `{"id":5,"result":{"success":true}}`
	write := func(t *testing.T, name, content string) string {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	link := func(t *testing.T, make func(old, new string) error, old, new string) string {
		t.Helper()
		if err := make(old, new); err != nil {
			t.Fatal(err)
		}
		return new
	}
	pad := func(n int) string { return message + strings.Repeat(" ", n-len(message)) }
	tests := []struct {
		name string
		file func(t *testing.T, in, out string) string // makes it; in is the private folder
		want string                                    // in the error
		kept bool                                      // the file is still there
	}{
		{"reply", func(t *testing.T, in, out string) string { return write(t, in+"/a.json", message) }, "", false},
		{"in a folder", func(t *testing.T, in, out string) string { return write(t, in+"/d/a.json", message+"\n") }, "", false},
		{"written over lines", func(t *testing.T, in, out string) string {
			return write(t, in+"/a.json", "{\n\"id\": \"5\",\n\"result\": {}\n}")
		}, "", false},
		{"request", func(t *testing.T, in, out string) string { return write(t, in+"/a.json", `{"id":5,"method":"m"}`) }, "", false},
		{"path with dots", func(t *testing.T, in, out string) string {
			write(t, in+"/a.json", message)
			return in + "/../" + filepath.Base(in) + "/a.json"
		}, "", false},
		{"at the limit", func(t *testing.T, in, out string) string { return write(t, in+"/a.json", pad(max)) }, "", false},
		{"one past it", func(t *testing.T, in, out string) string { return write(t, in+"/a.json", pad(max+1)) }, "has 101 bytes", false},
		{"relative", func(t *testing.T, in, out string) string { return "a.json" }, "not in the plugin's TMPDIR", true},
		{"elsewhere", func(t *testing.T, in, out string) string { return write(t, out+"/executa-a.json", message) }, "not in the plugin's TMPDIR", true},
		{"by dots elsewhere", func(t *testing.T, in, out string) string {
			write(t, out+"/a.json", message)
			return in + "/../" + filepath.Base(out) + "/a.json"
		}, "not in the plugin's TMPDIR", true},
		{"with NUL", func(t *testing.T, in, out string) string { return in + "/a\x00.json" }, "invalid", true},
		{"the folder itself", func(t *testing.T, in, out string) string { return in }, "not in the plugin's TMPDIR", true},
		{"a folder", func(t *testing.T, in, out string) string { write(t, in+"/d/a", ""); return in + "/d" }, "a file in folders", true},
		{"not there", func(t *testing.T, in, out string) string { return in + "/a.json" }, "no such file", false},
		{"symbolic link", func(t *testing.T, in, out string) string {
			return link(t, os.Symlink, write(t, out+"/a.json", message), in+"/a.json")
		}, "not a regular file", false},
		{"symbolic link inside", func(t *testing.T, in, out string) string {
			return link(t, os.Symlink, write(t, in+"/b.json", message), in+"/a.json")
		}, "not a regular file", false},
		{"folder is a symbolic link", func(t *testing.T, in, out string) string {
			write(t, out+"/a.json", message)
			return link(t, os.Symlink, out, in+"/d") + "/a.json"
		}, "a file in folders", true},
		{"folder is a symbolic link inside", func(t *testing.T, in, out string) string {
			write(t, in+"/e/a.json", message)
			return link(t, os.Symlink, in+"/e", in+"/d") + "/a.json"
		}, "a file in folders", true},
		{"second name", func(t *testing.T, in, out string) string {
			return link(t, os.Link, write(t, out+"/a.json", message), in+"/a.json")
		}, "has another name", false},
		{"named pipe", func(t *testing.T, in, out string) string {
			if err := syscall.Mkfifo(in+"/a.json", 0o600); err != nil {
				t.Fatal(err)
			}
			return in + "/a.json"
		}, "not a regular file", false},
		{"another id", func(t *testing.T, in, out string) string { return write(t, in+"/a.json", `{"id":6,"result":{}}`) }, "the id 6, not 5", false},
		{"no id", func(t *testing.T, in, out string) string { return write(t, in+"/a.json", `{"result":{}}`) }, "the id", false},
		{"names another file", func(t *testing.T, in, out string) string {
			return write(t, in+"/a.json", `{"id":5,"__file_transport":"`+write(t, in+"/b.json", message)+`"}`)
		}, "names another file", false},
		{"no JSON", func(t *testing.T, in, out string) string { return write(t, in+"/a.json", "hello") }, "not hold a JSON object", false},
		{"empty", func(t *testing.T, in, out string) string { return write(t, in+"/a.json", "") }, "not hold a JSON object", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
			for _, d := range []string{in, out} {
				if err := os.Mkdir(d, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			file := tt.file(t, in, out)
			m := jsonrpc.Message{ID: []byte("5"), File: file}
			err = fileTransport{in, max}.read(file, &m)
			if (err == nil) != (tt.want == "") || !strings.Contains(fmt.Sprint(err), tt.want) && tt.want != "" {
				t.Errorf("error is %v", err)
			}
			if err == nil && m.Result == nil && !m.HasMethod {
				t.Errorf("message is %+v", m)
			}
			_, err = os.Lstat(file)
			if there := err == nil; there && !tt.kept {
				t.Error("the file is still there")
			}
			if left, _ := filepath.Glob(out + "/*"); tt.kept && strings.Contains(file, "/out/") && len(left) == 0 {
				t.Error("a file elsewhere is gone")
			}
		})
	}
}

// A plugin that puts a link in the place of its folder has nothing read or removed
// where that leads to.
func TestFileTransportFolderReplaced(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	if err := os.Mkdir(out, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(out+"/a.json", []byte(`{"id":5,"result":{}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(out, in); err != nil {
		t.Fatal(err)
	}
	m := jsonrpc.Message{ID: []byte("5")}
	if err := (fileTransport{in, 100}).read(in+"/a.json", &m); err == nil {
		t.Error("it was read")
	}
	if _, err := os.Stat(out + "/a.json"); err != nil {
		t.Error(err)
	}
}
