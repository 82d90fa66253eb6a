package registry_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/tmc/langchaingo/llms"

	"github.com/matrix-nexus/skillkit/registry"
)

// answer returns an Invoke that answers text.
func answer(text string) func(context.Context, *registry.Call) (registry.Result, error) {
	return func(context.Context, *registry.Call) (registry.Result, error) {
		return registry.Result{Text: text}, nil
	}
}

// say returns the definition of a tool that answers text.
func say(name, text string) registry.Def {
	return registry.Def{Name: name, Invoke: answer(text)}
}

func register(t *testing.T, r *registry.Registry, owner string, defs ...registry.Def) *registry.Handle {
	t.Helper()
	h, err := r.Register(owner, defs...)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// call calls the tool with that name and returns its text.
func call(t *testing.T, r *registry.Registry, name string) string {
	t.Helper()
	tool, err := r.Lookup(name)
	if err != nil {
		return err.Error()
	}
	text, err := tool.Call(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// names returns the names of all listings, which must agree.
func names(t *testing.T, r *registry.Registry) []string {
	t.Helper()
	var all, agent, model []string
	for _, tool := range r.All() {
		all = append(all, tool.Name())
	}
	for _, tool := range r.Tools() {
		agent = append(agent, tool.Name())
	}
	for _, tool := range r.LLMTools() {
		model = append(model, tool.Function.Name)
	}
	if !slices.Equal(all, agent) || !slices.Equal(all, model) {
		t.Errorf("listings differ: %v, %v, %v", all, agent, model)
	}
	return all
}

func TestListing(t *testing.T) {
	r := registry.New(nil)
	register(t, r, "two", say("zeta", ""), say("My Tool", ""))
	register(t, r, "one", say("alpha", ""))
	want := []string{"alpha", registry.ModelName("My Tool"), "zeta"}
	for range 5 { // case 139: the order is stable
		if diff := cmp.Diff(want, names(t, r)); diff != "" {
			t.Fatalf("names mismatch (-want +got):\n%s", diff)
		}
	}
	list := r.All()
	list[0] = nil
	if r.All()[0] == nil {
		t.Error("a caller's change of a listing shows in the next")
	}
	tool, err := r.Lookup("My Tool")
	if err != nil {
		t.Fatal(err)
	}
	if tool.Owner() != "two" || tool.Original() != "My Tool" || tool.Generation() != 1 {
		t.Errorf("got tool %q of %q, generation %d", tool.Original(), tool.Owner(), tool.Generation())
	}
}

func TestLookup(t *testing.T) {
	r := registry.New(nil)
	register(t, r, "test", say("Deploy", "capital"), say("deploy", "small"), say("weather", ""))
	changed := registry.ModelName("Deploy")
	for name, want := range map[string]string{
		"deploy":                 "small",
		"Deploy":                 "capital", // its own name before another's in another case
		"DEPLOY":                 "small",
		changed:                  "capital",
		strings.ToUpper(changed): "capital",
	} {
		if got := call(t, r, name); got != want {
			t.Errorf("call of %q: got %q, want %q", name, got, want)
		}
	}
	_, err := r.Lookup("wether")
	unknown, ok := errors.AsType[*registry.UnknownToolError](err)
	if !ok {
		t.Fatalf("Lookup: got %v, want an *UnknownToolError", err)
	}
	want := &registry.UnknownToolError{Name: "wether", Similar: []string{"weather"}, Tools: []string{"deploy", changed, "weather"}}
	if diff := cmp.Diff(want, unknown); diff != "" {
		t.Errorf("error mismatch (-want +got):\n%s", diff)
	}
	if got, want := registry.New(nil), "there are no tools"; !strings.Contains(call(t, got, "x"), want) {
		t.Errorf("got %q, want %q in it", call(t, got, "x"), want)
	}
	many := registry.New(nil)
	for i := range 25 {
		register(t, many, "test", say(fmt.Sprintf("tool-%02d", i), ""))
	}
	if got := call(t, many, "something-else"); !strings.Contains(got, "tool-19 and 5 more") {
		t.Errorf("got %q", got)
	}
}

func TestB09Duplicates(t *testing.T) {
	r := registry.New(nil)
	register(t, r, "first", say("x", "first"))
	for _, tt := range []struct {
		name string
		defs []registry.Def
		want registry.DuplicateError
	}{
		{"two owners", []registry.Def{say("new", ""), say("x", "")}, registry.DuplicateError{
			Name: "x", New: registry.Registrant{Owner: "second", Tool: "x"}, Old: registry.Registrant{Owner: "first", Tool: "x"},
		}},
		{"one call", []registry.Def{say("y", ""), say("y", "")}, registry.DuplicateError{
			Name: "y", New: registry.Registrant{Owner: "second", Tool: "y"}, Old: registry.Registrant{Owner: "second", Tool: "y"},
		}},
		{"case 142 one name after cleaning", []registry.Def{say("X", ""), say(registry.ModelName("X"), "")}, registry.DuplicateError{
			Name: registry.ModelName("X"),
			New:  registry.Registrant{Owner: "second", Tool: "X"},
			Old:  registry.Registrant{Owner: "second", Tool: registry.ModelName("X")},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := r.Register("second", tt.defs...)
			dup, ok := errors.AsType[*registry.DuplicateError](err)
			if !ok {
				t.Fatalf("got %v, want a *DuplicateError", err)
			}
			// Which of two in one call is the newer one says nothing.
			if tt.want.New.Owner == tt.want.Old.Owner && dup.New.Tool != tt.want.New.Tool {
				dup.New, dup.Old = dup.Old, dup.New
			}
			if diff := cmp.Diff(&tt.want, dup); diff != "" {
				t.Errorf("error mismatch (-want +got):\n%s", diff)
			}
			for _, owner := range []string{tt.want.New.Owner, tt.want.Old.Owner} {
				if !strings.Contains(err.Error(), owner) {
					t.Errorf("error %q does not name %q", err, owner)
				}
			}
			if diff := cmp.Diff([]string{"x"}, names(t, r)); diff != "" {
				t.Errorf("something was registered (-want +got):\n%s", diff)
			}
		})
	}
	if got := call(t, r, "x"); got != "first" {
		t.Errorf("got %q, want %q", got, "first")
	}
}

func TestRegisterRefusesBadDefinitions(t *testing.T) {
	r := registry.New(nil)
	for _, tt := range []struct {
		name, owner string
		def         registry.Def
	}{
		{"no owner", "", say("a", "")},
		{"bad owner", "my plugin", say("a", "")},
		{"no name", "test", say("", "")},
		{"no Invoke", "test", registry.Def{Name: "a"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := r.Register(tt.owner, say("good", ""), tt.def)
			if _, ok := errors.AsType[*registry.DefError](err); !ok {
				t.Errorf("got %v, want a *DefError", err)
			}
			if got := names(t, r); len(got) > 0 {
				t.Errorf("registered %v", got)
			}
		})
	}
}

func TestDefIsCopied(t *testing.T) {
	r := registry.New(nil)
	def := registry.Def{Name: "a", Schema: []byte(`{"type":"object","properties":{"x":{"type":"string"}}}`), Invoke: answer("ok")}
	defs := []registry.Def{def}
	h := register(t, r, "test", defs...)
	before := string(h.Tools()[0].Schema())
	defs[0].Name, defs[0].Invoke = "b", nil
	for i := range def.Schema {
		def.Schema[i] = ' '
	}
	if got := string(h.Tools()[0].Schema()); got != before {
		t.Errorf("schema became %s", got)
	}
	if got := call(t, r, "a"); got != "ok" {
		t.Errorf("got %q, want %q", got, "ok")
	}
	// What a caller gets is the caller's.
	parameters := r.LLMTools()[0].Function.Parameters.(map[string]any)
	parameters["properties"].(map[string]any)["x"].(map[string]any)["type"] = "number"
	parameters["type"] = "string"
	schema := h.Tools()[0].Schema()
	schema[0] = 'x'
	if got := string(h.Tools()[0].Schema()); got != before {
		t.Errorf("schema became %s", got)
	}
	if diff := cmp.Diff(decode(t, before), r.LLMTools()[0].Function.Parameters); diff != "" {
		t.Errorf("parameters mismatch (-want +got):\n%s", diff)
	}
}

func TestDescriptions(t *testing.T) {
	object := func(properties string) []byte {
		return []byte(`{"type":"object","required":["b"],"properties":` + properties + `}`)
	}
	many := `{"b":{"type":"string"}`
	for i := range 200 {
		many += fmt.Sprintf(`,"parameter-%d":{}`, i)
	}
	many += "}"
	for _, tt := range []struct {
		name         string
		def          registry.Def
		model, agent string
	}{
		{"B59 one line", registry.Def{Description: " a\r\n\tb\u2028c\x00d\xff "}, "a b c d\uFFFD", "a b c d\uFFFD"},
		{"B23 1024 code points", registry.Def{Description: strings.Repeat("é", 1024)}, strings.Repeat("é", 1024), strings.Repeat("é", 1024)},
		{"B23 1025 code points", registry.Def{Description: strings.Repeat("é", 1025)}, strings.Repeat("é", 1023) + "…", strings.Repeat("é", 1023) + "…"},
		{
			"arguments", registry.Def{Description: "Does it.", Schema: object(`{"a":{"type":"integer"},"b":{"type":"string"},"c":{}}`)},
			"Does it.", `Does it. Input: a JSON object with "b" (string), "a" (integer, optional), "c" (any, optional).`,
		},
		{"text will do", registry.Def{Description: "Does it.", TextParam: "b", Schema: object(`{"b":{"type":"string"},"c":{}}`)}, "Does it.", "Does it."},
		{
			"text will not do", registry.Def{TextParam: "c", Schema: object(`{"b":{"type":"string"},"c":{}}`)},
			"", `Input: a JSON object with "b" (string), "c" (any, optional).`,
		},
		{"many arguments", registry.Def{Description: strings.Repeat("é ", 1000), Schema: object(many)}, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.def.Name, tt.def.Invoke = "tool", answer("")
			r := registry.New(nil)
			tool := register(t, r, "test", tt.def).Tools()[0]
			model := tool.LLMTool().Function.Description
			for _, s := range []string{model, tool.Description()} {
				if n := utf8.RuneCountInString(s); n > registry.MaxDescription || strings.ContainsAny(s, "\n\r") {
					t.Errorf("%d code points: %q", n, s)
				}
			}
			if tt.name == "many arguments" {
				return
			}
			if model != tt.model {
				t.Errorf("for models: got %q, want %q", model, tt.model)
			}
			if got := tool.Description(); got != tt.agent {
				t.Errorf("for agents: got %q, want %q", got, tt.agent)
			}
		})
	}
}

func TestDispatch(t *testing.T) {
	r := registry.New(nil)
	register(t, r, "test", say("hello", "world"))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	function := func(name, arguments string) *llms.FunctionCall {
		return &llms.FunctionCall{Name: name, Arguments: arguments}
	}
	for _, tt := range []struct {
		name     string
		ctx      context.Context
		function *llms.FunctionCall
		want     llms.ToolCallResponse
		err      error
	}{
		{"answer", t.Context(), function("hello", "{}"), llms.ToolCallResponse{Name: "hello", Content: "world"}, nil},
		{"space around the name", t.Context(), function(" HELLO\n", "{}"), llms.ToolCallResponse{Name: " HELLO\n", Content: "world"}, nil},
		{"bad arguments", t.Context(), function("hello", "[]"), llms.ToolCallResponse{
			Name: "hello", Content: `error: tool "hello" did not start: arguments do not fit: arguments must be a JSON object`,
		}, nil},
		{"unknown", t.Context(), function("helo", "{}"), llms.ToolCallResponse{
			Name: "helo", Content: `error: unknown tool "helo"; did you mean hello?`,
		}, nil},
		{"no function", t.Context(), nil, llms.ToolCallResponse{Content: "error: the call names no function"}, nil},
		{"cancelled", ended, function("hello", "{}"), llms.ToolCallResponse{
			Name: "hello", Content: `error: tool "hello" was cancelled before it started: context canceled`,
		}, context.Canceled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.ToolCallID = "call_1"
			got, err := r.Dispatch(tt.ctx, llms.ToolCall{ID: "call_1", FunctionCall: tt.function})
			if !errors.Is(err, tt.err) {
				t.Errorf("error: got %v, want %v", err, tt.err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("response mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestChildren(t *testing.T) {
	root := registry.New(nil)
	a, b := root.Child("session:a"), root.Child("session:b")
	register(t, root, "bundled", say("shared", "root"))
	register(t, a, "plugin:a", say("mine", "a"))
	register(t, b, "plugin:b", say("mine", "b")) // siblings may have one name

	for _, tt := range []struct {
		name  string
		r     *registry.Registry
		tools []string
		mine  string
	}{
		{"root", root, []string{"shared"}, `unknown tool "mine"; the tools are shared`},
		{"a", a, []string{"mine", "shared"}, "a"},
		{"b", b, []string{"mine", "shared"}, "b"},
	} {
		if diff := cmp.Diff(tt.tools, names(t, tt.r)); diff != "" {
			t.Errorf("%s: names mismatch (-want +got):\n%s", tt.name, diff)
		}
		if got := call(t, tt.r, "mine"); got != tt.mine {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.mine)
		}
	}

	// A name is taken once between the root and a descendant, from both ends.
	_, err := a.Child("deeper").Register("x", say("shared", ""))
	if dup, ok := errors.AsType[*registry.DuplicateError](err); !ok || dup.New.Scope != "deeper" || dup.Old.Scope != "" {
		t.Errorf("below: got %v", err)
	}
	_, err = root.Register("x", say("mine", ""))
	if dup, ok := errors.AsType[*registry.DuplicateError](err); !ok || !strings.HasPrefix(dup.Old.Scope, "session:") {
		t.Errorf("above: got %v", err)
	}

	// The listing of a child follows its parent.
	later := register(t, root, "later", say("later", ""))
	if diff := cmp.Diff([]string{"later", "mine", "shared"}, names(t, a)); diff != "" {
		t.Errorf("names mismatch (-want +got):\n%s", diff)
	}
	if err := later.Retire(t.Context()); err != nil {
		t.Fatal(err)
	}

	mine := a.All()[0]
	if err := a.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(t.Context()); err != nil {
		t.Errorf("second Close: %v", err)
	}
	if _, err := mine.Invoke(t.Context(), registry.Call{}); !errors.Is(err, registry.ErrRetired) {
		t.Errorf("call after Close: got %v, want ErrRetired", err)
	}
	if _, err := a.Register("x", say("x", "")); !errors.Is(err, registry.ErrClosed) {
		t.Errorf("Register after Close: got %v, want ErrClosed", err)
	}
	if _, err := a.Child("x").Register("x", say("x", "")); !errors.Is(err, registry.ErrClosed) {
		t.Errorf("Register in a child of a closed registry: got %v, want ErrClosed", err)
	}
	if got := call(t, b, "mine"); got != "b" {
		t.Errorf("the sibling answers %q", got)
	}
	if err := root.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := names(t, b); len(got) > 0 {
		t.Errorf("after Close of the root a child lists %v", got)
	}
}

// TestConcurrency is for the race detector.
func TestConcurrency(t *testing.T) {
	r := registry.New(nil)
	h := register(t, r, "plugin:a", say("a", ""))
	child := r.Child("session")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 50 {
				id := fmt.Sprint(i, j)
				extra, err := child.Register("test", say("tool-"+strings.ReplaceAll(id, " ", "-"), ""))
				if err != nil {
					t.Error(err)
					return
				}
				child.Tools()
				r.LLMTools()
				if tool, err := child.Lookup("a"); err == nil {
					if _, err := tool.Invoke(t.Context(), registry.Call{ID: id}); err != nil && !errors.Is(err, registry.ErrRetired) {
						t.Error(err)
					}
				}
				if err := extra.Retire(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 50 {
		next, err := h.Replace(say("a", ""))
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Retire(t.Context()); err != nil {
			t.Fatal(err)
		}
		h = next
		if len(r.Tools()) != 1 { // no listing has none or two of them
			t.Error("a listing in between")
		}
	}
	wg.Wait()
}

func BenchmarkTools(b *testing.B) {
	r := registry.New(nil)
	var defs []registry.Def
	for i := range 10_000 {
		defs = append(defs, say(fmt.Sprintf("tool-%d", i), ""))
	}
	h, err := r.Register("bench", defs...)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("unchanged", func(b *testing.B) {
		for b.Loop() {
			r.Tools()
		}
	})
	b.Run("changed", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			extra, err := r.Register("bench", say("extra", ""))
			if err != nil {
				b.Fatal(err)
			}
			if err := extra.Retire(b.Context()); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
			r.Tools()
		}
	})
	b.Run("register", func(b *testing.B) {
		for b.Loop() {
			next, err := h.Replace(defs...)
			if err != nil {
				b.Fatal(err)
			}
			h = next
		}
	})
	b.Run("lookup", func(b *testing.B) {
		for b.Loop() {
			if _, err := r.Lookup("tool-7777"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("unknown", func(b *testing.B) {
		for b.Loop() {
			if _, err := r.Lookup("tol-7777"); err == nil {
				b.Fatal("found")
			}
		}
	})
}
