package install_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/matrix-nexus/skillkit/bundled"
	"github.com/matrix-nexus/skillkit/install"
	"github.com/matrix-nexus/skillkit/internal/golden"
	"github.com/matrix-nexus/skillkit/loader"
	"github.com/matrix-nexus/skillkit/requires"
	"github.com/matrix-nexus/skillkit/skills"
)

// The machines that the plans of real skills are made for. None has a program
// that a skill requires, so that every recipe is looked at.
var machines = []struct {
	name string
	host fakeHost
	opts install.Options
}{
	{
		"linux", fakeHost{files: []string{"/usr/bin/apt-get", "/usr/bin/sudo", "/usr/bin/env", "/usr/bin/npm", "/usr/local/go/bin/go", "/usr/bin/python3", "/bin/sh"}},
		install.Options{GOOS: "linux", State: "/state", Environ: []string{"HOME=/home/me", "PATH=/usr/local/go/bin:/usr/bin:/bin"}},
	},
	{
		"linux-brew", fakeHost{
			files: []string{"/usr/bin/apt-get", "/usr/bin/sudo", "/usr/bin/env", "/usr/bin/npm", "/usr/local/go/bin/go", "/usr/bin/python3", "/bin/sh"},
			off:   []string{"/home/linuxbrew/.linuxbrew/bin/brew"},
		},
		install.Options{GOOS: "linux", State: "/state", Environ: []string{"HOME=/home/me", "PATH=/usr/local/go/bin:/usr/bin:/bin"}},
	},
	{
		"darwin", fakeHost{files: []string{"/usr/local/bin/npm", "/usr/local/go/bin/go", "/usr/bin/python3", "/bin/sh", "/usr/bin/sudo"}},
		install.Options{GOOS: "darwin", State: "/state", Environ: []string{"HOME=/Users/me", "PATH=/Users/me/go/bin:/usr/local/bin:/usr/local/go/bin:/usr/bin:/bin"}},
	},
	{
		"darwin-brew", fakeHost{files: []string{"/opt/homebrew/bin/brew", "/opt/homebrew/bin/npm", "/opt/homebrew/bin/uv", "/usr/local/go/bin/go", "/usr/bin/python3", "/bin/sh", "/usr/bin/sudo"}},
		install.Options{GOOS: "darwin", State: "/state", Environ: []string{"HOME=/Users/me", "PATH=/opt/homebrew/bin:/Users/me/.local/bin:/Users/me/go/bin:/usr/local/go/bin:/usr/bin:/bin"}},
	},
}

// TestOpenclawPlans plans for real skills (testdata/openclaw) on machines that
// have next to nothing.
func TestOpenclawPlans(t *testing.T) {
	dir := filepath.Join("..", "cache", "openclaw", "skills")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the real skills are not here; fetch them with testdata/openclaw/fetch")
	}
	set, err := loader.New(&loader.Options{Roots: []loader.Root{{Dir: dir}}}).Skills(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	planMachines(t, set, "openclaw")
}

// TestBundledPlans does the same for the skills of package bundled.
func TestBundledPlans(t *testing.T) {
	set, err := loader.New(&loader.Options{Roots: []loader.Root{{FS: bundled.FS()}}}).Skills(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	planMachines(t, set, "bundled")
}

// planMachines plans for the skills of a set on each machine, and compares with
// golden files.
func planMachines(t *testing.T, set *skills.Set, name string) {
	for _, tt := range machines {
		t.Run(tt.name, func(t *testing.T) {
			var targets []install.Target
			recipes := 0
			for s := range set.All() {
				m, err := s.Manifest()
				if err != nil {
					t.Fatal(err)
				}
				env := tt.host
				env.has = append(env.has, "os "+tt.opts.GOOS)
				named := *m
				named.Homepage = "" // the golden files hold names only
				targets = append(targets, install.Target{Name: s.Name, Manifest: &named, Report: requires.Check(m, &env)})
				recipes += len(m.Install)
			}
			tt.opts.Host = &tt.host
			plan := install.NewPlan(targets, &tt.opts)
			checkPlan(t, plan, targets)
			golden.File(t, filepath.Join("testdata", name+"-"+tt.name+".txt"), describePlan(plan))
			t.Logf("figure: %d skills, %d recipes: %d steps, %d unresolved, %d unused", len(targets), recipes, len(plan.Steps), len(plan.Unresolved), len(plan.Unused))
		})
	}
}

// describePlan writes a plan for people. The labels, which are text of the
// recipes, are left out.
func describePlan(p *install.Plan) string {
	var b bytes.Buffer
	for _, s := range p.Steps {
		fmt.Fprintf(&b, "step %s\n  for %s\n", s.ID, strings.Join(s.Skills, ", "))
		for _, q := range s.Provides {
			fmt.Fprintf(&b, "  gives %s %s\n", q.Kind, q.Name)
		}
		fmt.Fprintf(&b, "  reason: %s\n", s.Reason)
		if s.Argv != nil {
			fmt.Fprintf(&b, "  argv: %s\n", quoted(s.Argv))
		}
		if s.Env != nil {
			fmt.Fprintf(&b, "  env: %s\n", quoted(s.Env))
		}
		if d := s.Download; d != nil {
			fmt.Fprintf(&b, "  download: %+v\n", *d)
		}
		for _, kv := range [][2]string{{"creates", s.Creates}, {"link from", s.LinkFrom}, {"bin dir", s.BinDir}, {"undo", s.Undo},
			{"remove", strings.Join(s.Remove, " ")}, {"after", strings.Join(s.After, " ")}} {
			if kv[1] != "" {
				fmt.Fprintf(&b, "  %s: %s\n", kv[0], kv[1])
			}
		}
	}
	for _, u := range p.Unresolved {
		fmt.Fprintf(&b, "unresolved %s: %s %s\n  %s\n", u.Skill, u.Requirement.Kind, u.Requirement.Name, u.Reason)
		for _, tr := range u.Tried {
			fmt.Fprintf(&b, "  %s: %s\n", tr.Recipe, tr.WhyNot)
		}
	}
	for _, u := range p.Unused {
		fmt.Fprintf(&b, "unused %s: %s: %s\n", u.Skill, u.Recipe, u.Reason)
	}
	return b.String()
}

// quoted joins words, with quotes around those that need them.
func quoted(words []string) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		if w == "" || strings.ContainsAny(w, " \t\n\"'$;&|<>*()`\\") {
			fmt.Fprintf(&b, "%q", w)
		} else {
			b.WriteString(w)
		}
	}
	return b.String()
}

