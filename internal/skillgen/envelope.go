package skillgen

import "strings"

// noFrontmatter are the forms of a file in which no frontmatter can be found;
// the weights are those of 1,826 files.
var noFrontmatter = []fault{
	{"none: heading first", 1756, func(d *draft) { d.finish(d.body) }},
	{"none: text first", 41, func(d *draft) { d.finish(strings.Join(d.text.sentences(), "\n") + "\n\n" + d.body) }},
	{"none: empty file", 9, func(d *draft) { d.finish("") }},
	{"none: no opening fence", 13, func(d *draft) {
		d.finish("name: " + d.Folder + "\ndescription: " + strings.Join(d.text.sentences(), " ") + "\n---\n" + d.body)
	}},
	{"none: not UTF-8", 2, func(d *draft) { d.finish("# Caf\xe9\n" + d.body) }},
	{"none: not Markdown", 5, func(d *draft) {
		d.finish(oneOf(d.Rand, "{\\rtf1\\ansi\\deff0 {\\fonttbl}}\n", "<?xml version=\"1.0\"?>\n<skill/>\n",
			"--boundary\r\nContent-Disposition: form-data\r\n\r\nx\r\n--boundary--\r\n", "#!/usr/bin/env python3\nimport os\n", "../shared/SKILL.md"))
	}},
}

// envelopes are the faults around the frontmatter; none costs a value, except
// where the text says so.
var envelopes = []fault{
	{"envelope: CRLF", 167, func(d *draft) { d.finish(strings.ReplaceAll("---\n"+d.header()+"---\n"+d.body, "\n", "\r\n")) }},
	{"envelope: CRLF and LF", 40, func(d *draft) {
		crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
		switch d.IntN(3) {
		case 0:
			d.finish(crlf("---\n"+d.header()) + "---\n" + d.body)
		case 1:
			d.finish("---\n" + d.header() + crlf("---\n"+d.body))
		default:
			var b strings.Builder
			for line := range strings.Lines("---\n" + d.header() + "---\n") {
				if d.IntN(2) == 0 {
					line = crlf(line)
				}
				b.WriteString(line)
			}
			d.finish(b.String() + d.body)
		}
	}},
	{"envelope: BOM", 12, func(d *draft) { d.finish("\ufeff---\n" + d.header() + "---\n" + d.body) }},
	{"envelope: blank lines first", 5, func(d *draft) {
		d.finish(oneOf(d.Rand, "\n", "\n\n", "  \n") + "---\n" + d.header() + "---\n" + d.body)
	}},
	{"envelope: blanks on the opening fence", 18, func(d *draft) {
		d.finish("---" + oneOf(d.Rand, " ", "  ", "\t", "\u00a0") + "\n" + d.header() + "---\n" + d.body)
	}},
	{"envelope: blanks on the closing fence", 5, func(d *draft) {
		d.finish("---\n" + d.header() + "---" + oneOf(d.Rand, " ", "  ", "\t", "\u00a0") + "\n" + d.body)
	}},
	{"envelope: closing fence indented", 3, func(d *draft) { d.finish("---\n" + d.header() + oneOf(d.Rand, " ", "  ") + "---\n" + d.body) }},
	{"envelope: closing fence glued to the body", 118, func(d *draft) { d.finish("---\n" + d.header() + "---" + strings.TrimLeft(d.body, "\n")) }},
	{"envelope: text first", 20, func(d *draft) {
		first := oneOf(d.Rand, "# "+d.Folder+"\n\n", "# "+d.Folder+"\n\n", "<!-- generated -->\n", "Here is the skill.\n\n")
		d.finish(first + "---\n" + d.header() + "---\n" + d.body)
	}},
	{"envelope: in a code fence", 6, func(d *draft) {
		d.finish("```" + oneOf(d.Rand, "skill", "markdown") + "\n---\n" + d.header() + "---\n" + strings.ReplaceAll(d.body, "```", "~~~") + "```\n")
	}},
	{"envelope: file ends at the fence", 30, func(d *draft) { d.finish("---\n" + d.header() + "---") }},
	{"envelope: never closed", 28, func(d *draft) { d.finish("---\n" + d.header() + strings.ReplaceAll(d.body, "---\n", "***\n")) }},
	{"envelope: NUL", 1, func(d *draft) { d.finish("---\n" + d.header() + "\x00\n---\n" + d.body) }},
}
