package skills_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/skills"
)

// named returns a skill that declares name, in the folder dir.
func named(name, dir string) *skills.Skill {
	fsys := fstest.MapFS{skills.FileName: {Data: []byte("---\nname: " + name + "\ndescription: d\n---\nBody of " + dir + ".\n")}}
	return skills.New(skills.Header{Name: name, Dir: dir, File: skills.FileName, Root: "r"}, fsys, nil)
}

func dirs(s *skills.Set) []string {
	var out []string
	for sk := range s.All() {
		out = append(out, sk.Dir)
	}
	return out
}

func TestNewSetFirstWins(t *testing.T) {
	// Case 110: two folders of one root claim a name.
	set := skills.NewSet([]*skills.Skill{named("b", "r/1"), named("a", "r/2"), named("b", "r/3")}, nil)
	if diff := cmp.Diff([]string{"r/2", "r/1"}, dirs(set)); diff != "" {
		t.Errorf("All (-want +got):\n%s", diff)
	}
	sh := set.Shadowed()
	if len(sh) != 1 || sh[0].Winner.Dir != "r/1" || sh[0].Loser.Dir != "r/3" {
		t.Errorf("Shadowed = %v, want r/3 behind r/1", sh)
	}
	p := set.IndexProblems()
	if len(p) != 1 || p[0].Code != "duplicate-name" || p[0].File != "r/3/SKILL.md" {
		t.Errorf("IndexProblems = %v, want one duplicate-name of r/3/SKILL.md", p)
	}
}

func TestMerge(t *testing.T) {
	base := skills.NewSet([]*skills.Skill{named("a", "base/a"), named("a", "base/a2"), named("c", "base/c")}, nil)
	over := skills.NewSet([]*skills.Skill{named("a", "over/a"), named("b", "over/b")}, nil)
	set := skills.Merge(base, over)
	if diff := cmp.Diff([]string{"over/a", "over/b", "base/c"}, dirs(set)); diff != "" {
		t.Errorf("All (-want +got):\n%s", diff)
	}
	var losers []string
	for _, sh := range set.Shadowed() {
		losers = append(losers, sh.Loser.Dir+" < "+sh.Winner.Dir)
	}
	if diff := cmp.Diff([]string{"base/a < over/a", "base/a2 < over/a"}, losers); diff != "" {
		t.Errorf("Shadowed (-want +got):\n%s", diff)
	}
	if n := len(set.IndexProblems()); n != 1 {
		t.Errorf("%d problems, want only the one of base: merging is no fault", n)
	}
	if got := skills.Merge(nil, nil).Len(); got != 0 {
		t.Errorf("Merge(nil, nil).Len() = %d", got)
	}
	if got := dirs(skills.Merge(base, nil)); !slices.Equal(got, dirs(base)) {
		t.Errorf("Merge(base, nil) = %v", got)
	}
}

// A folder that two roots lead to does not stand behind itself.
func TestMergeOneFolder(t *testing.T) {
	load := func(onDisk bool) *skills.Set {
		h := skills.Header{Name: "a", Dir: "/r/a", OnDisk: onDisk, File: skills.FileName}
		return skills.NewSet([]*skills.Skill{skills.New(h, fstest.MapFS{}, nil)}, nil)
	}
	if got := skills.Merge(load(true), load(true)); got.Len() != 1 || len(got.Shadowed()) != 0 {
		t.Errorf("%d skills, shadowed %v; want one and none", got.Len(), got.Shadowed())
	}
	// Two file systems may show one path.
	if got := skills.Merge(load(false), load(false)).Shadowed(); len(got) != 1 {
		t.Errorf("shadowed %v, want one", got)
	}
}

