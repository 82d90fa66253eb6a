package check_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/check"
	"github.com/matrix-nexus/skillkit/metadata"
)

const header = "---\nname: deploy\ndescription: Roll out a release to staging, then to production. Use when a release is due.\n" +
	`metadata: {"matrix": {"execution_mode": "prompt", "category_name": "operations"}}` + "\n---\n"

// findings returns what the rules named in ids, divided by blanks, find in a skill with that
// body and those files besides, one a line.
func findings(t *testing.T, ids, body string, files ...string) string {
	t.Helper()
	c, err := check.New(&check.Options{Enable: strings.Fields(ids)})
	if err != nil {
		t.Fatal(err)
	}
	text := "-- deploy/SKILL.md --\n" + header + body
	for _, name := range files {
		text += "\n-- deploy/" + name + " --\nx\n"
	}
	var s strings.Builder
	for _, f := range run(t, c, text) {
		if strings.Contains(" "+ids+" ", " "+f.Rule+" ") {
			s.WriteString(strings.TrimPrefix(f.String(), "deploy/") + "\n")
		}
	}
	return s.String()
}

func TestReferenceRules(t *testing.T) {
	tests := []struct {
		name, ids, body string
		files           []string
		want            string
	}{
		{
			name: "link-broken", ids: "link-broken",
			body:  "[a](docs/a.md) ![b](b%20c.png) [d](docs/d.md#x?y \"t\")\n\n[r]: r.md\n[ok]: references/\n[e](./docs/../docs/d.md)\n",
			files: []string{"docs/d.md", "references/x.md"},
			want: `SKILL.md:6:5: warning: there is no "docs/a.md" in the folder of the skill (link-broken)
SKILL.md:6:21: warning: there is no "b c.png" in the folder of the skill (link-broken)
SKILL.md:8:6: warning: there is no "r.md" in the folder of the skill (link-broken)
`,
		},
		{
			name: "link-broken hints", ids: "link-broken",
			body:  "[a](docs/D.md) [b](d.md) [c](github.com/x/y)\n",
			files: []string{"docs/d.md"},
			want: `SKILL.md:6:5: warning: there is no "docs/D.md", but "docs/d.md": names differ by case on most systems (link-broken)
SKILL.md:6:20: warning: there is no "d.md" in the folder of the skill, but "docs/d.md" (link-broken)
SKILL.md:6:30: warning: there is no "github.com/x/y" in the folder of the skill; write https:// before an address (link-broken)
`,
		},
		{
			name: "link-broken and what is none", ids: "link-broken",
			body: "[text](url) [a](link) [b](<file.md>) [b](<path here>) [c](#x) [d](?q=1) [e](mailto:x@y.z) [f](//cdn.x/y.js)\n" +
				"[g](https://x.y/z.md) [h](MEMORY.md) [i]($FILE.md) [j](path/to/x.md) [k](...) [l]()\n" +
				"`[m](m.md)` \\[n](n.md)\n\n```\n[o](o.md)\n```\n\n    [p](p.md)\n\n<!-- [q](q.md) -->\n",
			want: "SKILL.md:6:28: warning: there is no \"file.md\" in the folder of the skill (link-broken)\n",
		},
		{
			name: "B50 links in fences", ids: "link-broken",
			body: "~~~md\n[a](a.md)\n~~~\n\n````\n```\n[b](b.md)\n```\n````\n\n- x\n\n  ```\n  [c](c.md)\n  ```\n\n[d](d.md)\n",
			want: "SKILL.md:22:5: warning: there is no \"d.md\" in the folder of the skill (link-broken)\n",
		},
		{
			name: "base-dir-broken", ids: "base-dir-broken",
			body:  "Run `{baseDir}/scripts/a.py`, {baseDir}/scripts/a.py or \"{baseDir}/scripts/b.py\".\n```\n{baseDir}/x.sh --out {baseDir}/y.txt\ncat {baseDir}/y.txt {baseDir}/.venv/bin/python {baseDir}/<file> {baseDir}/a/*.md\n```\n",
			files: []string{"scripts/b.py"},
			want: `SKILL.md:6:6: warning: there is no "scripts/a.py" in the folder of the skill (base-dir-broken)
SKILL.md:8:1: warning: there is no "x.sh" in the folder of the skill (base-dir-broken)
`,
		},
		{
			name: "code-path-broken", ids: "code-path-broken",
			body:  "`scripts/a.py` `python3 ./scripts/b.py --x` `scripts/a.py` `references/` `data/x.csv` `X=1 node scripts/c.js` `scripts/<name>.py` `tee assets/d.txt`\n",
			files: []string{"references/r.md"},
			want: `SKILL.md:6:2: info: there is no "scripts/a.py" in the folder of the skill (code-path-broken)
SKILL.md:6:25: info: there is no "scripts/b.py" in the folder of the skill (code-path-broken)
`,
		},
		{
			name: "case 149 prose", ids: "link-broken code-path-broken base-dir-broken",
			body: "Read from the documentation, import from the.py and run it. See references for more.\n",
		},
		{
			name: "reference-outside", ids: "reference-outside link-broken code-path-broken base-dir-broken",
			body: "[a](../b/SKILL.md) [c](/etc/x.conf) [d](~/d.md) [e](../../e.md) [f](file:///f.md) `../../package.json` `../g/scripts/h.py` {baseDir}/../i.md [j](references/../../j.md)\n",
			want: `SKILL.md:6:5: warning: the path "../b/SKILL.md" leads to another skill, which may lie elsewhere; call it by its name and list it in requires.skills (reference-outside)
SKILL.md:6:24: warning: the path "/etc/x.conf" is that of one machine; files of the skill are named relative to its folder (reference-outside)
SKILL.md:6:41: warning: the path "~/d.md" is that of one machine; files of the skill are named relative to its folder (reference-outside)
SKILL.md:6:53: warning: the path "../../e.md" leads out of the folder of the skill; copy the file into it (reference-outside)
SKILL.md:6:69: warning: the path "/f.md" is that of one machine; files of the skill are named relative to its folder (reference-outside)
SKILL.md:6:105: warning: the path "../g/scripts/h.py" leads to another skill, which may lie elsewhere; call it by its name and list it in requires.skills (reference-outside)
SKILL.md:6:124: warning: the path "../i.md" leads out of the folder of the skill; copy the file into it (reference-outside)
SKILL.md:6:146: warning: the path "references/../../j.md" leads out of the folder of the skill; copy the file into it (reference-outside)
`,
		},
		{
			name: "case 145 depth", ids: "reference-too-deep",
			body:  "[a](references/deep/nested/guide.md) `references/guide.md` `refs/heads/x` `git show refs/heads/main` `references/a/b.md`\n",
			files: []string{"references/deep/nested/guide.md", "references/guide.md"},
			want: `SKILL.md:6:5: info: "references/deep/nested/guide.md" is more than one folder deep; move it to references/guide.md (reference-too-deep)
SKILL.md:6:103: info: "references/a/b.md" is more than one folder deep; move it to references/b.md (reference-too-deep)
`,
		},
		{
			name: "case 146 backslashes", ids: "backslash-path link-broken code-path-broken",
			body:  "`references\\guide.md` [b](docs\\b.md) `\\d+\\s*` `C:\\data\\x.txt` `data\\d+` `.\\venv\\Scripts\\activate` `scripts\\w+.py`\n",
			files: []string{"references/guide.md", "docs/b.md"},
			want: `SKILL.md:6:2: warning: the path "references\\guide.md" is found on Windows alone; write "references/guide.md" (backslash-path)
SKILL.md:6:27: warning: the path "docs\\b.md" is found on Windows alone; write "docs/b.md" (backslash-path)
`,
		},
		{
			name: "user-specific-path", ids: "user-specific-path",
			body: "cat /home/mkowalski/a /home/mkowalski/b\n\n```\nC:\\Users\\Kowalski\\x D:/Users/Kim/y C:\\\\Users\\\\Lee\\\\z\n```\n`/Users/mk.k/x`\n",
			want: `SKILL.md:6:5: warning: "/home/mkowalski" is the home folder of one user (2 times in the text); write ~ or {baseDir}, or ask for the path (user-specific-path)
SKILL.md:9:1: warning: "C:\\Users\\Kowalski" is the home folder of one user; write ~ or {baseDir}, or ask for the path (user-specific-path)
SKILL.md:9:21: warning: "D:/Users/Kim" is the home folder of one user; write ~ or {baseDir}, or ask for the path (user-specific-path)
SKILL.md:9:36: warning: "C:\\\\Users\\\\Lee" is the home folder of one user; write ~ or {baseDir}, or ask for the path (user-specific-path)
SKILL.md:11:2: warning: "/Users/mk.k" is the home folder of one user; write ~ or {baseDir}, or ask for the path (user-specific-path)
`,
		},
		{
			name: "user-specific-path and what is none", ids: "user-specific-path",
			body: "/home/user/x /Users/you/x /home/<name>/x /home/$USER/x /Users/yourname/x /home/ubuntu/x https://a.b/home/feed/x\n" +
				"api/Users/abc/x GET /Users/2819c223/x /home/page ~/home/abc/x /home/linuxbrew/x /Users/Shared/x C:\\Users\\%USERNAME%\\x /var/home/abc/x\n",
		},
		{
			name: "file-unmentioned", ids: "file-unmentioned",
			body:  "Run `scripts/a.py`. All of `templates/` is for mails. See examples/*.md.\n",
			files: []string{"scripts/a.py", "scripts/b.py", "scripts/c.py", "templates/x.txt", "examples/y.md", "references/r.md", "references/README.md", "assets/z.png", "src/q.go", "scripts/__init__.py"},
			want: `references/r.md: info: the file is not mentioned in SKILL.md or a file that is; say when to use it (file-unmentioned)
scripts/b.py: info: the file is not mentioned in SKILL.md or a file that is, nor is another in scripts; say when to use it (file-unmentioned)
`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, findings(t, tt.ids, tt.body, tt.files...)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// A file that a mentioned file mentions is mentioned.
func TestMentionedByAnother(t *testing.T) {
	c, err := check.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range run(t, c, "-- deploy/SKILL.md --\n"+header+"Run `scripts/a.py`.\n-- deploy/scripts/a.py --\nimport hosts\n-- deploy/scripts/hosts.py --\nopen('../data/hosts.csv')\n-- deploy/data/hosts.csv --\na,b\n") {
		if f.Rule == "file-unmentioned" {
			t.Error(f)
		}
	}
}

// The fixes write the path of the file, and change nothing else.
func TestReferenceFixes(t *testing.T) {
	c, err := check.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	body := header + "[ä](./Docs/%41.md) [b](docs/B.md#x) `docs\\b.md` [c](docs\\b.md 't')\n"
	want := header + "[ä](./Docs/%41.md) [b](docs/b.md#x) `docs/b.md` [c](docs/b.md 't')\n"
	var edits []metadata.Edit
	for _, f := range run(t, c, "-- deploy/SKILL.md --\n"+body+"-- deploy/docs/b.md --\n-- deploy/docs/A.md --\n") {
		if f.Fix != nil {
			edits = append(edits, f.Fix.Edits...)
		}
	}
	got := body
	for _, e := range slices.Backward(edits) {
		got = got[:e.Start] + e.New + got[e.End:]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fixed (-want +got):\n%s", diff)
	}
}
