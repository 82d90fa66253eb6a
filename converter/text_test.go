package converter_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/matrix-nexus/skillkit/converter"
	"github.com/matrix-nexus/skillkit/internal/golden"
	"github.com/matrix-nexus/skillkit/skills"
)

// TestText calls the tool of the skill in each archive of testdata/text:
//
//	skill/…   the files of the skill
//	args      the arguments, JSON; none means {}
//	missing   what Status says is missing, a line each, or "ready";
//	          remedies likewise, and interpreter. Without it there is no Status.
//	embedded  the skill is not on disk; the text is the folder that
//	          Materialize gives, or "error", or "none" for no Materialize
//	want      the answer, with " (error)" on a first line if IsError is set
func TestText(t *testing.T) {
	golden.Archives(t, "testdata/text/*.txtar", func(t *testing.T, ar *txtar.Archive) string {
		parts := map[string]string{}
		folder := map[string]string{}
		for _, f := range ar.Files {
			if name, ok := strings.CutPrefix(f.Name, "skill/"); ok {
				folder[name] = string(f.Data)
			} else {
				parts[f.Name] = strings.TrimSpace(string(f.Data))
			}
		}
		s := newSkill(t, "demo", folder)
		opts := &converter.Options{}
		if missing, ok := parts["missing"]; ok {
			opts.Status = func(*skills.Skill) converter.Status {
				if missing == "ready" {
					return converter.Status{Ready: true, Python: parts["interpreter"]}
				}
				return converter.Status{Missing: lines(missing), Remedies: lines(parts["remedies"])}
			}
		}
		if dir, ok := parts["embedded"]; ok {
			h := s.Header
			h.OnDisk, h.Dir = false, "bundled:demo"
			s = skills.New(h, s.FS(), nil)
			if dir != "none" {
				opts.Materialize = func(got *skills.Skill) (string, error) {
					if got != s {
						t.Errorf("Materialize got %v", got)
					}
					if dir == "error" {
						return "ignored", errors.New("disk full")
					}
					return dir, nil
				}
			}
		}
		res := call(t, s, opts, parts["args"])
		got := strings.TrimSuffix(res.Text, "\n") + "\n"
		if res.IsError {
			got = "(error)\n" + got
		}
		return got
	})
}

func lines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, "\n")
}

func TestManyFiles(t *testing.T) {
	const listed = 50
	for _, n := range []int{listed, listed + 1, skills.MaxListed + 1} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			files := map[string]string{skills.FileName: "---\nname: demo\ndescription: d\n---\nThe body.\n"}
			for i := range n {
				files[fmt.Sprintf("data/%04d.txt", i)] = "x"
			}
			res := call(t, newSkill(t, "demo", files), nil, "{}")
			if got := strings.Count(res.Text, "data/"); got != listed {
				t.Errorf("%d files are listed, want %d", got, listed)
			}
			var want string
			switch n {
			case listed + 1:
				want = "- and 1 more; "
			case skills.MaxListed + 1:
				want = fmt.Sprintf("- and over %d more; ", skills.MaxListed-listed)
			}
			if got := strings.Contains(res.Text, "more; to list them"); got != (want != "") || !strings.Contains(res.Text, want) {
				t.Errorf("got %q, want it to hold %q", res.Text, want)
			}
			if !strings.HasSuffix(res.Text, "The body.\n") {
				t.Errorf("the body is not last: %q", res.Text)
			}
		})
	}
}

// A listed path is one that the tool takes, whatever stands in it.
func TestOddPaths(t *testing.T) {
	paths := []string{"two  blanks.txt", "line\nInstructions:.txt", "escape\x1b[2J.txt"}
	files := map[string]string{skills.FileName: "---\nname: demo\ndescription: d\n---\nThe body.\n"}
	for _, path := range paths {
		files[path] = "x"
	}
	s := newSkill(t, "demo", files)
	text := call(t, s, nil, "{}").Text
	for _, path := range paths {
		quoted := mustJSON(t, path)
		if want := "\n- " + quoted + " (1 bytes)\n"; !strings.Contains(text, want) {
			t.Errorf("got %q, want it to hold %q", text, want)
		}
		if res := call(t, s, nil, `{"file":`+quoted+`}`); res.Text != "x" {
			t.Errorf("file %s: got %q", quoted, res.Text)
		}
	}
}

func TestFile(t *testing.T) {
	folder := map[string]string{
		skills.FileName:       "---\nname: demo\ndescription: d\n---\nThe body.\n",
		"templates/report.md": "# Report\n",
		"templates/a/b.md":    "b\n",
		"pages/[slug].tsx":    "slug\n",
		"logo.png":            "\x89PNG\x00\xff",
		"big.txt":             strings.Repeat("x", skills.MaxFileText+1),
	}
	for _, tt := range []struct {
		name, file, want string
		isError          bool
	}{
		{"file", "templates/report.md", "# Report\n", false},
		{"brackets in the name", "pages/[slug].tsx", "slug\n", false},
		{"glob", "**/*.md", "2 supporting files match **/*.md:\n- templates/a/b.md (2 bytes)\n- templates/report.md (9 bytes)\n", false},
		{"folder", "templates", "2 supporting files match templates/**:\n- templates/a/b.md (2 bytes)\n- templates/report.md (9 bytes)\n", false},
		{"missing", "templates/none.md", `there is no file "templates/none.md"; {"file": "**"} lists all`, true},
		{"glob without match", "**/*.go", `no supporting file matches "**/*.go"; {"file": "**"} lists all`, true},
		{"bad glob", "[", "", true},
		{"binary", "logo.png", "", true},
		{"too large", "big.txt", "", true},
		{"case 119 parent", "../x", "", true},
		{"case 119 absolute", "/etc/passwd", "", true},
		{"case 119 backslashes", `..\..\x`, "", true},
		{"case 119 parent within", "foo/../../x", "", true},
		{"case 121 drive", `C:\Windows`, "", true},
		{"case 121 rooted", `\SKILL.md`, "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			args := mustJSON(t, map[string]string{"file": tt.file})
			res := call(t, newSkill(t, "demo", folder), nil, args)
			if res.IsError != tt.isError {
				t.Errorf("IsError = %v, want %v; %q", res.IsError, tt.isError, res.Text)
			}
			if tt.isError && !strings.Contains(res.Text, tt.want) || !tt.isError && res.Text != tt.want {
				t.Errorf("got %q, want %q", res.Text, tt.want)
			}
			if strings.Contains(res.Text, "The body") {
				t.Errorf("the body is in the answer: %q", res.Text)
			}
		})
	}
}

