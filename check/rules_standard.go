package check

import (
	"bytes"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/matrix-nexus/skillkit/executa/manifest"
	"github.com/matrix-nexus/skillkit/internal/closest"
	"github.com/matrix-nexus/skillkit/metadata"
)

// maxCompatibility is the length of the longest compatibility in code points.
const maxCompatibility = 500

// standardRules look at the other fields at the top level, and at always.
var standardRules = []*Rule{
	{
		ID:    "compatibility-length",
		Title: "compatibility that is empty or of more than 500 characters",
		Doc: `
compatibility tells people in a line what the skill needs: a product, a system, access to
the network. It has 1 to 500 characters. Leave an empty one out, and move a long one to the body.
`,
		Bad:        goodHeader + "compatibility: \"\"\n",
		Good:       goodHeader + "compatibility: Needs kubectl and access to the cluster\n",
		Source:     "https://agentskills.io/specification#compatibility-field; 6 of 20,982 published skills are longer",
		Severity:   metadata.Warning,
		SeverityIn: strict,
		Run:        compatibilityLength,
	},
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
	{
		ID:    "unknown-field",
		Title: "field that is not known",
		Doc: `
A key at the top level is none of the documented fields, nor one that a common reader knows. It may be
a slip of the pen, so that the field it should be is missing; the message names the nearest. In the block
under metadata, which may hold what only its vendor knows, a key is reported if it is nearly a documented one. The
specification at agentskills.io allows name, description, license, compatibility, metadata and
allowed-tools alone; put the rest under metadata.
`,
		Bad:        goodHeader + "lisence: MIT\n",
		Good:       goodHeader + "license: MIT\n",
		Source:     "https://agentskills.io/specification#frontmatter; agnix rule CC-SK-017",
		Severity:   metadata.Info,
		SeverityIn: map[Profile]metadata.Severity{AgentSkills: metadata.Warning},
		Run:        unknownField,
	},
	{
		ID:    "metadata-not-strings",
		Title: "metadata that is more than text",
		Doc: `
In the specification at agentskills.io metadata maps text to text. Its readers refuse lists and mappings
inside, and some refuse numbers and booleans. Quote the values, or put the structure elsewhere.
`,
		Bad:      goodName + goodDescription + "metadata: {\"author\": {\"name\": \"me\"}}\n",
		Good:     goodName + goodDescription + "metadata:\n  author: me\n",
		Source:   "https://agentskills.io/specification#metadata-field; 7,866 of 8,733 published skills with metadata",
		Severity: metadata.Warning,
		Profiles: []Profile{AgentSkills},
		Run:      metadataNotStrings,
	},
	{
		ID:    "license-missing",
		Title: "no license",
		Doc: `
Without a license nobody may copy or change the skill. Name one, such as MIT, or a file in the
folder that holds its text.
`,
		Bad:      goodHeader,
		Good:     goodHeader + "license: MIT\n",
		Source:   "https://agentskills.io/specification#license-field; skill-scanner rule MANIFEST_MISSING_LICENSE",
		Severity: metadata.Info,
		Off:      true,
		Run:      licenseMissing,
	},
	{
		ID:    "version-not-semver",
		Title: "version that is no semantic version",
		Doc: `
Publishing takes versions of three numbers, such as 1.4.0, and orders them by those. YAML also turns
an unquoted 1.10 into the number 1.1. Write three numbers.
`,
		Bad:      goodHeader + "version: 1.10\n",
		Good:     goodHeader + "version: 1.10.0\n",
		Source:   "https://semver.org; 32 of 20,982 published skills have a number with one point",
		Severity: metadata.Info,
		Run:      versionNotSemver,
	},
	{
		ID:    "homepage-not-url",
		Title: "homepage that is no web address",
		Doc: `
homepage is shown as a link, which works for a whole address alone, one that starts with https:// or http://.
`,
		Bad:      goodName + goodDescription + `metadata: {"matrix": {"homepage": "example.com/deploy", "execution_mode": "prompt", "category_name": "operations"}}` + "\n",
		Good:     goodName + goodDescription + `metadata: {"matrix": {"homepage": "https://example.com/deploy", "execution_mode": "prompt", "category_name": "operations"}}` + "\n",
		Source:   "skill-format page, section Recognized fields",
		Severity: metadata.Info,
		Run:      homepageNotURL,
	},
	{
		ID:    "always-true",
		Title: "skill that is in every conversation",
		Doc: `
With always: true the whole body is in the prompt of each conversation, wanted or not, and a user who installs
the skill cannot tell. It is meant for a few foundations, such as uv. Leave it out, and let
the description bring the skill up. For a foundation, say so in a skillcheck-ignore comment.
`,
		Bad:      goodName + goodDescription + `metadata: {"matrix": {"always": true, "execution_mode": "prompt", "category_name": "operations"}}` + "\n",
		Good:     goodHeader,
		Source:   "skill-format page, section Recognized fields; 83 of 20,982 published skills",
		Severity: metadata.Warning,
		Profiles: vendorProfiles,
		Run:      alwaysTrue,
	},
	{
		ID:    "always-requires",
		Title: "always together with requirements",
		Doc: `
A skill with always: true is in the prompt even where what it requires is missing, and the model
then tries in vain. Say in the body what to do in that case.
`,
		Bad:      goodName + goodDescription + `metadata: {"matrix": {"always": true, "requires": {"env": ["DEPLOY_TARGET"]}, "execution_mode": "prompt", "category_name": "operations"}}` + "\n",
		Good:     goodHeader,
		Source:   "skill-format page, section Recognized fields",
		Severity: metadata.Info,
		Profiles: vendorProfiles,
		Run:      alwaysRequires,
	},
}

