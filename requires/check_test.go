package requires_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/requires"
)

// fake is an Env that has what it holds as "kind name", and knows nothing of
// the kinds in unchecked.
type fake struct {
	has       map[string]bool
	unchecked map[requires.Kind]bool
	disabled  bool
}

func (f fake) Disabled() bool { return f.disabled }

func (f fake) Lookup(kind requires.Kind, name string) requires.Status {
	switch {
	case f.unchecked[kind]:
		return requires.Status{}
	case f.has[string(kind)+" "+name]:
		return requires.Status{State: requires.StateFound, Where: "here"}
	}
	return requires.Status{State: requires.StateMissing, Where: "there"}
}

func having(things ...string) fake {
	f := fake{has: map[string]bool{}, unchecked: map[requires.Kind]bool{requires.KindPython: true}}
	for _, t := range things {
		f.has[t] = true
	}
	return f
}

func reqs(names ...string) []metadata.Requirement {
	var list []metadata.Requirement
	for i, name := range names {
		list = append(list, metadata.Requirement{Name: name, Pos: metadata.Position{Line: 3, Column: i + 1}})
	}
	return list
}

// describe is a report as text, an item to a line.
func describe(r requires.Report) string {
	var b strings.Builder
	fmt.Fprintln(&b, r.Readiness)
	for _, it := range r.Items {
		optional := ""
		if it.Optional {
			optional = " (optional)"
		}
		fmt.Fprintf(&b, "%s %s: %s%s\n", it.Kind, it.Name, it.State, optional)
	}
	for _, line := range r.Lacks() {
		fmt.Fprintln(&b, "lacks:", line)
	}
	if h := r.Hidden(); h != "" {
		fmt.Fprintln(&b, "hidden:", h)
	}
	return b.String()
}

