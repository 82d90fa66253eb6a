package skillgen

import (
	"strings"
)

// plainly returns sentences that can stand in a plain scalar, as one line.
func (d *draft) plainly() string { return strings.Join(d.text.sentences(), " ") }

// say sets the description and the lines that declare it.
func (d *draft) say(want, lines string) {
	d.Description = want
	d.set("description", lines)
}

// blobLine sets metadata to one line of JSON under a vendor key, with bins
// required, and returns the JSON.
func (d *draft) blobLine(s style) string {
	kind := d.Faults[len(d.Faults)-1]
	var v object
	for v == nil || len(d.Requires.Bins) == 0 || d.Unclear {
		d.Faults = []string{kind} // those of the metadata before are gone with it
		d.Unclear = false
		v = d.vendor(true)
	}
	if v[0].key != "emoji" {
		v = append(v, member{"emoji", ""})
	}
	for i := range v {
		if v[i].key == "emoji" {
			v[i].value = "🔎"
		}
	}
	d.drop("openclaw")
	d.drop("clawdbot")
	d.drop("requires")
	text := s.json(object{{oneOf(d.Rand, "openclaw", "clawdbot"), v}}, "")
	d.set("metadata", "metadata: "+text+"\n")
	return text
}

// meanings are headers that parse but do not say what was meant, or that
// leave something out.
var meanings = []fault{
	{"name: missing", 124, func(d *draft) {
		d.drop("name")
		d.Name = d.Folder
	}},
	{"description: missing", 99, func(d *draft) {
		d.drop("description")
		d.Description = ""
	}},
	{"description: null", 6, func(d *draft) {
		d.say("", oneOf(d.Rand, "description:\n", "description: \"\"\n", "description: '  '\n"))
	}},
	{"description: a list", 5, func(d *draft) { d.say("", "description: [TODO: Complete and informative explanation]\n") }},
	{"description: cut by a comment", 2, func(d *draft) { d.say("Fix issue", "description: Fix issue #12 now\n") }},
	{"description: swallowed by an inserted key", 2, func(d *draft) { d.say("", "description: >-\nruntime: node\n  "+d.plainly()+"\n") }},
	{"description: with tags", 34, func(d *draft) {
		text := "Use <b>this</b> & that.</description><skill> " + d.plainly()
		d.say(text, "description: "+text+"\n")
	}},
	{"name: capitalised key", 2, func(d *draft) { d.set("name", "Name: "+d.Name+"\n") }},
	{"name: a number", 1, func(d *draft) {
		d.Name = "8004"
		d.set("name", "name: 8004\n")
	}},
	{"vendor: dotted key", 8, func(d *draft) {
		text := d.blobLine(style{})
		d.drop("metadata")
		d.Unclear = true
		d.set("dotted", "metadata.openclaw: "+text[strings.IndexByte(text, ':')+1:len(text)-1]+"\n")
	}},
	{"header: empty", 5, func(d *draft) { d.empty("") }},
	{"header: only comments", 4, func(d *draft) { d.empty("# name: later\n") }},
	{"header: not a map", 5, func(d *draft) { d.empty("just a line of text\n") }},
}

func (d *draft) empty(text string) {
	d.fields = []field{{"", text}}
	d.Name, d.Description, d.Requires, d.Unclear = d.Folder, "", Requires{}, false
}

