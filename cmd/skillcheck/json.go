package main

import (
	"github.com/matrix-nexus/skillkit/check"
	"github.com/matrix-nexus/skillkit/metadata"
)

// The output of --format json, which docs/findings.schema.json describes.
type jsonReport struct {
	Findings []jsonFinding `json:"findings"`
	Ignored  []jsonFinding `json:"ignored"`
	Fixed    []jsonFinding `json:"fixed,omitempty"`
	Summary  jsonSummary   `json:"summary"`
}

type jsonFinding struct {
	Rule      string   `json:"rule"`
	Severity  string   `json:"severity"`
	File      string   `json:"file"`
	Line      int      `json:"line"`
	Column    int      `json:"column"`
	EndLine   int      `json:"end_line"`
	EndColumn int      `json:"end_column"`
	Message   string   `json:"message"`
	Fix       *jsonFix `json:"fix"`
	Reason    string   `json:"reason,omitempty"`
}

type jsonFix struct {
	Message string     `json:"message"`
	Edits   []jsonEdit `json:"edits"`
}

type jsonEdit struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	New   string `json:"new"`
}

type jsonSummary struct {
	Skills   int `json:"skills"`
	Tools    int `json:"tools"`
	Files    int `json:"files"`
	Rules    int `json:"rules"`
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Infos    int `json:"infos"`
	Fixable  int `json:"fixable"`
	Ignored  int `json:"ignored"`
	Fixed    int `json:"fixed"`
	Excluded int `json:"excluded"`
}

// writeJSON writes the findings for programs.
func (a *app) writeJSON(r *results) error {
	return a.out.JSON(jsonReport{
		Findings: jsonFindings(r.live),
		Ignored:  jsonFindings(r.ignored),
		Fixed:    jsonFindings(r.fixed),
		Summary: jsonSummary{
			Skills: r.Skills, Tools: r.Tools, Files: r.Files, Rules: r.rules,
			Errors: r.count(metadata.Error), Warnings: r.count(metadata.Warning), Infos: r.count(metadata.Info),
			Fixable: r.fixable(), Ignored: len(r.ignored), Fixed: len(r.fixed), Excluded: r.left,
		},
	})
}

func jsonFindings(findings []check.Finding) []jsonFinding {
	list := []jsonFinding{} // not null
	for _, f := range findings {
		j := jsonFinding{
			Rule: f.Rule, Severity: f.Severity.String(), File: f.File,
			Line: f.Line, Column: f.Column, EndLine: f.End.Line, EndColumn: f.End.Column,
			Message: f.Message, Reason: f.Ignored,
		}
		if f.Fix != nil {
			j.Fix = &jsonFix{Message: f.Fix.Message}
			for _, e := range f.Fix.Edits {
				j.Fix.Edits = append(j.Fix.Edits, jsonEdit(e))
			}
		}
		list = append(list, j)
	}
	return list
}
