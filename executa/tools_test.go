package executa

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/executa/manifest"
)

func parseTools(t *testing.T, tools string) *manifest.Plugin {
	t.Helper()
	m, err := manifest.ParsePlugin("", []byte(`{"tools": [`+tools+`]}`))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestDefs(t *testing.T) {
	const none = `{"additionalProperties":false,"properties":{},"required":[],"type":"object"}`
	long := strings.Repeat("a", MaxToolName)
	for _, test := range []struct {
		name, tools string
		want        map[string]string // schemas by name
		problems    []string
	}{
		{"parameters", `{"name": "t", "parameters": [{"name": "a", "type": "integer"}, {"name": "b", "type": "array", "required": false, "default": null}]}`,
			map[string]string{"p_t": `{"additionalProperties":false,"properties":{"a":{"type":"integer"},"b":{"items":{"type":"string"},"type":"array"}},"required":["a"],"type":"object"}`}, nil},
		{"none", `{"name": "t"}, {"name": "u", "parameters": []}`, map[string]string{"p_t": none, "p_u": none}, nil},
		{"pitfall 4: input_schema", `{"name": "t", "input_schema": {"type":"object"}}`,
			map[string]string{"p_t": `{"type":"object"}`}, []string{`"input_schema"`}},
		{"both", `{"name": "t", "input_schema": {"type":"object"}, "parameters": []}`, map[string]string{"p_t": none}, nil},
		{"bad parameter", `{"name": "t", "parameters": [1]}`, map[string]string{"p_t": none}, []string{`tool "t": parameters/0`}},
		{"same name", `{"name": "t", "description": "first"}, {"name": "t"}`, map[string]string{"p_t": none}, []string{"earlier one"}},
		{"no name", `{"description": "x"}, {"name": "t"}`, map[string]string{"p_t": none}, []string{"no. 1 has no name"}},
		{"control character", `{"name": "a\nb"}`, map[string]string{}, []string{`"a\nb" is left out`}},
		{"length", fmt.Sprintf(`{"name": %q}, {"name": %q}`, long, long+"a"), map[string]string{"p_" + long: none}, []string{"left out"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			list, problems := defs("p", parseTools(t, test.tools), nil)
			got := map[string]string{}
			for _, d := range list {
				got[d.Name] = string(d.Schema)
				if !d.ReportsSent {
					t.Errorf("%s does not report when it is sent", d.Name)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("tools (-want +got):\n%s", diff)
			}
			if len(problems) != len(test.problems) {
				t.Fatalf("problems are %v, want %v", problems, test.problems)
			}
			for i, err := range problems {
				if !strings.Contains(err.Error(), test.problems[i]) || !strings.HasPrefix(err.Error(), `plugin "p": `) {
					t.Errorf("got %v, want %q in it", err, test.problems[i])
				}
			}
		})
	}
}

func TestDefsLimit(t *testing.T) {
	for _, n := range []int{MaxTools, MaxTools + 1} {
		var tools []string
		for i := range n {
			tools = append(tools, fmt.Sprintf(`{"name": "t%d"}`, i))
		}
		list, problems := defs("p", parseTools(t, strings.Join(tools, ",")), nil)
		if len(list) != MaxTools || len(problems) != n-MaxTools {
			t.Errorf("of %d: %d tools, %v", n, len(list), problems)
		}
	}
}

func TestToolInfos(t *testing.T) {
	const base = `{"name": "t", "description": "d", "parameters": [{"name": "a", "type": "string"}], "timeout": 5}`
	info := func(tool string) toolInfo { return toolInfos(parseTools(t, tool), time.Minute)["t"] }
	for tool, same := range map[string]bool{
		`{"timeout": 5, "parameters": [ {"name":"a","type":"string"} ], "description": "d", "name": "t"}`: true,
		strings.Replace(base, `"d"`, `"e"`, 1):                   false,
		strings.Replace(base, "string", "integer", 1):            false,
		strings.Replace(base, `"timeout": 5`, `"timeout": 6`, 1): false,
		strings.Replace(base, "parameters", "input_schema", 1):   false,
	} {
		if got := info(tool) == info(base); got != same {
			t.Errorf("%s is the same: %v", tool, got)
		}
	}
	for tool, want := range map[string]time.Duration{base: 5 * time.Second, `{"name": "t"}`: time.Minute} {
		if got := info(tool).timeout; got != want {
			t.Errorf("%s has %s, want %s", tool, got, want)
		}
	}
}
