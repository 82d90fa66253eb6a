package check

import (
	"bytes"
	"strings"
	"testing"
)

func TestTame(t *testing.T) {
	rep := strings.Repeat
	tests := []struct {
		name, src string
		want      string // empty: unchanged
	}{
		{"nesting at the limit", rep("> ", maxNesting) + "- a\n", rep("> ", maxNesting) + "xxa\n"},
		{"nesting within the limit", rep("- ", maxNesting) + "a\n", ""},
		{"numbers nest", rep("1. ", maxNesting) + "12) a\n", rep("1. ", maxNesting) + "xxxxa\n"},
		{"indentation at the limit", rep(" ", maxIndent) + "a\n", ""},
		{"indentation past the limit", rep(" ", maxIndent) + "  a\n", rep(" ", maxIndent) + "xxa\n"},
		{"tabs", rep("\t", maxIndent/4) + "\ta\n", rep("\t", maxIndent/4) + "xa\n"},
		{"blank line", rep(" ", maxIndent+1) + "\r\n", ""},
		{"signs at the limit", rep("[", maxSigns) + "\n", ""},
		{"signs past the limit", rep("[", maxSigns) + "\n[`<\n\n[", rep("[", maxSigns) + "\nx`<\n\n["},
		{"signs of many paragraphs", rep(rep("`", maxSigns)+"\n\n", 3), ""},
		{"signs of many items", rep("- "+rep("<", maxSigns)+"\n", 3), ""},
		{"lines at the limit", rep("a\n", maxLines), ""},
		{"lines past the limit", rep("a\n", maxLines+1), rep("a\n", maxLines)},
		{"full table", rep("|a|b|c\n", 9) + rep("|-|-|-\n", 900), ""},
		{"rows much shorter than the first", rep("|a", 100) + "\n" + rep("a\n", 13) + "|\n", rep("xa", 100) + "\n" + rep("a\n", 13) + "x\n"},
		{"escaped pipes at the limit", rep(`\|`, maxSigns), ""},
		{"escaped pipes past the limit", rep(`\|`, maxSigns+1), rep("xx", maxSigns+1)},
		{"no text", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			src := []byte(tt.src)
			got := tame(src)
			want := tt.want
			if want == "" {
				want = tt.src
				if len(src) > 0 && &got[0] != &src[0] {
					t.Error("copied, though nothing is past a limit")
				}
			}
			if string(src) != tt.src {
				t.Error("changed what it was given")
			}
			if string(got) != want {
				i := 0
				for i < min(len(got), len(want)) && got[i] == want[i] {
					i++
				}
				t.Errorf("differs at %d of %d: got %.30q, want %.30q", i, len(want), got[i:], want[i:])
			}
		})
	}
}

// What a Body says is what the file has, tamed or not.
func TestTamedBody(t *testing.T) {
	text := strings.Repeat("a <b\n", maxSigns+1) + "[<](<d>)\n"
	f, b := bodyOf(t, front+text)
	if len(b.Links) != 1 || b.Links[0].Dest != "<d>" && b.Links[0].Dest != "d" {
		t.Fatalf("links = %v", b.Links)
	}
	if l := b.Links[0]; string(f.Data[l.Start:l.End]) != l.Dest {
		t.Errorf("destination %q is at %q", l.Dest, f.Data[l.Start:l.End])
	}
}

// BenchmarkHostile reads 1 MiB of what takes parsers long.
func BenchmarkHostile(b *testing.B) {
	for _, s := range []string{
		">", "> - ", "1. ", "[", "![", "[a](<b", "[a](b \"c\n", "[a]: b 'c\n", "`a``", "<a b='", "a <!--\n", "|`\\|`|\n", "a\n-|\n",
	} {
		b.Run(s, func(b *testing.B) {
			f := &Folder{}
			f.Data = bytes.Repeat([]byte(s), 1<<20/len(s))
			b.SetBytes(int64(len(f.Data)))
			for b.Loop() {
				parseBody(f)
			}
		})
	}
}
