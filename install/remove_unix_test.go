//go:build unix

package install_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/install"
	"github.com/matrix-nexus/skillkit/metadata"
)

// exists reports whether there is something at a path, be it a link that leads
// nowhere.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// npmTool is a step that puts the program tool, and others, into a folder from
// which they are linked.
func npmTool(s *site, names ...string) install.Step {
	from := filepath.Join(s.state, "npm", "bin")
	script := "mkdir -p " + from
	for _, name := range names {
		script += "; " + bringing(from+"/"+name)
	}
	step := sh("npm:tool", script)
	step.Kind, step.LinkFrom, step.BinDir = metadata.KindNpm, from, filepath.Join(s.state, "bin")
	step.Bins = names
	return step
}

func TestRunLinks(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	bin := filepath.Join(s.state, "bin")
	step := npmTool(s, "tool", "mine", "stale", "again")
	from := step.LinkFrom
	for _, dir := range []string{bin, from, filepath.Join(s.state, "tools", "other")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(bin, "mine"), []byte("mine"), 0o755); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"stale": filepath.Join(s.state, "tools", "gone", "stale"), "again": filepath.Join(from, "again")} {
		if err := os.Symlink(target, filepath.Join(bin, link)); err != nil {
			t.Fatal(err)
		}
	}
	step.Provides = bins("lacking", "data", "../../precious")
	step.Argv[2] += "; echo x >" + from + "/data"

	out := s.statuses(t.Context(), []install.Step{step}, install.StatusUnverified)[0]
	if !strings.Contains(out.Detail, filepath.Join(bin, "mine")+" is there already and is left alone") {
		t.Errorf("detail %q", out.Detail)
	}
	if !strings.Contains(out.Detail, filepath.Join(from, "data")+" is there and is not executable") {
		t.Errorf("detail %q", out.Detail)
	}
	if diff := cmp.Diff(bins("lacking", "data", "../../precious"), out.Missing[:3]); diff != "" {
		t.Errorf("missing (-want +got):\n%s", diff)
	}
	var files []string
	for _, name := range []string{"again", "stale", "tool"} {
		link := filepath.Join(bin, name)
		files = append(files, link)
		if target, _ := os.Readlink(link); target != filepath.Join(from, name) {
			t.Errorf("%s leads to %q", link, target)
		}
	}
	if diff := cmp.Diff(files, s.receipts()["npm:tool"].Files); diff != "" {
		t.Errorf("files of the receipt (-want +got):\n%s", diff)
	}
	if data, _ := os.ReadFile(filepath.Join(bin, "mine")); string(data) != "mine" {
		t.Errorf("the file of another is %q", data)
	}
}

