package metadata_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/matrix-nexus/skillkit/internal/golden"
	"github.com/matrix-nexus/skillkit/metadata"
)

// TestGolden parses the first file of each archive in testdata and compares
// what is read with its second file, "want". The comment of an archive says
// why it exists. To see control characters, the text is unquoted if its name
// ends in ".go": then each line is a Go string.
func TestGolden(t *testing.T) {
	golden.Archives(t, "testdata/*.txtar", func(t *testing.T, ar *txtar.Archive) string {
		in := ar.Files[0]
		name, quoted := strings.CutSuffix(in.Name, ".go")
		if quoted {
			in.Data = unquoteLines(t, in.Data)
		}
		return describe(metadata.Parse(name, in.Data, nil))
	})
}

func unquoteLines(t *testing.T, data []byte) []byte {
	var b []byte
	for line := range strings.Lines(string(data)) {
		var s string
		if _, err := fmt.Sscanf(line, "%q", &s); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		b = append(b, s...)
	}
	return b
}

// describe prints all that is not a zero value.
func describe(doc *metadata.Document, err error) string {
	var b strings.Builder
	if err != nil {
		fmt.Fprintf(&b, "error: %v\n", err)
		return b.String()
	}
	m := doc.Manifest
	str := func(name, s string) {
		if s != "" {
			fmt.Fprintf(&b, "%s: %q\n", name, s)
		}
	}
	flag := func(name string, v bool) {
		if v {
			fmt.Fprintf(&b, "%s: true\n", name)
		}
	}
	value := func(name string, v any, zero bool) {
		if !zero {
			js, err := json.Marshal(v)
			if err != nil {
				js = []byte(err.Error())
			}
			fmt.Fprintf(&b, "%s: %s\n", name, js)
		}
	}
	reqs := func(name string, list []metadata.Requirement) {
		for _, r := range list {
			fmt.Fprintf(&b, "%s: %q at %v\n", name, r.Name, r.Pos)
		}
	}
	recipes := func(name string, list []metadata.Recipe) {
		for _, r := range list {
			fmt.Fprintf(&b, "%s at %v:\n", name, r.Pos)
			str("  id", r.ID)
			str("  kind", string(r.Kind))
			str("  label", r.Label)
			value("  bins", r.Bins, len(r.Bins) == 0)
			value("  os", r.OS, len(r.OS) == 0)
			value("  packages", r.Packages, len(r.Packages) == 0)
			str("  command", r.Command)
			str("  url", r.URL)
			str("  sha256", r.SHA256)
			str("  archive", r.Archive)
			flag("  extract", r.Extract)
			value("  strip", r.StripComponents, r.StripComponents == 0)
			str("  dir", r.TargetDir)
			value("  extra", r.Extra, len(r.Extra) == 0)
		}
	}
	str("name", m.Name)
	str("description", m.Description)
	str("license", m.License)
	str("compatibility", m.Compatibility)
	value("allowed-tools", m.AllowedTools, len(m.AllowedTools) == 0)
	str("argument-hint", m.ArgumentHint)
	flag("not user-invocable", !m.UserInvocable)
	flag("disable-model-invocation", m.DisableModelInvocation)
	str("version", m.Version)
	str("author", m.Author)
	str("vendor", m.VendorKey)
	flag("always", m.Always)
	str("skill_key", m.SkillKey)
	str("primary_env", m.PrimaryEnv)
	str("emoji", m.Emoji)
	str("homepage", m.Homepage)
	str("category_name", m.CategoryName)
	value("os", m.OS, len(m.OS) == 0)
	if m.ExecutionMode != metadata.ModePrompt {
		str("execution_mode", string(m.ExecutionMode))
	}
	value("parameters", m.Parameters, m.Parameters == nil)
	reqs("bins", m.Requires.Bins)
	reqs("any_bins", m.Requires.AnyBins)
	reqs("env", m.Requires.Env)
	reqs("config", m.Requires.Config)
	reqs("python_packages", m.Requires.PythonPackages)
	reqs("skills", m.Requires.Skills)
	reqs("tools", m.Requires.Tools)
	reqs("optional_bins", m.Requires.OptionalBins)
	reqs("optional_env", m.Requires.OptionalEnv)
	reqs("optional_config", m.Requires.OptionalConfig)
	reqs("optional_python_packages", m.Requires.OptionalPythonPackages)
	flag("requires unknown", m.RequiresUnknown)
	recipes("install", m.Install)
	recipes("uninstall", m.Uninstall)
	value("extra", m.Extra, len(m.Extra) == 0)
	value("vendor extra", m.VendorExtra, len(m.VendorExtra) == 0)
	fmt.Fprintf(&b, "body: line %d, %q\n", doc.BodyLine, doc.Body)
	for _, p := range doc.Problems {
		fmt.Fprintf(&b, "%v %s: %v\n", p.Severity, p.Code, p)
		if p.Corrected != "" {
			fmt.Fprintf(&b, "  corrected: %s\n", p.Corrected)
		}
	}
	return b.String()
}
