package registry

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
)

// What the plain form lets pass, the checker lets pass.
func TestPlain(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	plainOnes, fitting := 0, 0
	for range 20_000 {
		text, err := json.Marshal(randomSchema(random, 3))
		if err != nil {
			t.Fatal(err)
		}
		s := compile(text)
		if s.err != nil {
			t.Fatalf("%s: %v", text, s.err)
		}
		if s.plain == nil {
			continue
		}
		plainOnes++
		for range 5 {
			args := randomValue(random, 3, true).(map[string]any)
			if !s.plain.fits(args) {
				continue
			}
			fitting++
			if faults := validate(s.check, args); len(faults) > 0 {
				t.Fatalf("schema %s\narguments %s\nfit, but the checker says %v", text, canonical(args), faults)
			}
		}
	}
	if plainOnes < 5_000 || fitting < 5_000 {
		t.Errorf("only %d plain schemas and %d arguments that fit were tried", plainOnes, fitting)
	}
}

// Parameters make a plain schema, so that the checker is asked about faults only.
func TestPlainParameters(t *testing.T) {
	schema, issues := ParamSchema(json.RawMessage(`[{"name":"a","type":"string"},{"name":"b","type":"integer","default":3},
		{"name":"c","type":"array","required":false},{"name":"d","type":"object","required":false}]`))
	if len(issues) > 0 {
		t.Fatal(issues)
	}
	p := compile(schema).plain
	if p == nil {
		t.Fatalf("%s is not plain", schema)
	}
	for args, want := range map[string]bool{
		`{"a":"x","b":1}`: true,
		`{"a":"x","b":-10,"c":["y"],"d":{"z":[1.5,null]}}`: true,
		`{"a":"x"}`:                 false,
		`{"a":1,"b":1}`:             false,
		`{"a":"x","b":1.0}`:         false, // it does fit, which the checker knows
		`{"a":"x","b":1,"e":2}`:     false,
		`{"a":"x","b":1,"c":[1]}`:   false,
		`{"a":"x","b":1,"c":"y"}`:   false,
		`{"a":"x","b":1,"d":[]}`:    false,
		`{"a":"x","b":1,"d":null}`:  false,
		`{"a":null,"b":1}`:          false,
		`{"a":"x","b":true,"c":[]}`: false,
	} {
		m, fault := decodeArgs(args, "", false)
		if fault != nil {
			t.Fatal(args, fault)
		}
		if got := p.fits(m); got != want {
			t.Errorf("fits(%s) = %t, want %t", args, got, want)
		}
	}
}

func randomSchema(r *rand.Rand, depth int) map[string]any {
	m := map[string]any{"type": "object"}
	if depth < 3 {
		kinds := []string{"string", "integer", "number", "boolean", "array", "object", "null"}
		m["type"] = kinds[r.IntN(len(kinds))]
		if r.IntN(6) == 0 {
			delete(m, "type")
		}
	}
	set := func(chance int, key string, v any) {
		if r.IntN(chance) == 0 {
			m[key] = v
		}
	}
	if depth > 0 {
		members := map[string]any{}
		for range r.IntN(3) {
			members[fmt.Sprint("m", r.IntN(3))] = randomSchema(r, depth-1)
		}
		if m["type"] == "object" {
			set(2, "properties", members)
			set(3, "required", []string{fmt.Sprint("m", r.IntN(3))})
			set(2, "additionalProperties", r.IntN(2) == 0)
		} else {
			set(9, "properties", members)
			set(3, "items", randomSchema(r, depth-1))
		}
	}
	set(4, "description", "some text")
	set(25, "enum", []any{"a", 1, true})
	set(25, "minLength", 1)
	set(25, "maximum", 5)
	set(25, "maxItems", 0)
	set(25, "$comment", "c")
	return m
}

func randomValue(r *rand.Rand, depth int, object bool) any {
	kind := r.IntN(7)
	if object {
		kind = 6
	} else if depth == 0 {
		kind = r.IntN(5)
	}
	switch kind {
	case 0:
		return "text"
	case 1:
		return json.Number("7")
	case 2:
		return json.Number("-7.5e3")
	case 3:
		return r.IntN(2) == 0
	case 4:
		return nil
	case 5:
		list := []any{}
		for range r.IntN(3) {
			list = append(list, randomValue(r, depth-1, false))
		}
		return list
	}
	m := map[string]any{}
	for range r.IntN(3) {
		m[fmt.Sprint("m", r.IntN(3))] = randomValue(r, depth-1, false)
	}
	return m
}
