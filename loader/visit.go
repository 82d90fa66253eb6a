package loader

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/skills"
)

// A visitor is one worker of a walk: what it needs and what it finds.
type visitor struct {
	*area
	walk    *walk
	buf     buffer
	scan    func(head []byte) bool // the method value brief.scan
	brief   brief
	dirents []dirent
	// barren tells of each depth whether the last folder there held no
	// manifest: then the next one most likely holds none either, and is listed
	// at once.
	barren [MaxDepth + 1]bool

	jobs  []job
	links []link
	found indexed
}

// A brief is what was scanned of the header that is being read.
type brief struct {
	metadata.Brief
	certain bool
	head    []byte
}

func (b *brief) read(head []byte) bool {
	b.head = head
	b.Brief, b.certain = metadata.ScanBrief(head)
	return b.certain
}

func newVisitor(w *walk, a *area) *visitor {
	v := &visitor{area: a, walk: w}
	v.scan = v.brief.read
	return v
}

func (v *visitor) work() {
	var batch []job
	for {
		if batch = v.walk.take(batch); len(batch) == 0 {
			break
		}
		for _, j := range batch {
			// Once the context has ended the jobs only run out.
			if v.walk.ctx.Err() == nil {
				v.visit(j)
			}
		}
		v.walk.give(v.jobs)
		v.jobs = v.jobs[:0]
	}
	v.walk.mu.Lock()
	defer v.walk.mu.Unlock()
	w, x := &v.walk.found, &v.found
	w.entries = append(w.entries, x.entries...)
	w.problems = append(w.problems, x.problems...)
	w.folders = append(w.folders, x.folders...)
	w.kept += x.kept
	w.blind = w.blind || x.blind
	if x.rootErr != nil {
		w.rootErr = x.rootErr
	}
	v.walk.links = append(v.walk.links, v.links...)
}

func (v *visitor) problem(code string, severity metadata.Severity, path, message string) {
	v.found.problems = append(v.found.problems,
		metadata.Problem{Code: code, Severity: severity, File: path, Message: message})
}

// visit looks at one folder: it is a skill, or holds further folders.
func (v *visitor) visit(j job) {
	if !v.walk.claim(v.area, j.path) {
		return
	}
	known := v.walk.before[j.path]
	isSkill := known != nil && v.keep(known)
	probed := false
	if !isSkill && v.probes() && !v.barren[j.depth] {
		probed = true
		isSkill = v.manifest(j, skills.FileName)
	}
	v.barren[j.depth] = !isSkill
	if isSkill && !v.opts.Nested {
		return
	}
	v.dirents = v.dirents[:0]
	err := v.list(v.rel(j.path), &v.buf, v.add)
	if err != nil {
		v.unlisted(j, err)
	}
	if !isSkill {
		name := manifestName(v.dirents)
		// The probe may have found a SKILL.md that is a folder, say.
		if name != "" && !(probed && name == skills.FileName) {
			isSkill = v.manifest(j, name)
			v.barren[j.depth] = !isSkill
		}
		if isSkill && !v.opts.Nested {
			return
		}
	}
	v.found.folders = append(v.found.folders, j.path)
	v.descend(j)
}

func (v *visitor) add(e dirent) { v.dirents = append(v.dirents, e) }

// keep takes over the entry e of the walk before if its file is unchanged.
func (v *visitor) keep(e *entry) bool {
	if !e.exact || !e.settled {
		return false
	}
	st, err := v.stat(inTree(v.rel(e.path()), skills.FileName))
	if err != nil || st != e.stamp {
		return false
	}
	v.found.entries = append(v.found.entries, e)
	v.found.kept++
	return true
}

// unlisted records that a folder cannot be listed.
func (v *visitor) unlisted(j job, err error) {
	if j.path == v.place.shown {
		v.found.rootErr = err
	} else if errors.Is(err, fs.ErrNotExist) {
		return // removed during the walk
	}
	v.problem(codeFolderRead, metadata.Error, j.path,
		"cannot be read, so skills in it are not found: "+cause(err).Error())
}

// manifestName returns the name of the manifest file among entries:
// skills.FileName, whatever it is, else the first that differs by case and is
// no folder, else "".
func manifestName(entries []dirent) string {
	name := ""
	for _, e := range entries {
		switch {
		case e.name == skills.FileName:
			return e.name
		case e.kind != isDir && strings.EqualFold(e.name, skills.FileName) && (name == "" || e.name < name):
			name = e.name
		}
	}
	return name
}

// descend makes jobs of the folders that were listed in j.
func (v *visitor) descend(j job) {
	deep := false
	for _, e := range v.dirents {
		if e.kind == other || passedOver(e.name) {
			continue
		}
		child := job{v.join(j.path, e.name), j.depth + 1}
		switch {
		case e.kind == isLink && strings.EqualFold(e.name, skills.FileName):
			// Told of as a manifest file.
		case !utf8.ValidString(e.name):
			v.problem(codeFolderName, metadata.Warning, strings.ToValidUTF8(child.path, "\uFFFD"),
				"the folder's name is not UTF-8, so it is passed over: rename it")
		case v.excluded(child.path):
		case child.depth > MaxDepth:
			deep = true
		case e.kind == isLink:
			v.links = append(v.links, link{child, v.realPath(child.path)})
		default:
			v.jobs = append(v.jobs, child)
		}
	}
	if deep {
		v.problem(codeDepth, metadata.Warning, j.path,
			fmt.Sprintf("holds folders more than %d levels below the root, which were not searched: move skills up", MaxDepth))
	}
}