// What the recipe lists and PATH has already, such as a program of the system,
// is not put before it.
func TestRunLinksOnlyWhatIsMissing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	if err := os.WriteFile(filepath.Join(s.path, "git"), []byte("#!/bin/sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.run(t.Context(), npmTool(s, "tool", "git"))
	bin := filepath.Join(s.state, "bin")
	if exists(filepath.Join(bin, "git")) || !exists(filepath.Join(bin, "tool")) {
		t.Error("git is linked, or tool is not")
	}
}

// A link to what another step brought, or to somewhere else, is not ours to
// replace.
func TestRunForeignLink(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	bin, other := filepath.Join(s.state, "bin"), filepath.Join(s.state, "tools", "other")
	for _, dir := range []string{bin, other} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(other, "a"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	targets := map[string]string{"a": filepath.Join(other, "a"), "b": filepath.Join(s.root, "none"), "c": "../../../precious"}
	for name, target := range targets {
		if err := os.Symlink(target, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	s.run(t.Context(), npmTool(s, "a", "b", "c"))
	for name, target := range targets {
		if got, _ := os.Readlink(filepath.Join(bin, name)); got != target {
			t.Errorf("link %s leads to %s now", name, got)
		}
	}
	if r := s.receipts()["npm:tool"]; len(r.Files) != 0 {
		t.Errorf("the receipt claims %q", r.Files)
	}
}

// What go built is recorded; a program of that name that was there before and
// is the same still is not.
func TestRunGoFiles(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.t.Cleanup(func() {})
	theirs, replaced := filepath.Join(s.path, "theirs"), filepath.Join(s.path, "replaced")
	for _, file := range []string{theirs, replaced} {
		if err := os.WriteFile(file, []byte("old"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	step := sh("go:x", bringing(s.path+"/built")+"; "+bringing(replaced))
	step.Kind, step.BinDir, step.Bins = metadata.KindGo, s.path, []string{"built", "replaced", "theirs"}
	s.statuses(t.Context(), []install.Step{step}, install.StatusVerified)
	files := s.receipts()["go:x"].Files
	if diff := cmp.Diff([]string{filepath.Join(s.path, "built"), replaced}, files); diff != "" {
		t.Errorf("files of the receipt (-want +got):\n%s", diff)
	}

	remove := removal("go:x")
	remove.Remove, remove.Bins = files, step.Bins
	out := s.statuses(t.Context(), []install.Step{remove}, install.StatusVerified)[0]
	if diff := cmp.Diff(bins("theirs"), out.Missing); diff != "" || out.Where != theirs {
		t.Errorf("what is left, at %s (-want +got):\n%s", out.Where, diff)
	}
	if exists(replaced) || !exists(theirs) {
		t.Error("the wrong files were removed")
	}
	if len(s.receipts()) != 0 {
		t.Error("the receipt is still there")
	}
}

// removal returns a step that undoes another.
func removal(id string) install.Step {
	return install.Step{ID: "remove " + id, Kind: metadata.KindNpm, Label: "Remove", Undo: id, Skills: []string{"skill"}, Reason: "test"}
}

func TestRemoveCommand(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	step := npmTool(s, "tool", "kept")
	s.statuses(t.Context(), []install.Step{step}, install.StatusOffPath)
	kept := filepath.Join(s.state, "bin", "kept")
	if err := errors.Join(os.Remove(kept), os.WriteFile(kept, []byte("mine now"), 0o755)); err != nil {
		t.Fatal(err)
	}

	fails := removal("npm:tool")
	fails.Argv = []string{"/bin/sh", "-c", "echo busy; exit 1"}
	out := s.statuses(t.Context(), []install.Step{fails}, install.StatusFailed)[0]
	if out.Detail != "exit status 1: busy" {
		t.Errorf("detail %q", out.Detail)
	}
	if r := s.receipts()["npm:tool"]; r.State != install.ReceiptFailed || !strings.Contains(r.Error, "removal") || len(r.Files) != 2 {
		t.Errorf("receipt %+v", r)
	}

	works := removal("npm:tool")
	works.Argv = []string{"/bin/rm", filepath.Join(step.LinkFrom, "tool")}
	works.Provides, works.Bins = bins("tool"), []string{"kept"}
	out = s.statuses(t.Context(), []install.Step{works}, install.StatusUnverified)[0]
	if out.Where != kept || exists(filepath.Join(s.state, "bin", "tool")) || !exists(kept) {
		t.Errorf("outcome %+v", out)
	}
	if diff := cmp.Diff(bins("kept"), out.Missing); diff != "" {
		t.Errorf("missing (-want +got):\n%s", diff)
	}
	if len(s.receipts()) != 0 {
		t.Error("the receipt is still there")
	}
}

// A receipt that other skills use loses the skill, and nothing else happens.
func TestRemoveShared(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	step := npmTool(s, "tool")
	step.Skills = []string{"other", "skill"}
	s.statuses(t.Context(), []install.Step{step}, install.StatusOffPath)

	act := removal("npm:tool")
	act.Argv = []string{"/bin/sh", "-c", "touch $ROOT/pwned"}
	out := s.statuses(t.Context(), []install.Step{act}, install.StatusFailed)[0]
	if !strings.Contains(out.Detail, "used by other as well") {
		t.Errorf("detail %q", out.Detail)
	}
	drop := removal("npm:tool")
	s.statuses(t.Context(), []install.Step{drop}, install.StatusVerified)
	r := s.receipts()["npm:tool"]
	if diff := cmp.Diff([]string{"other"}, r.Step.Skills); diff != "" || r.State != install.ReceiptInstalled {
		t.Errorf("receipt %+v, skills (-want +got):\n%s", r, diff)
	}
	drop.Skills = []string{"other"}
	s.statuses(t.Context(), []install.Step{drop}, install.StatusFailed) // it would be forgotten
	act.Skills, act.Argv = []string{"other"}, []string{"/bin/true"}
	s.statuses(t.Context(), []install.Step{act}, install.StatusVerified)
	if len(s.receipts()) != 0 || exists(filepath.Join(s.state, "bin", "tool")) {
		t.Error("the receipt or the link is still there")
	}
	s.statuses(t.Context(), []install.Step{act, {ID: "again", Kind: "npm", Undo: "npm:tool"}}, install.StatusVerified, install.StatusVerified)
}

// A step that left nothing is forgotten with the last skill that it was done
// for.
func TestRemoveNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	step := sh("apt:update", "")
	step.Skills, step.Optional = []string{"other", "skill"}, true
	s.statuses(t.Context(), []install.Step{step}, install.StatusVerified)
	drop := removal("apt:update")
	s.statuses(t.Context(), []install.Step{drop}, install.StatusVerified)
	if diff := cmp.Diff([]string{"other"}, s.receipts()["apt:update"].Step.Skills); diff != "" {
		t.Errorf("skills (-want +got):\n%s", diff)
	}
	drop.Skills, drop.Forget = []string{"other"}, true
	s.statuses(t.Context(), []install.Step{drop}, install.StatusVerified)
	if len(s.receipts()) != 0 {
		t.Error("the receipt is still there")
	}
}

func TestRemoveFiles(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	step := npmTool(s, "tool")
	s.statuses(t.Context(), []install.Step{step}, install.StatusOffPath)
	in := func(name string) string { return filepath.Join(s.state, name) }
	s.write("state/skillkit/tools/skill/tree/file", "x")
	s.write("state/skillkit/tools/kept/file", "x")
	s.write("state/skillkit/bin/mine", "x")
	if err := errors.Join(
		os.Symlink(s.root, in("tools/out")),
		os.Symlink(filepath.Join(s.root, "home"), in("tools/skill/link")),
		os.Symlink(in("npm/bin/tool"), in("bin/unlisted")),
	); err != nil {
		t.Fatal(err)
	}

	for _, path := range []string{
		"relative", s.state, in("receipts"), in("bin"), in("tools"), in("lock"), in("bin/mine"), in("bin/unlisted"), in("bin/tool/x"),
		in("tools/../../../precious"), in("tools") + "/skill/", in("tools/out/home/.npmrc"), filepath.Join(s.root, "precious"),
		filepath.Join(s.root, "home"), "/", s.state + "x",
	} {
		remove := removal("npm:tool")
		remove.Remove = []string{in("tools/skill"), path}
		out := s.statuses(t.Context(), []install.Step{remove}, install.StatusFailed)[0]
		if out.Detail == "" || path != in("tools/out/home/.npmrc") && !exists(in("tools/skill")) {
			t.Errorf("%s: %q; or the rest was removed all the same", path, out.Detail)
		}
		if path == in("tools/out/home/.npmrc") { // that one is only found out when it is its turn
			s.write("state/skillkit/tools/skill/tree/file", "x")
		}
	}

	remove := removal("npm:tool")
	remove.Remove = []string{in("tools/skill"), in("tools/out"), in("npm"), in("bin/tool"), in("tools/never/was")}
	s.statuses(t.Context(), []install.Step{remove}, install.StatusVerified)
	for path, want := range map[string]bool{"tools/skill": false, "tools/out": false, "npm": false, "bin/tool": false, "tools/kept/file": true, "bin/mine": true, "bin/unlisted": true, "receipts": true} {
		if exists(in(path)) != want {
			t.Errorf("%s is there: %v", path, !want)
		}
	}
	if len(s.receipts()) != 0 {
		t.Error("the receipt is still there")
	}
}

// A receipt that was changed to name a link elsewhere does not make it ours.
func TestRemoveForeignLink(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.statuses(t.Context(), []install.Step{npmTool(s, "tool")}, install.StatusOffPath)
	link := filepath.Join(s.off, "link")
	if err := os.Symlink(filepath.Join(s.root, "precious"), link); err != nil {
		t.Fatal(err)
	}
	file, err := filepath.Glob(filepath.Join(s.state, "receipts", "npm*"))
	if err != nil || len(file) != 1 {
		t.Fatalf("receipts %q, %v", file, err)
	}
	text, err := os.ReadFile(file[0])
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.ReplaceAll(text, []byte(filepath.Join(s.state, "bin", "tool")), []byte(link))
	text = bytes.ReplaceAll(text, []byte(filepath.Join(s.state, "npm", "bin")), []byte("/"))
	if err := os.WriteFile(file[0], text, 0o600); err != nil {
		t.Fatal(err)
	}
	remove := removal("npm:tool")
	remove.Argv = []string{"/bin/sh", "-c", ":"}
	s.run(t.Context(), remove)
	if !exists(link) {
		t.Error("it was removed")
	}
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
}

// A link that was made to lead elsewhere since, or replaced by a file, is not
// removed, and the receipt stays as it was.
func TestRemoveChangedLink(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.statuses(t.Context(), []install.Step{npmTool(s, "tool")}, install.StatusOffPath)
	link := filepath.Join(s.state, "bin", "tool")
	remove := removal("npm:tool")
	remove.Remove = []string{link}
	for name, change := range map[string]func() error{
		"link": func() error { return os.Symlink(filepath.Join(s.root, "precious"), link) },
		"file": func() error { return os.WriteFile(link, []byte("mine"), 0o755) },
	} {
		if err := errors.Join(os.Remove(link), change()); err != nil {
			t.Fatal(err)
		}
		s.statuses(t.Context(), []install.Step{remove}, install.StatusFailed)
		if r := s.receipts()["npm:tool"]; !exists(link) || r.State != install.ReceiptInstalled {
			t.Errorf("%s: it is there: %v, receipt %+v", name, exists(link), r)
		}
	}
}
