package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/matrix-nexus/skillkit/internal/golden"
)

// TestReadme compares what README.md quotes with what the command prints, but for
// the summary, which counts rules.
func TestReadme(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths quoted are written with slashes")
	}
	t.Chdir(filepath.Join("..", ".."))
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?s)```console\n\\$ skillcheck ([^\n]*)\n(.*?)```\n").FindSubmatchIndex(readme)
	if m == nil {
		t.Fatal("README.md shows no run of the command")
	}
	out := runOutput(t, exitFound, strings.Fields(string(readme[m[2]:m[3]]))...)
	finding, _, _ := strings.Cut(out, "\n\n")
	want := strings.Join([]string{string(readme[:m[4]]), finding, "\n", string(readme[m[5]:])}, "")
	golden.File(t, "README.md", want)
}

// The configurations in README.md and in the help can be copied.
func TestConfigurations(t *testing.T) {
	_, help, _ := strings.Cut(description, "left out:\n\n")
	help, _, _ = strings.Cut(help, "\n\nExit status")
	for where, text := range map[string]string{"README.md": readmeYAML(t)[0], "help": help} {
		c, err := parseConfig(where, []byte(text))
		if err != nil {
			// A rule that is there for the example alone is as good as any.
			t.Errorf("%v, in\n%s", err, text)
			continue
		}
		if c.Profile != "matrix" || len(c.Disable) != 1 || len(c.Exclude) != 1 || len(c.ReservedNames) != 1 || c.MaxFolder != 8<<20 {
			t.Errorf("%s is read as %+v", where, c)
		}
	}
}

// The workflow and the hook in README.md run what there is.
func TestWorkflow(t *testing.T) {
	blocks := readmeYAML(t)
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct{ Run, Uses string }
		}
	}
	if err := yaml.Unmarshal([]byte(blocks[1]), &workflow); err != nil {
		t.Fatal(err)
	}
	ran := false
	for _, step := range workflow.Jobs["skillcheck"].Steps {
		args, ok := strings.CutPrefix(step.Run, "skillcheck ")
		if !ok {
			continue
		}
		ran = true
		args, _, _ = strings.Cut(args, " >")
		writeTree(t, map[string]string{"skills/invoice/SKILL.md": skillText("invoice", "")})
		if out := runOutput(t, exitClean, strings.Fields(args)...); !strings.Contains(out, `"2.1.0"`) {
			t.Errorf("no SARIF: %s", out)
		}
	}
	if !ran {
		t.Errorf("the workflow runs no skillcheck: %+v", workflow)
	}
}

func TestPreCommitHook(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", ".pre-commit-hooks.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var hooks []struct{ ID, Entry, Files string }
	if err := yaml.Unmarshal(data, &hooks); err != nil || len(hooks) != 1 {
		t.Fatalf("got %+v, %v", hooks, err)
	}
	if !strings.Contains(readmeYAML(t)[2], "- id: "+hooks[0].ID+"\n") {
		t.Errorf("README.md does not name the hook %q", hooks[0].ID)
	}
	files := regexp.MustCompile(hooks[0].Files)
	for name, want := range map[string]bool{"SKILL.md": true, "a/skill.md": true, "a/executa.json": true, "a/MY_SKILL.md": false, "README.md": false} {
		if files.MatchString(name) != want {
			t.Errorf("the hook runs for %s: %v, want %v", name, !want, want)
		}
	}
}

// readmeYAML returns the YAML that README.md has on this command.
func readmeYAML(t *testing.T) (blocks []string) {
	t.Helper()
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := bytes.Cut(readme, []byte("## Before you publish: skillcheck\n"))
	section, _, _ = bytes.Cut(section, []byte("\n## "))
	for _, m := range regexp.MustCompile("(?s)```yaml\n(.*?)```\n").FindAllSubmatch(section, -1) {
		blocks = append(blocks, string(m[1]))
	}
	if len(blocks) != 3 {
		t.Fatalf("got %d blocks of YAML, want a configuration, a workflow and a hook", len(blocks))
	}
	return blocks
}
