package metadata_test

import (
	"errors"
	"fmt"

	"github.com/matrix-nexus/skillkit/metadata"
)

func ExampleParse() {
	const text = `---
name: deploy
description: Deploy: staging first, then production.
metadata: {"matrix":{"emoji":"🚀","requires":{"bins":["kubectl"]}}}
---
# Deploy

Run the script.
`
	doc, err := metadata.Parse("skills/deploy/SKILL.md", []byte(text), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	m := doc.Manifest
	fmt.Printf("%s %s: %s\n", m.Emoji, m.Name, m.Description)
	fmt.Println("needs", m.Requires.Bins[0].Name)
	for _, p := range doc.Problems {
		fmt.Println(p)
		fmt.Println("\t" + p.Corrected)
	}
	// Output:
	// 🚀 deploy: Deploy: staging first, then production.
	// needs kubectl
	// skills/deploy/SKILL.md:3:20: unquoted colon in description; quote the value
	// 	description: "Deploy: staging first, then production."
}

func ExampleSyntaxError() {
	_, err := metadata.Parse("docs/README.md", []byte("# Just Markdown\n"), nil)
	fmt.Println(err)
	if errors.Is(err, metadata.ErrNoFrontmatter) {
		fmt.Println("not a skill")
	}
	// Output:
	// docs/README.md:1:1: no frontmatter; the file must start with a line ---
	// not a skill
}

func ExampleScanBrief() {
	head := []byte("---\nname: jq\ndescription: Query JSON.\n---\n# jq\n")
	if b, ok := metadata.ScanBrief(head); ok {
		fmt.Printf("%s: %s\n", b.Name, b.Description)
	}
	// Output: jq: Query JSON.
}
