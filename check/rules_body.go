package check

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/matrix-nexus/skillkit/metadata"
)

// maxBodyLines is how many lines a body should have at most.
const maxBodyLines = 500

// What a body should have at least, in code points and words; and in Chinese,
// Japanese and Korean text, which says more in fewer.
const (
	minBodyChars    = 250
	minBodyWords    = 80
	minBodyCharsCJK = 100
)

// maxInjections is how many commands a body may have run before it is read.
const maxInjections = 3

// bodyRules look at the Markdown of a skill.
var bodyRules = []*Rule{
	{
		ID:    "body-empty",
		Title: "no text below the frontmatter",
		Doc: `
The body is what a model gets when it chooses the skill. Without one it is told nothing. Write what to
do, step by step, with an example.
`,
		Bad:      "---\n" + goodHeader + "---\n",
		Good:     goodSkill,
		Source:   "agentskills.io specification, section Body content",
		Severity: metadata.Warning,
		Run:      bodyEmpty,
	},
	{
		ID:    "body-thin",
		Title: "very short body",
		Doc: `
A model knows much already; a body of two or three sentences seldom tells it more. Publishing places
count the words, and refuse or rank down skills with fewer than 80. Add the steps, an example, and what to do
when something fails.
`,
		Bad:      goodSkill,
		Good:     "---\n" + goodHeader + "---\n" + goodBody + strings.Repeat("\nAsk which version to deploy, then look at the hosts that run another one, and show them in a table.\n", 5),
		Source:   "ClawHub's publish validation: fewer than 250 characters or 80 words",
		Severity: metadata.Info,
		Profiles: []Profile{OpenClaw},
		Run:      bodyThin,
	},
	{
		ID:    "body-too-long",
		Title: "body of more than 500 lines",
		Doc: `
All of the body is loaded when the skill is chosen, and stays in the conversation. Keep what is always
needed, and move the rest to files in references that the body names, which are read when they are needed.
`,
		Bad:      goodSkill + strings.Repeat("\nMore.\n", 250),
		Good:     goodSkill,
		Source:   "agentskills.io specification, section Progressive disclosure; 1,188 of 20,982 published skills have more",
		Severity: metadata.Info,
		Run:      bodyTooLong,
	},
	{
		ID:    "final-newline",
		Title: "file that does not end with one newline",
		Doc: `
A text file ends with exactly one newline. Without it, what is appended joins the last
line, such as the closing fence or the last step; empty lines at the end are noise in each diff. The fix
writes one.
`,
		Bad:      strings.TrimRight(goodSkill, "\n"),
		Good:     goodSkill,
		Source:   "POSIX.1-2024, XBD section 3.185: a line ends with a newline",
		Severity: metadata.Info,
		Fixable:  true,
		Run:      finalNewline,
	},
	{
		ID:    "unclosed-code-fence",
		Title: "code fence that is never closed",
		Doc: `
All that follows is code then: headings and links in it are none, and a model may take instructions for
an example. Close the fence with a line of the same sign, at least as many. A block that holds
fences itself needs a longer one around it.
`,
		Bad:      goodSkill + "\n```sh\ndeploy --all\n\n## Then\n\nTell the team.\n",
		Good:     goodSkill + "\n```sh\ndeploy --all\n```\n\n## Then\n\nTell the team.\n",
		Source:   "CommonMark 0.31.2, section 4.5; 377 of 20,982 published skills",
		Severity: metadata.Warning,
		Run:      unclosedCodeFence,
	},
	{
		ID:    "command-injection",
		Title: "command that runs before the skill is read",
		Doc: `
Some clients run !` + "`cmd`" + ` and put its output in the place, without asking and before a model has seen the
text. Others show it as it is. Say instead in words what to run and what to look for in the output, unless
the skill is for such a client alone.
`,
		Bad:      goodSkill + "\nThe branch is !`git branch --show-current`.\n",
		Good:     goodSkill + "\nThe branch is what `git branch --show-current` prints.\n",
		Source:   "agnix, rule CC-SK-009",
		Severity: metadata.Info,
		Run:      commandInjection,
	},
	{
		ID:    "many-command-injections",
		Title: "more than three commands that run before the skill is read",
		Doc: `
Each !` + "`cmd`" + ` delays the skill, and its output takes room in the conversation whether it is needed or
not. Gather them in one script, or say in words what to run when.
`,
		Bad:      goodSkill + "\n!`git status` !`git log -1` !`git diff` !`git stash list`\n",
		Good:     goodSkill + "\nRun `git status` first, then `git log -1`, `git diff` and `git stash list`.\n",
		Source:   "agnix, rule CC-SK-009",
		Severity: metadata.Warning,
		Run:      manyCommandInjections,
	},
	{
		ID:    "heading-skipped",
		Title: "heading that skips a level",
		Doc: `
A heading two levels below the one before it looks like a part of something that is not there. Models
find their way by headings as readers do. Use the next level.
`,
		Bad:      goodSkill + "\n### Staging\n\nFirst.\n",
		Good:     goodSkill + "\n## Staging\n\nFirst.\n",
		Source:   "WCAG 2.2, technique G141",
		Severity: metadata.Info,
		Off:      true,
		Run:      headingSkipped,
	},
}

