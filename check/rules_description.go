package check

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/matrix-nexus/skillkit/metadata"
)

const (
	// maxDescription is the length of the longest description in code points.
	maxDescription = 1024
	// minDescription is the length of the shortest description that can tell a
	// model anything, in code points; a character that is a word or a syllable
	// counts three times.
	minDescription = 20
	// maxSummary is the length in code points of what ClawHub shows of a
	// description.
	maxSummary = 300
	// baitItems is how many short items of a list in a row are no sentence.
	baitItems = 15
)

// descriptionRules look at a description, in whatever language it is; those
// that look for words know English ones.
var descriptionRules = []*Rule{
	{
		ID:    "description-too-long",
		Title: "description of more than 1,024 characters",
		Doc: `
The descriptions of all skills are in front of a model in each conversation, so readers limit them
and cut or refuse a longer one. Characters count, not bytes. Keep what tells this skill from others, and
move the rest to the body.
`,
		Bad:      goodName + "description: Use when a release is due" + strings.Repeat(" and the time has come", 50) + ".\n" + goodMetadata,
		Good:     goodHeader,
		Source:   "https://agentskills.io/specification#description-field; 57 of 20,982 published skills",
		Severity: metadata.Error,
		Run:      descriptionTooLong,
	},
	{
		ID:    "description-too-short",
		Title: "description of a word or two",
		Doc: `
A model chooses a skill by its description alone, and cannot tell from a word or two what it does and
when it is wanted. Say both in a sentence.
`,
		Bad:      goodName + "description: Deploys.\n" + goodMetadata,
		Good:     goodHeader,
		Source:   "skill-format page, section Top-level frontmatter; 166 of 20,844 published skills have fewer than 20 characters",
		Severity: metadata.Warning,
		Run:      descriptionTooShort,
	},
	{
		ID:    "description-is-name",
		Title: "description that repeats the name",
		Doc: `
The description says no more than the name, which a model sees anyway. Say what the skill does and
when to use it.
`,
		Bad:      strings.Replace(goodName, "deploy", "deploy-to-the-staging-hosts", 1) + "description: Deploy to the staging hosts\n" + goodMetadata,
		Good:     goodHeader,
		Source:   "skill-format page, section Top-level frontmatter",
		Severity: metadata.Warning,
		Run:      descriptionIsName,
	},
	{
		ID:    "description-placeholder",
		Title: "description left from a template",
		Doc: `
The text asks for a description instead of being one. A model can do nothing with it, and never
chooses the skill. Write what the skill does and when to use it.
`,
		Bad:      goodName + "description: A short description of what this skill does and when to use it.\n" + goodMetadata,
		Good:     goodHeader,
		Source:   "5 of 20,982 published skills",
		Severity: metadata.Warning,
		Run:      descriptionPlaceholder,
	},
	{
		ID:    "description-generic",
		Title: "description that fits everything",
		Doc: `
A skill for anything is chosen for nothing, or, worse, in the place of the right one. Name
the task, the things it works on, and the words a user would use.
`,
		Bad:      goodName + "description: A helpful assistant that helps with anything.\n" + goodMetadata,
		Good:     goodHeader,
		Source:   "skill-scanner rules TRIGGER_OVERLY_GENERIC and TRIGGER_VAGUE_DESCRIPTION",
		Severity: metadata.Warning,
		Run:      descriptionGeneric,
	},
	{
		ID:    "description-markup",
		Title: "tag in a description",
		Doc: `
Many hosts list the skills for a model between XML tags. One in a description ends the list early or
adds to it where the host does not escape it, and confuses the model where it does. Write the
words without angle brackets.
`,
		Bad:      goodName + "description: \"Roll out a release to <environment>. Use when a release is due.\"\n" + goodMetadata,
		Good:     goodHeader,
		Source:   "https://agentskills.io/specification; 34 of 20,982 published skills",
		Severity: metadata.Warning,
		Run:      descriptionMarkup,
	},
	{
		ID:    "description-person",
		Title: "description in the first or second person",
		Doc: `
The description stands in a list beside those of other skills, and "I" and "you" could be the user, the
model or the skill. State what the skill does: "Reviews pull requests", not "I can review" and
not "You can use this to review".
`,
		Bad:      goodName + "description: You can use this when a release has to be rolled out.\n" + goodMetadata,
		Good:     goodHeader,
		Source:   "agnix rule AS-018",
		Severity: metadata.Info,
		Run:      descriptionPerson,
	},
	{
		ID:    "description-no-trigger",
		Title: "description that does not say when to use the skill",
		Doc: `
A model matches what the user asks against the description. It finds a skill more surely if that says
when the skill is wanted, in words that a user would type: "Use when asked to …". Only English
descriptions are looked at.
`,
		Bad:      goodName + "description: Rolls out a release to the staging hosts and then to production.\n" + goodMetadata,
		Good:     goodHeader,
		Source:   "skill-format page, section Top-level frontmatter; https://agentskills.io/specification#description-field",
		Severity: metadata.Info,
		// OpenClaw asks for a short summary: 44 of its own 51 skills do without.
		Profiles: []Profile{Matrix, AgentSkills},
		Run:      descriptionNoTrigger,
	},
	{
		ID:    "description-keywords",
		Title: "description that is a list of keywords",
		Doc: `
A long list of words makes a model choose the skill for what it does not do, and says nothing about what
it does. Registries take it for bait. Name the task in a sentence, and the few words that
users do type.
`,
		Bad: goodName + "description: \"Use when asked to deploy, release, ship, roll out, publish, push, launch, install, " +
			"update, upgrade, migrate, provision, configure, build, test, monitor, scale\"\n" + goodMetadata,
		Good:     goodHeader,
		Source:   "skill-scanner rule TRIGGER_KEYWORD_BAITING",
		Severity: metadata.Info,
		Run:      descriptionKeywords,
	},
	{
		ID:    "brand-impersonation",
		Title: "claim to be official",
		Doc: `
The name or the description says that the maker of a model or a registry stands behind the skill. Users
trust such a skill with more, and registries take it down. Leave the claim out; a skill may
say which product it works with.
`,
		Bad:      goodName + "description: The official Claude skill to roll out a release. Use when a release is due.\n" + goodMetadata,
		Good:     goodName + "description: Roll out a release with Claude Code. Use when a release is due.\n" + goodMetadata,
		Source:   "skill-scanner rule SOCIAL_ENG_ANTHROPIC_IMPERSONATION",
		Severity: metadata.Warning,
		Run:      brandImpersonation,
	},
	{
		ID:    "summary-too-long",
		Title: "description that ClawHub cuts",
		Doc: `
The summary of a skill on ClawHub has at most 300 characters. Put what matters most
at the start, or write a shorter summary when you publish.
`,
		Bad:      goodName + "description: Use when a release is due" + strings.Repeat(" and the time has come", 13) + ".\n" + goodMetadata,
		Good:     goodHeader,
		Source:   "ClawHub's validation of what is published",
		Severity: metadata.Info,
		Profiles: []Profile{OpenClaw},
		Run:      summaryTooLong,
	},
}

