package publish_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/matrix-nexus/skillkit/publish"
)

// A skill is packed, and the archive has the digest of the folder.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{
		"SKILL.md":   "---\nname: deploy\ndescription: Roll out a release. Use when asked to deploy.\n---\nRun `deployctl up`.\n",
		"steps.md":   "1. Build.\n",
		".gitignore": "*.log\n",
		"last.log":   "ok\n",
		".env":       "TOKEN=x\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			log.Fatal(err)
		}
	}

	skill, err := publish.ReadFolder(ctx, dir)
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range skill.Files {
		fmt.Println(f.Path)
	}
	for _, l := range skill.LeftOut {
		fmt.Printf("left out: %s (%s)\n", l.Path, l.Why)
	}
	var archive bytes.Buffer
	if err := skill.Pack(&archive, publish.TarGz); err != nil {
		log.Fatal(err)
	}
	packed, err := publish.ReadArchive(ctx, "deploy.tar.gz", bytes.NewReader(archive.Bytes()), int64(archive.Len()))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(skill.Digest() == packed.Digest())
	// Output:
	// SKILL.md
	// steps.md
	// left out: .env (secret)
	// left out: .gitignore (hidden)
	// left out: last.log (ignored)
	// true
}

// A catalogue refuses a new version in which nothing changed.
func ExampleCompare() {
	skill := func(version string) *publish.Skill {
		text := "---\nname: deploy\ndescription: Roll out a release.\nversion: \"" + version + "\"\n---\n"
		return &publish.Skill{Files: []publish.File{{Path: "SKILL.md", Data: []byte(text)}}}
	}
	fmt.Println(publish.Compare(skill("1.0"), skill("1.0")).Empty())
	for _, f := range publish.Compare(skill("1.0"), skill("1.1")).Fields {
		fmt.Printf("%s: %s → %s\n", f.Field, f.Old, f.New)
	}
	// Output:
	// true
	// version: "1.0" → "1.1"
}
