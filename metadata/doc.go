// Package metadata reads the text of a SKILL.md file: Markdown with YAML
// frontmatter, in which one key, metadata, carries a JSON blob.
//
// [Parse] is lenient: it keeps all that can be read and reports the rest as
// [Problem] values with positions. One bad field costs that field. Only text
// in which no skill can be found is an error, a [*SyntaxError].
//
// The package takes bytes and returns values. It touches neither files nor
// environment, holds no state, and may be used from several goroutines.
package metadata
