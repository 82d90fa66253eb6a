package check

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/registry"
)

const (
	// maxName is the length of the longest name in code points.
	maxName = 64
	// minSlug is the length of the shortest slug on ClawHub in characters.
	minSlug = 3
)

// nameRules look at a declared name. One that is at fault in several ways is
// reported for each, but a capital is not also a wrong character.
var nameRules = []*Rule{
	{
		ID:    "name-characters",
		Title: "name with other characters than letters, digits and hyphens",
		Doc: `
A name is kebab-case: letters and digits of any script, divided by hyphens. Blanks, underscores,
dots, slashes and the like break paths, commands and the names of tools, so
readers drop the skill or change the name. The message suggests another.
`,
		Bad:        "-- my skill/SKILL.md --\n" + strings.Replace(goodSkill, "deploy", "my skill", 1),
		Good:       goodHeader,
		Source:     "skill-format page, section Top-level frontmatter; https://agentskills.io/specification#name-field; 723 of 20,982 published skills",
		Severity:   metadata.Warning,
		SeverityIn: strict,
		Run:        nameCharacters,
	},
	{
		ID:    "name-uppercase",
		Title: "name with capitals",
		Doc: `
A name is in lower case, in scripts that have one. File systems, tools and people differ in
whether Deploy and deploy are the same, and several readers drop the skill. Write it in lower case.
`,
		Bad:        "-- deploy/SKILL.md --\n" + strings.Replace(goodSkill, "deploy", "Deploy", 1),
		Good:       "-- deploy/SKILL.md --\n" + goodSkill,
		Source:     "skill-format page, section Top-level frontmatter; https://agentskills.io/specification#name-field; 1,356 of 20,982 published skills",
		Severity:   metadata.Warning,
		Fixable:    true,
		SeverityIn: strict,
		Run:        nameUppercase,
	},
	{
		ID:    "name-hyphens",
		Title: "hyphen at an end of a name, or two in a row",
		Doc: `
Hyphens divide the words of a name: none stands at the start or the end, and no two stand together.
A name that starts with a hyphen is an option to most commands. Remove the hyphens that divide
nothing.
`,
		Bad:        strings.Replace(goodHeader, "deploy", "deploy--app", 1),
		Good:       strings.Replace(goodHeader, "deploy", "deploy-app", 1),
		Source:     "https://agentskills.io/specification#name-field; 12 of 20,982 published skills",
		Severity:   metadata.Warning,
		SeverityIn: strict,
		Run:        nameHyphens,
	},
	{
		ID:    "name-too-long",
		Title: "name of more than 64 characters",
		Doc: `
Names of tools have at most 64 characters for the large providers, and the specification sets
the same limit for skills. A longer name is cut or refused. Say in the name what the skill does, and
the rest in the description.
`,
		Bad:        strings.Replace(goodHeader, "deploy", "deploy-"+strings.Repeat("very-", 12)+"slowly", 1),
		Good:       strings.Replace(goodHeader, "deploy", "deploy-slowly", 1),
		Source:     "https://agentskills.io/specification#name-field; 4 of 20,982 published skills",
		Severity:   metadata.Warning,
		SeverityIn: strict,
		Run:        nameTooLong,
	},
	{
		ID:    "name-reserved",
		Title: "name that is reserved",
		Doc: `
A few names are reserved, because they say who made a skill or what it is and nothing about what it
does: anthropic, claude and skill, unless the options list others. Only the whole name
counts, so claude-api is free. Choose another.
`,
		Bad:        strings.Replace(goodHeader, "deploy", "claude", 1),
		Good:       strings.Replace(goodHeader, "deploy", "claude-deploy", 1),
		Source:     "https://agentskills.io/specification#name-field; agnix rule AS-007",
		Severity:   metadata.Warning,
		SeverityIn: strict,
		Run:        nameReserved,
	},
	{
		ID:    "name-vague",
		Title: "name that says nothing",
		Doc: `
A name such as helper or utils fits every skill, so neither a model nor a person can tell from it
when to use this one, and others will have the same name. Name what it does and to what.
`,
		Bad:      strings.Replace(goodHeader, "deploy", "utils", 1),
		Good:     strings.Replace(goodHeader, "deploy", "csv-utils", 1),
		Source:   "agnix rule AS-019",
		Severity: metadata.Warning,
		Run:      nameVague,
	},
	{
		ID:    "name-not-nfc",
		Title: "name with decomposed characters",
		Doc: `
An accented letter can be one character or a letter and an accent. The two look the same and
are different bytes, so a search for the name as typed does not find it. Use composed
characters (NFC); some tools on macOS write the other form.
`,
		Bad:      strings.Replace(goodHeader, "deploy", "cafe\u0301", 1),
		Good:     strings.Replace(goodHeader, "deploy", "caf\u00e9", 1),
		Source:   "Unicode Standard Annex 15",
		Severity: metadata.Info,
		Fixable:  true,
		Run:      nameNotNFC,
	},
	{
		ID:    "tool-name-changed",
		Title: "name that is changed for models",
		Doc: `
Models take tool names of at most 64 Latin letters, digits, hyphens and underscores. A name with other
letters is good for people, but a model is offered the skill under another, which the message
gives. Nothing is wrong if that is what you want.
`,
		Bad:      strings.Replace(goodHeader, "deploy", "навык", 1),
		Good:     goodHeader,
		Source:   "package registry, ModelName",
		Severity: metadata.Info,
		Run:      toolNameChanged,
	},
	{
		ID:    "publish-slug",
		Title: "name that ClawHub does not take as a slug",
		Doc: `
The slug under which ClawHub publishes a skill has at least three characters, is none of the
words that it uses itself, and does not claim to be its own or official. The name is the slug
that is proposed. Choose another, or give another slug when you publish.
`,
		Bad:      strings.Replace(goodHeader, "deploy", "openclaw-deploy", 1),
		Good:     goodHeader,
		Source:   "ClawHub's validation of what is published",
		Severity: metadata.Warning,
		Profiles: []Profile{OpenClaw},
		Run:      publishSlug,
	},
}