func TestMentioned(t *testing.T) {
	set := skills.NewSet([]*skills.Skill{named("alpha", "a"), named("v1.2", "v"), named("数据", "z")}, nil)
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"case 140", "$alpha, then $unknown, $alpha again, $disabled", []string{"a"}},
		{"full stop", "Use $alpha. Then $v1.2.", []string{"a", "v"}},
		{"longer word", "$alphabet $alpha-x", nil},
		{"not ASCII", "用$数据，再", []string{"z"}},
		{"order", "$v1.2 $alpha", []string{"v", "a"}},
		{"bare", "$ $$ $", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, sk := range set.Mentioned(tt.text) {
				got = append(got, sk.Dir)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Mentioned(%q) (-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

// keyed returns a skill that declares a skill_key.
func keyed(name, key string) *skills.Skill {
	text := "---\nname: " + name + "\ndescription: d\nmetadata: {\"matrix\": {\"skill_key\": \"" + key + "\"}}\n---\n"
	fsys := fstest.MapFS{skills.FileName: {Data: []byte(text)}}
	return skills.New(skills.Header{Name: name, Dir: "r/" + name, File: skills.FileName, MayHaveKey: true}, fsys, nil)
}

func TestGet(t *testing.T) {
	set := skills.NewSet([]*skills.Skill{
		named("deploy", "r/deploy"), named("deployer", "r/deployer"), named("csv-data-tools", "r/csv"), keyed("mailer", "mail"), keyed("other", "deploy"),
	}, nil)
	for arg, want := range map[string]string{"deploy": "r/deploy", "mailer": "r/mailer", "mail": "r/mailer"} {
		if sk, err := set.Get(arg); err != nil || sk.Dir != want {
			t.Errorf("Get(%q) = %v, %v, want %s", arg, sk, err, want)
		}
	}
	for arg, want := range map[string][]string{
		"depoly": {"deploy"}, "Deploy": {"deploy", "deployer"}, "csv-data-tool": {"csv-data-tools"}, "data": {"csv-data-tools"}, "zzz": nil, "": nil,
	} {
		sk, err := set.Get(arg)
		e, ok := errors.AsType[*skills.NotFoundError](err)
		if sk != nil || !ok || e.Name != arg {
			t.Errorf("case 122: Get(%q) = %v, %v, want a NotFoundError", arg, sk, err)
			continue
		}
		if diff := cmp.Diff(want, e.Similar); diff != "" {
			t.Errorf("Get(%q) suggests (-want +got):\n%s", arg, diff)
		}
	}
}

func TestProblems(t *testing.T) {
	broken := named("broken", "r/broken")
	set := skills.NewSet([]*skills.Skill{
		keyed("a", "k"), keyed("b", "k"), keyed("c", "own"), keyed("d", "named"), named("named", "r/named"), broken,
	}, []metadata.Problem{{Code: "of-the-index", File: "r/zzz"}})
	problems, err := set.Problems(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range problems {
		if p.Code == "duplicate-skill-key" || p.Code == "of-the-index" {
			got = append(got, p.Code+" "+p.File)
		}
	}
	want := []string{"duplicate-skill-key r/b/SKILL.md", "duplicate-skill-key r/d/SKILL.md", "of-the-index r/zzz"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Problems (-want +got):\n%s", diff)
	}
	again, _ := set.Problems(t.Context())
	if diff := cmp.Diff(problems, again); diff != "" {
		t.Errorf("a second call differs:\n%s", diff)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := set.Problems(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Problems of a cancelled context: %v", err)
	}
}

func TestZeroSet(t *testing.T) {
	for _, set := range []*skills.Set{nil, new(skills.Set), skills.NewSet(nil, nil)} {
		if set.Len() != 0 || len(dirs(set)) != 0 || len(set.Shadowed()) != 0 || len(set.IndexProblems()) != 0 || set.Mentioned("$a") != nil {
			t.Errorf("%v is not empty", set)
		}
		if _, err := set.Get("a"); err == nil {
			t.Error("Get finds something")
		}
		if p, err := set.Problems(t.Context()); len(p) != 0 || err != nil {
			t.Errorf("Problems = %v, %v", p, err)
		}
	}
}

func Example() {
	fsys := fstest.MapFS{
		"SKILL.md":       {Data: []byte("---\nname: jq\ndescription: Query JSON.\n---\nRun jq.\n")},
		"examples/a.txt": {Data: []byte(".[0]\n")},
	}
	// A loader does this for each folder that it finds.
	jq := skills.New(skills.Header{Name: "jq", Description: "Query JSON.", Dir: "bundled/jq", File: skills.FileName}, fsys, nil)
	set := skills.NewSet([]*skills.Skill{jq}, nil)

	sk, err := set.Get("jq")
	if err != nil {
		log.Fatal(err)
	}
	body, err := sk.Body()
	if err != nil {
		log.Fatal(err)
	}
	files, _, err := sk.Files("**/*.txt")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(body)
	fmt.Println(files[0].Path)
	_, err = set.Get("qj")
	fmt.Println(err)
	// Output:
	// Run jq.
	// examples/a.txt
	// no skill is named "qj"
}
