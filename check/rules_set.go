package check

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/registry"
)

// setRules look at all skills together. The skill that comes first by path has
// the name, the key or the text, and the others are reported.
var setRules = []*Rule{
	{
		ID:    "duplicate-name",
		Title: "two skills with one name",
		Doc: `
A name stands for one skill: of two in one place, the first by path is used, and the other is
never seen. Two copies of one text are reported too, as they seldom stay equal. Rename one
or remove it.
`,
		Bad:      "-- a/deploy/SKILL.md --\n" + goodSkill + "-- b/deploy/SKILL.md --\n" + goodSkill + "Or not.\n",
		Good:     "-- deploy/SKILL.md --\n" + goodSkill + "-- rollback/SKILL.md --\n" + goodOther,
		Source:   "skill-local page, section Where the loader looks; 8,266 of 20,982 published skills share a name",
		Severity: metadata.Warning,
		RunSet:   duplicateName,
	},
	{
		ID:    "similar-name",
		Title: "names that differ by case or punctuation alone",
		Doc: `
Names such as llm-router and llmrouter are two to a program, and one to people and models, who
ask for the wrong skill. Rename one so that it says what is different.
`,
		Bad:      "-- deploy/SKILL.md --\n" + goodSkill + "-- de-ploy/SKILL.md --\n" + strings.Replace(goodOther, "rollback", "de-ploy", 1),
		Good:     "-- deploy/SKILL.md --\n" + goodSkill + "-- rollback/SKILL.md --\n" + goodOther,
		Source:   "177 pairs among 20,982 published skills",
		Severity: metadata.Info,
		RunSet:   similarName,
	},
	{
		ID:    "duplicate-skill-key",
		Title: "two skills with one key",
		Doc: `
The configuration, such as a switch or an API key, is looked up by skill_key, or by the name
where there is none. Two skills with one key share all of it. Change one.
`,
		Bad: "-- deploy/SKILL.md --\n" + goodSkill + "-- rollback/SKILL.md --\n" +
			strings.Replace(goodOther, `"matrix": {`, `"matrix": {"skill_key": "deploy", `, 1),
		Good: "-- deploy/SKILL.md --\n" + goodSkill + "-- rollback/SKILL.md --\n" +
			strings.Replace(goodOther, `"matrix": {`, `"matrix": {"skill_key": "undo", `, 1),
		Source:   "skill-format page, section Recognized fields",
		Severity: metadata.Warning,
		RunSet:   duplicateKey,
	},
	{
		ID:    "duplicate-tool-name",
		Title: "two skills with one tool name",
		Doc: `
Models take tool names of letters, digits, hyphens and underscores only. Another name is changed
for them, and must then not be that of another skill: a request with two tools of one name is
refused. Rename one.
`,
		Bad: "-- Deploy/SKILL.md --\n" + strings.Replace(goodSkill, "deploy", "Deploy", 1) +
			"-- " + registry.ModelName("Deploy") + "/SKILL.md --\n" + strings.Replace(goodOther, "rollback", registry.ModelName("Deploy"), 1),
		Good:     "-- deploy/SKILL.md --\n" + goodSkill + "-- rollback/SKILL.md --\n" + goodOther,
		Source:   "package registry, ModelName",
		Severity: metadata.Warning,
		RunSet:   duplicateToolName,
	},
	{
		ID:    "duplicate-body",
		Title: "two skills with one body",
		Doc: `
Two skills of different names give a model the same text: most often a copy that was never
adapted, or one skill published twice. A model that tries one and then the other gains nothing.
`,
		Bad:      "-- deploy/SKILL.md --\n" + goodSkill + "-- rollback/SKILL.md --\n---\n" + goodOtherHeader + "---\n" + goodBody,
		Good:     "-- deploy/SKILL.md --\n" + goodSkill + "-- rollback/SKILL.md --\n" + goodOther,
		Source:   "2,603 of 20,982 published skills",
		Severity: metadata.Info,
		RunSet:   duplicateBody,
	},
	{
		ID:    "description-overlap",
		Title: "two descriptions with mostly the same words",
		Doc: `
A model chooses among skills by their descriptions. Where two share seven of ten words, it
chooses by chance. Say in each what the other does not do, or make one skill of them.
`,
		Bad: "-- deploy/SKILL.md --\n" + goodSkill + "-- ship/SKILL.md --\n" +
			strings.Replace(goodOther, goodOtherHeader, "name: ship\ndescription: Roll out a release to staging, then to production. Use when one is due.\n"+goodMetadata, 1),
		Good:     "-- deploy/SKILL.md --\n" + goodSkill + "-- rollback/SKILL.md --\n" + goodOther,
		Source:   "https://agentskills.io/specification#description-field",
		Severity: metadata.Info,
		RunSet:   descriptionOverlap,
	},
}

