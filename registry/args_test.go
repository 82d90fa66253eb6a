package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/registry"
)

// capture returns a tool with the schema and options of def, and a function
// that calls it and returns what Invoke got.
func capture(t testing.TB, def registry.Def) func(args string) (*registry.Call, error) {
	t.Helper()
	var got *registry.Call
	def.Name = "x"
	def.Invoke = func(_ context.Context, c *registry.Call) (registry.Result, error) {
		got = c
		return registry.Result{}, nil
	}
	h, err := registry.New(nil).Register("test", def)
	if err != nil {
		t.Fatal(err)
	}
	return func(args string) (*registry.Call, error) {
		got = nil
		_, err := h.Tools()[0].Invoke(context.Background(), registry.Call{Tool: "other", Arguments: json.RawMessage(args)})
		return got, err
	}
}

// describe returns issues as "path rule" lines.
func describe(issues []registry.Issue) string {
	var list []string
	for _, issue := range issues {
		list = append(list, strings.TrimSpace(issue.Path+" "+issue.Rule))
	}
	return strings.Join(list, "; ")
}

func TestArguments(t *testing.T) {
	textual := registry.Def{TextParam: "text"}
	wrapped := registry.Def{Schema: json.RawMessage(`{"type":"object","properties":{"__arg1":{"type":"string"}}}`)}
	for _, tt := range []struct {
		name   string
		def    registry.Def
		args   string
		want   string // what the tool gets; empty if it is not called
		issues string
	}{
		{"empty", registry.Def{}, ``, `{}`, ""},
		{"blank", registry.Def{}, " \n\t", `{}`, ""},
		{"null", registry.Def{}, `null`, `{}`, ""},
		{"blank for text", textual, " \n\t", `{}`, ""},
		{"null for text", textual, `null`, `{}`, ""},
		{"object", registry.Def{}, ` {"b":1, "a":[true,null]} `, `{"a":[true,null],"b":1}`, ""},
		{"numbers keep their digits", registry.Def{}, `{"a":9007199254740993,"b":1.0,"c":1e2,"d":-0}`, `{"a":9007199254740993,"b":1.0,"c":1e2,"d":-0}`, ""},
		{"characters of HTML", registry.Def{}, `{"a":"<&>"}`, `{"a":"<&>"}`, ""},

		{"wrapped text", textual, `{"__arg1":"do it"}`, `{"text":"do it"}`, ""},
		{"wrapped object as text", registry.Def{}, `{"__arg1":"{\"a\":1}"}`, `{"a":1}`, ""},
		{"wrapped object", registry.Def{}, `{"__arg1":{"a":1}}`, `{"a":1}`, ""},
		{"wrapped null", registry.Def{}, `{"__arg1":null}`, `{}`, ""},
		{"wrapped nothing", registry.Def{}, `{"__arg1":""}`, `{}`, ""},
		{"wrapped number for text", textual, `{"__arg1":42.0}`, `{"text":"42.0"}`, ""},
		{"wrapped number", registry.Def{}, `{"__arg1":42}`, "", "type"},
		{"wrapped twice", registry.Def{}, `{"__arg1":{"__arg1":"x"}}`, `{"__arg1":"x"}`, ""},
		{"wrapper beside others", registry.Def{}, `{"__arg1":"x","a":1}`, `{"__arg1":"x","a":1}`, ""},
		{"wrapper is a parameter", wrapped, `{"__arg1":"x"}`, `{"__arg1":"x"}`, ""},

		{"text", textual, "do it", `{"text":"do it"}`, ""},
		{"B59 trailing newline", textual, "do it\n", `{"text":"do it"}`, ""},
		{"B59 quotes", textual, `"do it"`, `{"text":"do it"}`, ""},
		{"B59 quotes within", textual, `say "hi"`, `{"text":"say \"hi\""}`, ""},
		{"B59 quoted object", registry.Def{}, `"{\"a\":1}"`, `{"a":1}`, ""},
		{"number for text", textual, `42`, `{"text":"42"}`, ""},
		{"array for text", textual, `["a"]`, `{"text":"[\"a\"]"}`, ""},
		{"not UTF-8", textual, "a\xff", `{"text":"a` + "\uFFFD" + `"}`, ""},
		{"text for a number", registry.Def{TextParam: "n", Schema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)}, "42", "", "/n type"},
		{"object for a tool of text", textual, `{"text":"a"}`, `{"text":"a"}`, ""},

		{"text for none", registry.Def{}, "do it", "", "type"},
		{"array", registry.Def{}, `[1]`, "", "type"},
		{"number", registry.Def{}, `1`, "", "type"},
		{"true", registry.Def{}, `true`, "", "type"},
		{"broken object", registry.Def{}, `{"a":1`, "", "json"},
		{"broken object is no text", textual, `{"a":1`, "", "json"},
		{"two objects", registry.Def{}, `{}{}`, "", "json"},
		{"broken object is ignored", registry.Def{IgnoreBadArgs: true}, `{"a":1`, `{}`, "json"},
		{"text is ignored", registry.Def{IgnoreBadArgs: true}, `a`, `{}`, "type"},

		{"number of 1e400", registry.Def{}, `{"a":[1e400]}`, `{"a":[1e400]}`, ""},
		{"number of 1e401", registry.Def{}, `{"a":[1e401]}`, "", "/a/0 number"},
		{"number of 1e-401", registry.Def{}, `{"a":1e-401}`, "", "/a number"},
		{"number of 1E999999999999999999999", registry.Def{}, `{"a":1E999999999999999999999}`, "", "/a number"},
		{"number out of range is ignored", registry.Def{IgnoreBadArgs: true}, `{"a":{"b":1e401},"c":1}`, `{"c":1}`, "/a/b number"},
		{"number of 32768 digits", registry.Def{}, `{"a":` + strings.Repeat("1", 32768) + `}`, "", "/a number"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := capture(t, tt.def)(tt.args)
			if tt.want == "" {
				checkInvalid(t, err, tt.issues)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if string(got.Arguments) != tt.want || got.Tool != "x" {
				t.Errorf("tool %q got %s, want %s", got.Tool, got.Arguments, tt.want)
			}
			if d := describe(got.Ignored); d != tt.issues {
				t.Errorf("ignored %q, want %q", d, tt.issues)
			}
		})
	}
}

