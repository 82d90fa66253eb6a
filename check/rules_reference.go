package check

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/metadata"
)

// referenceRules look at what the text names: files in the folder and outside.
var referenceRules = []*Rule{
	{
		ID:    "link-broken",
		Title: "link to a file that does not exist",
		Doc: `
A model that follows the link gets an error, and does without what the author thought it would
read. Correct the path, or add the file. A path that is wrong in its case alone is found on one
system and not on another; the fix writes it as the file is called. Nothing inside a code
block, a code span or a comment is taken for a link.
`,
		Bad:      goodSkill + "\nSee [the checklist](references/checklist.md#staging).\n",
		Good:     "-- deploy/SKILL.md --\n" + goodSkill + "\nSee [the checklist](references/checklist.md#staging).\n-- deploy/references/checklist.md --\n# Staging\n",
		Source:   "agentskills.io specification, section File references; 206 of 20,982 published skills have such a link",
		Severity: metadata.Warning,
		Run:      linkBroken,
	},
	{
		ID:    "base-dir-broken",
		Title: "{baseDir} path that does not exist",
		Doc: `
{baseDir} stands for the folder of the skill, so a path behind it is a file that comes with it,
in a command as well as in the text. The command fails if the file is not there. Correct the path, or
add the file. What a line of the body makes, such as a file behind -o or >, is not asked for.
`,
		Bad:      goodSkill + "\n```sh\npython3 {baseDir}/scripts/deploy.py\n```\n",
		Good:     "-- deploy/SKILL.md --\n" + goodSkill + "\n```sh\npython3 {baseDir}/scripts/deploy.py\n```\n-- deploy/scripts/deploy.py --\nprint()\n",
		Source:   "282 of 2,629 such paths in 20,982 published skills lead nowhere",
		Severity: metadata.Warning,
		Run:      baseDirBroken,
	},
	{
		ID:    "code-path-broken",
		Title: "path in a code span that does not exist",
		Doc: `
A path below scripts, references, assets, templates, examples or data reads like a file of the
skill, and a model will try to read or run it. Correct the path, add the file, or write the path so
that it is clear whose folder is meant.
`,
		Bad:      goodSkill + "\nRun `python3 scripts/deploy.py`.\n",
		Good:     "-- deploy/SKILL.md --\n" + goodSkill + "\nRun `python3 scripts/deploy.py`.\n-- deploy/scripts/deploy.py --\nprint()\n",
		Source:   "1,691 of 10,220 such paths in 20,982 published skills lead nowhere",
		Severity: metadata.Info,
		Run:      codePathBroken,
	},
	{
		ID:    "reference-outside",
		Title: "path that leaves the folder of the skill",
		Doc: `
A skill is published and installed as one folder. What lies beside it, in the home folder or
anywhere else on the author's machine is not there for others, and a reader that keeps to the folder
refuses it. Copy the file into the folder, give the address of a page, or name another skill in
requires.skills and call it by its name.
`,
		Bad:      goodSkill + "\nSee [the other skill](../rollback/SKILL.md).\n",
		Good:     "-- deploy/SKILL.md --\n" + goodSkill + "\nSee [how to go back](references/rollback.md).\n-- deploy/references/rollback.md --\n# Back\n",
		Source:   "skill-publish page, section Checklist: the body is self-contained; 801 such paths in 20,982 published skills, 553 of them to nothing",
		Severity: metadata.Warning,
		Run:      referenceOutside,
	},
	{
		ID:    "reference-too-deep",
		Title: "reference more than one level deep",
		Doc: `
Models often read only the start of a file that they find by way of another, and lose
their way in folders inside folders. Keep what SKILL.md refers to directly below references, and
let SKILL.md name each file.
`,
		Bad:        "-- deploy/SKILL.md --\n" + goodSkill + "\nSee [the guide](references/deep/nested/guide.md).\n-- deploy/references/deep/nested/guide.md --\n# Guide\n",
		Good:       "-- deploy/SKILL.md --\n" + goodSkill + "\nSee [the guide](references/guide.md).\n-- deploy/references/guide.md --\n# Guide\n",
		Source:     "agentskills.io specification, section File references",
		Severity:   metadata.Info,
		SeverityIn: map[Profile]metadata.Severity{AgentSkills: metadata.Warning},
		Run:        referenceTooDeep,
	},
	{
		ID:    "backslash-path",
		Title: "path with backslashes",
		Doc: `
Only Windows takes a backslash for the separator of a path; everywhere else it is part of a file
name that does not exist. A slash works on all systems. Paths with a drive, and escapes such as \d in
patterns, are left alone.
`,
		Bad:      "-- deploy/SKILL.md --\n" + goodSkill + "\nSee `references\\guide.md`.\n-- deploy/references/guide.md --\n# Guide\n",
		Good:     "-- deploy/SKILL.md --\n" + goodSkill + "\nSee `references/guide.md`. Versions match `v\\d+\\.\\d+`.\n-- deploy/references/guide.md --\n# Guide\n",
		Source:   "agentskills.io best practices, section Avoid Windows-style paths",
		Severity: metadata.Warning,
		Fixable:  true,
		Run:      backslashPath,
	},
	{
		ID:    "user-specific-path",
		Title: "path in the home folder of one user",
		Doc: `
A path such as /home/alice/notes exists on the machine of the author alone, and says who that
is. Write ~ or $HOME for the home folder, {baseDir} for the folder of the skill, or ask for the path.
Names that stand for anybody, as in /home/user, are left alone.
`,
		Bad:      goodSkill + "\n```sh\ncat /Users/mkowalski/deploy/hosts.txt\n```\n",
		Good:     goodSkill + "\n```sh\ncat ~/deploy/hosts.txt /home/user/hosts.txt\n```\n",
		Source:   "332 of 20,982 published skills have /home/<name>, 216 /Users/<name>",
		Severity: metadata.Warning,
		Run:      userSpecificPath,
	},
	{
		ID:    "file-unmentioned",
		Title: "file that the text never mentions",
		Doc: `
A model reads SKILL.md, and of the other files only those that it is told of. A file in
scripts, references, templates, examples or data that neither the body nor a mentioned file names
is never used. Say in the body when to read or run it, or remove it.
`,
		Bad:      "-- deploy/SKILL.md --\n" + goodSkill + "-- deploy/references/hosts.md --\n# Hosts\n",
		Good:     "-- deploy/SKILL.md --\n" + goodSkill + "\nThe hosts are in references/hosts.md.\n-- deploy/references/hosts.md --\n# Hosts\n",
		Source:   "agentskills.io specification, section Progressive disclosure",
		Severity: metadata.Info,
		Run:      fileUnmentioned,
	},
}

