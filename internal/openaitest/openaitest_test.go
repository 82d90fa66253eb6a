package openaitest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tmc/langchaingo/llms"

	"github.com/matrix-nexus/skillkit/internal/openaitest"
)

// request returns a body with the given members beside the model.
func request(members string) string {
	return `{"model":"m",` + members + `}`
}

const user = `"messages":[{"role":"user","content":"hi"}]`

func withTool(function string) string {
	return request(user + `,"tools":[{"type":"function","function":` + function + `}]`)
}

func withParameters(schema string) string {
	return withTool(`{"name":"a","parameters":` + schema + `}`)
}

func withMessages(messages string) string {
	return request(`"messages":[{"role":"user","content":"hi"},` + messages + `]`)
}

func manyTools(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`{"type":"function","function":{"name":"t%d"}}`, i))
	}
	return request(user + `,"tools":[` + strings.Join(list, ",") + `]`)
}

func TestCheck(t *testing.T) {
	const call = `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"a","arguments":"{}"}}]}`
	tests := []struct {
		name, body string
		want       string // part of the refusal; empty if there is none
	}{
		{"minimal", request(user), ""},
		{"temperature and stop", request(user + `,"temperature":0,"stop":["a","b"]`), ""},
		{"one stop", request(user + `,"stop":"a"`), ""},
		{"not JSON", `{`, "JSON"},
		{"no model", `{` + user + `}`, "model"},
		{"unknown parameter", request(user + `,"tool":[]`), "unrecognized"},
		{"stream", request(user + `,"stream":true`), "stream"},
		{"hot", request(user + `,"temperature":2.1`), "temperature"},
		{"five stops", request(user + `,"stop":["a","b","c","d","e"]`), "stop"},
		{"no messages", request(`"messages":[]`), "too short"},
		{"bad role", request(`"messages":[{"role":"bot","content":"hi"}]`), "roles"},
		{"no content", request(`"messages":[{"role":"user"}]`), "content"},
		{"bad content", request(`"messages":[{"role":"user","content":1}]`), "content"},
		{"empty parts", request(`"messages":[{"role":"user","content":[]}]`), "content"},
		{"parts", request(`"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]`), ""},

		{"tool", withTool(`{"name":"a_B-9"}`), ""},
		{"empty tools", request(user + `,"tools":[]`), "too short"},
		{"no function", request(user + `,"tools":[{"type":"function"}]`), "function"},
		{"choice without tools", request(user + `,"tool_choice":"auto"`), "tool_choice"},
		{"128 tools", manyTools(128), ""},
		{"129 tools", manyTools(129), "too long"},
		{"name with space", withTool(`{"name":"a b"}`), "does not match"},
		{"empty name", withTool(`{"name":""}`), "does not match"},
		{"name of 64", withTool(`{"name":"` + strings.Repeat("a", 64) + `"}`), ""},
		{"name of 65", withTool(`{"name":"` + strings.Repeat("a", 65) + `"}`), "does not match"},
		{"same name", request(user + `,"tools":[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"A"}}]`), "unique"},
		{"description of 1024", withTool(`{"name":"a","description":"` + strings.Repeat("é", 1024) + `"}`), ""},
		{"description of 1025", withTool(`{"name":"a","description":"` + strings.Repeat("é", 1025) + `"}`), "description"},

		{"schema", withParameters(`{"type":"object","properties":{"x":{"type":["string","null"]}},"required":["x"]}`), ""},
		{"schema of a string", withParameters(`{"type":"string"}`), "object"},
		{"schema without properties", withParameters(`{"type":"object"}`), "properties"},
		{"schema with unknown type", withParameters(`{"type":"object","properties":{"x":{"type":"str"}}}`), "type"},
		{"array without items", withParameters(`{"type":"object","properties":{"x":{"type":"array"}}}`), "items"},
		{"nullable array without items", withParameters(`{"type":"object","properties":{"x":{"type":["array","null"]}}}`), "items"},
		{"array of arrays without items", withParameters(`{"type":"object","properties":{"x":{"type":"array","items":{"type":"array"}}}}`), "items"},
		{"array without items in anyOf", withParameters(`{"type":"object","properties":{"x":{"anyOf":[{"type":"array"}]}}}`), "items"},
		{"required is no property", withParameters(`{"type":"object","properties":{},"required":["x"]}`), "required"},
		{"anyOf at the top", withParameters(`{"type":"object","properties":{},"anyOf":[{}]}`), "anyOf"},
		{"boolean property", withParameters(`{"type":"object","properties":{"x":true}}`), "not an object"},
		{"reference to a file", withParameters(`{"type":"object","properties":{"x":{"$ref":"file:///etc/passwd"}}}`), "file"},

		{"answered call", withMessages(call + `,{"role":"tool","tool_call_id":"c1","content":""}`), ""},
		{"arguments that are prose", withMessages(strings.Replace(call, "{}", "do it now", 1) + `,{"role":"tool","tool_call_id":"c1","content":""}`), ""},
		{"no answer", withMessages(call), "missing c1"},
		{"no answer before the next message", withMessages(call + `,{"role":"user","content":"well?"}`), "missing c1"},
		{"answer to nothing", withMessages(`{"role":"tool","tool_call_id":"c1","content":""}`), "answer"},
		{"two answers", withMessages(call + `,{"role":"tool","tool_call_id":"c1","content":""},{"role":"tool","tool_call_id":"c1","content":""}`), "answer"},
		{"answer without content", withMessages(call + `,{"role":"tool","tool_call_id":"c1"}`), "content"},
		{"call without id", withMessages(strings.Replace(call, `"c1"`, `""`, 1)), "id"},
		{"call of a bad name", withMessages(strings.Replace(call, `"a"`, `"a b"`, 1)), "does not match"},
		{"user calls a tool", withMessages(strings.Replace(strings.Replace(call, "assistant", "user", 1), "null", `""`, 1)), "only an assistant"},
		{"silent assistant", withMessages(`{"role":"assistant","content":null}`), "content"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := openaitest.Check([]byte(tt.body))
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("Check refused: %v", err)
			case tt.want != "" && err == nil:
				t.Errorf("Check accepted %+v, want a refusal with %q", r, tt.want)
			case tt.want != "" && !strings.Contains(err.Error(), tt.want):
				t.Errorf("Check refused with %q, want %q in it", err, tt.want)
			}
		})
	}
}

