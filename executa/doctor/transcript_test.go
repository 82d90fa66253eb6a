package doctor_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/matrix-nexus/skillkit/executa/doctor"
	"github.com/matrix-nexus/skillkit/internal/golden"
)

// describe returns what a report holds besides what is in order.
func describe(r *doctor.Report) string {
	var b strings.Builder
	for _, c := range r.Checks {
		if c.State != doctor.Advice && c.State != doctor.Fault {
			continue
		}
		fmt.Fprintf(&b, "%s %s\n", c.State, c.ID)
		for _, text := range c.Evidence {
			fmt.Fprintf(&b, "\t%s\n", text)
		}
	}
	return b.String()
}

// Each archive holds what went to and fro, and what else was seen. A file "is"
// holds settings, "lines" the lines, which start with those of a plugin in order if
// there is a file "manifest", what it answers describe with.
func TestTranscripts(t *testing.T) {
	golden.Archives(t, "testdata/transcripts/*.txtar", func(t *testing.T, ar *txtar.Archive) string {
		files := map[string]string{}
		for _, f := range ar.Files {
			files[f.Name] = string(f.Data)
		}
		start := ""
		if m := strings.TrimSpace(files["manifest"]); m != "" {
			start = `> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2.0"}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2.0","serverInfo":{"name":"t"},"capabilities":{}}}
> {"jsonrpc":"2.0","id":1,"method":"describe"}
< {"jsonrpc":"2.0","id":1,"result":` + m + "}\n"
		}
		r := doctor.JudgeTranscript(files["is"], start+files["lines"], files["stderr"])
		valid(t, r)
		return describe(r)
	})
}

// What a process leaves behind is known only if it ends by itself.
func TestOrphans(t *testing.T) {
	want := doctor.Skipped // where the system does not tell
	if runtime.GOOS == "linux" {
		want = doctor.OK
	}
	if got := doctor.JudgeTranscript("", "", "").Check("orphans").State; got != want {
		t.Errorf("it ended by itself: %s, want %s", got, want)
	}
	if got := doctor.JudgeTranscript("eof=5s", "", "").Check("orphans").State; got != doctor.Skipped {
		t.Errorf("it had to be ended: %s, want %s", got, doctor.Skipped)
	}
}