// workspaceFiles are files of the user that skills speak of by their names.
var workspaceFiles = []string{
	"MEMORY.md", "HEARTBEAT.md", "AGENTS.md", "SOUL.md", "TOOLS.md", "USER.md", "IDENTITY.md", "CLAUDE.md",
}

// missing calls report for each reference of the kind to a file that is not
// there, with the message that says so.
func missing(p *Pass, kind refKind, report func(r reference, fix *Fix, message string)) {
	if p.FS == nil {
		return
	}
	for _, r := range p.Body().refs {
		if r.kind != kind || outside(r.path) || isBackslashPath(p.Folder, r.path) || p.has(r.path) {
			continue
		}
		name := path.Clean(r.path)
		file, fold := p.like(name)
		switch {
		case fold:
			report(r, caseFix(p, r, file), fmt.Sprintf("there is no %q, but %q: names differ by case on most systems", clip(name), clip(file)))
		case file != "":
			report(r, nil, fmt.Sprintf("there is no %q in the folder of the skill, but %q", clip(name), clip(file)))
		case isDomain(name):
			report(r, nil, fmt.Sprintf("there is no %q in the folder of the skill; write https:// before an address", clip(name)))
		default:
			report(r, nil, fmt.Sprintf("there is no %q in the folder of the skill", clip(name)))
		}
	}
}

// caseFix returns the fix that writes file for a path that differs from it by
// case, if the path stands in the text as it is.
func caseFix(p *Pass, r reference, file string) *Fix {
	text := string(p.Data[r.start:r.end])
	i := strings.Index(text, path.Clean(r.path))
	if i < 0 || len(file) != len(path.Clean(r.path)) {
		return nil
	}
	return &Fix{
		Message: "write the path as the file is called",
		Edits:   []metadata.Edit{{Start: r.start + i, End: r.start + i + len(file), New: file}},
		Changes: []string{"Body"},
	}
}

// isDomain reports whether name looks like an address without its scheme.
func isDomain(name string) bool {
	host, _, _ := strings.Cut(name, "/")
	return strings.HasPrefix(host, "www.") ||
		slices.Contains([]string{".com", ".org", ".net", ".io", ".dev", ".ai"}, path.Ext(host))
}

func linkBroken(p *Pass) {
	missing(p, linkRef, func(r reference, fix *Fix, message string) {
		if !slices.Contains(workspaceFiles, r.path) {
			p.reportRef(r, fix, message)
		}
	})
}

func baseDirBroken(p *Pass) {
	var made []string // what the body makes, or says it may be made
	missing(p, baseRef, func(r reference, _ *Fix, _ string) {
		if isOutput(p.Folder, r) {
			made = append(made, path.Clean(r.path))
		}
	})
	seen := map[string]bool{}
	missing(p, baseRef, func(r reference, fix *Fix, message string) {
		name := path.Clean(r.path)
		below := func(dir string) bool { return name == dir || strings.HasPrefix(name, dir+"/") }
		if seen[name] || isMade(name) || slices.ContainsFunc(made, below) {
			return
		}
		seen[name] = true
		p.reportRef(r, fix, message)
	})
}

