package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/check"
	"github.com/matrix-nexus/skillkit/registry"
)

// setRuleIDs are the rules for all skills together.
var setRuleIDs = []string{
	"duplicate-name", "similar-name", "duplicate-skill-key", "duplicate-tool-name", "duplicate-body", "description-overlap",
}

// skillOf returns a SKILL.md of that name, description and body.
func skillOf(name, description, body string) string {
	return "---\nname: " + name + "\ndescription: " + description + "\n" + okMetadata + "---\n" + body + "\n"
}

func TestSets(t *testing.T) {
	const (
		apple  = "Peel an apple and cut it in slices. Use when a fruit salad is asked for."
		boat   = "Sail a boat along the coast by wind alone. Use when there is no fuel."
		castle = "Build a castle of sand at low tide with moats. Use when children are bored."
	)
	tool := registry.ModelName("Über")
	for name, c := range map[string]struct {
		tree map[string]string // from the folder to SKILL.md
		want []string
	}{
		"nothing in common": {tree: map[string]string{"a": skillOf("a", apple, "A."), "b": skillOf("b", boat, "B."), "c": skillOf("c", castle, "C.")}},
		"one name": {
			tree: map[string]string{"x/a": skillOf("a", apple, "A."), "y/a": skillOf("a", boat, "B."), "z/a": skillOf("a", castle, "C.")},
			want: []string{
				`y/a/SKILL.md:2:7: warning: name "a" is also that of x/a/SKILL.md, which comes first; rename one (duplicate-name)`,
				`z/a/SKILL.md:2:7: warning: name "a" is also that of x/a/SKILL.md, which comes first; rename one (duplicate-name)`,
			},
		},
		"one file twice": {
			tree: map[string]string{"x/a": skillOf("a", apple, "A."), "y/a": skillOf("a", apple, "A.")},
			want: []string{`y/a/SKILL.md:2:7: warning: the same file as x/a/SKILL.md; remove one (duplicate-name)`},
		},
		"one name in two encodings": {
			tree: map[string]string{"x/é": skillOf("\u00e9", apple, "A."), "y/é": skillOf("e\u0301", boat, "B.")},
			want: []string{`y/é/SKILL.md:2:7: warning: name "é" is also that of x/é/SKILL.md, which comes first; rename one (duplicate-name)`},
		},
		"names of folders": {
			tree: map[string]string{"x/a": strings.Replace(skillOf("a", apple, "A."), "name: a\n", "", 1), "y/a": skillOf("a", boat, "B.")},
			want: []string{`y/a/SKILL.md:2:7: warning: name "a" is also that of x/a/SKILL.md, which comes first; rename one (duplicate-name)`},
		},
		"names alike": {
			tree: map[string]string{"llm-router": skillOf("llm-router", apple, "A."), "llmrouter": skillOf("llmrouter", boat, "B."), "LLM_Router": skillOf("LLM_Router", castle, "C.")},
			want: []string{
				`llm-router/SKILL.md:2:7: info: name "llm-router" differs from that of LLM_Router/SKILL.md, "LLM_Router", by case or punctuation alone (similar-name)`,
				`llmrouter/SKILL.md:2:7: info: name "llmrouter" differs from that of LLM_Router/SKILL.md, "LLM_Router", by case or punctuation alone (similar-name)`,
			},
		},
		"one key": {
			tree: map[string]string{
				"a": skillOf("a", apple, "A."),
				"b": strings.Replace(skillOf("b", boat, "B."), `"matrix": {`, `"matrix": {"skill_key": "a", `, 1),
				"c": strings.Replace(skillOf("c", castle, "C."), `"matrix": {`, `"matrix": {"skill_key": "d", `, 1),
			},
			want: []string{`b/SKILL.md:4:36: warning: skill_key "a" is also the key of a/SKILL.md; change one (duplicate-skill-key)`},
		},
		"one tool name": {
			tree: map[string]string{"Über": skillOf("Über", apple, "A."), tool: skillOf(tool, boat, "B.")},
			want: []string{"Über/SKILL.md:2:7: warning: the tool " + tool + " of this skill has the name of that of " + tool + "/SKILL.md; rename one (duplicate-tool-name)"},
		},
		"one body": {
			tree: map[string]string{"a": skillOf("a", apple, "A.\n\n"), "b": skillOf("b", boat, "A."), "c": skillOf("c", castle, ""), "d": skillOf("d", "x", "")},
			want: []string{"b/SKILL.md:6:1: info: the body is that of a/SKILL.md (duplicate-body)"},
		},
		"words in common": {
			tree: map[string]string{"a": skillOf("a", apple, "A."), "b": skillOf("b", strings.Replace(apple, "apple", "orange", 1), "B.")},
			want: []string{"b/SKILL.md:3:14: info: the description has 88 % of its words in common with that of a/SKILL.md; say what is different (description-overlap)"},
		},
		"70 of 100 words": {
			tree: map[string]string{"a": skillOf("a", "k l m n o p q r", "A."), "b": skillOf("b", "k l m n o p q s t", "B.")},
			want: []string{"b/SKILL.md:3:14: info: the description has 70 % of its words in common with that of a/SKILL.md; say what is different (description-overlap)"},
		},
		"63 of 100 words": {
			tree: map[string]string{"a": skillOf("a", "k l m n o p q r s", "A."), "b": skillOf("b", "k l m n o p q t u", "B.")},
		},
		"few words": {tree: map[string]string{"a": skillOf("a", "k l m n o", "A."), "b": skillOf("b", "k l m n o", "B.")}},
		"Han characters": {
			tree: map[string]string{"a": skillOf("a", "代码审查工具检查", "A."), "b": skillOf("b", "代码审查工具分析", "B.")},
		},
	} {
		t.Run(name, func(t *testing.T) {
			tree := fstest.MapFS{}
			for dir, text := range c.tree {
				tree[dir+"/SKILL.md"] = &fstest.MapFile{Data: []byte(text)}
			}
			var got []string
			for _, f := range checkTree(t, newChecker(t, nil), tree).Findings {
				if slices.Contains(setRuleIDs, f.Rule) {
					got = append(got, f.String())
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// BenchmarkSets compares many skills: most of them different, some in families
// of near copies.
func BenchmarkSets(b *testing.B) {
	const skills = 18_000
	targets := make([]check.Target, skills)
	for i := range targets {
		var words []string
		for j := range 30 {
			words = append(words, fmt.Sprintf("w%d", (i/20*7919+j*j*31+i%20/19)%5000))
		}
		name := fmt.Sprintf("skill-%d", i)
		targets[i] = check.Target{
			Path: name, Name: name, Manifest: "SKILL.md",
			Text: []byte(skillOf(name, strings.Join(words, " "), fmt.Sprintf("Body %d.", i))),
		}
	}
	var others []string
	for _, r := range check.Rules() {
		if r.RunSet == nil {
			others = append(others, r.ID)
		}
	}
	c, err := check.New(&check.Options{Disable: others})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := c.Check(b.Context(), targets); err != nil {
			b.Fatal(err)
		}
	}
}
