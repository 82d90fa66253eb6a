package check

import (
	"bytes"
	"fmt"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/matrix-nexus/skillkit/internal/closest"
	"github.com/matrix-nexus/skillkit/metadata"
)

// parserFieldRules report what the parser found at fault with single fields.
var parserFieldRules = []*Rule{
	{
		ID:    "duplicate-key",
		Title: "key that is given twice",
		Doc: `
Most YAML readers refuse a mapping in which a key stands twice, and with it the whole
file; others take the first or the last value. The message names both lines. Keep one.
`,
		Bad:       goodHeader + goodDescription,
		Good:      goodHeader,
		Source:    "YAML 1.2.2, section 3.2.1.3; 4 of 20,982 published skills",
		Severity:  metadata.Error,
		RunFolder: problems,
	},
	{
		ID:    "key-spelling",
		Title: "key in a spelling that is not documented",
		Doc: `
A key is written in camelCase, with other capitals or with other hyphens than the page gives
it, such as primaryEnv for primary_env. This module reads it; a reader that takes the
page literally does not. Use the documented spelling.
`,
		Bad:       goodName + goodDescription + `metadata: {"matrix": {"executionMode": "prompt", "category_name": "operations"}}` + "\n",
		Good:      goodHeader,
		Source:    "skill-format page, section Recognized fields; 1,828 of 20,982 published skills",
		Severity:  metadata.Info,
		Profiles:  []Profile{Matrix},
		Fixable:   true,
		RunFolder: keySpelling,
	},
	{
		ID:    "dotted-key",
		Title: "key with dots for nested keys",
		Doc: `
A dot in a key means nothing in YAML: metadata.matrix is a key of its own at the top
level, and other readers pass over it with all that it holds. Nest the keys.
`,
		Bad:       goodName + goodDescription + `metadata.matrix: {"execution_mode": "prompt", "category_name": "operations"}` + "\n",
		Good:      goodHeader,
		Source:    "skill-format page, section The metadata blob; 8 of 20,982 published skills",
		Severity:  metadata.Warning,
		RunFolder: problems,
	},
	{
		ID:    "misplaced-field",
		Title: "field outside the block it belongs to",
		Doc: `
The field was found beside or above the block under metadata, or a requirement outside
requires. Other readers look for it only where it is documented, and miss it.
Move it there.
`,
		Bad:       goodHeader + "emoji: 🚀\n",
		Good:      goodName + goodDescription + `metadata: {"matrix": {"emoji": "🚀", "execution_mode": "prompt", "category_name": "operations"}}` + "\n",
		Source:    "skill-format page, section Recognized fields; 171 of 20,982 published skills have emoji at the top level",
		Severity:  metadata.Warning,
		Profiles:  vendorProfiles,
		RunFolder: problems,
	},
	{
		ID:    "value-cut",
		Title: "value that a comment cuts short",
		Doc: `
A blank and a hash start a comment in YAML, so that the rest of the line is no part of the
value: "fix issue #12" means "fix issue". Nothing else tells the author. Quote
the value.
`,
		Bad:       goodName + "description: Fix the bug that issue #12 reports. Use when a bug is reported.\n" + goodMetadata,
		Good:      goodName + "description: \"Fix the bug that issue #12 reports. Use when a bug is reported.\"\n" + goodMetadata,
		Source:    "YAML 1.2.2, section 6.6; 2 of 20,982 published skills",
		Severity:  metadata.Warning,
		RunFolder: problems,
	},
	{
		ID:    "wrong-type",
		Title: "value of the wrong type",
		Doc: `
The field wants another kind of value, such as text where a list stands, and was not read.
A reader that decodes into a fixed struct refuses the whole file for it. A value in
brackets is a list: quote it if it should be text.
`,
		Bad:        goodHeader + "license: [MIT]\n",
		Good:       goodHeader + "license: MIT\n",
		Source:     "https://agentskills.io/specification#frontmatter; 415 of 17,549 published skills fail a struct with one such field",
		Severity:   metadata.Warning,
		SeverityIn: strict,
		RunFolder:  problems,
	},
	{
		ID:    "string-bool",
		Title: "true or false as text",
		Doc: `
In quotes, true is text: a reader that decodes into a boolean refuses the file, and one that
tests for truth takes "false" for true. Take the quotes away.
`,
		Bad:       goodHeader + "disable-model-invocation: \"true\"\n",
		Good:      goodHeader + "disable-model-invocation: true\n",
		Source:    "skill-format page, section Recognized fields; agnix rules CC-SK-014 and CC-SK-015",
		Severity:  metadata.Warning,
		Fixable:   true,
		RunFolder: problems,
	},
	{
		ID:    "too-deep",
		Title: "value that is nested too deeply",
		Doc: `
Values nested more than 100 deep, or multiplied by aliases, are not read: they are how a
small file uses up the memory of its reader. The field is lost. Write it flat and without aliases.
`,
		Bad:       goodHeader + "notes: " + strings.Repeat("[", 101) + strings.Repeat("]", 101) + "\n",
		Good:      goodHeader + "notes: [[a], [b]]\n",
		Source:    "package metadata; none of 19,156 published frontmatters uses an alias",
		Severity:  metadata.Error,
		RunFolder: problems,
	},
	{
		ID:    "name-missing",
		Title: "no name",
		Doc: `
Without a name the skill has that of its folder, and changes it with the folder: when it is
copied, or unpacked from an archive. Readers of the specification at agentskills.io refuse it.
Write the name down.
`,
		Bad:        goodDescription + goodMetadata,
		Good:       goodHeader,
		Source:     "skill-format page, section Top-level frontmatter; https://agentskills.io/specification#name-field; 124 of 20,982 published skills",
		Severity:   metadata.Info,
		SeverityIn: strict,
		RunFolder:  problems,
	},
	{
		ID:    "name-directory-mismatch",
		Title: "name that differs from the folder's",
		Doc: `
Some readers find a skill by its folder and others by its name, and some drop one whose
two names differ. Whoever installs it looks for the wrong folder. Rename
the folder or the skill. Forms of the same accented letter make no difference.
`,
		Bad:        "-- staging/SKILL.md --\n" + goodSkill,
		Good:       "-- deploy/SKILL.md --\n" + goodSkill,
		Source:     "https://agentskills.io/specification#name-field; 5,628 of 17,591 published skills",
		Severity:   metadata.Warning,
		SeverityIn: strict,
		RunFolder:  nameDirectory,
	},
	{
		ID:    "description-missing",
		Title: "no description",
		Doc: `
Until a skill is chosen, a model sees its name and description alone. One without a
description is not offered, and never chosen. Say what it does and when to use it.
`,
		Bad:       goodName + "description:\n" + goodMetadata,
		Good:      goodHeader,
		Source:    "skill-format page, section Top-level frontmatter; 110 of 20,982 published skills",
		Severity:  metadata.Error,
		RunFolder: descriptionMissing,
	},
	{
		ID:    "allowed-tools-unbalanced",
		Title: "parentheses that do not match in allowed-tools",
		Doc: `
An entry of allowed-tools may limit a tool by a pattern in parentheses. Where they do not
match, nobody can tell what is allowed, and none of the entry's tools is. Write Name or
Name(pattern), divided by blanks.
`,
		Bad:       goodHeader + "allowed-tools: Bash(git:* Read\n",
		Good:      goodHeader + "allowed-tools: Bash(git:*) Read\n",
		Source:    "https://agentskills.io/specification#allowed-tools-field",
		Severity:  metadata.Error,
		RunFolder: problems,
	},
	{
		ID:    "unknown-execution-mode",
		Title: "execution mode that is not known",
		Doc: `
execution_mode tells the model how the body is meant to be run. One that is not prompt, bash,
python, api or hybrid is read as prompt, so a model is told to follow the text and not
to run it.
`,
		Bad:       goodName + goodDescription + `metadata: {"matrix": {"execution_mode": "shell", "category_name": "operations"}}` + "\n",
		Good:      goodHeader,
		Source:    "skill-format page, section Recognized fields",
		Severity:  metadata.Warning,
		Profiles:  []Profile{Matrix},
		RunFolder: problems,
	},
	{
		ID:    "unknown-os",
		Title: "operating system that is not known",
		Doc: `
os limits a skill or a recipe to the systems it names. A name that is not known matches no
machine: if there is no other, the skill is offered nowhere. Write macos, linux or windows.
`,
		Bad:       vendorText(`, "os": ["beos", "linux"]`),
		Good:      vendorText(`, "os": ["linux"]`),
		Source:    "skill-format page, section Recognized fields",
		Severity:  metadata.Warning,
		Profiles:  vendorProfiles,
		RunFolder: problems,
	},
	{
		ID:    "os-alias",
		Title: "operating system in a spelling that is not documented",
		Doc: `
The documented names are macos, linux and windows. darwin, mac, win32 and the like are
understood here; a reader that takes the page literally offers the skill nowhere.
`,
		Bad:       vendorText(`, "os": ["darwin"]`),
		Good:      vendorText(`, "os": ["macos"]`),
		Source:    "skill-format page, section Recognized fields; 1,140 of 20,982 published skills",
		Severity:  metadata.Info,
		Fixable:   true,
		Profiles:  []Profile{Matrix},
		RunFolder: problems,
	},
}

