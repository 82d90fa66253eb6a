package registry_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/tmc/langchaingo/llms"

	"github.com/matrix-nexus/skillkit/registry"
)

func Example() {
	reg := registry.New(nil)
	schema, _ := registry.ParamSchema(json.RawMessage(`[
		{"name": "text", "type": "string", "description": "What to repeat."},
		{"name": "count", "type": "integer", "required": false}
	]`))
	_, err := reg.Register("demo", registry.Def{
		Name:        "Repeat Text",
		Description: "Repeats a text.",
		Schema:      schema,
		Invoke: func(ctx context.Context, call *registry.Call) (registry.Result, error) {
			return registry.Result{Text: "got " + string(call.Arguments)}, nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	// The definitions go to a model with llms.WithTools; it answers with calls.
	name := reg.LLMTools()[0].Function.Name
	for _, arguments := range []string{`{"text":"la", "count":3}`, `{"count":"three"}`} {
		response, err := reg.Dispatch(context.Background(), llms.ToolCall{
			ID:           "call_1",
			FunctionCall: &llms.FunctionCall{Name: name, Arguments: arguments},
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(response.Name, response.Content)
	}
	// Output:
	// repeat-text-38554f got {"count":3,"text":"la"}
	// repeat-text-38554f error: tool "Repeat Text" did not start: arguments do not fit: needs "text"; /count: must be of type integer, not string
}

func ExampleHandle_Replace() {
	reg := registry.New(nil)
	say := func(text string) registry.Def {
		return registry.Def{Name: "hello", Invoke: func(context.Context, *registry.Call) (registry.Result, error) {
			return registry.Result{Text: text}, nil
		}}
	}
	ctx := context.Background()
	old, _ := reg.Register("plugin:greeter", say("hello from 1"))
	pinned := old.Tools()[0]

	_, _ = old.Replace(say("hello from 2"))
	newest, _ := reg.Lookup("hello")
	fmt.Println(newest.Call(ctx, ""))
	fmt.Println(pinned.Call(ctx, ""))

	_ = old.Retire(ctx)
	fmt.Println(newest.Call(ctx, ""))
	fmt.Println(pinned.Call(ctx, ""))
	// Output:
	// hello from 2 <nil>
	// hello from 1 <nil>
	// hello from 2 <nil>
	// error: tool "hello" did not start: registry: tool is retired <nil>
}

func ExampleModelName() {
	for _, name := range []string{"csv-data-tools", "My Tool", "Über", "../etc/passwd", "代码"} {
		fmt.Println(registry.ModelName(name))
	}
	// Output:
	// csv-data-tools
	// my-tool-2f28f3
	// uber-32b332
	// etc-passwd-7fef78
	// tool-e6f04f
}
