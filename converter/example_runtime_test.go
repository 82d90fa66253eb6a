package converter_test

import (
	"context"
	"fmt"
	"log"
	"testing/fstest"

	"github.com/matrix-nexus/skillkit/config"
	"github.com/matrix-nexus/skillkit/converter"
	"github.com/matrix-nexus/skillkit/loader"
	"github.com/matrix-nexus/skillkit/registry"
	"github.com/matrix-nexus/skillkit/requires"
	"github.com/matrix-nexus/skillkit/skills"
)

// A toolbox keeps the tools in a registry in step with the skills on disk and
// with what the machine and the operator's configuration make of them.
type toolbox struct {
	loader *loader.Loader
	config *config.Config
	host   *requires.Host
	handle *registry.Handle // of the generation that is offered now
}

// status says whether a skill can run here; it is asked again at each call.
func (b *toolbox) status(s *skills.Skill) converter.Status {
	m, err := s.Manifest()
	if err != nil {
		return converter.Status{} // Defs leaves the skill out and says why
	}
	entry := b.config.Skill(m.Name, m.Key())
	report := requires.Check(m, b.host.With(entry.Settings(m.PrimaryEnv)))
	status := converter.Status{
		Hidden:  report.Hidden(),
		Ready:   report.Readiness == requires.Ready,
		Missing: report.Lacks(),
	}
	for _, recipe := range m.Install {
		if len(status.Missing) > 0 && recipe.Label != "" {
			status.Remedies = append(status.Remedies, recipe.Label)
		}
	}
	return status
}

// update offers the skills as they are now, and no others. It must not be
// called from several goroutines at once.
func (b *toolbox) update(ctx context.Context) error {
	set, err := b.loader.Skills(ctx)
	if err != nil {
		return err
	}
	b.host.Refresh() // a program may have been installed
	defs, problems := converter.Defs(set, &converter.Options{Status: b.status})
	for _, p := range append(set.IndexProblems(), problems...) {
		fmt.Println(p)
	}
	next, err := b.handle.Replace(defs...)
	if err != nil {
		return err
	}
	// Calls by name go to the new generation at once. Agents that were made
	// with Registry.Tools keep the old one: if there are any, retire it when
	// the last of them is done.
	old := b.handle
	b.handle = next
	return old.Retire(ctx)
}

// From folders of skills to tools: what the machine lacks is told to the
// model, what the operator disabled is not offered, and after a change on disk
// a new generation of tools takes the place of the old one.
func Example_runtime() {
	ctx := context.Background()
	bundled := fstest.MapFS{ // bundled.FS() has the real ones
		"jq/SKILL.md": {Data: []byte(`---
name: jq
description: Query JSON.
metadata: {"matrix":{"requires":{"bins":["jq"]},"install":[{"kind":"apt","package":"jq","label":"Install jq (apt)"}]}}
---
Run jq.
`)},
		"uv/SKILL.md": {Data: []byte("---\nname: uv\ndescription: Run Python.\n---\nRun uv.\n")},
	}
	workspace := fstest.MapFS{ // loader.Options.Workspace names a real one
		"uv/SKILL.md":    {Data: []byte("---\nname: uv\ndescription: Run Python, our way.\n---\nRun uv.\n")},
		"notes/SKILL.md": {Data: []byte("Not a skill yet.\n")},
		"sync/SKILL.md":  {Data: []byte("---\nname: sync\ndescription: Copy the backup.\n---\nRun rsync.\n")},
	}
	cfg, problems, err := config.Parse("config.yaml", []byte("skills:\n  sync:\n    enabled: false\n"))
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range problems {
		fmt.Println(p)
	}

	tools := registry.New(nil)
	none, err := tools.Register("skills") // a generation without tools
	if err != nil {
		log.Fatal(err)
	}
	box := &toolbox{
		loader: loader.New(&loader.Options{
			Bundled: bundled,
			Roots:   []loader.Root{{FS: workspace, Name: "workspace", Source: skills.Workspace}},
		}),
		config: cfg,
		host:   requires.NewHost(nil), // with Lookup: os.LookupEnv, this machine
		handle: none,
	}
	if err := box.update(ctx); err != nil {
		log.Fatal(err)
	}
	for _, t := range tools.All() { // an agent takes tools.Tools()
		fmt.Printf("%s: %s\n", t.Name(), t.Description())
	}
	tool, err := tools.Lookup("jq")
	if err != nil {
		log.Fatal(err)
	}
	answer, err := tool.Call(ctx, "")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer)

	// Somebody mends a skill. A long-lived program learns of it from
	// box.loader.Watch, which calls a function that calls update.
	workspace["notes/SKILL.md"] = &fstest.MapFile{Data: []byte("---\nname: notes\ndescription: Take notes.\n---\n")}
	diff, err := box.loader.Reload(ctx)
	if err != nil {
		log.Fatal(err)
	}
	if !diff.Empty() {
		if err := box.update(ctx); err != nil {
			log.Fatal(err)
		}
	}
	for _, t := range tools.All() {
		fmt.Println(t.Name(), t.Generation())
	}
	// Output:
	// workspace/notes/SKILL.md:1:1: no frontmatter; the file must start with a line ---
	// jq: Query JSON.
	// uv: Run Python, our way.
	// Skill: jq
	// Execution mode: prompt. Follow the instructions in the body.
	//
	// Dependencies:
	// - programs: jq
	//
	// Missing here:
	// - program "jq" is not on PATH
	// How to get it:
	// - Install jq (apt)
	//
	// Instructions:
	//
	// Run jq.
	//
	// jq 3
	// notes 3
	// uv 3
}
