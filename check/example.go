package check

import "strings"

// The lines of a frontmatter in which no rule finds more than advice, for the
// examples of rules.
const (
	goodName        = "name: deploy\n"
	goodDescription = "description: Roll out a release to staging, then to production. Use when a release is due.\n"
	goodMetadata    = `metadata: {"matrix": {"execution_mode": "prompt", "category_name": "operations"}}` + "\n"
	goodHeader      = goodName + goodDescription + goodMetadata
	goodBody        = "\n# Deploy\n\nRoll out a release to staging, then to production.\n\nFor example: deploy version 1.2 and write a table of the hosts.\n"
	goodSkill       = "---\n" + goodHeader + "---\n" + goodBody
)

// A second skill beside goodSkill.
const (
	goodOtherHeader = "name: rollback\ndescription: Undo a bad release and restore the one before. Use when hosts fail after a deployment.\n" + goodMetadata
	goodOther       = "---\n" + goodOtherHeader + "---\n\n# Roll back\n\nPut the release before back on all hosts.\n\nFor example: undo version 1.2 and write a table of the hosts.\n"
)

// vendorText returns goodHeader with these fields added to the vendor block.
func vendorText(fields string) string {
	return strings.Replace(goodHeader, `"operations"`, `"operations"`+fields, 1)
}

// modeText returns an example in a mode, with a code block.
func modeText(mode, fields, block string) string {
	return "---\n" + strings.Replace(vendorText(fields), `"prompt"`, `"`+mode+`"`, 1) + "---\n\n# Deploy\n\n" +
		"Roll out a release, for example web 1.2, and write a table of the hosts.\n\n```" + block + "\n```\n"
}

// exampleBody returns goodSkill with the text added to its body.
func exampleBody(text string) string { return goodSkill + "\n" + text + "\n" }

// toolExample returns the folder of a Tool. more are members of its
// executa.json.
func toolExample(more string) string {
	return "-- notes/executa.json --\n{\n  \"tool_id\": \"tool-acme-notes-k3v9\",\n  \"type\": \"go\"" + more + "\n}\n" +
		"-- notes/manifest.json --\n" + examplePlugin(exampleTool(""), "")
}

// pluginExample returns the folder of a Tool with these tools. more are members of
// the manifest of its plugin.
func pluginExample(tools, more string) string {
	return "-- notes/executa.json --\n{\"tool_id\": \"tool-acme-notes-k3v9\", \"type\": \"go\"}\n" +
		"-- notes/manifest.json --\n" + examplePlugin(tools, more)
}

// paramExample returns the folder of a Tool with a tool that has these
// parameters.
func paramExample(params string) string { return pluginExample(exampleTool(params), "") }

func examplePlugin(tools, more string) string {
	return "{\n  \"display_name\": \"Notes\",\n  \"version\": \"1.0.0\",\n  \"description\": \"Keep short notes.\",\n" +
		"  \"tools\": [" + tools + "]" + more + "\n}\n"
}

func exampleTool(params string) string {
	return "{\n    \"name\": \"add_note\",\n    \"description\": \"Add a note.\",\n    \"parameters\": [" + params + "]\n  }"
}

func credentialExample(list string) string {
	return pluginExample(exampleTool(""), ",\n  \"credentials\": ["+list+"]")
}

func distributionExample(distribution string) string {
	return toolExample(",\n  \"distribution\": " + distribution)
}

func artifactExample(assets string) string {
	return distributionExample(`{"type": "binary", "supports_protocol": true, "binary_artifacts": {` + assets + `}}`)
}

func urlExample(assets string) string {
	return distributionExample(`{"type": "binary", "supports_protocol": true, "binary_urls": {` + assets + `}}`)
}
