package converter_test

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/matrix-nexus/skillkit/converter"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/registry"
	"github.com/matrix-nexus/skillkit/skills"
)

// newSkill makes a skill of the files of a folder called dir, as a loader
// would.
func newSkill(t testing.TB, dir string, files map[string]string) *skills.Skill {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, data := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(data), Mode: 0o644}
	}
	h := skills.Header{Dir: "/skills/" + dir, OnDisk: true, File: skills.FileName, Root: "/skills", MayHaveKey: true}
	doc, err := metadata.ParseHeader(path.Join(dir, skills.FileName), []byte(files[skills.FileName]), nil)
	if err != nil {
		h.Name = dir
	} else {
		h.Name, h.Description = doc.Manifest.Name, doc.Manifest.Description
	}
	return skills.New(h, fsys, nil)
}

// one makes a skill with the given frontmatter lines and body.
func one(t testing.TB, header, body string) *skills.Skill {
	t.Helper()
	return newSkill(t, "demo", map[string]string{skills.FileName: "---\n" + strings.TrimSpace(header) + "\n---\n" + body})
}

// named makes a set of skills with the given names and descriptions, in turn.
func named(t testing.TB, pairs ...string) *skills.Set {
	t.Helper()
	var list []*skills.Skill
	for i := 0; i < len(pairs); i += 2 {
		name, _ := json.Marshal(pairs[i]) // JSON is YAML
		description, _ := json.Marshal(pairs[i+1])
		list = append(list, newSkill(t, fmt.Sprintf("dir%d", i), map[string]string{
			skills.FileName: fmt.Sprintf("---\nname: %s\ndescription: %s\n---\nBody of %s.\n", name, description, name),
		}))
	}
	return skills.NewSet(list, nil)
}

// call calls the tool of s with JSON arguments, through a registry.
func call(t testing.TB, s *skills.Skill, opts *converter.Options, args string) registry.Result {
	t.Helper()
	d, problems, err := converter.Def(s, opts)
	if err != nil {
		t.Fatal(err)
	}
	if len(problems) > 0 {
		t.Fatalf("problems: %v", problems)
	}
	res, err := invoke(t, d, args)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// hide returns options that hide the skills of the given names.
func hide(reason string, names ...string) *converter.Options {
	return &converter.Options{Status: func(s *skills.Skill) converter.Status {
		for _, n := range names {
			if n == s.Name {
				return converter.Status{Hidden: reason}
			}
		}
		return converter.Status{}
	}}
}

// invoke calls the tool d with what a model sent, through a registry.
func invoke(t testing.TB, d registry.Def, args string) (registry.Result, error) {
	t.Helper()
	r := registry.New(nil)
	if _, err := r.Register("skills", d); err != nil {
		t.Fatal(err)
	}
	tool, err := r.Lookup(d.Name)
	if err != nil {
		t.Fatal(err)
	}
	return tool.Invoke(t.Context(), registry.Call{Arguments: json.RawMessage(args)})
}
