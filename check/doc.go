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
// # Ignoring a finding
//
// A comment in a SKILL.md, "<!-- skillcheck-ignore RULE: reason -->" in the body or
// "# skillcheck-ignore RULE: reason" in the frontmatter, takes back the findings of that
// rule on its own line and the next. With skillcheck-ignore-file it does so for the
// whole folder. A comment without a reason, or one that takes back nothing,
// is a finding itself.
package check