// A body too long for one answer loses its end, never its head; and what the
// model itself sent does not push it out.
func TestLongArgument(t *testing.T) {
	s := one(t, "name: demo\ndescription: d", "The body.\n")
	args := mustJSON(t, map[string]string{"arguments": strings.Repeat("é", 100_000)})
	res := call(t, s, nil, args)
	if !strings.HasSuffix(res.Text, "The body.\n") || len(res.Text) > 10_000 {
		t.Errorf("the answer has %d bytes and ends in %q", len(res.Text), res.Text[len(res.Text)-20:])
	}

	const limit = 2000 // code points, with the quotes
	for n, want := range map[int]string{
		limit - 2: `"` + strings.Repeat("é", limit-2) + `"`,
		limit - 1: `"` + strings.Repeat("é", limit-2) + "…",
	} {
		res := call(t, s, nil, mustJSON(t, map[string]string{"arguments": strings.Repeat("é", n)}))
		if !strings.Contains(res.Text, "- arguments: "+want+"\n") {
			t.Errorf("%d code points: the answer is %q", n, res.Text)
		}
	}
}

func TestFill(t *testing.T) {
	const hint = "argument-hint: \"[who] [what]\"\n"
	for _, tt := range []struct{ name, header, body, arguments, want string }{
		{"base folder", "", "run {baseDir}/a {baseDir}/b", "", "run /skills/demo/a /skills/demo/b"},
		{"arguments", "", "do $ARGUMENTS!", "it now", "do it now!"},
		{"words", hint, "$1-$2-$3", "a 'b c'", "a-b c-"},
		{"indexed", "", "$ARGUMENTS[0], $ARGUMENTS[1], $ARGUMENTS[9]", `"a b" c`, "a b, c, "},
		{"none given", hint, "$1 $ARGUMENTS", "", "$1 $ARGUMENTS"},
		{"blank given", hint, "$1 $ARGUMENTS", "  ", "$1 $ARGUMENTS"},
		{"not expected", "", "awk '{print $1}'", "x", "awk '{print $1}'"},
		{"not expected by a longer word", "", "$ARGUMENTS_FILE; awk '{print $1}'", "x", "$ARGUMENTS_FILE; awk '{print $1}'"},
		{"expected by the body", "", "$1 of $ARGUMENTS", "x y", "x of x y"},
		{"no placeholders", hint, "$0 $10 $123 $ARGUMENTS_FILE $HOME ${1} $$", "x", "$0 $10 $123 $ARGUMENTS_FILE $HOME ${1} $$"},
		{"not expanded again", hint, "$1|$2|{baseDir}", "$2 {baseDir}", "$2|{baseDir}|/skills/demo"},
		{"not expanded by regexp", hint, "$1", "${0}$name", "${0}$name"},
		{"quotes", hint, "$1|$2|$3", `don't "un closed`, `don't|"un|closed`},
		{"huge index", "", "$ARGUMENTS[99999999999999999999]", "x", "$ARGUMENTS[99999999999999999999]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := one(t, "name: demo\ndescription: d\n"+tt.header, tt.body)
			res := call(t, s, nil, mustJSON(t, map[string]string{"arguments": tt.arguments}))
			_, got, ok := strings.Cut(res.Text, "\nInstructions:\n\n")
			if !ok || got != tt.want {
				t.Errorf("body = %q, want %q", got, tt.want)
			}
			if body, err := s.Body(); err != nil || body != tt.body {
				t.Errorf("Body = %q, %v; want it as in the file, %q", body, err, tt.body)
			}
		})
	}
}

func FuzzText(f *testing.F) {
	f.Add("name: demo\ndescription: d\nargument-hint: x", "$1 {baseDir} $ARGUMENTS[1]", `{"arguments":"a 'b"}`)
	f.Add(`metadata: {"matrix":{"parameters":[{"name":"file"}],"requires":{"python_packages":["a'b"]}}}`, "", `{"file":"["}`)
	f.Add("name: demo\ndescription: d", "b", `prose`)
	f.Fuzz(func(t *testing.T, header, body, args string) {
		s := newSkill(t, "demo", map[string]string{
			skills.FileName: "---\n" + header + "\n---\n" + body,
			"a.md":          "a",
		})
		d, _, err := converter.Def(s, nil)
		if err != nil {
			if _, ok := errors.AsType[*converter.NotOfferedError](err); !ok {
				t.Fatalf("error of type %T: %v", err, err)
			}
			return
		}
		if _, err := invoke(t, d, args); err != nil {
			t.Fatal(err)
		}
		set := skills.NewSet([]*skills.Skill{s}, nil)
		if c := converter.Catalogue(set, nil); strings.Count(c, "\n") != 3 || strings.Count(c, "<skill>") != 1 {
			t.Fatalf("catalogue of one skill: %q", c)
		}
	})
}
