package manifest_test

import (
	"fmt"

	"github.com/matrix-nexus/skillkit/executa/manifest"
)

func ExampleParsePlugin() {
	p, err := manifest.ParsePlugin("manifest.json", []byte(`{
  "display_name": "Weather",
  "version": "1.4.0",
  "tools": [{"name": "forecast", "timeout": "90"}]
}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(manifest.Identity("", nil, p), p.Tools[0].Name)
	for _, problem := range p.Problems {
		fmt.Println(problem)
	}
	fmt.Println("description missing at", p.At(p.Tools[0].Pointer+"/description"))
	// Output:
	// weather forecast
	// manifest.json:4:45: timeout must be a whole number of seconds from 1 on; 60 is taken
	// description missing at 4:13
}

func ExampleBundle_Entrypoint() {
	b := &manifest.Bundle{
		Files: []manifest.File{
			{Name: "bin/weather", Executable: true},
			{Name: "bin/weather-setup", Executable: true},
		},
		Platform: manifest.Platform("linux", "amd64"),
		Name:     "weather",
	}
	e, err := b.Entrypoint()
	fmt.Println(e.Path, e.Level, err)
	// Output: bin/weather 3 <nil>
}
