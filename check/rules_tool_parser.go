package check

import "github.com/matrix-nexus/skillkit/metadata"

// toolParserRules report what the readers of executa.json and manifest.json found:
// each code of a problem is a rule.
var toolParserRules = []*Rule{
	{
		ID:    "manifest-not-json",
		Title: "file of a Tool that is not JSON",
		Doc: `
The file cannot be read, so a host finds no plugin and publishing fails. The message says
where the first fault is: most often a missing comma or quote on the line above, or a number
written with underscores.
`,
		Bad:      "-- notes/executa.json --\n{\n  \"tool_id\": \"tool-acme-notes-k3v9\"\n  \"type\": \"go\"\n}\n",
		Good:     toolExample(""),
		Source:   "RFC 8259; executa-publish page, section Stabilise the manifest",
		Severity: metadata.Error,
		RunTool:  toolProblems,
	},
	{
		ID:    "manifest-not-strict-json",
		Title: "file of a Tool in relaxed JSON",
		Doc: `
Comments, trailing commas, single quotes, a byte order mark and text after the closing brace
are no JSON. This checker reads the file nevertheless; a host that uses the JSON reader of
its language refuses it. Remove them; a note goes into a key such as _comment.
`,
		Bad:      "-- notes/executa.json --\n{\n  // the id is from the Mint button\n  \"tool_id\": \"tool-acme-notes-k3v9\",\n  \"type\": \"go\",\n}\n",
		Good:     toolExample(",\n  \"_comment\": \"the id is from the Mint button\""),
		Source:   "RFC 8259, section 2",
		Severity: metadata.Error,
		RunTool:  toolProblems,
	},
	{
		ID:    "manifest-not-object",
		Title: "file of a Tool that holds no object",
		Doc: `
executa.json and manifest.json each hold one JSON object. There is a list, text or another
value instead, in which a host finds nothing. Put what it holds into an object.
`,
		Bad:      "-- notes/executa.json --\n[\"tool-acme-notes-k3v9\"]\n",
		Good:     toolExample(""),
		Source:   "executa-protocol page, section describe",
		Severity: metadata.Error,
		RunTool:  toolProblems,
	},
	{
		ID:    "manifest-not-utf8",
		Title: "file of a Tool that is not UTF-8",
		Doc: `
JSON between systems is UTF-8. A file in another encoding is refused by some readers, and by others
read with broken letters in what a model sees. Save it as UTF-8.
`,
		Bad:      "-- notes/executa.json --\n{\"tool_id\": \"tool-acme-notes-k3v9\", \"description\": \"Caf\xe9 notes.\"}\n",
		Good:     toolExample(",\n  \"description\": \"Café notes.\""),
		Source:   "RFC 8259, section 8.1; executa-protocol page, section Constraints",
		Severity: metadata.Error,
		RunTool:  toolProblems,
	},
	{
		ID:    "manifest-too-large",
		Title: "file of a Tool over 1 MiB",
		Doc: `
A manifest is one line of at most 2 MiB on its way from the plugin, and all of it that describes
tools goes to a model. One of more than 1 MiB is not read. Take out what is not needed to
choose and call the tools.
`,
		Bad:      "-- notes/executa.json --\n[1 MiB of text]\n",
		Good:     toolExample(""),
		Source:   "executa-protocol page, section Constraints; limit of this checker",
		Severity: metadata.Error,
		RunTool:  toolProblems,
	},
	{
		ID:    "manifest-duplicate-key",
		Title: "key that an object has twice",
		Doc: `
Of equal keys in one object most readers take the last and some the first, so that two hosts
see different manifests. Keep the one that is meant.
`,
		Bad:      "-- notes/executa.json --\n{\n  \"tool_id\": \"tool-acme-notes-k3v9\",\n  \"type\": \"go\",\n  \"type\": \"node\"\n}\n",
		Good:     toolExample(""),
		Source:   "RFC 8259, section 4",
		Severity: metadata.Warning,
		RunTool:  toolProblems,
	},
	{
		ID:    "manifest-wrapped",
		Title: "manifest inside another object",
		Doc: `
The result of describe is the manifest itself. One inside {"manifest": …} has no tools at its
top, so the host drops the plugin when it loads it. The same goes for a file that holds a whole
JSON-RPC reply: keep what is in its result.
`,
		Bad:      "-- notes/executa.json --\n{\"tool_id\": \"tool-acme-notes-k3v9\", \"type\": \"go\"}\n-- notes/manifest.json --\n{\"manifest\": " + examplePlugin(exampleTool(""), "") + "}\n",
		Good:     toolExample(""),
		Source:   "executa-pitfalls page, section 5",
		Severity: metadata.Error,
		RunTool:  toolProblems,
	},
	{
		ID:    "manifest-wrong-type",
		Title: "field of another type than hosts read",
		Doc: `
A field holds a number, text, list or object where another is read, such as a timeout in
quotes or a command that is not a list. A host ignores the field or refuses the manifest. Write
it as the message says.
`,
		Bad:      toolExample(",\n  \"enabled\": \"no\""),
		Good:     toolExample(",\n  \"enabled\": false"),
		Source:   "executa-protocol page, sections Manifest fields and Tool definition",
		Severity: metadata.Warning,
		RunTool:  toolProblems,
	},
}

// toolProblems reports the problems that have the code of the rule.
func toolProblems(p *Pass) {
	for _, q := range p.Tool.Problems {
		if q.Code == p.Rule.ID {
			p.ReportFilef(q.File, q.Position, "%s", q.Message)
		}
	}
}
