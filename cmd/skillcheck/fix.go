package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/matrix-nexus/skillkit/check"
	"github.com/matrix-nexus/skillkit/internal/atomicfile"
	"github.com/matrix-nexus/skillkit/metadata"
)

// maxRounds is how often a repair may make the next one possible.
const maxRounds = 10

// A repair is a file before and after.
type repair struct {
	target   check.Target
	old, new []byte
	fixed    []check.Finding
}

// file returns the path of the file as findings show it.
func (r *repair) file() string { return path.Join(r.target.Path, r.target.Manifest) }

// repairs returns what is to be repaired, and changes nothing.
func (a *app) repairs() ([]*repair, error) {
	r, err := a.check()
	if err != nil {
		return nil, err
	}
	byFile := map[string][]check.Finding{}
	for _, f := range r.live {
		if f.Fix != nil {
			byFile[f.File] = append(byFile[f.File], f)
		}
	}
	var list []*repair
	for _, t := range a.targets {
		r := &repair{target: t}
		findings := byFile[r.file()]
		if t.Manifest == "" || len(findings) == 0 {
			continue
		}
		if err := a.repair(r, findings); err != nil {
			return nil, err
		}
		if !bytes.Equal(r.old, r.new) {
			list = append(list, r)
		}
	}
	return list, nil
}

// repair fills in what becomes of a file with these findings, and of those that
// can only be told after a repair.
func (a *app) repair(r *repair, findings []check.Finding) error {
	r.old = []byte(a.text(r.file()))
	r.new = r.old
	for range maxRounds {
		var done []check.Finding
		if r.new, done = apply(r.new, findings); len(done) == 0 {
			return nil
		}
		r.fixed = append(r.fixed, done...)
		t := r.target
		t.Text = r.new
		report, err := a.checker.Check(a.ctx, []check.Target{t})
		if err != nil {
			return err
		}
		findings = slices.DeleteFunc(report.Findings, func(f check.Finding) bool { return f.Ignored != "" || f.File != r.file() })
	}
	return nil
}

// fix writes the repairs. It returns the findings that it repaired.
func (a *app) fix() ([]check.Finding, error) {
	list, err := a.repairs()
	if err != nil {
		return nil, err
	}
	var fixed []check.Finding
	for _, r := range list {
		if err := r.write(); err != nil {
			a.warn(fmt.Errorf("%s: not repaired: %w", r.file(), err))
			continue
		}
		fixed = append(fixed, r.fixed...)
	}
	return fixed, nil
}

// errLink means that a file is not written to, since it is none.
var errLink = errors.New("it is no regular file but a link or a device, which is not written to")

// write replaces the file in one step, unless it was changed meanwhile. A link is
// not followed.
func (r *repair) write() error {
	root, err := os.OpenRoot(filepath.FromSlash(r.target.Path))
	if err != nil {
		return err
	}
	defer root.Close()
	info, err := root.Lstat(r.target.Manifest)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errLink
	}
	now, err := fs.ReadFile(root.FS(), r.target.Manifest)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, r.old) {
		return errors.New("it was changed meanwhile")
	}
	return atomicfile.WriteIn(root, r.target.Manifest, r.new, info.Mode().Perm())
}

// diff writes the repairs as a patch. It reports whether there are any.
func (a *app) diff() (bool, error) {
	list, err := a.repairs()
	if err != nil {
		return false, err
	}
	for _, r := range list {
		text := diff.Diff("a/"+r.file(), r.old, "b/"+r.file(), r.new)
		a.out.raw(string(text))
	}
	return len(list) > 0, nil
}

// apply returns text after the edits of findings, and which of them it made: those
// that overlap with none before.
func apply(text []byte, findings []check.Finding) (out []byte, done []check.Finding) {
	var edits []metadata.Edit
	for _, f := range findings {
		if f.Fix == nil || slices.ContainsFunc(f.Fix.Edits, func(e metadata.Edit) bool {
			return e.Start < 0 || e.End < e.Start || e.End > len(text) ||
				slices.ContainsFunc(edits, func(g metadata.Edit) bool { return e.Start <= g.End && g.Start <= e.End })
		}) {
			continue
		}
		edits = append(edits, f.Fix.Edits...)
		done = append(done, f)
	}
	slices.SortFunc(edits, func(e, g metadata.Edit) int { return e.Start - g.Start })
	at := 0
	for _, e := range edits {
		out = append(append(out, text[at:e.Start]...), e.New...)
		at = e.End
	}
	return append(out, text[at:]...), done
}
