package bundled_test

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/matrix-nexus/skillkit/bundled"
	"github.com/matrix-nexus/skillkit/metadata"
)

// names are the skills that the package documentation promises.
var names = []string{
	"chart-generator", "csv-data-tools", "curl", "jq",
	"meeting-summary", "pdf-tools", "postgres-client", "uv",
}

func ExampleFS() {
	skills, err := fs.Glob(bundled.FS(), "*/SKILL.md")
	if err != nil {
		panic(err)
	}
	for _, file := range skills {
		fmt.Println(path.Dir(file))
	}
	// Output:
	// chart-generator
	// csv-data-tools
	// curl
	// jq
	// meeting-summary
	// pdf-tools
	// postgres-client
	// uv
}

func TestFS(t *testing.T) {
	entries, err := fs.ReadDir(bundled.FS(), ".")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, names) {
		t.Errorf("folders are %q, want %q", got, names)
	}
	for _, file := range files(t, ".") {
		if strings.HasPrefix(path.Base(file), ".") {
			t.Errorf("%s: a stray file was embedded", file)
		}
	}
}

func TestManifests(t *testing.T) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			file := name + "/SKILL.md"
			doc, err := metadata.Parse(file, []byte(read(t, file)), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range doc.Problems {
				t.Error(p)
			}
			m := doc.Manifest
			if m.Name != name {
				t.Errorf("name is %q, want that of the folder", m.Name)
			}
			if n := utf8.RuneCountInString(m.Description); n == 0 || n > 1024 || !strings.Contains(m.Description, "Use when ") {
				t.Errorf("description has %d code points, want 1 to 1024, and must say when to use the skill: %q", n, m.Description)
			}
			// An absent mode reads as prompt, so look at the text as well.
			if !strings.Contains(read(t, file), `"execution_mode":"`+string(m.ExecutionMode)+`"`) {
				t.Error("execution_mode is not declared")
			}
			if m.VendorKey != "matrix" || m.CategoryName == "" || m.Emoji == "" {
				t.Errorf("vendor key %q, category %q, emoji %q: want matrix and no empty one", m.VendorKey, m.CategoryName, m.Emoji)
			}
			if len(m.Extra)+len(m.VendorExtra) > 0 {
				t.Errorf("undocumented keys: %v %v", m.Extra, m.VendorExtra)
			}
			if got, want := m.Always, name == "uv"; got != want {
				t.Errorf("always is %t, want %t", got, want)
			}
			checkRecipes(t, &m)
		})
	}
}

// checkRecipes reports a required program that some system has no recipe for,
// and recipes that lack what onboarding shows or verifies.
func checkRecipes(t *testing.T, m *metadata.Manifest) {
	t.Helper()
	ids := map[string]bool{}
	for _, r := range m.Install {
		if r.ID == "" || ids[r.ID] || r.Label == "" || len(r.OS) == 0 || len(r.Packages) == 0 || len(r.Extra) > 0 {
			t.Errorf("install %q: want a distinct id, a label, os, a package, and no other keys", r.ID)
		}
		ids[r.ID] = true
		if len(r.Bins) == 0 && len(m.Requires.PythonPackages) == 0 {
			t.Errorf("install %q: no bins", r.ID)
		}
	}
	for _, r := range m.Uninstall {
		i := slices.IndexFunc(m.Install, func(in metadata.Recipe) bool { return in.ID == r.ID })
		if i < 0 || m.Install[i].Kind != r.Kind || !slices.Equal(m.Install[i].Packages, r.Packages) || !slices.Equal(m.Install[i].OS, r.OS) {
			t.Errorf("uninstall %q: no install recipe of the same id, kind, package and os", r.ID)
		}
	}
	for _, os := range []string{"darwin", "linux", "windows"} {
		provided := func(name string) bool {
			return slices.ContainsFunc(m.Install, func(r metadata.Recipe) bool {
				return slices.Contains(r.OS, os) && (slices.Contains(r.Bins, name) || slices.Contains(r.Packages, name))
			})
		}
		one := len(m.Requires.AnyBins) == 0
		for _, r := range m.Requires.AnyBins {
			one = one || provided(r.Name)
		}
		if !one {
			t.Errorf("no recipe on %s for any_bins", os)
		}
		for _, r := range slices.Concat(m.Requires.Bins, m.Requires.PythonPackages) {
			if !provided(r.Name) {
				t.Errorf("no recipe on %s for %s", os, r.Name)
			}
		}
	}
}

