package check_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// What is found in a vendor block, each with the text that it is found at.
func TestVendorBlock(t *testing.T) {
	const (
		jq  = `"requires": {"bins": ["jq"]}, `
		end = `"bins": ["jq"], "label": "Install jq"}`
		sum = `"sha256": "05ed5839bbfdb2da36bb9095961e6b4cfa470d55e29a9795100627dbc36df2ba", `
	)
	for _, tt := range []struct {
		name   string
		fields string // of the block, besides execution_mode and category_name
		want   string // a line for each finding
	}{
		{"nothing", ``, ""},
		{"B49 spellings of systems", `"os": ["macos", "linux", "windows"]`, ""},
		{"B49 an alias", `"os": ["Darwin", "win32"]`, "os-alias \"Darwin\"\nos-alias \"win32\""},
		{"B49 an unknown system", `"os": ["plan9x"]`, `unknown-os "plan9x"`},
		{"B49 a scalar", `"os": "linux"`, ""},
		{"case 89 systems in a text", `"os": "macos,linux"`, ""},
		{"case 88 nothing required", `"requires": {"bins": null, "env": [null, ""]}`, ""},

		{"case 95 a variable of the loader", `"requires": {"env": ["LD_PRELOAD"]}`, `env-reserved "LD_PRELOAD"`},
		{"the search path", `"primary_env": "Path", "requires": {"env": ["Path"]}`, "env-name-invalid \"Path\"\nenv-reserved \"Path\""},
		{"a primary variable", `"primary_env": "TOKEN"`, `primary-env-not-required "TOKEN"`},
		{"case 94 a required primary variable", `"primary_env": "TOKEN", "requires": {"env": ["TOKEN"]}`, ""},
		{"an optional primary variable", `"primary_env": "TOKEN", "requires": {"optional_env": ["TOKEN"]}`, ""},
		{"a primary variable, requirements unknown", `"primary_env": "TOKEN", "requires": {"nope": ["x"]}`, `unknown-requirement "nope"`},
		{"names of variables", `"requires": {"env": ["_A1", "https_proxy", "1A", "a-b", "É"]}`, "env-name-invalid \"1A\"\nenv-name-invalid \"a-b\"\nenv-name-invalid \"É\""},
		{"keys", `"requires": {"config": ["a.b-c.d_1", "a", "a..b", ".a", "a.", "a/b"]}`,
			"config-key-malformed \"a..b\"\nconfig-key-malformed \".a\"\nconfig-key-malformed \"a.\"\nconfig-key-malformed \"a/b\""},
		{"programs", `"requires": {"bins": ["git", "./git"], "any_bins": ["node", "C:\\git"], "optional_bins": ["-git"]}`,
			"bin-name-invalid \"./git\"\nbin-name-invalid \"C:\\\\git\"\nbin-name-invalid \"-git\""},
		{"Python packages", `"requires": {"python_packages": ["numpy", "rich[jupyter]>=13,<15", "numpy=>2", "a==b==c"]}`,
			"python-requirement-invalid \"numpy=>2\"\npython-requirement-invalid \"a==b==c\""},

		{"case 101 type for kind", jq + `"install": [{"id": "a", "type": "brew", "formula": "jq", ` + end + `]`, ""},
		{"case 100 an unknown kind", jq + `"install": [{"id": "a", "kind": "nope", "package": "jq", ` + end + `]`, `unknown-install-kind "nope"`},
		{"case 106 kinds in use", `"requires": {"bins": ["a", "b", "c", "d"]}, "install": [` +
			`{"id": "1", "kind": "node", "package": "a", "bins": ["a"], "label": "a"}, {"id": "2", "kind": "cargo", "package": "b", "bins": ["b"], "label": "b"}, ` +
			`{"id": "3", "kind": "exec", "command": "make c", "bins": ["c"], "label": "c"}, {"id": "4", "kind": "manual", "bins": ["d"], "label": "d"}]`,
			"bin-without-recipe \"b\"\ninstall-shell \"exec\""},
		{"case 103 two packages", `"requires": {"python_packages": ["matplotlib", "seaborn"]}, "install": [{"id": "pip", "kind": "pip", "package": "matplotlib seaborn", "label": "x"}]`, ""},
		{"case 104 an option", jq + `"install": [{"id": "a", "kind": "brew", "formula": "--HEAD", ` + end + `]`, `install-refused "--HEAD"`},
		{"B57 an editable package", `"requires": {"python_packages": ["x"]}, "install": [{"id": "a", "kind": "pip", "package": "-e .", "label": "x"}]`, `install-refused "-e ."`},
		{"B57 a URL", jq + `"install": [{"id": "a", "kind": "npm", "packages": ["git+https://example.com/x"], ` + end + `]`, "install-refused ["},
		{"B57 a shell", jq + `"install": [{"id": "a", "kind": "apt", "package": "jq;id", ` + end + `]`, `install-refused "jq;id"`},
		{"B57 a file", jq + `"install": [{"id": "a", "kind": "download", ` + sum + `"url": "file:///etc/passwd", ` + end + `]`, `install-refused "file:///etc/passwd"`},
		{"plain http", jq + `"install": [{"id": "a", "kind": "download", ` + sum + `"url": "http://example.com/jq", ` + end + `]`, `install-refused "http://example.com/jq"`},
		{"a folder outside", jq + `"install": [{"id": "a", "kind": "download", ` + sum + `"url": "https://example.com/jq", "target_dir": "../x", ` + end + `]`, `install-refused "../x"`},
		{"a program in a folder", jq + `"install": [{"id": "a", "kind": "brew", "formula": "jq", "bins": ["jq", "bin/jq"], "label": "x"}]`, "install-refused ["},
		{"no digest", jq + `"install": [{"id": "a", "kind": "download", "url": "https://example.com/jq.zip", ` + end + `]`, `install-no-digest "https://example.com/jq.zip"`},
		{"an archive", jq + `"install": [{"id": "a", "kind": "download", ` + sum + `"url": "https://example.com/jq.tgz?x=.zip", "archive": "tar.gz", ` + end + `]`, ""},
		{"another archive", jq + `"install": [{"id": "a", "kind": "download", ` + sum + `"url": "https://example.com/jq.tgz", "archive": "zip", ` + end + `]`, `install-archive-mismatch "zip"`},
		{"a tap", jq + `"install": [{"id": "a", "kind": "brew", "formula": "jq", "tap": "some/tap", ` + end + `]`, ""},
		{"a formula of a tap", jq + `"install": [{"id": "a", "kind": "brew", "formula": "some/tap/jq", ` + end + `]`, ""},

		{"no formula", jq + `"install": [{"id": "a", "kind": "brew", ` + end + `]`, `install-missing-field "brew"`},
		{"no module", jq + `"install": [{"id": "a", "kind": "go", ` + end + `]`, `install-missing-field "go"`},
		{"no URL", jq + `"install": [{"id": "a", "kind": "download", ` + end + `]`, `install-missing-field "download"`},
		{"a command for a package", jq + `"install": [{"id": "a", "kind": "brew", "command": "brew install jq", ` + end + `]`, `install-missing-field "brew"`},
		{"a command beside a package", jq + `"install": [{"id": "a", "kind": "brew", "formula": "jq", "command": "brew link jq", ` + end + `]`, `install-command-ignored "brew link jq"`},
		{"a command for a download", jq + `"install": [{"id": "a", "kind": "download", "command": "curl -O https://example.com/jq", ` + end + `]`, ""},
		{"a shell", jq + `"install": [{"id": "a", "kind": "shell", "command": "make", ` + end + `]`, `install-shell "shell"`},
		{"a shell for removal", jq + `"install": [{"id": "a", "kind": "brew", "formula": "jq", ` + end + `], "uninstall": [{"id": "a", "kind": "shell", "command": "rm -r x", "label": "x"}]`, ""},
		{"a shell for removal without command", jq + `"install": [{"id": "a", "kind": "brew", "formula": "jq", ` + end + `], "uninstall": [{"id": "a", "kind": "shell", "label": "x"}]`, `install-missing-field "shell"`},
		{"a command for removal", jq + `"install": [{"id": "a", "kind": "brew", "formula": "jq", ` + end + `], "uninstall": [{"id": "a", "kind": "brew", "command": "brew uninstall jq", "label": "x"}]`, ""},
		{"an id twice", jq + `"install": [{"id": "a", "kind": "brew", "formula": "jq", ` + end + `, {"id": "a", "kind": "apt", "package": "jq", ` + end + `]`, `install-duplicate-id "a"`},
		{"no id, label and bins", jq + `"install": [{"kind": "brew", "formula": "jq"}]`,
			"install-no-bins {\ninstall-no-id {\ninstall-no-label {"},
		{"one recipe in place of a list", jq + `"install": {"kind": "brew", "formula": "-jq", "id": "a", ` + end, "install-shape {\ninstall-refused \"-jq\""},

		{"a system that the skill is not for", jq + `"os": ["macos"], "install": [{"id": "a", "kind": "apt", "package": "jq", "os": ["linux"], ` + end + `]`, "install-os-disjoint ["},
		{"unreachable", jq + `"install": [{"id": "a", "kind": "brew", "formula": "jq", ` + end + `, {"id": "b", "kind": "brew", "formula": "jq@1", "os": ["macos"], ` + end + `]`, "install-unreachable {"},
		{"another system", jq + `"install": [{"id": "a", "kind": "brew", "formula": "jq", "os": ["macos"], ` + end + `, {"id": "b", "kind": "brew", "formula": "jq@1", ` + end + `]`, ""},
		{"another installer", jq + `"install": [{"id": "a", "kind": "brew", "formula": "jq", ` + end + `, {"id": "b", "kind": "apt", "package": "jq", ` + end + `]`, ""},
		{"other packages", `"requires": {"python_packages": ["a", "b"]}, "install": [{"id": "a", "kind": "pip", "package": "a", "label": "a"}, {"id": "b", "kind": "pip", "package": "b", "label": "b"}]`, ""},
		{"the same packages", `"requires": {"python_packages": ["a", "b"]}, "install": [{"id": "a", "kind": "pip", "package": "a b", "label": "a"}, {"id": "b", "kind": "pip", "package": "B>=1", "label": "b"}]`, "install-unreachable {"},

		{"no recipe", `"requires": {"bins": ["rg", "git"]}`, `bin-without-recipe "rg"`},
		{"no recipe for any", `"requires": {"any_bins": ["rg", "ag"]}`, `bin-without-recipe "rg"`},
		{"a base program for any", `"requires": {"any_bins": ["rg", "grep"]}`, ""},
		{"not required", `"install": [{"id": "a", "kind": "brew", "formula": "jq", ` + end + `]`, "install-unneeded ["},
		{"optional", `"requires": {"optional_bins": ["jq"]}, "install": [{"id": "a", "kind": "brew", "formula": "jq", ` + end + `]`, ""},
		{"a removal of nothing", `"uninstall": [{"id": "a", "kind": "brew", "formula": "jq", "label": "x"}]`, `uninstall-unpaired "a"`},
		{"a removal for one of two", jq + `"install": [{"id": "a", "kind": "brew", "formula": "jq", ` + end + `, {"id": "b", "kind": "apt", "package": "jq", ` + end + `], ` +
			`"uninstall": [{"id": "b", "kind": "apt", "package": "jq", "label": "x"}]`, "uninstall-missing {"},

		{"parameters", `"parameters": [{"name": "a", "type": "array", "items": {"type": "string"}, "description": "x", "required": false, "default": []}, ` +
			`{"name": "b", "type": "integer", "description": "x", "enum": [1, 2], "default": 2}]`, ""},
		{"not a list", `"parameters": {"a": "string"}`, "wrong-type {"},
		{"not an object", `"parameters": ["a"]`, `parameter-invalid "a"`},
		{"no name", `"parameters": [{"type": "string", "description": "x"}]`, "parameter-invalid {"},
		{"a name twice", `"parameters": [{"name": "a", "type": "string", "description": "x"}, {"name": "a", "type": "string", "description": "x"}]`, `parameter-invalid "a"`},
		{"an unknown type", `"parameters": [{"name": "a", "type": "str", "description": "x"}]`, `parameter-invalid "str"`},
		{"no type", `"parameters": [{"name": "a", "description": "x"}]`, `parameter-invalid "a"`},
		{"required in a text", `"parameters": [{"name": "a", "type": "string", "description": "x", "required": "yes"}]`, `parameter-invalid "yes"`},
		{"an empty enum", `"parameters": [{"name": "a", "type": "string", "description": "x", "enum": []}]`, "parameter-invalid ["},
		{"a schema that is none", `"parameters": [{"name": "a", "type": "array", "items": {"type": "str"}, "description": "x"}]`, "parameter-invalid ["},
		{"no description", `"parameters": [{"name": "a", "type": "string"}, {"name": "b", "type": "string", "description": " "}]`, "parameter-no-description \"a\"\nparameter-no-description \" \""},
		{"no items", `"parameters": [{"name": "a", "type": "array", "description": "x"}, {"name": "b", "type": "array", "items_type": "string", "description": "x"}]`, `parameter-array-items "array"`},
		{"defaults", `"parameters": [{"name": "a", "type": "integer", "description": "x", "default": 1.5}, {"name": "b", "type": "boolean", "description": "x", "default": "true"}, ` +
			`{"name": "c", "type": "number", "description": "x", "default": 1.5}, {"name": "d", "type": "string", "description": "x", "enum": ["x", 1], "default": "y"}]`,
			"parameter-default 1.5\nparameter-default \"true\"\nparameter-default 1\nparameter-default \"y\""},
		{"names of parameters", `"parameters": [{"name": "a b", "type": "string", "description": "x"}, {"name": "1a", "type": "string", "description": "x"}, {"name": "é", "type": "string", "description": "x"}]`,
			"parameter-name-unsafe \"a b\"\nparameter-name-unsafe \"1a\"\nparameter-name-unsafe \"é\""},
		{"names that are taken", `"parameters": [{"name": "arguments", "type": "string", "description": "x"}, {"name": "file", "type": "string", "description": "x"}]`,
			"parameter-name-taken \"arguments\"\nparameter-name-taken \"file\""},
		{"a secret", `"parameters": [{"name": "githubToken", "type": "string", "description": "x"}, {"name": "max_tokens", "type": "integer", "description": "x"}]`, `parameter-secret "githubToken"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fields := tt.fields
			if fields != "" {
				fields = ", " + fields
			}
			file := good("report")
			file.Data = []byte(strings.Replace(string(file.Data), `"operations"`, `"operations"`+fields, 1))
			checkFound(t, fstest.MapFS{"report/SKILL.md": file}, tt.want)
		})
	}
}

// checkFound compares what is found in a tree with one skill: on each line the
// rule and the text that it is found at.
func checkFound(t *testing.T, fsys fstest.MapFS, want string) {
	t.Helper()
	var got []string
	for _, f := range checkTree(t, newChecker(t, nil), fsys).Findings {
		line := []rune(strings.Split(string(fsys[f.File].Data), "\n")[f.Line-1])
		got = append(got, f.Rule+" "+string(line[f.Column-1:f.End.Column-1]))
	}
	if diff := cmp.Diff(want, strings.Join(got, "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The form of metadata, and which of several blocks is read.
func TestVendorForms(t *testing.T) {
	const block = `{"execution_mode": "prompt", "category_name": "operations"}`
	for _, tt := range []struct{ name, metadata, want string }{
		{"case 79 the first documented key", `{"matrix": ` + block + `, "nexus": {"emoji": "x"}}`, `conflicting-vendor-blocks "nexus"`},
		{"case 79 no key", block, ""},
		{"case 80 an older key", `{"clawdbot": ` + block + `}`, `legacy-vendor-key "clawdbot"`},
		{"equal blocks", `{"openclaw": ` + block + `, "matrix": ` + block + `}`, `vendor-block-twice "openclaw"`},
		{"case 82 in a text", `'{"matrix": ` + block + `}'`, ""},
		{"case 83 over several lines", "\n  {\n    \"matrix\": " + block + ",\n  }", "metadata-not-json metadata"},
		{"over several lines from the key on", "{\"matrix\":\n    " + block + "}", "metadata-not-json metadata"},
		{"a mapping", "\n  matrix:\n    execution_mode: prompt\n    category_name: operations", "metadata-not-json metadata"},
		{"bare keys", `{matrix: ` + block + `}`, "metadata-not-json matrix"},
		{"typographic quotes", `{“matrix”: ` + block + `}`, "category-missing metadata\nexecution-mode-missing metadata\nmetadata-not-json “matrix”\nunknown-vendor-key “matrix”"},
		{"a comment behind", `{"matrix": ` + block + `} # x`, ""},
		{"case 85 surrogates", `{"matrix": {"emoji": "\ud83d\udd2c", ` + block[1:] + `}`, "metadata-not-yaml {"},
		{"case 86 not JSON", `not-json`, "metadata-unreadable not-json"},
		{"nothing declared", `{"matrix": {}}`, "category-missing \"matrix\"\nexecution-mode-missing \"matrix\""},
		{"category for category_name", `{"matrix": {"execution_mode": "prompt", "category": "operations"}}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := good("report")
			before, rest, _ := strings.Cut(string(file.Data), "metadata: ")
			_, after, _ := strings.Cut(rest, "\n")
			file.Data = []byte(before + "metadata: " + tt.metadata + "\n" + after)
			checkFound(t, fstest.MapFS{"report/SKILL.md": file}, tt.want)
		})
	}
}

// What is found in code, and whose fault it is.
func TestCodeOfSkills(t *testing.T) {
	const bins = `, "requires": {"bins": ["python3", "git"]}`
	for _, tt := range []struct {
		name, mode, fields, body string
		files                    map[string]string
		want                     string
	}{
		{name: "bash without requires", mode: "bash", body: "```bash\nkubectl get pods\n```\n", want: `mode-without-requires "bash"`},
		{name: "bash with what is everywhere", mode: "bash", body: "```bash\ngrep x y | sort\n```\n"},
		{name: "bash that requires a variable", mode: "bash", fields: `, "requires": {"env": ["X"]}`, body: "```bash\nkubectl get pods\n```\n", want: `mode-without-requires "bash"`},
		{name: "python without requires", mode: "python", body: "```python\nprint(1)\n```\n", want: `mode-without-requires "python"`},
		{name: "prompt without requires", mode: "prompt", body: "```bash\ndeployctl get pods\n```\n"},
		{name: "prompt without requires, and a program that is certainly no part of a system", mode: "prompt", body: "```bash\nkubectl get pods\n```\n", want: "program-not-required kubectl"},
		{name: "another program", mode: "hybrid", fields: bins, body: "```bash\ngit log\nkubectl get pods\nkubectl get x\n```\n", want: "program-not-required kubectl"},
		{name: "a program in a list", mode: "bash", fields: bins, body: "- x\n\n  ```sh\n  kubectl get pods\n  ```\n", want: "program-not-required kubectl"},
		{name: "a program that is read about", mode: "bash", fields: bins, body: "```text\nkubectl get pods\n```\n\n```bash\ngrep x y\n```\n"},
		{name: "a package", mode: "python", fields: bins, body: "```python\nimport os, yaml\nimport yaml\n```\n", want: "python-import-undeclared yaml"},
		{name: "a package by another name", mode: "python", fields: `, "requires": {"bins": ["python3"], "python_packages": ["PyYAML>=6"]}`, body: "```python\nimport yaml\n```\n"},
		{name: "a package that another brings", mode: "python", fields: `, "requires": {"bins": ["python3"], "python_packages": ["seaborn"]}`, body: "```python\nimport pandas, numpy\nfrom PIL import Image\n```\n"},
		{name: "a package that uv is told of", mode: "python", fields: bins, body: "```python\nimport rich, yaml\n```\n\n```bash\ngit x\nuv run --with rich,pyyaml x.py\n```\n"},
		{name: "a package that the block declares", mode: "python", fields: bins, body: "```python\n# /// script\n# dependencies = [\"rich\"]\n# ///\nimport rich\n```\n"},
		{name: "a module that the body makes", mode: "python", fields: bins, body: "Save this as `helper.py`:\n\n```python\nx = 1\n```\n\n```python\nimport helper\n```\n"},
		{name: "a module of a package", mode: "python", fields: bins, body: "```python\nimport matplotlib.pyplot as plt\n```\n", want: "python-import-undeclared matplotlib.pyplot"},
		{name: "a package in prompt mode", mode: "prompt", fields: bins, body: "```python\nimport yaml\n```\n"},
		{name: "scripts", mode: "prompt", fields: bins, body: "Run `scripts/a.py` and `scripts/b/c.py`, not `scripts/test_a.py` or `scripts/d.txt`.\n", files: map[string]string{
			"scripts/a.py":      "import sys\nimport b, c, yaml\n",
			"scripts/b/c.py":    "# /// script\n# dependencies = [\"rich\"]\n# ///\nimport rich, yaml\n",
			"scripts/test_a.py": "import pytest_mock\n",
			"scripts/d.txt":     "import none\n",
		}, want: "script-import-undeclared yaml"},
		{name: "a script and a block", mode: "python", fields: bins, body: "Run `scripts/a.py`, or\n\n```python\nimport yaml\n```\n",
			files: map[string]string{"scripts/a.py": "import yaml\n"}, want: "python-import-undeclared yaml"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := good("report")
			text := strings.Replace(string(file.Data), `"operations"`, `"operations"`+tt.fields, 1)
			file.Data = []byte(strings.Replace(text, `"prompt"`, `"`+tt.mode+`"`, 1) + "\n" + tt.body)
			tree := fstest.MapFS{"report/SKILL.md": file}
			for name, text := range tt.files {
				tree["report/"+name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
			}
			checkFound(t, tree, tt.want)
		})
	}
}
