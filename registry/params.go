package registry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// ParamSchema returns the JSON Schema of the parameters that a skill or an
// Executa plugin declares, a list as the Executa protocol's "Parameter schema"
// describes it: each has a name, a type (string, integer, number, boolean,
// array or object), and may have description, required (true unless it says
// false), default, enum and, for an array, items or items_type (without
// either it holds strings). Nil, null and the empty list mean no arguments.
//
// It always returns a schema of an object that takes nothing undeclared. What
// it could not read costs no more than itself and is in the issues, whose
// paths lead into params. An object that is a JSON Schema already is taken as
// it is, with an issue.
func ParamSchema(params json.RawMessage) (json.RawMessage, []Issue) {
	p := paramReader{properties: map[string]any{}, required: []string{}}
	var list []json.RawMessage
	switch err := json.Unmarshal(params, &list); {
	case len(bytes.TrimSpace(params)) == 0:
	case err == nil:
		for i, raw := range list {
			p.path = "/" + strconv.Itoa(i)
			p.read(raw)
		}
	default:
		var object map[string]json.RawMessage
		if json.Unmarshal(params, &object) == nil && (object["properties"] != nil || object["type"] != nil) {
			p.report("", "type", "is a JSON Schema, not a list of parameters; taken as it is")
			return slices.Clone(params), p.issues
		}
		p.report("", "type", "must be a list of parameters; taken as none")
	}
	return canonical(map[string]any{
		"type":                 "object",
		"properties":           p.properties,
		"required":             p.required,
		"additionalProperties": false,
	}), p.issues
}

// A paramReader makes a schema of one parameter after the other.
type paramReader struct {
	path       string // of the current parameter
	properties map[string]any
	required   []string
	issues     []Issue
}

func (p *paramReader) report(member, rule, format string, args ...any) {
	path := p.path
	if member != "" {
		path += "/" + member
	}
	p.issues = append(p.issues, Issue{Path: path, Rule: rule, Message: fmt.Sprintf(format, args...)})
}

func (p *paramReader) read(raw json.RawMessage) {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil || m == nil {
		p.report("", "type", "must be an object with name and type; left out")
		return
	}
	name := p.text(m, "name")
	switch _, twice := p.properties[name]; {
	case name == "":
		p.report("name", "required", "a parameter needs a name; left out")
		return
	case twice:
		p.report("name", "unique", "is the name of an earlier parameter; left out")
		return
	}

	s := p.typed("type", p.text(m, "type"))
	if s["type"] == "array" {
		s["items"] = p.items(m)
	}
	if d := p.text(m, "description"); d != "" {
		s["description"] = d
	}
	if d := m["default"]; set(d) {
		s["default"] = d
	}
	if e := m["enum"]; set(e) {
		var values []json.RawMessage
		if json.Unmarshal(e, &values) != nil || len(values) == 0 {
			p.report("enum", "type", "must be a list of values; ignored")
		} else {
			s["enum"] = values
		}
	}
	required := true
	if r := m["required"]; set(r) && json.Unmarshal(r, &required) != nil {
		p.report("required", "type", "must be true or false; taken as true")
		required = true
	}
	if required {
		p.required = append(p.required, name)
	}
	p.properties[name] = s
}

// items returns the schema of an array's elements.
func (p *paramReader) items(m map[string]json.RawMessage) any {
	items := m["items"]
	if !set(items) {
		if !set(m["items_type"]) {
			return map[string]any{"type": "string"}
		}
		return p.typed("items_type", p.text(m, "items_type"))
	}
	var name string
	if json.Unmarshal(items, &name) == nil {
		return p.typed("items", name)
	}
	var object map[string]any
	if json.Unmarshal(items, &object) != nil {
		p.report("items", "type", "must be a JSON Schema; taken as strings")
		return map[string]any{"type": "string"}
	}
	return items
}

// typed returns the schema of a type by its name, which member holds.
func (p *paramReader) typed(member, name string) map[string]any {
	switch name {
	case "array":
		return map[string]any{"type": name, "items": map[string]any{"type": "string"}}
	case "string", "integer", "number", "boolean", "object":
	case "":
		p.report(member, "required", "a parameter needs a type; taken as string")
		name = "string"
	default:
		p.report(member, "enum", "must be string, integer, number, boolean, array or object; taken as string")
		name = "string"
	}
	return map[string]any{"type": name}
}

// text returns the string that member holds, or "".
func (p *paramReader) text(m map[string]json.RawMessage, member string) string {
	var s string
	if raw := m[member]; set(raw) && json.Unmarshal(raw, &s) != nil {
		p.report(member, "type", "must be a string; ignored")
	}
	return s
}

// set reports whether a member is there and not null.
func set(raw json.RawMessage) bool { return raw != nil && string(raw) != "null" }
