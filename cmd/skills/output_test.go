package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/cmd/internal/cli"
	"github.com/matrix-nexus/skillkit/internal/line"
)

func FuzzFitWidth(f *testing.F) {
	f.Add("a\x1b[31m\u009b\u202e")
	f.Add("\xff\x9b")
	f.Fuzz(func(t *testing.T, s string) {
		if got := fitWidth(visible(s, false), 10); line.Width(got) > 10 {
			t.Fatalf("fitWidth gives %d columns", line.Width(got))
		}
	})
}

func TestTable(t *testing.T) {
	var b strings.Builder
	rows := func() [][]cell {
		return [][]cell{
			{{"A heading wider than columns", cli.Bold}},
			{{"jq", cli.Plain}, {"ready", cli.Green}, {"🔎 Query JSON.", cli.Plain}},
			{},
			{{"技能", cli.Plain}, {"missing", cli.Yellow}, {"Wide runes.", cli.Plain}},
			{{"cafe\u0301", cli.Plain}, {"unknown", cli.Plain}, {"An accent\nand a line \x1b[2J.", cli.Plain}},
		}
	}
	p := newTestPrinter(&b)
	p.table(rows())
	p.Flush()
	const want = "" +
		"A heading wider than columns\n" +
		"jq    ready    🔎 Query JSON.\n" +
		"\n" +
		"技能  missing  Wide runes.\n" +
		"cafe\u0301  unknown  An accent\\u000aand a line \\u001b[2J.\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	b.Reset()
	p = newTestPrinter(&b)
	p.Color, p.Columns = true, 34
	p.table(rows()[:4])
	p.Flush()
	const colored = "" +
		"\x1b[1mA heading wider than columns\x1b[0m\n" +
		"jq    \x1b[32mready\x1b[0m    🔎 Query JSON.\n" +
		"\n" +
		"技能  \x1b[33mmissing\x1b[0m  Wide runes.\n"
	if diff := cmp.Diff(colored, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	b.Reset()
	p = newTestPrinter(&b)
	p.Columns = 33
	p.table([][]cell{{{"name", cli.Plain}, {"技能技能技能技能技能技能技能技能", cli.Plain}}})
	p.Flush()
	if got, want := b.String(), "name  技能技能技能技能技能技能技…\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestJSONIsEscaped(t *testing.T) {
	const evil = "a\x1b\u009b\u202e<&>\n"
	var b strings.Builder
	p := newTestPrinter(&b)
	if err := p.JSON(map[string]string{"x": evil}); err != nil {
		t.Fatal(err)
	}
	p.Flush()
	if want := "{\n  \"x\": \"a\\u001b\\u009b\\u202e<&>\\n\"\n}\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
	var back map[string]string
	if err := json.Unmarshal([]byte(b.String()), &back); err != nil || back["x"] != evil {
		t.Errorf("read back %q, %v", back["x"], err)
	}
}

func TestRaw(t *testing.T) {
	const text = "a\x1b[2Jb\n\tc"
	for terminal, want := range map[bool]string{false: text + "\n", true: `a\u001b[2Jb` + "\n\tc\n"} {
		var b strings.Builder
		p := newTestPrinter(&b)
		p.Terminal = terminal
		p.Raw(text)
		p.Flush()
		if b.String() != want {
			t.Errorf("terminal %v: got %q, want %q", terminal, b.String(), want)
		}
	}
}