func codePathBroken(p *Pass) {
	seen := map[string]bool{}
	missing(p, codeRef, func(r reference, fix *Fix, message string) {
		name := path.Clean(r.path)
		dir, _, _ := strings.Cut(name, "/")
		// If the skill has no such folder, that of the user may be meant.
		own := p.has(dir) || dir != "examples" && dir != "templates" && dir != "data" && r.word < 2
		if !own || seen[name] || path.Ext(name) == "" || isMade(name) || isOutput(p.Folder, r) {
			return
		}
		seen[name] = true
		p.reportRef(r, fix, message)
	})
}

// isMade reports whether name is that of a thing that programs make.
func isMade(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		switch part {
		case "node_modules", "venv", "dist", "build", "target", "out", "output", "outputs", "tmp", "cache", "logs":
			return true
		}
		if strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".log") {
			return true
		}
	}
	return false
}

// isOutput reports whether the command around r makes the file.
func isOutput(f *Folder, r reference) bool {
	if r.start == r.end {
		return false
	}
	start := r.start
	for start > 0 && f.Data[start-1] != '\n' && f.Data[start-1] != '\r' {
		start--
	}
	before := strings.Fields(strings.TrimRight(string(f.Data[start:r.start]), `"'`+"`"))
	for i, word := range before {
		switch strings.TrimLeft(word, "`$(") {
		case "mkdir", "touch", "tee", "cp", "mv", "ln", "cd", "git":
			return true
		case "-o", "-O", "--output", "--out", "--outfile", "--output-dir", "--out-dir", ">", ">>", "1>", "2>", "&>":
			if i == len(before)-1 {
				return true
			}
		}
	}
	return len(before) > 0 && (strings.HasSuffix(before[len(before)-1], ">") || strings.HasSuffix(before[len(before)-1], "="))
}

func referenceOutside(p *Pass) {
	for _, r := range p.Body().refs {
		if !outside(r.path) || r.kind == codeRef && !isSibling(r.path) {
			continue
		}
		switch {
		case absolute(r.path):
			p.reportRef(r, nil, fmt.Sprintf("the path %q is that of one machine; files of the skill are named relative to its folder", clip(r.path)))
		case isSibling(r.path):
			p.reportRef(r, nil, fmt.Sprintf("the path %q leads to another skill, which may lie elsewhere; call it by its name and list it in requires.skills", clip(r.path)))
		default:
			p.reportRef(r, nil, fmt.Sprintf("the path %q leads out of the folder of the skill; copy the file into it", clip(r.path)))
		}
	}
}

// isSibling reports whether p, which leads out of the folder, is a SKILL.md in
// another, or a file in a folder that skills have.
func isSibling(p string) bool {
	p = path.Clean(strings.ReplaceAll(p, `\`, "/"))
	if !strings.HasPrefix(p, "../") {
		return false
	}
	parts := strings.Split(strings.TrimLeft(p, "./"), "/")
	return len(parts) > 1 && (parts[len(parts)-1] == "SKILL.md" || slices.Contains(skillDirs, parts[1]))
}

func referenceTooDeep(p *Pass) {
	seen := map[string]bool{}
	for _, r := range p.Body().refs {
		name := path.Clean(strings.ReplaceAll(r.path, `\`, "/"))
		if !strings.HasPrefix(name, "references/") || strings.Count(name, "/") < 2 || path.Ext(name) == "" || seen[name] {
			continue
		}
		seen[name] = true
		p.reportRef(r, nil, fmt.Sprintf("%q is more than one folder deep; move it to references/%s", clip(name), clip(path.Base(name))))
	}
}

func backslashPath(p *Pass) {
	for _, r := range p.Body().refs {
		if !isBackslashPath(p.Folder, r.path) {
			continue
		}
		fix := &Fix{Message: "write slashes", Changes: []string{"Body"}}
		for i := r.start; i < r.end; i++ {
			if p.Data[i] == '\\' {
				fix.Edits = append(fix.Edits, metadata.Edit{Start: i, End: i + 1, New: "/"})
			}
		}
		p.reportRef(r, fix, fmt.Sprintf("the path %q is found on Windows alone; write %q", clip(r.path), clip(strings.ReplaceAll(r.path, `\`, "/"))))
	}
}

// isBackslashPath reports whether p has backslashes and is certainly a path: it
// exists with slashes, or is a file in one of the folders that skills have.
func isBackslashPath(f *Folder, p string) bool {
	if !strings.Contains(p, `\`) || absolute(p) {
		return false
	}
	slashed := strings.ReplaceAll(p, `\`, "/")
	dir, rest, _ := strings.Cut(strings.TrimPrefix(slashed, "./"), "/")
	return isPlainPath(slashed) && (slices.Contains(skillDirs, dir) && path.Ext(rest) != "" || f.FS != nil && f.has(slashed))
}