func compatibilityLength(p *Pass) {
	f, ok := p.Doc.Top("compatibility")
	if !ok || p.hasProblem("wrong-type", f.Pos) {
		return
	}
	switch n := utf8.RuneCountInString(p.Doc.Manifest.Compatibility); {
	case n == 0:
		p.reportValue(f, "compatibility is empty; leave it out")
	case n > maxCompatibility:
		p.reportValue(f, "compatibility has %d characters; at most %d are allowed", n, maxCompatibility)
	}
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
	at := strings.Index(f.Text(), tool)
	p.reportPart(f, max(at, 0), max(at, 0)+len(tool), format, args...)
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

// standardFields are those of agentskills.io, topFields the others that this module
// or a common reader knows at the top level, and knownFields all of them.
var (
	standardFields = []string{"name", "description", "license", "compatibility", "metadata", "allowed-tools"}
	topFields      = []string{
		"argument-hint", "user-invocable", "disable-model-invocation", "version", "author",
		"agent", "arguments", "categories", "category", "command-arg-mode", "command-dispatch", "command-tool",
		"context", "display-name", "dependencies", "effort", "hooks", "homepage", "icon", "keywords", "language",
		"model", "paths", "permissions", "repository", "shell", "source", "tags", "title", "tools", "when_to_use",
	}
	knownFields = slices.Concat(standardFields, topFields, vendorFields)
)

func unknownField(p *Pass) {
	known := standardFields
	if p.Options.Profile != AgentSkills {
		known = knownFields
	}
	for f := range p.Doc.Tops() {
		key := f.Key
		if slices.Contains(known, key) {
			continue
		}
		if p.Options.Profile != AgentSkills && p.readElsewhere(f) {
			continue
		}
		advice := ""
		if near := closest.Names(key, known); len(near) > 0 {
			advice = "; is it " + strings.Join(near, " or ") + "?"
		} else if p.Options.Profile == AgentSkills {
			advice = "; the specification allows " + strings.Join(known, ", ") + " alone"
		}
		found := Finding{Position: f.KeyPos, Message: fmt.Sprintf("%q is not a known field%s", clip(key), advice)}
		if p.Options.Profile == AgentSkills {
			found.Message = fmt.Sprintf("the field %q is not in the specification%s", clip(key), advice)
		}
		p.Report(found)
	}
	if p.Options.Profile != AgentSkills {
		misspeltVendorField(p)
	}
}

// readElsewhere reports whether another rule tells what the key of f is.
func (p *Pass) readElsewhere(f metadata.Field) bool {
	return slices.ContainsFunc(p.Doc.Problems, func(q metadata.Problem) bool {
		return q.Position == f.KeyPos && (q.Code != "key-spelling" || p.Options.Profile == Matrix)
	})
}

func metadataNotStrings(p *Pass) {
	meta, ok := p.Doc.Top("metadata")
	if !ok {
		return
	}
	if _, ok := meta.Value().(string); ok {
		p.reportValue(meta, "metadata is text; want a mapping of text to text")
		return
	}
	for f := range meta.All() {
		if _, ok := f.Value().(string); !ok {
			p.Reportf(f.KeyPos, "%q under metadata is not text; quote the value, or put it elsewhere", clip(f.Key))
		}
	}
}

func licenseMissing(p *Pass) {
	if p.Doc.Manifest.License == "" {
		p.Reportf(metadata.Position{Line: 1, Column: 1}, "no license; name one, such as MIT")
	}
}

func versionNotSemver(p *Pass) {
	f, ok := p.Doc.Top("version")
	if v := p.Doc.Manifest.Version; ok && v != "" && !manifest.ValidVersion(strings.TrimPrefix(v, "v")) {
		p.reportValue(f, "version %q is no semantic version; write three numbers, as in 1.4.0", clip(v))
	}
}

func homepageNotURL(p *Pass) {
	f, ok := p.Doc.Vendor("homepage")
	text := p.Doc.Manifest.Homepage
	if !ok || text == "" {
		return
	}
	if u, err := url.Parse(text); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		p.reportValue(f, "homepage %q is no web address; write it whole, with https://", clip(text))
	}
}

func alwaysTrue(p *Pass) {
	if f, ok := p.Doc.Vendor("always"); ok && p.Doc.Manifest.Always {
		p.reportValue(f, "the body is in the prompt of every conversation; leave always out unless others build on this skill")
	}
}

func alwaysRequires(p *Pass) {
	r := &p.Doc.Manifest.Requires
	if f, ok := p.Doc.Vendor("requires"); ok && p.Doc.Manifest.Always &&
		len(r.Bins)+len(r.AnyBins)+len(r.Env)+len(r.Config)+len(r.PythonPackages) > 0 {
		p.Reportf(f.KeyPos, "a skill with always is in the prompt even where its requirements are missing; say in the body what to do then")
	}
}
