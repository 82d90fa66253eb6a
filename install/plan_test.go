package install_test

import (
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/matrix-nexus/skillkit/install"
	"github.com/matrix-nexus/skillkit/internal/golden"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/requires"
)

// TestPlan makes the plan for the skills of each archive in testdata/plan on
// the machine that its file "machine" describes, and compares it with the file
// "want". The comment of an archive says why it exists.
func TestPlan(t *testing.T) {
	golden.Archives(t, "testdata/plan/*.txtar", func(t *testing.T, ar *txtar.Archive) string {
		targets, opts := scene(t, ar)
		plan := install.NewPlan(targets, opts)
		checkPlan(t, plan, targets)
		if diff := cmp.Diff(plan, install.NewPlan(targets, opts)); diff != "" {
			t.Errorf("a second plan differs:\n%s", diff)
		}
		return describePlan(plan)
	})
}

// scene reads the machine and the skills of an archive.
func scene(t testing.TB, ar *txtar.Archive) ([]install.Target, *install.Options) {
	t.Helper()
	host := &fakeHost{}
	opts := &install.Options{GOOS: "linux", State: "/state", Host: host}
	refused := map[string]string{}
	machine, _, _ := strings.Cut(string(ar.Files[0].Data), "\n\n")
	if ar.Files[0].Name != "machine" {
		t.Fatal("the first file is not the machine")
	}
	for line := range strings.Lines(machine) {
		key, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		var kinds []metadata.Kind
		for _, w := range strings.Fields(rest) {
			kinds = append(kinds, metadata.Kind(w))
		}
		switch key {
		case "os":
			opts.GOOS = rest
		case "state":
			opts.State = rest
		case "env":
			opts.Environ = append(opts.Environ, rest)
		case "file":
			host.files = append(host.files, strings.Fields(rest)...)
		case "off":
			host.off = append(host.off, strings.Fields(rest)...)
		case "has":
			host.has = append(host.has, rest)
		case "root":
			opts.Superuser = true
		case "shell":
			opts.AllowShell = true
		case "kinds":
			opts.Kinds = kinds
		case "prefer":
			opts.Prefer = kinds
		case "allow":
			opts.Allow = append([]string{}, strings.Fields(rest)...)
		case "node":
			opts.NodeManager = rest
		case "index":
			opts.PythonIndex = rest
		case "refused":
			name, why, _ := strings.Cut(rest, " ")
			refused[name] = why
		default:
			t.Fatalf("machine: %q is not known", key)
		}
	}
	env := *host
	env.has = append(env.has, "os "+opts.GOOS)
	var targets []install.Target
	for _, f := range ar.Files[1:] {
		if path.Base(f.Name) != "SKILL.md" {
			continue
		}
		doc, err := metadata.Parse(f.Name, f.Data, nil)
		if err != nil {
			t.Fatal(err)
		}
		m := doc.Manifest
		targets = append(targets, install.Target{
			Name: m.Name, Manifest: &m, Report: requires.Check(&m, &env), Refused: refused[m.Name],
		})
	}
	return targets, opts
}

// A mill makes manifests in which every part of a recipe is now sound, now not.
type mill struct{ *rand.Rand }

func (m mill) one(list ...string) string { return list[m.IntN(len(list))] }

func (m mill) some(n int, list ...string) []string {
	var out []string
	for range m.IntN(n + 1) {
		out = append(out, m.one(list...))
	}
	return out
}

func (m mill) recipe() metadata.Recipe {
	words := []string{"jq", "rg", "numpy", "x", "Y", "@a/x", "a/b/c", "example.com/x", "example.com/cmd/jq@v1", "numpy>=2", "--HEAD", "-e", ".", "x;id", "g++", "bash-", "https://example.com/x", "", "x\ny"}
	r := metadata.Recipe{
		ID:      m.one("", "a", "b", "c", "long "+strings.Repeat("d", 100), "\x1b[0m"),
		Kind:    metadata.Kind(m.one("brew", "apt", "npm", "go", "pip", "uv", "download", "shell", "pipx", "cargo", "gem", "dnf", "choco", "winget", "exec", "script", "manual", "nope", "")),
		Label:   m.one("", "Install it", "a\nb"),
		Bins:    m.some(2, "jq", "rg", "x", "y", "../x", "-x"),
		OS:      m.some(1, "linux", "darwin", "plan9"),
		Command: m.one("", "make", "brew uninstall jq", "pip uninstall numpy", "\u202e"),
		Pos:     metadata.Position{Line: 1, Column: 1},
	}
	if r.Kind == metadata.KindDownload || m.IntN(8) == 0 {
		r.URL = m.one("", "https://example.com/x.tar.gz", "https://example.com/jq", "http://example.com/x", "https://example.com/y.zip", "https://example.com/x.gz")
		r.SHA256 = m.one("", strings.Repeat("a", 64), "x")
		r.Archive = m.one("", "", "zip", "rar")
		r.Extract = m.IntN(2) == 0
		r.TargetDir = m.one("", "bin", "../x", "/x", "a/b")
	} else {
		r.Packages = m.some(2, words...)
	}
	if m.IntN(4) == 0 {
		r.Extra = map[string]any{"tap": m.one("a/b", "-x", ""), "cask": m.IntN(2) == 0}
	}
	return r
}

