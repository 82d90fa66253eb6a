// Package check lints skills, and the manifests of Executa Tools, before they are
// published.
//
// A [Rule] is a value that holds its documentation, its evidence, an example of
// bad and of good text, and the function that finds the fault; [Rules] lists
// them all, and docs/rules.md is written from it. Each code of a
// [metadata.Problem] is a rule too, so that a fault has one name wherever it is
// found.
//
// A [Checker] runs rules over [Target] values, which [Find] finds in a tree. It
// reads through fs.FS and touches nothing else.
//
// # Fixing
//
// A finding may come with a [Fix]: edits that are safe to make without looking,
// since the file says the same after them, or all but the one thing that the
// fix names. [Checker.Fix] makes those of a file, again and again until there are none
// left, and parses the result to see that each of them holds. Comments, the
// order of keys and all bytes that no edit names stay.
//
// # Ignoring a finding
//
// A comment in a SKILL.md takes back findings of rules:
//
//	<!-- skillcheck-ignore RULE: reason -->      in the body
//	# skillcheck-ignore RULE, RULE: reason       in the frontmatter
//
// It is for the findings on its own lines and on the next one that is neither
// blank nor such a comment. With skillcheck-ignore-file in place of
// skillcheck-ignore, it is for the whole folder, and all its files. A finding that
// is taken back is still in the [Report], with the reason. A comment without a
// reason takes nothing back and is a finding itself, as is one that
// names a rule that does not exist; one that is of no use is advice.
package check
