package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matrix-nexus/skillkit/check"
	"github.com/matrix-nexus/skillkit/internal/golden"
)

// docs/rules.md is written from the rules; -update writes it anew.
func TestRuleDocs(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Rules of skillcheck\n\n" +
		"This file is written from the rules by `go test ./cmd/skillcheck -run TestRuleDocs -update`.\n" +
		"`skillcheck --explain RULE` shows the same in a terminal.\n\n" +
		"| rule | severity | fix | what is wrong |\n|---|---|---|---|\n")
	for _, r := range check.Rules() {
		fix, severity := "", severities(r)
		if r.Fixable {
			fix = "yes"
		}
		if r.Off {
			severity += ", off"
		}
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s | %s |\n", r.ID, r.ID, severity, fix, strings.ReplaceAll(r.Title, "|", `\|`))
	}
	for _, r := range check.Rules() {
		fmt.Fprintf(&b, "\n## %s\n\n*%s*\n\n%s", r.ID, r.Title, ruleMarkdown(r))
	}
	golden.File(t, filepath.Join("..", "..", "docs", "rules.md"), b.String())
}
