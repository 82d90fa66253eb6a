package config_test

import (
	"fmt"

	"github.com/matrix-nexus/skillkit/config"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/requires"
)

// The configuration of each skill meets the machine that all share.
func Example() {
	cfg, problems, err := config.Parse("config.yaml", []byte(`
skills:
  github:
    api_key: ghp_example
  weather:
    enabled: false
  charts:
    api-key: oops
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range problems {
		fmt.Println(p)
	}

	github := &metadata.Manifest{Name: "github", PrimaryEnv: "GH_TOKEN"}
	github.Requires.Env = []metadata.Requirement{{Name: "GH_TOKEN"}, {Name: "GH_HOST"}}

	host := requires.NewHost(nil) // a real program gives it os.LookupEnv
	for _, m := range []*metadata.Manifest{github, {Name: "weather"}, {Name: "charts"}} {
		entry := cfg.Skill(m.Name, m.Key())
		report := requires.Check(m, host.With(entry.Settings(m.PrimaryEnv)))
		fmt.Println(m.Name, report.Readiness, report.Lacks())
	}
	// Output:
	// config.yaml:8:5: unknown key "api-key" of a skill; did you mean api_key?
	// github missing [environment variable "GH_HOST" is not set, or empty]
	// weather disabled []
	// charts ready []
}
