package check

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/metadata"
)

// ignoreMark starts a comment that takes back findings, and ignoreFile one that
// does so for the whole folder.
const (
	ignoreMark = "skillcheck-ignore"
	ignoreFile = ignoreMark + "-file"
)

// maxHeadMarks is how many marks of the frontmatter are looked at: each costs
// parsing it once more.
const maxHeadMarks = 20

// An ignore is a comment that takes back findings.
type ignore struct {
	whole  bool // of the whole folder
	rules  []ignoredRule
	reason string // on one line; without one nothing is taken back
	pos    metadata.Position
	end    metadata.Position
	// The lines that the comment stands for are first to last.
	first, last int
}

type ignoredRule struct {
	id       string
	pos, end metadata.Position
	used     bool
}

// takesBack reports whether g stands for f, and notes that it is of use.
func (g *ignore) takesBack(f *Finding, manifest string) bool {
	if g.reason == "" {
		return false
	}
	if !g.whole && (f.File != manifest || !f.IsValid() || f.Line > g.last || max(f.Line, f.End.Line) < g.first) {
		return false
	}
	i := slices.IndexFunc(g.rules, func(r ignoredRule) bool { return r.id == f.Rule })
	if i >= 0 {
		g.rules[i].used = true
	}
	return i >= 0
}

// readIgnores returns the comments of the manifest file that take back
// findings.
func (f *Folder) readIgnores() []*ignore {
	if f.Doc == nil || !bytes.Contains(f.Data, []byte(ignoreMark)) {
		return nil
	}
	var list []*ignore
	add := func(text string, start int) {
		if g := f.parseIgnore(text, start); g != nil {
			list = append(list, g)
		}
	}
	head := f.Data[:len(f.Data)-len(f.Doc.Body)]
	for at, n := 0, 0; n < maxHeadMarks; n++ {
		i := bytes.Index(head[at:], []byte(ignoreMark))
		if i < 0 {
			break
		}
		at += i
		end := len(head)
		if n := bytes.IndexAny(head[at:], "\r\n"); n >= 0 {
			end = at + n
		}
		if f.inComment(at) {
			add(string(head[at:end]), at)
		}
		at = end
	}
	if bytes.Contains(f.Doc.Body, []byte(ignoreMark)) {
		for _, c := range f.Body().Comments {
			add(c.Text, c.Start)
		}
	}
	// One comment may stand below another: each is for what follows them all.
	for i, g := range slices.Backward(list) {
		if i+1 < len(list) && list[i+1].first == g.last {
			g.last = list[i+1].last
		}
	}
	return list
}

// inComment reports whether the mark at an offset of the frontmatter starts a
// comment: only there is it no part of a value.
func (f *Folder) inComment(at int) bool {
	before := bytes.TrimRight(f.Data[:at], " \t")
	n := len(before) - 1
	if n < 0 || before[n] != '#' || n > 0 && strings.IndexByte(" \t\r\n", before[n-1]) < 0 {
		return false
	}
	other := slices.Clone(f.Data)
	copy(other[at:], strings.Repeat("x", len(ignoreMark)))
	doc, err := metadata.Parse(f.File, other, nil)
	return err == nil && reflect.DeepEqual(tops(doc), tops(f.Doc))
}

// tops returns the values of the frontmatter.
func tops(d *metadata.Document) map[string]any {
	all := make(map[string]any)
	for f := range d.Tops() {
		all[f.Key] = f.Value()
	}
	return all
}

