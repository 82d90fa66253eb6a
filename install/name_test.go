package install_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/matrix-nexus/skillkit/install"
	"github.com/matrix-nexus/skillkit/metadata"
)

func TestCheckPackage(t *testing.T) {
	good := map[metadata.Kind]string{
		"brew":   "jq gtk+ python@3.12 someone/tap/tool homebrew/cask/x c++filt a_b.c",
		"apt":    "jq g++ libc++ python3.11 libx11-6 libx11-6:i386 jq=1.7-1 jq=1:1.7~rc1+dfsg-1 0ad",
		"npm":    "typescript @scope/name name@1.2.3 name@latest @scope/name@~1.2 JSONStream socket.io is-ok_2",
		"go":     "example.com/cmd/x example.com/x@latest example.com/x/v2@v2.1.0-rc.1+incompatible github.com/A/b_c.d~e golang.org/x/c++",
		"pip":    "requests Pillow zope.interface a-b_c numpy>=1.2 x[a,b]==1.* x~=1.2,!=1.3 x===1.0+local A1",
		"uv":     "ruff ruff==0.5.0",
		"pipx":   "black",
		"cargo":  "ripgrep fd-find x_y@1.2.3",
		"gem":    "rake rake:13.0.1 a-b_c.d",
		"dnf":    "jq gcc-c++ python3.11 jq-1.7-1.fc40.x86_64",
		"choco":  "jq git.install",
		"winget": "jqlang.jq Notepad++.Notepad++",
	}
	bad := map[metadata.Kind]string{
		"brew":  "--HEAD a/b a/b/c/d /usr/x ./x x.rb https://example.com/x.rb a//b a/../b a;b $(x) ~/x é",
		"apt":   "-y x X x- x+ x/stable ./x.deb x.deb x* ^x ?name(x) x|y x=1- jq:",
		"npm":   "-g someone/x git+ssh://h/x git@h:x/y https://h/x.tgz file:../x link:x npm:x x@npm:y x.tgz x@1.tgz ./x ../x /x ~/x @scope @scope/ @/x .x _x x@ x@^1 x@>=1 x@* github:a/b %PATH% x^y",
		"go":    "fmt cmd/go ./x ../x /x example.com example.com/... example.com/x... example.com/../x example.com/.x example.com/x/ example.com//x example.com/x@ example.com/x@-v example.com/x@a/b localhost/x example.com/x;id all std",
		"pip":   "-e . .. ./x /x ~/x -r x.whl x.tar.gz x.zip git+https://h/x https://h/x x@https://h/x x;python_version<'3' x>= x== x>1, _x x_ x[ x[] x[a x>=1;id *",
		"cargo": "-x x.y x@ x@-1 --git ./x a/b",
		"gem":   "-x x.gem x: x:a ./x a/b",
		"dnf":   "-x @group x.rpm /usr/bin/x x* (a)",
		"choco": "-x all ALL packages.config x.nupkg a/b",
		"nope":  "x",
		"shell": "x",
	}
	for kind, names := range good {
		for name := range strings.FieldsSeq(names) {
			if err := install.CheckPackage(kind, name); err != nil {
				t.Errorf("%s %q: %v", kind, name, err)
			}
		}
	}
	for kind, names := range bad {
		for name := range strings.FieldsSeq(names) {
			if install.CheckPackage(kind, name) == nil {
				t.Errorf("%s %q is allowed", kind, name)
			}
		}
	}
	for kind := range good {
		for _, name := range []string{"", " ", "a b", "a\tb", "a\nb", "a\x00", "a\x1b[0m", "a\u202eb", "a\\b", "a'b", `a"b`, "a`b", "a$b", "a&b", "a(b", "a{b", "a#b", "a?b", "\xff"} {
			if install.CheckPackage(kind, name) == nil {
				t.Errorf("%s %q is allowed", kind, name)
			}
		}
		for _, n := range []int{install.MaxName, install.MaxName + 1} {
			name := strings.Repeat("a", n)
			if kind == metadata.KindGo {
				name = "example.com/" + name[len("example.com/"):]
			}
			if err := install.CheckPackage(kind, name); (err == nil) != (n <= install.MaxName) {
				t.Errorf("%s of %d bytes: %v", kind, n, err)
			}
		}
	}
}

