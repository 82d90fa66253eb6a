package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/matrix-nexus/skillkit/config"
)

var update = flag.Bool("update", false, "rewrite the wanted output in testdata/script")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"skills": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			// An empty home, and no variable of the machine that matters.
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("SYSTEM", runtime.GOOS)
			// The folder of the command, for scripts with a PATH of their own.
			e.Setenv("SKILLS", filepath.SplitList(e.Getenv("PATH"))[0])
			for _, name := range []string{"MATRIX_SKILLS_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "DATABASE_URL"} {
				e.Setenv(name, "")
			}
			return nil
		},
	})
}

func TestExitStatus(t *testing.T) {
	dir := t.TempDir()
	notYAML := filepath.Join(dir, "config.yaml")
	if err := os.WriteFile(notYAML, []byte("a: ["), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(dir, "root", "broken", "SKILL.md")
	if err := os.MkdirAll(filepath.Dir(broken), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(broken, []byte("no frontmatter\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		args   []string
		want   int
		stderr string // a part of it; "" means none at all
	}{
		{"list", []string{"list"}, exitOK, ""},
		{"help", []string{"--help"}, exitOK, ""},
		{"help of a command", []string{"call", "--help"}, exitOK, ""},
		{"version", []string{"--version"}, exitOK, ""},
		{"list with a broken skill", []string{"list", "--root", filepath.Dir(filepath.Dir(broken))}, exitOK, ""},
		{"list of no root", []string{"list", "--root", filepath.Join(dir, "none")}, exitOK, ""},
		{"no command", nil, exitUsage, "Usage: skills <command> [flags]"},
		{"unknown command", []string{"lst"}, exitUsage, "skills: "},
		{"unknown flag", []string{"list", "--nope"}, exitUsage, "skills: unknown flag --nope"},
		{"show without name", []string{"show"}, exitUsage, "skills: "},
		{"show unknown", []string{"show", "jqq"}, exitFailed, `"jq"`},
		{"show of an escape sequence", []string{"show", "\x1b[31mx"}, exitFailed, "no skill is named"},
		{"unknown flag with an escape sequence", []string{"list", "--\x1b[31mx"}, exitUsage, `skills: unknown flag --\u001b[31mx`},
		{"call unknown", []string{"call", "jqq"}, exitFailed, "did you mean jq?"},
		{"call that answers with a failure", []string{"call", "jq", `{"file":"none"}`}, exitFailed, ""},
		{"call with bad arguments", []string{"call", "jq", `{"nope":1}`}, exitOK, ""},
		{"no configuration", []string{"list", "--config", filepath.Join(dir, "none.yaml")}, exitFailed, "does not exist; correct --config"},
		{"configuration that is no YAML", []string{"list", "--config", notYAML}, exitFailed, "config.yaml:1:"},
		{"configuration that is a folder", []string{"list", "--config", dir}, exitFailed, "not a regular file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			vars := []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}
			got := run(t.Context(), tt.args, strings.NewReader(""), &stdout, &stderr, vars)
			if got != tt.want {
				t.Errorf("exit status %d, want %d", got, tt.want)
			}
			if !strings.Contains(stderr.String(), tt.stderr) || (tt.stderr == "") != (stderr.Len() == 0) {
				t.Errorf("stderr is %q, want %q", &stderr, tt.stderr)
			}
			if strings.Contains(stderr.String(), "\x1b") {
				t.Errorf("an escape sequence on stderr: %q", &stderr)
			}
			if got == exitOK && stdout.Len() == 0 {
				t.Error("nothing on stdout")
			}
		})
	}
}

// The configuration in the help is one that can be copied.
func TestHelpConfiguration(t *testing.T) {
	_, rest, _ := strings.Cut(description, "left out:\n\n")
	sample, _, ok := strings.Cut(rest, "\n\nExit status")
	if !ok {
		t.Fatal("the help shows no configuration")
	}
	c, problems, err := config.Parse("help", []byte(sample))
	if err != nil || len(problems) > 0 {
		t.Fatalf("problems %v, error %v", problems, err)
	}
	if c.Workspace == "" || len(c.Roots) != 1 || c.Skill("chart-generator", "").Enabled() {
		t.Errorf("read as %+v", c)
	}
}

func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, command := range []string{"list", "tools", "prompt"} {
		var stdout, stderr bytes.Buffer
		got := run(ctx, []string{command}, strings.NewReader(""), &stdout, &stderr, nil)
		if got != exitInterrupted || stderr.String() != "skills: interrupted\n" {
			t.Errorf("%s: exit status %d, stderr %q", command, got, &stderr)
		}
	}
}

// An interrupt says of a call that was sent that it may have run.
func TestInterruptCall(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("needs sh")
	}
	plugin := filepath.Join(t.TempDir(), "plugin.sh")
	if err := os.WriteFile(plugin, []byte(`while read -r line; do
	id=${line#*\"id\":}
	id=${id%%[,\}]*}
	case $line in
	*'"method":"describe"'*)
		printf '{"jsonrpc":"2.0","id":%s,"result":{"name":"p","tools":[{"name":"wait"}]}}\n' "$id" ;;
	*'"method":"invoke"'*)
		invoke=${line#*\"invoke_id\":\"}
		printf '{"jsonrpc":"2.0","method":"executa/progress","params":{"type":"progress","data":1,"context":{"invoke_id":"%s"}}}\n' "${invoke%%\"*}" ;;
	*)
		printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' "$id" ;;
	esac
done
`), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stdout, stderr bytes.Buffer
	told := writerFunc(func(p []byte) (int, error) {
		cancel() // the first that is told is that the tool runs
		return stderr.Write(p)
	})
	got := run(ctx, []string{"plugin", "call", "wait", "{}", "--", sh, plugin}, strings.NewReader(""), &stdout, told, nil)
	want := "progress: 1\nskills: interrupted: tool \"p_wait\" was cancelled but may have run, do not repeat the call: context canceled\n"
	if got != exitInterrupted || stderr.String() != want {
		t.Errorf("exit status %d, stderr %q, want %q", got, &stderr, want)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

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
	if got := run(ctx, []string{"call", "jq", "-"}, reading, &stdout, &stderr, nil); got != exitInterrupted {
		t.Errorf("exit status %d, stderr %q", got, &stderr)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Without any variable at all, not even a home, the bundled skills are there.
func TestNoEnvironment(t *testing.T) {
	for _, args := range [][]string{{"list"}, {"tools"}, {"prompt"}, {"show", "jq"}, {"call", "jq"}} {
		var stdout, stderr bytes.Buffer
		if got := run(t.Context(), args, strings.NewReader(""), &stdout, &stderr, nil); got != exitOK || !strings.Contains(stdout.String(), "jq") {
			t.Errorf("%v: exit status %d, stderr %q, stdout\n%s", args, got, &stderr, &stdout)
		}
	}
}

func TestStandardInput(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want int
	}{
		{`{"file":"SKILL.md"}`, exitOK},
		{`{"file":"none"}`, exitFailed},
		{strings.Repeat(" ", maxArgs), exitOK},
		{strings.Repeat(" ", maxArgs+1), exitFailed},
	} {
		var stdout, stderr bytes.Buffer
		got := run(t.Context(), []string{"call", "meeting-summary", "-"}, strings.NewReader(tt.in), &stdout, &stderr, nil)
		if got != tt.want {
			t.Errorf("%d bytes: exit status %d, want %d; stderr %q", len(tt.in), got, tt.want, &stderr)
		}
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteError(t *testing.T) {
	var stderr bytes.Buffer
	if got := run(t.Context(), []string{"list"}, strings.NewReader(""), failingWriter{}, &stderr, nil); got != exitFailed || stderr.String() != "skills: disk full\n" {
		t.Errorf("exit status %d, stderr %q", got, &stderr)
	}
}
