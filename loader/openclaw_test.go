package loader_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/matrix-nexus/skillkit/loader"
	"github.com/matrix-nexus/skillkit/metadata"
)

// reading is what testdata/openclaw/read.mjs prints of one skill.
type reading struct {
	Name, Description, Homepage string
	UserInvocable               bool
	Emoji                       string
	OS                          []string
	PrimaryEnv, SkillKey        string
	Always                      bool
	Bins, AnyBins, Env, Config  []string
	Install                     []readRecipe
	Body                        string
}

type readRecipe struct {
	ID, Kind, Label    string
	Bins, OS, Packages []string
	URL, Archive       string
	Extract            bool
	StripComponents    int
	TargetDir          string
}

// TestOpenclaw loads real skills and compares every value with a reading of
// the same files by other programs (testdata/openclaw).
func TestOpenclaw(t *testing.T) {
	dir := filepath.Join("..", "cache", "openclaw")
	data, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		t.Skip("the real skills are not here; fetch them with testdata/openclaw/fetch")
	}
	var want map[string]reading
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	if len(want) < 50 {
		t.Fatalf("the independent reading has %d skills, want at least 50", len(want))
	}

	set, err := loader.New(&loader.Options{
		Roots: []loader.Root{{Dir: filepath.Join(dir, "skills")}},
	}).Skills(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]reading{}
	vendor := 0
	for s := range set.All() {
		m, err := s.Manifest()
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		body, err := s.Body()
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
		if s.Name != m.Name || s.Description != m.Description {
			t.Errorf("%s: index and manifest differ in name or description", s.Name)
		}
		if m.VendorKey == "openclaw" {
			vendor++
		}
		if m.RequiresUnknown {
			t.Errorf("%s: requirements unknown", s.Name)
		}
		got[filepath.Base(s.Dir)] = readingOf(m, body)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("values differ from the independent reading (-want +got):\n%s", diff)
	}
	t.Logf("figure: %d of %d real skills loaded, %d with a vendor block, all values as read by Node's yaml", len(got), len(want), vendor)
}

func readingOf(m *metadata.Manifest, body string) reading {
	r := reading{
		Name: m.Name, Description: m.Description, Homepage: m.Homepage,
		UserInvocable: m.UserInvocable, Emoji: m.Emoji, OS: m.OS,
		PrimaryEnv: m.PrimaryEnv, SkillKey: m.SkillKey, Always: m.Always,
		Bins: names(m.Requires.Bins), AnyBins: names(m.Requires.AnyBins),
		Env: names(m.Requires.Env), Config: names(m.Requires.Config),
		Body: body,
	}
	for _, x := range m.Install {
		r.Install = append(r.Install, readRecipe{
			ID: x.ID, Kind: string(x.Kind), Label: x.Label, Bins: x.Bins, OS: x.OS,
			Packages: x.Packages, URL: x.URL, Archive: x.Archive, Extract: x.Extract,
			StripComponents: x.StripComponents, TargetDir: x.TargetDir,
		})
	}
	return r
}

func names(list []metadata.Requirement) []string {
	var out []string
	for _, r := range list {
		out = append(out, r.Name)
	}
	return out
}