func TestCheckBin(t *testing.T) {
	for _, name := range []string{"jq", "g++", "x86_64-linux-gnu-gcc", "python3.12", "a_b", "7z", strings.Repeat("a", install.MaxName)} {
		if err := install.CheckBin(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"", ".", "..", ".x", "-x", "a/b", `a\b`, "/x", "../x", "a b", "a\n", "a:b", "C:x", "x.", "a*", "~", strings.Repeat("a", install.MaxName+1)} {
		if install.CheckBin(name) == nil {
			t.Errorf("%q is allowed", name)
		}
	}
}

func TestCheckCommand(t *testing.T) {
	for _, command := range []string{"make install", "a\n\tb", "echo é", strings.Repeat("a", install.MaxCommand)} {
		if err := install.CheckCommand(command); err != nil {
			t.Errorf("%.40q: %v", command, err)
		}
	}
	for _, command := range []string{"", " \n", "a\x00b", "a\rb", "a\x1b[2Kb", "a\u202eb", "a\u200bb", "a\xff", strings.Repeat("a", install.MaxCommand+1)} {
		if install.CheckCommand(command) == nil {
			t.Errorf("%.40q is allowed", command)
		}
	}
}

// B06: the name of a skill and the folder that its recipe asks for never lead
// out of the folder that they are to be in, and no two share one.
func TestSlug(t *testing.T) {
	names := []string{"a", "jq", "chart-generator", "a_b", "A", "a b", "a-b", "a/b", `a\b`, "..", ".", "", "../../etc", "/etc", "~", "a.b", "x-a-b.000000000000",
		"con", "CON", "nul", "com1", "aux.txt", "é", "日本", "a\x00b", "C:x", "-a", "a-", strings.Repeat("a", 64), strings.Repeat("a", 65), strings.Repeat("ab ", 100)}
	seen := map[string]string{}
	for _, name := range names {
		got := install.Slug(name)
		if strings.ContainsFunc(got, func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789-_.", r) }) ||
			got == "" || got[0] == '.' || got[0] == '-' || strings.Contains(got, "..") || len(got) > 80 || strings.HasSuffix(got, ".") {
			t.Errorf("slug of %q is %q", name, got)
		}
		if other, ok := seen[got]; ok {
			t.Errorf("%q and %q share %q", name, other, got)
		}
		seen[got] = name
	}
	for _, name := range names[:4] {
		if got := install.Slug(name); got != name {
			t.Errorf("slug of %q is %q, want it as it is", name, got)
		}
	}
	for _, device := range []string{"con", "nul", "com1"} {
		if got := install.Slug(device); got == device || strings.HasPrefix(got, device+".") {
			t.Errorf("slug of %q is %q, which is a device on Windows", device, got)
		}
	}
}

func TestCheckRecipe(t *testing.T) {
	const sum = "05ed5839bbfdb2da36bb9095961e6b4cfa470d55e29a9795100627dbc36df2ba"
	for _, tt := range []struct {
		name   string
		recipe metadata.Recipe
		field  string // of the error, or empty
	}{
		{"case 103 two packages", metadata.Recipe{Kind: "pip", Packages: []string{"matplotlib", "seaborn"}}, ""},
		{"case 104 an option", metadata.Recipe{Kind: "brew", Packages: []string{"--HEAD"}}, "package"},
		{"B57 a folder", metadata.Recipe{Kind: "pip", Packages: []string{"-e", "."}}, "package"},
		{"B57 a file", metadata.Recipe{Kind: "download", URL: "file:///etc/passwd"}, "url"},
		{"B57 a transport", metadata.Recipe{Kind: "npm", Packages: []string{"ext::sh"}}, "package"},
		{"a version that is none", metadata.Recipe{Kind: "uv", Packages: []string{"ruff==x.y"}}, "package"},
		{"a tap", metadata.Recipe{Kind: "brew", Packages: []string{"x"}, Extra: map[string]any{"tap": "a/b"}}, ""},
		{"a tap that is none", metadata.Recipe{Kind: "brew", Packages: []string{"x"}, Extra: map[string]any{"tap": "a"}}, "package"},
		{"nothing", metadata.Recipe{Kind: "brew"}, ""},
		{"an unknown kind", metadata.Recipe{Kind: "nope", Packages: []string{"--x"}}, ""},
		{"a program", metadata.Recipe{Kind: "brew", Packages: []string{"x"}, Bins: []string{"bin/x"}}, "bins"},
		{"a command", metadata.Recipe{Kind: "shell", Command: "rm -rf x"}, ""},
		{"a hidden character", metadata.Recipe{Kind: "shell", Command: "rm\u202e x"}, "command"},
		{"a hidden character in a download", metadata.Recipe{Kind: "download", Command: "curl\x1b x"}, "command"},
		{"a download", metadata.Recipe{Kind: "download", URL: "https://example.com/x.tgz", SHA256: sum, TargetDir: "a/b"}, ""},
		{"plain http", metadata.Recipe{Kind: "download", URL: "http://example.com/x.tgz"}, "url"},
		{"a digest", metadata.Recipe{Kind: "download", URL: "https://example.com/x.tgz", SHA256: sum[1:]}, "sha256"},
		{"an archive", metadata.Recipe{Kind: "download", URL: "https://example.com/x", Archive: "rar"}, "archive"},
		{"no format", metadata.Recipe{Kind: "download", URL: "https://example.com/x", Extract: true}, "archive"},
		{"no file name", metadata.Recipe{Kind: "download", URL: "https://example.com/"}, "url"},
		{"a name", metadata.Recipe{Kind: "download", URL: "https://example.com/", Bins: []string{"x"}}, ""},
		{"a folder outside", metadata.Recipe{Kind: "download", URL: "https://example.com/x.tgz", TargetDir: "../x"}, "target_dir"},
		{"a drive", metadata.Recipe{Kind: "download", URL: "https://example.com/x.tgz", TargetDir: `C:\x`}, "target_dir"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := install.CheckRecipe(&tt.recipe)
			got := ""
			if e, ok := errors.AsType[*install.RecipeError](err); ok {
				got = e.Field
			}
			if got != tt.field || (err == nil) != (got == "") {
				t.Errorf("got field %q, error %v; want field %q", got, err, tt.field)
			}
		})
	}
}
