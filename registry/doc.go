// Package registry holds tools by name, checks their arguments, calls them,
// and hands them to a langchaingo agent: as tools.Tool values, as llms.Tool
// definitions, and by answering llms.ToolCall values.
package registry