// declaredName returns the name field and its text in NFC; ok is false if the
// name is that of the folder.
func (p *Pass) declaredName() (f metadata.Field, name string, ok bool) {
	f, ok = p.Doc.Top("name")
	name = norm.NFC.String(strings.TrimSpace(f.Text()))
	return f, name, ok && name != ""
}

// isNameRune reports whether a name may hold r. A mark is part of a letter in
// many scripts.
func isNameRune(r rune) bool {
	return r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

func hasBadRune(name string) bool {
	return strings.ContainsFunc(name, func(r rune) bool { return !isNameRune(r) })
}

// kebab returns the name in kebab-case that is closest to name, or "".
func kebab(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return r == '-' || !isNameRune(r)
	}), "-")
}

func nameCharacters(p *Pass) {
	f, name, ok := p.declaredName()
	if !ok || !hasBadRune(name) {
		return
	}
	var bad []rune
	for _, r := range name {
		if !isNameRune(r) && !slices.Contains(bad, r) {
			bad = append(bad, r)
		}
	}
	advice := "use letters, digits and hyphens"
	if k := kebab(name); k != "" {
		advice = "write " + clip(k)
	}
	p.reportValue(f, "name %q holds %q; %s", clip(name), clip(string(bad)), advice)
}

func nameUppercase(p *Pass) {
	f, name, ok := p.declaredName()
	if !ok || hasBadRune(name) || strings.ToLower(name) == name {
		return // what nameCharacters suggests is in lower case
	}
	low := strings.ToLower(name)
	found := p.valueFinding(f, "name %q has capitals; write %s", clip(name), clip(low))
	if low == norm.NFC.String(p.Name) {
		found.Fix = p.replaceValue(f, low, "write the name in lower case", "Name")
	}
	p.Report(found)
}

func nameHyphens(p *Pass) {
	f, name, ok := p.declaredName()
	switch {
	case !ok || hasBadRune(name):
	case strings.HasPrefix(name, "-"), strings.HasSuffix(name, "-"):
		p.reportValue(f, "name %q starts or ends with a hyphen; remove it", clip(name))
	case strings.Contains(name, "--"):
		p.reportValue(f, "name %q has two hyphens in a row; write %s", clip(name), clip(kebab(name)))
	}
}

func nameTooLong(p *Pass) {
	if f, name, ok := p.declaredName(); ok {
		if n := utf8.RuneCountInString(name); n > maxName {
			p.reportValue(f, "name has %d characters; at most %d are allowed", n, maxName)
		}
	}
}

func nameReserved(p *Pass) {
	if f, name, ok := p.declaredName(); ok && slices.Contains(p.Options.ReservedNames, strings.ToLower(name)) {
		p.reportValue(f, "name %q is reserved; choose another", clip(name))
	}
}

// vagueNames fit every skill.
var vagueNames = []string{
	"assistant", "base", "common", "default", "general", "helper", "helpers", "main", "misc",
	"my-skill", "new-skill", "stuff", "test", "tool", "tools", "util", "utils", "utilities", "untitled",
}

func nameVague(p *Pass) {
	if f, name, ok := p.declaredName(); ok && slices.Contains(vagueNames, strings.ToLower(name)) &&
		!slices.Contains(p.Options.ReservedNames, strings.ToLower(name)) {
		p.reportValue(f, "name %q says nothing about what the skill does; name its task", clip(name))
	}
}

func nameNotNFC(p *Pass) {
	f, name, ok := p.declaredName()
	if text := strings.TrimSpace(f.Text()); ok && text != name {
		found := p.valueFinding(f, "name %q is written with decomposed characters; use composed ones (NFC)", clip(name))
		found.Fix = p.replaceValue(f, name, "write the name with composed characters", "Name")
		p.Report(found)
	}
}

func toolNameChanged(p *Pass) {
	f, name, ok := p.declaredName()
	if !ok || hasBadRune(name) || strings.ToLower(name) != name || utf8.RuneCountInString(name) > maxName {
		return // which is the worse fault
	}
	if tool := registry.ModelName(p.Doc.Manifest.Name); tool != p.Doc.Manifest.Name {
		p.reportValue(f, "a model is offered this skill as %s, because tool names are in Latin letters", tool)
	}
}

// publishReserved are slugs that ClawHub keeps for itself.
var publishReserved = []string{"admin", "api", "clawhub", "moderator", "official", "openclaw", "settings"}

func publishSlug(p *Pass) {
	f, name, ok := p.declaredName()
	if !ok {
		return
	}
	low := strings.ToLower(name)
	switch n := utf8.RuneCountInString(name); {
	case n < minSlug:
		p.reportValue(f, "slug %q has %d characters; ClawHub wants at least %d", clip(name), n, minSlug)
	case slices.Contains(publishReserved, low):
		p.reportValue(f, "slug %q is reserved on ClawHub; choose another", clip(name))
	case strings.HasPrefix(low, "openclaw-"):
		p.reportValue(f, `slug %q starts with "openclaw-", which ClawHub keeps for its own; choose another`, clip(name))
	case strings.HasSuffix(low, "-official"):
		p.reportValue(f, `slug %q ends with "-official", which ClawHub keeps for its own; choose another`, clip(name))
	}
}
