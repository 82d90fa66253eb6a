package requires_test

import (
	"fmt"

	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/requires"
)

func ExampleCheck() {
	// A real program passes os.LookupEnv and leaves GOOS alone.
	environ := map[string]string{"GITHUB_TOKEN": "secret"}
	host := requires.NewHost(&requires.Options{
		GOOS:   "linux",
		Lookup: func(name string) (string, bool) { v, ok := environ[name]; return v, ok },
	})

	m := &metadata.Manifest{Name: "github", OS: []string{"darwin", "linux"}}
	m.Requires.Bins = []metadata.Requirement{{Name: "gh"}}
	m.Requires.Env = []metadata.Requirement{{Name: "GITHUB_TOKEN"}}

	report := requires.Check(m, host)
	fmt.Println(report.Readiness)
	for _, line := range report.Lacks() {
		fmt.Println(line)
	}
	// Output:
	// missing
	// program "gh" is not on PATH
}