// pos returns where the field of that name has its value, or the start of the
// file.
func (f *Folder) pos(field string) metadata.Position {
	if g, ok := f.Doc.Top(field); ok {
		return g.Pos
	}
	return metadata.Position{Line: 1, Column: 1}
}

// name returns the name of a skill in the form in which names are compared.
func (f *Folder) name() string { return norm.NFC.String(f.Doc.Manifest.Name) }

func (f *Folder) trimmedBody() []byte { return bytes.TrimSpace(f.Doc.Body) }

func duplicateName(p *SetPass) {
	first := map[string]*Folder{}
	for _, f := range p.Skills {
		name := f.name()
		other := first[name]
		switch {
		case name == "":
		case other == nil:
			first[name] = f
		case bytes.Equal(f.Data, other.Data):
			p.In(f).Reportf(f.pos("name"), "the same file as %s; remove one", other.File)
		default:
			p.In(f).Reportf(f.pos("name"), "name %q is also that of %s, which comes first; rename one", clip(name), other.File)
		}
	}
}

// foldName returns the letters and digits of s, without case.
func foldName(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, norm.NFKC.String(s))
}

func similarName(p *SetPass) {
	first := map[string]*Folder{}
	seen := map[string]bool{}
	for _, f := range p.Skills {
		name := f.name()
		key := foldName(name)
		if key == "" || seen[name] {
			continue
		}
		seen[name] = true
		if other := first[key]; other != nil {
			p.In(f).Reportf(f.pos("name"), "name %q differs from that of %s, %q, by case or punctuation alone", clip(name), other.File, clip(other.name()))
		} else {
			first[key] = f
		}
	}
}

func duplicateKey(p *SetPass) {
	first := map[string]*Folder{}
	for _, f := range p.Skills {
		key := f.Doc.Manifest.Key()
		other := first[key]
		switch {
		case key == "":
		case other == nil:
			first[key] = f
		case f.name() != other.name():
			pos := f.pos("name")
			if k, ok := f.Doc.Vendor("skill_key"); ok {
				pos = k.Pos
			}
			p.In(f).Reportf(pos, "skill_key %q is also the key of %s; change one", clip(key), other.File)
		}
	}
}

func duplicateToolName(p *SetPass) {
	first := map[string]*Folder{}
	for _, f := range p.Skills {
		if f.Doc.Manifest.Name == "" {
			continue
		}
		tool := registry.ModelName(f.Doc.Manifest.Name)
		if other := first[tool]; other == nil {
			first[tool] = f
		} else if f.name() != other.name() {
			p.In(f).Reportf(f.pos("name"), "the tool %s of this skill has the name of that of %s; rename one", tool, other.File)
		}
	}
}

func duplicateBody(p *SetPass) {
	seed := maphash.MakeSeed()
	first := map[uint64][]*Folder{}
next:
	for _, f := range p.Skills {
		body := f.trimmedBody()
		if len(body) == 0 {
			continue
		}
		sum := maphash.Bytes(seed, body)
		for _, other := range first[sum] {
			if bytes.Equal(body, other.trimmedBody()) {
				if f.name() != other.name() { // else it is a duplicate-name
					p.In(f).Report(Finding{
						Position: metadata.Position{Line: f.Doc.BodyLine, Column: 1},
						Message:  fmt.Sprintf("the body is that of %s", other.File),
					})
				}
				continue next
			}
		}
		first[sum] = append(first[sum], f)
	}
}
