// Package converter turns skills into what an agent is given: a tool for each
// skill ([Defs]), sections of the system prompt ([SystemPrompt]) and a
// catalogue of names and descriptions ([Catalogue]).
//
// A skill's tool runs nothing. It answers with the instructions in the body
// of the SKILL.md, headed by a hint how to run them, what they need and what
// of that is missing, the skill's folder and its supporting files; or, asked
// with the argument file, with the text of one supporting file.
//
// The text of a skill is untrusted. The package escapes it or folds it to one
// line wherever it stands among text of the host; the body is always last.
//
// The package touches neither the operating system nor the network: whether
// a skill can run here comes from [Options.Status]; the example "Runtime"
// shows how packages requires and config answer it. It holds no state, and its
// functions are safe for concurrent use.
package converter
