package check

import "github.com/matrix-nexus/skillkit/metadata"

// parserFileRules report what the parser found at fault with a whole file, and
// with its fences.
var parserFileRules = []*Rule{
	{
		ID:    "file-too-large",
		Title: "file of more than 1 MiB",
		Doc: `
A SKILL.md of more than 1 MiB is refused. All of the text goes to a model when the
skill is used, and the largest of those published has 177 kB. Move tables,
references and data to files beside it, and name them by relative path in the body.
`,
		Bad:       goodSkill + "\n[1 MiB of text]\n",
		Good:      goodSkill,
		Source:    "package metadata, MaxFile; the largest of 20,982 published skills has 176,876 bytes",
		Severity:  metadata.Error,
		RunFolder: problems,
	},
	{
		ID:    "not-utf8",
		Title: "text that is not UTF-8",
		Doc: `
SKILL.md has to be UTF-8 without NUL bytes. Readers refuse other encodings, or
show a model wrong characters without a word. The message says where the first
byte is that cannot be read. Save the file as UTF-8; UTF-16 is a common cause on Windows.
`,
		Bad:       "---\nname: deploy\ndescription: Open the caf\xe9 menu. Use when a menu is asked for.\n---\n",
		Good:      goodSkill,
		Source:    "YAML 1.2.2, section 5.2",
		Severity:  metadata.Error,
		RunFolder: problems,
	},
	{
		ID:    "no-frontmatter",
		Title: "no frontmatter",
		Doc: `
A skill starts with a line of three dashes, then its name and description in YAML,
then three dashes again. Without that, no reader knows what the file is for, and it
is not loaded. Put the frontmatter in front of all other text.
`,
		Bad:       "# Deploy\n\nRoll out a release to staging, then to production.\n",
		Good:      goodSkill,
		Source:    "skill-format page, section Top-level frontmatter; 1,817 of 20,982 published skills",
		Severity:  metadata.Error,
		RunFolder: problems,
	},
	{
		ID:    "unclosed-frontmatter",
		Title: "frontmatter that is not closed",
		Doc: `
The line of three dashes that ends the frontmatter is missing, or is only found far down
in the body, where it is a rule. Everything between would be read as YAML, so the file
is refused. Add a line of exactly three dashes below the last field.
`,
		Bad:       "---\nname: deploy\ndescription: Roll out a release. Use when a release is due.\n\n# Deploy\n",
		Good:      goodSkill,
		Source:    "skill-format page, section Top-level frontmatter; 28 of 20,982 published skills",
		Severity:  metadata.Error,
		RunFolder: problems,
	},
	{
		ID:    "frontmatter-not-mapping",
		Title: "frontmatter that is a list or text",
		Doc: `
Frontmatter is a mapping: each line that starts at the margin is a key, a colon,
a blank and a value. A list or plain text has no name and no description, and
the file is not loaded.
`,
		Bad:       "---\n- name\n- description\n---\n\n# Deploy\n",
		Good:      goodSkill,
		Source:    "https://agentskills.io/specification#frontmatter; 14 of 20,982 published skills have a scalar or nothing there",
		Severity:  metadata.Error,
		RunFolder: problems,
	},
	{
		ID:    "yaml-invalid",
		Title: "YAML that cannot be repaired",
		Doc: `
The frontmatter, or one field of it, is not YAML, and what was meant cannot be told.
Readers refuse the file, and the skill is missing from every list. Causes found in
published skills are brackets that are never closed, conflict markers of a merge, control
characters, and prose or code between the keys.
`,
		Bad:       "name: deploy\ndescription: Roll out a release. Use when a release is due.\n<<<<<<< HEAD\nlicense: MIT\n",
		Good:      goodHeader + "license: MIT\n",
		Source:    "YAML 1.2.2; 39 of 20,982 published skills have YAML beyond repair",
		Severity:  metadata.Error,
		RunFolder: problems,
	},
	{
		ID:    "bom",
		Title: "byte order mark",
		Doc: `
Three invisible bytes stand in front of the first dash, as some Windows editors write
them. Readers that look for the dashes at the very start of the file find no
frontmatter, and take the skill for a text. Save the file as UTF-8 without a byte order mark.
`,
		Bad:       "\ufeff" + goodSkill,
		Good:      goodSkill,
		Source:    "12 of 20,982 published skills",
		Severity:  metadata.Info,
		Fixable:   true,
		RunFolder: problems,
	},
	{
		ID:    "crlf",
		Title: "lines that end with a carriage return",
		Doc: `
The lines of the frontmatter end as on Windows, or with a lone carriage return.
Several readers then miss the closing dashes or leave a carriage return at the end
of each value, such as the name. Use LF, and say so in .gitattributes: "SKILL.md text eol=lf".
`,
		Bad:       "---\r\nname: deploy\r\ndescription: Roll out a release. Use when a release is due.\r\n---\r\n",
		Good:      goodSkill,
		Source:    "207 of 20,982 published skills",
		Severity:  metadata.Info,
		Fixable:   true,
		RunFolder: problems,
	},
	{
		ID:    "irregular-fence",
		Title: "irregular fence around the frontmatter",
		Doc: `
The dashes around the frontmatter were found, but not where they belong: indented, behind
blank lines or other text, with text on the same line, or the whole file inside a
code block. Many readers take such a file for one without frontmatter. Each fence is a line
of exactly three dashes, and the first one is the first line.
`,
		Bad:       "---\n" + goodHeader + "---# Deploy\n\nRoll out a release to staging.\n",
		Good:      goodSkill,
		Source:    "skill-format page, section Top-level frontmatter; about 150 of 20,982 published skills",
		Severity:  metadata.Warning,
		Fixable:   true,
		RunFolder: problems,
	},
}
