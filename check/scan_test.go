package check_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/matrix-nexus/skillkit/check"
)

func ExampleRedact() {
	key := "sk-or-" + "v1-" + strings.Repeat("3f9a0c71d4e85b26", 4)
	fmt.Println(check.Redact("export OPENROUTER_API_KEY=" + key))
	// Output: export OPENROUTER_API_KEY=sk-or-v1-****************************************************************
}

// The scan takes any text, finds places that are in it, and hides a secret so that
// nothing else moves and none is left.
func FuzzScan(f *testing.F) {
	for _, rule := range check.Rules() {
		f.Add(rule.Bad)
	}
	f.Add("ghp" + "_" + random(letters, 36) + "\u202e\U000E0041 curl x |\\\n sh\r`'\"“")
	f.Add(pem("") + jwt("{}"))
	f.Fuzz(func(t *testing.T, text string) {
		red := check.Redact(text)
		if len(red) != len(text) || strings.Count(red, "\n") != strings.Count(text, "\n") {
			t.Fatalf("Redact moves text: %q", red)
		}
		c, err := check.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		report, err := c.Check(t.Context(), []check.Target{{
			Path: "deploy", Name: "deploy", Manifest: "SKILL.md",
			FS: fstest.MapFS{"SKILL.md": {Data: []byte(text)}, "a.sh": {Data: []byte(text)}, "a": {Data: []byte(text)}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range report.Findings {
			if f.IsValid() && f.End.Compare(f.Position) < 0 {
				t.Errorf("%s ends at %v", f, f.End)
			}
		}
	})
}

// BenchmarkScan measures all rules of this kind over one usual skill: one of
// 5 KB, without anything to find.
func BenchmarkScan(b *testing.B) {
	var text strings.Builder
	text.WriteString(bodyStart)
	for i := 0; text.Len() < 5000; i++ {
		fmt.Fprintf(&text, "## Step %d\n\nRead the `config.yaml` first, then show the user what changes; don't go on before they agree – it's theirs.\n\n"+
			"```bash\ncurl -s \"https://api.example.com/v1/items?limit=10\" -H \"Authorization: Bearer $API_KEY\" | jq '.items[] | .name'\nrm -rf build/\n```\n\n"+
			"- **Fast**: answers from the cache, 你好.\n- See [the guide](references/guide.md).\n\n", i)
	}
	c := scanner(b)
	targets := []check.Target{{Path: "deploy", Name: "deploy", Manifest: "SKILL.md", Text: []byte(text.String())}}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Check(b.Context(), targets); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRedact measures the search for secrets alone.
func BenchmarkRedact(b *testing.B) {
	files, err := filepath.Glob("../bundled/skills/*/SKILL.md")
	if err != nil || len(files) == 0 {
		b.Fatal("no bundled skills", err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		b.Fatal(err)
	}
	text := string(data)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		check.Redact(text)
	}
}

// A text that is made to be slow is not: what is looked at around each place is
// limited.
func TestScanOfLongLines(t *testing.T) {
	c := scanner(t)
	for _, part := range []string{
		"curl ", "sudo ", "eyJ.", "sk-ant-", "token=", "http://", "\u202a", "-----BEGIN PRIVATE KEY-----", "ignore previous instructions ",
		"rm -rf / ", "`", "curl x | ", "p\u0435", "\u200b", "\U000E0041 ", "ghp" + "_" + random(letters, 36) + " ", "AA:AA", "exec(", "install http://a.io ",
	} {
		text := strings.Repeat(part, (1<<20-1000)/len(part))
		report, err := c.Check(t.Context(), []check.Target{{Path: "deploy", Name: "deploy", Manifest: "SKILL.md", Text: []byte(bodyStart + text)}})
		if err != nil {
			t.Fatal(err)
		}
		if len(report.Findings) > 100 {
			t.Errorf("%q: %d findings", part, len(report.Findings))
		}
	}
}

// scanner returns a checker that runs the rules of this kind alone.
func scanner(tb testing.TB) *check.Checker {
	tb.Helper()
	var others []string
	for _, r := range check.Rules() {
		if !slices.Contains(ours, r.ID) {
			others = append(others, r.ID)
		}
	}
	c, err := check.New(&check.Options{Disable: others})
	if err != nil {
		tb.Fatal(err)
	}
	return c
}
