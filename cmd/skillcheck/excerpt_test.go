package main

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/matrix-nexus/skillkit/check"
	"github.com/matrix-nexus/skillkit/internal/line"
	"github.com/matrix-nexus/skillkit/metadata"
)

func finding(line, column, endLine, endColumn int) check.Finding {
	return check.Finding{
		Position: metadata.Position{Line: line, Column: column},
		End:      metadata.Position{Line: endLine, Column: endColumn},
	}
}

func TestExcerpt(t *testing.T) {
	long := strings.Repeat("x", 200)
	for _, tt := range []struct {
		name, text    string
		f             check.Finding
		columns       int
		source, marks string
	}{
		{"word", "a: b c\n", finding(1, 4, 1, 5), 80, "a: b c", "   ^"},
		{"words", "a: bcd e\n", finding(1, 4, 1, 7), 80, "a: bcd e", "   ^~~"},
		{"second line", "a\nb c\n", finding(2, 3, 2, 4), 80, "b c", "  ^"},
		{"CRLF and lone CR", "a\r\nb\rc d\r\n", finding(3, 3, 3, 4), 80, "c d", "  ^"},
		{"byte order mark", "\ufeffab\n", finding(1, 2, 1, 3), 80, "ab", " ^"},
		{"no end", "ab\n", finding(1, 1, 0, 0), 80, "ab", "^"},
		{"over lines", "abc\nd\n", finding(1, 2, 2, 1), 80, "abc", " ^~"},
		{"behind the end", "ab\n", finding(1, 3, 1, 4), 80, "ab", "  ^"},
		{"empty line", "\n", finding(1, 1, 1, 2), 80, "", "^"},
		{"tabs", "\ta\tb\n", finding(1, 4, 1, 5), 80, "    a   b", "        ^"},
		{"tab at fault", "\ta\n", finding(1, 1, 1, 2), 80, "    a", "^~~~"},
		{"wide characters", "部署 b\n", finding(1, 4, 1, 5), 80, "部署 b", "     ^"},
		{"wide character at fault", "a部b\n", finding(1, 2, 1, 3), 80, "a部b", " ^~"},
		{"emoji", "🚀 b\n", finding(1, 3, 1, 4), 80, "🚀 b", "   ^"},
		{"combining", "e\u0301 b\n", finding(1, 4, 1, 5), 80, "e\u0301 b", "  ^"},
		{"control character", "a\x1bb\n", finding(1, 3, 1, 4), 80, `a\u001bb`, "       ^"},
		{"bidirectional", "a\u202eb\n", finding(1, 2, 1, 3), 80, `a\u202eb`, " ^~~~~~"},
		{"zero width", "a\u200bb\n", finding(1, 2, 1, 3), 80, `a\u200bb`, " ^~~~~~"},
		{"joiner", "a\u200db\n", finding(1, 3, 1, 4), 80, "a\u200db", " ^"},
		{"invalid UTF-8", "a\xe9b\n", finding(1, 2, 1, 3), 80, `a\xe9b`, " ^~~~"},
		{"long, at the start", long, finding(1, 1, 1, 3), 10, "xxxxxxxxxx…", "^~"},
		{"long, in the middle", long, finding(1, 100, 1, 102), 10, "…xxxxxxxxxx…", "      ^~"},
		{"long, at the end", long, finding(1, 200, 1, 201), 10, "…xxxxxxxxxx", "          ^"},
		{"longer than the room", long, finding(1, 1, 1, 100), 10, "xxxxxxxxxx…", "^~~~~~~~~~"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			source, marks, ok := excerpt(linesOf(tt.text), tt.f, tt.columns)
			if !ok || source != tt.source || marks != tt.marks {
				t.Errorf("got %v\n%s\n%s\nwant\n%s\n%s", ok, source, marks, tt.source, tt.marks)
			}
		})
	}
	for _, f := range []check.Finding{finding(3, 1, 3, 2), {}} {
		if _, _, ok := excerpt(linesOf("a\n"), f, 80); ok {
			t.Errorf("%v is shown", f.Position)
		}
	}
}

// Whatever the text is, the excerpt fits, and cannot reach a terminal.
func FuzzExcerpt(f *testing.F) {
	f.Add("a\tb\r\n部\x1b", 1, 2, 3, 10)
	f.Fuzz(func(t *testing.T, text string, line1, column, end, columns int) {
		columns = min(max(columns, 1), 200)
		source, marks, ok := excerpt(linesOf(text), finding(line1, max(column, 1), line1, end), columns)
		if !ok {
			return
		}
		const widest = len(`\u{10ffff}`) // of a character; and an ellipsis at both ends
		if w := max(line.Width(source), line.Width(marks)); w > columns+widest+2 {
			t.Errorf("%d columns, want %d: %q, %q", w, columns, source, marks)
		}
		if !utf8.ValidString(source) || line.Visible(source, false) != source || strings.Trim(marks, " ^~") != "" {
			t.Errorf("got %q, %q", source, marks)
		}
	})
}

func Example_excerpt() {
	source, marks, _ := excerpt([]string{"name: deploy", "description: Deploy: now"}, finding(2, 20, 2, 21), 80)
	fmt.Println(source)
	fmt.Println(marks)
	// Output:
	// description: Deploy: now
	//                    ^
}
