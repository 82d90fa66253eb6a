// Package golden compares what tests get with files in testdata. With the flag
// -update it writes the files instead. Only tests import it.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the golden files in testdata anew")

// Updating reports whether the flag -update was given, for tests that write other
// files too.
func Updating() bool { return *update }

// Archives runs a subtest for each txtar archive that pattern matches, and
// compares its file "want" with what run makes of the archive. The comment of an
// archive must say why it exists.
func Archives(t *testing.T, pattern string, run func(t *testing.T, ar *txtar.Archive) string) {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files %s: %v", pattern, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(ar.Comment) == 0 {
				t.Error("the file does not say why it exists")
			}
			i := slices.IndexFunc(ar.Files, func(f txtar.File) bool { return f.Name == "want" })
			if i < 0 {
				i = len(ar.Files)
				ar.Files = append(ar.Files, txtar.File{Name: "want"})
			}
			got := run(t, ar)
			if *update {
				ar.Files[i].Data = []byte(got)
				write(t, file, txtar.Format(ar))
			}
			compare(t, string(ar.Files[i].Data), got)
		})
	}
}

// File compares a whole file with got.
func File(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		write(t, file, []byte(got))
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, string(data), got)
}

func write(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

func compare(t *testing.T, want, got string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("golden file (-want +got):\n%s", diff)
	}
}
