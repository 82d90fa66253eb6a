package check

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPythonImports(t *testing.T) {
	for _, tt := range []struct{ name, src, want string }{
		{"one", "import requests\n", "requests"},
		{"several", "import os, yaml as y, a.b\n", "os yaml a"},
		{"from", "from bs4 import BeautifulSoup\nfrom a.b import (c,\n d)\n", "bs4 a"},
		{"a part of the keyword", "import port\nfrom from_ import x\n", "port from_"},
		{"after a semicolon", "import sys; import rich; x = 1\n", "sys rich"},
		{"in a function", "def f():\n    import rich\n", "rich"},
		{"relative", "from . import x\nfrom .a import b\n", ""},
		{"with a comment", "import rich  # import none\n# import none\n", "rich"},
		{"it can do without", "try:\n    import yaml\nexcept ImportError:\n    import json5\nelse:\n    import x\nimport rich\n", "rich"},
		{"for type checkers", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import numpy\nimport rich\n", "typing rich"},
		{"in a text", "x = '''\nimport a\n'''\ny = \"\"\"import b\nimport c\"\"\"\nimport rich\n", "rich"},
		{"in a short text", "x = 'import \\'a'; import rich\n", "rich"},
		{"a text that does not end", "x = 'it\nimport rich\n", "rich"},
		{"prose", "import data from CSV files\nfrom their container and keep import\n", ""},
		{"an interpreter's prompt", ">>> import rich\n", ""},
		{"a continued line", "x = \\\nimport a\n", ""},
		{"no name", "import 3d\nimport é\nimport\nimport ,\n", ""},
		{"CRLF", "import rich\r\nimport yaml\r\n", "rich yaml"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, m := range pythonImports(tt.src) {
				if !strings.HasPrefix(tt.src[m.offset:], m.module) || m.offset > 0 && !strings.Contains(" \t", tt.src[m.offset-1:m.offset]) {
					t.Errorf("%q is not at offset %d", m.module, m.offset)
				}
				got = append(got, m.module)
			}
			if diff := cmp.Diff(strings.Fields(tt.want), append([]string{}, got...)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestScriptPackages(t *testing.T) {
	src := "# /// script\n# requires-python = \">=3.11\"\n# dependencies = [\n#   \"requests<3\",\n#   'Rich[x]',\n# ]\n# ///\nx = \"no\"\n"
	if diff := cmp.Diff([]string{">=3-11", "requests", "rich"}, scriptPackages(src)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBrings(t *testing.T) {
	dists := []string{"pillow", "pyserial", "google-genai", "python-slugify", "requests"}
	for module, want := range map[string]bool{"PIL": true, "serial": true, "google": true, "slugify": true, "requests": true, "yaml": false, "goo": false, "request": false} {
		if got := brings(dists, module); got != want {
			t.Errorf("brings(%q) = %t, want %t", module, got, want)
		}
	}
}

func TestMayCall(t *testing.T) {
	known := func(name string) bool { return name == "helm" || name == "sudo" }
	for src, want := range map[string]bool{
		"": false, "helm list\nhelm x | helm y && helm": false, "x": true, "helm; x": true, "helm $(x)": true, "helm `x`": true,
		"A=b x": true, "sudo x": true, "sudo helm": true, "if helm": true, "{ x; }": true, "./x\n$X\nX y": false, "\tx y": true, "x\r\n": true,
	} {
		if got := mayCall(src, known); got != want {
			t.Errorf("mayCall(%q) = %t, want %t", src, got, want)
		}
	}
}

func TestCalls(t *testing.T) {
	for _, tt := range []struct{ name, src, want string }{
		{"plain", "helm list | jq .x && kubectl get pods\n", "helm jq kubectl"},
		{"in a substitution", "x=$(gh pr list)\nfor i in `op item`; do :; done\n", "gh op"},
		{"through another", "sudo -n apt-get install jq\nenv A=b tofu plan\nfind . | xargs -0 rg x\n", "apt-get tofu find rg"},
		{"builtins", "cd x; export A=b; echo y; set -e; [ -f x ]; [[ -f x ]]\n", ""},
		{"functions", "f() { helm; }\nf\n", "helm"},
		{"paths and variables", "./x; /bin/x; ~/x; $X y; {baseDir}/x; scripts/x\n", ""},
		{"placeholders", "himalaya read <message-id> <folder>\ngh issue view <n|url>\n", "himalaya gh"},
		{"a redirection", "wc <in >out\ncat <<EOF\nhelm\nEOF\n", "wc cat"},
		{"not bash", "foo ( bar\n", ""},
		{"output and prompts", "$ helm list\nNAME STATUS\n", ""},
		{"a function without a name", "()0\n", ""},
		{"brackets", strings.Repeat("( ", maxShell/2), ""},
		{"as much as is read", "helm\n" + strings.Repeat("#", maxShell-5), "helm"},
		{"too much", "helm\n" + strings.Repeat("#", maxShell-4), ""},
		{"a sentence", "Then run it.\n...\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := []string{}
			for _, c := range calls(tt.src) {
				if !strings.HasPrefix(tt.src[c.offset:], c.name) {
					t.Errorf("%q is not at offset %d", c.name, c.offset)
				}
				got = append(got, c.name)
			}
			if diff := cmp.Diff(strings.Fields(tt.want), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzPythonImports(f *testing.F) {
	f.Add("try:\n import a\nfrom b.c import d; import e as f, g # h\n'''\nimport i\n'''")
	f.Fuzz(func(t *testing.T, src string) {
		for _, m := range pythonImports(src) {
			if !strings.HasPrefix(src[m.offset:], m.module) {
				t.Errorf("%q is not at offset %d of %q", m.module, m.offset, src)
			}
		}
	})
}

func FuzzCalls(f *testing.F) {
	f.Add("sudo x <id> | y $(z) <<EOF\na\nEOF\n")
	f.Fuzz(func(t *testing.T, src string) {
		for _, c := range calls(src) {
			if !strings.HasPrefix(src[c.offset:], c.name) {
				t.Errorf("%q is not at offset %d of %q", c.name, c.offset, src)
			}
		}
	})
}

func BenchmarkCalls(b *testing.B) {
	src := strings.Repeat("helm list | jq .x && kubectl get pods <name>\n", 10)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		calls(src)
	}
}

func BenchmarkPythonImports(b *testing.B) {
	src := strings.Repeat("import requests\nx = '''a'''\nprint(x)  # b\n", 20)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		pythonImports(src)
	}
}