// description returns the description field and its text; ok is false if it is
// missing, which is another rule's.
func (p *Pass) description() (f metadata.Field, text string, ok bool) {
	f, ok = p.Doc.Top("description")
	text = p.Doc.Manifest.Description
	return f, text, ok && text != ""
}

func descriptionTooLong(p *Pass) {
	if f, text, ok := p.description(); ok {
		if n := utf8.RuneCountInString(text); n > maxDescription {
			p.reportValue(f, "description has %d characters; at most %d are allowed", n, maxDescription)
		}
	}
}

func summaryTooLong(p *Pass) {
	if f, text, ok := p.description(); ok {
		if n := utf8.RuneCountInString(text); n > maxSummary && n <= maxDescription {
			p.reportValue(f, "description has %d characters; ClawHub shows %d as the summary", n, maxSummary)
		}
	}
}

func descriptionTooShort(p *Pass) {
	f, text, ok := p.description()
	if !ok || len(text) >= 3*minDescription || sameWords(text, p.Doc.Manifest.Name) || isTemplateText(text) || p.hasProblem("value-cut", f.Pos) {
		return // which is another rule's
	}
	n := 0
	for _, r := range text {
		if n++; unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			n += 2
		}
	}
	if n < minDescription {
		p.reportValue(f, "description %q is too short to choose the skill by; say what it does and when to use it", clip(text))
	}
}

