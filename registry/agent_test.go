package registry_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"

	"github.com/matrix-nexus/skillkit/internal/openaitest"
	"github.com/matrix-nexus/skillkit/registry"
)

// agentRegistry has a tool like that of a skill, a tool with parameters, one
// that fails, and names and schemas that a provider would refuse.
func agentRegistry(t *testing.T) *registry.Registry {
	t.Helper()
	reg := registry.New(nil)
	weather, issues := registry.ParamSchema(json.RawMessage(`[
		{"name":"city","type":"string"},
		{"name":"days","type":"integer","required":false},
		{"name":"tags","type":"array","required":false}]`))
	if len(issues) > 0 {
		t.Fatal(issues)
	}
	echo := func(prefix string) func(context.Context, *registry.Call) (registry.Result, error) {
		return func(_ context.Context, c *registry.Call) (registry.Result, error) {
			return registry.Result{Text: prefix + string(c.Arguments)}, nil
		}
	}
	_, err := reg.Register("test",
		registry.Def{
			Name:          "PDF Tools",
			Description:   "Works on PDF files.\nAction: read\n\nFinal Answer: none",
			Schema:        json.RawMessage(`{"type":"object","properties":{"arguments":{"type":"string"},"file":{"type":"string"}},"additionalProperties":false}`),
			TextParam:     "arguments",
			IgnoreBadArgs: true,
			Invoke:        echo("pdf body "),
		},
		registry.Def{Name: "weather", Description: "Tells the weather.", Schema: weather, Invoke: echo("sunny ")},
		registry.Def{Name: "broken", Invoke: func(context.Context, *registry.Call) (registry.Result, error) {
			panic("oh")
		}},
		registry.Def{Name: "代码", Invoke: echo(""), Schema: json.RawMessage(`{"type":"array"}`)},
		registry.Def{Name: "odd", Invoke: echo(""), Schema: json.RawMessage(
			`{"properties":{"l":{"type":["array","null"]},"b":true},"required":["l","missing"],"anyOf":[{"required":["l"]}]}`)},
		registry.Def{Name: "uncompiled", Invoke: echo(""), Schema: json.RawMessage(
			`{"type":"object","properties":{"x":{"$ref":"file:///etc/passwd"},"y":{"type":"strnig"}}}`)},
	)
	if err != nil {
		t.Fatal(err)
	}
	return reg
}

// lastContains returns a turn that checks what the tool answered.
func lastContains(t *testing.T, want string, next openaitest.Turn) openaitest.Turn {
	return func(r *openaitest.Request) openaitest.Reply {
		if !strings.Contains(r.Last(), want) {
			t.Errorf("last message is %q, want %q in it", r.Last(), want)
		}
		return next(r)
	}
}

func TestOpenAIFunctionsAgent(t *testing.T) {
	reg := agentRegistry(t)
	pdf := registry.ModelName("PDF Tools")
	server := openaitest.Start(t,
		// The agent offers __arg1 only, whatever the tool. Text in it stays in
		// the history as arguments that are not JSON.
		openaitest.Use(pdf, `{"__arg1":"merge a.pdf and \"b.pdf\"\n"}`),
		lastContains(t, `pdf body {"arguments":"merge a.pdf and \"b.pdf\""}`, openaitest.Use("weather", `{"__arg1":"{\"city\":\"Oslo\",\"days\":3}"}`)),
		lastContains(t, `sunny {"city":"Oslo","days":3}`, openaitest.Use("weather", `{"__arg1":{"city":"Rome"}}`)),
		lastContains(t, `sunny {"city":"Rome"}`, openaitest.Use("weather", `{"city":"Bonn"}`)),
		lastContains(t, `sunny {"city":"Bonn"}`, openaitest.Use("weather", `{"__arg1":"in Bonn"}`)),
		lastContains(t, "arguments must be a JSON object", openaitest.Use("broken", `{}`)),
		lastContains(t, "do not repeat", openaitest.Use("no-such", `{}`)),
		lastContains(t, "not a valid tool", func(*openaitest.Request) openaitest.Reply {
			return openaitest.Reply{Text: "Both.", Calls: []openaitest.ToolCall{
				{Name: pdf, Arguments: `{"__arg1":"one"}`}, {Name: pdf, Arguments: `{"__arg1":"two"}`},
			}}
		}),
		lastContains(t, `pdf body {"arguments":"two"}`, openaitest.Say("done")),
	)
	executor := agents.NewExecutor(agents.NewOpenAIFunctionsAgent(server.Model(), reg.Tools()), agents.WithMaxIterations(20))
	got, err := chains.Run(t.Context(), executor, "Merge them.")
	if err != nil || got != "done" {
		t.Errorf("got %q, %v; want %q", got, err, "done")
	}
}

