package check

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/matrix-nexus/skillkit/executa/manifest"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/registry"
)

// toolParamRules look at the parameters of the tools of a plugin.
var toolParamRules = []*Rule{
	{
		ID:    "tool-parameter-invalid",
		Title: "parameter that hosts misread",
		Doc: `
A parameter is an object with a name and one of the types string, integer, number, boolean, array
and object. What is none is left out or taken for a string, and the model then passes what the plugin
does not take. The message says how the parameter is read.
`,
		Bad:      paramExample(`{"name": "text", "type": "text", "description": "The note."}`),
		Good:     paramExample(`{"name": "text", "type": "string", "description": "The note."}`),
		Source:   "executa-protocol page, section Parameter schema",
		Severity: metadata.Warning,
		RunTool:  toolParamInvalid,
	},
	{
		ID:    "tool-parameter-items",
		Title: "array that does not say what it holds",
		Doc: `
An array without items or items_type is taken as a list of strings, and some models pass it as a text that
holds JSON. Declare "items": {"type": "string"}, or what it really holds.
`,
		Bad:      paramExample(`{"name": "tags", "type": "array", "description": "Words to find it by."}`),
		Good:     paramExample(`{"name": "tags", "type": "array", "items": {"type": "string"}, "description": "Words to find it by."}`),
		Source:   "executa-publish page, section Stabilise the manifest",
		Severity: metadata.Warning,
		RunTool: func(p *Pass) {
			eachToolParam(p, func(q toolParam) {
				if q.kind == "array" && q.values["items"] == nil && q.values["items_type"] == nil {
					p.inPlugin(q.pointer+"/type", "array %s does not say what it holds; declare items", short(q.name))
				}
			})
		},
	},
	{
		ID:    "tool-parameter-description",
		Title: "parameter without a description",
		Doc: `
A model fills in a parameter by its name and its description. Without one it guesses at formats, units and
what an empty value means. Say what it is, and give an example where the form matters.
`,
		Bad:      paramExample(`{"name": "text", "type": "string"}`),
		Good:     paramExample(`{"name": "text", "type": "string", "description": "The note."}`),
		Source:   "executa-protocol page, section Parameter schema",
		Severity: metadata.Info,
		RunTool: func(p *Pass) {
			eachToolParam(p, func(q toolParam) {
				if s, _ := q.values["description"].(string); blank(s) {
					p.inPlugin(q.pointer+"/description", "parameter %s of %s has no description", short(q.name), short(q.tool.Name))
				}
			})
		},
	},
	{
		ID:    "tool-parameter-required",
		Title: "default of a parameter that is required",
		Doc: `
A parameter is required unless it says "required": false. The model has to pass a required one, so
its default is never used. Say which of the two is meant.
`,
		Bad:      paramExample(`{"name": "count", "type": "integer", "description": "How many.", "default": 1}`),
		Good:     paramExample(`{"name": "count", "type": "integer", "description": "How many.", "required": false, "default": 1}`),
		Source:   "executa-protocol page, section Parameter schema: required defaults to true",
		Severity: metadata.Warning,
		RunTool: func(p *Pass) {
			eachToolParam(p, func(q toolParam) {
				if q.values["default"] != nil && q.values["required"] != false {
					p.inPlugin(q.pointer+"/default", "parameter %s has a default, and is required unless \"required\" is false", short(q.name))
				}
			})
		},
	},
	{
		ID:    "tool-parameter-default-null",
		Title: "default that is null",
		Doc: `
null is of none of the types that a parameter may have, so "default": null is no value that a model could
pass. Hosts leave it out; some pass it on, and the plugin gets a null. Leave default out, and let the
plugin do without.
`,
		Bad:      paramExample(`{"name": "tag", "type": "string", "description": "A word.", "required": false, "default": null}`),
		Good:     paramExample(`{"name": "tag", "type": "string", "description": "A word.", "required": false}`),
		Source:   "executa-protocol page, section Parameter schema; 10 parameters of 22 example plugins",
		Severity: metadata.Info,
		RunTool: func(p *Pass) {
			eachToolParam(p, func(q toolParam) {
				if v, ok := q.values["default"]; ok && v == nil {
					p.inPlugin(q.pointer+"/default", "the default of parameter %s is null; leave it out", short(q.name))
				}
			})
		},
	},
	{
		ID:    "tool-parameter-value",
		Title: "default or enum that does not fit",
		Doc: `
Arguments are checked against the type and the enum before the plugin gets them. A value in enum of
another type can never be passed, and a default that is not among the values of enum is one that the
plugin itself would be refused.
`,
		Bad:      paramExample(`{"name": "count", "type": "integer", "description": "How many.", "enum": ["1", "2"]}`),
		Good:     paramExample(`{"name": "count", "type": "integer", "description": "How many.", "enum": [1, 2]}`),
		Source:   "executa-protocol page, section Parameter schema",
		Severity: metadata.Warning,
		RunTool:  toolParamValues,
	},
	{
		ID:    "tool-parameter-secret",
		Title: "parameter that asks for a secret",
		Doc: `
What a model passes stands in the conversation, in logs and with the provider of the model. A token or
a password does not belong there. Declare it in credentials: the host then gives it to the plugin with each
call, and the model never sees it.
`,
		Bad:      paramExample(`{"name": "github_token", "type": "string", "description": "Your token."}`),
		Good:     pluginExample(exampleTool(""), ",\n  \"credentials\": [{\"name\": \"GITHUB_TOKEN\", \"description\": \"Made in the settings of your account.\"}]"),
		Source:   "executa-authorization page, section Never expose credentials as tool parameters",
		Severity: metadata.Warning,
		RunTool: func(p *Pass) {
			eachToolParam(p, func(q toolParam) {
				if (q.kind == "string" || q.kind == "") && asksForSecret(q.name) {
					p.inPlugin(q.pointer+"/name", "parameter %s looks like a secret; declare it in credentials", short(q.name))
				}
			})
		},
	},
	{
		ID:    "tool-parameter-name",
		Title: "name of a parameter that some model cannot use",
		Doc: `
Model interfaces take names of up to 64 ASCII letters, digits, underscores, dots and hyphens, and one of them refuses
names that start with another sign than a letter or an underscore. The whole request fails for one such name,
with all other tools in it.
`,
		Bad:      paramExample(`{"name": "note text", "type": "string", "description": "The note."}`),
		Good:     paramExample(`{"name": "note_text", "type": "string", "description": "The note."}`),
		Source:   "https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/overview; https://ai.google.dev/api/caching#FunctionDeclaration",
		Severity: metadata.Warning,
		RunTool: func(p *Pass) {
			eachToolParam(p, func(q toolParam) {
				if q.name != "" && !modelSafe.MatchString(q.name) {
					p.inPlugin(q.pointer+"/name", "models cannot be offered a parameter called %s", short(q.name))
				}
			})
		},
	},
	{
		ID:    "tool-parameter-ignored",
		Title: "key of a parameter that hosts ignore",
		Doc: `
The protocol knows name, type, description, required, default, enum, items and items_type. Other words of JSON
Schema, such as pattern and minimum, are no promise that a host checks them: the plugin has to. And a
parameter with "optional": true is still required.
`,
		Bad:      paramExample(`{"name": "count", "type": "integer", "description": "How many.", "optional": true}`),
		Good:     paramExample(`{"name": "count", "type": "integer", "description": "How many.", "required": false}`),
		Source:   "executa-protocol page, section Parameter schema",
		Severity: metadata.Info,
		RunTool:  toolParamKeys,
	},
}

