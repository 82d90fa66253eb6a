package registry_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/registry"
)

func TestParamSchema(t *testing.T) {
	const none = `{"type":"object","properties":{},"required":[],"additionalProperties":false}`
	object := func(properties, required string) string {
		return `{"type":"object","properties":` + properties + `,"required":` + required + `,"additionalProperties":false}`
	}
	tests := []struct {
		name, params, want string
		issues             []string // path and rule
	}{
		{"nil", ``, none, nil},
		{"blank", " \n", none, nil},
		{"null", `null`, none, nil},
		{"empty list", `[]`, none, nil},
		{
			"the page's example",
			`[{"name":"input_text","type":"string","description":"Input.","required":true},
			  {"name":"count","type":"integer","description":"Repeat count.","required":false,"default":1},
			  {"name":"tags","type":"array","items":{"type":"string"},"description":"Tag list.","required":false}]`,
			object(`{"input_text":{"type":"string","description":"Input."},
			  "count":{"type":"integer","description":"Repeat count.","default":1},
			  "tags":{"type":"array","items":{"type":"string"},"description":"Tag list."}}`, `["input_text"]`),
			nil,
		},
		{"required is true by default", `[{"name":"b","type":"number"},{"name":"a","type":"boolean"}]`,
			object(`{"a":{"type":"boolean"},"b":{"type":"number"}}`, `["b","a"]`), nil},
		{"items_type", `[{"name":"a","type":"array","items_type":"integer"}]`,
			object(`{"a":{"type":"array","items":{"type":"integer"}}}`, `["a"]`), nil},
		{"items before items_type", `[{"name":"a","type":"array","items":{"type":"number"},"items_type":"integer"}]`,
			object(`{"a":{"type":"array","items":{"type":"number"}}}`, `["a"]`), nil},
		{"bare array holds strings", `[{"name":"a","type":"array"},{"name":"b","type":"array","items":null}]`,
			object(`{"a":{"type":"array","items":{"type":"string"}},"b":{"type":"array","items":{"type":"string"}}}`, `["a","b"]`), nil},
		{"array of bare arrays", `[{"name":"a","type":"array","items_type":"array"}]`,
			object(`{"a":{"type":"array","items":{"type":"array","items":{"type":"string"}}}}`, `["a"]`), nil},
		{"items by name", `[{"name":"a","type":"array","items":"boolean"}]`,
			object(`{"a":{"type":"array","items":{"type":"boolean"}}}`, `["a"]`), nil},
		{"enum and numbers keep their digits", `[{"name":"a","type":"integer","enum":[9007199254740993,2],"default":9007199254740993}]`,
			object(`{"a":{"type":"integer","enum":[9007199254740993,2],"default":9007199254740993}}`, `["a"]`), nil},
		{"null default is none", `[{"name":"a","type":"object","default":null,"required":null}]`,
			object(`{"a":{"type":"object"}}`, `["a"]`), nil},
		{"unknown members are no matter", `[{"name":"a","type":"string","secret":true}]`,
			object(`{"a":{"type":"string"}}`, `["a"]`), nil},

		{"no name", `[{"type":"string"},{"name":"a","type":"string"}]`,
			object(`{"a":{"type":"string"}}`, `["a"]`), []string{"/0/name required"}},
		{"same name", `[{"name":"a","type":"string"},{"name":"a","type":"integer"}]`,
			object(`{"a":{"type":"string"}}`, `["a"]`), []string{"/1/name unique"}},
		{"no object", `["a",null,{"name":"b","type":"string"}]`,
			object(`{"b":{"type":"string"}}`, `["b"]`), []string{"/0 type", "/1 type"}},
		{"no type", `[{"name":"a"}]`, object(`{"a":{"type":"string"}}`, `["a"]`), []string{"/0/type required"}},
		{"unknown type", `[{"name":"a","type":"str"}]`, object(`{"a":{"type":"string"}}`, `["a"]`), []string{"/0/type enum"}},
		{"unknown items_type", `[{"name":"a","type":"array","items_type":"x"}]`,
			object(`{"a":{"type":"array","items":{"type":"string"}}}`, `["a"]`), []string{"/0/items_type enum"}},
		{"bad items", `[{"name":"a","type":"array","items":[1]}]`,
			object(`{"a":{"type":"array","items":{"type":"string"}}}`, `["a"]`), []string{"/0/items type"}},
		{"bad members", `[{"name":"a","type":"string","required":"no","enum":"x","description":7}]`,
			object(`{"a":{"type":"string"}}`, `["a"]`), []string{"/0/description type", "/0/enum type", "/0/required type"}},
		{"empty enum", `[{"name":"a","type":"string","enum":[]}]`,
			object(`{"a":{"type":"string"}}`, `["a"]`), []string{"/0/enum type"}},
		{"a JSON Schema", `{"type":"object","properties":{"a":{}}}`, `{"type":"object","properties":{"a":{}}}`, []string{" type"}},
		{"not a list", `"x"`, none, []string{" type"}},
		{"not JSON", `[`, none, []string{" type"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, issues := registry.ParamSchema(json.RawMessage(tt.params))
			if diff := cmp.Diff(decode(t, tt.want), decode(t, string(got))); diff != "" {
				t.Errorf("schema mismatch (-want +got):\n%s", diff)
			}
			var found []string
			for _, issue := range issues {
				found = append(found, issue.Path+" "+issue.Rule)
			}
			if diff := cmp.Diff(tt.issues, found); diff != "" {
				t.Errorf("issues mismatch (-want +got):\n%s", diff)
			}
			reg := registry.New(nil)
			h, err := reg.Register("test", registry.Def{Name: "a", Schema: got, Invoke: answer("")})
			if err != nil {
				t.Fatal(err)
			}
			if err := h.Tools()[0].SchemaError(); err != nil {
				t.Errorf("the schema does not compile: %v", err)
			}
		})
	}
}

func decode(t *testing.T, s string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Fatalf("%v: %s", err, s)
	}
	return v
}

func FuzzParamSchema(f *testing.F) {
	for _, s := range []string{
		``, `[]`, `{"type":"object"}`, `[{"name":"a","type":"array","items":{"type":"strin"}}]`,
		`[{"name":"a","type":"array","items":"array","default":[1e999],"enum":[1,1]}]`, `[{"name":"__arg1","type":"string"}]`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, params string) {
		got, issues := registry.ParamSchema(json.RawMessage(params))
		if !json.Valid(got) {
			t.Fatalf("ParamSchema(%q) = %q, which is not JSON", params, got)
		}
		for _, issue := range issues {
			if issue.Rule == "" || issue.Message == "" {
				t.Fatalf("ParamSchema(%q): empty issue %+v", params, issue)
			}
		}
		reg := registry.New(nil)
		if _, err := reg.Register("test", registry.Def{Name: "a", Schema: got, Invoke: answer("")}); err != nil {
			t.Fatal(err)
		}
	})
}
