package metadata_test

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCodesAreDocumented compares the constants with the list in the package
// documentation.
func TestCodesAreDocumented(t *testing.T) {
	find := func(file, pattern string) []string {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, m := range regexp.MustCompile(pattern).FindAllSubmatch(data, -1) {
			list = append(list, string(m[1]))
		}
		slices.Sort(list)
		return list
	}
	codes := find("codes.go", `= "([a-z0-9-]+)"`)
	listed := find("doc.go", `(?m)^//\t([a-z0-9-]+) `)
	if diff := cmp.Diff(codes, listed); diff != "" || len(codes) == 0 {
		t.Errorf("codes (-constants +documentation):\n%s", diff)
	}
}
