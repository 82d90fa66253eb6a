package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/requires"
)

// A fakeHost answers from a table, whose keys are as "bins jq".
type fakeHost map[string]requires.Status

func (h fakeHost) Lookup(k requires.Kind, name string) requires.Status { return h[string(k)+" "+name] }
func (h fakeHost) Disabled() bool                                      { return false }
func (h fakeHost) Refresh()                                            {}

var hostSample = fakeHost{
	"bins jq":               {State: requires.StateFound, Where: "/usr/bin/jq"},
	"any_bins jq":           {State: requires.StateFound, Where: "/usr/bin/jq"},
	"bins rg":               {State: requires.StateOffPath, Where: "/opt/b/rg"},
	"any_bins rg":           {State: requires.StateOffPath, Where: "/opt/b/rg"},
	"bins fd":               {State: requires.StateOffPath, Where: "/opt/a/fd"},
	"bins gone":             {State: requires.StateMissing, Where: "/usr/bin:/bin"},
	"any_bins other":        {State: requires.StateMissing},
	"any_bins gone":         {State: requires.StateMissing, Where: "/usr/bin:/bin"},
	"bins ../x":             {State: requires.StateRefused},
	"python_packages numpy": {State: requires.StateFound, Where: "/usr/lib/python3"},
	"python_packages lost":  {State: requires.StateMissing, Where: "/s/python"},
}

func TestVerify(t *testing.T) {
	bin := func(name string) Requirement { return Requirement{requires.KindBin, name} }
	anyBin := func(name string) Requirement { return Requirement{requires.KindAnyBin, name} }
	python := func(name string) Requirement { return Requirement{requires.KindPython, name} }
	for _, tt := range []struct {
		name string
		step Step
		want Outcome
	}{
		{"nothing to look for", Step{}, Outcome{Status: StatusVerified}},
		{"all there", Step{Provides: []Requirement{bin("jq"), python("numpy")}, Bins: []string{"jq"}}, Outcome{Status: StatusVerified}},
		{"one alternative is enough", Step{Provides: []Requirement{anyBin("gone | jq | rg")}}, Outcome{Status: StatusVerified}},
		{"an alternative off PATH", Step{Provides: []Requirement{anyBin("gone | rg")}}, Outcome{
			Status: StatusOffPath, Missing: []Requirement{anyBin("gone | rg")}, Where: "/opt/b/rg",
			Detail: `it ran, but program "gone | rg" is installed as /opt/b/rg, which is not on PATH: export PATH="/opt/b:$PATH"`,
		}},
		{"two folders off PATH", Step{Bins: []string{"rg", "fd", "jq"}}, Outcome{
			Status: StatusOffPath, Missing: []Requirement{bin("rg"), bin("fd")}, Where: "/opt/b/rg",
			Detail: `it ran, but program "rg" is installed as /opt/b/rg, which is not on PATH; program "fd" is installed as /opt/a/fd, which is not on PATH: export PATH="/opt/b:/opt/a:$PATH"`,
		}},
		{"a recipe's bin that nothing requires", Step{Provides: []Requirement{bin("jq")}, Bins: []string{"gone"}}, Outcome{
			Status: StatusUnverified, Missing: []Requirement{bin("gone")},
			Detail: `it ran, but program "gone" is not on PATH (looked in /usr/bin:/bin)`,
		}},
		{"missing and off PATH", Step{Provides: []Requirement{bin("rg"), python("lost")}}, Outcome{
			Status: StatusUnverified, Missing: []Requirement{bin("rg"), python("lost")}, Where: "/opt/b/rg",
			Detail: `it ran, but program "rg" is installed as /opt/b/rg, which is not on PATH; python package "lost" is not there (looked in /s/python): export PATH="/opt/b:$PATH"`,
		}},
		{"a name that is not looked up", Step{Bins: []string{"../x"}}, Outcome{
			Status: StatusUnverified, Missing: []Requirement{bin("../x")},
			Detail: `it ran, but program "../x" has a name that is not looked up`,
		}},
		{"what cannot be told", Step{Provides: []Requirement{python("unknown")}}, Outcome{
			Status: StatusUnverified, Missing: []Requirement{python("unknown")},
			Detail: `it ran, but python package "unknown" was not checked`,
		}},
		{"what it creates", Step{Creates: "/nonexistent/python"}, Outcome{
			Status: StatusUnverified, Detail: "it ran, but /nonexistent/python is not there",
		}},
		{"what it creates is there", Step{Creates: t.TempDir()}, Outcome{Status: StatusVerified}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := verify(&tt.step, &Options{State: t.TempDir(), Host: hostSample, GOOS: "linux"})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("verify (-want +got):\n%s", diff)
			}
		})
	}
}