func checkInvalid(t *testing.T, err error, issues string) {
	t.Helper()
	invalid, ok := errors.AsType[*registry.InvalidInput](err)
	if !ok {
		t.Fatalf("got %v, want an *InvalidInput", err)
	}
	if d := describe(invalid.Issues); d != issues || invalid.Code != "tool.invalid-input" {
		t.Errorf("got code %q, issues %q; want %q", invalid.Code, d, issues)
	}
}

const everything = `{
	"type": "object",
	"required": ["name"],
	"additionalProperties": false,
	"properties": {
		"name": {"type": "string", "minLength": 2, "maxLength": 4, "pattern": "^[a-z]*$"},
		"n": {"type": "integer", "minimum": 1, "maximum": 10},
		"x": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1, "multipleOf": 0.25},
		"color": {"enum": ["red", "green"]},
		"one": {"const": 1},
		"list": {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2, "uniqueItems": true},
		"any": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
		"alone": {"oneOf": [{"type": "integer"}, {"type": "number"}]},
		"not": {"not": {"type": "string"}},
		"has": {"contains": {"type": "string"}},
		"o": {"type": "object", "minProperties": 1, "maxProperties": 2, "propertyNames": {"maxLength": 1}, "dependentRequired": {"a": ["b"]}},
		"a/b~c": {"type": "object", "additionalProperties": {"type": "string"}},
		"ref": {"$ref": "#/$defs/id"},
		"all": {"allOf": [{"type": "string"}, {"minLength": 3}]}
	},
	"$defs": {"id": {"type": "string"}}
}`

