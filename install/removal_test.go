package install_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/matrix-nexus/skillkit/install"
	"github.com/matrix-nexus/skillkit/internal/golden"
	"github.com/matrix-nexus/skillkit/metadata"
)

// TestRemovalOfPlans plans the removal of each skill of each archive in
// testdata/plan, as if all of its plan had been run.
func TestRemovalOfPlans(t *testing.T) {
	files, err := filepath.Glob("testdata/plan/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	var got strings.Builder
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		targets, opts := scene(t, ar)
		receipts := receiptsOf(install.NewPlan(targets, opts))
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		if len(receipts) > 0 {
			got.WriteString("# " + name + "\n")
		}
		for _, target := range targets {
			plan := install.NewRemoval(target.Name, target.Manifest.Uninstall, receipts, opts)
			checkRemoval(t, plan, receipts, opts)
			if len(plan.Steps)+len(plan.Unresolved)+len(plan.Unused) > 0 {
				got.WriteString("## " + target.Name + "\n" + describePlan(plan))
			}
		}
	}
	golden.File(t, "testdata/removal.txt", got.String())
}

// receiptsOf returns the receipts of a plan of which all was done.
func receiptsOf(p *install.Plan) []install.Receipt {
	var list []install.Receipt
	for _, s := range p.Steps {
		r := install.Receipt{Step: s, State: install.ReceiptInstalled}
		switch {
		case s.Download != nil:
			r.Files = append(r.Files, s.Download.Dir)
		case s.Kind == metadata.KindGo:
			for _, b := range s.Bins {
				r.Files = append(r.Files, s.BinDir+"/"+b)
			}
		}
		list = append(list, r)
	}
	return list
}

// checkRemoval checks what holds for every removal: nothing is touched that no
// receipt names.
func checkRemoval(t testing.TB, p *install.Plan, receipts []install.Receipt, opts *install.Options) {
	t.Helper()
	seen := map[string]bool{}
	for _, s := range p.Steps {
		var was *install.Receipt
		for i := range receipts {
			if receipts[i].Step.ID == s.Undo {
				was = &receipts[i]
			}
		}
		if was == nil || seen[s.ID] || s.Label == "" || s.Reason == "" {
			t.Fatalf("step %s undoes nothing, is there twice or is not whole", s.ID)
		}
		for _, id := range s.After {
			if !seen[id] {
				t.Errorf("step %s comes before %s", s.ID, id)
			}
		}
		seen[s.ID] = true
		for _, path := range s.Remove {
			rel, err := filepath.Rel(opts.State, path)
			if below := err == nil && filepath.IsLocal(rel) && rel != "."; !below && filepath.Dir(path) != was.Step.BinDir {
				t.Errorf("step %s removes %s", s.ID, path)
			}
		}
		if s.Argv != nil && !s.Shell {
			checkOperands(t, &s)
		}
		if len(s.Packages) > len(was.Step.Packages) {
			t.Errorf("step %s removes more than %s installed", s.ID, was.Step.ID)
		}
	}
}

// checkOperands checks that the packages are the last words of a command, and
// no options.
func checkOperands(t testing.TB, s *install.Step) {
	t.Helper()
	if len(s.Packages) == 0 || len(s.Argv) <= len(s.Packages) {
		if len(s.Packages) > 0 {
			t.Errorf("step %s: command %q lacks packages", s.ID, s.Argv)
		}
		return
	}
	if diff := cmp.Diff(s.Packages, s.Argv[len(s.Argv)-len(s.Packages):]); diff != "" {
		t.Errorf("step %s: packages are not the end of the command:\n%s", s.ID, diff)
	}
	for _, pkg := range s.Packages {
		if err := install.CheckPackage(s.Kind, pkg); err != nil || strings.HasPrefix(pkg, "-") {
			t.Errorf("step %s: package %q: %v", s.ID, pkg, err)
		}
	}
}

