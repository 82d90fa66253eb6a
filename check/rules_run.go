package check

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/metadata"
)

// runRules look at how the text runs programs and the files of the skill.
var runRules = []*Rule{
	{
		ID:    "script-not-executable",
		Title: "script that is run and may not be",
		Doc: `
The text runs a file of the skill by its path alone, and the file has no executable bit, so the
command ends with "Permission denied". Name the interpreter in front, as in bash {baseDir}/run.sh,
which also works where the skill was copied without its bits, or set the bit.
`,
		Bad: "-- deploy/SKILL.md --\n" + goodSkill + "\n```sh\n{baseDir}/scripts/deploy.sh web\n```\n" +
			"-- deploy/scripts/deploy.sh --\n#!/bin/sh\necho \"$1\"\n",
		Good: "-- deploy/SKILL.md --\n" + goodSkill + "\n```sh\nsh {baseDir}/scripts/deploy.sh web\n```\n" +
			"-- deploy/scripts/deploy.sh --\n#!/bin/sh\necho \"$1\"\n",
		Source:   "execve(2), EACCES; 3 of the 51 skills of openclaw 2026.9.6",
		Severity: metadata.Info,
		Run:      scriptNotExecutable,
	},
	{
		ID:    "python-command",
		Title: "python, which many systems do not have",
		Doc: `
Debian, Ubuntu and macOS have python3 and no python, so the command is not found there. Write
python3, or uv run, which brings its own. A text that makes a virtual environment, in which
python is there, and a skill that requires python are left alone.
`,
		Bad:      goodSkill + "\n```sh\npython -m json.tool hosts.json\n```\n",
		Good:     goodSkill + "\n```sh\npython3 -m json.tool hosts.json\n```\n",
		Source:   "https://peps.python.org/pep-0394/",
		Severity: metadata.Info,
		Run:      pythonCommand,
	},
	{
		ID:    "path-from-root",
		Title: "path that is right from one folder alone",
		Doc: `
A path such as skills/NAME/scripts/run.py leads to a file of the skill from the folder above skills,
and nowhere from all others; nor is the skill in a folder of that name once it is installed. Write
{baseDir}/scripts/run.py, for which readers put in the folder of the skill.
`,
		Bad: "-- deploy/SKILL.md --\n" + goodSkill + "\n```sh\nsh skills/deploy/scripts/deploy.sh web\n```\n" +
			"-- deploy/scripts/deploy.sh --\n#!/bin/sh\necho \"$1\"\n",
		Good: "-- deploy/SKILL.md --\n" + goodSkill + "\n```sh\nsh {baseDir}/scripts/deploy.sh web\n```\n" +
			"-- deploy/scripts/deploy.sh --\n#!/bin/sh\necho \"$1\"\n",
		Source:   "skill-format page, section Body conventions",
		Severity: metadata.Info,
		Profiles: vendorProfiles,
		Run:      pathFromRoot,
	},
}

// isShell reports whether a code block of that language holds commands.
func isShell(lang string) bool {
	return slices.Contains([]string{"", "bash", "sh", "shell", "zsh", "console"}, lang)
}

