package check

import "github.com/matrix-nexus/skillkit/metadata"

// unicodeRules look for characters that a reader does not see, or takes for
// others.
var unicodeRules = []*Rule{
	{
		ID:    "hidden-text",
		Title: "text that a reader cannot see",
		Doc: `
Tag characters (U+E0000 to U+E007F), runs of variation selectors and long runs of
zero-width characters show as nothing, yet a model reads them as text: it is the
known way to smuggle instructions past a reviewer. The message shows what they say.
Delete them. The tags in the flags of England, Scotland and Wales are fine.
`,
		Bad:       exampleBody("Read the list.\U000E0072\U000E0075\U000E006E"),
		Good:      exampleBody("Read the list. 🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F"),
		Source:    "UTS #51, section 2.9 and Unicode 17, section 23.9: tags are for flags alone; none in 20,982 published skills",
		Severity:  metadata.Error,
		RunFolder: scanned,
	},
	{
		ID:    "bidi-control",
		Title: "control that changes the order of text",
		Doc: `
A character that overrides the direction of text, or that embeds some in a line without
right-to-left letters, makes a command look different from what is run. Delete it.
Text in Arabic or Hebrew needs none but the marks U+200E and U+200F, which are fine.
`,
		Bad:       exampleBody("Run `deploy \u202e--evil\u202c`."),
		Good:      exampleBody("Run `deploy --live`. مرحبا\u200f."),
		Source:    "Unicode Technical Report #36, section 3.3; none in 20,982 published skills",
		Severity:  metadata.Error,
		RunFolder: scanned,
	},
	{
		ID:    "zero-width",
		Title: "character without width",
		Doc: `
A zero-width space, joiner or filler splits a word for every program that reads it, and
nobody sees why: a command is not found, a search finds nothing. Such characters usually come with
text copied from a web page. Delete them. Joiners in emoji and in
scripts that need them are fine.
`,
		Bad:       exampleBody("Run `dep\u200bloy`."),
		Good:      exampleBody("Run `deploy` 👩\u200d💻. می\u200cخواهم."),
		Source:    "Unicode 17, section 23.2; 3 of 20,982 published skills",
		Severity:  metadata.Warning,
		RunFolder: scanned,
	},
	{
		ID:    "homoglyph",
		Title: "letter that looks like another",
		Doc: `
A word of code or a name mixes Latin letters with Cyrillic or Greek ones that look the
same. The reader sees one word, the machine another: a command that does not exist, or
an address that belongs to somebody else. Type the word again.
`,
		Bad:       exampleBody("Run `kub\u0435ctl apply`."),
		Good:      exampleBody("Run `kubectl apply` или спросите."),
		Source:    "UTS #39, section 5.2 (mixed-script confusables)",
		Severity:  metadata.Warning,
		RunFolder: scanned,
	},
	{
		ID:    "control-character",
		Title: "control character",
		Doc: `
A control character other than tab and the ends of lines has no meaning in Markdown. An escape
makes a terminal that shows the file move, colour or hide text, so a reviewer may not
see what is there. Delete it, or write it as "\\x1b" where code needs one.
`,
		Bad:       exampleBody("Done.\x1b[8mAnd more.\x1b[0m"),
		Good:      exampleBody("Done. `printf '\\033[1m'` makes it bold."),
		Source:    "CommonMark 0.31.2, section 2.1; ECMA-48, section 8.3.117 (concealed characters)",
		Severity:  metadata.Warning,
		RunFolder: scanned,
	},
	{
		ID:    "replacement-character",
		Title: "character lost in a conversion",
		Doc: `
U+FFFD (�) stands where a program could not decode a character, so the text
around it has lost some. Restore it from the original, and save the file as UTF-8.
`,
		Bad:       exampleBody("Caf\ufffd is open."),
		Good:      exampleBody("Café is open."),
		Source:    "Unicode 17, section 23.8; 10 of 20,982 published skills",
		Severity:  metadata.Info,
		RunFolder: scanned,
	},
}
