package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/matrix-nexus/skillkit/check"
)

// ruleMarkdown documents a rule, without a heading.
func ruleMarkdown(r *check.Rule) string {
	var b strings.Builder
	fix := "no"
	if r.Fixable {
		fix = "yes, with --fix"
	}
	fmt.Fprintf(&b, "Severity: %s. Profiles: %s. Fixable: %s.\n\n", severities(r), profiles(r), fix)
	fmt.Fprintf(&b, "%s\n\n", strings.TrimSpace(r.Doc))
	for _, example := range []struct{ title, text string }{{"Bad", r.Bad}, {"Good", r.Good}} {
		fence := "```"
		for strings.Contains(example.text, fence) {
			fence += "`"
		}
		fmt.Fprintf(&b, "%s:\n\n%stext\n%s\n%s\n\n", example.title, fence, shownExample(example.text), fence)
	}
	fmt.Fprintf(&b, "Source: %s.\n", strings.TrimSuffix(r.Source, "."))
	return b.String()
}

// shownExample returns an example as it can be shown: without line breaks at its
// end, without the secrets that programs would find in it, and what cannot be seen
// spelled as escapes.
func shownExample(text string) string {
	var b strings.Builder
	for l := range strings.SplitSeq(strings.TrimRight(check.Redact(text), "\n"), "\n") {
		for _, c := range layOut(l, 1, math.MaxInt) {
			b.WriteString(c.text)
		}
		b.WriteString("\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}
