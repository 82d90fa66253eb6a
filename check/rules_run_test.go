package check_test

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/check"
)

func TestRunRules(t *testing.T) {
	tests := []struct {
		name, ids, body string
		files           []string
		want            string
	}{
		{"a script and arguments", "script-not-executable", "Call `{baseDir}/bin/a x` or `./bin/b x`.\n", []string{"bin/a", "bin/b"},
			"SKILL.md:6:7: info: \"bin/a\" is run and is not executable; name its interpreter in front, or set the bit (script-not-executable)\n" +
				"SKILL.md:6:30: info: \"bin/b\" is run and is not executable; name its interpreter in front, or set the bit (script-not-executable)\n"},
		{"a script in a list", "script-not-executable", "1. x\n\n   ```console\n   $ \"{baseDir}/bin/a\" x\n   $ {baseDir}/bin/a x\n   ```\n", []string{"bin/a"},
			"SKILL.md:9:7: info: \"bin/a\" is run and is not executable; name its interpreter in front, or set the bit (script-not-executable)\n"},
		{"a script by its name", "script-not-executable", "Read `{baseDir}/bin/a`, `bin/a` and run `sh bin/a x`.\n\n```sh\na x\nsh {baseDir}/bin/a\ncat < bin/a\nuv run python \\\n  \"{baseDir}/bin/a\" x\n```\n\n```text\nbin/a x\n```\n", []string{"bin/a"}, ""},
		{"python", "python-command", "```sh\ncd x && python a.py\npython b.py\n```\n", nil,
			"SKILL.md:7:9: info: many systems have no python; write python3 (python-command)\n"},
		{"python in a span", "python-command", "Run `python a.py`.\n", nil,
			"SKILL.md:6:6: info: many systems have no python; write python3 (python-command)\n"},
		{"python by another name", "python-command", "Write python code in `python`.\n\n```sh\npython3 a.py\nuv run python a.py\nwhich python\n```\n", nil, ""},
		{"python in an environment", "python-command", "```sh\npython3 -m venv .venv\n. .venv/bin/activate\npython a.py\n```\n", nil, ""},
		{"from a root", "path-from-root", "Run `sh skills/deploy/bin/a.` x\n", []string{"bin/a"},
			"SKILL.md:6:9: info: the path is right from one folder alone; write {baseDir}/bin/a (path-from-root)\n"},
		{"from elsewhere", "path-from-root", "Run `~/skills/deploy/bin/a`, `{baseDir}/skills/deploy/bin/a`, `skills/deploy/bin/b` and `skills/other/bin/a` in `skills/deploy/`.\n", []string{"bin/a"}, ""},
		{"on PATH", "program-not-required", "- Requires `ffmpeg` on PATH.\n- `sox` must be on your `PATH`, and `node` too.\n", nil,
			"SKILL.md:6:13: info: program \"ffmpeg\" has to be there, and requires.bins does not name it (program-not-required)\n" +
				"SKILL.md:7:4: info: program \"sox\" has to be there, and requires.bins does not name it (program-not-required)\n"},
		{"on PATH or not", "program-not-required", "If `ffmpeg` is on PATH, or `sox`, it is faster. Make sure `node` is on PATH.\n", nil, ""},
		{"nothing required", "program-not-required", "```sh\nhosttool x | jq .\n```\n", nil,
			"SKILL.md:7:14: info: program \"jq\" is run, and requires.bins does not name it (program-not-required)\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, findings(t, tt.ids, tt.body, tt.files...)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// Where all files have one mode, as in Windows and where they are embedded,
// nothing can be told from it.
func TestScriptModes(t *testing.T) {
	for mode, want := range map[fs.FileMode]int{0o644: 1, 0o600: 1, 0o755: 0, 0o700: 0, 0o666: 0, 0o444: 0, 0: 0} {
		tree := fstest.MapFS{
			"deploy/SKILL.md": {Data: []byte(header + "\nRun `./bin/a x`.\n")},
			"deploy/bin/a":    {Data: []byte("#!/bin/sh\n"), Mode: mode},
		}
		c, err := check.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for _, f := range checkTree(t, c, tree).Findings {
			if f.Rule == "script-not-executable" {
				got++
			}
		}
		if got != want {
			t.Errorf("mode %o: %d findings, want %d", mode, got, want)
		}
	}
}

func TestFinalNewline(t *testing.T) {
	c, err := check.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		header + "\nx\n":       "",
		header + "\nx":         header + "\nx\n",
		header + "\nx\n\n\n":   header + "\nx\n",
		header + "\nx\n\r\n\n": header + "\nx\n",
		header + "\n\n":        header,
		header[:len(header)-1]: header,
		header + "\nx \n \n":   "", // blanks are no newlines
	} {
		out, fixed, err := c.Fix(t.Context(), check.Target{Manifest: "SKILL.md", Text: []byte(text)})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(out); want != "" && got != want || want == "" && len(fixed) > 0 {
			t.Errorf("%q: got %q, fixed %v, want %q", text[len(header)-1:], got, fixed, want)
		}
	}
}
