package converter_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"

	"github.com/matrix-nexus/skillkit/bundled"
	"github.com/matrix-nexus/skillkit/converter"
	"github.com/matrix-nexus/skillkit/internal/openaitest"
	"github.com/matrix-nexus/skillkit/loader"
	"github.com/matrix-nexus/skillkit/registry"
	"github.com/matrix-nexus/skillkit/skills"
)

// TestAgents runs langchaingo's agents over the built-in skills, and over real
// ones where they are, against a server that is as strict as OpenAI: from the
// folders to the end of the conversation nothing stands in but the model.
func TestAgents(t *testing.T) {
	t.Run("bundled", func(t *testing.T) {
		runAgents(t, &loader.Options{Bundled: bundled.FS()}, "jq")
	})
	t.Run("openclaw", func(t *testing.T) {
		dir := filepath.Join("..", "cache", "openclaw", "skills")
		if _, err := os.Stat(dir); err != nil {
			t.Skip("the real skills are not here; fetch them with testdata/openclaw/fetch")
		}
		runAgents(t, &loader.Options{Bundled: bundled.FS(), Roots: []loader.Root{{Dir: dir}}}, "github")
	})
}

func runAgents(t *testing.T, from *loader.Options, name string) {
	set, err := loader.New(from).Skills(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	opts := &converter.Options{Materialize: func(s *skills.Skill) (string, error) {
		return loader.Materialize(t.TempDir(), s)
	}}
	defs, problems := converter.Defs(set, opts)
	for _, p := range problems {
		t.Error(p)
	}
	if len(defs) != set.Len() {
		t.Errorf("%d of %d skills became tools", len(defs), set.Len())
	}
	reg := registry.New(nil)
	if _, err := reg.Register("skills", defs...); err != nil {
		t.Fatal(err)
	}
	skill, err := set.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	body, err := skill.Body()
	if err != nil {
		t.Fatal(err)
	}
	// finish is the turn after the call: it must have got the body.
	finish := func(text string) openaitest.Turn {
		return func(r *openaitest.Request) openaitest.Reply {
			if !strings.Contains(r.Last(), strings.TrimSpace(body)) {
				t.Errorf("the model did not get the body of %s, but:\n%s", name, r.Last())
			}
			return openaitest.Reply{Text: text}
		}
	}

	t.Run("functions agent", func(t *testing.T) {
		server := openaitest.Start(t,
			openaitest.Use(name, `{"__arg1":"help me with it, \"please\""}`),
			finish("done"))
		agent := agents.NewOpenAIFunctionsAgent(server.Model(), reg.Tools())
		got, err := chains.Run(t.Context(), agents.NewExecutor(agent), "Help me.")
		if err != nil || got != "done" {
			t.Errorf("the run ends with %q, %v", got, err)
		}
	})
	t.Run("text agent", func(t *testing.T) {
		server := openaitest.Start(t,
			openaitest.Say("Thought: I need it.\nAction: "+name+"\nAction Input: help me with it\n"),
			finish("Final Answer: done"))
		agent := agents.NewOneShotAgent(server.Model(), reg.Tools())
		got, err := chains.Run(t.Context(), agents.NewExecutor(agent), "Help me.")
		if err != nil || strings.TrimSpace(got) != "done" {
			t.Errorf("the run ends with %q, %v", got, err)
		}
	})
	t.Run("tool-calling loop", func(t *testing.T) {
		server := openaitest.Start(t, openaitest.Use(name, `{}`), finish("done"))
		model := server.Model()
		system := converter.SystemPrompt(set, opts) + converter.Catalogue(set, opts)
		messages := []llms.MessageContent{
			llms.TextParts(llms.ChatMessageTypeSystem, system),
			llms.TextParts(llms.ChatMessageTypeHuman, "Help me."),
		}
		for range 3 {
			response, err := model.GenerateContent(t.Context(), messages, llms.WithTools(reg.LLMTools()))
			if err != nil {
				t.Fatal(err)
			}
			choice := response.Choices[0]
			if len(choice.ToolCalls) == 0 {
				if choice.Content != "done" {
					t.Errorf("the run ends with %q", choice.Content)
				}
				return
			}
			for _, call := range choice.ToolCalls {
				answer, err := reg.Dispatch(t.Context(), call)
				if err != nil {
					t.Fatal(err)
				}
				messages = append(messages,
					llms.MessageContent{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{call}},
					llms.MessageContent{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{answer}})
			}
		}
		t.Error("the model goes on calling tools")
	})
}
