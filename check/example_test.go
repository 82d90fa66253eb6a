package check_test

import (
	"context"
	"fmt"
	"log"
	"testing/fstest"

	"github.com/matrix-nexus/skillkit/check"
)

// A skill with a fault that can be repaired without looking, one that its author
// takes back, and one that is only worth knowing.
const changelog = `---
name: changelog
description: Write the changelog: new things first. Use when a release is due.
# skillcheck-ignore legacy-vendor-key: our oldest readers know no other key
metadata: {"clawdbot": {"emoji": "🚀", "os": ["mac", "linux"], "execution_mode": "prompt", "category_name": "operations"}}
---
List what changed since the last tag, new things first, as a Markdown list.

For example: "- **check**: report links that lead nowhere".
`

func Example() {
	ctx := context.Background()
	tree := fstest.MapFS{"skills/changelog/SKILL.md": {Data: []byte(changelog)}} // or os.DirFS
	targets, err := check.Find(ctx, tree, "skills", "skills", nil)
	if err != nil {
		log.Fatal(err)
	}
	checker, err := check.New(&check.Options{Strict: true})
	if err != nil {
		log.Fatal(err)
	}
	report, err := checker.Check(ctx, targets)
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range report.Findings {
		if f.Ignored != "" {
			fmt.Printf("(%s is ignored: %s)\n", f.Rule, f.Ignored)
			continue
		}
		fmt.Println(f)
	}
	// Output:
	// skills/changelog/SKILL.md:3:33: error: unquoted colon in description; quote the value (unquoted-colon)
	// (legacy-vendor-key is ignored: our oldest readers know no other key)
	// skills/changelog/SKILL.md:5:46: info: os "mac" is read as macos (os-alias)
}

func ExampleChecker_Fix() {
	checker, err := check.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	text, fixed, err := checker.Fix(context.Background(), check.Target{Manifest: "SKILL.md", Text: []byte(changelog)})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range fixed {
		fmt.Printf("%v: %s\n", f.Position, f.Fix.Message)
	}
	fmt.Printf("%.100s\n", text)
	// Output:
	// 3:33: quote the value
	// ---
	// name: changelog
	// description: "Write the changelog: new things first. Use when a release is due."
}