// parseIgnore reads a comment whose text starts at an offset of the file, or
// returns nil.
func (f *Folder) parseIgnore(text string, start int) *ignore {
	last := f.Position(start + len(text)).Line
	trimmed := strings.TrimLeft(text, " \t\r\n")
	start += len(text) - len(trimmed)
	text = strings.TrimRight(trimmed, " \t\r\n")
	mark := ignoreMark
	if strings.HasPrefix(text, ignoreFile) {
		mark = ignoreFile
	}
	rest, ok := strings.CutPrefix(text, mark)
	if !ok || rest != "" && strings.IndexByte(" \t\r\n:", rest[0]) < 0 {
		return nil
	}
	names, reason, _ := strings.Cut(rest, ":")
	g := &ignore{
		whole:  mark == ignoreFile,
		reason: strings.Join(strings.Fields(reason), " "),
		pos:    f.Position(start),
		end:    f.Position(start + len(text)),
	}
	at := start + len(mark)
	for name := range strings.SplitAfterSeq(names, ",") {
		id := strings.Trim(name, ", \t\r\n")
		if id != "" {
			from := at + strings.Index(name, id)
			g.rules = append(g.rules, ignoredRule{id: id, pos: f.Position(from), end: f.Position(from + len(id))})
		}
		at += len(name)
	}
	g.first, g.last = g.pos.Line, last+1
	for strings.TrimSpace(f.line(f.File, g.last)) == "" && g.last < len(f.starts()) {
		g.last++
	}
	return g
}

// ignoreRules look at the comments that take back findings. No comment takes
// back theirs.
var ignoreRules = []*Rule{
	{
		ID:    "ignore-without-reason",
		Title: "a comment takes back findings and does not say why",
		Doc: `
A finding that is taken back without a reason is one that nobody looks at again, and the next
reader cannot tell a decision from haste. Such a comment takes nothing back. Write the
reason behind a colon: ` + "`<!-- skillcheck-ignore RULE: reason -->`" + `.
`,
		Bad:      goodSkill + "\n<!-- skillcheck-ignore unquoted-colon -->\n",
		Good:     goodSkill + "\n<!-- skillcheck-ignore unquoted-colon: the text is a sample of bad YAML -->\n",
		Source:   "staticcheck, linter directives: a reason must be given",
		Severity: metadata.Warning,
		RunFolder: func(p *Pass) {
			for _, g := range p.ignores {
				if g.reason == "" {
					p.Report(Finding{Position: g.pos, End: g.end, Message: "the comment gives no reason, so it takes nothing back; write RULE: reason"})
				}
			}
		},
	},
	{
		ID:    "ignore-unknown-rule",
		Title: "a comment takes back findings of a rule that does not exist",
		Doc: `
The comment has no effect, most likely by a typing error, and what it was written for is still
found. Write the ID of the rule as the finding shows it in parentheses.
`,
		Bad:       goodSkill + "\n<!-- skillcheck-ignore unqoted-colon: the text is a sample of bad YAML -->\n",
		Good:      goodSkill + "\n<!-- skillcheck-ignore unquoted-colon: the text is a sample of bad YAML -->\n",
		Source:    "staticcheck, linter directives: a check that does not exist is reported",
		Severity:  metadata.Warning,
		RunFolder: ignoreUnknown,
	},
	{
		ID:    "ignore-unused",
		Title: "a comment takes back nothing",
		Doc: `
The rule finds nothing on the line of the comment or the next one any more, so the comment only
hides the fault that comes next. Remove it.
`,
		Bad:       goodSkill + "\n<!-- skillcheck-ignore unquoted-colon: the text is a sample of bad YAML -->\n",
		Good:      "---\n" + goodName + "# skillcheck-ignore unquoted-colon: the readers we publish for take it\n" + "description: Roll out a release: staging first, then production. Use when a release is due.\n" + goodMetadata + "---\n" + goodBody,
		Source:    "staticcheck, linter directives: one that matched nothing is reported",
		Severity:  metadata.Info,
		last:      true,
		RunFolder: ignoreUnused,
	},
}

func ignoreUnknown(p *Pass) {
	for _, g := range p.ignores {
		if len(g.rules) == 0 {
			p.Report(Finding{Position: g.pos, End: g.end, Message: "the comment names no rule; write RULE: reason"})
		}
		for _, r := range g.rules {
			if !slices.Contains(p.checker.ids, r.id) {
				p.Report(Finding{Position: r.pos, End: r.end, Message: fmt.Sprintf("no rule %q; %s", clip(r.id), p.checker.suggest(r.id))})
			}
		}
	}
}

func ignoreUnused(p *Pass) {
	for _, g := range p.ignores {
		for _, r := range g.rules {
			if g.reason != "" && !r.used && p.ran[r.id] {
				p.Report(Finding{Position: r.pos, End: r.end, Message: "the comment takes back no finding of " + r.id + "; remove it"})
			}
		}
	}
}
