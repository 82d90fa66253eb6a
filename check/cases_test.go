package check_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/matrix-nexus/skillkit/check"
	"github.com/matrix-nexus/skillkit/metadata"
)

// The parts of a skill in which no rule finds anything but what a row plants.
const (
	okDescription = "description: Roll out a release to staging, then to production. Use when a release is due.\n"
	okMetadata    = `metadata: {"matrix": {"execution_mode": "prompt", "category_name": "operations"}}` + "\n"
	okBody        = "\n# Deploy\n\nRoll out a release to staging, then to production.\n\nFor example: deploy version 1.2 and write a table of the hosts.\n"
)

// skillText returns a SKILL.md with these lines between its fences.
func skillText(lines string) string { return "---\n" + lines + "---\n" + okBody }

// named returns a SKILL.md with that name, as YAML.
func named(name string) string { return skillText("name: " + name + "\n" + okDescription + okMetadata) }

// described returns a SKILL.md with that description, as YAML.
func described(text string) string {
	return skillText("name: deploy\ndescription: " + text + "\n" + okMetadata)
}

// having returns a SKILL.md with that line besides.
func having(line string) string {
	return skillText("name: deploy\n" + okDescription + okMetadata + line + "\n")
}

// A caseRow is a row of the lists of cases: a skill, and what is found in it.
type caseRow struct {
	name    string // with the number
	profile check.Profile
	folder  string // of the skill; empty for deploy
	text    string // of SKILL.md, or a tree in txtar form
	// want holds "severity rule", or "line:column severity rule", by place.
	// Advice that it does not name may be found besides, but not by the rules
	// in not.
	want []string
	not  string
}

