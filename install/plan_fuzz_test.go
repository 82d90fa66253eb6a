package install_test

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/matrix-nexus/skillkit/install"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/requires"
)

// FuzzNewPlan plans for any file on a machine that has every installer and
// allows every kind, and plans the way back.
func FuzzNewPlan(f *testing.F) {
	files, err := filepath.Glob("testdata/plan/*.txtar")
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, skill := range ar.Files {
			if strings.HasSuffix(skill.Name, "/SKILL.md") {
				f.Add(skill.Data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := metadata.Parse("skill/SKILL.md", data, nil)
		if err != nil {
			t.Skip()
		}
		m := &doc.Manifest
		host := &fakeHost{has: []string{"os linux"}}
		for _, p := range []string{"brew", "apt-get", "sudo", "npm", "go", "python3", "sh", "pipx", "cargo", "gem", "dnf", "choco", "winget"} {
			host.files = append(host.files, "/usr/bin/"+p)
		}
		opts := &install.Options{
			State: "/state", GOOS: "linux", Host: host, AllowShell: true, Environ: []string{"HOME=/home/me", "PATH=/usr/bin"},
			Kinds: []metadata.Kind{"brew", "apt", "npm", "go", "pip", "uv", "download", "shell", "pipx", "cargo", "gem", "dnf", "choco", "winget"},
		}
		targets := []install.Target{{Name: m.Name, Manifest: m, Report: requires.Check(m, host)}}
		plan := install.NewPlan(targets, opts)
		checkPlan(t, plan, targets)
		receipts := receiptsOf(plan)
		checkRemoval(t, install.NewRemoval(m.Name, m.Uninstall, receipts, opts), receipts, opts)
	})
}