// vendorFields are the documented fields of a vendor block.
var vendorFields = []string{
	"always", "skill_key", "primary_env", "emoji", "homepage", "category_name", "os",
	"execution_mode", "parameters", "requires", "install", "uninstall",
}

// maxLonger is by how many bytes a key may differ in length from what it is
// taken for: name is no slip of the pen for category_name.
const maxLonger = 3

// misspeltVendorField reports keys of the vendor block that are nearly those of
// documented fields, and were not read.
func misspeltVendorField(p *Pass) {
	meta, _ := p.Doc.Top("metadata")
	block, _ := meta.Field(p.Doc.Manifest.VendorKey)
	for f := range block.All() {
		if _, unread := p.Doc.Manifest.VendorExtra[f.Key]; !unread {
			continue
		}
		near := closest.Names(f.Key, vendorFields)
		if len(near) > 0 && max(len(f.Key)-len(near[0]), len(near[0])-len(f.Key)) <= maxLonger {
			p.Reportf(f.KeyPos, "%s is not a known field of %s; is it %s?", short(f.Key), block.Key, near[0])
		}
	}
}

// keySpelling reports what problems does, and the fields of the vendor block in
// another spelling, which the parser takes without a word.
func keySpelling(p *Pass) {
	problems(p)
	if p.Doc == nil {
		return
	}
	for f := range p.Doc.Vendors() {
		if !strings.ContainsFunc(f.Key, func(r rune) bool { return r == '-' || 'A' <= r && r <= 'Z' }) {
			continue
		}
		for _, name := range vendorFields {
			if g, ok := p.Doc.Vendor(name); ok && g.KeyPos == f.KeyPos {
				p.spelling(f, name)
			}
		}
	}
	if requires, ok := p.Doc.Vendor("requires"); ok {
		for _, name := range []string{"any_bins", "python_packages"} {
			if f, ok := requires.Field(name); ok {
				p.spelling(f, name)
			}
		}
	}
}