func TestValidation(t *testing.T) {
	for _, tt := range []struct {
		args   string
		issues string
		text   string // of the first issue
	}{
		{`{"name":"abc","n":3,"x":0.5,"color":"red","one":1,"list":[1],"any":"a","ref":"a","all":"abc"}`, "", ""},
		{`{}`, "required", `needs "name"`},
		{`{"name":"SECRET"}`, "/name maxLength; /name pattern", "must have at most 4 characters"},
		{`{"name":"a"}`, "/name minLength", "must have at least 2 characters"},
		{`{"name":5}`, "/name type", "must be of type string, not number"},
		{`{"name":"ab","n":"SECRET"}`, "/n type", "must be of type integer, not string"},
		{`{"name":"ab","n":1.5}`, "/n type", "must be of type integer, not number"},
		{`{"name":"ab","n":0}`, "/n minimum", "must be at least 1"},
		{`{"name":"ab","n":11}`, "/n maximum", "must be at most 10"},
		{`{"name":"ab","x":0}`, "/x exclusiveMinimum", "must be more than 0"},
		{`{"name":"ab","x":1}`, "/x exclusiveMaximum", "must be less than 1"},
		{`{"name":"ab","x":0.3}`, "/x multipleOf", "must be a multiple of 1/4"},
		{`{"name":"ab","color":"SECRET"}`, "/color enum", `must be one of "red", "green"`},
		{`{"name":"ab","one":2}`, "/one const", "must be 1"},
		{`{"name":"ab","list":[1,"SECRET"]}`, "/list/1 type", "must be of type integer, not string"},
		{`{"name":"ab","list":[]}`, "/list minItems", "must have at least 1 items"},
		{`{"name":"ab","list":[1,2,3]}`, "/list maxItems", "must have at most 2 items"},
		{`{"name":"ab","list":[1,1]}`, "/list uniqueItems", "must not have equal items"},
		{`{"name":"ab","any":true}`, "/any anyOf", "does not fit exactly what is allowed here"},
		{`{"name":"ab","alone":1}`, "/alone oneOf", "does not fit exactly what is allowed here"},
		{`{"name":"ab","not":"SECRET"}`, "/not not", "is not allowed"},
		{`{"name":"ab","has":[1]}`, "/has contains", "is not allowed"},
		{`{"name":"ab","o":{}}`, "/o minProperties", "must have at least 1 members"},
		{`{"name":"ab","o":{"a":1,"b":2,"c":3}}`, "/o maxProperties", "must have at most 2 members"},
		{`{"name":"ab","o":{"a":1}}`, "/o dependentRequired", `needs "b" beside "a"`},
		{`{"name":"ab","o":{"long":1}}`, "propertyNames", `a member must not be called "long"`},
		{`{"name":"ab","a/b~c":{"d":1}}`, "/a~1b~0c/d type", "must be of type string, not number"},
		{`{"name":"ab","ref":1}`, "/ref type", "must be of type string, not number"},
		{`{"name":"ab","all":"a"}`, "/all minLength", "must have at least 3 characters"},
		{`{"name":"ab","zap":1,"zip":1}`, "additionalProperties", `takes no "zap", "zip"`},
		{`{"n":"x","list":"y"}`, "required; /list type; /n type", `needs "name"`},
	} {
		t.Run(tt.args, func(t *testing.T) {
			got, err := capture(t, registry.Def{Schema: json.RawMessage(everything)})(tt.args)
			if tt.issues == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if got != nil {
				t.Errorf("the tool was called with %s", got.Arguments)
			}
			checkInvalid(t, err, tt.issues)
			if invalid, ok := errors.AsType[*registry.InvalidInput](err); ok && invalid.Issues[0].Message != tt.text {
				t.Errorf("got message %q, want %q", invalid.Issues[0].Message, tt.text)
			}
			for _, bad := range []string{"SECRET", "json.Number", "float64", "interface", "kind."} {
				if strings.Contains(err.Error(), bad) {
					t.Errorf("error %q holds %q", err, bad)
				}
			}
		})
	}
}

func TestManyIssues(t *testing.T) {
	args := map[string]any{}
	for i := range 100 {
		args[fmt.Sprintf("p%03d", i)] = i
	}
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	_, err = capture(t, registry.Def{Schema: json.RawMessage(`{"type":"object","additionalProperties":{"type":"string"}}`)})(string(raw))
	invalid, ok := errors.AsType[*registry.InvalidInput](err)
	if !ok || len(invalid.Issues) != 20 {
		t.Errorf("got %v, want 20 issues", err)
	}
	_, err = capture(t, registry.Def{Schema: json.RawMessage(`{"type":"object","additionalProperties":false}`)})(string(raw))
	if err == nil || !strings.HasSuffix(err.Error(), `, "p019" and 80 more`) {
		t.Errorf("got %v, want 20 names and 80 more", err)
	}
}