// checkPlan checks what holds for every plan: it can be run in its order, its
// commands hold no options but those of this package, and nothing that is
// missing and no recipe is passed over in silence.
func checkPlan(t testing.TB, p *install.Plan, targets []install.Target) {
	t.Helper()
	seen := map[string]bool{}
	dirs := map[string]bool{}
	used := map[string]int{}
	provided := map[string]bool{}
	for _, s := range p.Steps {
		if seen[s.ID] {
			t.Errorf("two steps %s", s.ID)
		}
		for _, id := range s.After {
			if !seen[id] {
				t.Errorf("step %s comes before %s", s.ID, id)
			}
		}
		seen[s.ID] = true
		if (s.Argv != nil) == (s.Download != nil) || s.Label == "" || s.Reason == "" || len(s.Skills) == 0 || !slices.IsSorted(s.Skills) {
			t.Errorf("step %s is not whole: %+v", s.ID, s)
		}
		if strings.ContainsFunc(s.Label+s.Reason, unicode.IsControl) {
			t.Errorf("step %s: %q %q is not one line", s.ID, s.Label, s.Reason)
		}
		if s.Argv != nil && !filepath.IsAbs(s.Argv[0]) {
			t.Errorf("step %s: %s is not absolute", s.ID, s.Argv[0])
		}
		if s.Argv != nil && !s.Shell {
			checkOperands(t, &s)
		}
		if s.Shell && len(s.Argv) != 3 {
			t.Errorf("step %s: %q", s.ID, s.Argv)
		}
		if d := s.Download; d != nil {
			if dirs[d.Dir] || strings.Count(d.Dir, "/") != 4 || !strings.HasPrefix(d.Dir, "/state/tools/") || filepath.Clean(d.Dir) != d.Dir {
				t.Errorf("step %s: folder %q", s.ID, d.Dir)
			}
			dirs[d.Dir] = true
		}
		for _, b := range s.Bins {
			if err := install.CheckBin(b); err != nil {
				t.Errorf("step %s: %v", s.ID, err)
			}
		}
		for _, src := range s.Recipes {
			used[src.Skill]++
		}
		for _, q := range s.Provides {
			for _, skill := range s.Skills {
				provided[fmt.Sprint(skill, q)] = true
			}
		}
	}
	tried := map[string]int{}
	for _, u := range p.Unresolved {
		tried[u.Skill] = len(u.Tried)
		provided[fmt.Sprint(u.Skill, u.Requirement)] = true
		if u.Reason == "" {
			t.Errorf("%s: %v has no reason", u.Skill, u.Requirement)
		}
		for _, tr := range u.Tried {
			if tr.Recipe == "" || tr.WhyNot == "" || strings.ContainsFunc(tr.Recipe+tr.WhyNot, unicode.IsControl) {
				t.Errorf("%s: tried %+q", u.Skill, tr)
			}
		}
	}
	for _, u := range p.Unused {
		used[u.Skill]++
		if u.Recipe == "" || u.Reason == "" || strings.ContainsFunc(u.Recipe+u.Reason, unicode.IsControl) {
			t.Errorf("%s: unused %+q", u.Skill, u)
		}
	}
	for i := range targets {
		target := &targets[i]
		want := len(target.Manifest.Install)
		if n, ok := tried[target.Name]; ok && n != want || !ok && used[target.Name] != want {
			t.Errorf("%s: %d recipes, of which %d are tried, or %d used or unused", target.Name, want, n, used[target.Name])
		}
		if target.Report.Hidden() != "" {
			continue
		}
		var anyOf []string
		for _, it := range target.Report.Missing() {
			if it.Kind == requires.KindAnyBin {
				anyOf = append(anyOf, it.Name)
			} else if q := (install.Requirement{Kind: it.Kind, Name: it.Name}); !provided[fmt.Sprint(target.Name, q)] {
				t.Errorf("%s: %v is neither provided nor unresolved", target.Name, q)
			}
		}
		if q := (install.Requirement{Kind: requires.KindAnyBin, Name: strings.Join(anyOf, " | ")}); anyOf != nil && !provided[fmt.Sprint(target.Name, q)] {
			t.Errorf("%s: %v is neither provided nor unresolved", target.Name, q)
		}
	}
}
