package skillgen_test

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"github.com/matrix-nexus/skillkit/internal/skillgen"
)

func ExampleGenerate() {
	f := skillgen.Generate(3, 31)
	fmt.Println(f.Name, f.Faults)
	header, _, _ := strings.Cut(string(f.Data), "\n---\n")
	fmt.Println(header)
	// Output:
	// travel-hub [metadata: block map]
	// ---
	// name: travel-hub
	// description: Search and convert log files. Track and review Markdown notes.
	// metadata:
	//     clawdbot:
	//       requires:
	//         bins: ["rg", "node"]
}

func TestGenerateIsDeterministic(t *testing.T) {
	for n := range uint64(500) {
		if a, b := skillgen.Generate(7, n), skillgen.Generate(7, n); !reflect.DeepEqual(a, b) {
			t.Fatalf("file %d differs between two calls:\n%+v\n%+v", n, a, b)
		}
	}
	if string(skillgen.Generate(7, 0).Data) == string(skillgen.Generate(8, 0).Data) {
		t.Error("two seeds give the same file")
	}
}

// TestGenerateRates compares what is generated with some of the counts. The
// tolerance is four standard deviations.
func TestGenerateRates(t *testing.T) {
	got := map[string]int{}
	var sizes []int
	for n := range uint64(skillgen.Counted) {
		f := skillgen.Generate(1, n)
		sizes = append(sizes, len(f.Data))
		if f.Frontmatter {
			got["frontmatter"]++
		}
		if f.Frontmatter && f.Name != f.Folder {
			got["other name"]++
		}
		for _, kind := range f.Faults {
			got[kind]++
		}
	}
	for kind, want := range map[string]int{
		"frontmatter":         19_156,
		"other name":          6_130,
		"none: heading first": 1_756,
		"envelope: CRLF":      167,
		"envelope: closing fence glued to the body": 118,
		"envelope: never closed":                    28,
		"name: missing":                             124,
		"description: missing":                      99,
		"yaml: colon in description":                276,
		"yaml: surrogate pairs":                     47,
		"yaml: list and more":                       15,
		"translator: lines not indented":            587,
		"translator: asterisks first":               261,
		"metadata: one line of JSON":                4_460,
		"metadata: trailing commas":                 477,
		"metadata: block map":                       3_372,
		"vendor: no key":                            184,
	} {
		if tolerance := 4*math.Sqrt(float64(want)) + 0.03*float64(want); math.Abs(float64(got[kind]-want)) > tolerance {
			t.Errorf("%s: got %d files, want %d ± %.0f", kind, got[kind], want, tolerance)
		}
	}
	slices.Sort(sizes)
	for _, q := range []struct{ share, want float64 }{{.5, 4590}, {.9, 13_292}, {.99, 30_911}} {
		if size := float64(sizes[int(q.share*float64(len(sizes)))]); size < 0.85*q.want || size > 1.15*q.want {
			t.Errorf("size at p%g: got %.0f bytes, want about %.0f", 100*q.share, size, q.want)
		}
	}
}

// TestGenerateYAML has yaml.v3 confirm what the generator claims: a header
// without a fault of YAML holds the intended name and description, and one
// with such a fault is refused.
func TestGenerateYAML(t *testing.T) {
	for n := range uint64(6000) {
		f := skillgen.Generate(2, n)
		bad := slices.ContainsFunc(f.Faults, func(s string) bool {
			return strings.HasPrefix(s, "yaml: ") || strings.HasPrefix(s, "translator: ")
		})
		odd := slices.ContainsFunc(f.Faults, func(s string) bool {
			return strings.HasPrefix(s, "envelope: ") || strings.HasPrefix(s, "header: ") || s == "name: capitalised key" || s == "description: a list"
		})
		if !f.Frontmatter || odd {
			continue
		}
		header, _, ok := strings.Cut(strings.TrimPrefix(string(f.Data), "---\n"), "\n---\n")
		if !ok {
			t.Fatalf("file %d has no closing fence:\n%.500s", n, f.Data)
		}
		var root map[string]yaml.Node
		if err := yaml.Unmarshal([]byte(header), &root); (err != nil) != bad {
			t.Errorf("file %d, faults %q: yaml.v3 says %v:\n%.1000s", n, f.Faults, err, header)
		}
		if bad {
			continue
		}
		name := f.Folder
		if node, ok := root["name"]; ok {
			name = node.Value
		}
		if node := root["description"]; name != f.Name || strings.TrimSpace(node.Value) != f.Description {
			t.Errorf("file %d, faults %q: got name %q, description %q, want %q, %q", n, f.Faults, name, node.Value, f.Name, f.Description)
		}
	}
}

func TestTree(t *testing.T) {
	const n = 300
	dir := t.TempDir()
	count, err := skillgen.Tree(dir, n, 1)
	if err != nil {
		t.Fatal(err)
	}
	var found skillgen.Count
	if err := fs.WalkDir(os.DirFS(dir), ".", func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil || path == ".":
		case e.IsDir():
			found.Folders++
		default:
			found.Files++
			if e.Name() == "SKILL.md" {
				found.Skills++
				if strings.Count(path, "/") > 2 {
					found.Nested++
				}
			}
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(count, found); diff != "" {
		t.Errorf("what Tree says and what is there differ (-says +is):\n%s", diff)
	}
	if count.Skills != n {
		t.Errorf("got %d skills, want %d", count.Skills, n)
	}
	if ratio := float64(count.Folders) / n; ratio < 2.3 || ratio > 2.5 {
		t.Errorf("got %.2f folders a skill, want 2.4", ratio)
	}
	if ratio := float64(count.Files) / n; ratio < 4 || ratio > 8 {
		t.Errorf("got %.2f files a skill, want about 6", ratio)
	}
}

func TestTreeIsDeterministic(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	for _, dir := range []string{a, b} {
		if _, err := skillgen.Tree(dir, 20, 1); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(paths(t, a), paths(t, b)); diff != "" {
		t.Errorf("two trees from one seed differ:\n%s", diff)
	}
}

func paths(t *testing.T, dir string) []string {
	t.Helper()
	list, err := fs.Glob(os.DirFS(dir), "*/*/*")
	if err != nil {
		t.Fatal(err)
	}
	return list
}
