package check

import (
	"path"
	"slices"
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

// toolRules look at executa.json and at the tools of a plugin.
var toolRules = []*Rule{
	{
		ID:    "tool-version",
		Title: "version that is not SemVer",
		Doc: `
A version is MAJOR.MINOR.PATCH, such as 1.4.0. Publishing counts it up from there, apps ask for
a least version, and archives are unpacked into a folder of that name; "v1.4", "1.4" and
"latest" fit none of these. The manifest of a plugin has to have one.
`,
		Bad:      toolExample(",\n  \"version\": \"v1.4\""),
		Good:     toolExample(",\n  \"version\": \"1.4.0\""),
		Source:   "executa-protocol page, section Manifest fields; https://semver.org/spec/v2.0.0.html",
		Severity: metadata.Warning,
		RunTool:  toolVersion,
	},
	{
		ID:    "tool-version-differs",
		Title: "versions of executa.json and manifest.json that differ",
		Doc: `
The version stands in executa.json and in the manifest of the plugin, and publishing freezes
both. Two that differ mean that one was forgotten. Set both when you release.
`,
		Bad:      toolExample(",\n  \"version\": \"1.1.0\""),
		Good:     toolExample(",\n  \"version\": \"1.0.0\""),
		Source:   "executa-publish page, sections Stabilise the manifest and Publish a new version",
		Severity: metadata.Info,
		RunTool: func(p *Pass) {
			e, q := p.Tool.Executa, p.Tool.Plugin
			if q != nil && e.Version != q.Version && manifest.ValidVersion(e.Version) && manifest.ValidVersion(q.Version) {
				p.inExecuta("/version", "version is %s here and %s in %s", short(e.Version), short(q.Version), q.File)
			}
		},
	},
	{
		ID:    "tool-id-invalid",
		Title: "tool_id that cannot name a folder",
		Doc: `
A Tool is installed in a folder that is called as its tool_id, and its configuration and its
calls go by it. One with blanks, separators or other signs, or of more than 128 characters, is
refused. Paste the minted one: letters, digits, dots, underscores and hyphens, a letter first.
`,
		Bad:      "-- notes/executa.json --\n{\"tool_id\": \"acme/my notes\", \"type\": \"go\"}\n",
		Good:     "-- notes/executa.json --\n{\"tool_id\": \"tool-acme-my-notes-k3v9\", \"type\": \"go\"}\n",
		Source:   "executa-binary page, section Multi-file binary layout; executa-publish page, section Mint a stable tool_id",
		Severity: metadata.Error,
		RunTool: func(p *Pass) {
			if id := p.Tool.Executa.ToolID; id != "" && !safeID(id) {
				p.inExecuta("/tool_id", "tool_id %s cannot name a folder; paste the minted one", short(id))
			}
		},
	},
	{
		ID:    "tool-id-shape",
		Title: "tool_id that was not minted",
		Doc: `
The platform mints the tool_id, as tool-author-name-suffix, and takes no other. One of another
form works on your desk alone. Mint it before you publish, since all installs go by it; until
then a form such as tool-dev-notes says that it is not the final one.
`,
		Bad:      "-- notes/executa.json --\n{\"tool_id\": \"notes\", \"type\": \"go\"}\n",
		Good:     toolExample(""),
		Source:   "executa-publish page, section Mint a stable tool_id",
		Severity: metadata.Info,
		RunTool: func(p *Pass) {
			id := p.Tool.Executa.ToolID
			prefix, rest, _ := strings.Cut(id, "-")
			if id != "" && safeID(id) && (prefix != "tool" && prefix != "skill" || !strings.Contains(rest, "-")) {
				p.inExecuta("/tool_id", "tool_id %s is not of the form that is minted, tool-author-name-suffix", short(id))
			}
		},
	},
	{
		ID:    "tool-unnamed",
		Title: "Tool that nothing names",
		Doc: `
A plugin is known by tool_id, name or slug of its executa.json, else by name or display_name of its
manifest. Without all of these it has to be given a name in each configuration. Set tool_id,
or name until one is minted.
`,
		Bad:      "-- notes/executa.json --\n{\"type\": \"go\"}\n",
		Good:     "-- notes/executa.json --\n{\"name\": \"notes\", \"type\": \"go\"}\n",
		Source:   "executa-protocol page, section Manifest fields; 21 of 22 example manifests have no name",
		Severity: metadata.Warning,
		RunTool: func(p *Pass) {
			if e := p.Tool.Executa; e.File != "" && manifest.Identity("", e, p.Tool.Plugin) == "" {
				p.inExecuta("", "nothing names the Tool; set tool_id, or name until one is minted")
			}
		},
	},
	{
		ID:    "tool-type-unknown",
		Title: "type of a Tool that is not known",
		Doc: `
type says how the plugin is started on the desk: python, node, go or binary. executa_type says what
is published: tool or skill. With another value the plugin is not started, or not published.
For another language, build a binary or give command.
`,
		Bad:      "-- notes/executa.json --\n{\"tool_id\": \"tool-acme-notes-k3v9\", \"type\": \"pyton\"}\n",
		Good:     "-- notes/executa.json --\n{\"tool_id\": \"tool-acme-notes-k3v9\", \"type\": \"python\"}\n",
		Source:   "fields of executa.json in 22 example plugins",
		Severity: metadata.Warning,
		RunTool: func(p *Pass) {
			e := p.Tool.Executa
			if known := []string{"python", "node", "go", "binary"}; e.Type != "" && len(e.Command) == 0 && !slices.Contains(known, e.Type) {
				p.inExecuta("/type", "type %s is not known%s", short(e.Type), meant(e.Type, known))
			}
			if known := []string{"tool", "skill"}; e.Kind != "" && !slices.Contains(known, e.Kind) {
				p.inExecuta("/executa_type", "executa_type %s is not known%s", short(e.Kind), meant(e.Kind, known))
			}
		},
	},
	{
		ID:    "manifest-file-missing",
		Title: "manifest_file that is not there",
		Doc: `
manifest_file names the file, below the folder of executa.json, that holds what the plugin
answers describe with. Without it the platform does not learn which permissions the plugin
asks for, and users cannot grant them. Save the answer there, or correct the path.
`,
		Bad:      "-- notes/executa.json --\n{\"tool_id\": \"tool-acme-notes-k3v9\", \"type\": \"go\", \"manifest_file\": \"describe.json\"}\n",
		Good:     "-- notes/executa.json --\n{\"tool_id\": \"tool-acme-notes-k3v9\", \"type\": \"go\", \"manifest_file\": \"describe.json\"}\n-- notes/describe.json --\n" + examplePlugin(exampleTool(""), ""),
		Source:   "executa-pitfalls page, section 9a",
		Severity: metadata.Error,
		RunTool: func(p *Pass) {
			name := p.Tool.Executa.ManifestFile
			switch {
			case name == "":
			case !manifest.IsLocal(name):
				p.inExecuta("/manifest_file", "manifest_file %s is not a path below the folder", short(name))
			case !p.isThere(path.Clean(name)):
				p.inExecuta("/manifest_file", "manifest_file %s is not there; save what the plugin answers describe with", short(name))
			}
		},
	},
	{
		ID:    "describe-manifest-missing",
		Title: "no describe manifest beside executa.json",
		Doc: `
Publishing sends the manifest of the plugin, from manifest.json beside executa.json or from the
file that manifest_file names. Without it the Tool has no Permission entry and each call to the
host is refused. The rules for tools, parameters and credentials find nothing without it either. Save
what the plugin answers describe with.
`,
		Bad:      "-- notes/executa.json --\n{\"tool_id\": \"tool-acme-notes-k3v9\", \"type\": \"go\"}\n",
		Good:     toolExample(""),
		Source:   "executa-pitfalls page, section 9a",
		Severity: metadata.Info,
		RunTool: func(p *Pass) {
			t := p.Tool
			// An unreadable one is another finding.
			unreadable := slices.ContainsFunc(t.Problems, func(q metadata.Problem) bool { return q.File != manifest.ExecutaFile })
			if t.Plugin != nil || t.Executa.File == "" || t.Executa.ManifestFile != "" || t.Executa.Kind == "skill" || unreadable {
				return
			}
			if t.Archive != nil {
				p.inExecuta("", "manifest.json is that of an archive; save what the plugin answers describe with beside it, and name that file in manifest_file")
				return
			}
			p.inExecuta("", "there is no manifest.json with what the plugin answers describe with")
		},
	},
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
	{
		ID:    "tool-key-spelling",
		Title: "key that looks like a misspelt one",
		Doc: `
Hosts pass over keys that they don't know, so one that is misspelt, or in camelCase, does nothing and
nobody says so. Write it as the message suggests.
`,
		Bad:      pluginExample(`{"name": "add_note", "description": "Add a note.", "Parameters": []}`, ""),
		Good:     toolExample(""),
		Source:   "executa-protocol page, section describe; fields of executa.json in 22 example plugins",
		Severity: metadata.Warning,
		RunTool:  toolKeys,
	},
	{
		ID:    "tool-id-duplicate",
		Title: "two Tools with one tool_id",
		Doc: `
A tool_id stands for one plugin. Of two in one app or workspace the first is started and the second
never is. Mint one for each, or remove the copy.
`,
		Bad: "-- a/executa.json --\n{\"tool_id\": \"tool-acme-notes-k3v9\", \"type\": \"go\"}\n" +
			"-- b/executa.json --\n{\"tool_id\": \"tool-acme-notes-k3v9\", \"type\": \"node\"}\n",
		Good: "-- a/executa.json --\n{\"tool_id\": \"tool-acme-notes-k3v9\", \"type\": \"go\"}\n" +
			"-- b/executa.json --\n{\"tool_id\": \"tool-acme-lists-m2x7\", \"type\": \"node\"}\n",
		Source:   "executa-publish page, section Mint a stable tool_id",
		Severity: metadata.Warning,
		RunSet: func(p *SetPass) {
			first := map[string]*Folder{}
			for _, f := range p.Tools {
				id := f.Tool.Executa.ToolID
				if other := first[id]; other == nil {
					first[id] = f
				} else if id != "" {
					p.In(f).inExecuta("/tool_id", "%s has this tool_id too", other.Show(manifest.ExecutaFile))
				}
			}
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

// safeID reports whether a tool_id is a valid id and the name of a folder on
// every system.
func safeID(id string) bool { return registry.ValidID(id) && !strings.Contains(id, ":") }

func toolVersion(p *Pass) {
	check := func(d *manifest.Document, version string) {
		if version != "" && !manifest.ValidVersion(version) && !odd(d, "/version") {
			p.at(d, "/version", "version %s is not SemVer; write it as 1.4.0", short(version))
		}
	}
	check(&p.Tool.Executa.Document, p.Tool.Executa.Version)
	if q := p.Tool.Plugin; q != nil {
		check(&q.Document, q.Version)
		if q.Version == "" {
			p.inPlugin("/version", "the plugin has no version; set one such as 1.4.0")
		}
	} else if a := p.Tool.Archive; a != nil {
		check(&a.Document, a.Version)
	}
}