// excluded reports whether the caller wants the folder left out.
func (v *visitor) excluded(path string) bool {
	if len(v.opts.Exclude) == 0 {
		return false
	}
	rel := strings.TrimLeft(filepath.ToSlash(path[len(v.place.shown):]), "/")
	for _, glob := range v.opts.Exclude {
		if doublestar.MatchUnvalidated(glob, rel) {
			return true
		}
	}
	return false
}

// manifest reads the manifest file of the folder j and reports whether there
// is one, be it good or bad.
func (v *visitor) manifest(j job, name string) bool {
	v.brief = brief{}
	st, err := v.head(inTree(v.rel(j.path), name), &v.buf, v.scan)
	settled := err == nil && st.last() < v.walk.since
	if err == errLink {
		v.found.blind = true
		err = v.linked(j, name)
	}
	switch {
	case err == nil:
	case errors.Is(err, fs.ErrNotExist):
		return false
	case err == errNotRegular:
		v.problem(codeNotFile, metadata.Error, v.join(j.path, name), "is not a regular file: put the text of the skill there")
		return false
	default:
		p := metadata.Problem{
			Code: codeUnread, Severity: metadata.Error, File: v.join(j.path, name), Message: "cannot be read: " + cause(err).Error(),
		}
		if err == errTooLarge { // a fault of the text, as metadata has it
			p.Code, p.Position = codeTooLarge, metadata.Position{Line: 1, Column: 1}
		}
		v.broken(j, name, p)
		return true
	}
	h := skills.Header{
		Name: v.brief.Name, Description: v.brief.Description, MayHaveKey: v.brief.MayHaveKey,
		Dir: j.path, OnDisk: v.FS == nil, File: name, Root: v.place.shown, Source: v.Source,
	}
	if !v.brief.certain {
		shown := v.join(j.path, name)
		doc, err := metadata.ParseHeader(shown, v.brief.head, v.meta)
		if err != nil {
			e, ok := errors.AsType[*metadata.SyntaxError](err)
			if !ok {
				e = &metadata.SyntaxError{File: shown, Msg: err.Error(), Err: err}
			}
			v.broken(j, name, e.Problem())
			return true
		}
		m := &doc.Manifest
		h.MayHaveKey = m.SkillKey != ""
		// The values may share memory with the whole header.
		h.Name, h.Description = strings.Clone(m.Name), strings.Clone(m.Description)
	}
	// Most skills are named as their folder: one string will do.
	if base := filepath.Base(j.path); h.Name == "" || h.Name == base {
		h.Name = base
	}
	e := &entry{stamp: st, settled: settled, exact: name == skills.FileName}
	if !e.exact {
		e.faulty = &faults{j.path, []metadata.Problem{{
			Code: codeNameCase, Severity: metadata.Warning, File: v.join(j.path, name), Message: "should be named " + skills.FileName,
		}}}
	}
	known := v.walk.before[j.path]
	if known != nil && known.skill != nil && known.stamp == st && known.skill.Header == h {
		e.skill = known.skill
		v.found.kept += same(known, e)
	} else {
		e.skill = skills.New(h, v.folder(j.path), v.meta)
	}
	v.found.entries = append(v.found.entries, e)
	return true
}

// inTree returns the path of name in dir, a path within a tree.
func inTree(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}

// linked reads a manifest file that is a link, as far as it stays in its
// folder.
func (v *visitor) linked(j job, name string) error {
	err := errors.New("is a link, which is not followed here")
	if v.FS == nil {
		var f fs.File
		if f, err = v.folder(j.path).Open(name); err == nil {
			defer f.Close()
			if err = readHead(f, &v.buf, v.scan); err == nil {
				return nil
			}
		}
	}
	return fmt.Errorf("it is a link that does not lead to a file in its folder (%v): replace it by the file", cause(err))
}

// broken records a manifest file that no skill can be read from. What was
// last good stays.
func (v *visitor) broken(j job, name string, p metadata.Problem) {
	e := &entry{exact: name == skills.FileName, faulty: &faults{j.path, []metadata.Problem{p}}}
	known := v.walk.before[j.path]
	if known != nil && known.skill != nil {
		e.skill = known.skill
		e.faulty.problems = append(e.faulty.problems, metadata.Problem{
			Code: codeLastGood, Severity: metadata.Warning, File: p.File,
			Message: "the last readable version of this skill is in use: mend the file",
		})
	}
	if known != nil {
		v.found.kept += same(known, e)
	}
	v.found.entries = append(v.found.entries, e)
}

// same returns 1 if a and b come to the same in a set, else 0.
func same(a, b *entry) int {
	if a.skill == b.skill && slices.Equal(a.problems(), b.problems()) {
		return 1
	}
	return 0
}
