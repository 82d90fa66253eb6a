//go:build unix

package install_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/install"
	"github.com/matrix-nexus/skillkit/metadata"
)

// archive packs files, whose modes are 0644: that of a program is for the run
// to set.
func archive(t *testing.T, files ...string) []byte {
	t.Helper()
	var buf bytes.Buffer
	gz := gzip.NewWriter(&buf)
	tw := tar.NewWriter(gz)
	for _, name := range files {
		text := "#!/bin/sh\necho " + name
		if err := tw.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := tw.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := tw.Close(); err != nil {
		t.Fatal(err)
	}
	if err := gz.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// serve serves bodies by path.
func serve(t *testing.T, bodies map[string][]byte) (url string) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := bodies[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(body)
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

func downloadStep(s *site, url string, body []byte, names ...string) install.Step {
	sum := sha256.Sum256(body)
	dir := filepath.Join(s.state, "tools", "skill", "tool")
	step := install.Step{
		ID: "download:skill/tool", Kind: metadata.KindDownload, Label: "Download", Skills: []string{"skill"}, Reason: "test",
		Download: &install.Download{URL: url, SHA256: hex.EncodeToString(sum[:]), Dir: dir},
		LinkFrom: dir, BinDir: filepath.Join(s.state, "bin"), Bins: names,
	}
	if strings.HasSuffix(url, ".tar.gz") {
		step.Download.Archive = "tar.gz"
	} else {
		step.Download.File = names[0]
	}
	return step
}

func TestRunDownload(t *testing.T) {
	t.Parallel()
	root := archive(t, "tool", "sub/tool")
	nested := archive(t, "tool-1.0/README", "tool-1.0/bin/tool", "tool-1.0/templates/a.html", "tool-1.0/other")
	raw := []byte("#!/bin/sh\necho raw")
	url := serve(t, map[string][]byte{"/root.tar.gz": root, "/nested.tar.gz": nested, "/raw": raw})
	for _, tt := range []struct {
		name, path string
		body       []byte
		names      []string
		linked     map[string]string // below the folder of the download
	}{
		{"in the folder itself", "/root.tar.gz", root, []string{"tool"}, map[string]string{"tool": "tool"}},
		{"B58 in a folder of the archive", "/nested.tar.gz", nested, []string{"tool", "other"}, map[string]string{"tool": "tool-1.0/bin/tool", "other": "tool-1.0/other"}},
		{"a program", "/raw", raw, []string{"tool"}, map[string]string{"tool": "tool"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			var told int64
			record := s.opts.Event
			s.opts.Event = func(e install.Event) {
				if e.Type == install.EventProgress {
					told = e.Bytes
				}
				record(e)
			}
			step := downloadStep(s, url+tt.path, tt.body, tt.names...)
			out := s.statuses(t.Context(), []install.Step{step}, install.StatusOffPath)[0]
			bin, dir := filepath.Join(s.state, "bin"), step.Download.Dir
			if !strings.HasSuffix(out.Detail, `export PATH="`+bin+`:$PATH"`) {
				t.Errorf("detail %q", out.Detail)
			}
			files := []string{dir}
			for name, target := range tt.linked {
				target = filepath.Join(dir, target)
				info, err := os.Stat(target)
				if got, _ := os.Readlink(filepath.Join(bin, name)); got != target || err != nil || info.Mode().Perm() != 0o755 {
					t.Errorf("%s leads to %s, want %s with mode 0755: %v, %v", name, got, target, info, err)
				}
				files = append(files, filepath.Join(bin, name))
			}
			if strings.Contains(tt.name, "B58") && !exists(filepath.Join(dir, "tool-1.0", "templates", "a.html")) {
				t.Error("the other files are missing")
			}
			r := s.receipts()[step.ID]
			slices.Sort(files)
			if diff := cmp.Diff(files, r.Files); diff != "" || r.SHA256 != step.Download.SHA256 || r.State != install.ReceiptInstalled {
				t.Errorf("receipt %+v, files (-want +got):\n%s", r, diff)
			}
			if told != int64(len(tt.body)) {
				t.Errorf("told of %d bytes, want %d", told, len(tt.body))
			}

			undo := removal(step.ID)
			undo.Bins, undo.Remove = tt.names, []string{dir}
			s.statuses(t.Context(), []install.Step{undo}, install.StatusVerified)
			for _, file := range files {
				if exists(file) {
					t.Errorf("%s is still there", file)
				}
			}
			if len(s.receipts()) != 0 {
				t.Error("the receipt is still there")
			}
		})
	}
}

// Programs are looked for in the first 64 folders of an archive, which may have
// tens of thousands.
func TestRunDownloadManyFolders(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var names []string
	for i := range 65 {
		names = append(names, fmt.Sprintf("d%02d/tool%02d", i, i))
	}
	body := archive(t, names...)
	step := downloadStep(s, serve(t, map[string][]byte{"/x.tar.gz": body})+"/x.tar.gz", body, "tool00", "tool63", "tool64")
	s.run(t.Context(), step)
	for name, want := range map[string]bool{"tool00": true, "tool63": true, "tool64": false} {
		if got := exists(filepath.Join(s.state, "bin", name)); got != want {
			t.Errorf("%s is linked: %v", name, got)
		}
	}
}

// A download that fails changes nothing that an earlier one brought (B35).
func TestRunDownloadFails(t *testing.T) {
	t.Parallel()
	body := archive(t, "tool")
	bodies := map[string][]byte{"/x.tar.gz": body}
	s := newSite(t)
	step := downloadStep(s, serve(t, bodies)+"/x.tar.gz", body, "tool")
	s.statuses(t.Context(), []install.Step{step}, install.StatusOffPath)
	files := s.receipts()[step.ID].Files
	for name, spoil := range map[string][]byte{"another body": archive(t, "evil"), "no body": nil} {
		if bodies["/x.tar.gz"] = spoil; spoil == nil {
			delete(bodies, "/x.tar.gz")
		}
		s.statuses(t.Context(), []install.Step{step}, install.StatusFailed)
		r := s.receipts()[step.ID]
		if diff := cmp.Diff(files, r.Files); diff != "" || r.State != install.ReceiptFailed || r.Error == "" {
			t.Errorf("%s: receipt %+v, files (-want +got):\n%s", name, r, diff)
		}
		if _, err := os.Stat(filepath.Join(s.state, "bin", "tool")); err != nil {
			t.Errorf("%s: what was there is gone: %v", name, err)
		}
	}
}

// A server that sends nothing more: ctx ends the download.
func TestRunDownloadInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	stop := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("half"))
		_ = http.NewResponseController(w).Flush()
		cancel()
		<-stop
	}))
	t.Cleanup(srv.Close)
	t.Cleanup(func() { close(stop) }) // before Close, which waits for the handler
	s := newSite(t)
	step := downloadStep(s, srv.URL+"/tool", nil, "tool")
	s.statuses(ctx, []install.Step{step}, install.StatusInterrupted)
	if r := s.receipts()[step.ID]; r.State != install.ReceiptFailed || len(r.Files) != 0 {
		t.Errorf("receipt %+v", r)
	}
	left, err := filepath.Glob(filepath.Join(s.state, "tools", "*"))
	if err != nil || len(left) > 1 { // the folder of the skill
		t.Errorf("left are %q, %v", left, err)
	}
}

// The process is killed during a download: what was there stays, and the next
// run tidies up.
func TestRunDownloadKilled(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	body := archive(t, "tool")
	step := downloadStep(s, serve(t, map[string][]byte{"/x.tar.gz": body})+"/x.tar.gz", body, "tool")
	s.statuses(t.Context(), []install.Step{step}, install.StatusOffPath)
	s.startRunner("progress", step.Download.URL)()
	r := s.receipts()[step.ID]
	if r.State != install.ReceiptStarted || len(r.Files) != 2 {
		t.Errorf("receipt %+v", r)
	}
	if _, err := os.Stat(filepath.Join(s.state, "bin", "tool")); err != nil {
		t.Errorf("what was there is gone: %v", err)
	}
	list := func() []string {
		names, err := filepath.Glob(filepath.Join(s.state, "tools", "*"))
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	if len(list()) != 2 {
		t.Fatalf("the process was killed too early or too late: %q", list())
	}
	s.statuses(t.Context(), []install.Step{sh("a", "")}, install.StatusVerified)
	if got := list(); len(got) != 1 {
		t.Errorf("left are %q", got)
	}
}
