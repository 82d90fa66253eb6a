package check

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/metadata"
)

// invocationRules look at who may start a skill, with what arguments, and at the
// tools that it may use without asking.
var invocationRules = []*Rule{
	{
		ID:    "bash-unscoped",
		Title: "Bash allowed without a limit",
		Doc: `
Tools in allowed-tools run without asking the user. Bash without a pattern is every command there is, for
whatever text the model was led to. Name the programs that the skill needs: Bash(git:*).
`,
		Bad:      goodHeader + "allowed-tools: Bash Read\n",
		Good:     goodHeader + "allowed-tools: Bash(kubectl:*) Read\n",
		Source:   "https://agentskills.io/specification#allowed-tools-field; agnix rule CC-SK-007",
		Severity: metadata.Warning,
		Run:      bashUnscoped,
	},
	{
		ID:    "mcp-tool-name",
		Title: "name of an MCP tool in a form that matches none",
		Doc: `
The tools of an MCP server are named mcp__server__tool, or mcp__server for all of them, with the prefix
in lower case. Another form matches no tool, so the skill does not get it.
`,
		Bad:      goodHeader + "allowed-tools: MCP__github__get_issue\n",
		Good:     goodHeader + "allowed-tools: mcp__github__get_issue\n",
		Source:   "agnix rule CC-SK-008",
		Severity: metadata.Warning,
		Run:      mcpToolName,
	},
	{
		ID:    "argument-hint-unused",
		Title: "argument-hint without a place for the arguments",
		Doc: `
argument-hint tells the user to give arguments, but the body has no $ARGUMENTS or $1 for them, and does
not speak of arguments at all. What the user writes goes nowhere. Put $ARGUMENTS where they
belong.
`,
		Bad:      goodHeader + "argument-hint: \"[version]\"\n",
		Good:     "---\n" + goodHeader + "argument-hint: \"[version]\"\n---\n\n# Deploy\n\nRoll out version $ARGUMENTS to staging.\n\nFor example: deploy version 1.2 and write a table of the hosts.\n",
		Source:   "agnix rule CC-SK-012",
		Severity: metadata.Warning,
		Run:      argumentHintUnused,
	},
	{
		ID:    "argument-hint-missing",
		Title: "$ARGUMENTS without an argument-hint",
		Doc: `
The body has a place for arguments, but nothing tells the user, or the model that calls the skill, which.
Then the place stays empty. Add argument-hint, such as "[version]".
`,
		Bad:      "---\n" + goodHeader + "---\n\n# Deploy\n\nRoll out version $ARGUMENTS to staging.\n\nFor example: deploy version 1.2 and write a table of the hosts.\n",
		Good:     "---\n" + goodHeader + "argument-hint: \"[version]\"\n---\n\n# Deploy\n\nRoll out version $ARGUMENTS to staging.\n\nFor example: deploy version 1.2 and write a table of the hosts.\n",
		Source:   "agnix rule CC-SK-016",
		Severity: metadata.Warning,
		Run:      argumentHintMissing,
	},
	{
		ID:    "skill-unreachable",
		Title: "skill that nobody can use",
		Doc: `
user-invocable: false keeps the skill from the user, and disable-model-invocation: true keeps it
from the model. With both, nothing can start it. Take one of them back.
`,
		Bad:      goodHeader + "user-invocable: false\ndisable-model-invocation: true\n",
		Good:     goodHeader + "disable-model-invocation: true\n",
		Source:   "agnix rule CC-SK-011",
		Severity: metadata.Error,
		Run:      skillUnreachable,
	},
	{
		ID:    "dangerous-auto-invocation",
		Title: "dangerous task that a model may start by itself",
		Doc: `
By its name the skill does something that is hard to undo, and a model may start it whenever a
conversation seems to call for it. If a user should decide, add disable-model-invocation: true.
`,
		Bad:      strings.Replace(goodHeader, "deploy", "delete-branches", 1),
		Good:     strings.Replace(goodHeader, "deploy", "delete-branches", 1) + "disable-model-invocation: true\n",
		Source:   "agnix rule CC-SK-006",
		Severity: metadata.Info,
		Run:      dangerousAutoInvocation,
	},
}