// TestBodies holds the skills to what a strict linter asks for.
func TestBodies(t *testing.T) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			body := body(t, name)
			if !strings.HasPrefix(body, "\n# ") {
				t.Error("the body does not start with a heading")
			}
			if n := strings.Count(body, "\n"); n < 60 || n > 180 {
				t.Errorf("the body has %d lines, want 60 to 180", n)
			}
			for _, file := range files(t, name) {
				text := read(t, file)
				if path.Ext(file) == ".md" {
					for _, b := range blocks(t, file) {
						if b.lang == "" {
							t.Errorf("%s:%d: code fence without a language", file, b.line)
						}
					}
				}
				if m := regexp.MustCompile(`/(home|Users)/\w|/root\b|[A-Z]:\\`).FindString(text); m != "" {
					t.Errorf("%s: path of one machine: %q", file, m)
				}
				if !utf8.ValidString(text) || strings.ContainsAny(text, "\r\t\u00a0") || !strings.HasSuffix(text, "\n") {
					t.Errorf("%s: want UTF-8 with LF, no tabs, and a line end at the end", file)
				}
			}
		})
	}
}

// reference matches a path of a supporting file in a body, and link the target
// of a Markdown link.
var (
	reference = regexp.MustCompile(`\b(?:examples|templates|scripts|data|references|assets)/[\w./-]*\w`)
	link      = regexp.MustCompile(`\]\(([^)#?]+)`)
)

func TestReferences(t *testing.T) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			body := body(t, name)
			mentioned := reference.FindAllString(body, -1)
			for _, m := range link.FindAllStringSubmatch(body, -1) {
				if !strings.Contains(m[1], "://") {
					mentioned = append(mentioned, m[1])
				}
			}
			for _, ref := range mentioned {
				if _, err := fs.Stat(bundled.FS(), path.Join(name, ref)); err != nil {
					t.Errorf("the body mentions %s: %v", ref, err)
				}
			}
			for _, file := range files(t, name) {
				rel := strings.TrimPrefix(file, name+"/")
				if rel != "SKILL.md" && !slices.Contains(mentioned, rel) {
					t.Errorf("the body does not mention %s", rel)
				}
			}
		})
	}
}

// A block is a fenced piece of code.
type block struct {
	name    string // the heading above it, with a number from the second on
	line    int    // of the opening fence
	lang    string
	before  string // the text between the block and the fence or heading above
	content string
}

// blocks returns the fenced blocks of a Markdown file.
func blocks(t *testing.T, file string) []block {
	t.Helper()
	var (
		list    []block
		heading string
		before  strings.Builder
		counts  = map[string]int{}
		open    *block
	)
	for i, line := range strings.SplitAfter(read(t, file), "\n") {
		text := strings.TrimSuffix(line, "\n")
		switch {
		case open != nil && text == "```":
			list = append(list, *open)
			open = nil
			before.Reset()
		case open != nil:
			open.content += line
		case strings.HasPrefix(text, "```"):
			counts[heading]++
			name := heading
			if n := counts[heading]; n > 1 {
				name += fmt.Sprintf(" #%d", n)
			}
			open = &block{name: name, line: i + 1, lang: text[3:], before: before.String()}
		case strings.HasPrefix(text, "#"):
			heading = strings.TrimSpace(strings.TrimLeft(text, "#"))
			before.Reset()
		default:
			before.WriteString(line)
		}
	}
	if open != nil {
		t.Fatalf("%s:%d: code fence is not closed", file, open.line)
	}
	return list
}

// body returns the text of a skill after its frontmatter.
func body(t *testing.T, name string) string {
	t.Helper()
	_, body, ok := strings.Cut(read(t, name+"/SKILL.md"), "\n---\n")
	if !ok {
		t.Fatalf("%s has no frontmatter", name)
	}
	return body
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := fs.ReadFile(bundled.FS(), file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// files returns the paths of all files below root, sorted.
func files(t *testing.T, root string) []string {
	t.Helper()
	var list []string
	err := fs.WalkDir(bundled.FS(), root, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			list = append(list, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
