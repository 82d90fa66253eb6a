package check

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"

	"github.com/matrix-nexus/skillkit/metadata"
)

// Apply returns data after the fixes of findings, and the findings whose fixes
// were made, in the order given. All edits of a fix are made or none: none if
// one of them lies outside of data or overlaps with one of a finding before.
func Apply(data []byte, findings []Finding) (out []byte, applied []Finding) {
	var edits []metadata.Edit
	for _, f := range findings {
		if f.Fix == nil || len(f.Fix.Edits) == 0 {
			continue
		}
		all := slices.Concat(edits, f.Fix.Edits)
		slices.SortStableFunc(all, func(a, b metadata.Edit) int { return cmp.Compare(a.Start, b.Start) })
		if !fit(all, len(data)) {
			continue
		}
		edits = all
		applied = append(applied, f)
	}
	at := 0
	for _, e := range edits {
		out = append(append(out, data[at:e.Start]...), e.New...)
		at = e.End
	}
	return append(out, data[at:]...), applied
}

// fit reports whether sorted edits lie in a text and don't overlap. Of two that
// start at one place nobody can say which comes first.
func fit(edits []metadata.Edit, size int) bool {
	for i, e := range edits {
		if e.Start < 0 || e.End < e.Start || e.End > size {
			return false
		}
		if i > 0 && (edits[i-1].Start == e.Start || edits[i-1].End > e.Start) {
			return false
		}
	}
	return true
}

// maxRounds is how often the fixes of a file may make further ones possible.
const maxRounds = 10

// Fix returns the text of the manifest file of t after all fixes that hold, and
// the findings that they took away, each with the place that it had when it was
// found. Nothing is written. A fix holds if the text after it is read as
// before, but for what [Fix.Changes] names, and its rule finds less. To fix
// the result again changes nothing.
//
// Findings that a comment takes back are left, and so are those of rules for
// several skills. The text is nil if the file cannot be read. The error is that
// of ctx, and then all there is, or joins each [*RuleError].
func (c *Checker) Fix(ctx context.Context, t Target) (text []byte, fixed []Finding, err error) {
	for range maxRounds {
		u := c.folder(ctx, t)
		c.finish(u)
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		text, err = u.Data, errors.Join(u.errs...)
		r := repair{c: c, ctx: ctx, before: u}
		r.add(slices.DeleteFunc(slices.Clone(u.found), func(f Finding) bool {
			return f.Fix == nil || f.Ignored != "" || f.File != u.File
		}))
		if len(r.made) == 0 {
			break
		}
		fixed = append(fixed, r.made...)
		t.Text = r.after
		text = r.after
	}
	return text, fixed, err
}

// A repair makes the fixes of one text that hold together.
type repair struct {
	c      *Checker
	ctx    context.Context // of the call
	before *run
	made   []Finding
	after  []byte
}

// add makes the fixes of list that hold. Those that don't are found by halves.
func (r *repair) add(list []Finding) {
	if len(list) == 0 || r.ctx.Err() != nil {
		return
	}
	text, made := Apply(r.before.Data, slices.Concat(r.made, list))
	if len(made) == len(r.made) {
		return
	}
	if r.holds(text, made) {
		r.made, r.after = made, text
		return
	}
	if half := len(list) / 2; half > 0 {
		r.add(list[:half])
		r.add(list[half:])
	}
}

// holds reports whether text, in which fixes were made, is read as before, and
// their rules find less.
func (r *repair) holds(text []byte, made []Finding) bool {
	f := *r.before.Folder // other files are as before
	f.Data, f.Doc, f.Err, f.lines = nil, nil, nil, nil
	f.Target.Text = text
	f.release()
	f.parse()
	u := &run{Folder: &f}
	u.pass = Pass{Folder: u.Folder, Options: &r.c.opts, checker: r.c, found: &u.found}
	if u.Doc == nil {
		return false
	}
	left := make(map[string]int)
	var changes []string
	for _, f := range made {
		left[f.Rule]--
		changes = append(changes, f.Fix.Changes...)
	}
	if r.before.Doc != nil && !same(r.before.Doc, u.Doc, changes) {
		return false
	}
	for _, rule := range r.c.rules {
		if _, ok := left[rule.ID]; ok {
			u.try(rule)
		}
	}
	for _, f := range r.before.found {
		left[f.Rule]++
	}
	for _, f := range u.found {
		left[f.Rule]--
	}
	for _, n := range left {
		if n < 0 {
			return false
		}
	}
	return len(u.errs) == 0
}

// same reports whether two documents say the same, but for some fields.
func same(a, b *metadata.Document, but []string) bool {
	if !slices.Contains(but, "Body") && !bytes.Equal(a.Body, b.Body) {
		return false
	}
	m, n := unplaced(a.Manifest), unplaced(b.Manifest)
	for _, name := range but {
		for _, v := range []reflect.Value{reflect.ValueOf(&m), reflect.ValueOf(&n)} {
			if field := v.Elem().FieldByName(name); field.IsValid() {
				field.SetZero()
			}
		}
	}
	return reflect.DeepEqual(m, n)
}

// unplaced returns m without the places where things stand.
func unplaced(m metadata.Manifest) metadata.Manifest {
	q := &m.Requires
	for _, list := range []*[]metadata.Requirement{
		&q.Bins, &q.AnyBins, &q.Env, &q.Config, &q.PythonPackages, &q.Skills, &q.Tools,
		&q.OptionalBins, &q.OptionalEnv, &q.OptionalConfig, &q.OptionalPythonPackages,
	} {
		*list = slices.Clone(*list)
		for i := range *list {
			(*list)[i].Pos = metadata.Position{}
		}
	}
	for _, list := range []*[]metadata.Recipe{&m.Install, &m.Uninstall} {
		*list = slices.Clone(*list)
		for i := range *list {
			(*list)[i].Pos = metadata.Position{}
		}
	}
	return m
}
