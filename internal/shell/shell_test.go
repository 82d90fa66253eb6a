package shell_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/matrix-nexus/skillkit/internal/shell"
)

func TestQuote(t *testing.T) {
	sh, err := exec.LookPath("sh")
	for _, tt := range []struct{ in, want string }{
		{"plain-1.2_x", "plain-1.2_x"},
		{"/a/b.c:d@e=f,g+h%i", "/a/b.c:d@e=f,g+h%i"},
		{"", "''"},
		{"two words", "'two words'"},
		{"it's", `'it'\''s'`},
		{"$HOME `x` \\ \"q\" ~ * # ! ; | & < > ( ) { } [ ]", ""},
		{"line\nbreak", "'line\nbreak'"},
		{"~", "'~'"},
		{"数据", "'数据'"},
	} {
		got := shell.Quote(tt.in)
		if tt.want != "" && got != tt.want {
			t.Errorf("Quote(%q) = %s, want %s", tt.in, got, tt.want)
		}
		if err != nil {
			continue // there is no shell to ask
		}
		out, err := exec.Command(sh, "-c", "printf %s "+got).Output()
		if err != nil || string(out) != tt.in {
			t.Errorf("a shell reads %s as %q, %v; want %q", got, out, err, tt.in)
		}
	}
}

func TestPutOnPath(t *testing.T) {
	for _, tt := range []struct {
		goos string
		dirs []string
		want string
	}{
		{"linux", []string{"/a"}, `export PATH="/a:$PATH"`},
		{"darwin", []string{"/a", "/b c"}, `export PATH="/a:/b c:$PATH"`},
		{"linux", []string{"/it's \"$x\" `y` \\ z"}, ""},
		{"windows", []string{`C:\a`, `C:\b`}, `put C:\a and C:\b on PATH`},
	} {
		got := shell.PutOnPath(tt.goos, tt.dirs...)
		if tt.want != "" && got != tt.want {
			t.Errorf("PutOnPath(%q) = %s, want %s", tt.dirs, got, tt.want)
		}
		sh, err := exec.LookPath("sh")
		if err != nil || tt.goos == "windows" {
			continue
		}
		cmd := exec.Command(sh, "-c", got+`; printf '%s\n' "$PATH"`)
		cmd.Env = []string{"PATH=/bin"}
		out, err := cmd.Output()
		if want := strings.Join(append(tt.dirs, "/bin\n"), ":"); err != nil || string(out) != want {
			t.Errorf("%s makes PATH %q, %v; want %q", got, out, err, want)
		}
	}
}
