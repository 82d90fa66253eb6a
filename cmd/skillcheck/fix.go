package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/matrix-nexus/skillkit/check"
	"github.com/matrix-nexus/skillkit/internal/atomicfile"
	"github.com/matrix-nexus/skillkit/internal/line"
)

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
	fixable := map[string]bool{}
	for _, f := range r.live {
		if f.Fix != nil {
			fixable[f.File] = true
		}
	}
	var list []*repair
	for _, t := range a.targets {
		r := &repair{target: t}
		if t.Manifest == "" || !fixable[r.file()] {
			continue
		}
		r.old = []byte(a.text(r.file()))
		t.Text = r.old
		if r.new, r.fixed, err = a.checker.Fix(a.ctx, t); r.new == nil && err != nil {
			return nil, err // else of a rule that broke, as the check says
		}
		if !bytes.Equal(r.old, r.new) {
			list = append(list, r)
		}
	}
	return list, nil
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

// diff writes the repairs as a patch, in which secrets are masked. It reports whether there are any.
func (a *app) diff() (bool, error) {
	list, err := a.repairs()
	if err != nil {
		return false, err
	}
	for _, r := range list {
		before, after := check.Redact(string(r.old)), check.Redact(string(r.new))
		if before != string(r.old) {
			fmt.Fprintf(a.stderr, "skillcheck: %s holds what looks like a secret, which is shown as asterisks: do not apply the patch\n", line.Visible(r.file(), false))
		}
		a.out.Raw(string(diff.Diff("a/"+r.file(), []byte(before), "b/"+r.file(), []byte(after))))
	}
	return len(list) > 0, nil
}
