package registry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/matrix-nexus/skillkit/internal/jsonrpc"
)

// A schema is what a tool says about its arguments. It is immutable.
type schema struct {
	// offered is what a model is shown: it describes an object, has
	// "properties", and keeps to what the clients of OpenAI and Gemini take.
	offered map[string]any
	// check is nil if any object fits.
	check  *jsonschema.Schema
	plain  *plain // nil if it is not
	refers bool   // has references; see maxEffort
	err    error
}

// maxSchemaDepth is how deeply the JSON of a schema may be nested, since
// compiling it costs the cube of that.
const maxSchemaDepth = 128

// deeper reports whether the JSON value v is nested more than n levels.
func deeper(v any, n int) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			if n == 0 || deeper(e, n-1) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, func(e any) bool { return n == 0 || deeper(e, n-1) })
	}
	return false
}

// compile never fails: a schema with an err offers and accepts any object.
func compile(raw json.RawMessage) *schema {
	s := &schema{offered: map[string]any{"type": "object", "properties": map[string]any{}}}
	if len(bytes.TrimSpace(raw)) == 0 {
		return s
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		s.err = fmt.Errorf("not JSON: %w", err)
		return s
	}
	m, ok := doc.(map[string]any)
	if !ok {
		s.err = errors.New("not a JSON object")
		return s
	}
	if t, ok := m["type"]; ok && t != "object" {
		if list, _ := t.([]any); !slices.Contains(list, any("object")) {
			s.err = errors.New(`"type" is not "object"; arguments always are one`)
			return s
		}
	}
	if deeper(m, maxSchemaDepth) {
		s.err = fmt.Errorf("nested more than %d levels", maxSchemaDepth)
		return s
	}
	if faults := numberFaults(nil, m, nil); len(faults) > 0 {
		s.err = errors.New(faults[0].Path + " " + faults[0].Message)
		return s
	}
	for _, key := range []string{"$dynamicRef", "$recursiveRef"} {
		if hasKey(m, key) { // where it leads is known only to the checker
			s.err = errors.New(key + " is not supported")
			return s
		}
	}
	s.refers = hasKey(m, "$ref")
	if s.check, s.err = compileDoc(m); s.err == nil {
		s.offered = offerTop(m)
		s.plain = newPlain(m)
	}
	return s
}

func compileDoc(doc map[string]any) (_ *jsonschema.Schema, err error) {
	defer func() { // the library's code ran on whatever a plugin sent
		if v := recover(); v != nil {
			err = fmt.Errorf("cannot be compiled: %v", v)
		}
	}()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(compilePattern)
	const base = "tool:///" // so that a relative reference is to something else
	const name = base + "schema.json"
	if err := c.AddResource(name, doc); err != nil {
		return nil, errors.New(err.Error())
	}
	s, err := c.Compile(name)
	if err != nil {
		// Only the text: the library's types are no part of our interface.
		return nil, errors.New(strings.NewReplacer(name, "", base, "").Replace(err.Error()))
	}
	return s, nil
}

// noLoader keeps a schema from having files and URLs read.
type noLoader struct{}

func (noLoader) Load(string) (any, error) {
	return nil, errors.New("references to other documents are not followed")
}

// offerTop returns what a model is shown of the schema m.
func offerTop(m map[string]any) map[string]any {
	out := offer(m)
	// OpenAI refuses these at the top. They are still checked.
	for _, key := range []string{"anyOf", "oneOf", "allOf", "not", "enum", "const", "$schema", "$id"} {
		delete(out, key)
	}
	out["type"] = "object"
	if _, ok := out["properties"]; !ok {
		out["properties"] = map[string]any{}
	}
	return out
}

// offer returns a copy of the schema v that says the same, or less, in the
// part of JSON Schema that all clients take: OpenAI wants "items" in arrays
// and required names among the properties, and langchaingo's Gemini client
// fails on a boolean schema and on a list of types.
func offer(v any) map[string]any {
	m, ok := v.(map[string]any)
	if !ok {
		return map[string]any{}
	}
	out := maps.Clone(m)
	if list, ok := m["type"].([]any); ok {
		offerTypes(out, list)
	}
	for _, key := range []string{"properties", "patternProperties", "$defs", "definitions"} {
		if sub, ok := m[key].(map[string]any); ok {
			subs := make(map[string]any, len(sub))
			for name, s := range sub {
				subs[name] = offer(s)
			}
			out[key] = subs
		}
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf", "prefixItems"} {
		if list, ok := out[key].([]any); ok {
			subs := make([]any, len(list))
			for i, s := range list {
				subs[i] = offer(s)
			}
			out[key] = subs
		}
	}
	if items, ok := out["items"]; ok || out["type"] == "array" {
		out["items"] = offer(items)
	}
	if sub, ok := out["additionalProperties"].(map[string]any); ok {
		out["additionalProperties"] = offer(sub)
	}
	if required, ok := m["required"].([]any); ok {
		props, _ := out["properties"].(map[string]any)
		if props == nil {
			props = map[string]any{}
		}
		for _, name := range required {
			if name, ok := name.(string); ok && props[name] == nil {
				props[name] = map[string]any{}
			}
		}
		out["properties"] = props
	}
	return out
}

// offerTypes replaces the list of types in out by the one type that is not
// null, or by an anyOf.
func offerTypes(out map[string]any, list []any) {
	list = slices.DeleteFunc(slices.Clone(list), func(t any) bool { return t == "null" })
	delete(out, "type")
	switch _, taken := out["anyOf"]; {
	case len(list) == 1:
		out["type"] = list[0]
	case len(list) > 1 && !taken:
		anyOf := make([]any, len(list))
		for i, t := range list {
			anyOf[i] = map[string]any{"type": t}
		}
		out["anyOf"] = anyOf
	}
}

// cloneJSON returns a deep copy of a decoded JSON value.
func cloneJSON(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for key, e := range v {
			m[key] = cloneJSON(e)
		}
		return m
	case []any:
		l := make([]any, len(v))
		for i, e := range v {
			l[i] = cloneJSON(e)
		}
		return l
	}
	return v
}

// canonical returns v, a decoded JSON value, as JSON with sorted keys. Numbers
// keep their digits.
func canonical(v any) []byte { return appendJSON(make([]byte, 0, 128), v) }

func appendJSON(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case string:
		return jsonrpc.AppendText(b, v)
	case json.Number:
		return append(b, v...)
	case []any:
		b = append(b, '[')
		for i, e := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, e)
		}
		return append(b, ']')
	case map[string]any:
		b = append(b, '{')
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for i, key := range keys {
			if i > 0 {
				b = append(b, ',')
			}
			b = jsonrpc.AppendText(b, key)
			b = append(b, ':')
			b = appendJSON(b, v[key])
		}
		return append(b, '}')
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // v comes from a JSON decoder, or is of this package
	}
	return append(b, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
}
