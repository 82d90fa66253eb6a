package check_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/matrix-nexus/skillkit/check"
)

// Each code that the packages below give a problem is a rule, but for those of
// faults that one folder, or a set of folders, cannot show.
func TestCodesAreRules(t *testing.T) {
	rules := map[string]bool{}
	for _, r := range check.Rules() {
		rules[r.ID] = true
	}
	code := regexp.MustCompile(`(?m)^\tcode\w+ += "([a-z-]+)"$`)
	for file, least := range map[string]int{"../metadata/codes.go": 42, "../skills/codes.go": 5} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := code.FindAllSubmatch(text, -1)
		if len(found) < least {
			t.Errorf("%s: found %d codes, want at least %d", file, len(found), least)
		}
		for _, m := range found {
			switch id := string(m[1]); id {
			case "unreadable", "last-good": // nothing there to check
			default:
				if !rules[id] {
					t.Errorf("code %s of %s is no rule", id, file)
				}
			}
		}
	}
	if !rules["file-name-case"] {
		t.Error("code file-name-case of package loader is no rule")
	}
}

// All of a name of several words is underlined.
func TestNameEnd(t *testing.T) {
	c, err := check.New(&check.Options{Disable: []string{"name-characters"}})
	if err != nil {
		t.Fatal(err)
	}
	target := check.Target{Name: "report", Manifest: "SKILL.md", Text: []byte("---\nname: Weather Report\ndescription: x\n---\n")}
	r, err := c.Check(t.Context(), []check.Target{target})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		if f.Rule == "name-directory-mismatch" {
			if f.Position.String() != "2:7" || f.End.String() != "2:21" {
				t.Errorf("%s to %s, want 2:7 to 2:21", f.Position, f.End)
			}
			return
		}
	}
	t.Errorf("name-directory-mismatch is not among %v", r.Findings)
}
