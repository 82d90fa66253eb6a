package main

import (
	"bufio"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
			{{"A heading wider than columns", bold}},
			{{"jq", plain}, {"ready", green}, {"🔎 Query JSON.", plain}},
			{},
			{{"技能", plain}, {"missing", yellow}, {"Wide runes.", plain}},
			{{"cafe\u0301", plain}, {"unknown", plain}, {"An accent\nand a line \x1b[2J.", plain}},
		}
	}
	p := &printer{w: bufio.NewWriter(&b)}
	p.table(rows())
	p.flush()
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
	p = &printer{w: bufio.NewWriter(&b), color: true, columns: 34}
	p.table(rows()[:4])
	p.flush()
	const colored = "" +
		"\x1b[1mA heading wider than columns\x1b[0m\n" +
		"jq    \x1b[32mready\x1b[0m    🔎 Query JSON.\n" +
		"\n" +
		"技能  \x1b[33mmissing\x1b[0m  Wide runes.\n"
	if diff := cmp.Diff(colored, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	b.Reset()
	p = &printer{w: bufio.NewWriter(&b), columns: 33}
	p.table([][]cell{{{"name", plain}, {"技能技能技能技能技能技能技能技能", plain}}})
	p.flush()
	if got, want := b.String(), "name  技能技能技能技能技能技能技…\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestJSONIsEscaped(t *testing.T) {
	const evil = "a\x1b\u009b\u202e<&>\n"
	var b strings.Builder
	p := &printer{w: bufio.NewWriter(&b)}
	if err := p.json(map[string]string{"x": evil}); err != nil {
		t.Fatal(err)
	}
	p.flush()
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
		p := &printer{w: bufio.NewWriter(&b), terminal: terminal}
		p.raw(text)
		p.flush()
		if b.String() != want {
			t.Errorf("terminal %v: got %q, want %q", terminal, b.String(), want)
		}
	}
}
