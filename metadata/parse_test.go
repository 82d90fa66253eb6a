package metadata_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/metadata"
)

func TestParse(t *testing.T) {
	const text = `---
name: chart-generator
description: "Charts: made with matplotlib"
metadata: {"matrix":{"emoji":"📈","execution_mode":"python","category_name":"data-analysis","requires":{"python_packages":["matplotlib","seaborn"]},"install":[{"id":"pip","kind":"pip","package":"matplotlib seaborn","label":"Install"}]}}
---
# Body
`
	doc, err := metadata.Parse("skills/chart-generator/SKILL.md", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := metadata.Manifest{
		Name:          "chart-generator",
		Description:   "Charts: made with matplotlib",
		UserInvocable: true,
		VendorKey:     "matrix",
		Emoji:         "📈",
		CategoryName:  "data-analysis",
		ExecutionMode: metadata.ModePython,
		Requires: metadata.Requires{PythonPackages: []metadata.Requirement{
			{Name: "matplotlib", Pos: metadata.Position{Line: 4, Column: 123}},
			{Name: "seaborn", Pos: metadata.Position{Line: 4, Column: 136}},
		}},
		Install: []metadata.Recipe{{
			ID: "pip", Kind: metadata.KindPip, Label: "Install",
			Packages: []string{"matplotlib", "seaborn"},
			Pos:      metadata.Position{Line: 4, Column: 159},
		}},
	}
	if diff := cmp.Diff(want, doc.Manifest); diff != "" {
		t.Errorf("Manifest (-want +got):\n%s", diff)
	}
	if got := string(doc.Body); got != "# Body\n" || doc.BodyLine != 6 {
		t.Errorf("Body = %q in line %d", got, doc.BodyLine)
	}
	for _, p := range doc.Problems {
		t.Errorf("problem: %v", p)
	}
}