func (m mill) manifest(name string) *metadata.Manifest {
	mf := &metadata.Manifest{Name: name, OS: m.some(1, "linux", "darwin", "windows"), Homepage: m.one("", "https://example.com")}
	mf.Requires = metadata.Requires{
		Bins: reqs(slices.Compact(m.some(3, "jq", "rg", "x", "y", "a/b"))...), AnyBins: reqs(m.some(2, "jq", "fd", "x")...),
		Env: reqs(m.some(1, "KEY")...), Config: reqs(m.some(1, "a.b")...), Skills: reqs(m.some(1, "other")...), Tools: reqs(m.some(1, "tool")...),
		PythonPackages: reqs(m.some(2, "numpy", "numpy>=2", "cv2", "x @ https://example.com/x", "-e .")...),
	}
	for range m.IntN(5) {
		mf.Install = append(mf.Install, m.recipe())
	}
	for range m.IntN(3) {
		mf.Uninstall = append(mf.Uninstall, m.recipe())
	}
	return mf
}

// TestPlanAccounts makes plans, and plans for the way back, of any recipes on
// any machine, and checks what holds for all of them.
func TestPlanAccounts(t *testing.T) {
	var steps, unresolved, unused, removals int
	for seed := range uint64(3000) {
		m := mill{rand.New(rand.NewPCG(seed, 3))}
		kinds := []metadata.Kind{"brew", "apt", "npm", "go", "pip", "uv", "download", "shell", "pipx", "cargo", "gem", "dnf", "choco", "winget"}
		opts := &install.Options{
			State: "/state", GOOS: m.one("linux", "linux", "darwin"), Environ: []string{"HOME=/home/me", "PATH=" + m.one("/usr/bin", "/usr/bin:/home/me/.local/bin:/home/me/go/bin")},
			AllowShell: m.IntN(2) == 0, Superuser: m.IntN(4) == 0, NodeManager: m.one("", "npm", "pnpm", "yarn", "bun", "deno"), PythonIndex: m.one("", "https://example.com/simple"),
		}
		host := &fakeHost{has: []string{"os " + opts.GOOS}}
		for _, p := range []string{"brew", "apt-get", "sudo", "env", "npm", "pnpm", "yarn", "bun", "go", "python3", "uv", "sh", "pipx", "cargo", "gem", "dnf", "choco", "winget", "jq", "rg"} {
			switch m.IntN(4) {
			case 0, 1:
				host.files = append(host.files, "/usr/bin/"+p)
			case 2:
				host.off = append(host.off, "/opt/x/bin/"+p)
			}
		}
		opts.Host = host
		switch m.IntN(3) {
		case 0:
			opts.Kinds = kinds
		case 1:
			opts.Allow = m.some(9, "brew", "apt:*", "npm:@a/*", "pip", "uv", "go", "download:example.com/**", "shell", "cargo")
		}
		opts.Prefer = kinds[:m.IntN(4)]
		var targets []install.Target
		for i := range 1 + m.IntN(4) {
			mf := m.manifest(fmt.Sprintf("skill%d", i))
			target := install.Target{Name: mf.Name, Manifest: mf, Report: requires.Check(mf, host)}
			if m.IntN(8) == 0 {
				target.Refused = "it is not trusted"
			}
			targets = append(targets, target)
		}
		plan := install.NewPlan(targets, opts)
		checkPlan(t, plan, targets)
		if diff := cmp.Diff(plan, install.NewPlan(targets, opts)); diff != "" {
			t.Errorf("a second plan differs:\n%s", diff)
		}
		steps, unresolved, unused = steps+len(plan.Steps), unresolved+len(plan.Unresolved), unused+len(plan.Unused)
		receipts := receiptsOf(plan)
		for _, target := range targets {
			back := install.NewRemoval(target.Name, target.Manifest.Uninstall, receipts, opts)
			checkRemoval(t, back, receipts, opts)
			removals += len(back.Steps)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	t.Logf("figure: %d steps, %d unresolved, %d unused, %d steps back", steps, unresolved, unused, removals)
}

// What is behind the limit is told, without a word on each recipe.
func TestPlanMaxNeeds(t *testing.T) {
	m := &metadata.Manifest{Name: "s", Install: []metadata.Recipe{{Kind: metadata.KindBrew, Packages: []string{"x"}}}}
	for i := range install.MaxNeeds + 1 {
		name := fmt.Sprintf("b%d", i)
		m.Requires.Bins = append(m.Requires.Bins, reqs(name)...)
		m.Install = append(m.Install, metadata.Recipe{Kind: metadata.KindBrew, Packages: []string{name}, Bins: []string{name}})
	}
	m.Install = slices.Concat(m.Install[1:3], m.Install[install.MaxNeeds:]) // for the first two, the last that is looked at, and the one behind
	opts := &install.Options{GOOS: "linux", State: "/state", Host: &fakeHost{files: []string{"/usr/bin/brew"}}}
	targets := []install.Target{{Name: "s", Manifest: m, Report: requires.Check(m, opts.Host)}}
	plan := install.NewPlan(targets, opts)
	last := plan.Unresolved[len(plan.Unresolved)-1]
	if len(plan.Steps) != 3 || last.Reason != "is behind the first 200 things that the skill lacks" || len(last.Tried) > 0 {
		t.Errorf("got %d steps, and last %+v", len(plan.Steps), last)
	}
}

// Limits hold at the limit and no longer one past it.
func TestPlanLimits(t *testing.T) {
	brew := func(packages ...string) metadata.Recipe {
		return metadata.Recipe{Kind: metadata.KindBrew, Packages: packages, Bins: []string{"x"}}
	}
	many := func(n int) metadata.Recipe {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf("p%d", i))
		}
		return brew(list...)
	}
	behind := func(n int) []metadata.Recipe {
		return append(slices.Repeat([]metadata.Recipe{{Kind: metadata.KindManual}}, n), brew("x"))
	}
	from := func(n int) metadata.Recipe {
		url := "https://example.com/"
		return metadata.Recipe{Kind: metadata.KindDownload, URL: url + strings.Repeat("x", n-len(url)), Bins: []string{"x"}}
	}
	tests := []struct {
		name    string
		recipes []metadata.Recipe
		steps   int
	}{
		{"packages", []metadata.Recipe{many(install.MaxPackages)}, 1},
		{"one package more", []metadata.Recipe{many(install.MaxPackages + 1)}, 0},
		{"recipes", behind(install.MaxRecipes - 1), 1},
		{"one recipe more", behind(install.MaxRecipes), 0},
		{"URL", []metadata.Recipe{from(install.MaxURL)}, 1},
		{"URL of one byte more", []metadata.Recipe{from(install.MaxURL + 1)}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			opts := &install.Options{GOOS: "linux", State: "/state", Host: &fakeHost{files: []string{"/usr/bin/brew"}}}
			m := &metadata.Manifest{Name: "s", Install: tt.recipes}
			m.Requires.Bins = reqs("x")
			targets := []install.Target{{Name: "s", Manifest: m, Report: requires.Check(m, opts.Host)}}
			plan := install.NewPlan(targets, opts)
			checkPlan(t, plan, targets)
			if len(plan.Steps) != tt.steps {
				t.Errorf("got %d steps, want %d", len(plan.Steps), tt.steps)
			}
		})
	}
}

// Without options nothing can be planned, and nothing breaks.
func TestPlanWithoutOptions(t *testing.T) {
	m := &metadata.Manifest{Name: "s", Install: []metadata.Recipe{{Kind: metadata.KindBrew, Packages: []string{"x"}}}}
	m.Requires.Bins = reqs("x")
	targets := []install.Target{{Name: "s", Manifest: m, Report: requires.Check(m, &fakeHost{})}, {Name: "none"}}
	if plan := install.NewPlan(targets, nil); len(plan.Steps) != 0 || len(plan.Unresolved) != 1 {
		t.Errorf("got %+v", plan)
	}
	receipts := []install.Receipt{{Step: install.Step{ID: "brew:x", Kind: "brew", Skills: []string{"s"}, Packages: []string{"x"}}}}
	if plan := install.NewRemoval("s", nil, receipts, nil); len(plan.Steps) != 0 || len(plan.Unresolved) != 1 {
		t.Errorf("got %+v", plan)
	}
}
