package loader_test

import (
	"context"
	"fmt"
	"log"
	"testing/fstest"

	"github.com/matrix-nexus/skillkit/loader"
)

func Example() {
	base := fstest.MapFS{
		"jq/SKILL.md": {Data: []byte("---\nname: jq\ndescription: Query JSON.\n---\nRun jq.\n")},
		"uv/SKILL.md": {Data: []byte("---\nname: uv\ndescription: Run Python.\n---\nRun uv.\n")},
	}
	mine := fstest.MapFS{
		"tools/jq/SKILL.md": {Data: []byte("---\nname: jq\ndescription: Query JSON, our way.\n---\nRun gojq.\n")},
		"notes/SKILL.md":    {Data: []byte("Not a skill yet.\n")},
	}
	l := loader.New(&loader.Options{
		// With Lookup: os.LookupEnv, $MATRIX_SKILLS_DIR would replace Bundled.
		Bundled: base,
		Roots:   []loader.Root{{FS: mine, Name: "mine"}}, // or Dir: "~/.agents/skills"
	})
	set, err := l.Skills(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for sk := range set.All() {
		fmt.Printf("%s (%s): %s\n", sk.Name, sk.Dir, sk.Description)
	}
	for _, sh := range set.Shadowed() {
		fmt.Printf("%s is behind %s\n", sh.Loser.Path(), sh.Winner.Path())
	}
	for _, p := range set.IndexProblems() {
		fmt.Println(p.Code, p.File)
	}
	// Output:
	// jq (mine/tools/jq): Query JSON, our way.
	// uv (bundled/uv): Run Python.
	// bundled/jq/SKILL.md is behind mine/tools/jq/SKILL.md
	// no-frontmatter mine/notes/SKILL.md
}

func ExampleLoader_Reload() {
	files := fstest.MapFS{"jq/SKILL.md": {Data: []byte("---\nname: jq\ndescription: Query JSON.\n---\n")}}
	l := loader.New(&loader.Options{Roots: []loader.Root{{FS: files}}})
	ctx := context.Background()
	if _, err := l.Skills(ctx); err != nil {
		log.Fatal(err)
	}
	files["uv/SKILL.md"] = &fstest.MapFile{Data: []byte("---\nname: uv\ndescription: Run Python.\n---\n")}
	diff, err := l.Reload(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, sk := range diff.Added {
		fmt.Println("added", sk.Name)
	}
	// Output: added uv
}
