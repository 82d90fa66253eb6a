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
	files, err := filepath.Glob("../../*/codes.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no package has codes: %v", err)
	}
	for _, file := range files {
		codes := find(file, `= "([a-z0-9-]+)"`)
		listed := find(filepath.Join(filepath.Dir(file), "doc.go"), `(?m)^//\t([a-z0-9-]+) `)
		if diff := cmp.Diff(codes, listed); diff != "" || len(codes) == 0 {
			t.Errorf("%s (-constants +documentation):\n%s", file, diff)
		}
	}
}
