package install

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/internal/unpack"
)

// tgz returns an archive of one folder with two programs, of a version.
func tgz(t *testing.T, version string) []byte {
	t.Helper()
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	w := tar.NewWriter(z)
	for _, name := range []string{"tool/bin/a", "tool/bin/b"} {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(version)), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, version); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// files returns the content of each file below the folder tools of state, and
// the targets of links.
func files(t *testing.T, state string) map[string]string {
	t.Helper()
	got := map[string]string{}
	tools := filepath.Join(state, "tools")
	err := filepath.WalkDir(tools, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && !strings.HasPrefix(d.Name(), ".") {
			return ignoreMissing(err)
		}
		rel, _ := filepath.Rel(tools, name)
		switch {
		case d.IsDir():
			got[filepath.ToSlash(rel)] = "a folder that is left"
			return fs.SkipDir
		case d.Type()&fs.ModeSymlink != 0:
			got[filepath.ToSlash(rel)] = "a link"
			return nil
		}
		data, err := os.ReadFile(name)
		got[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

var (
	oldFiles = map[string]string{"skill/tool/bin/a": "old", "skill/tool/bin/b": "old", "skill/tool/gone": "old"}
	newFiles = map[string]string{"skill/tool/bin/a": "new", "skill/tool/bin/b": "new"}
)

// stateWith returns a state folder with files below tools.
func stateWith(t *testing.T, files map[string]string) string {
	t.Helper()
	state := t.TempDir()
	for name, body := range files {
		file := filepath.Join(state, "tools", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(body), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	return state
}

func archiveOfTool(url, state string) *Download {
	return &Download{URL: url, Archive: "tar.gz", StripComponents: 1, Dir: filepath.Join(state, "tools", "skill", "tool")}
}

func TestDownload(t *testing.T) {
	data := tgz(t, "new")
	program := []byte("#!/bin/sh\necho new\n")
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/tool.tar.gz":
			w.Write(data)
		case "/tool":
			w.Write(program)
		case "/tool.gz":
			z := gzip.NewWriter(w)
			z.Write(program)
			z.Close()
		}
	})
	for name, old := range map[string]map[string]string{"first": nil, "again": oldFiles} {
		t.Run("archive "+name, func(t *testing.T) {
			state := stateWith(t, old)
			d := archiveOfTool(base+"/tool.tar.gz", state)
			want := fmt.Sprintf("%x", sha256.Sum256(data))
			for _, d.SHA256 = range []string{"", want} {
				sum, err := download(t.Context(), d, &Options{State: state}, nil)
				if sum != want || err != nil {
					t.Fatalf("got %s, %v; want %s", sum, err, want)
				}
				if diff := cmp.Diff(newFiles, files(t, state)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
	for _, d := range []Download{{URL: base + "/tool", File: "tool"}, {URL: base + "/tool.gz", File: "tool", Archive: "gz"}} {
		t.Run("program "+d.Archive, func(t *testing.T) {
			state := stateWith(t, oldFiles)
			d.Dir = filepath.Join(state, "tools", "skill", "tool")
			if _, err := download(t.Context(), &d, &Options{State: state}, nil); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(map[string]string{"skill/tool/tool": string(program)}, files(t, state)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			info, err := os.Stat(filepath.Join(d.Dir, "tool"))
			if err != nil || info.Mode().Perm()&0o111 == 0 && os.PathSeparator == '/' {
				t.Errorf("B37 got mode %v, %v; want it to be executable", info.Mode(), err)
			}
		})
	}
}

// Whatever is wrong with a download, what was there stays, and nothing is left.
func TestDownloadFaults(t *testing.T) {
	data := tgz(t, "new")
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/good":
			w.Write(data)
		case "/cut":
			w.Write(data[:len(data)-9])
		case "/page":
			io.WriteString(w, "<!DOCTYPE html><title>404</title>")
		case "/empty":
		default:
			http.NotFound(w, r)
		}
	})
	tests := []struct {
		name   string
		change func(d *Download)
		want   string
	}{
		{"B35 wrong sha256", func(d *Download) { d.SHA256 = strings.Repeat("0", 64) }, "and not 0000"},
		{"B35 truncated archive", func(d *Download) { d.URL = base + "/cut" }, "the archive is cut off or damaged"},
		{"B35 404", func(d *Download) { d.URL = base + "/missing?token=secret" }, "the server answers 404 Not Found"},
		{"B35 404 page saved as archive", func(d *Download) { d.URL = base + "/page?token=secret" }, "this is an HTML page, not a tar.gz file"},
		{"404 page saved as program", func(d *Download) { d.URL, d.Archive, d.File = base+"/page", "", "tool" }, "this is an HTML page, not a program"},
		{"archive saved as program", func(d *Download) { d.Archive, d.File = "", "tool" }, "this is a gzip file, not a program"},
		{"empty program", func(d *Download) { d.URL, d.Archive, d.File = base+"/empty", "", "tool" }, "this is an empty file, not a program"},
		{"other format", func(d *Download) { d.Archive = "zip" }, "this is a gzip file, not a zip file"},
		{"unknown format", func(d *Download) { d.Archive = "rar" }, `archive format "rar" cannot be unpacked`},
		{"name of a program with a path", func(d *Download) { d.Archive, d.File = "", "../tool" }, `"../tool" is not the name of a file`},
		{"no name of a program", func(d *Download) { d.Archive = "" }, `"" is not the name of a file`},
		{"folder outside", func(d *Download) { d.Dir = filepath.Join(filepath.Dir(d.Dir), "..", "..", "..", "x") }, "is not one for tools"},
		{"folder of tools itself", func(d *Download) { d.Dir = filepath.Join(d.Dir, "..", "..") }, "is not one for tools"},
		{"folder elsewhere in the state", func(d *Download) { d.Dir = filepath.Join(d.Dir, "..", "..", "..", "bin") }, "is not one for tools"},
		{"folder below a file", func(d *Download) { d.Dir = filepath.Join(d.Dir, "gone", "x") }, "exists"},
		{"folder is a file", func(d *Download) { d.Dir = filepath.Join(d.Dir, "gone") }, "is there and not a folder: remove it"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			state := stateWith(t, oldFiles)
			d := archiveOfTool(base+"/good", state)
			tt.change(d)
			_, err := download(t.Context(), d, &Options{State: state}, nil)
			fails(t, err, tt.want)
			if diff := cmp.Diff(oldFiles, files(t, state)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	t.Run("error of the archive", func(t *testing.T) {
		state := t.TempDir()
		_, err := download(t.Context(), archiveOfTool(base+"/page", state), &Options{State: state}, nil)
		if _, ok := errors.AsType[*unpack.Error](err); !ok {
			t.Errorf("got %v, want it to wrap an *unpack.Error", err)
		}
	})
	t.Run("context", func(t *testing.T) {
		stop := errors.New("stopped")
		for _, stage := range []string{"staged", "fetched", "unpacked"} {
			ctx, cancel := context.WithCancelCause(t.Context())
			state := stateWith(t, oldFiles)
			l := downloader{fetcher: newFetcher(nil), exchange: exchange, reached: func(at string) {
				if at == stage {
					cancel(stop)
				}
			}}
			_, err := l.run(ctx, archiveOfTool(base+"/good", state), state, nil)
			if diff := cmp.Diff(oldFiles, files(t, state)); diff != "" || !errors.Is(err, stop) {
				t.Errorf("%s: got %v (-want +got):\n%s", stage, err, diff)
			}
		}
	})
}

// A link that leads out of the state folder is not followed, and one in the
// place of the folder is not replaced.
func TestDownloadLinks(t *testing.T) {
	data := tgz(t, "new")
	base := serve(t, func(w http.ResponseWriter, r *http.Request) { w.Write(data) })
	for _, link := range []string{"tools", "tools/skill", "tools/skill/tool"} {
		for _, target := range []string{"outside", "state/inside"} {
			t.Run(link+" to "+target, func(t *testing.T) {
				dir := t.TempDir()
				state, to := filepath.Join(dir, "state"), filepath.Join(dir, target)
				name := filepath.Join(state, link)
				if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.MkdirAll(to, 0o755)); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(to, name); err != nil {
					t.Skip("no symbolic links here:", err)
				}
				_, err := download(t.Context(), archiveOfTool(base, state), &Options{State: state}, nil)
				if err == nil {
					t.Error("got no error")
				}
				if left, _ := os.ReadDir(to); len(left) > 0 {
					t.Errorf("the link was followed: %v", left)
				}
			})
		}
	}
}

// A system that cannot exchange two folders moves one away and the other in.
func TestReplaceInTwoSteps(t *testing.T) {
	data := tgz(t, "new")
	base := serve(t, func(w http.ResponseWriter, r *http.Request) { w.Write(data) })
	state := stateWith(t, oldFiles)
	l := downloader{fetcher: newFetcher(nil), exchange: noExchange, reached: func(string) {}}
	if _, err := l.run(t.Context(), archiveOfTool(base, state), state, nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(newFiles, files(t, state)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// Something gets in the way between the two: the old content is put back.
	state = stateWith(t, oldFiles)
	l.reached = func(stage string) {
		if stage != "moved away" {
			return
		}
		fresh, err := filepath.Glob(filepath.Join(state, "tools", staging+"*", "new"))
		if err != nil || len(fresh) != 1 {
			t.Fatalf("got %v, %v", fresh, err)
		}
		if err := os.RemoveAll(fresh[0]); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.run(t.Context(), archiveOfTool(base, state), state, nil); err == nil {
		t.Error("got no error")
	}
	if diff := cmp.Diff(oldFiles, files(t, state)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func noExchange(*os.Root, string, string) error { return errors.ErrUnsupported }
