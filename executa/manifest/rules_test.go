package manifest_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/executa/manifest"
)

func TestPlatform(t *testing.T) {
	for _, tt := range []struct{ os, arch, want string }{
		{"darwin", "arm64", "darwin-arm64"}, {"darwin", "amd64", "darwin-x86_64"},
		{"linux", "amd64", "linux-x86_64"}, {"linux", "arm64", "linux-aarch64"}, {"linux", "arm", "linux-armv7l"},
		{"windows", "amd64", "windows-x86_64"}, {"windows", "arm64", "windows-arm64"},
		{"linux", "386", "linux-386"}, {"freebsd", "riscv64", "freebsd-riscv64"},
	} {
		if got := manifest.Platform(tt.os, tt.arch); got != tt.want {
			t.Errorf("Platform(%s, %s) = %s, want %s", tt.os, tt.arch, got, tt.want)
		}
	}
	for key, want := range map[string]string{
		"macOS-AArch64": "darwin-arm64", "linux-arm64": "linux-aarch64", "win32-x64": "windows-x86_64",
		"linux-armv7": "linux-armv7l", "linux-amd64": "linux-x86_64", "darwin-*": "darwin-*", "any": "any", "linux-i386": "linux-i386",
	} {
		if got := manifest.NormalPlatform(key); got != want {
			t.Errorf("NormalPlatform(%s) = %s, want %s", key, got, want)
		}
	}
	for _, key := range manifest.Platforms() {
		if manifest.NormalPlatform(key) != key {
			t.Errorf("%s is not in normal form", key)
		}
	}
	for key, want := range map[string]bool{"*": true, "any": true, "Universal": true, "darwin-*": true, "macos": true, "default": false, "linux-x86_64": false} {
		if got := manifest.IsWildcard(key); got != want {
			t.Errorf("IsWildcard(%s) = %v", key, got)
		}
	}
}

func TestMatchPlatform(t *testing.T) {
	for _, tt := range []struct {
		keys, platform, want string
		match                manifest.Match
	}{
		{"any darwin-* darwin-arm64", "darwin-arm64", "darwin-arm64", manifest.MatchKey},
		{"any linux-arm64", "linux-aarch64", "linux-arm64", manifest.MatchKey},
		{"any darwin-*", "darwin-arm64", "darwin-*", manifest.MatchOS},
		{"any darwin", "darwin-arm64", "darwin", manifest.MatchOS},
		{"linux-x86_64 *", "darwin-arm64", "*", manifest.MatchAny},
		{"linux-x86_64 universal", "darwin-arm64", "universal", manifest.MatchAny},
		{"linux-x86_64", "darwin-arm64", "linux-x86_64", manifest.MatchOnly},
		{"linux-x86_64 windows-x86_64", "darwin-arm64", "", manifest.NoMatch},
		{"", "darwin-arm64", "", manifest.NoMatch},
	} {
		keys := strings.Fields(tt.keys)
		i, match := manifest.MatchPlatform(keys, tt.platform)
		got := ""
		if i >= 0 {
			got = keys[i]
		}
		if got != tt.want || match != tt.match {
			t.Errorf("MatchPlatform(%s, %s) = %q, %v; want %q, %v", tt.keys, tt.platform, got, match, tt.want, tt.match)
		}
	}
}

func TestFormatOf(t *testing.T) {
	for url, want := range map[string]string{
		"https://example.com/a-1.0.tar.gz": "tar.gz", "https://example.com/a.TGZ?x=1#y": "tgz", "dist/a.zip": "zip",
		"https://example.com/a": "raw", "https://example.com/a.zip/a.exe": "raw", "tar.gz": "raw", "": "raw",
	} {
		if got := manifest.FormatOf(url); got != want {
			t.Errorf("FormatOf(%s) = %s, want %s", url, got, want)
		}
	}
}

// The names are files of a bundle, "*" marks an executable one.
func bundle(files string) *manifest.Bundle {
	b := &manifest.Bundle{Platform: "linux-x86_64"}
	for _, name := range strings.Fields(files) {
		name, executable := strings.CutSuffix(name, "*")
		b.Files = append(b.Files, manifest.File{Name: name, Executable: executable})
	}
	return b
}

