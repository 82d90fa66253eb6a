package registry_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/matrix-nexus/skillkit/registry"
)

var nameRE = regexp.MustCompile(`^[a-z0-9_-]{1,64}$`)

func TestModelName(t *testing.T) {
	long := strings.Repeat("a", 65)
	tests := []struct{ name, original, want string }{
		{"kept", "csv-data_tools2", "csv-data_tools2"},
		{"64 bytes are kept", long[:64], long[:64]},
		{"65 bytes are cut", long, long[:57] + "-635361"},
		{"hyphens are kept", "-", "-"},
		{"case 143 parent", "../etc/passwd", "etc-passwd-7fef78"},
		{"case 143 windows", `C:\Windows\System32`, "c-windows-system32-15fda5"},
		{"case 143 signs", "skill@#$name", "skill-name-2198cf"},
		{"case 143 empty", "", "tool-e3b0c4"},
		{"case 143 dots", "...", "tool-ab5df6"},
		{"B18 space", "my tool", "my-tool-ba077b"},
		{"B18 dot", "a.b", "a-b-2e7336"},
		{"B18 colon", "a:b", "a-b-6783a3"},
		{"B18 CJK", "代码", "tool-e6f04f"},
		{"B18 accent", "Über", "uber-32b332"},
		{"capital", "Deploy", "deploy-4c236d"},
		{"underscores at the ends", "__init__", "__init__"},
		{"not UTF-8", "a\xffb", "a-b-01ce02"},
		{"a combining mark alone", "\u0301", "tool-e98c79"},
		{"plugin tool", registry.PluginToolName("my-plugin", "do_it"), "my-plugin_do_it"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := registry.ModelName(tt.original); got != tt.want {
				t.Errorf("ModelName(%q) = %q, want %q", tt.original, got, tt.want)
			}
		})
	}
}

func TestCase142NamesThatLookAlike(t *testing.T) {
	seen := map[string]string{}
	for _, original := range []string{"a b", "a.b", "a-b", "A-B", "a_b", "a  b", "á b", "a b ", " a b", "a/b"} {
		name := registry.ModelName(original)
		if other, ok := seen[name]; ok {
			t.Errorf("%q and %q are both %q", other, original, name)
		}
		seen[name] = original
	}
}

func TestValidID(t *testing.T) {
	for id, want := range map[string]bool{
		"a":                            true,
		"Plugin:my.tool_1-2":           true,
		"a" + strings.Repeat("b", 127): true,
		"a" + strings.Repeat("b", 128): false,
		"":                             false,
		"1codex":                       false,
		":a":                           false,
		"codex/app":                    false,
		"a b":                          false,
		"aé":                           false,
		"é":                            false,
		"a\n":                          false,
	} {
		if got := registry.ValidID(id); got != want {
			t.Errorf("ValidID(%q) = %t, want %t", id, got, want)
		}
	}
}

func FuzzModelName(f *testing.F) {
	for _, s := range []string{"", "a", "A", "my tool", "../x", "代码", "Über", "\xff", strings.Repeat("é", 100), "e\u0301", "ﷺ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, original string) {
		got := registry.ModelName(original)
		if !nameRE.MatchString(got) {
			t.Fatalf("ModelName(%q) = %q, which does not match %s", original, got, nameRE)
		}
		if again := registry.ModelName(got); again != got {
			t.Fatalf("ModelName(%q) = %q, want it kept", got, again)
		}
		if kept := nameRE.MatchString(original); kept != (got == original) {
			t.Fatalf("ModelName(%q) = %q", original, got)
		}
		if !utf8.ValidString(got) {
			t.Fatalf("ModelName(%q) is not UTF-8", original)
		}
	})
}

func BenchmarkModelName(b *testing.B) {
	for name, original := range map[string]string{
		"kept":   "csv-data-tools",
		"space":  "CSV Data Tools",
		"accent": "Générateur de données",
		"long":   strings.Repeat("long name ", 100_000),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				registry.ModelName(original)
			}
		})
	}
}