// bodyStart is where the body starts: its first line that is not blank, else
// the line of the closing fence.
func bodyStart(p *Pass) metadata.Position {
	body := p.Doc.Body
	start := len(p.Data) - len(body)
	if text := bytes.TrimLeft(body, " \t\r\n"); len(text) > 0 {
		return p.Position(start + len(body) - len(text))
	}
	return metadata.Position{Line: max(1, p.Doc.BodyLine-1), Column: 1}
}

func bodyEmpty(p *Pass) {
	if len(bytes.TrimSpace(p.Doc.Body)) == 0 {
		p.Reportf(bodyStart(p), "the body is empty; say below the frontmatter what to do")
	}
}

func finalNewline(p *Pass) {
	end := len(bytes.TrimRight(p.Data, "\r\n"))
	rest := string(p.Data[end:])
	newline := "\n"
	if strings.HasPrefix(rest, "\r") {
		newline = "\r" // that lines end so is for another rule
		if strings.HasPrefix(rest, "\r\n") {
			newline = "\r\n"
		}
	}
	if rest == newline {
		return
	}
	message := "the file does not end with a newline"
	if rest != "" {
		message = "empty lines end the file"
	}
	p.Report(Finding{
		Position: p.Position(end),
		Message:  message,
		Fix: &Fix{
			Message: "end the file with one newline",
			Edits:   []metadata.Edit{{Start: end, End: len(p.Data), New: newline}},
			Changes: []string{"Body"},
		},
	})
}

func bodyThin(p *Pass) {
	body := p.Doc.Body
	// A longer one needs no counting.
	if len(body) > 32*minBodyWords || len(bytes.TrimSpace(body)) == 0 {
		return
	}
	chars, wide := 0, 0
	for _, c := range body {
		if c > ' ' && utf8.RuneStart(c) {
			chars++
		}
	}
	if utf8.RuneCount(body) < len(body) {
		for _, r := range string(body) {
			if isWide(r) {
				wide++
			}
		}
	}
	words := len(bytes.Fields(body))
	switch {
	case wide*4 > chars:
		if chars < minBodyCharsCJK {
			p.Reportf(bodyStart(p), "the body has %d characters; %d are few", chars, minBodyCharsCJK)
		}
	case chars < minBodyChars || words < minBodyWords:
		p.Reportf(bodyStart(p), "the body has %d words and %d characters; ClawHub wants %d and %d", words, chars, minBodyWords, minBodyChars)
	}
}

// isWide reports whether r is of a script that writes no blanks between words
// or says a syllable in one sign.
func isWide(r rune) bool {
	return r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

func bodyTooLong(p *Pass) {
	body := bytes.TrimRight(p.Doc.Body, " \t\r\n")
	n := bytes.Count(body, []byte("\n")) + 1
	if lf := bytes.Count(body, []byte("\n")); lf == 0 {
		n = bytes.Count(body, []byte("\r")) + 1
	}
	if n > maxBodyLines {
		p.Reportf(metadata.Position{Line: p.Doc.BodyLine + maxBodyLines, Column: 1},
			"the body has %d lines, which is more than %d; move what is not always needed to files in references", n, maxBodyLines)
	}
}

func unclosedCodeFence(p *Pass) {
	fences := p.Body().Fences
	for i, f := range fences {
		if f.Closed {
			continue
		}
		sign := string(p.Data[p.Offset(f.Pos)])
		hint := ""
		for _, g := range fences[:i] {
			if holdsFence(g.Text, strings.Repeat(sign, 3)) {
				hint = fmt.Sprintf("; the block of line %d holds another one and needs a longer fence", g.Pos.Line)
				break
			}
		}
		p.Reportf(f.Pos, "the code fence that opens here is never closed%s", hint)
	}
}

// holdsFence reports whether a line of text opens a code fence with a language.
func holdsFence(text, sign string) bool {
	if !strings.Contains(text, sign) {
		return false
	}
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(strings.TrimLeft(line, " "), sign); ok && strings.TrimSpace(rest) != "" {
			return true
		}
	}
	return false
}

// injections returns the code spans that are commands to run at once.
func injections(p *Pass) []Code {
	var list []Code
	if !bytes.Contains(p.Doc.Body, []byte("!`")) {
		return nil
	}
	for _, c := range p.Body().Codes {
		at := c.Start
		if at < 2 || p.Data[at-1] != '`' || p.Data[at-2] != '!' || strings.TrimSpace(c.Text) == "" {
			continue
		}
		if at == 2 || strings.IndexByte(" \t\r\n(:", p.Data[at-3]) >= 0 {
			list = append(list, c)
		}
	}
	return list
}

func commandInjection(p *Pass) {
	list := injections(p)
	if len(list) == 0 || len(list) > maxInjections {
		return
	}
	p.Reportf(list[0].Pos, "%q is run by some clients before the skill is read, and shown as it is by others", clip(list[0].Text))
}

func manyCommandInjections(p *Pass) {
	if list := injections(p); len(list) > maxInjections {
		p.Reportf(list[maxInjections].Pos, "%d commands are run before the skill is read; more than %d are slow", len(list), maxInjections)
	}
}

func headingSkipped(p *Pass) {
	last := 6
	for _, h := range p.Body().Headings {
		if h.Level > last+1 {
			p.Reportf(h.Pos, "the heading is of level %d, and the one before it of level %d", h.Level, last)
		}
		last = h.Level
	}
}