func TestIgnoreBadArgs(t *testing.T) {
	for _, tt := range []struct{ args, want, ignored string }{
		{`{"name":"ab","n":3}`, `{"n":3,"name":"ab"}`, ""},
		{`{"name":"ab","n":"x","zap":1}`, `{"name":"ab"}`, "additionalProperties; /n type"},
		{`{"name":"ab","list":[1,{"a":"b"}]}`, `{"name":"ab"}`, "/list/1 type"},
		{`{"n":3}`, `{"n":3}`, "required"},
		{`{"name":7}`, `{}`, "/name type"},
		{`{"name":"ab","o":{"long":1}}`, `{}`, "propertyNames"},
		{`{"zip":1,"zap":2}`, `{}`, "additionalProperties; required"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			got, err := capture(t, registry.Def{Schema: json.RawMessage(everything), IgnoreBadArgs: true})(tt.args)
			if err != nil {
				t.Fatal(err)
			}
			if string(got.Arguments) != tt.want {
				t.Errorf("got %s, want %s", got.Arguments, tt.want)
			}
			if d := describe(got.Ignored); d != tt.ignored {
				t.Errorf("ignored %q, want %q", d, tt.ignored)
			}
		})
	}
}

// A schema whose members depend on each other takes more than one pass.
func TestIgnoreBadArgsInPasses(t *testing.T) {
	schema := `{"type":"object","properties":{"a":{"type":"integer"}},"if":{"not":{"required":["a"]}},"then":{"properties":{"b":false}}}`
	got, err := capture(t, registry.Def{Schema: json.RawMessage(schema), IgnoreBadArgs: true})(`{"a":"x","b":1,"c":2}`)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"c":2}`; string(got.Arguments) != want {
		t.Errorf("got %s, want %s (ignored %s)", got.Arguments, want, describe(got.Ignored))
	}
}

func TestSchemasThatDoNotCompile(t *testing.T) {
	for name, schema := range map[string]string{
		"not JSON":           `{`,
		"not an object":      `[]`,
		"boolean":            `false`,
		"of a string":        `{"type":"string"}`,
		"of no object":       `{"type":["string","null"]}`,
		"unknown type":       `{"type":"object","properties":{"a":{"type":"str"}}}`,
		"pattern":            `{"type":"object","properties":{"a":{"pattern":"(?<=a)b"}}}`,
		"file":               `{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}`,
		"relative reference": `{"type":"object","properties":{"a":{"$ref":"other.json"}}}`,
		"URL":                `{"type":"object","properties":{"a":{"$ref":"https://example.com/x.json"}}}`,
		"metaschema":         `{"$schema":"https://example.com/x.json","type":"object"}`,
		"dangling":           `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}}}`,
		"two values":         `{"type":"object"} {}`,
		"number":             `{"type":"object","properties":{"a":{"maximum":1e999999}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			def := registry.Def{Name: "My Tool", Schema: json.RawMessage(schema), Invoke: answer("ok")}
			tool := register(t, registry.New(nil), "test", def).Tools()[0]
			err := tool.SchemaError()
			if e, ok := errors.AsType[*registry.SchemaError](err); !ok || e.Tool != "My Tool" {
				t.Fatalf("got %v, want a *SchemaError", err)
			}
			if strings.Contains(err.Error(), "tool:") || strings.Contains(err.Error(), "registry/") {
				t.Errorf("error %q names something of ours", err)
			}
			if got, want := string(tool.Schema()), `{"properties":{},"type":"object"}`; got != want {
				t.Errorf("offered %s, want %s", got, want)
			}
			if _, err := tool.Invoke(t.Context(), registry.Call{Arguments: json.RawMessage(`{"a":1}`)}); err != nil {
				t.Errorf("an object: %v", err)
			}
			_, err = tool.Invoke(t.Context(), registry.Call{Arguments: json.RawMessage(`[]`)})
			checkInvalid(t, err, "type")
		})
	}
}

// A schema cannot have files read, not even ones that would do.
func TestSchemaReadsNoFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "string.json")
	if err := os.WriteFile(file, []byte(`{"type":"string"}`), 0o666); err != nil {
		t.Fatal(err)
	}
	ref, err := json.Marshal("file:///" + strings.TrimPrefix(filepath.ToSlash(file), "/"))
	if err != nil {
		t.Fatal(err)
	}
	def := registry.Def{Name: "a", Schema: fmt.Appendf(nil, `{"type":"object","properties":{"a":{"$ref":%s}}}`, ref), Invoke: answer("")}
	if err := register(t, registry.New(nil), "test", def).Tools()[0].SchemaError(); err == nil {
		t.Error("the file was read")
	}
}

