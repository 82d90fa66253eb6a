package registry_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/matrix-nexus/skillkit/registry"
)

// The limits of checking, as documented in the package.
const (
	maxEffort  = 500_000
	maxPattern = 1000
)

// A schema that multiplies the work at each level is as much a weapon as the
// arguments that fit it. None of these ends in a lifetime if it is checked.
func TestChecksEnd(t *testing.T) {
	var chain strings.Builder // each definition refers to the next twice
	for i := range 40 {
		fmt.Fprintf(&chain, `"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	deep := strings.Repeat("[", 60) + "1" + strings.Repeat("]", 60)
	nested := strings.Repeat(`{"k":`, 60) + "1" + strings.Repeat("}", 60)
	for name, tt := range map[string]struct{ schema, args string }{
		"in one place": {`{"$defs":{` + chain.String() + `"d40":{"type":"integer"}},"properties":{"x":{"$ref":"#/$defs/d0"}}}`, `{"x":"y"}`},
		"in items":     {`{"$defs":{"n":{"type":"array","items":{"anyOf":[{"$ref":"#/$defs/n"},{"$ref":"#/$defs/n"}]}}},"properties":{"x":{"$ref":"#/$defs/n"}}}`, `{"x":` + deep + `}`},
		"in members":   {`{"$defs":{"n":{"oneOf":[{"additionalProperties":{"$ref":"#/$defs/n"}},{"patternProperties":{"k":{"$ref":"#/$defs/n"}}}]}},"properties":{"x":{"$ref":"#/$defs/n"}}}`, `{"x":` + nested + `}`},
		"under not":    {`{"$defs":{"n":{"not":{"items":{"allOf":[{"$ref":"#/$defs/n"},{"$ref":"#/$defs/n"}]}}}},"properties":{"x":{"$ref":"#/$defs/n"}}}`, `{"x":` + deep + `}`},
	} {
		t.Run(name, func(t *testing.T) {
			def := registry.Def{Name: "a", Schema: json.RawMessage(tt.schema), Invoke: answer("ok")}
			tool := register(t, registry.New(nil), "test", def).Tools()[0]
			if err := tool.SchemaError(); err != nil {
				t.Fatal(err)
			}
			_, err := tool.Invoke(t.Context(), registry.Call{Arguments: json.RawMessage(tt.args)})
			checkInvalid(t, err, "schema")
		})
	}
}

func TestMaxEffort(t *testing.T) {
	def := registry.Def{
		Name:   "a",
		Schema: json.RawMessage(`{"properties":{"x":{"$ref":"#/$defs/l"}},"$defs":{"l":{"items":{"type":"integer"}}}}`),
		Invoke: answer("ok"),
	}
	tool := register(t, registry.New(nil), "test", def).Tools()[0]
	// The object, x, and x again for the reference.
	for _, items := range []int{maxEffort - 3, maxEffort - 2} {
		args := `{"x":[0` + strings.Repeat(",1", items-1) + `]}`
		_, err := tool.Invoke(t.Context(), registry.Call{Arguments: json.RawMessage(args)})
		if items == maxEffort-3 {
			if err != nil {
				t.Errorf("%d items: %v", items, err)
			}
			continue
		}
		checkInvalid(t, err, "schema")
	}
}

// Matching takes up to a step for each instruction and character.
func TestMaxPattern(t *testing.T) {
	for _, tt := range []struct {
		pattern string
		ok      bool
	}{
		{strings.Repeat("a", maxPattern-2), true}, // beside one to fail and one to match
		{strings.Repeat("a", maxPattern-1), false},
		{strings.Repeat("(a{1,1000})", 20), false},
		{`^[a-z]{1,64}(-[a-z]{1,64})?$`, true},
	} {
		def := registry.Def{Name: "a", Schema: fmt.Appendf(nil, `{"properties":{"x":{"pattern":%q}}}`, tt.pattern), Invoke: answer("ok")}
		tool := register(t, registry.New(nil), "test", def).Tools()[0]
		if err := tool.SchemaError(); (err == nil) != tt.ok {
			t.Errorf("pattern %.40q of %d characters: %v", tt.pattern, len(tt.pattern), err)
		}
	}
}