// sameWords reports whether a and b differ in nothing but case and punctuation.
func sameWords(a, b string) bool { return foldName(a) == foldName(b) }

func descriptionIsName(p *Pass) {
	if f, text, ok := p.description(); ok && sameWords(text, p.Doc.Manifest.Name) {
		p.reportValue(f, "description repeats the name; say what the skill does and when to use it")
	}
}

var (
	// todoText matches what stands for a text to come, and none that is about
	// TODO lists.
	todoText = regexp.MustCompile(`^[\[(<*_"']*(?:TODO|TBD|FIXME|XXX)(?:[\])>:*_"'.…]|\s*$|\s+[-–—]|` +
		`\s+(?i:(?:please )?(?:write|add|describe|fill|explain|replace|say|insert|put|document|define|provide|complete)\b.*\b(?:what|when|description|skill|here|this|triggers?)\b))`)
	// templateText matches descriptions of a description.
	templateText = regexp.MustCompile(`(?i)^\W*(?:` +
		`(?:please )?(?:(?:add|enter|insert|write|replace with|put) )?(?:a |an |the |your )?(?:(?:short|brief|one-line|one-sentence|clear|concise|complete|skill|new) )*description` +
		`(?: (?:goes )?here| of (?:(?:what|when) )?(?:the|this|your|my) (?:new )?skill.*)?` +
		`|lorem ipsum.*|describe (?:what )?(?:the|this|your|my) skill.*|placeholder|what (?:this|the|your) skill does.*)\W*$`)
)

func isTemplateText(text string) bool {
	return todoText.MatchString(text) || templateText.MatchString(text)
}

func descriptionPlaceholder(p *Pass) {
	if f, text, ok := p.description(); ok && isTemplateText(text) {
		p.reportValue(f, "description %q is a placeholder; say what the skill does and when to use it", clip(text))
	}
}

var genericText = regexp.MustCompile(`(?i)^(?:(?:a|an|the|your|my) )?(?:(?:helpful|useful|general|general-purpose|simple|powerful|great|ultimate|personal|universal) )+(?:ai )?(?:assistant|helper|tool|skill|utility|agent)(?: .{0,20}(?:anything|everything|any task|all tasks|various tasks))?\W*$` +
	`|\b(?:helps? (?:you )?|assists? (?:you )?)with (?:anything|everything|any task|any request|all tasks|various tasks)\b` +
	`|\buse (?:this |this skill )?for (?:anything|everything|any task|any request|any question|every task|every request|all tasks)\b`)

func descriptionGeneric(p *Pass) {
	// The regexps of these rules run on texts alone in which they may match.
	if f, text, ok := p.description(); ok && (len(text) < 80 || containsAny(text, "thing", "task", "request", "question")) {
		if m := genericText.FindString(text); m != "" {
			p.reportValue(f, "%q fits everything; name the task and when it comes up", clip(m))
		}
	}
}

var tag = regexp.MustCompile(`<[A-Za-z/!?][^<>]*>`)

func descriptionMarkup(p *Pass) {
	f, text, ok := p.description()
	if !ok || !strings.Contains(text, "<") {
		return
	}
	if m := tag.FindString(text); m != "" {
		p.reportPart(f, m, "description holds the tag %q; write it without angle brackets", clip(m))
	}
}

