package check

import (
	"bytes"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/metadata"
)

// adviceRules are what the skill-format page advises for a body. Words are
// looked for in English text alone.
var adviceRules = []*Rule{
	{
		ID:    "intro-missing",
		Title: "body that does not start with what the skill does",
		Doc: `
The first paragraph should say plainly what the skill does, before any list, table or code: a model
reads on with that in mind. Add one or two sentences below the title.
`,
		Bad:      "---\n" + goodHeader + "---\n\n# Deploy\n\n- For example: write a table of the hosts.\n",
		Good:     goodSkill,
		Source:   "skill-format page, section Writing effective bodies",
		Severity: metadata.Info,
		Profiles: []Profile{Matrix},
		Run:      introMissing,
	},
	{
		ID:    "output-format-missing",
		Title: "prompt skill that does not say what its output looks like",
		Doc: `
In prompt mode the answer of the model is the result. If the body does not say whether that is a table, a
list, JSON or a paragraph, it is another each time. Describe the format, or show an example.
`,
		Bad:      "---\n" + goodHeader + "---\n\n# Deploy\n\nRoll out the release to staging, then to production. For example: version 1.2.\n",
		Good:     goodSkill,
		Source:   "skill-format page, section Writing effective bodies",
		Severity: metadata.Info,
		Profiles: []Profile{Matrix},
		Run:      outputFormatMissing,
	},
	{
		ID:    "example-missing",
		Title: "no example",
		Doc: `
Models imitate examples better than they follow descriptions. Give one or two in the body, and put longer
ones into examples.
`,
		Bad:      "---\n" + goodHeader + "---\n\n# Deploy\n\nRoll out the release to staging and write a table of the hosts.\n",
		Good:     goodSkill,
		Source:   "skill-format page, section Writing effective bodies",
		Severity: metadata.Info,
		Profiles: []Profile{Matrix},
		Run:      exampleMissing,
	},
	{
		ID:    "command-block-missing",
		Title: "bash or python skill without a code block",
		Doc: `
In the modes bash and python a model copies ready-to-run commands out of code blocks and runs
them. There is no such block here that says sh, bash or python, or no language. Add one, or use the mode prompt.
`,
		Bad:      "---\n" + strings.Replace(goodHeader, `"prompt"`, `"bash"`, 1) + "---\n" + goodBody,
		Good:     "---\n" + strings.Replace(goodHeader, `"prompt"`, `"bash"`, 1) + "---\n" + goodBody + "\n```bash\necho 1.2\n```\n",
		Source:   "skill-format page, section Writing effective bodies",
		Severity: metadata.Info,
		Profiles: []Profile{Matrix},
		Run:      commandBlockMissing,
	},
}

func introMissing(p *Pass) {
	b := p.Body()
	if len(bytes.TrimSpace(p.Doc.Body)) == 0 {
		return // body-empty
	}
	if !b.Led {
		p.Reportf(bodyStart(p), "no paragraph at the start says what the skill does")
		return
	}
	// A quote may stand in for it. Anything shorter than three words says nothing.
	if n := len(strings.Fields(b.Intro)); b.Intro != "" && n < 3 && !strings.ContainsFunc(b.Intro, isWide) {
		p.Reportf(b.IntroPos, "%q is too short to say what the skill does", clip(b.Intro))
	}
}

// declaredMode returns the execution mode that the frontmatter declares.
func declaredMode(p *Pass) metadata.Mode {
	if _, ok := p.Doc.Vendor("execution_mode"); !ok {
		return ""
	}
	return p.Doc.Manifest.ExecutionMode
}

// outputWords are parts of words that a text about the form of its result has.
var outputWords = []string{
	"output", "format", "return", "respond", "response", "reply", "answer", "report", "write", "print", "table", "markdown",
	"json", "yaml", "csv", "list", "bullet", "summar", "template", "html", "section", "heading", "sentence", "paragraph", "column", "produce", "generate", "draft",
}

func outputFormatMissing(p *Pass) {
	if declaredMode(p) != metadata.ModePrompt {
		return
	}
	text := strings.ToLower(string(p.Doc.Body))
	if !isEnglish(text) || slices.ContainsFunc(outputWords, func(w string) bool { return strings.Contains(text, w) }) {
		return
	}
	p.Reportf(bodyStart(p), "nothing says what the output looks like: a table, a list, JSON or how many sentences")
}

func exampleMissing(p *Pass) {
	// A command with its arguments is an example of how to call it.
	command := func(c Code) bool { return strings.Contains(c.Text, " ") }
	if len(p.Body().Fences) > 0 || slices.ContainsFunc(p.Body().Codes, command) || slices.ContainsFunc(p.Files, func(f File) bool { return strings.HasPrefix(f.Name, "examples/") }) {
		return
	}
	text := strings.ToLower(string(p.Doc.Body))
	if !isEnglish(text) {
		return
	}
	for _, w := range []string{"example", "e.g.", "for instance", "sample", "such as", "input:"} {
		if strings.Contains(text, w) {
			return
		}
	}
	p.Reportf(bodyStart(p), "no example shows what is asked and what the result looks like")
}

func commandBlockMissing(p *Pass) {
	mode := declaredMode(p)
	if mode != metadata.ModeBash && mode != metadata.ModePython {
		return
	}
	for _, f := range p.Body().Fences {
		switch strings.TrimRight(strings.TrimPrefix(f.Lang, "{."), "}") {
		case "", "bash", "sh", "shell", "zsh", "console", "shell-session", "terminal", "python", "python3", "py":
			return
		}
	}
	p.Reportf(bodyStart(p), "the mode is %s, and no code block holds a command to run", mode)
}

// isEnglish reports whether text, in lower case, has the commonest words of
// English, so that others can be expected to be found in it.
func isEnglish(text string) bool {
	words, common, wide := 0, 0, 0
	for w := range strings.FieldsSeq(text) {
		words++
		switch w {
		case "the", "and", "to", "of", "for", "with", "this", "when", "you", "your", "from", "it", "use":
			common++
		}
		if strings.ContainsFunc(w, isWide) {
			wide++
		}
	}
	return common > 1 && common*20 > words && wide*10 < words
}