func scriptNotExecutable(p *Pass) {
	var left []string
	for _, f := range p.Files {
		// All files of an embedded folder have one mode, as have those of Windows:
		// nothing can be told from it.
		mode := f.Mode.Perm()
		if f.Mode.IsRegular() && mode != 0 && mode != 0o444 && mode != 0o666 && mode&0o111 == 0 && f.Name != p.Manifest {
			left = append(left, f.Name)
		}
	}
	if len(left) == 0 {
		return
	}
	runs := func(command string, offset int) {
		path := strings.TrimLeft(command, "\"'")
		if i := strings.IndexAny(path, " \t\"'"); i >= 0 {
			path = path[:i]
		}
		name := strings.TrimPrefix(strings.TrimPrefix(path, baseDir+"/"), "./")
		i := slices.Index(left, name)
		if i < 0 || !strings.Contains(path, "/") {
			return
		}
		left = slices.Delete(left, i, i+1)
		offset += strings.Index(command, path)
		p.Report(Finding{
			Position: p.Position(offset), End: p.Position(offset + len(path)),
			Message: fmt.Sprintf("%q is run and is not executable; name its interpreter in front, or set the bit", clip(name)),
		})
	}
	for i := range p.Body().Fences {
		fence := &p.Body().Fences[i]
		if !isShell(fence.Lang) {
			continue
		}
		at := 0
		goesOn := false // from the line before
		for line := range strings.Lines(fence.Text) {
			command := strings.TrimLeft(line, " \t$")
			offset := at + len(line) - len(command)
			command = strings.TrimRight(command, "\r\n")
			if !goesOn {
				runs(command, fence.Offset(offset))
			}
			goesOn = strings.HasSuffix(command, `\`)
			at += len(line)
		}
	}
	for _, c := range p.Body().Codes {
		if strings.Contains(c.Text, " ") { // the name alone is no command
			runs(c.Text, c.Start)
		}
	}
}

func pythonCommand(p *Pass) {
	const name = "python"
	if !bytes.Contains(p.Doc.Body, []byte(name+" ")) {
		return
	}
	m := &p.Doc.Manifest
	isPython := func(q metadata.Requirement) bool { return q.Name == name }
	if containsAny(string(p.Doc.Body), "venv", "conda", "/activate", "pyenv", "python-is-python3", "alias python") ||
		slices.ContainsFunc(slices.Concat(m.Requires.Bins, m.Requires.AnyBins), isPython) {
		return
	}
	at := -1
	eachCall(p, func(s string) bool { return s != name }, func(_ string, offset int) bool {
		at = offset
		return false
	})
	for _, c := range p.Body().Codes {
		if strings.HasPrefix(c.Text, name+" ") && (at < 0 || c.Start < at) {
			at = c.Start
		}
	}
	if at >= 0 {
		p.Report(Finding{Position: p.Position(at), End: p.Position(at + len(name)), Message: "many systems have no python; write python3"})
	}
}

func pathFromRoot(p *Pass) {
	root := "skills/" + p.Name + "/"
	if p.Name == "" || !bytes.Contains(p.Doc.Body, []byte(root)) {
		return
	}
	body := string(p.Doc.Body)
	for at := 0; ; {
		i := strings.Index(body[at:], root)
		if i < 0 {
			return
		}
		start := at + i
		at = start + len(root)
		end := at
		for end < len(body) && isPathByte(body[end]) {
			end++
		}
		end = at + len(strings.TrimRight(body[at:end], "./"))
		if name := body[at:end]; (start == 0 || !isPathByte(body[start-1]) && strings.IndexByte("}~$", body[start-1]) < 0) && end > at && p.has(name) {
			first := len(p.Data) - len(body)
			p.Report(Finding{
				Position: p.Position(first + start), End: p.Position(first + end),
				Message: fmt.Sprintf("the path is right from one folder alone; write {baseDir}/%s", clip(name)),
			})
			return
		}
	}
}

// A wantedProgram is one that the text asks for.
var wantedProgram = regexp.MustCompile("(?i)(?:\\b(?:requires?|needs?|make sure|ensure)(?: that)? `([a-z][a-z0-9._+-]*)`(?: is)?(?: installed)?(?: and)?|`([a-z][a-z0-9._+-]*)` must be(?: installed)?(?: and)?)(?: (?:available|present))? (?:on|in) (?:your |the )?[`$]?PATH\\b")

// eachWanted calls f for each program that the text says has to be on PATH.
func eachWanted(p *Pass, f func(name string, offset int)) {
	if !bytes.Contains(p.Doc.Body, []byte("PATH")) {
		return
	}
	body := string(p.Doc.Body)
	first := len(p.Data) - len(body)
	for at := 0; ; {
		i := strings.Index(body[at:], "PATH")
		if i < 0 {
			return
		}
		start := at + strings.LastIndexByte(body[at:at+i], '\n') + 1
		at += i + len("PATH")
		m := wantedProgram.FindStringSubmatchIndex(body[start:at])
		if m == nil {
			continue
		}
		from, to := m[2], m[3]
		if from < 0 {
			from, to = m[4], m[5]
		}
		f(body[start+from:start+to], first+start+from)
	}
}
