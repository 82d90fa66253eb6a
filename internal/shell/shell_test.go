package shell_test

import (
	"os/exec"
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
