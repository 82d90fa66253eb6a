package converter_test

import (
	"fmt"
	"testing/fstest"

	"github.com/matrix-nexus/skillkit/converter"
	"github.com/matrix-nexus/skillkit/skills"
)

func Example() {
	const text = `---
name: jq
description: Query and reshape JSON. Use for JSON files and the output of APIs.
metadata: {"matrix":{"execution_mode":"bash","requires":{"bins":["jq"]}}}
---
Run: jq '.name' data.json
`
	skill := skills.New(
		skills.Header{Name: "jq", Dir: "/skills/jq", OnDisk: true, File: skills.FileName},
		fstest.MapFS{"SKILL.md": {Data: []byte(text)}}, nil)
	set := skills.NewSet([]*skills.Skill{skill}, nil)

	opts := &converter.Options{Status: func(*skills.Skill) converter.Status {
		return converter.Status{Missing: []string{"program jq"}, Remedies: []string{"apt-get install jq"}}
	}}
	fmt.Print(converter.Catalogue(set, opts))
	defs, problems := converter.Defs(set, opts)
	fmt.Println(len(defs), "tool,", len(problems), "problems")
	// Output:
	// <available_skills>
	// <skill><name>jq</name><description>Query and reshape JSON. Use for JSON files and the output of APIs.</description></skill>
	// </available_skills>
	// 1 tool, 0 problems
}
