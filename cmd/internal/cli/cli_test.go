package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matrix-nexus/skillkit/cmd/internal/cli"
)

func Example() {
	p := cli.NewPrinter(os.Stdout, "auto", cli.NewLookup(os.Environ()))
	p.Styled(cli.Bold, "deploy\x1b[2J")
	p.Printf(": %s\n", cli.Plural(2, "file"))
	if err := p.Flush(); err != nil {
		fmt.Println(err)
	}
	// Output: deploy\u001b[2J: 2 files
}

func TestColor(t *testing.T) {
	for color, want := range map[string]string{"always": "\x1b[1ma\x1b[0m", "auto": "a", "never": "a"} {
		var b strings.Builder
		p := cli.NewPrinter(&b, color, nil)
		p.Styled(cli.Bold, "a")
		p.Flush()
		if b.String() != want {
			t.Errorf("%s: got %q, want %q", color, b.String(), want)
		}
	}
}

func TestState(t *testing.T) {
	home := t.TempDir()
	for _, tt := range []struct {
		environ []string
		want    string // empty means an error
	}{
		{[]string{"HOME=" + home}, filepath.Join(home, ".local", "state", "skillkit")},
		{[]string{"USERPROFILE=" + home, "XDG_STATE_HOME=relative"}, filepath.Join(home, ".local", "state", "skillkit")},
		{[]string{"HOME=/nowhere", "XDG_STATE_HOME=" + home}, filepath.Join(home, "skillkit")},
		{nil, ""},
	} {
		got, err := cli.NewLookup(tt.environ).State()
		if got != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("%q: got %q, %v, want %q", tt.environ, got, err, tt.want)
		}
	}
}