func TestCheck(t *testing.T) {
	disabled := having("bins jq")
	disabled.disabled = true
	noTools := having()
	noTools.unchecked[requires.KindTool] = true
	noTools.unchecked[requires.KindAnyBin] = true

	tests := []struct {
		name string
		m    metadata.Manifest
		env  fake
		want string
	}{
		{
			name: "case 88 nothing required",
			env:  having(),
			want: "ready\n",
		}, {
			name: "case 91 only one of two bins",
			m:    metadata.Manifest{Requires: metadata.Requires{Bins: reqs("a", "b")}},
			env:  having("bins a"),
			want: `missing
bins a: found
bins b: missing
lacks: program "b" is not on PATH
`,
		}, {
			name: "case 92 one of any_bins",
			m:    metadata.Manifest{Requires: metadata.Requires{AnyBins: reqs("x", "y")}},
			env:  having("any_bins y"),
			want: "ready\nany_bins x: missing\nany_bins y: found\n",
		}, {
			name: "case 92 none of any_bins",
			m:    metadata.Manifest{Requires: metadata.Requires{Bins: reqs("b"), AnyBins: reqs("x", "y"), Env: reqs("V")}},
			env:  having(),
			want: `missing
bins b: missing
any_bins x: missing
any_bins y: missing
env V: missing
lacks: program "b" is not on PATH
lacks: environment variable "V" is not set, or empty
lacks: none of the programs "x", "y" is on PATH
`,
		}, {
			name: "case 97 always does not skip the checks",
			m:    metadata.Manifest{Always: true, Requires: metadata.Requires{Bins: reqs("uv")}},
			env:  having(),
			want: "missing\nbins uv: missing\nlacks: program \"uv\" is not on PATH\n",
		}, {
			name: "case 98 disabled, and still reported",
			m:    metadata.Manifest{OS: []string{"plan9"}, Requires: metadata.Requires{Bins: reqs("jq", "rg")}},
			env:  disabled,
			want: `disabled
os plan9: missing
bins jq: found
bins rg: missing
lacks: program "rg" is not on PATH
hidden: disabled in the configuration
`,
		}, {
			name: "case 86 unreadable metadata is unknown, not ready",
			m:    metadata.Manifest{RequiresUnknown: true},
			env:  having(),
			want: "unknown\n",
		}, {
			name: "what is certainly missing comes before what is unknown",
			m:    metadata.Manifest{RequiresUnknown: true, Requires: metadata.Requires{Bins: reqs("jq")}},
			env:  having(),
			want: "missing\nbins jq: missing\nlacks: program \"jq\" is not on PATH\n",
		}, {
			name: "case 89 B49 one of several systems",
			m:    metadata.Manifest{OS: []string{"darwin", "linux"}},
			env:  having("os linux"),
			want: "ready\nos darwin: missing\nos linux: found\n",
		}, {
			name: "B49 an unknown system matches nothing",
			m:    metadata.Manifest{OS: []string{"plan9x"}, Requires: metadata.Requires{Bins: reqs("jq")}},
			env:  having("os linux"),
			want: `unsupported
os plan9x: missing
bins jq: missing
lacks: program "jq" is not on PATH
hidden: only for "plan9x"; this is there
`,
		}, {
			name: "python packages alone are neither there nor missing",
			m:    metadata.Manifest{Requires: metadata.Requires{PythonPackages: reqs("matplotlib>=3")}},
			env:  having(),
			want: "unknown\npython_packages matplotlib>=3: unchecked\n",
		}, {
			name: "what was not checked does not hide what is missing",
			m:    metadata.Manifest{Requires: metadata.Requires{Bins: reqs("jq"), PythonPackages: reqs("rich")}},
			env:  having(),
			want: "missing\nbins jq: missing\npython_packages rich: unchecked\nlacks: program \"jq\" is not on PATH\n",
		}, {
			name: "an unchecked alternative may be there",
			m:    metadata.Manifest{Requires: metadata.Requires{AnyBins: reqs("x"), Tools: reqs("exec")}},
			env:  noTools,
			want: "unknown\nany_bins x: unchecked\ntools exec: unchecked\n",
		}, {
			name: "optional things never make a skill unready",
			m: metadata.Manifest{Requires: metadata.Requires{
				OptionalBins: reqs("fd"), OptionalEnv: reqs("E"), OptionalConfig: reqs("c.d"), OptionalPythonPackages: reqs("rich"),
			}},
			env: having("env E"),
			want: `ready
bins fd: missing (optional)
env E: found (optional)
config c.d: missing (optional)
python_packages rich: unchecked (optional)
`,
		}, {
			name: "every kind",
			m: metadata.Manifest{Requires: metadata.Requires{
				Config: reqs("github.host"), Skills: reqs("jq"), Tools: reqs("browser"),
			}},
			env: having("skills jq"),
			want: `missing
config github.host: missing
skills jq: found
tools browser: missing
lacks: configuration key "github.host" is not set
lacks: tool "browser" is not there
`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, describe(requires.Check(&tt.m, tt.env))); diff != "" {
				t.Errorf("Check mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReportLists(t *testing.T) {
	m := metadata.Manifest{OS: []string{"darwin"}, Requires: metadata.Requires{
		Bins: reqs("a"), AnyBins: reqs("x", "y"), PythonPackages: reqs("p"), OptionalBins: reqs("o"),
	}}
	names := func(items []requires.Item) (list []string) {
		for _, it := range items {
			list = append(list, it.Name)
		}
		return list
	}

	r := requires.Check(&m, having())
	if got, want := names(r.Missing()), []string{"a", "x", "y"}; !cmp.Equal(got, want) {
		t.Errorf("Missing = %v, want %v", got, want)
	}
	if got, want := names(r.Unchecked()), []string{"p"}; !cmp.Equal(got, want) {
		t.Errorf("Unchecked = %v, want %v", got, want)
	}
	r = requires.Check(&m, having("any_bins y"))
	if got, want := names(r.Missing()), []string{"a"}; !cmp.Equal(got, want) {
		t.Errorf("with y, Missing = %v, want %v", got, want)
	}
}

func TestItemTellsPosition(t *testing.T) {
	m := metadata.Manifest{Requires: metadata.Requires{Bins: reqs("a", "b")}}
	got, err := json.Marshal(requires.Check(&m, having("bins a")))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"readiness":"missing","items":[` +
		`{"kind":"bins","name":"a","state":"found","where":"here","pos":{"line":3,"column":1}},` +
		`{"kind":"bins","name":"b","state":"missing","where":"there","pos":{"line":3,"column":2}}]}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("JSON mismatch (-want +got):\n%s", diff)
	}
}

func TestItemString(t *testing.T) {
	tests := []struct {
		item requires.Item
		want string
	}{
		{requires.Item{Kind: requires.KindBin, Name: "jq", State: requires.StateFound}, `program "jq" is there`},
		{
			requires.Item{Kind: requires.KindBin, Name: "jq", State: requires.StateOffPath, Where: "/opt/bin/jq"},
			`program "jq" is installed as /opt/bin/jq, which is not on PATH`,
		},
		{requires.Item{Kind: requires.KindBin, Name: "a/b", State: requires.StateRefused}, `program "a/b" has a name that is not looked up`},
		{requires.Item{Kind: requires.KindBin, Name: "a\x1b[2J", State: requires.StateMissing}, `program "a\x1b[2J" is not on PATH`},
		{requires.Item{Kind: requires.KindPython, Name: "numpy", State: requires.StateUnchecked}, `python package "numpy" was not checked`},
		{requires.Item{Kind: requires.KindSkill, Name: "jq", State: requires.StateMissing}, `skill "jq" is not there`},
		{requires.Item{Kind: requires.KindOS, Name: "darwin", State: requires.StateMissing}, `system "darwin" is not this system`},
	}
	for _, tt := range tests {
		if got := tt.item.String(); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}
