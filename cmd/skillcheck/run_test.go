package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/cmd/internal/cli"
)

func TestExitStatus(t *testing.T) {
	writeTree(t, map[string]string{
		"good/SKILL.md": skillText("good", ""),
		"bad/SKILL.md":  "# Nothing\n",
	})
	for _, tt := range []struct {
		args   string
		want   int
		stderr string // a part of it; "" means none at all
	}{
		{"good", exitClean, ""},
		{"bad", exitFound, ""},
		{"good bad", exitFound, ""},
		{"bad --fail-on never", exitClean, ""},
		{"--help", exitClean, ""},
		{"--list", exitClean, ""},
		{"--explain no-frontmatter", exitClean, ""},
		{"--explain none", exitFailed, "no rule"},
		{"--diff good", exitClean, ""},
		{"--checklist good", exitClean, ""},
		{"--checklist bad", exitFound, ""},
		{"none", exitFailed, "none"},
		{"--nope", exitFailed, "unknown flag --nope"},
		{"--config none good", exitFailed, "--config"},
		{"--format \x1b[31m good", exitFailed, `\x1b[31m`},
		{"\x1b[31m", exitFailed, `\u001b[31m`},
	} {
		var stdout, stderr bytes.Buffer
		got := run(t.Context(), strings.Fields(tt.args), strings.NewReader(""), &stdout, &stderr, nil)
		if got != tt.want {
			t.Errorf("%q: exit status %d, want %d", tt.args, got, tt.want)
		}
		if !strings.Contains(stderr.String(), tt.stderr) || (tt.stderr == "") != (stderr.Len() == 0) {
			t.Errorf("%q: stderr is %q, want %q", tt.args, &stderr, tt.stderr)
		}
		if strings.Contains(stderr.String()+stdout.String(), "\x1b") {
			t.Errorf("%q: an escape sequence is written", tt.args)
		}
	}
}

func TestInterrupt(t *testing.T) {
	writeTree(t, map[string]string{"good/SKILL.md": skillText("good", "")})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range []string{"", "good/SKILL.md", "--fix", "--diff", "--checklist", "--format json"} {
		var stdout, stderr bytes.Buffer
		got := run(ctx, strings.Fields(args), strings.NewReader(""), &stdout, &stderr, nil)
		if got != exitInterrupted || stderr.String() != "skillcheck: interrupted\n" || stdout.Len() > 0 {
			t.Errorf("%q: exit status %d, stderr %q, stdout %q", args, got, &stderr, &stdout)
		}
	}
}