// eachToolParam calls f for each parameter that is an object.
func eachToolParam(p *Pass, f func(toolParam)) {
	for _, q := range p.Tool.params {
		f(q)
	}
}

func toolParamInvalid(p *Pass) {
	eachTool(p, func(t *manifest.Tool) {
		schema, issues := registry.ParamSchema(t.Parameters)
		for _, issue := range issues {
			what := "parameters"
			index, member, _ := strings.Cut(strings.TrimPrefix(issue.Path, "/"), "/")
			if i, err := strconv.Atoi(index); err == nil {
				what = "parameter " + strconv.Itoa(i+1)
			}
			if member != "" {
				what = member + " of " + what
			}
			p.inPlugin(t.Pointer+"/parameters"+issue.Path, "%s of tool %s %s", what, short(t.Name), clipReason(issue.Message))
		}
		if err := schemaError(schema); err != nil {
			p.inPlugin(t.Pointer+"/parameters", "parameters of tool %s make no JSON Schema: %s", short(t.Name), clipReason(err.Error()))
		}
	})
}

func toolParamValues(p *Pass) {
	eachToolParam(p, func(q toolParam) {
		enum, _ := q.values["enum"].([]any)
		seen := map[string]bool{}
		for i, v := range enum {
			at := q.pointer + "/enum/" + strconv.Itoa(i)
			key, _ := json.Marshal(v) // it was JSON
			switch {
			case !fits(v, q.kind):
				p.inPlugin(at, "a value in enum of parameter %s is not of type %s", short(q.name), short(q.kind))
			case seen[string(key)]:
				p.inPlugin(at, "a value stands in enum of parameter %s twice", short(q.name))
			}
			seen[string(key)] = true
		}
		v := q.values["default"]
		switch {
		case v == nil:
		case !fits(v, q.kind):
			p.inPlugin(q.pointer+"/default", "the default of parameter %s is not of type %s", short(q.name), short(q.kind))
		case len(enum) > 0 && !slices.ContainsFunc(enum, func(e any) bool { return reflect.DeepEqual(e, v) }):
			p.inPlugin(q.pointer+"/default", "the default of parameter %s is none of the values in enum", short(q.name))
		}
	})
}

func toolParamKeys(p *Pass) {
	known := []string{"name", "type", "description", "required", "default", "enum", "items", "items_type"}
	eachToolParam(p, func(q toolParam) {
		for key := range q.values {
			switch pos := p.Tool.Plugin.KeyAt(manifest.Join(q.pointer, key)); {
			case slices.Contains(known, key) || strings.HasPrefix(key, "_"):
			case strings.EqualFold(key, "optional"):
				p.ReportFilef(p.Tool.Plugin.File, pos, "optional is not read, and parameter %s is required; write \"required\": false", short(q.name))
			default:
				p.ReportFilef(p.Tool.Plugin.File, pos, "%s of parameter %s is not read by hosts", short(key), short(q.name))
			}
		}
	})
}