// reportTool reports an entry of allowed-tools.
func (p *Pass) reportTool(tool, format string, args ...any) {
	f, ok := p.Doc.Top("allowed-tools")
	if !ok {
		return
	}
	for item := range f.All() {
		if strings.Contains(item.Text(), tool) {
			f = item
			break
		}
	}
	p.reportPart(f, tool, format, args...)
}

func bashUnscoped(p *Pass) {
	for _, tool := range p.Doc.Manifest.AllowedTools {
		switch strings.ReplaceAll(tool, " ", "") {
		case "Bash", "Bash()", "Bash(*)", "Bash(:*)", "Bash(*:*)":
			p.reportTool(tool, "%s allows every command without asking; name the programs, as in Bash(git:*)", tool)
			return
		}
	}
}

var mcpTool = regexp.MustCompile(`^mcp__[^_(](?:[^(]*[^_(])?(?:__(?:\*|[^(]+))?(?:\(.*\))?$`)

func mcpToolName(p *Pass) {
	for _, tool := range p.Doc.Manifest.AllowedTools {
		if len(tool) >= 5 && strings.EqualFold(tool[:5], "mcp__") && !mcpTool.MatchString(tool) {
			p.reportTool(tool, "%q matches no tool; write mcp__server__tool", clip(tool))
		}
	}
}

var argumentMark = regexp.MustCompile(`\$(?:ARGUMENTS\b|[0-9])`)

func argumentHintUnused(p *Pass) {
	f, ok := p.Doc.Top("argument-hint")
	if !ok || p.Doc.Manifest.ArgumentHint == "" {
		return
	}
	body := p.Doc.Body
	if !argumentMark.Match(body) && !containsFold(body, "argument") {
		p.reportValue(f, "argument-hint asks for arguments, but the body has no $ARGUMENTS and does not mention them")
	}
}

// containsFold reports whether text holds word, which is ASCII in lower case, in any case.
func containsFold(text []byte, word string) bool {
	for i := 0; i+len(word) <= len(text); i++ {
		if text[i]|0x20 == word[0] && strings.EqualFold(string(text[i:i+len(word)]), word) {
			return true
		}
	}
	return false
}

func argumentHintMissing(p *Pass) {
	if p.Doc.Manifest.ArgumentHint != "" {
		return
	}
	const mark = "$ARGUMENTS"
	body := p.Doc.Body
	for at := 0; ; at += len(mark) {
		i := bytes.Index(body[at:], []byte(mark))
		if i < 0 {
			return
		}
		at += i
		if rest := body[at+len(mark):]; len(rest) == 0 || !isWordByte(rest[0]) {
			start := p.Position(len(p.Data) - len(body) + at)
			end := metadata.Position{Line: start.Line, Column: start.Column + len(mark)}
			p.Report(Finding{Position: start, End: end, Message: "$ARGUMENTS stands here, but there is no argument-hint that asks for arguments"})
			return
		}
	}
}

func skillUnreachable(p *Pass) {
	if m := &p.Doc.Manifest; m.DisableModelInvocation && !m.UserInvocable {
		f, _ := p.Doc.Top("disable-model-invocation")
		p.Reportf(f.KeyPos, "neither the user nor a model can start this skill: user-invocable is false as well")
	}
}

// dangerousVerbs start the names of tasks that are hard to undo.
var dangerousVerbs = []string{
	"delete", "deploy", "destroy", "drop", "erase", "kill", "migrate", "nuke", "overwrite", "pay", "publish",
	"purge", "release", "remove", "reset", "rollback", "send", "terminate", "transfer", "uninstall", "wipe",
}

func dangerousAutoInvocation(p *Pass) {
	f, name, ok := p.declaredName()
	if !ok || p.Doc.Manifest.DisableModelInvocation {
		return
	}
	if verb, _, _ := strings.Cut(strings.ToLower(name), "-"); slices.Contains(dangerousVerbs, verb) {
		p.reportValue(f, "a model may start %q by itself; add disable-model-invocation: true if a user should decide", clip(name))
	}
}
