package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/matrix-nexus/skillkit/internal/sarif"
)

// skillText returns a skill without a fault, and with lines of the frontmatter
// besides.
func skillText(name, more string) string {
	return "---\nname: " + name + "\ndescription: Roll out the release " + name + " to staging. Use when a release is due.\n" + more +
		"metadata: {\"matrix\": {\"execution_mode\": \"prompt\", \"category_name\": \"operations\"}}\n---\n\n# " + name +
		"\n\nRoll out a release to staging, then to production.\n\nFor example: invoice version 1.2 and write a table of the hosts.\n"
}

// writeTree writes files below a new folder, which becomes the working directory.
func writeTree(t *testing.T, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

// runOutput runs the command and returns what it writes to standard output.
func runOutput(t *testing.T, want int, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	got := run(t.Context(), args, strings.NewReader(""), &stdout, &stderr, []string{"HOME=" + t.TempDir()})
	if got != want {
		t.Errorf("%q: exit status %d, want %d; stderr:\n%s", args, got, want, &stderr)
	}
	return stdout.String()
}

// outputs are trees with everything that a format has a place for.
var outputs = []struct {
	name   string
	files  map[string]string
	args   []string
	status int
}{
	{"nothing found", map[string]string{"invoice/SKILL.md": skillText("invoice", "")}, nil, exitClean},
	{"findings", map[string]string{
		"a b%/SKILL.md":    skillText("ü", "license: MIT: see below\n"),
		"none/SKILL.md":    "",
		"latin/SKILL.md":   "---\nname: latin\ndescription: caf\xe9\n---\n",
		"crlf/SKILL.md":    strings.ReplaceAll(skillText("crlf", ""), "\n", "\r\n"),
		"escape/SKILL.md":  "---\nname: \"a\\e[31m\"\ndescription: \"b: c\n---\n",
		"variant/skill.md": skillText("variant", ""),
	}, nil, exitFound},
	{"with a fix", map[string]string{
		"invoice/SKILL.md": strings.Replace(skillText("invoice", ""), "execution_mode", "executionMode", 1),
	}, []string{"--fail-on", "info"}, exitFound},
	{"ignored", map[string]string{
		"other/SKILL.md": skillText("invoice", "# skillcheck-ignore-file name-directory-mismatch: a test\n"),
	}, nil, exitClean},
	{"fixed", map[string]string{
		"invoice/SKILL.md": strings.Replace(skillText("invoice", ""), "execution_mode", "executionMode", 1),
	}, []string{"--fix", "--fail-on", "info"}, exitClean},
}

func TestJSONSchema(t *testing.T) {
	schema := compile(t, filepath.Join("..", "..", "docs", "findings.schema.json"))
	for _, tt := range outputs {
		t.Run(tt.name, func(t *testing.T) {
			writeTree(t, tt.files)
			out := runOutput(t, tt.status, append([]string{"--format", "json"}, tt.args...)...)
			validate(t, schema, out)
			var report jsonReport
			if err := json.Unmarshal([]byte(out), &report); err != nil {
				t.Fatal(err)
			}
			if tt.name == "ignored" && len(report.Ignored) == 0 {
				t.Error("nothing is ignored")
			}
			if tt.status == exitFound && len(report.Findings) == 0 {
				t.Error("no findings")
			}
			if s := report.Summary; s.Errors+s.Warnings+s.Infos != len(report.Findings) || s.Ignored != len(report.Ignored) || s.Fixed != len(report.Fixed) {
				t.Errorf("the summary does not count what is there:\n%s", out)
			}
		})
	}
}

// sarifSchema names the variable with the path of the JSON schema of SARIF 2.1.0.
const sarifSchema = "SKILLKIT_SARIF_SCHEMA"

func TestSARIFSchema(t *testing.T) {
	file := os.Getenv(sarifSchema)
	if file == "" {
		t.Skip(sarifSchema, "does not name the schema, which is not part of this module; .ci/run gets it")
	}
	schema := compile(t, file)
	for _, tt := range outputs {
		t.Run(tt.name, func(t *testing.T) {
			writeTree(t, tt.files)
			validate(t, schema, runOutput(t, tt.status, append([]string{"--format", "sarif"}, tt.args...)...))
		})
	}
}

func TestSARIF(t *testing.T) {
	writeTree(t, outputs[1].files)
	var log sarif.Log
	if err := json.Unmarshal([]byte(runOutput(t, exitFound, "--format", "sarif")), &log); err != nil {
		t.Fatal(err)
	}
	r := log.Runs[0]
	uris := map[string]bool{}
	for _, res := range r.Results {
		if id := r.Tool.Driver.Rules[res.RuleIndex].ID; id != res.RuleID {
			t.Errorf("ruleIndex of %s leads to %s", res.RuleID, id)
		}
		uris[res.Locations[0].PhysicalLocation.ArtifactLocation.URI] = true
	}
	if !uris["a%20b%25/SKILL.md"] {
		t.Errorf("no URI is encoded: %v", uris)
	}
}

func TestPositionAt(t *testing.T) {
	const text = "\ufeffäb\r\nc\rd\n"
	for _, tt := range []struct {
		offset int
		want   string
	}{
		{0, "1:1"}, {3, "1:1"}, {5, "1:2"}, {6, "1:3"}, {8, "2:1"}, {9, "2:2"}, {10, "3:1"}, {11, "3:2"}, {12, "4:1"}, {99, "4:1"},
	} {
		if got := positionAt(text, tt.offset).String(); got != tt.want {
			t.Errorf("positionAt(%d) = %s, want %s", tt.offset, got, tt.want)
		}
	}
}

// compile compiles a schema, which refers to no other.
func compile(t *testing.T, file string) *jsonschema.Schema {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

type noLoader struct{}

func (noLoader) Load(url string) (any, error) { return nil, errors.New(url + " is not loaded") }

func validate(t *testing.T, schema *jsonschema.Schema, text string) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(doc); err != nil {
		t.Errorf("%v, of\n%s", err, text)
	}
}