// A schema that is nested a few thousand levels would take minutes to compile.
func TestSchemaDepth(t *testing.T) {
	nested := func(levels int) string {
		return strings.Repeat(`{"not":`, levels-1) + `{"type":"string"}` + strings.Repeat("}", levels-1)
	}
	for levels, want := range map[int]string{
		128:  "",
		129:  `tool "a": input schema: nested more than 128 levels`,
		4000: `tool "a": input schema: nested more than 128 levels`,
	} {
		def := registry.Def{Name: "a", Schema: json.RawMessage(nested(levels)), Invoke: answer("")}
		got := ""
		if err := register(t, registry.New(nil), "test", def).Tools()[0].SchemaError(); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%d levels: error %q, want %q", levels, got, want)
		}
	}
}

func TestReferenceCycle(t *testing.T) {
	for _, schema := range []string{
		`{"type":"object","properties":{"a":{"$ref":"#/properties/a"}}}`,
		`{"type":"object","$ref":"#"}`,
		`{"type":"object","properties":{"child":{"$ref":"#"}}}`, // a good one
	} {
		invoke := capture(t, registry.Def{Schema: json.RawMessage(schema)})
		if _, err := invoke(`{"child":{"child":{}}}`); err != nil {
			t.Logf("%s: %v", schema, err)
		}
		if _, err := invoke(`{"a":1}`); err != nil {
			t.Logf("%s: %v", schema, err)
		}
	}
}