// The host may not know of the folder that the step used.
func TestVerifyOwnFolders(t *testing.T) {
	state := t.TempDir()
	dir := filepath.Join(state, `npm "$x`, "bin")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "gone")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	opts := &Options{State: state, Host: hostSample, GOOS: "linux"}
	for _, step := range []Step{{BinDir: dir, Bins: []string{"gone"}}, {LinkFrom: dir, Provides: []Requirement{{requires.KindAnyBin, "other | gone"}}}} {
		if err := os.Chmod(file, 0o644); err != nil {
			t.Fatal(err)
		}
		got := verify(&step, opts)
		if got.Status != StatusUnverified || !strings.HasSuffix(got.Detail, file+" is there and is not executable: chmod +x it") {
			t.Errorf("not executable: %s, %s", got.Status, got.Detail)
		}
		if err := os.Chmod(file, 0o755); err != nil {
			t.Fatal(err)
		}
		got = verify(&step, opts)
		want := `: export PATH="` + state + `/npm \"\$x/bin:$PATH"`
		if got.Status != StatusOffPath || got.Where != file || !strings.HasSuffix(got.Detail, want) {
			t.Errorf("executable: %s at %q, %s", got.Status, got.Where, got.Detail)
		}
	}
}

func TestVerifyRemoval(t *testing.T) {
	step := Step{Provides: []Requirement{{requires.KindBin, "gone"}}, Bins: []string{"jq"}}
	opts := &Options{Host: hostSample, GOOS: "linux"}
	step.Remove = []string{"/state/bin/jq"}
	left := []Requirement{{requires.KindBin, "jq"}}
	want := Outcome{Status: StatusVerified, Missing: left, Where: "/usr/bin/jq",
		Detail: `removed; of another origin, program "jq" is there as /usr/bin/jq`}
	if diff := cmp.Diff(want, verifyRemoval(&step, opts)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	step.Remove, step.Argv = nil, []string{"/usr/bin/apt-get", "remove", "jq"}
	want = Outcome{Status: StatusUnverified, Missing: left, Where: "/usr/bin/jq",
		Detail: `it ran, but program "jq" is there as /usr/bin/jq: another copy, or one that the installer keeps`}
	if diff := cmp.Diff(want, verifyRemoval(&step, opts)); diff != "" {
		t.Errorf("command (-want +got):\n%s", diff)
	}
	step.Bins = []string{"rg"}
	want = Outcome{Status: StatusUnverified, Missing: []Requirement{{requires.KindBin, "rg"}}, Where: "/opt/b/rg",
		Detail: `it ran, but program "rg" is installed as /opt/b/rg, which is not on PATH: another copy, or one that the installer keeps`}
	if diff := cmp.Diff(want, verifyRemoval(&step, opts)); diff != "" {
		t.Errorf("off PATH (-want +got):\n%s", diff)
	}
	step.Bins = nil
	if diff := cmp.Diff(Outcome{Status: StatusVerified}, verifyRemoval(&step, opts)); diff != "" {
		t.Errorf("gone (-want +got):\n%s", diff)
	}
}

func TestReceiptCheck(t *testing.T) {
	r := Receipt{Step: Step{
		Provides: []Requirement{{requires.KindBin, "jq"}, {requires.KindAnyBin, "gone | rg"}},
		Bins:     []string{"gone", "jq"},
	}}
	want := []requires.Item{
		{Kind: requires.KindBin, Name: "jq", State: requires.StateFound, Where: "/usr/bin/jq"},
		{Kind: requires.KindAnyBin, Name: "gone | rg", State: requires.StateOffPath, Where: "/opt/b/rg"},
		{Kind: requires.KindBin, Name: "gone", State: requires.StateMissing, Where: "/usr/bin:/bin"},
	}
	if diff := cmp.Diff(want, r.Check(hostSample)); diff != "" {
		t.Errorf("Check (-want +got):\n%s", diff)
	}
}
