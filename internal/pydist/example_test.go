package pydist_test

import (
	"fmt"

	"github.com/matrix-nexus/skillkit/internal/pydist"
)

func ExampleParseRequirement() {
	r, err := pydist.ParseRequirement("Ruamel.YAML[jinja2]>=0.17,<0.19")
	if err != nil {
		panic(err)
	}
	fmt.Println(pydist.Normalize(r.Name), r.Extras)
	for _, version := range []string{"0.16.13", "0.18.6"} {
		ok, err := r.Versions.Match(version)
		fmt.Println(version, ok, err)
	}
	// Output:
	// ruamel-yaml [jinja2]
	// 0.16.13 false <nil>
	// 0.18.6 true <nil>
}
