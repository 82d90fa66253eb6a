package layers

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A program that reads problems compares their codes: the documentation of a
// package lists those of its file codes.go.
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
	var files []string
	for _, pattern := range []string{"../../*/codes.go", "../../*/*/codes.go"} {
		list, err := filepath.Glob(pattern)
		if err != nil || len(list) == 0 {
			t.Fatalf("%s: no package has codes: %v", pattern, err)
		}
		files = append(files, list...)
	}
	for _, file := range files {
		codes := find(file, `= "([a-z0-9-]+)"`)
		listed := find(filepath.Join(filepath.Dir(file), "doc.go"), `(?m)^//\t([a-z0-9-]+) `)
		if diff := cmp.Diff(codes, listed); diff != "" || len(codes) == 0 {
			t.Errorf("%s (-constants +documentation):\n%s", file, diff)
		}
	}
}
