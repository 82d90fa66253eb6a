package check

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/matrix-nexus/skillkit/executa/manifest"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/registry"
)

// maxToolDescription is the number of code points of a description that a model is
// shown; the registry cuts the rest.
const maxToolDescription = 1024

// longTimeout is from when on a timeout is taken for one in milliseconds.
const longTimeout = time.Hour

// pluginRules look at what a plugin says of itself and its tools.
var pluginRules = []*Rule{
	{
		ID:    "manifest-description-missing",
		Title: "plugin without a description",
		Doc: `
The description of the plugin is what users read before they install it, and hosts that group tools
show it to the model. The page requires it. One paragraph is enough.
`,
		Bad:      "-- notes/executa.json --\n{\"tool_id\": \"tool-acme-notes-k3v9\", \"type\": \"go\"}\n-- notes/manifest.json --\n{\"display_name\": \"Notes\", \"version\": \"1.0.0\", \"tools\": [" + exampleTool("") + "]}\n",
		Good:     toolExample(""),
		Source:   "executa-protocol page, section Manifest fields",
		Severity: metadata.Warning,
		RunTool: func(p *Pass) {
			if q := p.Tool.Plugin; q != nil && blank(q.Description) {
				p.inPlugin("/description", "the plugin has no description")
			}
		},
	},
	{
		ID:    "display-name-missing",
		Title: "plugin without a name for people",
		Doc: `
Users see display_name, or name if there is none, in lists and settings. Without both they see the
tool_id, such as tool-acme-notes-k3v9.
`,
		Bad:      "-- notes/executa.json --\n{\"tool_id\": \"tool-acme-notes-k3v9\", \"type\": \"go\"}\n-- notes/manifest.json --\n{\"description\": \"Keep short notes.\", \"version\": \"1.0.0\", \"tools\": [" + exampleTool("") + "]}\n",
		Good:     toolExample(""),
		Source:   "executa-protocol page, section Manifest fields",
		Severity: metadata.Info,
		RunTool: func(p *Pass) {
			if q := p.Tool.Plugin; q != nil && blank(q.DisplayName) && blank(q.Name) {
				p.inPlugin("", "the plugin has neither display_name nor name, so users see its tool_id")
			}
		},
	},
	{
		ID:    "tools-missing",
		Title: "plugin without tools",
		Doc: `
A plugin offers a model nothing but its tools. A manifest in which tools is missing or empty loads
as a plugin that can do nothing. List each tool with name, description and parameters.
`,
		Bad:      pluginExample("", ""),
		Good:     toolExample(""),
		Source:   "executa-protocol page, section Manifest fields: at least one tool definition",
		Severity: metadata.Error,
		RunTool: func(p *Pass) {
			if q := p.Tool.Plugin; q != nil && len(q.Tools) == 0 {
				p.inPlugin("/tools", "the plugin has no tools")
			}
		},
	},
	{
		ID:    "tool-name-duplicate",
		Title: "two tools of one name",
		Doc: `
A call names a tool, and of two with one name only one can be meant: hosts refuse the plugin or never
call the second. Names that differ in case alone are the same to some agents.
`,
		Bad:      pluginExample(`{"name": "add", "description": "Add a note."}, {"name": "add", "description": "Add a list."}`, ""),
		Good:     pluginExample(`{"name": "add_note", "description": "Add a note."}, {"name": "add_list", "description": "Add a list."}`, ""),
		Source:   "executa-protocol page, section Tool definition: unique within the plugin",
		Severity: metadata.Error,
		RunTool: func(p *Pass) {
			seen := map[string]bool{}
			eachTool(p, func(t *manifest.Tool) {
				key := strings.ToLower(t.Name)
				if t.Name != "" && seen[key] {
					p.inPlugin(t.Pointer+"/name", "an earlier tool is called %s too", short(t.Name))
				}
				seen[key] = true
			})
		},
	},
	{
		ID:    "tool-name-missing",
		Title: "tool without a name",
		Doc: `
A tool is called by its name. One without cannot be called, and a host may drop the whole
plugin for it. A verb and its object, such as add_note, make a good name.
`,
		Bad:      pluginExample(`{"description": "Add a note."}`, ""),
		Good:     toolExample(""),
		Source:   "executa-protocol page, section Tool definition",
		Severity: metadata.Error,
		RunTool: func(p *Pass) {
			eachTool(p, func(t *manifest.Tool) {
				if t.Name == "" {
					p.inPlugin(t.Pointer+"/name", "a tool has no name")
				}
			})
		},
	},
	{
		ID:    "tool-name-unsafe",
		Title: "name of a tool that models are not offered",
		Doc: `
Model interfaces take names of up to 64 letters, digits, underscores and hyphens. A tool with another is
offered under a changed name, so that what its description or a conversation says about it
no longer fits.
`,
		Bad:      pluginExample(`{"name": "notes.add note", "description": "Add a note."}`, ""),
		Good:     toolExample(""),
		Source:   "names of functions in the OpenAI and Anthropic interfaces",
		Severity: metadata.Warning,
		RunTool: func(p *Pass) {
			eachTool(p, func(t *manifest.Tool) {
				if t.Name != "" && registry.ModelName(strings.ToLower(t.Name)) != strings.ToLower(t.Name) {
					p.inPlugin(t.Pointer+"/name", "models cannot be offered a tool called %s; use up to 64 letters, digits, underscores and hyphens", short(t.Name))
				}
			})
		},
	},
	{
		ID:    "tool-description-missing",
		Title: "tool without a description",
		Doc: `
The description is all by which a model decides whether to call the tool. Say what it does,
when to use it and what it returns.
`,
		Bad:      pluginExample(`{"name": "add_note"}`, ""),
		Good:     toolExample(""),
		Source:   "executa-publish page, section Stabilise the manifest",
		Severity: metadata.Warning,
		RunTool: func(p *Pass) {
			eachTool(p, func(t *manifest.Tool) {
				if blank(t.Description) {
					p.inPlugin(t.Pointer+"/description", "tool %s has no description, by which a model chooses it", short(t.Name))
				}
			})
		},
	},
	{
		ID:    "tool-description-too-long",
		Title: "description of a tool over 1,024 characters",
		Doc: `
Model interfaces take descriptions of up to 1,024 characters; the rest is cut before a model sees it. All
descriptions are sent with each request, so a short one is cheaper too. Put the important
part first, and what concerns one parameter there.
`,
		Bad:      pluginExample(`{"name": "add_note", "description": "`+strings.Repeat("Add a note. ", 90)+`"}`, ""),
		Good:     toolExample(""),
		Source:   "limit of descriptions in package registry, from the OpenAI interface",
		Severity: metadata.Warning,
		RunTool: func(p *Pass) {
			eachTool(p, func(t *manifest.Tool) {
				if n := utf8.RuneCountInString(t.Description); n > maxToolDescription {
					p.inPlugin(t.Pointer+"/description", "the description has %d characters; models see %d", n, maxToolDescription)
				}
			})
		},
	},
	{
		ID:    "tool-input-schema",
		Title: "input_schema instead of parameters",
		Doc: `
Hosts read the list parameters. A JSON Schema in input_schema, as MCP has it, is ignored by most: the model
is told of no arguments and invents some, and the call still seems to succeed. Declare each
argument in parameters.
`,
		Bad:      pluginExample(`{"name": "add_note", "description": "Add a note.", "input_schema": {"type": "object", "properties": {"text": {"type": "string"}}}}`, ""),
		Good:     paramExample(`{"name": "text", "type": "string", "description": "The note."}`),
		Source:   "executa-pitfalls page, section 4",
		Severity: metadata.Warning,
		RunTool: func(p *Pass) {
			eachTool(p, func(t *manifest.Tool) {
				if t.InputSchema != nil {
					p.ReportFilef(p.Tool.Plugin.File, p.Tool.Plugin.KeyAt(t.Pointer+"/input_schema"), "hosts ignore input_schema; declare the arguments in parameters")
				}
			})
		},
	},
	{
		ID:    "tool-timeout-long",
		Title: "timeout of more than an hour",
		Doc: `
timeout is in seconds. A value above 3600 is most often meant in milliseconds, and lets a plugin that hangs
block its user for hours. Work that really takes so long should be started by one call and
asked for by others.
`,
		Bad:      pluginExample(`{"name": "add_note", "description": "Add a note.", "timeout": 30000}`, ""),
		Good:     pluginExample(`{"name": "add_note", "description": "Add a note.", "timeout": 30}`, ""),
		Source:   "executa-protocol page, section Default timeouts",
		Severity: metadata.Warning,
		RunTool: func(p *Pass) {
			eachTool(p, func(t *manifest.Tool) {
				if t.Timeout > longTimeout {
					p.inPlugin(t.Pointer+"/timeout", "a timeout of %v; the unit is seconds", t.Timeout)
				}
			})
		},
	},
}

// eachTool calls f for each tool of the plugin.
func eachTool(p *Pass, f func(*manifest.Tool)) {
	if p.Tool.Plugin == nil {
		return
	}
	for i := range p.Tool.Plugin.Tools {
		f(&p.Tool.Plugin.Tools[i])
	}
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }
