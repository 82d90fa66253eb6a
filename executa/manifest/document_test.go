package manifest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/matrix-nexus/skillkit/executa/manifest"
)

func TestAt(t *testing.T) {
	text := "{\r\n  \"é~/x\": {\"a\": [1, {\"b\": null}]},\r  \"tools\": [{\"name\": \"t\"}],\n \"s\": \"" + strings.Repeat("é", 3000) + "\", \"z\": 1}"
	e, err := manifest.ParseExecuta("", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		pointer, at, key string
		has              bool
	}{
		{"", "1:1", "1:1", true},
		{"/é~0~1x", "2:11", "2:3", true},
		{"/é~0~1x/a/1/b", "2:27", "2:22", false},
		{"/é~0~1x/a/1/c", "2:21", "2:21", false},
		{"/é~0~1x/a/2", "2:17", "2:17", false},
		{"/é~0~1x/a/-1", "2:17", "2:17", false},
		{"/tools/0/name", "3:22", "3:14", true},
		{"/tools/0/name/x/y", "3:22", "3:22", false},
		{"/nothing", "1:1", "1:1", false},
		{"/s", "4:7", "4:2", true},
		{"/z", "4:3016", "4:3011", true},
	} {
		if got := e.At(tt.pointer).String(); got != tt.at {
			t.Errorf("At(%q) = %s, want %s", tt.pointer, got, tt.at)
		}
		if got := e.KeyAt(tt.pointer).String(); got != tt.key {
			t.Errorf("KeyAt(%q) = %s, want %s", tt.pointer, got, tt.key)
		}
		if got := e.Has(tt.pointer); got != tt.has {
			t.Errorf("Has(%q) = %v, want %v", tt.pointer, got, tt.has)
		}
	}
	if at := new(manifest.Document).At("/a"); at.IsValid() {
		t.Errorf("a document without text has the place %v", at)
	}
}

func TestLimits(t *testing.T) {
	pad := strings.Repeat(" ", manifest.MaxFile-2)
	if _, err := manifest.ParseExecuta("", []byte("{}"+pad)); err != nil {
		t.Errorf("a file of MaxFile bytes: %v", err)
	}
	_, err := manifest.ParseExecuta("", []byte("{} "+pad))
	fault(t, err, "manifest-too-large", "executa.json:1:1")
	_, err = manifest.ParsePlugin("", []byte("{\n\"a\": \"\xff\"}"))
	fault(t, err, "manifest-not-utf8", "manifest.json:2:7")
	deep := func(n int) error {
		_, err := manifest.ParseArchive("", []byte(`{"a":`+strings.Repeat("[", n)+strings.Repeat("]", n)+"}"))
		return err
	}
	if err := deep(99); err != nil {
		t.Errorf("100 levels: %v", err)
	}
	fault(t, deep(100), "manifest-not-json", "manifest.json:1:105")

	// A file can have any number of faults.
	e, err := manifest.ParseExecuta("", []byte("{"+strings.Repeat(`"a":1,`, 1000)+`"a":1}`))
	if err != nil || len(e.Problems) != 100 {
		t.Errorf("%d problems, %v; want 100", len(e.Problems), err)
	}
	var b strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&b, ",\"%d\":0", i)
	}
	e, err = manifest.ParseExecuta("", []byte(`{"name":"a"`+b.String()+"}"))
	if err != nil || len(e.Extra) != 100_000 {
		t.Errorf("%d unknown keys, %v", len(e.Extra), err)
	}
}

func fault(t *testing.T, err error, code, at string) {
	t.Helper()
	e, ok := errors.AsType[*manifest.SyntaxError](err)
	if !ok || e.Code != code || !strings.HasPrefix(err.Error(), at+": ") {
		t.Errorf("error %v, want %s at %s", err, code, at)
	}
}

// Each parser returns exactly one of a value and a *SyntaxError, and all
// places are in the text.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"distribution":{"profiles":{"a":{"binary_urls":{"x":{"url":"u"},"y":1}}}},"command":[1]}`))
	f.Add([]byte(`{"manifest":{"tools":[{"name":"a","parameters":[{"name":"p"}],"timeout":-1},2],"credentials":[{}]}}`))
	f.Add([]byte(`{"runtime":{"binary":{"entrypoint":{"default":"a"},"permissions":{"a":"0o755"}}}}`))
	f.Add([]byte("\ufeff{a: 1, /* é */ 'a': [,}] x"))
	f.Fuzz(func(t *testing.T, data []byte) {
		lines := 1 + strings.Count(string(data), "\n") + strings.Count(string(data), "\r")
		check := func(d *manifest.Document, err error) {
			if err != nil {
				e, ok := errors.AsType[*manifest.SyntaxError](err)
				if !ok || e.Code == "" || !e.IsValid() || e.Line > lines {
					t.Fatalf("%q: error %v", data, err)
				}
				return
			}
			for _, p := range d.Problems {
				if p.Code == "" || !p.IsValid() || p.Line > lines {
					t.Fatalf("%q: problem %v", data, p)
				}
			}
		}
		e, err := manifest.ParseExecuta("", data)
		if (e == nil) == (err == nil) {
			t.Fatalf("ParseExecuta(%q) = %v, %v", data, e, err)
		}
		if e == nil {
			check(nil, err)
		} else {
			check(&e.Document, nil)
			for _, p := range e.Profiles {
				if !e.Has(p.Pointer) {
					t.Fatalf("ParseExecuta(%q): nothing at %q", data, p.Pointer)
				}
				for _, a := range append(p.BinaryURLs, p.BinaryArtifacts...) {
					if !e.Has(a.Pointer) {
						t.Fatalf("ParseExecuta(%q): nothing at %q", data, a.Pointer)
					}
				}
			}
		}
		p, err := manifest.ParsePlugin("", data)
		if (p == nil) == (err == nil) {
			t.Fatalf("ParsePlugin(%q) = %v, %v", data, p, err)
		}
		if p == nil {
			check(nil, err)
		} else {
			check(&p.Document, nil)
			for _, tool := range p.Tools {
				if !p.Has(tool.Pointer) {
					t.Fatalf("ParsePlugin(%q): nothing at %q", data, tool.Pointer)
				}
			}
		}
		a, err := manifest.ParseArchive("", data)
		if (a == nil) == (err == nil) {
			t.Fatalf("ParseArchive(%q) = %v, %v", data, a, err)
		}
		if a == nil {
			check(nil, err)
		} else {
			check(&a.Document, nil)
		}
	})
}
