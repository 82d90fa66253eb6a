package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/llms"

	"github.com/matrix-nexus/skillkit/bundled"
	"github.com/matrix-nexus/skillkit/config"
	"github.com/matrix-nexus/skillkit/converter"
	"github.com/matrix-nexus/skillkit/executa"
	"github.com/matrix-nexus/skillkit/loader"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/registry"
)

// newAgent is the program in README.md, which TestReadme keeps the same.
func newAgent(ctx context.Context, llm llms.Model) (agents.Agent, []metadata.Problem, error) {
	// README
	l := loader.New(&loader.Options{Lookup: os.LookupEnv, Bundled: bundled.FS(), Workspace: "."})
	set, err := l.Skills(ctx)
	if err != nil {
		return nil, nil, err
	}
	defs, problems := converter.Defs(set, nil)
	reg := registry.New(nil)
	if _, err := reg.Register("skills", defs...); err != nil {
		return nil, nil, err
	}
	agent := agents.NewOpenAIFunctionsAgent(llm, reg.Tools())
	// END
	return agent, problems, nil
}

// addPlugins is the program in README.md that adds plugins.
func addPlugins(ctx context.Context, reg *registry.Registry) (*executa.Host, error) {
	// README plugins
	host := executa.NewHost(reg, &executa.Options{Environ: os.Environ()})
	_, err := host.Register(ctx, executa.Spec{Dir: "testdata/plugins/python"})
	if err != nil {
		return nil, err
	}
	// END
	return host, nil
}

func TestReadmePlugins(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3")
	}
	t.Chdir(filepath.Join("..", ".."))
	reg := registry.New(nil)
	host, err := addPlugins(t.Context(), reg)
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close(context.Background())
	if len(reg.Tools()) == 0 {
		t.Error("the plugin has no tools")
	}
}

func TestReadmeProgram(t *testing.T) {
	agent, problems, err := newAgent(t.Context(), nil)
	if err != nil || len(problems) > 0 {
		t.Fatalf("got problems %v, error %v", problems, err)
	}
	if got := len(agent.GetTools()); got < 8 {
		t.Errorf("got %d tools, want those of the built-in skills", got)
	}
}

// TestReadme compares what README.md quotes with the program above and with
// what the command prints.
func TestReadme(t *testing.T) {
	root := filepath.Join("..", "..")
	file := filepath.Join(root, "README.md")
	readme, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := replaceBlock(t, readme, "In a program:\n\n```go\n", readmeProgram(t, "README"))
	want = replaceBlock(t, want, "registry as the skills:\n\n```go\n", readmeProgram(t, "README plugins"))

	if runtime.GOOS == "windows" {
		t.Skip("the paths quoted are written with slashes")
	}
	args := regexp.MustCompile(`(?m)^\$ skills (.*)$`).FindSubmatch(readme)
	if args == nil {
		t.Fatal("README.md shows no run of the command")
	}
	t.Chdir(root)
	var out, errs bytes.Buffer
	if status := run(t.Context(), strings.Fields(string(args[1])), strings.NewReader(""), &out, &errs, nil); status != 0 {
		t.Fatalf("status %d: %s", status, errs.String())
	}
	head := "```console\n" + string(args[0]) + "\n"
	want = replaceBlock(t, want, head, out.String())

	if *update {
		if err := os.WriteFile("README.md", want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(string(want), string(readme)); diff != "" {
		t.Errorf("README.md differs; run the test with -update (-want +got):\n%s", diff)
	}
}

// The configuration is one that can be copied.
func TestReadmeConfiguration(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(readme, []byte("## The command skills\n"))
	_, rest, _ = bytes.Cut(rest, []byte("```yaml\n"))
	sample, _, ok := bytes.Cut(rest, []byte("```\n"))
	c, problems, err := config.Parse("README.md", sample)
	if !ok || err != nil || len(problems) > 0 {
		t.Fatalf("problems %v, error %v", problems, err)
	}
	if len(c.Install.Allow) != 3 || c.Skill("chart-generator", "").Enabled() {
		t.Errorf("read as %+v", c)
	}
}

// replaceBlock replaces what follows head, up to the end of the fenced block.
func replaceBlock(t *testing.T, text []byte, head, with string) []byte {
	t.Helper()
	before, rest, ok := bytes.Cut(text, []byte(head))
	_, after, closed := bytes.Cut(rest, []byte("```\n"))
	if !ok || !closed {
		t.Fatalf("README.md has no block %q", head)
	}
	return bytes.Join([][]byte{before, []byte(head), []byte(with), []byte("```\n"), after}, nil)
}

// readmeProgram returns the lines after a mark above as README.md shows them.
func readmeProgram(t *testing.T, mark string) string {
	t.Helper()
	src, err := os.ReadFile("readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(src), "\t// "+mark+"\n")
	lines, _, ok := strings.Cut(rest, "\t// END\n")
	if !ok {
		t.Fatal("the marks around the program are gone")
	}
	lines = strings.ReplaceAll("\n"+lines, "\n\t", "\n")[1:]
	return regexp.MustCompile(`return (nil, )+err`).ReplaceAllString(lines, "return err")
}

// TestReadmeSetUp checks the promise of exactly two commands for a fresh
// machine; .ci/run runs them.
func TestReadmeSetUp(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range regexp.MustCompile(`(?m)^\$ (go .*)$`).FindAllSubmatch(readme, -1) {
		got = append(got, string(m[1]))
	}
	if diff := cmp.Diff([]string{"go run ./cmd/skills list", "go test ./..."}, got); diff != "" {
		t.Errorf("set-up commands (-want +got):\n%s", diff)
	}
}