func TestOfferedSchema(t *testing.T) {
	for _, tt := range []struct{ name, schema, want string }{
		{"none", ``, `{"type":"object","properties":{}}`},
		{"no type", `{"properties":{"a":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`},
		{"no properties", `{"type":"object"}`, `{"type":"object","properties":{}}`},
		{"nullable object", `{"type":["object","null"]}`, `{"type":"object","properties":{}}`},
		{"array without items", `{"properties":{"a":{"type":"array"}}}`, `{"type":"object","properties":{"a":{"type":"array","items":{}}}}`},
		{"boolean items", `{"properties":{"a":{"type":"array","items":true}}}`, `{"type":"object","properties":{"a":{"type":"array","items":{}}}}`},
		{"boolean property", `{"properties":{"a":true}}`, `{"type":"object","properties":{"a":{}}}`},
		{"nullable", `{"properties":{"a":{"type":["string","null"]}}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`},
		{"only null", `{"properties":{"a":{"type":["null"]}}}`, `{"type":"object","properties":{"a":{}}}`},
		{"two types", `{"properties":{"a":{"type":["string","array"]}}}`, `{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"array","items":{}}]}}}`},
		{"required is no property", `{"required":["a"]}`, `{"type":"object","required":["a"],"properties":{"a":{}}}`},
		{"required below", `{"properties":{"a":{"anyOf":[{"required":["b"]}]}}}`, `{"type":"object","properties":{"a":{"anyOf":[{"required":["b"],"properties":{"b":{}}}]}}}`},
		{"top level", `{"$schema":"http://json-schema.org/draft-07/schema#","$id":"x","anyOf":[{}],"oneOf":[{}],"allOf":[{}],"not":false,"type":"object"}`, `{"type":"object","properties":{}}`},
		{"definitions", `{"properties":{"a":{"$ref":"#/$defs/l"}},"$defs":{"l":{"type":"array"}}}`, `{"type":"object","properties":{"a":{"$ref":"#/$defs/l"}},"$defs":{"l":{"type":"array","items":{}}}}`},
		{"map", `{"properties":{"a":{"type":"object","additionalProperties":{"type":"array"}}}}`, `{"type":"object","properties":{"a":{"type":"object","additionalProperties":{"type":"array","items":{}}}}}`},
		{"closed", `{"additionalProperties":false}`, `{"type":"object","properties":{},"additionalProperties":false}`},
		{"names of keywords", `{"properties":{"type":{"type":"string"},"items":{"type":"array"},"required":{}}}`, `{"type":"object","properties":{"type":{"type":"string"},"items":{"type":"array","items":{}},"required":{}}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			def := registry.Def{Name: "a", Schema: json.RawMessage(tt.schema), Invoke: answer("")}
			r := registry.New(nil)
			tool := register(t, r, "test", def).Tools()[0]
			if err := tool.SchemaError(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(decode(t, tt.want), decode(t, string(tool.Schema()))); diff != "" {
				t.Errorf("schema mismatch (-want +got):\n%s", diff)
			}
			for _, def := range r.LLMTools() {
				geminiSchema(t, "", def.Function.Parameters)
			}
		})
	}
}

// geminiSchema demands what the converter of langchaingo's Gemini client
// demands.
func geminiSchema(t *testing.T, at string, v any) {
	t.Helper()
	m, ok := v.(map[string]any)
	if !ok {
		t.Fatalf("%q: got %T, want a map", at, v)
	}
	for _, key := range []string{"type", "description"} {
		if v, ok := m[key]; ok {
			if _, ok := v.(string); !ok {
				t.Errorf("%q: %s is a %T", at, key, v)
			}
		}
	}
	properties, ok := m["properties"].(map[string]any)
	if !ok && at == "" {
		t.Errorf("no properties")
	}
	for name, p := range properties {
		geminiSchema(t, at+"/"+name, p)
	}
	if items, ok := m["items"]; ok && m["type"] == "array" {
		geminiSchema(t, at+"[]", items)
	}
	if list, ok := m["required"].([]any); ok {
		for _, name := range list {
			if _, ok := name.(string); !ok {
				t.Errorf("%q: required holds a %T", at, name)
			}
		}
	}
}

func FuzzArguments(f *testing.F) {
	for _, s := range []string{
		``, `null`, `{}`, `{"name":"ab"}`, `{"__arg1":"x"}`, `{"__arg1":"{\"__arg1\":1}"}`, `"\"\\\"a\\\"\""`, `{"n":1e400}`,
		`{"n":1e401}`, `{"x":0.1e-399}`, "\xff", `{"name":"\ud800"}`, `[`, `{"o":{"a":{}}}`, `{"a/b~c":{"x":1}}`, `{"name":"ab","name":1}`,
	} {
		f.Add(s)
	}
	strict := capture(f, registry.Def{Schema: json.RawMessage(everything)})
	lenient := capture(f, registry.Def{Schema: json.RawMessage(everything), TextParam: "name", IgnoreBadArgs: true})
	f.Fuzz(func(t *testing.T, args string) {
		call, err := strict(args)
		if (call == nil) == (err == nil) {
			t.Fatalf("%q: called %t, error %v", args, call != nil, err)
		}
		if err != nil {
			invalid, ok := errors.AsType[*registry.InvalidInput](err)
			if !ok || len(invalid.Issues) == 0 {
				t.Fatalf("%q: got %v, want an *InvalidInput", args, err)
			}
		} else if again, err := strict(string(call.Arguments)); err != nil || string(again.Arguments) != string(call.Arguments) {
			t.Fatalf("%q: %s changed when sent again (%v)", args, call.Arguments, err)
		}
		if call, err = lenient(args); err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		var object map[string]any
		if err := json.Unmarshal(call.Arguments, &object); err != nil || object == nil {
			t.Fatalf("%q: got %s", args, call.Arguments)
		}
	})
}

func FuzzSchema(f *testing.F) {
	for _, s := range []string{everything, `{}`, `{"$ref":"#"}`, `{"type":["object"],"$schema":"http://json-schema.org/draft-07/schema#"}`, `{"maximum":1e999999}`} {
		f.Add(s, `{"name":"ab","a":[1,2]}`)
	}
	f.Fuzz(func(t *testing.T, schema, args string) {
		r := registry.New(nil)
		tool := register(t, r, "test", registry.Def{Name: "a", Schema: json.RawMessage(schema), Invoke: answer("")}).Tools()[0]
		if err := tool.SchemaError(); err == nil {
			geminiSchema(t, "", r.LLMTools()[0].Function.Parameters)
		}
		if _, err := tool.Invoke(t.Context(), registry.Call{Arguments: json.RawMessage(args)}); err != nil {
			if _, ok := errors.AsType[*registry.InvalidInput](err); !ok {
				t.Fatal(err)
			}
		}
	})
}