var person = regexp.MustCompile(`\b(?:I can|I will|I help|I am|I'm|I'll|We can|We will|we can help|Let me|let me)\b|(?:^|[.!] +)You (?:can|should|will|are|may|must|need)\b|(?:^|[.!] +)(?:My|Your) \w+ (?:assistant|helper|expert)\b`)

func descriptionPerson(p *Pass) {
	f, text, ok := p.description()
	if !ok || !containsAny(text, "I ", "I'", "We ", "we ", "et me", "You ", "My ", "Your ") {
		return
	}
	if m := strings.TrimLeft(person.FindString(text), ".! "); m != "" {
		p.reportPart(f, m, "description says %q; say what the skill does, as in \"Reviews pull requests\"", m)
	}
}

// A description with one of triggers says when to use the skill. One with none of
// englishWords is in another language, or too terse to tell.
var (
	triggers = []string{
		"when", "trigger", "invoke", "activate", " asks", " asked", "if the user", "if a user", "if someone", "if you",
		"use this", "use it", "use for", "use to", "use if", "use in", "use on", "use as", "use at", "use after", "use before", "use during",
		"used for", "used to", "used in", "used as", "useful for", "useful to", "useful in", "useful if", "designed for", "designed to",
		"intended for", "intended to", "ideal for", "ideal to", "meant for", "meant to", "call this", "call it",
		". use ", "; use ", ": use ", "! use ", "- use ", "– use ", "— use ",
	}
	englishWords = []string{" the ", " and ", " with ", " from ", " or ", " into "}
)

// containsAny reports whether s contains one of list.
func containsAny(s string, list ...string) bool {
	return slices.ContainsFunc(list, func(w string) bool { return strings.Contains(s, w) })
}

func descriptionNoTrigger(p *Pass) {
	f, text, ok := p.description()
	if !ok {
		return
	}
	low := strings.ToLower(text)
	if !containsAny(low, triggers...) && !strings.HasPrefix(low, "use ") && containsAny(low, englishWords...) && !isTemplateText(text) {
		p.reportValue(f, `description does not say when to use the skill; add "Use when …" in words that a user would type`)
	}
}

func descriptionKeywords(p *Pass) {
	f, text, ok := p.description()
	if !ok || strings.Count(text, ",") < baitItems {
		return
	}
	n := 0
	for item := range strings.SplitSeq(text, ",") {
		if len(item) > 60 || len(strings.Fields(item)) > 3 || strings.ContainsAny(item, ".;:") {
			n = 0
			continue
		}
		if n++; n == baitItems {
			p.reportValue(f, "description lists %d keywords and more in a row; say what the skill does in a sentence", baitItems)
			return
		}
	}
}

var (
	officialText = regexp.MustCompile(`(?i)\b(?:official (?:anthropic|claude|openai|openclaw|clawhub)(?:'s)? (?:skill|plugin|extension|add-on)` +
		`|(?:anthropic|claude|openai|openclaw|clawhub)(?:'s)? official\b` +
		`|(?:endorsed|verified|approved|certified|published|maintained) by (?:anthropic|claude|openai|openclaw|clawhub)\b)`)
	officialName = regexp.MustCompile(`(?i)\b(?:anthropic|claude|openai|openclaw|clawhub)-official\b|\bofficial-(?:anthropic|claude|openai|openclaw|clawhub)\b`)
)

func brandImpersonation(p *Pass) {
	if f, name, ok := p.declaredName(); ok && strings.Contains(strings.ToLower(name), "official") {
		if officialName.MatchString(name) {
			p.reportValue(f, "name %q claims to be official; choose another", clip(name))
			return
		}
	}
	if f, text, ok := p.description(); ok && containsAny(strings.ToLower(text), "official", "endorsed", "verified", "approved", "certified", "published", "maintained") {
		if m := officialText.FindString(text); m != "" {
			p.reportPart(f, m, "%q claims to be official; leave it out", clip(m))
		}
	}
}
