package executatest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matrix-nexus/skillkit/executa"
	"github.com/matrix-nexus/skillkit/executa/doctor"
	"github.com/matrix-nexus/skillkit/executa/executatest"
	"github.com/matrix-nexus/skillkit/internal/leak"
)

func TestMain(m *testing.M) {
	os.Exit(executatest.Run(m, executatest.Programs{"notes": notes, "noisy": noisy}))
}

// notes is a plugin that keeps a note with its host.
func notes() {
	p := &executatest.Plugin{Tools: map[string]executatest.Tool{
		"keep": func(ctx context.Context, call *executatest.Call) (any, error) {
			return call.Reverse(ctx, "storage/set", map[string]any{"scope": "tool", "key": "note", "value": "milk"})
		},
	}}
	p.Main()
}

// noisy writes what is no message to standard output.
func noisy() {
	p := &executatest.Plugin{
		Tools: map[string]executatest.Tool{"keep": nil},
		Raw: func(out io.Writer, _ []byte) bool {
			fmt.Fprintln(out, "debug: a line")
			return false
		},
	}
	p.Main()
}

// The service of a host is tested against a plugin that calls it. The plugin is the
// test binary, which TestMain has run as one:
//
//	func TestMain(m *testing.M) {
//		os.Exit(executatest.Run(m, executatest.Programs{"notes": notes}))
//	}
func ExampleSpec() {
	ctx := context.Background()
	set := func(_ context.Context, call *executa.ReverseCall) (json.RawMessage, error) {
		fmt.Printf("%s of %s: %s\n", call.Method, call.Tool, call.Params)
		return json.RawMessage(`{"etag":"1","size_bytes":6}`), nil
	}
	p, err := executa.Start(ctx, executatest.Spec("notes"), &executa.Options{
		Services: map[string]executa.Service{"storage/set": set},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close(ctx)
	result, _, err := p.Invoke(ctx, executa.Invocation{Tool: "keep"})
	fmt.Println(result.Text, err)
	// Output:
	// storage/set of keep: {"key":"note","scope":"tool","value":"milk"}
	// {"etag":"1","size_bytes":6} <nil>
}

func TestConformance(t *testing.T) {
	leak.Check(t)
	spec := executatest.Spec("notes")
	spec.Env = append(spec.Env, leak.Env(t))
	executatest.TestPlugin(t, doctor.Target{Spec: spec, Tool: "keep"}, &doctor.Options{Environ: os.Environ(), TempDir: t.TempDir()})
}

// The example plugins have no faults.
func TestConformanceOfExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("runs each plugin several times")
	}
	for _, language := range []string{"python", "node", "go"} {
		t.Run(language, func(t *testing.T) {
			leak.Check(t)
			dir := filepath.Join("..", "..", "testdata", "plugins", language)
			target := doctor.Target{
				Spec:      executa.Spec{Dir: dir, Env: append(goCache(t), leak.Env(t))},
				Tool:      "remember",
				Arguments: json.RawMessage(`{"note":"list","text":"milk"}`),
			}
			executatest.TestPlugin(t, target, &doctor.Options{Environ: os.Environ(), TempDir: t.TempDir()})
		})
	}
}

// goCache says where compiled packages are: where that is not the usual place, "go
// run" in the closed environment would compile all of them anew.
func goCache(t *testing.T) []string {
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	return []string{"GOCACHE=" + strings.TrimSpace(string(cache))}
}

// A plugin with a fault fails, which is seen from outside of the test.
func TestConformanceFault(t *testing.T) {
	leak.Check(t)
	spec := executatest.Spec("noisy")
	spec.Env = append(spec.Env, leak.Env(t))
	report, err := doctor.Run(t.Context(), doctor.Target{Spec: spec}, &doctor.Options{Environ: os.Environ(), TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if c := report.Check("stdout-noise"); c.State == doctor.OK || !strings.Contains(strings.Join(c.Evidence, ""), "debug: a line") {
		t.Errorf("got %+v, want the noise to be found", c)
	}
}
