package install_test

import (
	"fmt"
	"strings"

	"github.com/matrix-nexus/skillkit/install"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/requires"
)

// exampleMachine is a machine with apt-get. A real program uses
// requires.NewHost.
func exampleMachine() *install.Options {
	return &install.Options{
		GOOS: "linux", State: "/var/lib/agent", Superuser: true,
		Host: &fakeHost{files: []string{"/usr/bin/apt-get"}},
	}
}

func ExampleNewPlan() {
	m := &metadata.Manifest{
		Name: "json",
		Install: []metadata.Recipe{
			{ID: "brew", Kind: metadata.KindBrew, Packages: []string{"jq"}, Bins: []string{"jq"}},
			{ID: "apt", Kind: metadata.KindApt, Packages: []string{"jq"}, Bins: []string{"jq"}},
		},
	}
	m.Requires.Bins = []metadata.Requirement{{Name: "jq"}}
	m.Requires.Env = []metadata.Requirement{{Name: "JSON_KEY"}}

	opts := exampleMachine()
	plan := install.NewPlan([]install.Target{{
		Name: m.Name, Manifest: m, Report: requires.Check(m, opts.Host),
	}}, opts)
	for _, s := range plan.Steps {
		fmt.Println(s.ID, "for", strings.Join(s.Skills, ", "))
		fmt.Println("  ", strings.Join(s.Argv, " "))
	}
	for _, u := range plan.Unresolved {
		fmt.Println(u.Skill, "lacks", u.Requirement.Name+":", u.Reason)
		for _, r := range u.Tried {
			fmt.Println("  ", r.Recipe, r.WhyNot)
		}
	}
	// Output:
	// apt-update for json
	//    /usr/bin/apt-get update -q
	// apt:jq for json
	//    /usr/bin/apt-get install -q -y -o APT::Cmd::Pattern-Only=true -o Dpkg::Options::=--force-confold -- jq
	// json lacks JSON_KEY: set it in the configuration or in the environment
	//    brew does not give an environment variable
	//    apt does not give an environment variable
}

func ExampleNewRemoval() {
	// A real program reads them with install.Receipts.
	receipts := []install.Receipt{{
		State: install.ReceiptInstalled,
		Step:  install.Step{ID: "apt:jq", Kind: metadata.KindApt, Packages: []string{"jq"}, Skills: []string{"json", "logs"}},
	}, {
		State: install.ReceiptInstalled,
		Step:  install.Step{ID: "apt:ripgrep", Kind: metadata.KindApt, Packages: []string{"ripgrep"}, Skills: []string{"logs"}},
	}}
	plan := install.NewRemoval("logs", nil, receipts, exampleMachine())
	for _, s := range plan.Steps {
		fmt.Println(s.Label+":", s.Reason)
	}
	// Output:
	// Keep apt:jq: it stays for json
	// Remove ripgrep (apt): it was installed for "logs"; what needs it goes with it
}
