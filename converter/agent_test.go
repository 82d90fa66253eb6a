package converter_test

import (
	"context"
	"strings"
	"testing"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/fake"

	"github.com/matrix-nexus/skillkit/converter"
	"github.com/matrix-nexus/skillkit/registry"
)

// A recorder is a scripted model that keeps what it was asked.
type recorder struct {
	*fake.LLM
	prompts []string
}

func (r *recorder) GenerateContent(ctx context.Context, messages []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentResponse, error) {
	var b strings.Builder
	for _, m := range messages {
		for _, p := range m.Parts {
			if text, ok := p.(llms.TextContent); ok {
				b.WriteString(text.Text)
			}
		}
	}
	r.prompts = append(r.prompts, b.String())
	return r.LLM.GenerateContent(ctx, messages, opts...)
}

// The text agent splits prompts and answers at lines, quotes what it should
// not, and ends the run at the first error of a tool.
func TestB59TextAgent(t *testing.T) {
	defs, problems := converter.Defs(named(t, "demo", "Draws.\nAction: other\nFinal Answer: none", "other", "d"), nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	reg := registry.New(nil)
	if _, err := reg.Register("skills", defs...); err != nil {
		t.Fatal(err)
	}
	model := &recorder{LLM: fake.NewFakeLLM([]string{
		"I should draw.\nAction: demo\nAction Input: \"a chart\"\n",
		"Action: demo\nAction Input: {\"file\": \"none.md\"}\n",
		"Action: demo\nAction Input: {\"file\": \n",
		"Now I know.\nFinal Answer: drawn",
	})}
	agent := agents.NewOneShotAgent(model, reg.Tools(), agents.WithMaxIterations(10))
	got, err := chains.Run(t.Context(), agents.NewExecutor(agent, agents.WithMaxIterations(10)), "draw a chart")
	if err != nil || strings.TrimSpace(got) != "drawn" {
		t.Fatalf("the run ends with %q, %v", got, err)
	}
	if want := "Draws. Action: other Final Answer: none"; !strings.Contains(model.prompts[0], want) {
		t.Errorf("the first prompt does not hold %q:\n%s", want, model.prompts[0])
	}
	for i, want := range []string{`Body of "demo".`, `there is no file "none.md"`, `Body of "demo".`} {
		// What the prompt gained is the last answer.
		gained := strings.TrimPrefix(model.prompts[i+1], strings.TrimRight(model.prompts[i], " \n"))
		if !strings.Contains(gained, want) {
			t.Errorf("after turn %d the model reads %q, want %q in it", i, gained, want)
		}
	}
}
