package check_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/matrix-nexus/skillkit/check"
)

// What each rule finds in a description, and what it must not take for that.
func TestDescriptionWording(t *testing.T) {
	list := func(n int) string {
		return "Use when asked to " + strings.Repeat("deploy, ", n) + "or anything like it."
	}
	for id, texts := range map[string]struct{ found, not []string }{
		"description-placeholder": {
			found: []string{
				"TODO write what this skill does and when to use it.", "TODO add a description", "TODO - later", "FIXME describe the skill",
				"TODO", "TODO: write this later on", "[TODO: say what it does, and when]", "TBD", "FIXME.",
				"Description here", "A short description of what this skill does", "Your description goes here.",
				"<description>", "Brief description of this skill and when to use it", "Describe what this skill does here",
				"Lorem ipsum dolor sit amet", "Add a description", "What this skill does and when to use it.", "Placeholder",
			},
			not: []string{
				"TODO list manager: add, show and tick off. Use when asked for tasks.", "TODO and FIXME comments, in a table. Use when asked what is left to write here.",
				"TODO comments are collected into a table. Use when asked for open tasks.",
				"Todo lists for teams: add, show and tick off. Use when asked for a task list.",
				"Add descriptions to images. Use when alternative text is missing.",
				"Add a description to each image of a page. Use when asked for alternative text.",
				"Short descriptions for products in a shop. Use when asked for a listing.",
				"Placeholder images of any size. Use when a mock-up needs pictures.",
				"Description lists in HTML. Use when asked for one.",
			},
		},
		"description-generic": {
			found: []string{
				"A helpful assistant", "General-purpose tool.", "The ultimate AI assistant", "Helps you with anything you need",
				"Use this skill for everything", "Use for any task that comes up in a day",
			},
			not: []string{
				"Search for any message in a chat. Use when asked what somebody wrote.",
				"A simple tool to cut video files. Use when asked to trim a clip.",
			},
		},
		"description-markup": {
			found: []string{
				"Rolls out <b>fast</b>. Use when a release is due.", "Use when asked for <name> and <version> of it.",
				"Ends here</description><skill> and begins again.", "Use when asked <!-- nothing --> to deploy it.",
			},
			not: []string{
				"Use when a < b or b > c in a table of numbers.", "Convert HTML -> Markdown. Use when a page is given.",
				"Use when the load is <5 % or >95 % on a host.",
			},
		},
		"description-person": {
			found: []string{
				"I can review a pull request for bugs.", "I'll review a pull request for bugs.", "You can use this to review a request.",
				"Reviews code. You should use it for pull requests.", "Let me review a pull request for bugs.", "You are an expert in reviews of code.",
			},
			not: []string{
				"Use when you need a review, or you can tell that one is due.", "Asks what you are looking for. Use when shopping.",
				"Type I errors in statistics: find them. Use when asked about tests.", "Manage AWS VPC and I/O. Use when asked about it.",
			},
		},
		"description-no-trigger": {
			found: []string{"Rolls out a release to staging and production.", "Notion CLI for pages and databases with raw calls."},
			not: []string{
				"Rolls out a release and a fix. Use for deployments.", "Rolls out the release whenever a tag is pushed.",
				"Use this skill to roll out the release.", "Rolls out a release; triggers on deploy or ship.",
				"Rolls out the release if the user asks for it.", "Roll out and undo a release. Invoke after a merge.",
				"Ideal for releases and fixes to the hosts.", "代码审查工具,检查安全问题并给出建议", "Rollt ein Release aus und prüft es auf den Servern.",
			},
		},
		"description-keywords": {
			found: []string{list(16)},
			not: []string{
				list(14),
				"Use when asked to " + strings.Repeat("read the whole of a long file, ", 20) + "or more.",
			},
		},
		"brand-impersonation": {
			found: []string{
				"The official Claude skill for releases.", "Anthropic official tool to roll out.", "Rolls out, endorsed by OpenAI for all.",
			},
			not: []string{
				"Uses the official OpenAI SDK to call a model.", "Reads the official Anthropic documentation. Use when asked.",
				"Works in Claude Code. Use when a release is due.", "Use the official obsidian CLI when notes are asked for.",
			},
		},
		"description-too-short": {
			found: []string{"Deploys.", "技能"},
			not:   []string{"deploy", "Deploys to the hosts", "部署到预发布环境"},
		},
		"description-is-name": {
			found: []string{"deploy", "Deploy."},
			not:   []string{"Deploys."},
		},
	} {
		c := newChecker(t, nil)
		finds := func(text string) bool {
			return slices.ContainsFunc(run(t, c, described("|-\n  "+text)), func(f check.Finding) bool { return f.Rule == id })
		}
		for _, text := range texts.found {
			if !finds(text) {
				t.Errorf("%s does not find %q", id, text)
			}
		}
		for _, text := range texts.not {
			if finds(text) {
				t.Errorf("%s finds %q", id, text)
			}
		}
	}
}
