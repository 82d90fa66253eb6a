package main

import (
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/matrix-nexus/skillkit/check"
	"github.com/matrix-nexus/skillkit/cmd/internal/cli"
	"github.com/matrix-nexus/skillkit/internal/sarif"
	"github.com/matrix-nexus/skillkit/metadata"
)

// rulesURI is where the rules are documented.
const rulesURI = "https://github.com/matrix-nexus/skillkit/blob/main/docs/rules.md"

// writeSARIF writes the findings for code scanning and editors.
func (a *app) writeSARIF(r *results) error {
	run := sarif.Run{
		Tool: sarif.Tool{Driver: sarif.Driver{
			Name: "skillcheck", Version: strings.TrimPrefix(cli.Version(), "v"), InformationURI: "https://github.com/matrix-nexus/skillkit",
		}},
		Invocations: []sarif.Invocation{{ExecutionSuccessful: !a.failed}},
		Results:     []sarif.Result{},
		ColumnKind:  sarif.CodePoints,
	}
	index := map[string]int{}
	for i, rule := range check.Rules() {
		index[rule.ID] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarif.Rule{
			ID:                   rule.ID,
			ShortDescription:     sarif.Message{Text: rule.Title},
			FullDescription:      sarif.Message{Text: strings.TrimSpace(rule.Doc)},
			Help:                 sarif.Message{Text: strings.TrimSpace(rule.Doc), Markdown: ruleMarkdown(rule)},
			HelpURI:              rulesURI + "#" + rule.ID,
			DefaultConfiguration: sarif.Configuration{Level: level(rule.Severity)},
			Properties:           map[string]any{"tags": []string{"skill"}},
		})
	}
	for _, f := range r.Findings {
		where := sarif.ArtifactLocation{URI: a.uri(f.File)}
		loc := sarif.PhysicalLocation{ArtifactLocation: where}
		if f.IsValid() {
			loc.Region = &sarif.Region{StartLine: f.Line, StartColumn: f.Column, EndLine: f.End.Line, EndColumn: f.End.Column}
		}
		res := sarif.Result{
			RuleID: f.Rule, RuleIndex: index[f.Rule], Level: level(f.Severity),
			Message: sarif.Message{Text: f.Message}, Locations: []sarif.Location{{PhysicalLocation: loc}},
		}
		if f.Ignored != "" {
			res.Suppressions = []sarif.Suppression{{Kind: "inSource", Justification: f.Ignored}}
		}
		if f.Fix != nil {
			text := a.text(f.File)
			change := sarif.ArtifactChange{ArtifactLocation: where}
			for _, e := range f.Fix.Edits {
				start, end := positionAt(text, e.Start), positionAt(text, e.End)
				change.Replacements = append(change.Replacements, sarif.Replacement{
					DeletedRegion:   sarif.Region{StartLine: start.Line, StartColumn: start.Column, EndLine: end.Line, EndColumn: end.Column},
					InsertedContent: sarif.Message{Text: e.New},
				})
			}
			res.Fixes = []sarif.Fix{{Description: sarif.Message{Text: f.Fix.Message}, ArtifactChanges: []sarif.ArtifactChange{change}}}
		}
		run.Results = append(run.Results, res)
	}
	return a.out.JSON(sarif.Log{Schema: sarif.Schema, Version: sarif.Version, Runs: []sarif.Run{run}})
}

// level returns what the format calls a severity.
func level(s metadata.Severity) string {
	if s == metadata.Info {
		return "note"
	}
	return s.String()
}

// uri returns the URI of a file: relative if it is in the repository.
func (a *app) uri(file string) string {
	name := a.inRepository(file)
	if filepath.IsLocal(filepath.FromSlash(name)) {
		return (&url.URL{Path: name}).String()
	}
	if abs, err := filepath.Abs(filepath.FromSlash(name)); err == nil {
		name = path.Join("/", filepath.ToSlash(abs)) // C:/ is /C:/ there
	}
	return (&url.URL{Scheme: "file", Path: name}).String()
}

// positionAt returns the place of an offset in text.
func positionAt(text string, offset int) metadata.Position {
	offset = min(offset, len(text))
	pos := metadata.Position{Line: 1, Column: 1}
	start := 0
	if strings.HasPrefix(text, "\ufeff") {
		start = min(len("\ufeff"), offset)
	}
	for i := start; i < offset; i++ {
		if text[i] == '\n' || text[i] == '\r' && !strings.HasPrefix(text[i+1:], "\n") {
			pos.Line++
			start = i + 1
		}
	}
	pos.Column = 1 + utf8.RuneCountInString(text[start:offset])
	return pos
}