func TestRemoval(t *testing.T) {
	everything := &fakeHost{files: []string{"/usr/bin/brew", "/usr/bin/apt-get", "/usr/bin/sudo", "/usr/bin/env", "/usr/bin/npm", "/usr/bin/python3", "/bin/sh", "/usr/bin/uv", "/usr/bin/jq"}}
	nothing := &fakeHost{files: []string{"/usr/bin/brew", "/usr/bin/apt-get"}}
	brew := install.Step{ID: "brew:jq", Kind: "brew", Skills: []string{"s"}, Packages: []string{"jq"}, Bins: []string{"jq"},
		Recipes: []install.Source{{Skill: "s", Recipe: "b"}}, Provides: []install.Requirement{{Kind: "bins", Name: "jq"}}}
	with := func(s install.Step, change func(*install.Step)) install.Step { change(&s); return s }
	pip := install.Step{ID: "pip:matplotlib,seaborn", Kind: "pip", Skills: []string{"s"}, Packages: []string{"matplotlib>=3", "seaborn[stats]"}, After: []string{"python"}}
	python := install.Step{ID: "python", Kind: "pip", Skills: []string{"s"}, Creates: "/state/python/bin/pip"}
	shell := install.Step{ID: "shell:1", Kind: "shell", Shell: true, Skills: []string{"s"}, Argv: []string{"/bin/sh", "-c", "make"}, Recipes: []install.Source{{Skill: "s", Recipe: "sh"}}, Bins: []string{"x"}}

	tests := []struct {
		name    string
		host    *fakeHost
		shell   bool
		recipes []metadata.Recipe
		state   install.ReceiptState
		steps   []install.Step
		files   []string // of the first
		want    string
	}{
		{name: "without a recipe", steps: []install.Step{brew}, want: `
step undo:brew:jq: /usr/bin/brew uninstall jq
`},
		{name: "a recipe with the id", steps: []install.Step{brew}, recipes: []metadata.Recipe{{ID: "b", Kind: "brew", Packages: []string{"jq"}}}, want: `
step undo:brew:jq: /usr/bin/brew uninstall jq
`},
		{name: "a recipe with the id and no package takes that of its pair", steps: []install.Step{brew}, recipes: []metadata.Recipe{{ID: "b", Kind: "brew"}}, want: `
step undo:brew:jq: /usr/bin/brew uninstall jq
`},
		{name: "a recipe for more than was installed", steps: []install.Step{brew}, recipes: []metadata.Recipe{{ID: "b", Kind: "brew", Packages: []string{"jq", "git"}}}, want: `
step undo:brew:jq: /usr/bin/brew uninstall jq
unused b: would remove "git", which was not installed with it
`},
		{name: "a command for more than was installed", steps: []install.Step{brew}, recipes: []metadata.Recipe{{ID: "b", Kind: "brew", Command: "brew uninstall git"}}, want: `
step undo:brew:jq: /usr/bin/brew uninstall jq
unused b: would remove "git", which was not installed with it
`},
		{name: "a recipe for another installer", steps: []install.Step{brew}, recipes: []metadata.Recipe{{ID: "b", Kind: "apt", Packages: []string{"jq"}}}, want: `
step undo:brew:jq: /usr/bin/brew uninstall jq
unused b: is for apt, but brew installed it
`},
		{name: "a recipe for another system", steps: []install.Step{brew}, recipes: []metadata.Recipe{{ID: "b", Kind: "brew", OS: []string{"darwin"}}}, want: `
step undo:brew:jq: /usr/bin/brew uninstall jq
unused b: is for darwin; this is linux
`},
		{name: "a recipe of another id", steps: []install.Step{brew}, recipes: []metadata.Recipe{{ID: "c", Kind: "brew", Command: "rm -rf /"}}, want: `
step undo:brew:jq: /usr/bin/brew uninstall jq
unused c: nothing was installed that it would remove
`},
		{name: "a command that only a shell can run, not allowed", steps: []install.Step{brew}, recipes: []metadata.Recipe{{ID: "b", Kind: "shell", Command: "brew uninstall jq && rm -rf ~/.jq"}}, want: `
step undo:brew:jq: /usr/bin/brew uninstall jq
unused b: runs a shell command, which was not allowed: "brew uninstall jq && rm -rf ~/.jq"
`},
		{name: "a command that only a shell can run, allowed", shell: true, steps: []install.Step{brew}, recipes: []metadata.Recipe{{ID: "b", Kind: "shell", Command: "brew uninstall jq && rm -rf ~/.jq"}}, want: `
step undo:brew:jq: /bin/sh -c "brew uninstall jq && rm -rf ~/.jq"
`},
		{name: "the command of the format page", steps: []install.Step{pip}, recipes: []metadata.Recipe{{ID: "pip", Kind: "pip", Command: "pip uninstall matplotlib seaborn"}}, want: `
step undo:pip:matplotlib,seaborn: /usr/bin/uv pip uninstall --python /state/python/bin/python -- matplotlib seaborn
`},
		{name: "a command for a part", steps: []install.Step{pip}, recipes: []metadata.Recipe{{ID: "pip", Kind: "pip", Command: "sudo pip3 uninstall -y Seaborn"}}, want: `
step undo:pip:matplotlib,seaborn: /usr/bin/uv pip uninstall --python /state/python/bin/python -- seaborn
`},
		{name: "the environment goes last", steps: []install.Step{python, pip}, want: `
step undo:pip:matplotlib,seaborn: /usr/bin/uv pip uninstall --python /state/python/bin/python -- matplotlib seaborn
step undo:python: remove /state/python after undo:pip:matplotlib,seaborn
`},
		{name: "the environment stays for another skill", steps: []install.Step{with(python, func(s *install.Step) { s.Skills = []string{"s", "t"} }), pip}, want: `
step undo:pip:matplotlib,seaborn: /usr/bin/uv pip uninstall --python /state/python/bin/python -- matplotlib seaborn
step undo:python: nothing
`},
		{name: "the environment stays for a package that another skill uses too", steps: []install.Step{python, with(pip, func(s *install.Step) { s.Skills = []string{"s", "t"} })}, want: `
step undo:pip:matplotlib,seaborn: nothing
unresolved  : python: it stays, since pip:matplotlib,seaborn needs it
`},
		{name: "used by another skill", steps: []install.Step{with(brew, func(s *install.Step) { s.Skills = []string{"a", "s"} })}, want: `
step undo:brew:jq: nothing
`},
		{name: "of another skill", steps: []install.Step{with(brew, func(s *install.Step) { s.Skills = []string{"a"} })}, want: ""},
		{name: "failed, and there", state: install.ReceiptFailed, steps: []install.Step{brew}, want: `
step undo:brew:jq: /usr/bin/brew uninstall jq
`},
		{name: "started, and not there", host: nothing, state: install.ReceiptStarted, steps: []install.Step{brew}, want: `
step undo:brew:jq: forget
`},
		{name: "failed apt is cleaned up", host: nothing, state: install.ReceiptFailed, steps: []install.Step{with(brew, func(s *install.Step) { s.Kind, s.ID = "apt", "apt:jq" })}, want: `
unresolved bins jq: apt:jq: apt-get needs root, and sudo is not on this machine; remove by hand what was installed for it
`},
		{name: "apt, by architecture", steps: []install.Step{with(brew, func(s *install.Step) { s.Kind, s.ID, s.Packages = "apt", "apt:jq", []string{"jq:i386=1.7", "g++"} })}, want: `
step undo:apt:jq: /usr/bin/sudo -n /usr/bin/env DEBIAN_FRONTEND=noninteractive /usr/bin/apt-get remove -q -y -o APT::Cmd::Pattern-Only=true -o Dpkg::Options::=--force-confold -- jq:i386 g++
`},
		{name: "npm, in the state folder", steps: []install.Step{{ID: "npm:x", Kind: "npm", Skills: []string{"s"}, Packages: []string{"@a/x@1.2"}, BinDir: "/state/bin", LinkFrom: "/state/npm/bin"}}, want: `
step undo:npm:x: /usr/bin/npm uninstall --global --no-fund --no-audit --no-update-notifier --prefix /state/npm -- @a/x
`},
		{name: "npm, in its own place", steps: []install.Step{{ID: "npm:x", Kind: "npm", Skills: []string{"s"}, Packages: []string{"x"}}}, want: `
step undo:npm:x: /usr/bin/npm uninstall --global --no-fund --no-audit --no-update-notifier -- x
`},
		{name: "shell, without a recipe, removed by hand", steps: []install.Step{shell}, want: `
step undo:shell:1: forget
`},
		{name: "shell, without a recipe", host: &fakeHost{files: []string{"/usr/bin/x"}}, steps: []install.Step{shell}, want: `
unresolved bins x: shell:1: a shell command installed it, and no uninstall recipe can be used; remove by hand what was installed for it
`},
		{name: "shell, with a recipe, not allowed", steps: []install.Step{shell}, recipes: []metadata.Recipe{{ID: "sh", Kind: "shell", Command: "make uninstall"}}, want: `
unresolved bins x: shell:1: a shell command installed it, and no uninstall recipe can be used; remove by hand what was installed for it
  sh: runs a shell command, which was not allowed: "make uninstall"
`},
		{name: "shell, with a recipe, allowed", shell: true, steps: []install.Step{shell}, recipes: []metadata.Recipe{{ID: "sh", Kind: "shell", Command: "make uninstall"}}, want: `
step undo:shell:1: /bin/sh -c "make uninstall"
`},
		{name: "go", steps: []install.Step{{ID: "go:x", Kind: "go", Skills: []string{"s"}, Bins: []string{"x"}, BinDir: "/home/me/go/bin"}}, files: []string{"/home/me/go/bin/x"}, want: `
step undo:go:x: remove /home/me/go/bin/x
`},
		{name: "go, built nothing", steps: []install.Step{{ID: "go:x", Kind: "go", Skills: []string{"s"}, Bins: []string{"x"}, BinDir: "/home/me/go/bin"}}, want: `
step undo:go:x: forget
`},
		{name: "go, changed: another file", steps: []install.Step{{ID: "go:x", Kind: "go", Skills: []string{"s"}, Bins: []string{"x"}, BinDir: "/home/me/go/bin"}}, files: []string{"/home/me/go/bin/x", "/home/me/go/bin/y"}, want: `
unresolved bins x: go:x: its receipt names the file "/home/me/go/bin/y", which go did not put there; remove by hand what was installed for it
`},
		{name: "go, changed: another folder", steps: []install.Step{{ID: "go:x", Kind: "go", Skills: []string{"s"}, Bins: []string{"x"}, BinDir: "/home/me/go/bin"}}, files: []string{"/home/me/go/bin/../x"}, want: `
unresolved bins x: go:x: its receipt names the file "/home/me/go/bin/../x", which go did not put there; remove by hand what was installed for it
`},
		{name: "download", steps: []install.Step{{ID: "download:s/x", Kind: "download", Skills: []string{"s"}, Download: &install.Download{Dir: "/state/tools/s/x"}}}, want: `
step undo:download:s/x: remove /state/tools/s/x
`},
		{name: "download, changed", steps: []install.Step{{ID: "download:s/x", Kind: "download", Skills: []string{"s"}, Download: &install.Download{Dir: "/state/tools/../../home"}}}, want: `
unresolved  : download:s/x: its receipt names the folder "/state/tools/../../home", which is not one of this package; remove by hand what was installed for it
`},
		{name: "download, changed to the state", steps: []install.Step{{ID: "download:s/x", Kind: "download", Skills: []string{"s"}, Download: &install.Download{Dir: "/state/tools"}}}, want: `
unresolved  : download:s/x: its receipt names the folder "/state/tools", which is not one of this package; remove by hand what was installed for it
`},
		{name: "environment, changed", steps: []install.Step{{ID: "python", Kind: "pip", Skills: []string{"s"}, Creates: "/home/me"}}, want: `
unresolved  : python: its receipt names "/home/me", which is not of this package; remove by hand what was installed for it
`},
		{name: "packages, changed", steps: []install.Step{with(brew, func(s *install.Step) { s.Packages = []string{"--force"} })}, want: `
unresolved bins jq: brew:jq: its receipt was changed: package "--force" starts with a hyphen and would be an option; remove by hand what was installed for it
`},
		{name: "kind, changed", steps: []install.Step{with(brew, func(s *install.Step) { s.Kind = "nope" })}, want: `
unresolved bins jq: brew:jq: its receipt was changed: kind "nope" takes no packages; remove by hand what was installed for it
`},
		{name: "lists of packages leave nothing", steps: []install.Step{{ID: "apt-update", Kind: "apt", Skills: []string{"s"}, Optional: true}}, want: `
step undo:apt-update: forget
`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			host := everything
			if tt.host != nil {
				host = tt.host
			}
			opts := &install.Options{GOOS: "linux", State: "/state", Host: host, AllowShell: tt.shell, Environ: []string{"HOME=/home/me", "PATH=/usr/bin"}}
			var receipts []install.Receipt
			for i, s := range tt.steps {
				r := install.Receipt{Step: s, State: install.ReceiptInstalled}
				if tt.state != "" {
					r.State = tt.state
				}
				if i == 0 {
					r.Files = tt.files
				}
				receipts = append(receipts, r)
			}
			plan := install.NewRemoval("s", tt.recipes, receipts, opts)
			checkRemoval(t, plan, receipts, opts)
			var b strings.Builder
			for _, s := range plan.Steps {
				b.WriteString("step " + s.ID + ": ")
				switch {
				case s.Argv != nil:
					b.WriteString(quoted(s.Argv))
				case s.Remove != nil:
					b.WriteString("remove " + quoted(s.Remove))
				case s.Forget:
					b.WriteString("forget")
				default:
					b.WriteString("nothing")
				}
				if s.After != nil {
					b.WriteString(" after " + strings.Join(s.After, " "))
				}
				b.WriteString("\n")
			}
			for _, u := range plan.Unresolved {
				b.WriteString("unresolved " + string(u.Requirement.Kind) + " " + u.Requirement.Name + ": " + u.Reason + "\n")
				for _, tr := range u.Tried {
					b.WriteString("  " + tr.Recipe + ": " + tr.WhyNot + "\n")
				}
			}
			for _, u := range plan.Unused {
				b.WriteString("unused " + u.Recipe + ": " + u.Reason + "\n")
			}
			if diff := cmp.Diff(strings.TrimPrefix(tt.want, "\n"), b.String()); diff != "" {
				t.Errorf("removal (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPlainRemoval(t *testing.T) {
	tests := []struct{ command, kind, packages string }{
		{"pip uninstall matplotlib seaborn", "pip", "matplotlib seaborn"},
		{"pip3 uninstall -y x", "pip", "x"},
		{"python3 -m pip uninstall -y x", "pip", "x"},
		{"uv pip uninstall x", "pip", "x"},
		{"uv tool uninstall ruff", "uv", "ruff"},
		{"brew uninstall jq", "brew", "jq"},
		{"brew rm --force someone/tap/jq", "brew", "someone/tap/jq"},
		{"npm rm -g @a/x y", "npm", "@a/x y"},
		{"npm -g uninstall x", "npm", "x"},
		{"yarn global remove x", "npm", "x"},
		{"sudo apt-get remove -y jq", "apt", "jq"},
		{"sudo -n apt purge jq", "apt", "jq"},
		{"sudo npm un --global x", "npm", "x"},
		{"pipx uninstall x", "pipx", "x"},
		{"cargo uninstall x", "cargo", "x"},
		{"gem uninstall -a -x x", "gem", "x"},
		{"dnf remove -y x", "dnf", "x"},
		{"choco uninstall x -y", "choco", "x"},
		{"winget uninstall --id A.B -e", "winget", "A.B"},

		{"", "", ""},
		{"brew", "", ""},
		{"brew uninstall", "", ""},
		{"brew install jq", "", ""},
		{"sudo", "", ""},
		{"npm uninstall x", "", ""}, // of the current folder
		{"pip uninstall x; rm -rf ~", "", ""},
		{"pip uninstall x && y", "", ""},
		{"pip uninstall x\nrm y", "", ""},
		{"pip uninstall $(cat list)", "", ""},
		{"pip uninstall `x`", "", ""},
		{"pip uninstall \"x\"", "", ""},
		{"pip uninstall x > /etc/passwd", "", ""},
		{"pip uninstall -r requirements.txt", "", ""},
		{"pip uninstall --target /x y", "", ""},
		{"npm uninstall -g --prefix /x y", "", ""},
		{"PATH=/x pip uninstall x", "", ""},
		{"pip uninstall x*", "", ""},
		{"pip uninstall ~/x", "", ""},
		{"/usr/bin/pip uninstall x", "", ""},
		{"rm -rf /", "", ""},
		{"sudo -u root apt-get remove x", "", ""},
		{"apt-get autoremove x", "", ""},
	}
	for _, tt := range tests {
		kind, packages, ok := install.PlainRemoval(tt.command)
		if string(kind) != tt.kind || strings.Join(packages, " ") != tt.packages || ok != (tt.kind != "") {
			t.Errorf("%q: got %q %q %v, want %q %q", tt.command, kind, packages, ok, tt.kind, tt.packages)
		}
	}
}
