package check

import (
	"path"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/executa/manifest"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/registry"
)

// toolRules look at executa.json.
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
