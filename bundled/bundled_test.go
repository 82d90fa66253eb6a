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
