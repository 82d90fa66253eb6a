package check

import "github.com/matrix-nexus/skillkit/metadata"

// parserYAMLRules report what the parser repaired: text that YAML refuses, but
// that was read as its author most likely meant it.
var parserYAMLRules = []*Rule{
	{
		ID:    "unquoted-colon",
		Title: "unquoted colon in a value",
		Doc: `
A colon and a blank inside a plain value start a mapping in YAML, so most
readers refuse the whole frontmatter and the skill is never offered. Quote the value.
`,
		Bad:       "name: deploy\ndescription: Deploy: staging first. Use when a release is due.\n",
		Good:      goodName + "description: \"Deploy: staging first. Use when a release is due.\"\n" + goodMetadata,
		Source:    "YAML 1.2.2, section 7.3.3; 323 of 453 author-made YAML failures in 20,982 published skills",
		Severity:  metadata.Error,
		Fixable:   true,
		RunFolder: problems,
	},
	{
		ID:    "bad-quotes",
		Title: "quotes that do not match, or a bad escape",
		Doc: `
A value starts with a quote but goes on behind the closing one, never closes it, or
holds a backslash that YAML does not know. Most readers refuse the whole frontmatter.
Inside double quotes write \" and \\, inside single quotes double the quote.
`,
		Bad:       "name: deploy\ndescription: \"Roll out\" a release to staging. Use when a release is due.\n",
		Good:      goodName + "description: '\"Roll out\" a release to staging. Use when a release is due.'\n" + goodMetadata,
		Source:    "YAML 1.2.2, section 7.3; 17 of 453 author-made YAML failures in 20,982 published skills",
		Severity:  metadata.Error,
		Fixable:   true,
		RunFolder: problems,
	},
	{
		ID:    "reserved-character",
		Title: "value that starts with a sign of YAML",
		Doc: `
A plain value must not start with a sign that means something in YAML, such as *, @, %,
a comma or a backtick, and must not hold some kinds of line break. Bold text is the usual case.
Most readers refuse the whole frontmatter. Quote the value.
`,
		Bad:       "name: deploy\ndescription: **Roll out** a release to staging. Use when a release is due.\n",
		Good:      goodName + "description: \"**Roll out** a release to staging. Use when a release is due.\"\n" + goodMetadata,
		Source:    "YAML 1.2.2, section 5.3; 267 of 20,982 published skills",
		Severity:  metadata.Error,
		Fixable:   true,
		RunFolder: problems,
	},
	{
		ID:    "text-after-flow",
		Title: "text after a list or mapping in brackets",
		Doc: `
A value that starts with a bracket is a list or a mapping, and ends with the closing
bracket; text behind it is a YAML error, for which most readers refuse the whole
frontmatter. The usual case is an argument-hint of several words in brackets. Quote the value.
`,
		Bad:       goodHeader + "argument-hint: [environment] [version]\n",
		Good:      "---\n" + goodHeader + "argument-hint: \"[environment] [version]\"\n---\n" + goodBody + "\nThe arguments are the environment and the version.\n",
		Source:    "YAML 1.2.2, section 7.4; 15 of 453 author-made YAML failures in 20,982 published skills",
		Severity:  metadata.Error,
		Fixable:   true,
		RunFolder: problems,
	},
	{
		ID:    "odd-colon",
		Title: "colon that YAML does not take for one",
		Doc: `
A full-width colon, or a no-break space behind a colon, looks like the end of a key and
is none. Most readers refuse the frontmatter or miss the field. Input methods and
translators write them. Type a plain colon and a plain blank.
`,
		Bad:       "name: deploy\ndescription：Roll out a release. Use when a release is due.\n",
		Good:      goodHeader,
		Source:    "YAML 1.2.2, section 7.4; 10 of 20,982 published skills",
		Severity:  metadata.Error,
		Fixable:   true,
		RunFolder: problems,
	},
	{
		ID:    "unindented-text",
		Title: "text that goes on without indentation",
		Doc: `
The lines of a value that goes on must be indented; at the margin YAML expects the next
key, and most readers refuse the whole frontmatter. Models that rewrite a SKILL.md
often lose the indentation. Indent the lines, or write the value on one line in quotes.
`,
		Bad:       "name: deploy\ndescription: |\nRoll out a release to staging.\nUse when a release is due.\n",
		Good:      goodName + "description: |\n  Roll out a release to staging.\n  Use when a release is due.\n" + goodMetadata,
		Source:    "YAML 1.2.2, section 8.1; 670 of 20,982 published skills, most of them rewritten by a model",
		Severity:  metadata.Error,
		Fixable:   true,
		RunFolder: problems,
	},
	{
		ID:    "metadata-not-yaml",
		Title: "metadata in JSON that YAML refuses",
		Doc: `
JSON may hold what YAML does not know, such as an emoji written as two \u escapes, which is
what json.dumps of Python writes, an escaped slash, or, in relaxed JSON, a comment. A reader that takes the
frontmatter for YAML refuses the whole file. Write strict JSON, and the characters themselves (in
Python: ensure_ascii=False).
`,
		Bad:        goodName + goodDescription + `metadata: {"matrix": {"emoji": "\ud83d\udd2c", "execution_mode": "prompt", "category_name": "operations"}}` + "\n",
		Good:       goodName + goodDescription + `metadata: {"matrix": {"emoji": "🔬", "execution_mode": "prompt", "category_name": "operations"}}` + "\n",
		Source:     "skill-format page, section The metadata blob; 47 of 453 author-made YAML failures in 20,982 published skills",
		Severity:   metadata.Warning,
		Fixable:    true,
		SeverityIn: strict,
		RunFolder:  problems,
	},
	{
		ID:    "metadata-not-strict-json",
		Title: "metadata in relaxed JSON",
		Doc: `
metadata is documented as JSON. Comments, trailing commas, single quotes and bare keys are
not JSON, and inside a quoted value YAML does not help either: a strict reader finds no
requirements and calls the skill ready. Write strict JSON on one line.
`,
		Bad:       goodName + goodDescription + `metadata: "{matrix: {execution_mode: 'prompt', category_name: 'operations'}}"` + "\n",
		Good:      goodHeader,
		Source:    "skill-format page, section The metadata blob; 519 of 5,257 blobs in published skills",
		Severity:  metadata.Info,
		RunFolder: problems,
	},
}
