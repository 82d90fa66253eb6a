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