// A read of standard input that blocks does not hold up an interrupt.
func TestInterruptInput(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, w := io.Pipe()
	defer w.Close()
	reading := readerFunc(func(p []byte) (int, error) {
		cancel()
		return in.Read(p)
	})
	var stdout, stderr bytes.Buffer
	if got := run(ctx, []string{"--stdin", "--path", "invoice/SKILL.md"}, reading, &stdout, &stderr, nil); got != exitInterrupted {
		t.Errorf("exit status %d, stderr %q", got, &stderr)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteError(t *testing.T) {
	writeTree(t, map[string]string{"good/SKILL.md": skillText("good", "")})
	for _, args := range []string{"good", "--list", "--format json", "--help"} {
		var stderr bytes.Buffer
		if got := run(t.Context(), strings.Fields(args), strings.NewReader(""), failingWriter{}, &stderr, nil); got != exitFailed && args != "--help" {
			t.Errorf("%q: exit status %d, stderr %q", args, got, &stderr)
		}
	}
}

// Files that no text editor would write, end to end.
func TestBrokenBytes(t *testing.T) {
	good := skillText("invoice", "")
	faulty := skillText("invoice", "license: MIT: see below\n")
	fenced := good + "\n```\n---\nname: other\nmetadata: [\n[broken](none.md)\n```\n\n~~~~ md\n[broken](none.md)\n~~~\n[broken](none.md)\n~~~~\n\n   ```\n   [broken](none.md)\n   ```\n"
	var wide bytes.Buffer
	wide.WriteString("\xff\xfe")
	for _, u := range utf16.Encode([]rune(good)) {
		wide.Write([]byte{byte(u), byte(u >> 8)})
	}
	for _, tt := range []struct {
		name, text string
		want       []string // starts of the lines that name warnings and errors
	}{
		{"as it should be", good, nil},
		{"B03 byte order mark", "\ufeff" + good, nil},
		{"B03 byte order mark and a fault", "\ufeff" + faulty, []string{"invoice/SKILL.md:4:13: error: "}},
		{"B07 Latin-1", strings.Replace(good, "release", "caf\xe9", 1), []string{"invoice/SKILL.md:3:"}},
		{"B07 Latin-1 in the body", good + "caf\xe9\n", []string{"invoice/SKILL.md:"}},
		{"B07 UTF-16", wide.String(), []string{"invoice/SKILL.md:1:1: error: "}},
		{"B07 NUL", good + "a\x00b\n", []string{"invoice/SKILL.md:"}},
		{"B07 em dash", strings.Replace(good, "release", "release \u2014 any", 1), nil},
		{"B17 CRLF", strings.ReplaceAll(good, "\n", "\r\n"), nil},
		{"B17 CRLF and a fault", strings.ReplaceAll(faulty, "\n", "\r\n"), []string{"invoice/SKILL.md:4:13: error: "}},
		{"B17 lone CR and a fault", strings.ReplaceAll(faulty, "\n", "\r"), []string{"invoice/SKILL.md:4:13: error: "}},
		{"B13 ends at the fence", strings.SplitAfter(good, "\n---")[0], []string{"invoice/SKILL.md:5:1: warning: the body is empty"}},
		{"B50 code fences", fenced, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			writeTree(t, map[string]string{"invoice/SKILL.md": tt.text})
			var stdout, stderr bytes.Buffer
			status := run(t.Context(), []string{"invoice"}, strings.NewReader(""), &stdout, &stderr, nil)
			var got []string
			for l := range strings.Lines(stdout.String()) {
				if strings.Contains(l, ": error: ") || strings.Contains(l, ": warning: ") {
					got = append(got, l)
				}
			}
			ok := len(got) >= len(tt.want) && (len(got) > 0) == (len(tt.want) > 0) && stderr.Len() == 0 && (status == exitFound) == strings.Contains(stdout.String(), ": error: ")
			for i, w := range tt.want {
				ok = ok && strings.HasPrefix(got[i], w)
			}
			if !ok {
				t.Errorf("exit status %d, want lines that start with %q; got\n%s%s", status, tt.want, &stdout, &stderr)
			}
		})
	}
}

// Raw control characters reach the terminal in no format.
func TestHostileBytes(t *testing.T) {
	writeTree(t, map[string]string{
		"a\x1b[2Jb/SKILL.md": "---\nname: x\x1b[2J\ndescription: a: b\x9b\u202e\u009b31m\n---\n\x1b]0;title\x07\n",
	})
	for _, args := range []string{"", "--format json", "--format sarif", "--format github", "--diff", "--checklist"} {
		out := runOutput(t, map[bool]int{true: exitClean, false: exitFound}[args == "--diff"], strings.Fields(args)...)
		if strings.ContainsAny(out, "\x1b\x07\u202e\u009b") {
			t.Errorf("%q writes\n%q", args, out)
		}
	}
}

// What looks like a secret is written in no format, also where another finding or a
// repair is on its line.
func TestSecrets(t *testing.T) {
	secret := "ghp_" + "k3J8sQ0vT5mZ1xW7cR9b" + "Y2nL6pD4fH0gA8uE"
	text := strings.Replace(skillText("invoice", "license: MIT: "+secret+"\n"), "execution_mode", "executionMode", 1)
	writeTree(t, map[string]string{"invoice/SKILL.md": text + "\nSend " + secret + " to [nobody](none.md).\n"})
	for _, args := range []string{"", "--format json", "--format sarif", "--format github", "--checklist", "--diff"} {
		out := runOutput(t, exitFound, strings.Fields(args)...)
		if strings.Contains(out, secret[:12]) {
			t.Errorf("%q writes the secret:\n%s", args, out)
		}
		if !strings.Contains(out, "secret") && args != "--diff" {
			t.Errorf("%q does not find the secret:\n%s", args, out)
		}
	}
}

// A file that is changed between the check and the repair stays as it is.
func TestFixChanged(t *testing.T) {
	text := strings.Replace(skillText("invoice", ""), "execution_mode", "executionMode", 1)
	writeTree(t, map[string]string{"invoice/SKILL.md": text})
	a := &app{ctx: t.Context(), flags: &flags{}, env: cli.NewLookup(nil), stderr: io.Discard}
	if err := errors.Join(a.configure(), a.findTargets()); err != nil {
		t.Fatal(err)
	}
	list, err := a.repairs()
	if err != nil || len(list) != 1 {
		t.Fatalf("got %d repairs, error %v", len(list), err)
	}
	list[0].old = []byte("what was there")
	if err := list[0].write(); err == nil {
		t.Error("it is written")
	}
}

func TestGitHubEscapes(t *testing.T) {
	if diff := cmp.Diff(`a%3Ab%2C%25%0Ac\u001b`, property("a:b,%\nc\x1b")); diff != "" {
		t.Errorf("property (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff("a:b,%25%0D%0A", data("a:b,%\r\n")); diff != "" {
		t.Errorf("data (-want +got):\n%s", diff)
	}
}

func TestURI(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	a := &app{env: cli.NewLookup(nil)}
	for file, want := range map[string]string{
		"a b%/SKILL.md": "a%20b%25/SKILL.md",
		"a:b/SKILL.md":  "./a:b/SKILL.md",
		"\xff/SKILL.md": "%FF/SKILL.md",
		filepath.ToSlash(filepath.Join(dir, "x", "SKILL.md")): "x/SKILL.md",
	} {
		if got := a.uri(file); got != want {
			t.Errorf("uri(%q) = %q, want %q", file, got, want)
		}
	}
	if got := a.uri("../x y"); !strings.HasPrefix(got, "file:///") || !strings.HasSuffix(got, "/x%20y") {
		t.Errorf("got %q of a file outside", got)
	}
}