func TestServer(t *testing.T) {
	s := openaitest.Start(t,
		openaitest.Use("add", `{"a":1}`),
		func(r *openaitest.Request) openaitest.Reply {
			return openaitest.Reply{Text: "got " + r.Last() + "\nObservation: made up"}
		},
	)
	model := s.Model()
	tool := llms.Tool{Type: "function", Function: &llms.FunctionDefinition{Name: "add", Parameters: map[string]any{"type": "object", "properties": map[string]any{}}}}
	messages := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "1+1?")}
	response, err := model.GenerateContent(t.Context(), messages, llms.WithTools([]llms.Tool{tool}))
	if err != nil {
		t.Fatal(err)
	}
	want := []llms.ToolCall{{ID: "call_1", Type: "function", FunctionCall: &llms.FunctionCall{Name: "add", Arguments: `{"a":1}`}}}
	if diff := cmp.Diff(want, response.Choices[0].ToolCalls); diff != "" {
		t.Errorf("tool calls mismatch (-want +got):\n%s", diff)
	}

	bad := llms.Tool{Type: "function", Function: &llms.FunctionDefinition{Name: "a b"}}
	if _, err := model.GenerateContent(t.Context(), messages, llms.WithTools([]llms.Tool{bad})); err == nil {
		t.Error("a bad name was accepted")
	}
	if got := len(s.Refusals()); got != 1 {
		t.Errorf("got %d refusals, want 1", got)
	}

	messages = append(messages,
		llms.MessageContent{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{want[0]}},
		llms.MessageContent{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{llms.ToolCallResponse{ToolCallID: "call_1", Content: "2"}}},
	)
	response, err = model.GenerateContent(t.Context(), messages, llms.WithStopWords([]string{"\nObservation:"}))
	if err != nil {
		t.Fatal(err)
	}
	if got := response.Choices[0].Content; got != "got 2" {
		t.Errorf("got %q, want the text up to the stop word", got)
	}
	if got := s.Requests(); len(got) != 2 || got[0].Tool("add") == nil || got[0].Tool("sub") != nil {
		t.Errorf("requests: %+v", got)
	}
}

func TestServerRefusesStrangers(t *testing.T) {
	s := openaitest.Start(t)
	for _, tt := range []struct {
		method, path, key string
		want              int
	}{
		{"GET", "/chat/completions", "k", http.StatusNotFound},
		{"POST", "/completions", "k", http.StatusNotFound},
		{"POST", "/chat/completions", "", http.StatusUnauthorized},
		{"POST", "/chat/completions", "k", http.StatusBadRequest},
	} {
		req, err := http.NewRequestWithContext(t.Context(), tt.method, s.URL()+tt.path, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		if tt.key != "" {
			req.Header.Set("Authorization", "Bearer "+tt.key)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		var body struct {
			Error struct{ Message string }
		}
		if err := json.NewDecoder(resp.Body).Decode(&body); err != nil || body.Error.Message == "" {
			t.Errorf("%s %s: no error message (%v)", tt.method, tt.path, err)
		}
		resp.Body.Close()
		if resp.StatusCode != tt.want {
			t.Errorf("%s %s: got %d, want %d", tt.method, tt.path, resp.StatusCode, tt.want)
		}
	}
}
