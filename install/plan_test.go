package install_test

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/matrix-nexus/skillkit/install"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/requires"
)

// TestPlan makes the plan for the skills of each archive in testdata/plan on
// the machine that its file "machine" describes, and compares it with the file
// "want". The comment of an archive says why it exists.
func TestPlan(t *testing.T) {
	files, err := filepath.Glob("testdata/plan/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(ar.Comment) == 0 {
				t.Error("the file does not say why it exists")
			}
			if last := ar.Files[len(ar.Files)-1].Name; last != "want" && *update {
				ar.Files = append(ar.Files, txtar.File{Name: "want"})
			}
			targets, opts := scene(t, ar)
			plan := install.NewPlan(targets, opts)
			checkPlan(t, plan, targets)
			got := describePlan(plan)
			want := &ar.Files[len(ar.Files)-1]
			if *update {
				want.Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(ar), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(want.Data), got); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(plan, install.NewPlan(targets, opts)); diff != "" {
				t.Errorf("a second plan differs:\n%s", diff)
			}
		})
	}
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
