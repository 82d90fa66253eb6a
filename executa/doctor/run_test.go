package doctor_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/matrix-nexus/skillkit/executa"
	"github.com/matrix-nexus/skillkit/executa/doctor"
	"github.com/matrix-nexus/skillkit/executa/executatest"
	"github.com/matrix-nexus/skillkit/internal/leak"
)

func TestMain(m *testing.M) {
	os.Exit(executatest.Run(m, executatest.Programs{"good": good, "forgetful": forgetful, "wrapped": wrapped}))
}

const described = `{"name":"good","version":"1.0.0","display_name":"Good","description":"A plugin in order, for tests.",
	"tools":[{"name":"note","description":"Keeps a note, for tests of the doctor.","parameters":[
		{"name":"text","type":"string","description":"The note."}]}],
	"credentials":[{"name":"NOTES_TOKEN","description":"The token of the notes.","required":true}],
	"host_capabilities":["aps.kv"]}`

func good() {
	p := &executatest.Plugin{Manifest: json.RawMessage(described), Tools: map[string]executatest.Tool{
		"note": func(ctx context.Context, call *executatest.Call) (any, error) {
			if call.Credentials["NOTES_TOKEN"] == "" {
				return nil, errors.New("no token")
			}
			if err := call.Progress("progress", 1); err != nil {
				return nil, err
			}
			return call.Reverse(ctx, "storage/set", map[string]any{"scope": "tool", "key": "n", "value": 1})
		},
	}}
	p.Main()
}

func forgetful() {
	p := &executatest.Plugin{Manifest: json.RawMessage(described), Tools: map[string]executatest.Tool{
		"note": func(ctx context.Context, call *executatest.Call) (any, error) {
			fmt.Fprintln(os.Stderr, "token", call.Credentials["NOTES_TOKEN"])
			_, err := call.Reverse(ctx, "sampling/createMessage", map[string]any{"maxTokens": 9000, "context": map[string]any{}})
			return "done", err
		},
	}}
	p.Main()
}

func wrapped() {
	p := &executatest.Plugin{Manifest: json.RawMessage(`{"manifest":` + described + `}`)}
	p.Main()
}

func options(t testing.TB) *doctor.Options {
	return &doctor.Options{Environ: os.Environ(), TempDir: t.TempDir(), Timeout: time.Minute}
}

// found returns the ids of the checks in a state, but for start-time: how long a
// start takes depends on what else the machine does.
func found(r *doctor.Report, s doctor.State) map[string][]string {
	list := map[string][]string{}
	for _, c := range r.Checks {
		if c.State == s && c.ID != "start-time" {
			list[c.ID] = c.Evidence
		}
	}
	return list
}

func TestRunGood(t *testing.T) {
	leak.Check(t)
	var steps []string
	opts := options(t)
	opts.Progress = func(step string) { steps = append(steps, step) }
	target := doctor.Target{Spec: executatest.Spec("good"), Tool: "note", Arguments: json.RawMessage(`{"text":"milk"}`)}
	r, err := doctor.Run(t.Context(), target, opts)
	if err != nil {
		t.Fatal(err)
	}
	valid(t, r)
	if f, a := found(r, doctor.Fault), found(r, doctor.Advice); len(f) > 0 || len(a) > 0 {
		t.Errorf("faults %q, advice %q", f, a)
	}
	for _, id := range []string{"call", "capability-declared", "reverse-awaited", "parallel", "eof", "eof-open", "secrets", "progress"} {
		if s := r.Check(id).State; s != doctor.OK {
			t.Errorf("%s is %s: %v", id, s, r.Check(id))
		}
	}
	if r.Protocol != "2.0" || len(r.Tools) != 1 || len(steps) < 6 {
		t.Errorf("got protocol %s, tools %q, steps %q", r.Protocol, r.Tools, steps)
	}
}

