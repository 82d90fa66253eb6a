package check_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/check"
)

func TestBodyRules(t *testing.T) {
	rep := strings.Repeat
	tests := []struct{ name, ids, body, want string }{
		{"body-empty", "body-empty body-thin intro-missing", "\n  \n", "SKILL.md:5:1: warning: the body is empty; say below the frontmatter what to do (body-empty)\n"},
		{"body-empty with a comment", "body-empty", "<!-- x -->", ""},
		{"body-thin by words", "body-thin", rep("abc ", 79), "SKILL.md:6:1: info: the body has 79 words and 237 characters; ClawHub wants 80 and 250 (body-thin)\n"},
		{"body-thin at the limit", "body-thin", rep("abcd ", 80), ""},
		{"body-thin by characters", "body-thin", rep("ab ", 80), "SKILL.md:6:1: info: the body has 80 words and 160 characters; ClawHub wants 80 and 250 (body-thin)\n"},
		{"body-thin in Chinese", "body-thin", rep("部", 99), "SKILL.md:6:1: info: the body has 99 characters; 100 are few (body-thin)\n"},
		{"body-thin in Chinese at the limit", "body-thin", rep("部", 100), ""},
		{"body-too-long at the limit", "body-too-long", rep("x\n", 500) + "\n\n", ""},
		{"body-too-long", "body-too-long", rep("x\n", 501), "SKILL.md:506:1: info: the body has 501 lines, which is more than 500; move what is not always needed to files in references (body-too-long)\n"},
		{"unclosed-code-fence", "unclosed-code-fence", "- a\n  ~~~sh\n  x\n", "SKILL.md:7:3: warning: the code fence that opens here is never closed (unclosed-code-fence)\n"},
		{
			"B50 a fence in a fence", "unclosed-code-fence", "```markdown\n```sh\nls\n```\n```\n\n# After\n",
			"SKILL.md:10:1: warning: the code fence that opens here is never closed; the block of line 6 holds another one and needs a longer fence (unclosed-code-fence)\n",
		},
		{"B50 a longer fence", "unclosed-code-fence", "````markdown\n```sh\nls\n```\n````\n   ~~~\n   ~~~~\n", ""},
		{"command-injection", "command-injection many-command-injections", "a !`b` `!c` x!`d` !``e`` (!`f`)\n\n```\n!`g`\n```\n",
			"SKILL.md:6:5: info: \"b\" is run by some clients before the skill is read, and shown as it is by others (command-injection)\n"},
		{"many-command-injections", "command-injection many-command-injections", "!`a` !`b` !`c` !`d`\n",
			"SKILL.md:6:18: warning: 4 commands are run before the skill is read; more than 3 are slow (many-command-injections)\n"},
		{"command-injection at the limit", "many-command-injections", "!`a` !`b` !`c`\n", ""},
		{"heading-skipped", "heading-skipped", "## A\n# B\n### C\n\n```\n# D\n```\n", "SKILL.md:8:1: info: the heading is of level 3, and the one before it of level 1 (heading-skipped)\n"},
		{"intro-missing", "intro-missing", "# A\n\n## B\n\n1. c\n\nd e f g\n", "SKILL.md:6:1: info: no paragraph at the start says what the skill does (intro-missing)\n"},
		{"intro-missing by length", "intro-missing", "# A\n\nb c\n", "SKILL.md:8:1: info: \"b c\" is too short to say what the skill does (intro-missing)\n"},
		{"intro", "intro-missing", "<!-- x -->\n# A\n\n## B\n\nc d e\n", ""},
		{"intro in Chinese", "intro-missing", "# 部署\n\n将版本部署到生产环境。\n", ""},
		{"intro in a quote", "intro-missing", "# A\n\n> b c d e\n", ""},
		{"output format in another language", "output-format-missing example-missing", "Rollt eine Version zuerst auf die Testrechner aus und danach auf alle anderen.\n", ""},
		{"output format", "output-format-missing", "Say it to the user in two sentences and stop.\n", ""},
		{"output-format-missing", "output-format-missing", "Say it to the user and stop.\n", "SKILL.md:6:1: info: nothing says what the output looks like: a table, a list, JSON or how many sentences (output-format-missing)\n"},
		{"example-missing", "example-missing", "Say it to the user and stop.\n", "SKILL.md:6:1: info: no example shows what is asked and what the result looks like (example-missing)\n"},
		{"example in a fence", "example-missing", "Say it to the user and stop.\n\n    It is.\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, findings(t, tt.ids, tt.body)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// The advice for a mode is for those that declare it.
func TestModeRules(t *testing.T) {
	c, err := check.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	const body = "\nSay it to the user and stop.\n\n```toml\nx = 1\n```\n"
	for mode, want := range map[string]string{
		`"execution_mode": "prompt", `: "output-format-missing",
		`"execution_mode": "bash", `:   "command-block-missing",
		`"execution_mode": "python", `: "command-block-missing",
		`"execution_mode": "api", `:    "",
		"":                             "",
	} {
		got := ""
		for _, f := range run(t, c, strings.Replace(header, `"execution_mode": "prompt", `, mode, 1)+body) {
			if f.Rule == "output-format-missing" || f.Rule == "command-block-missing" {
				got += f.Rule
			}
		}
		if got != want {
			t.Errorf("mode %q: found %q, want %q", mode, got, want)
		}
	}
}
