package skillgen

import (
	"strings"
)

// scalar writes text, of one line, on the line of its key.
func (d *draft) scalar(text string) string {
	if plain(text) && d.IntN(10) > 0 {
		return text
	}
	if d.IntN(4) == 0 {
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	return style{}.quote(text)
}

// name returns a declared name that is not the folder's: mostly another slug,
// else one of the forms that validators refuse.
func (d *draft) name() string {
	if d.IntN(5628) > 1502 {
		return d.text.slug()
	}
	return oneOf(d.Rand, "PDF Helper", "My Skill", "Weather", "git_helper", "技能", "Навык", "acme/deploy",
		"Search & Report", "v2.1-notes", "skill:review", "<skill>", "A--B", "-dash", "8004", "0x-swap", "true", "1.10", "2026-01-02")
}

// tricky sentences need quotes or a block scalar.
var tricky = []string{"Fix issue #12 first.", "Use when: the user asks.", "Triggers: a, b, c.", `Say "hello": it's fine.`,
	"# Not a comment.", "--- not a fence.", `A Windows path: C:\new\table.`, "Ends with a colon:", "* star.", "{a: b}", "[x]: y"}

// describe sets the description to the given sentences, in one of the forms in
// which YAML gives it back.
func (d *draft) describe(list []string) {
	n := d.IntN(1000)
	if n >= 700 && d.IntN(3) == 0 {
		list = append(list, oneOf(d.Rand, tricky...))
	}
	text := strings.Join(list, " ")
	d.Description = text
	switch {
	case n < 680:
		d.set("description", "description: "+text+"\n")
	case n < 700: // on several lines
		d.set("description", "description: "+strings.Join(list, "\n  ")+"\n")
	case n < 880:
		d.set("description", "description: "+style{ascii: d.IntN(20) == 0 && !strings.ContainsFunc(text, astral)}.quote(text)+"\n")
	case n < 920:
		d.set("description", "description: '"+strings.ReplaceAll(text, "'", "''")+"'\n")
	case n < 975:
		d.set("description", "description: "+oneOf(d.Rand, ">", ">-", ">-", ">+")+"\n  "+strings.Join(list, "\n  ")+"\n")
	case n < 980: // paragraphs
		d.Description = strings.Join(list, "\n")
		d.set("description", "description: >\n  "+strings.Join(list, "\n\n  ")+"\n")
	case n < 997:
		d.Description = strings.Join(list, "\n")
		d.set("description", "description: "+oneOf(d.Rand, "|", "|-", "|")+"\n  "+strings.Join(list, "\n  ")+"\n")
	default:
		d.Description = strings.Join(list, "\n")
		d.set("description", "description: "+style{}.quote(d.Description)+"\n")
	}
}

func astral(r rune) bool { return r > 0xffff }

// common adds the other top-level keys, with the types they are found with.
func (d *draft) common() {
	if d.chance(3979) {
		d.set("version", "version: "+oneOf(d.Rand, "1.0.0", "0.2.1", `"2.0"`, "1.10", "v3", "'1.0.0'")+"\n")
	}
	if d.chance(3108) {
		d.set("homepage", "homepage: https://example.com/"+d.Folder+"\n")
	}
	if d.chance(1100) {
		d.set("author", oneOf(d.Rand, "author: Jo Doe\n", "author: \"@jo\"\n", "author:\n  name: Jo Doe\n  email: jo@example.com\n"))
	}
	if d.chance(1084) {
		d.set("tags", oneOf(d.Rand, "tags: [search, web]\n", "tags:\n  - search\n  - web\n", "tags:\n- search\n- web\n", "tags: search, web\n"))
	}
	if d.chance(1000) {
		d.set("license", "license: "+oneOf(d.Rand, "MIT", "Apache-2.0", "Complete terms in LICENSE.txt")+"\n")
	}
	if d.chance(675) {
		d.set("compatibility", oneOf(d.Rand, "compatibility: Needs git and network access\n", "compatibility: \"Python 3.10+\"\n",
			"compatibility:\n  platforms: [linux, macos]\n", "compatibility:\n  - claude\n"))
	}
	if d.chance(627) {
		d.set("allowed-tools", oneOf(d.Rand, "allowed-tools: Bash(git:*) Bash(jq:*) Read\n", "allowed-tools: Read, Bash(kubectl get:*)\n",
			"allowed-tools: [Read, Write]\n", "allowed-tools:\n  - Read\n  - Write\n"))
	}
	if d.chance(300) {
		d.set("user-invocable", oneOf(d.Rand, "user-invocable: true\n", "user-invocable: \"false\"\n"))
	}
	if d.chance(200) {
		d.set("permissions", oneOf(d.Rand, "permissions:\n  network: true\n", "permissions: [read]\n", "permissions: read\n", "permissions:\n"))
	}
	if d.chance(171) {
		d.set("emoji", "emoji: "+oneOf(d.Rand, "🔎", "\"📄\"", "rocket")+"\n")
	}
	if d.chance(100) {
		d.set("#", oneOf(d.Rand, "# what follows is optional\n", "\n", "# name: commented-out\n"))
	}
	if d.chance(19) {
		d.set("date", "date: 2026-01-02\n")
	}
	if d.chance(20) { // a header longer than 4 KiB
		d.set("changelog", "changelog:\n"+strings.Repeat("  - text: fixed the reader, added tests, and wrote it all down\n    by: jo\n", 60+d.IntN(60)))
	}
	if d.chance(150) { // names below the top level are not those of the skill
		d.set("config", "config:\n  name: inner\n  description: not that of the skill\n")
	}
}