// runCases checks that each row finds what it wants and nothing else.
func runCases(t *testing.T, rows []caseRow) {
	for _, c := range rows {
		t.Run(c.name, func(t *testing.T) {
			tree := fstest.MapFS{}
			if strings.HasPrefix(c.text, "-- ") {
				tree = exampleFS(c.text)
			} else {
				folder := "deploy"
				if c.folder != "" {
					folder = c.folder
				}
				tree[folder+"/SKILL.md"] = &fstest.MapFile{Data: []byte(c.text), Mode: 0o644}
			}
			report := checkTree(t, newChecker(t, &check.Options{Profile: c.profile}), tree)
			var got []string
			for _, f := range report.Findings {
				short := f.Severity.String() + " " + f.Rule
				long := f.Position.String() + " " + short
				switch {
				case slices.Contains(c.want, long):
					got = append(got, long)
				case f.Severity > metadata.Info, slices.Contains(c.want, short), slices.Contains(strings.Fields(c.not), f.Rule):
					got = append(got, short)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q; all findings:", got, c.want)
				for _, f := range report.Findings {
					t.Log(f)
				}
			}
		})
	}
}

func TestFileCases(t *testing.T) {
	runCases(t, []caseRow{
		{name: "case 8 empty frontmatter", text: "---\n---\n" + okBody, profile: check.AgentSkills,
			want: []string{"1:1 error description-missing", "1:1 error name-missing"}},
		{name: "case 22 empty file", text: "", want: []string{"1:1 error no-frontmatter"}},
		{name: "case 23 fence with a language", text: "---js\nname: deploy\n---\n" + okBody, want: []string{"1:1 error no-frontmatter"}},
		{name: "case 25 quotes", text: skillText("name: \"deploy\"\n" + okDescription + okMetadata)},
		{name: "case 26 unquoted colon", text: described("Roll out a release. Use this skill when: a release is due"),
			want: []string{"3:53 error unquoted-colon"}},
		{name: "case 28 text after a list", text: skillText("name: deploy\n"+okDescription+okMetadata+"argument-hint: [date] [duration]\n") + "\nThe arguments: $1 and $2.\n",
			want: []string{"5:23 error text-after-flow"}},
		{name: "case 29 folded", text: described(">\n  Roll out a release.\n  Use when a release is due.")},
		{name: "case 31 folded with a blank line", text: described(">\n  Roll out a release.\n\n  Use when a release is due.")},
		{name: "case 32 comment in a value", text: described("fix issue #12 now"), want: []string{"3:14 warning value-cut"}},
		{name: "case 34 nested name and description", not: "duplicate-key unknown-field",
			text: skillText("name: deploy\n" + okDescription + "metadata:\n  name: x\n  description: y\n  matrix:\n    execution_mode: prompt\n    category_name: operations\n")},
		{name: "case 35 duplicate key", text: skillText("name: deploy\n" + okDescription + okDescription + okMetadata), want: []string{"4:1 error duplicate-key"}},
		{name: "case 37 list", text: "---\n- just\n- a\n- list\n---\n" + okBody, want: []string{"error frontmatter-not-mapping"}},
		{name: "case 38 open list", text: "---\nname: [invalid\n---\n" + okBody, want: []string{"error yaml-invalid"}},
		{name: "case 40 boolean as text", text: having(`disable-model-invocation: "true"`), want: []string{"5:27 warning string-bool"}},
		{name: "case 41 fields of others", text: having("version: 1.0.0\nauthor: me\ntitle: Deploy\ntags: [a]\nhomepage: https://example.com"), not: "unknown-field"},
		{name: "case 43 comments", text: skillText("# first\nname: deploy # here\n" + okDescription + "# last\n" + okMetadata)},
		{name: "case 44 no description", text: described(""), want: []string{"3:1 error description-missing"}},
		{name: "case 44 blank description", text: described(`"  "`), want: []string{"3:1 error description-missing"}},
		{name: "case 44 empty folded text", text: described(">-"), want: []string{"3:1 error description-missing"}},
		{name: "case 46 slip in the block", text: skillText("name: deploy\n" + okDescription + `metadata: {"matrix": {"execution_mode": "prompt", "category_name": "operations", "requirments": {}, "name": "x", "theme": 1}}` + "\n"), want: []string{"4:82 info unknown-field"}},
		{name: "category at the top level, where it is not read", text: skillText("name: deploy\n" + okDescription + "category: office\nmetadata: {\"matrix\": {\"execution_mode\": \"prompt\"}}\n"), want: []string{"5:12 warning category-missing"}},
		{name: "case 46 odd key", text: having("odd key!: x"), want: []string{"5:1 info unknown-field"}},
		{name: "case 65 two spellings", text: "-- deploy/SKILL.md --\n" + named("deploy") + "-- deploy/skill.md --\n# Notes\n",
			want: []string{"- warning file-name-conflict"}},
		{name: "case 65 another spelling", text: "-- deploy/Skill.md --\n" + named("deploy"), want: []string{"- warning file-name-case"}},

		{name: "B01 colon and blank", text: described("Use when: a release is due"), want: []string{"3:22 error unquoted-colon"}},
		{name: "B01 colon in the second line", text: described("Roll out a release\n  when: it is due"), want: []string{"4:7 error unquoted-colon"}},
		{name: "B03 byte order mark", text: "\ufeff" + named("deploy"), want: []string{"1:1 info bom"}},
		{name: "B07 Latin-1", text: strings.Replace(named("deploy"), "Roll", "R\xf4le", 1), want: []string{"3:15 error not-utf8"}},
		{name: "B07 UTF-16", text: "\xff\xfe-\x00-\x00-\x00\n\x00", want: []string{"1:1 error not-utf8"}},
		{name: "B07 NUL in the body", text: named("deploy") + "a\x00b\n", want: []string{"12:2 error not-utf8"}},
		{name: "B07 dash in UTF-8", text: described("Roll out a release — to staging. Use when a release is due."), not: "not-utf8"},
		{name: "B13 dashes in a value", text: described("Roll out --- and back. Use when a release is due.")},
		{name: "B13 four dashes in a value", text: described("\"Roll out\n  ----\n  and back. Use when a release is due.\"")},
		{name: "B13 rule and sample in the body", text: named("deploy") + "\n---\n\n```yaml\n---\nname: x\n---\n```\n"},
		{name: "B13 file ends at the fence", text: "---\nname: deploy\n" + okDescription + "---", profile: check.AgentSkills, want: []string{"4:1 warning body-empty"}},
		{name: "B13 blank behind the fence", text: strings.Replace(named("deploy"), "---", "--- ", 1), not: "no-frontmatter"},
		{name: "B17 CRLF", text: strings.ReplaceAll(named("deploy"), "\n", "\r\n"), want: []string{"1:1 info crlf"}},
		{name: "B17 mixed", text: strings.Replace(named("deploy"), "deploy\n", "deploy\r\n", 1), want: []string{"1:1 info crlf"}},
		{name: "B17 lone CR", text: strings.ReplaceAll(named("deploy"), "\n", "\r"), want: []string{"1:1 info crlf"}},
		{name: "B50 nested keys", not: "duplicate-key unknown-field name-directory-mismatch",
			text: skillText("name: deploy\n" + okDescription + "metadata:\n  matrix:\n    execution_mode: prompt\n    category_name: operations\n    files:\n      - name: other\n        description: TODO\n")},
	})
}

func TestNameCases(t *testing.T) {
	long := strings.Repeat("ab-", 21) + "c" // 64 characters
	runCases(t, []caseRow{
		{name: "case 47 no name", text: skillText(okDescription + okMetadata), want: []string{"1:1 info name-missing"}},
		{name: "case 47 no name, strictly", profile: check.AgentSkills, text: skillText(okDescription), want: []string{"1:1 error name-missing"}},
		{name: "case 49 hyphen first", text: named("-deploy"), want: []string{"2:7 warning name-hyphens"}},
		{name: "case 49 hyphen last", text: named("deploy-"), want: []string{"2:7 warning name-hyphens"}},
		{name: "case 49 two hyphens", folder: "a-b", text: named("a--b"), want: []string{"2:7 warning name-hyphens"}},
		{name: "case 49 strictly", folder: "a--b", profile: check.AgentSkills, text: skillText("name: a--b\n" + okDescription), want: []string{"2:7 error name-hyphens"}},
		{name: "case 50 underscore", folder: "my-skill", text: strings.Replace(named("my_deploy"), "my_deploy", "my_skill", 1), want: []string{"2:7 warning name-characters"}},
		{name: "case 50 blanks", folder: "with-spaces", text: named("with spaces"), want: []string{"2:7 warning name-characters"}},
		{name: "case 50 slash", folder: "with-slash", text: named("with/slash"), want: []string{"2:7 warning name-characters"}},
		{name: "case 50 strictly", folder: "with-slash", profile: check.AgentSkills, text: skillText("name: with/slash\n" + okDescription), want: []string{"2:7 error name-characters"}},
		{name: "case 52 Han", folder: "技能", text: named("技能"), want: []string{"2:7 info tool-name-changed"}},
		{name: "case 52 Cyrillic", folder: "мой-навык", text: named("мой-навык"), want: []string{"2:7 info tool-name-changed"}},
		{name: "case 52 one word", folder: "навык", text: named("навык"), want: []string{"2:7 info tool-name-changed"}},
		{name: "case 53 capitals", folder: "навык", text: named("НАВЫК"), want: []string{"2:7 warning name-uppercase"}, not: "tool-name-changed"},
		{name: "case 53 strictly", folder: "навык", profile: check.AgentSkills, text: skillText("name: НАВЫК\n" + okDescription), want: []string{"2:7 error name-uppercase"}},
		{name: "case 55 number", folder: "42", text: named("42"), not: "wrong-type tool-name-changed"},
		{name: "case 55 digit first", folder: "0x-swap", text: named("0x-swap")},
		{name: "case 56 folder", folder: "staging", text: named("deploy"), want: []string{"2:7 warning name-directory-mismatch"}},
		{name: "case 56 strictly", folder: "staging", profile: check.AgentSkills, text: skillText("name: deploy\n" + okDescription), want: []string{"2:7 error name-directory-mismatch"}},
		{name: "case 58 helper", folder: "helper", text: named("helper"), want: []string{"2:7 warning name-vague"}},
		{name: "case 58 utils", folder: "utils", text: named("utils"), want: []string{"2:7 warning name-vague"}},
		{name: "case 58 tools", folder: "tools", text: named("tools"), want: []string{"2:7 warning name-vague"}},
		{name: "case 58 misc", folder: "misc", text: named("misc"), want: []string{"2:7 warning name-vague"}},
		{name: "case 58 a helper for something", folder: "code-review-helper", text: named("code-review-helper")},
		{name: "reserved", folder: "anthropic", text: named("anthropic"), want: []string{"2:7 warning name-reserved"}},
		{name: "reserved as a part", folder: "claude-api", text: named("claude-api")},
		{name: "64 characters", folder: long, text: named(long)},
		{name: "65 characters", folder: long + "d", text: named(long + "d"), want: []string{"2:7 warning name-too-long"}},
		{name: "64 wide characters", folder: strings.Repeat("技", 64), text: named(strings.Repeat("技", 64)), want: []string{"2:7 info tool-name-changed"}},
		{name: "capitals of the folder", folder: "Deploy", text: named("deploy"), want: []string{"2:7 warning name-directory-mismatch"}},
		{name: "slug of the shortest length", profile: check.OpenClaw, folder: "abc", text: named("abc")},
		{name: "slug too short", profile: check.OpenClaw, folder: "ab", text: named("ab"), want: []string{"2:7 warning publish-slug"}},
		{name: "slug with a protected end", profile: check.OpenClaw, folder: "deploy-official", text: named("deploy-official"), want: []string{"2:7 warning publish-slug"}},

		{name: "B18 blank", folder: "my-tool", text: named("my tool"), want: []string{"2:7 warning name-characters"}},
		{name: "B18 dot", folder: "a-b", text: named("a.b"), want: []string{"2:7 warning name-characters"}},
		{name: "B18 Han", folder: "代码", text: named("代码"), want: []string{"2:7 info tool-name-changed"}},
		{name: "B18 umlaut", folder: "über", text: named("Über"), want: []string{"2:7 warning name-uppercase"}},
		{name: "B18 empty", text: named(""), want: []string{"2:1 info name-missing"}},
		{name: "B42 folder in NFD", folder: "cafe\u0301", text: named("caf\u00e9"), want: []string{"2:7 info tool-name-changed"}},
		{name: "B42 name in NFD", folder: "caf\u00e9", text: named("cafe\u0301"), want: []string{"2:7 info name-not-nfc", "2:7 info tool-name-changed"}},
		{name: "B42 Han", folder: "数据", text: named("数据"), want: []string{"2:7 info tool-name-changed"}},
		{name: "B42 capitals and a blank", folder: "my-skill", text: named("My Skill"), want: []string{"2:7 warning name-characters"}},
		{name: "B42 two hyphens", folder: "a--b", text: named("a--b"), want: []string{"2:7 warning name-hyphens"}},
		{name: "B42 hyphen first", folder: "-a", text: named("-a"), want: []string{"2:7 warning name-hyphens"}},
	})
}

func TestFieldCases(t *testing.T) {
	fill := func(n int, s string) string {
		const head = "Use when a release is due: "
		return `"` + head + strings.Repeat(s, n-len(head)) + `"`
	}
	runCases(t, []caseRow{
		{name: "case 59 1,024 characters", text: described(fill(1024, "x"))},
		{name: "case 59 1,025 characters", text: described(fill(1025, "x")), want: []string{"3:15 error description-too-long"}},
		{name: "case 61 compatibility is a list", profile: check.AgentSkills, text: skillText("name: deploy\n" + okDescription + "compatibility: [kubectl]\n"),
			want: []string{"4:16 error wrong-type"}},
		{name: "case 61 compatibility of 500 characters", text: having("compatibility: " + strings.Repeat("x", 500))},
		{name: "case 61 compatibility of 501 characters", text: having("compatibility: " + strings.Repeat("x", 501)), want: []string{"5:16 warning compatibility-length"}},
		{name: "case 62 second person", text: described("You can use this when a pull request is due."), want: []string{"3:14 info description-person"}},
		{name: "case 62 third person", text: described("Use when reviewing a pull request."), not: "description-person"},
		{name: "case 64 without a trigger", text: described("Rolls out a release to staging and then to production."), want: []string{"3:14 info description-no-trigger"}},
		{name: "case 64 another wording", text: described("Rolls out a release and watches it, for tasks where the user asks to ship."), not: "description-no-trigger"},
		{name: "case 64 another language", text: described("Führt ein Release auf die Server aus und prüft danach das Ergebnis."), not: "description-no-trigger"},
		{name: "case 68 tools divided by blanks", text: having("allowed-tools: Bash(git:*) Bash(jq:*) Read")},
		{name: "case 70 tools divided by commas", text: having("allowed-tools: Read, Bash(kubectl get:*)")},
		{name: "case 71 closed only", text: having("allowed-tools: Read) Bash"), want: []string{"5:16 error allowed-tools-unbalanced"}},
		{name: "case 71 open only", text: having("allowed-tools: Bash(git:* Read"), want: []string{"5:16 error allowed-tools-unbalanced"}},
		{name: "case 71 reversed", text: having("allowed-tools: Bash)(git:*)"), want: []string{"5:16 error allowed-tools-unbalanced"}},
		{name: "case 73 tool of an MCP server", text: having("allowed-tools: mcp__server__tool mcp__server mcp__other__*")},
		{name: "case 73 capitals", text: having("allowed-tools: Read Mcp__server__tool"), want: []string{"5:21 warning mcp-tool-name"}},
		{name: "case 73 no server", text: having("allowed-tools: mcp____tool"), want: []string{"5:16 warning mcp-tool-name"}},
		{name: "case 74 Bash", text: having("allowed-tools: Read, Bash"), want: []string{"5:22 warning bash-unscoped"}},
		{name: "case 74 Bash in a list", text: having("allowed-tools:\n  - Read\n  - Bash(*)"), want: []string{"7:5 warning bash-unscoped"}},
		{name: "case 76 unreachable", text: having("user-invocable: false\ndisable-model-invocation: true"), want: []string{"6:1 error skill-unreachable"}},
		{name: "case 77 hint alone", text: having(`argument-hint: "[version]"`), want: []string{"5:17 warning argument-hint-unused"}},
		{name: "case 77 hint and text", text: having(`argument-hint: "[version]"`) + "\nThe argument is a version.\n"},
		{name: "case 77 mark alone", text: named("deploy") + "\nRoll out $ARGUMENTS[0] now.\n", want: []string{"13:10 warning argument-hint-missing"}},
		{name: "case 77 both", text: having(`argument-hint: "[version]"`) + "\nRoll out $ARGUMENTS.\n"},
		{name: "case 77 another variable", text: named("deploy") + "\nRoll out $ARGUMENTS_FILE.\n"},

		{name: "B23 342 Han characters", text: described(`"Use when: ` + strings.Repeat("部", 342) + `"`)},
		{name: "B23 1,024 Han characters", text: described(strings.Repeat("部", 1024))},
		{name: "B23 1,025 Han characters", text: described(strings.Repeat("部", 1025)), want: []string{"3:14 error description-too-long"}},
		{name: "short in Han characters", text: described("部署到预发布环境"), not: "description-no-trigger"},
		{name: "short", text: described("Deploys the hosts."), want: []string{"3:14 warning description-too-short"}},
		{name: "of 20 characters", text: described("Deploys to the hosts")},
	})
}

// Case 67: a folder of that name is no skill.
func TestFolderNamedSkill(t *testing.T) {
	targets, err := check.Find(t.Context(), fstest.MapFS{"deploy/SKILL.md/notes.txt": {}}, ".", ".", nil)
	if err != nil || len(targets) > 0 {
		t.Errorf("Find: got %v, %v, want nothing", targets, err)
	}
}
