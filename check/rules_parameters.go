package check

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/registry"
)

// Names of the arguments that the tool of every skill has besides the declared
// parameters: text about what is wanted, and a supporting file to read. They are
// those of package converter, which this one must not import.
const (
	argumentsParam = "arguments"
	fileParam      = "file"
)

// parameterRules look at the parameters that a skill declares.
var parameterRules = []*Rule{
	{
		ID:    "parameter-invalid",
		Title: "parameter that cannot be declared to a model",
		Doc: `
Parameters become the JSON Schema by which a model calls the skill. Each is an
object with a name of its own and a type: string, integer, number, boolean, array
or object; required is true or false, and enum a list. What is none of this is
left out or guessed, and the model calls the skill in another way than you meant.
`,
		Bad:      vendorText(`, "parameters": [{"name": "target", "type": "str", "description": "Where to deploy to."}]`),
		Good:     vendorText(`, "parameters": [{"name": "target", "type": "string", "description": "Where to deploy to."}]`),
		Source:   "executa protocol page, section Parameter schema; skill-format page, section Recognized fields",
		Severity: metadata.Warning,
		Profiles: vendorProfiles,
		Run:      parameterInvalid,
	},
	{
		ID:    "parameter-no-description",
		Title: "parameter without description",
		Doc: `
The description is all that a model knows about a parameter besides its name and
type. Say what it is, in which form, and what happens without it.
`,
		Bad:      vendorText(`, "parameters": [{"name": "target", "type": "string"}]`),
		Good:     vendorText(`, "parameters": [{"name": "target", "type": "string", "description": "The host to deploy to, as in web-1."}]`),
		Source:   "executa protocol page, section Parameter schema",
		Severity: metadata.Warning,
		Profiles: vendorProfiles,
		Run: func(p *Pass) {
			eachParameter(p, func(q parameter) {
				if d, ok := q.field.Field("description"); (!ok || d.Value() == nil || strings.TrimSpace(d.Text()) == "") && q.name != "" {
					p.Reportf(q.at("description", "name"), "parameter %s has no description", short(q.name))
				}
			})
		},
	},
	{
		ID:    "parameter-array-items",
		Title: "array parameter that does not say of what",
		Doc: `
Some providers refuse a tool with an array whose items have no type, and a model
has to guess them. Add items, a JSON Schema such as {"type": "string"}; without it
the array holds strings.
`,
		Bad:      vendorText(`, "parameters": [{"name": "hosts", "type": "array", "description": "Hosts to deploy to."}]`),
		Good:     vendorText(`, "parameters": [{"name": "hosts", "type": "array", "items": {"type": "string"}, "description": "Hosts to deploy to."}]`),
		Source:   "executa protocol page, section Parameter schema",
		Severity: metadata.Warning,
		Profiles: vendorProfiles,
		Run: func(p *Pass) {
			eachParameter(p, func(q parameter) {
				_, items := q.field.Field("items")
				_, typed := q.field.Field("items_type")
				if q.kind == "array" && !items && !typed {
					p.Reportf(q.at("type"), "parameter %s is an array and has no items", short(q.name))
				}
			})
		},
	},
	{
		ID:    "parameter-default",
		Title: "default or enum that does not fit the type",
		Doc: `
A model that takes the default, or a value of enum, has its call refused when
that is not of the declared type; so it is when the default is none of the
values of enum. Write numbers and booleans without quotes, and text with them.
`,
		Bad:      vendorText(`, "parameters": [{"name": "count", "type": "integer", "default": "3", "description": "How many hosts at a time."}]`),
		Good:     vendorText(`, "parameters": [{"name": "count", "type": "integer", "default": 3, "description": "How many hosts at a time."}]`),
		Source:   "executa protocol page, section Parameter schema; JSON Schema 2020-12, validation, sections 6.1.2 and 9.2",
		Severity: metadata.Warning,
		Profiles: vendorProfiles,
		Run:      parameterDefault,
	},
	{
		ID:    "parameter-name-unsafe",
		Title: "parameter name that some model cannot use",
		Doc: `
The interfaces of the large providers take names of up to 64 ASCII letters,
digits, underscores, dots and hyphens, and one refuses names that start with
anything but a letter or an underscore. With another name the whole request fails,
not this skill alone.
`,
		Bad:      vendorText(`, "parameters": [{"name": "target host", "type": "string", "description": "Where to deploy to."}]`),
		Good:     vendorText(`, "parameters": [{"name": "target_host", "type": "string", "description": "Where to deploy to."}]`),
		Source:   "https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/overview; https://ai.google.dev/api/caching#FunctionDeclaration",
		Severity: metadata.Warning,
		Profiles: vendorProfiles,
		Run: func(p *Pass) {
			eachParameter(p, func(q parameter) {
				if q.name != "" && !modelSafe.MatchString(q.name) {
					p.Reportf(q.at("name"), "parameter %s has a name that some model cannot use: want ASCII letters, digits and underscores", short(q.name))
				}
			})
		},
	},
	{
		ID:    "parameter-name-taken",
		Title: "parameter with a name that every skill's tool has",
		Doc: `
The tool of a skill has the arguments "arguments", for free text, and "file", to
read a supporting file. A parameter of that name takes the place of the first,
and makes the second "skill_file". If that is not what you want, choose a
name that says more, such as input_file.
`,
		Bad:      vendorText(`, "parameters": [{"name": "file", "type": "string", "description": "What to deploy."}]`),
		Good:     vendorText(`, "parameters": [{"name": "release_file", "type": "string", "description": "What to deploy."}]`),
		Source:   "package converter of this module",
		Severity: metadata.Info,
		Profiles: vendorProfiles,
		Run: func(p *Pass) {
			eachParameter(p, func(q parameter) {
				switch q.name {
				case argumentsParam:
					p.Reportf(q.at("name"), "parameter arguments takes the place of the free text that every skill is given")
				case fileParam:
					p.Reportf(q.at("name"), "parameter file takes the name by which a supporting file is read, which is skill_file then")
				}
			})
		},
	},
	{
		ID:    "parameter-secret",
		Title: "parameter that asks for a secret",
		Doc: `
What a model passes in a parameter stands in the conversation, in logs and with
the provider. A token or a password does not belong there. Declare it in
requires.env, from where the skill's commands get it without the model seeing it.
`,
		Bad:      vendorText(`, "parameters": [{"name": "api_key", "type": "string", "description": "The key of the service."}]`),
		Good:     vendorText(`, "requires": {"env": ["DEPLOY_API_KEY"]}`),
		Source:   "executa credentials page: secrets are credentials, never parameters",
		Severity: metadata.Warning,
		Profiles: vendorProfiles,
		Run: func(p *Pass) {
			eachParameter(p, func(q parameter) {
				if asksForSecret(q.name) {
					p.Reportf(q.at("name"), "parameter %s looks like a secret; declare it in requires.env", short(q.name))
				}
			})
		},
	},
}