// spelling reports f if its key is not the documented name.
func (p *Pass) spelling(f metadata.Field, name string) {
	if f.Key == name {
		return
	}
	found := Finding{Position: f.KeyPos, Message: fmt.Sprintf("%q is read as %s; write it so", f.Key, name)}
	switch p.Doc.Manifest.VendorKey {
	case "", "matrix", "nexus": // others, such as OpenClaw, know only their own spelling
		found.Fix = p.replaceKey(f, name, "write "+name)
	}
	p.Report(found)
}

// nameDirectory does what problems does, unless the name that another rule
// suggests is that of the folder.
func nameDirectory(p *Pass) {
	if p.Doc == nil {
		return
	}
	f, name, ok := p.declaredName()
	if ok && name != kebab(name) && kebab(name) == norm.NFC.String(p.Name) {
		return
	}
	for _, q := range p.Doc.Problems {
		if q.Code == p.Rule.ID {
			p.reportValue(f, "%s", q.Message)
		}
	}
}

// descriptionMissing does what problems does, and tells why the text of a block is
// empty: its lines are keys, or there are none.
func descriptionMissing(p *Pass) {
	if p.Doc != nil {
		if f, ok := p.Doc.Top("description"); ok && p.hasProblem(p.Rule.ID, f.KeyPos) {
			line, _, _ := bytes.Cut(p.Data[p.Offset(f.KeyPos):], []byte("\n"))
			if _, mark, ok := bytes.Cut(line, []byte(":")); ok && bytes.IndexAny(bytes.TrimSpace(mark), ">|") == 0 {
				p.Reportf(f.KeyPos, "no description: no indented line follows %q; without one a model is not offered this skill", clip(string(bytes.TrimSpace(mark))))
				return
			}
		}
	}
	problems(p)
}
