package skills_test

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

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
