package openaitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// checkSchema refuses parameters that OpenAI refuses.
func checkSchema(raw json.RawMessage) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(jsonschema.SchemeURLLoader{}) // of no scheme
	if err := c.AddResource("parameters.json", doc); err != nil {
		return err
	}
	if _, err := c.Compile("parameters.json"); err != nil {
		return err
	}
	m, _ := doc.(map[string]any)
	if m["type"] != "object" {
		return fmt.Errorf("schema must be of 'type: \"object\"', got %v", m["type"])
	}
	if _, ok := m["properties"].(map[string]any); !ok {
		return errors.New("object schema missing properties")
	}
	for _, key := range []string{"oneOf", "anyOf", "allOf", "enum", "not"} {
		if _, ok := m[key]; ok {
			return fmt.Errorf("schema must not have %q at the top level", key)
		}
	}
	return walk(nil, m)
}

// walk checks m, which is a valid JSON Schema, and all below it.
func walk(at []string, m map[string]any) error {
	refuse := func(msg string) error {
		return fmt.Errorf("in context (%s), %s", strings.Join(at, ", "), msg)
	}
	isArray := m["type"] == "array"
	if types, ok := m["type"].([]any); ok {
		isArray = slices.Contains(types, any("array"))
	}
	if _, ok := m["items"].(map[string]any); isArray && !ok {
		return refuse("array schema missing items")
	}
	if ref, ok := m["$ref"].(string); ok && !strings.HasPrefix(ref, "#") {
		return refuse("$ref must point into the schema")
	}
	properties, _ := m["properties"].(map[string]any)
	required, _ := m["required"].([]any)
	for _, name := range required {
		if _, ok := properties[name.(string)]; !ok {
			return refuse(fmt.Sprintf("required %q is not in properties", name))
		}
	}
	for _, key := range []string{"properties", "$defs", "definitions"} {
		subs, _ := m[key].(map[string]any)
		for name, sub := range subs {
			s, ok := sub.(map[string]any)
			if !ok {
				return refuse(fmt.Sprintf("%q is not an object", name))
			}
			if err := walk(append(at, key, name), s); err != nil {
				return err
			}
		}
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf", "prefixItems"} {
		subs, _ := m[key].([]any)
		for _, sub := range subs {
			if s, ok := sub.(map[string]any); ok {
				if err := walk(append(at, key), s); err != nil {
					return err
				}
			}
		}
	}
	for _, key := range []string{"items", "additionalProperties", "not"} {
		if s, ok := m[key].(map[string]any); ok {
			if err := walk(append(at, key), s); err != nil {
				return err
			}
		}
	}
	return nil
}
