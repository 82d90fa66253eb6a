package check_test

import (
	"io/fs"
	"os"
	"testing"
	"testing/fstest"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/text"

	"github.com/matrix-nexus/skillkit/check"
	"github.com/matrix-nexus/skillkit/internal/skillgen"
)

// BenchmarkCheck runs all rules over skills, and beside it what any linter has
// to do at least: read the files and parse their Markdown.
func BenchmarkCheck(b *testing.B) {
	generated := fstest.MapFS{}
	for n := range uint64(200) {
		f := skillgen.Generate(4, n)
		generated[f.Folder+"/SKILL.md"] = &fstest.MapFile{Data: f.Data}
	}
	for _, set := range []struct {
		name string
		fsys fs.FS
	}{{"bundled", os.DirFS("../bundled/skills")}, {"generated", generated}} {
		targets, err := check.Find(b.Context(), set.fsys, ".", ".", nil)
		if err != nil || len(targets) == 0 {
			b.Fatalf("%d targets, %v", len(targets), err)
		}
		b.Run(set.name, func(b *testing.B) {
			c, err := check.New(nil)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Check(b.Context(), targets); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(set.name+" floor", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, t := range targets {
					data, err := fs.ReadFile(t.FS, t.Manifest)
					if err != nil {
						b.Fatal(err)
					}
					goldmark.DefaultParser().Parse(text.NewReader(data))
				}
			}
		})
	}
}
