// Package registry holds tools by name, checks their arguments, calls them,
// and hands them to a langchaingo agent: as tools.Tool values, as llms.Tool
// definitions, and by answering llms.ToolCall values.
//
// An owner, such as a plugin, registers its tools with [Registry.Register]
// and gets a [Handle] on this generation of them. [Handle.Replace] swaps in
// the next generation in one step, [Handle.Retire] ends one. A child registry
// ([Registry.Child]) is for tools that only a session or a workspace may see.
//
// Everything in this package is safe for concurrent use, unless it says
// otherwise. Listings are sorted by name.
package registry
