package metadata_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/matrix-nexus/skillkit/internal/skillgen"
	"github.com/matrix-nexus/skillkit/metadata"
)

// The series of generated files that the tests below read.
const (
	generatedFiles = 20_000
	generatedSeed  = 2026
)

// An outcome says how a generated file was read.
type outcome int

const (
	intended   outcome = iota // all values are as meant, or the file is rightly refused
	unknown                   // requirements that the text leaves open were reported
	reported                  // a value is lost or other than meant, and a problem says so
	refused                   // not loaded, with a position
	silent                    // a value is other than meant, and nothing says so
	noPosition                // not loaded, and nothing says where
	invented                  // loaded without a frontmatter
	outcomes
)

func (o outcome) String() string {
	return [...]string{"as intended", "open, said so", "lost, said so", "refused", "LOST IN SILENCE", "NO POSITION", "INVENTED"}[o]
}

// TestParseGenerated reads files with the faults that are found in public
// collections and compares what it gets with what their authors meant.
func TestParseGenerated(t *testing.T) {
	byKind := map[string]*[outcomes]int{}
	var all [outcomes]int
	withFrontmatter := 0
	for n := range uint64(generatedFiles) {
		f := skillgen.Generate(generatedSeed, n)
		o, diff := judge(f)
		if o >= silent || testing.Verbose() && o == reported {
			t.Logf("file %d, %s, %q: %s\n%s", n, o, f.Faults, diff, headerOf(f))
		}
		if o >= silent {
			t.Fail()
		}
		if f.Frontmatter {
			withFrontmatter++
			all[o]++
		}
		for _, kind := range f.Faults {
			if byKind[kind] == nil {
				byKind[kind] = new([outcomes]int)
			}
			byKind[kind][o]++
		}
	}

	for _, kind := range slices.Sorted(maps.Keys(byKind)) {
		t.Logf("%-42s%s", kind, tally(byKind[kind]))
	}
	share := float64(all[intended]+all[unknown]) / float64(withFrontmatter)
	t.Logf("figure: %d files, %d with a frontmatter: %.2f%% loaded as intended (%.2f%% of them with requirements that the text leaves open and a problem that says so);%s",
		generatedFiles, withFrontmatter, 100*share, 100*float64(all[unknown])/float64(withFrontmatter), tally(&all))
	if share < 0.995 {
		t.Errorf("got %.2f%% of the files as intended, want at least 99.5%%", 100*share)
	}
}

func tally(counts *[outcomes]int) string {
	var b strings.Builder
	for o, n := range counts {
		if n > 0 {
			fmt.Fprintf(&b, "  %s %d", outcome(o), n)
		}
	}
	return b.String()
}

func headerOf(f skillgen.File) string { return fmt.Sprintf("%.1200s", f.Data) }

// judge parses f and says how that went. diff is empty if all is well.
func judge(f skillgen.File) (o outcome, diff string) {
	doc, err := metadata.Parse(f.Folder+"/SKILL.md", f.Data, nil)
	if err != nil {
		syntax, ok := errors.AsType[*metadata.SyntaxError](err)
		switch {
		case !ok || f.Frontmatter && !syntax.Pos.IsValid():
			return noPosition, err.Error()
		case f.Frontmatter:
			return refused, err.Error()
		}
		return intended, ""
	}
	if !f.Frontmatter {
		return invented, fmt.Sprintf("got name %q", doc.Manifest.Name)
	}
	m := &doc.Manifest
	said := slices.ContainsFunc(doc.Problems, costsValue)
	text := difference("name", m.Name, f.Name) + difference("description", strings.TrimSpace(m.Description), f.Description)
	needs := requirements(m, f.Requires)
	if m.RequiresUnknown {
		needs = "requirements are unknown; " + needs
	}
	switch {
	case text == "" && needs == "" && !f.Unclear:
		return intended, ""
	case text == "" && f.Unclear && said && (needs == "" || m.RequiresUnknown):
		return unknown, ""
	case said:
		return reported, fmt.Sprintf("%s%s %v", text, needs, doc.Problems)
	}
	return silent, fmt.Sprintf("%s%s unclear=%v %v", text, needs, f.Unclear, doc.Problems)
}

// costsValue reports whether p may be said of a lost name, description or
// requirement.
func costsValue(p metadata.Problem) bool {
	switch p.Code {
	case "name-directory-mismatch", "unknown-install-kind", "install-no-kind", "install-shape",
		"string-bool", "unknown-execution-mode", "allowed-tools-unbalanced", "os-alias":
		return false
	}
	return p.Severity >= metadata.Warning && p.IsValid()
}

func difference(what string, got, want any) string {
	g, w := fmt.Sprintf("%q", got), fmt.Sprintf("%q", want)
	if g == w {
		return ""
	}
	return fmt.Sprintf("%s: got %s, want %s; ", what, g, w)
}

func requirements(m *metadata.Manifest, want skillgen.Requires) string {
	names := func(list []metadata.Requirement) (out []string) {
		for _, r := range list {
			out = append(out, r.Name)
		}
		return out
	}
	return difference("bins", names(m.Requires.Bins), want.Bins) +
		difference("any bins", names(m.Requires.AnyBins), want.AnyBins) +
		difference("env", names(m.Requires.Env), want.Env) +
		difference("optional env", names(m.Requires.OptionalEnv), want.OptionalEnv) +
		difference("config", names(m.Requires.Config), want.Config) +
		difference("python packages", names(m.Requires.PythonPackages), want.PythonPackages) +
		difference("os", m.OS, want.OS)
}

// TestScanBriefGenerated holds the line scanner to the parser: where it is
// certain, both give the same values.
func TestScanBriefGenerated(t *testing.T) {
	certain, total := 0, 0
	for n := range uint64(generatedFiles / 4) {
		f := skillgen.Generate(generatedSeed+1, n)
		head := f.Data[:min(len(f.Data), 4<<10)]
		if f.Frontmatter {
			total++
		}
		brief, ok := metadata.ScanBrief(head)
		if !ok {
			continue
		}
		certain++
		doc, err := metadata.ParseHeader("/SKILL.md", f.Data, nil)
		if err != nil {
			t.Errorf("file %d: ScanBrief is certain of what ParseHeader refuses: %v\n%s", n, err, headerOf(f))
			continue
		}
		m := doc.Manifest
		if brief.Name != m.Name || brief.Description != m.Description || m.SkillKey != "" && !brief.MayHaveKey {
			t.Errorf("file %d: got %+v, want name %q, description %q, key %q\n%s", n, brief, m.Name, m.Description, m.SkillKey, headerOf(f))
		}
	}
	t.Logf("figure: ScanBrief is certain of %d headers of %d, %.0f%%", certain, total, 100*float64(certain)/float64(total))
}