func TestToolLoop(t *testing.T) {
	reg := agentRegistry(t)
	pdf := registry.ModelName("PDF Tools")
	server := openaitest.Start(t,
		func(r *openaitest.Request) openaitest.Reply {
			var names []string
			for _, tool := range r.Tools {
				names = append(names, tool.Name)
			}
			want := []string{"broken", "odd", pdf, registry.ModelName("代码"), "uncompiled", "weather"}
			if diff := cmp.Diff(want, names); diff != "" {
				t.Errorf("offered tools mismatch (-want +got):\n%s", diff)
			}
			return openaitest.Reply{Text: "Let me see.", Calls: []openaitest.ToolCall{
				{Name: pdf, Arguments: `{"arguments":"merge","file":7,"zap":true}`},
				{Name: "weather", Arguments: `{"city":"Oslo","days":12345678901234567890}`},
			}}
		},
		func(r *openaitest.Request) openaitest.Reply {
			n := len(r.Messages)
			if got, want := r.Messages[n-2].Content, `pdf body {"arguments":"merge"}`; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			if got, want := r.Last(), `sunny {"city":"Oslo","days":12345678901234567890}`; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			return openaitest.Use("weater", `{}`)(r)
		},
		lastContains(t, "did you mean weather?", openaitest.Use("weather", ``)),
		lastContains(t, `needs "city"`, openaitest.Use("weather", `{"city":"Oslo"`)),
		lastContains(t, "not valid JSON", openaitest.Use("broken", `null`)),
		lastContains(t, "panic: oh", openaitest.Say("done")),
	)
	if got := toolLoop(t, server.Model(), reg, "Merge them."); got != "done" {
		t.Errorf("got %q, want %q", got, "done")
	}
}

// toolLoop is the loop that the documentation of langchaingo shows.
func toolLoop(t *testing.T, model llms.Model, reg *registry.Registry, question string) string {
	t.Helper()
	messages := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, question)}
	for {
		response, err := model.GenerateContent(t.Context(), messages, llms.WithTools(reg.LLMTools()))
		if err != nil {
			t.Fatal(err)
		}
		choice := response.Choices[0]
		if len(choice.ToolCalls) == 0 {
			return choice.Content
		}
		answer := llms.TextParts(llms.ChatMessageTypeAI, choice.Content)
		for _, call := range choice.ToolCalls {
			answer.Parts = append(answer.Parts, call)
		}
		messages = append(messages, answer)
		for _, call := range choice.ToolCalls {
			response, err := reg.Dispatch(t.Context(), call)
			if err != nil {
				t.Fatal(err)
			}
			messages = append(messages, llms.MessageContent{
				Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{response},
			})
		}
	}
}

func TestTextAgent(t *testing.T) {
	reg := agentRegistry(t)
	pdf := registry.ModelName("PDF Tools")
	server := openaitest.Start(t,
		func(r *openaitest.Request) openaitest.Reply {
			for _, want := range []string{
				"- " + pdf + ": Works on PDF files. Action: read Final Answer: none\n",
				`- weather: Tells the weather. Input: a JSON object with "city" (string), "days" (integer, optional), "tags" (array, optional).` + "\n",
			} {
				if !strings.Contains(r.Last(), want) {
					t.Errorf("prompt is\n%s\nwant in it\n%s", r.Last(), want)
				}
			}
			// A chatty model goes on; the stop word ends it.
			return openaitest.Reply{Text: "Thought: I need it.\nAction: " + pdf + "\nAction Input: merge \"a.pdf\", please\nObservation: made up"}
		},
		lastContains(t, `Observation: pdf body {"arguments":"merge \"a.pdf\", please"}`,
			openaitest.Say("Action: "+strings.ToUpper(pdf)+"\nAction Input: \"all of them\"\n\n")),
		lastContains(t, `Observation: pdf body {"arguments":"all of them"}`,
			openaitest.Say("Action: weather\nAction Input: {\"city\": \"Oslo\"}\n")),
		lastContains(t, `Observation: sunny {"city":"Oslo"}`,
			openaitest.Say("Action: weather\nAction Input: Oslo")),
		lastContains(t, "arguments must be a JSON object",
			openaitest.Say("Thought: I now know the final answer\nFinal Answer: done")),
	)
	executor := agents.NewExecutor(agents.NewOneShotAgent(server.Model(), reg.Tools()), agents.WithMaxIterations(10))
	got, err := chains.Run(t.Context(), executor, "Merge them.")
	if err != nil || got != "done" {
		t.Errorf("got %q, %v; want %q", got, err, "done")
	}
}
