package registry_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/matrix-nexus/skillkit/registry"
)

func TestModelText(t *testing.T) {
	xs := func(n int) string { return strings.Repeat("x", n) }
	blob := func(name string) registry.Blob {
		return registry.Blob{Name: name, MIMEType: "image/png", Data: []byte("12345")}
	}
	for _, tt := range []struct {
		name   string
		result registry.Result
		want   string
	}{
		{"text", registry.Result{Text: "hi\n"}, "hi\n"},
		{"line break first", registry.Result{Text: "\nhi"}, "\nhi"},
		{"nothing", registry.Result{}, "(no output)"},
		{"blank", registry.Result{Text: "\n \n"}, "(no output)"},
		{"data", registry.Result{Data: []byte(`{"a":1}`)}, `{"a":1}`},
		{"text before data", registry.Result{Text: "one", Data: []byte(`{"a":1}`)}, "one"},
		{"error", registry.Result{Text: "exit status 1", IsError: true}, "error: exit status 1"},
		{"error that says so", registry.Result{Text: "Error: no", IsError: true}, "Error: no"},
		{"empty error", registry.Result{IsError: true}, "error"},
		{"not UTF-8", registry.Result{Text: "a\xff\xfeb"}, "a\uFFFDb"},
		{"blob", registry.Result{Text: "a chart", Blobs: []registry.Blob{blob("c.png")}}, "a chart\n[binary part c.png, image/png, 5 bytes]"},
		{"only a blob", registry.Result{Blobs: []registry.Blob{blob("c\n.png")}}, "[binary part c .png, image/png, 5 bytes]"},
		{"at the limit", registry.Result{Text: xs(registry.MaxText)}, xs(registry.MaxText)},
		{"one past the limit", registry.Result{Text: xs(registry.MaxText + 1)}, xs(registry.MaxText-48) + "\n[cut: the first 49104 of 49153 bytes are shown]"},
		{"code points are kept whole", registry.Result{Text: "a" + strings.Repeat("é", registry.MaxText)}, ""},
		{"many blobs", registry.Result{Text: xs(registry.MaxText), Blobs: make([]registry.Blob, 1000)}, ""},
		{"long error", registry.Result{Text: xs(registry.MaxText), IsError: true}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.result.ModelText()
			if len(got) > registry.MaxText || !utf8.ValidString(got) {
				t.Errorf("%d bytes, valid UTF-8: %t", len(got), utf8.ValidString(got))
			}
			if tt.want != "" && got != tt.want {
				t.Errorf("got %d bytes ending in %q, want %d ending in %q", len(got), tail(got), len(tt.want), tail(tt.want))
			}
			if tt.want == "" && !strings.Contains(got, "[cut: the first ") {
				t.Errorf("no notice in %q", tail(got))
			}
			var shown, all int
			if i := strings.Index(got, "\n[cut: "); i >= 0 {
				if _, err := fmt.Sscanf(got[i:], "\n[cut: the first %d of %d bytes", &shown, &all); err != nil || shown != i {
					t.Errorf("notice says %d bytes, there are %d (%v)", shown, i, err)
				}
			}
		})
	}
}

func tail(s string) string { return s[max(0, len(s)-60):] }

func FuzzModelText(f *testing.F) {
	f.Add("text", 1, true)
	f.Add("é\xff", registry.MaxText/2, false)
	f.Add("\n", 1, false)
	f.Fuzz(func(t *testing.T, text string, n int, isError bool) {
		if n < 0 || n*len(text) > 4*registry.MaxText {
			t.Skip()
		}
		got := registry.Result{Text: strings.Repeat(text, n), IsError: isError}.ModelText()
		if got == "" || len(got) > registry.MaxText || !utf8.ValidString(got) {
			t.Fatalf("%d bytes, valid UTF-8: %t", len(got), utf8.ValidString(got))
		}
	})
}
