package publish

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// ignoreCases are .gitignore files, by folder, and paths to try on them; those
// that end in a slash are folders.
var ignoreCases = []struct {
	name  string
	files map[string]string
	paths string
}{
	{"names at any level", map[string]string{".": "*.log\nbuild\n"}, "a.log x/b.log build x/build x/y/build/z xbuild build.log/q"},
	{"anchored", map[string]string{".": "/todo\ndoc/frotz\n/a/b\n"}, "todo x/todo doc/frotz x/doc/frotz a/b x/a/b a/c/b"},
	{"folders only", map[string]string{".": "tmp/\n/out/\na/b/\n"}, "q/tmp x/tmp/y out/ out/a x/out/ a/b/ x/a/b/ y/a/b"},
	{"negation", map[string]string{".": "*.txt\n!keep.txt\n/d/\n!d/keep.txt\n!!x\n"}, "a.txt keep.txt x/keep.txt d/keep.txt d/ !x x"},
	{"negation of all but one", map[string]string{".": "/*\n!/foo\n/foo/*\n!/foo/bar\n"}, "a foo/ foo/a foo/bar foo/bar/c b/foo"},
	{"later wins", map[string]string{".": "a\n!a\na\nb\n!b\n"}, "a b x/a x/b"},
	{"nested files", map[string]string{".": "*.md\nsub/x\n", "sub": "!a.md\n/b\nc/\n", "sub/deep": "*\n!.gitignore\n!k\n"},
		"a.md sub/a.md sub/x sub/b sub/q/b sub/c/ sub/r/c sub/q/c/ sub/deep/k sub/deep/z b"},
	{"two stars", map[string]string{".": "**/foo\nabc/**\na/**/b\n**/x/y\nq**r\n/s/**\n**/\n"},
		"foo p/foo p/q/foo abc/d abc/d/e abc a/b a/c/b a/c/d/b ab x/y p/x/y qzr qr q/r p/q.r s s/t dir/ file"},
	{"three stars", map[string]string{".": "a/***/b\nc***d\ne/***\n***/f\n"}, "a/b a/x/y/b c.d c/d e/f/g f g/f"},
	{"one star does not cross", map[string]string{".": "a/*\nb/*/c\n*/d\nfoo*bar/x\n"}, "a/x a/x/y b/x/c b/x/y/c d x/d x/y/d fooxbar/x foo/bar/x foobar/x"},
	{"question marks", map[string]string{".": "a?c\n/?\nx/?y\n"}, "abc ac a/c b bb q/b x/zy x//y"},
	{"question mark is a byte", map[string]string{".": "?.a\n??.b\n"}, "é.a é.b x.a"},
	{"brackets", map[string]string{".": "[ab].t\n[!c-e]x\n[^f]y\n[]z]w\n[a-]v\n[-a]u\n[[:digit:]]s\n[a-c-e]r\n"},
		"a.t b.t c.t cx fx fy gy ]w zw aw av -v bv -u au 1s as br -r er dr"},
	{"brackets and slashes", map[string]string{".": "a[/]b\na[+-9]c\na[!x]d\n"}, "a/b a.c a/c a0c a/d ayd"},
	{"brackets with escapes", map[string]string{".": `[\]]a` + "\n" + `[a\-c]b` + "\n" + `[\\]c` + "\n" + `[\a-\c]d` + "\n"}, `]a ab bb -b \c bd`},
	{"brackets that are none", map[string]string{".": "[a\n[[:foo:]]b\n[z-a]c\nd[[:]d\n[!z-a]e\n[]\n[!]\n"}, "[a a :]b fb zc ac [d d:d d[d d[[:]d xe [] ! [!]"},
	{"brackets of bytes", map[string]string{".": "[é]a\n[\u00c0-\u00ff]b\n"}, "éa éb xa"},
	{"escapes", map[string]string{".": `\#a` + "\n" + `\!b` + "\n" + `c\*d` + "\n" + `e\f` + "\n" + `g\` + "\n" + `h\\i` + "\n"}, `#a !b c*d cxd ef g g\ h\i`},
	{"comments", map[string]string{".": "# a\n#b\n c\nd # e\n"}, "a #b c d"},
	{"blanks at the end", map[string]string{".": "a  \nb\\ \nc\\  \nd\\\\ \ne\t\n \n"}, `a b c d\ e`},
	{"line ends", map[string]string{".": "a\r\nb\r\n\r\n\nc"}, "a b c"},
	{"byte order mark", map[string]string{".": "\ufeffa\nb\n"}, "a b"},
	{"nothing", map[string]string{".": "/\n//\n!\n!/\n\\\n"}, "a b/ c/d"},
	{"slashes", map[string]string{".": "a//\n//b\nc//d\n"}, "a/ a b c/d x/b"},
	{"dots", map[string]string{".": "./a\n../b\nc/.\n.*\n"}, "a b c/x .d x/.e"},
	{"letters of a regular expression", map[string]string{".": "a.b\nc+\n(d)\ne{1,2}\n^f$\ng|h\n"}, "axb a.b c cc c+ (d) d e{1,2} ee ^f$ f g g|h"},
	{"case", map[string]string{".": "Readme\n[A-C]d\n[[:upper:]]e\n"}, "readme Readme ad Ad be Be"},
	{"folder below a file pattern", map[string]string{".": "x\n!x/\n"}, "x z/x/ y/x z/x/k"},
	{"folder that is taken back", map[string]string{".": "*\n!*/\n!*.go\n"}, "a b.go c/ c/d c/d.go e/f/g.go"},
}

// excluded asks ig as a walk does: not below what is excluded.
func excluded(ig *ignorer, name string) bool {
	trimmed, dir := strings.CutSuffix(name, "/")
	for i, c := range trimmed {
		if c == '/' && ig.match(trimmed[:i], true) != "" {
			return true
		}
	}
	return ig.match(trimmed, dir) != ""
}

func newIgnorer(t *testing.T, files map[string]string) *ignorer {
	t.Helper()
	ig := &ignorer{}
	dirs := []string{}
	for dir := range files {
		dirs = append(dirs, dir)
	}
	slices.Sort(dirs)
	for _, dir := range dirs {
		if err := ig.add(dir, []byte(files[dir])); err != nil {
			t.Fatal(err)
		}
	}
	return ig
}

// The patterns mean what git takes them for.
func TestIgnoreAsGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	for _, tt := range ignoreCases {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			run := func(stdin string, args ...string) string {
				cmd := exec.CommandContext(t.Context(), git, args...)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "HOME="+dir, "XDG_CONFIG_HOME="+dir)
				cmd.Stdin = strings.NewReader(stdin)
				var errs bytes.Buffer
				cmd.Stderr = &errs
				out, err := cmd.Output()
				if e, ok := err.(*exec.ExitError); err != nil && (!ok || e.ExitCode() != 1) {
					t.Fatalf("git %v: %v: %s", args, err, &errs)
				}
				return string(out)
			}
			run("", "init", "-q")
			run("", "config", "core.ignorecase", "false")
			for folder, text := range tt.files {
				path := filepath.Join(dir, filepath.FromSlash(folder), ".gitignore")
				if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			ig := newIgnorer(t, tt.files)
			got := []string{}
			paths := strings.Fields(tt.paths)
			for i, p := range paths {
				paths[i] = strings.TrimSuffix(p, "/")
				if excluded(ig, p) {
					got = append(got, paths[i])
				}
				if paths[i] != p { // git looks at what is there
					if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(p)), 0o777); err != nil {
						t.Fatal(err)
					}
				}
			}
			out := run(strings.Join(paths, "\x00")+"\x00", "check-ignore", "--no-index", "-z", "--stdin")
			want := strings.FieldsFunc(out, func(r rune) bool { return r == 0 })
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("excluded (-git +got):\n%s", diff)
			}
		})
	}
}