func TestEntrypoint(t *testing.T) {
	archive := func(text string) *manifest.Archive {
		a, err := manifest.ParseArchive("", []byte(`{"runtime":{"binary":{"entrypoint":`+text+`}}}`))
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	perPlatform := `{"default":"bin/d","linux-x86_64":"bin/l","darwin-*":"bin/m"}`
	for _, tt := range []struct {
		name, files string
		change      func(b *manifest.Bundle)
		want        string
		level       int
	}{
		{"the platform", "bin/l bin/d* tool*", func(b *manifest.Bundle) { b.Archive = archive(perPlatform); b.Asset = "tool" }, "bin/l", 1},
		{"its system", "bin/m bin/d*", func(b *manifest.Bundle) { b.Archive = archive(perPlatform); b.Platform = "darwin-arm64" }, "bin/m", 1},
		{"the default", "bin/l bin/d*", func(b *manifest.Bundle) { b.Archive = archive(perPlatform); b.Platform = "windows-arm64" }, "bin/d", 1},
		{"one for all", "bin/x*", func(b *manifest.Bundle) { b.Archive = archive(`"./bin/x"`) }, "bin/x", 1},
		{"exe on Windows", "bin/x.exe", func(b *manifest.Bundle) { b.Archive = archive(`"bin/x"`); b.Platform = "windows-x64" }, "bin/x.exe", 1},
		{"no exe elsewhere", "bin/x.exe*", func(b *manifest.Bundle) { b.Archive = archive(`"bin/x"`) }, "", 0},
		{"declared and missing", "bin/y*", func(b *manifest.Bundle) { b.Archive = archive(`"bin/x"`) }, "", 0},
		{"only another platform", "bin/y*", func(b *manifest.Bundle) { b.Archive = archive(`{"darwin-arm64":"bin/x"}`) }, "bin/y", 4},
		{"the asset", "tool* a*", func(b *manifest.Bundle) { b.Archive = archive(`{}`); b.Asset = "tool"; b.Name = "a" }, "tool", 2},
		{"an asset outside", "tool*", func(b *manifest.Bundle) { b.Asset = "../tool" }, "", 0},
		{"bin before root", "a* bin/a.exe*", func(b *manifest.Bundle) { b.Name = "a" }, "bin/a.exe", 3},
		{"root", "a.exe b* c*", func(b *manifest.Bundle) { b.Name = "a" }, "a.exe", 3},
		{"the only one", "README x/tool-linux-x86_64*", func(b *manifest.Bundle) { b.Name = "a" }, "x/tool-linux-x86_64", 4},
		{"the first", "z* lib/b* README", func(b *manifest.Bundle) { b.Name = "a" }, "lib/b", 5},
		{"none", "README", func(b *manifest.Bundle) {}, "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := bundle(tt.files)
			tt.change(b)
			got, err := b.Entrypoint()
			if got.Path != tt.want || got.Level != tt.level || (err != nil) != (tt.want == "") {
				t.Errorf("Entrypoint = %+v, %v; want %q by level %d", got, err, tt.want, tt.level)
			}
			if err != nil && !errors.Is(err, manifest.ErrNoEntrypoint) {
				t.Errorf("error %v is not ErrNoEntrypoint", err)
			}
			if got.Level == 5 && !slices.Equal(got.Others, []string{"z"}) {
				t.Errorf("others = %q", got.Others)
			}
		})
	}
}

func TestIsLocal(t *testing.T) {
	for name, want := range map[string]bool{
		"bin/a": true, "./bin//a": true, "a.b": true, "..a": true,
		"": false, ".": false, "..": false, "/a": false, "a/../b": false, `a\b`: false, "c:a": false, "a\x00": false,
	} {
		if got := manifest.IsLocal(name); got != want {
			t.Errorf("IsLocal(%q) = %v", name, got)
		}
	}
}

func TestExpand(t *testing.T) {
	p := manifest.Placeholders{Version: "1.2.0", Platform: "linux-x86_64"}
	for s, want := range map[string]string{
		"dist/a-{version}-{platform}.tgz": "dist/a-1.2.0-linux-x86_64.tgz", "a}": "a}", "": "",
		"{arch}": "", "{version": "", "{tool_id}": "", "{}": "",
	} {
		got, err := p.Expand(s)
		if got != want || (err != nil) != (want == "" && s != "") {
			t.Errorf("Expand(%q) = %q, %v; want %q", s, got, err, want)
		}
	}
}

func TestIdentity(t *testing.T) {
	e := &manifest.Executa{ToolID: "tool-a", Name: "a", Slug: "s"}
	p := &manifest.Plugin{Name: "p", DisplayName: "¡Ñandú & Wörter!"}
	var got []string
	for _, f := range []func(){
		func() {}, func() { e.ToolID = "" }, func() { e.Name = "" }, func() { e = nil }, func() { p.Name = "" }, func() { p = nil },
	} {
		f()
		got = append(got, manifest.Identity("", e, p))
	}
	want := []string{"tool-a", "a", "s", "p", "and-w-rter", ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("identities (-want +got):\n%s", diff)
	}
	if got := manifest.Identity("mine", &manifest.Executa{ToolID: "x"}, nil); got != "mine" {
		t.Errorf("configured: %q", got)
	}
}

func TestValidVersion(t *testing.T) {
	for _, s := range []string{"0.0.0", "1.4.0", "10.20.30", "1.0.0-rc.1", "1.0.0-0a", "1.0.0--", "1.0.0+001", "1.0.0-a+b-c.7"} {
		if !manifest.ValidVersion(s) {
			t.Errorf("%q is refused", s)
		}
	}
	for _, s := range []string{"", "1", "1.4", "v1.4.0", "1.4.0.0", "01.4.0", "1.4.x", "1.0.0-", "1.0.0+", "1.0.0-01", "1.0.0-a..b", "1.0.0-ü", "1.-4.0", " 1.0.0"} {
		if manifest.ValidVersion(s) {
			t.Errorf("%q is accepted", s)
		}
	}
}

func TestTables(t *testing.T) {
	if list := manifest.Capabilities(); !slices.IsSorted(list) || len(slices.Compact(list)) != len(list) {
		t.Errorf("capabilities are not sorted and unique: %q", list)
	}
	seen := map[string]string{}
	for _, p := range manifest.Providers() {
		for name, field := range p.Mapping {
			if other := seen[name]; other != "" {
				t.Errorf("%s is one of %s and %s", name, other, p.ID)
			}
			seen[name] = p.ID
			if field != manifest.AccessToken && !slices.Contains(p.Fields, field) {
				t.Errorf("%s: %s is mapped to %s, which is no field", p.ID, name, field)
			}
		}
	}
	if seen["NOTION_API_KEY"] != "notion" || seen["GMAIL_ACCESS_TOKEN"] != "google" {
		t.Errorf("providers by credential: %v", seen)
	}
}