func TestRunForgetful(t *testing.T) {
	leak.Check(t)
	target := doctor.Target{Spec: executatest.Spec("forgetful"), Tool: "note", Arguments: json.RawMessage(`{"text":"milk"}`)}
	r, err := doctor.Run(t.Context(), target, options(t))
	if err != nil {
		t.Fatal(err)
	}
	valid(t, r)
	faults, advice := found(r, doctor.Fault), found(r, doctor.Advice)
	if faults["secrets"] == nil || faults["capability-declared"] == nil || faults["sampling-limits"] == nil || advice["reverse-correlation"] == nil {
		t.Errorf("faults %q, advice %q", faults, advice)
	}
}

func TestRunErrors(t *testing.T) {
	leak.Check(t)
	for _, tt := range []struct{ name, tool, args, want string }{
		{"no such tool", "nope", "{}", `tool "nope": the plugin has no such tool; it has note`},
		{"arguments that do not fit", "note", `{"txt":"milk"}`, `tool "note": arguments do not fit: takes no "txt"; needs "text"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := doctor.Run(t.Context(), doctor.Target{Spec: executatest.Spec("good"), Tool: tt.tool, Arguments: json.RawMessage(tt.args)}, options(t))
			if e, ok := errors.AsType[*doctor.CallError](err); !ok || e.Error() != tt.want || r == nil || r.Check("call").State != doctor.Skipped {
				t.Errorf("got %v, %v", r, err)
			}
		})
	}
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if r, err := doctor.Run(ctx, doctor.Target{Spec: executatest.Spec("good")}, options(t)); r != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, %v", r, err)
		}
	})
	t.Run("no such program", func(t *testing.T) {
		r, err := doctor.Run(t.Context(), doctor.Target{Spec: executa.Spec{ID: "x", Command: []string{"no-such-program"}}}, options(t))
		if err != nil || r.Works || r.Check("start").Repair == "" {
			t.Errorf("got %v, %v", r, err)
		}
		valid(t, r)
	})
}

// Of a plugin that runs and describes itself wrongly nobody should have to read the
// standard error.
func TestRunWrapped(t *testing.T) {
	leak.Check(t)
	r, err := doctor.Run(t.Context(), doctor.Target{Spec: executatest.Spec("wrapped")}, options(t))
	if err != nil {
		t.Fatal(err)
	}
	valid(t, r)
	if got, want := r.Check("start").Repair, "correct the answer to describe: the program itself runs"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if s := r.Check("describe-shape").State; s != doctor.Fault {
		t.Errorf("describe-shape is %s", s)
	}
}

// What bad.py does wrong is found.
func TestRunBad(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("needs python3")
	}
	if testing.Short() {
		t.Skip("takes a minute")
	}
	for _, tt := range []struct{ role, args, id string }{
		{"replies and exits", "{}", "long-running"},
		{"stops reading", "", "long-running"},
		{"exits at once", "", "start"},
		{"wrapped", "", "describe-shape"},
		{"noise", "", "stdout-noise"},
		{"stray", "{}", "frames"},
		{"twice", "{}", "frames"},
		{"id as text", "{}", "frames"},
		{"bare", "{}", "invoke-shape"},
		{"health", "", "health"},
		{"no name", "", "name"},
		{"tells", `{"text":"data"}`, "secrets"},
		{"refused", "{}", "capability-declared"},
		{"progress", "{}", "progress"},
		{"pool", "{}", "parallel"},
		{"ignores all", "", "eof"},
		{"child", "{}", "orphans"},
	} {
		t.Run(tt.role, func(t *testing.T) {
			t.Parallel()
			target := doctor.Target{Spec: executa.Spec{Command: []string{python, filepath.Join("..", "..", "testdata", "plugins", "bad.py"), tt.role}}}
			if tt.args != "" {
				target.Tool, target.Arguments = "run", json.RawMessage(tt.args)
			}
			r, err := doctor.Run(t.Context(), target, options(t))
			if err != nil {
				t.Fatal(err)
			}
			valid(t, r)
			if c := r.Check(tt.id); c.State != doctor.Fault && c.State != doctor.Advice {
				t.Errorf("%s is %s; found is %q", tt.id, c.State, found(r, doctor.Fault))
			}
		})
	}
}
