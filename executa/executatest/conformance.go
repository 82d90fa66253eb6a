package executatest

import (
	"strings"
	"testing"

	"github.com/matrix-nexus/skillkit/executa/doctor"
)

// TestPlugin runs a plugin and has a subtest for each check of package doctor. A
// fault fails its subtest; an advice is logged; what could not be looked at, such as
// what needs a call when target names no tool, is skipped. target.Tool is called
// several times. opts are those of [doctor.Run]; its Environ is usually
// [os.Environ].
func TestPlugin(t *testing.T, target doctor.Target, opts *doctor.Options) {
	t.Helper()
	report, err := doctor.Run(t.Context(), target, opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range report.Checks {
		t.Run(c.ID, func(t *testing.T) {
			t.Helper()
			text := strings.Join(append(append([]string{c.Title}, c.Evidence...), c.Repair), "\n\t")
			switch c.State {
			case doctor.Skipped:
				t.Skip(c.Reason)
			case doctor.Advice:
				t.Log(text)
			case doctor.Fault:
				t.Errorf("%s\nsee %s; standard error:\n%s", text, c.Source, report.Stderr)
			}
		})
	}
}