var modelSafe = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]{0,63}$`)

// A parameter is one that a skill declares.
type parameter struct {
	name  string // or empty
	kind  string // its type
	field metadata.Field
}

func (q parameter) at(names ...string) metadata.Position { return entryAt(q.field, names...) }

// eachParameter calls f for each declared parameter that is an object.
func eachParameter(p *Pass, f func(parameter)) {
	if p.Doc.Manifest.Parameters == nil {
		return
	}
	list, _ := p.Doc.Vendor("parameters")
	for item := range list.All() {
		if _, ok := item.Value().(map[string]any); ok {
			f(parameter{textOf(item, "name"), textOf(item, "type"), item})
		}
	}
}

// textOf returns the text that a field of f holds, or "".
func textOf(f metadata.Field, name string) string {
	g, _ := f.Field(name)
	s, _ := g.Value().(string)
	return s
}

// parameterInvalid reports what is no parameter, and a schema that is none.
func parameterInvalid(p *Pass) {
	params := p.Doc.Manifest.Parameters
	if params == nil {
		return
	}
	list, _ := p.Doc.Vendor("parameters")
	var items []metadata.Field
	for item := range list.All() {
		items = append(items, item)
	}
	schema, issues := registry.ParamSchema(params)
	for _, issue := range issues {
		pos, what := list.Pos, "parameters"
		index, member, _ := strings.Cut(strings.TrimPrefix(issue.Path, "/"), "/")
		if i, err := strconv.Atoi(index); err == nil && i < len(items) {
			pos, what = entryAt(items[i], member, "name"), fmt.Sprintf("parameter %d", i+1)
			if name := textOf(items[i], "name"); name != "" {
				what = "parameter " + short(name)
			}
			if member != "" {
				what = member + " of " + what
			}
		}
		p.Reportf(pos, "%s %s", what, clipReason(issue.Message))
	}
	if err := schemaError(schema); err != nil {
		p.Reportf(list.Pos, "parameters make no JSON Schema: %s", clipReason(err.Error()))
	}
}

// schemaError says why a model's arguments cannot be checked against a schema.
func schemaError(schema json.RawMessage) error {
	h, err := registry.New(nil).Register("skill", registry.Def{Name: "skill", Schema: schema,
		Invoke: func(context.Context, *registry.Call) (registry.Result, error) { return registry.Result{}, nil }})
	if err != nil {
		return err
	}
	return h.Tools()[0].SchemaError()
}

func parameterDefault(p *Pass) {
	eachParameter(p, func(q parameter) {
		enum, _ := q.field.Field("enum")
		values, _ := enum.Value().([]any)
		for item := range enum.All() {
			if !fits(item.Value(), q.kind) {
				p.Reportf(item.Pos, "a value in enum of parameter %s is not of type %s", short(q.name), q.kind)
			}
		}
		f, ok := q.field.Field("default")
		if !ok || f.Value() == nil {
			return
		}
		if !fits(f.Value(), q.kind) {
			p.Reportf(f.Pos, "the default of parameter %s is not of type %s", short(q.name), q.kind)
			return
		}
		for _, v := range values {
			if reflect.DeepEqual(v, f.Value()) {
				return
			}
		}
		if len(values) > 0 {
			p.Reportf(f.Pos, "the default of parameter %s is none of the values in enum", short(q.name))
		}
	})
}

// fits reports whether v, as encoding/json decodes it with numbers as
// json.Number, is of a type of JSON Schema. Any value is of a type that is not
// known.
func fits(v any, kind string) bool {
	ok := true
	switch kind {
	case "string":
		_, ok = v.(string)
	case "boolean":
		_, ok = v.(bool)
	case "array":
		_, ok = v.([]any)
	case "object":
		_, ok = v.(map[string]any)
	case "number", "integer":
		var n json.Number
		if n, ok = v.(json.Number); ok && kind == "integer" {
			x, err := n.Float64()
			ok = err == nil && x == float64(int64(x))
		}
	}
	return ok
}
