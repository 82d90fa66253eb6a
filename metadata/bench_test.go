package metadata_test

import (
	"strings"
	"testing"

	"github.com/matrix-nexus/skillkit/metadata"
)

// benchFiles are of the size and the shapes of published skills: 4 KiB, with
// metadata in one line, in several, and as a block.
var benchFiles = []struct{ name, text string }{
	{"one line", `---
name: chart-generator
description: "Use matplotlib and seaborn to create publication-quality charts from CSV files, tables and query results."
metadata: {"matrix":{"emoji":"📈","execution_mode":"python","category_name":"data-analysis","requires":{"python_packages":["matplotlib","seaborn"]},"install":[{"id":"pip","kind":"pip","package":"matplotlib seaborn","label":"Install matplotlib & seaborn (pip)"}]}}
---
`},
	{"block", `---
name: chart-generator
description: >-
  Use matplotlib and seaborn to create publication-quality charts
  from CSV files, tables and query results.
metadata:
  openclaw:
    emoji: 📈
    requires:
      bins:
        - python3
      env: [TOKEN]
    install:
      - id: brew
        kind: brew
        formula: python
---
`},
	{"repaired", `---
name: chart-generator
description: Use when: the user asks for a chart of CSV files, tables or query results.
argument-hint: [file] [kind]
metadata: {"openclaw":{"emoji":"\ud83d\udcc8","requires":{"bins":["python3"]}}}
---
`},
}

func benchData(text string) []byte {
	return []byte(text + strings.Repeat("Some text of the body that goes on for a line.\n", (4<<10-len(text))/47))
}

func BenchmarkParse(b *testing.B) {
	for _, f := range benchFiles {
		b.Run(f.name, func(b *testing.B) {
			data := benchData(f.text)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := metadata.Parse("chart-generator/SKILL.md", data, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkParseHeader(b *testing.B) {
	data := benchData(benchFiles[0].text)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := metadata.ParseHeader("chart-generator/SKILL.md", data, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScanBrief(b *testing.B) {
	for _, f := range benchFiles[:2] {
		b.Run(f.name, func(b *testing.B) {
			data := benchData(f.text)
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := metadata.ScanBrief(data); !ok {
					b.Fatal("not certain")
				}
			}
		})
	}
}