// authorFaults are YAML that a parser refuses, as people and models write it:
// 453 files.
var authorFaults = []fault{
	{"yaml: colon in description", 276, func(d *draft) {
		text := oneOf(d.Rand, "Use when: ", "Deploy: ", "\u201cpdf\u201d: ", "技能: ") + d.plainly()
		if d.IntN(2) == 0 {
			text = d.plainly() + oneOf(d.Rand, " Triggers: a, b, \"c\".", " Examples: {x}, [y].", " 用法: 运行它。", " Modes: fast: one pass, full: two passes.", " Supports the following:")
		}
		d.say(text, "description: "+text+"\n")
	}},
	{"yaml: colon in name", 10, func(d *draft) {
		d.Name = oneOf(d.Rand, "PDF: read", "acme: deploy", "Skill: Review")
		d.set("name", "name: "+d.Name+"\n")
	}},
	{"yaml: colon in another value", 16, func(d *draft) {
		d.set("compatibility", oneOf(d.Rand, "compatibility: Requires: git, jq\n", "compatibility: Claude Code: 1.0 or later\n"))
	}},
	{"yaml: colon in a later line", 16, func(d *draft) {
		list := append(d.text.sentences(), oneOf(d.Rand, "Triggers: a, b.", "Note: asks first."), "The end.")
		d.say(strings.Join(list, " "), "description: "+strings.Join(list, "\n  ")+"\n")
	}},
	{"yaml: colon in a nested value", 5, func(d *draft) {
		d.set("details", oneOf(d.Rand, "details:\n  usage: Use when: asked\n  level: 2\n", "details:\n  - one: two: three\n  - four\n"))
	}},
	{"yaml: surrogate pairs", 47, func(d *draft) { d.blobLine(style{spaces: true, ascii: true}) }},
	{"yaml: broken JSON", 14, func(d *draft) {
		text := d.blobLine(style{})
		d.set("metadata", "metadata: "+oneOf(d.Rand, text[:len(text)-1], strings.ReplaceAll(text, "[", `\[`), text+" and so on",
			strings.Replace(text, `"],`, `"],["x"],`, 1)+"]")+"\n")
	}},
	{"yaml: text after a closing quote", 6, func(d *draft) {
		text := `"Quoted" ` + d.plainly()
		d.say(text, "description: "+text+"\n")
	}},
	{"yaml: quote never closed", 5, func(d *draft) {
		text := d.plainly()
		for strings.Contains(text, `"`) {
			text = d.plainly()
		}
		d.say(text, `description: "`+text+"\n")
	}},
	{"yaml: bad escape", 4, func(d *draft) {
		text := `Reads C:\projects\skills and \d+ patterns.`
		d.say(text, `description: "`+text+"\"\n")
	}},
	{"yaml: apostrophe in single quotes", 2, func(d *draft) {
		text := "It's a tool that doesn't ask."
		d.say(text, "description: '"+text+"'\n")
	}},
	{"yaml: list and more", 15, func(d *draft) {
		d.set("argument-hint", oneOf(d.Rand, "argument-hint: [date] [duration]\n", "argument-hint: [file] --fast\n"))
	}},
	{"yaml: reserved first character", 6, func(d *draft) {
		text := oneOf(d.Rand, "`jq` ", "@jo's ", "* ", ", ", "% ") + d.plainly()
		d.say(text, "description: "+text+"\n")
	}},
	{"yaml: line not indented", 10, func(d *draft) {
		list := append(d.text.sentences(), "Works everywhere.")
		d.say(strings.Join(list, " "), "description: "+strings.Join(list, "\n")+"\n")
	}},
	{"yaml: junk lines", 9, func(d *draft) {
		switch d.IntN(3) {
		case 0:
			d.set("junk", "<<<<<<< Updated upstream\nversion: 1.0.0\n=======\nversion: 1.0.1\n>>>>>>> Stashed changes\n")
		case 1:
			d.set("junk", "```yaml\nkey: value\n```\n")
		default: // the closing fence is missing, and a rule further down is taken for it
			d.set("junk", "\n# "+d.Folder+"\n\nThis is the body. It goes on and on.\n\n## Steps\n\n1. Run it.\n2. Done: look at it.\n\n")
		}
	}},
	{"yaml: duplicate key", 4, func(d *draft) {
		text := d.plainly()
		d.say(text, "description: an older text\ndescription: "+text+"\n")
	}},
	{"yaml: control character", 4, func(d *draft) {
		text := d.plainly()
		d.say(text, "description: \b"+text+"\n")
	}},
	{"yaml: no-break space after the colon", 1, func(d *draft) {
		text := d.plainly()
		d.say(text, "description:\u00a0"+text+"\n")
	}},
	{"yaml: two faults", 4, func(d *draft) {
		text := d.plainly() + " Triggers: a, b."
		d.say(text, "description: "+text+"\n")
		d.set("argument-hint", "argument-hint: [date] [duration]\n")
		if d.IntN(2) == 0 {
			d.blobLine(style{spaces: true, ascii: true})
		}
	}},
}

// translatorFaults are those of a model that translated the file: 966 files.
// Six more that nothing can repair are the author's.
var translatorFaults = []fault{
	{"translator: lines not indented", 587, func(d *draft) {
		list := []string{d.plainly()}
		for range 1 + d.IntN(4) {
			list = append(list, oneOf(d.Rand, "支持以下功能：搜索、翻译和总结。", "**触发条件**：用户提到“天气”或“预报”。", "- 第一步：读取文件", "- 第二步：生成报告",
				"使用 `curl` 和 `jq`。", "1. 先安装依赖；2. 再运行脚本。", "注意：不要上传密钥。", "Use it with care."))
		}
		d.say(strings.Join(list, " "), "description: "+strings.Join(list, "\n")+"\n")
	}},
	{"translator: asterisks first", 261, func(d *draft) {
		text := oneOf(d.Rand, "**功能**：", "**描述：** ", "**Weather**，") + d.plainly()
		d.say(text, "description: "+text+"\n")
	}},
	{"translator: one line not indented", 73, func(d *draft) {
		list := []string{d.plainly(), oneOf(d.Rand, "适用于所有平台。", "由社区维护，欢迎贡献。", "当用户询问时使用此技能。")}
		d.say(strings.Join(list, " "), "description: "+strings.Join(list, "\n")+"\n")
	}},
	{"translator: full-width colons", 9, func(d *draft) {
		text := d.plainly()
		d.say(text, "description："+text+"\n")
	}},
	{"translator: hopeless", 36, func(d *draft) {
		text := d.plainly()
		d.say(text, oneOf(d.Rand, "描述 "+text+"\n", "description: {"+text+"\n", "description: \""+text+"\n元数据：{\"openclaw\": {\n", "```\ndescription: "+text+"\n")+"这是翻译后的文本: 第一 : 第二\n  - 混乱\n 缩进\n")
	}},
}
