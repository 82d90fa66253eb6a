package pydist_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/internal/pydist"
)

// ordered are versions from the oldest to the newest; those in one line are
// equal. They are examples of PEP 440, and what follows from its rules.
var ordered = [][]string{
	{"0.dev1"},
	{"0", "0.0.0", "v0", "00"},
	{"0.9"},
	{"0.9.1"},
	{"1.dev1", "1.0.dev1", "1.0-DEV_1"},
	{"1.0.dev456"},
	{"1.0a0.dev3"},
	{"1.0a0", "1.0a", "1.0alpha", "1.0.alpha", "1.0-a-"},
	{"1.0a1", "1.0.ALPHA.1", "1.0a01"},
	{"1.0a2.dev456"},
	{"1.0a12.dev456"},
	{"1.0a12"},
	{"1.0b1.dev456"},
	{"1.0b2", "1.0beta2", "1.0_b_2"},
	{"1.0b2.post345.dev456"},
	{"1.0b2.post345", "1.0b2-345"},
	{"1.0rc1.dev456"},
	{"1.0rc1", "1.0c1", "1.0pre1", "1.0-preview-1"},
	{"1.0", "1", "1.0.0", " 1.0 ", "\t1\n"},
	{"1.0+abc.5"},
	{"1.0+abc.7", "1.0+ABC-07"},
	{"1.0+5"},
	{"1.0+5.a"},
	{"1.0+5.0"},
	{"1.0+40"},
	{"1.0.post0.dev1"},
	{"1.0.post0", "1.0.post", "1.0-0", "1.0rev", "1.0r0"},
	{"1.0.post456.dev34"},
	{"1.0.post456", "1.0-456", "1.0_R_456"},
	{"1.0.15"},
	{"1.1.dev1"},
	{"1.1"},
	{"1.10"},
	{"2013.10", "02013.010"},
	{"99999999999999999999999"},
	{"100000000000000000000000"},
	{"1!0.1", "01!0.1"},
	{"1!1.0"},
}

func TestCompare(t *testing.T) {
	for i, a := range ordered {
		for j, b := range ordered {
			for _, x := range a {
				for _, y := range b {
					v, ok1 := pydist.ParseVersion(x)
					w, ok2 := pydist.ParseVersion(y)
					if !ok1 || !ok2 {
						t.Fatalf("%q is a version: %t, %q: %t", x, ok1, y, ok2)
					}
					if got, want := v.Compare(w), cmpInt(i, j); got != want {
						t.Errorf("Compare(%q, %q) = %d, want %d", x, y, got, want)
					}
				}
			}
		}
	}
}

func cmpInt(i, j int) int {
	switch {
	case i < j:
		return -1
	case i > j:
		return 1
	}
	return 0
}

var noVersions = []string{
	"", " ", "v", "a", "1.", ".1", "1..0", "1.0.x", "1.0a1b1", "1.0dev1.post1", "1.0 .1", "1!", "!1", "1!!1", "1.0+", "1.0+a..b",
	"1.0+_a", "1.0+a+b", "1.0--1", "1.0ubuntu1", "1.0+é", "٣", "1,0", "1.0-", "vv1", "1.0ſ",
}

func TestParseVersionRefuses(t *testing.T) {
	// The reference takes the last two, which are not of the ASCII alphabet.
	for _, s := range append(noVersions, "1.0\u00a0", "1.0+\u212a") {
		if v, ok := pydist.ParseVersion(s); ok {
			t.Errorf("ParseVersion(%q) = %+v", s, v)
		}
	}
}

var specifiers = []string{
	"", ">=1", ">=1.0,<2", ">1", ">1.0", ">1.0.post0", ">1.0rc1", ">1.0.dev1", "<1", "<1.0.0", "<1.0rc1", "<1.0.post456", "<=1", "<=1.0",
	"==1", "== 1.0.0", "==1.*", "==1.0.*", "==1.0.0.0.*", "== 01.00.*", "!=1.0", "!=1.0.*", "!=1.0+5", "==1.0+abc.5", "==1.0+ABC_05", "==1.0.post0",
	"~=1.0", "~=1.0.0", "~=0.9.1", "~=1.0a1", "~=1.0.post456", "~=1.0.15", "~=1!0.0",
	">=1!0", "==1!*", "==1!0.*", "<1!1", ">0,!=1.0,<=1.1", " >= 0.9 , < 1.1 ", ">99999999999999999999998", "<2013.10", ">=1.0.dev1",
}

var noSpecifiers = []string{
	"1", "=1", "=>1", ">= 1 2", "~=1", "~=1!1", ">=1.*", "~=1.0.*", "==1.0a1.*", "==1.0.dev1.*", "!=1.0+a.*", ">=1+a", "<1+a", "~=1.0+a", "==",
	"^1", ">=x", "==*", "> =1", ">=1;", "=== 1 2", "==1.0.post1.*",
}

func TestParseSpecifiersRefuses(t *testing.T) {
	// The reference takes the last.
	for _, s := range append(noSpecifiers, "===") {
		if got, err := pydist.ParseSpecifiers(s); err == nil {
			t.Errorf("ParseSpecifiers(%q) = %+v", s, got)
		}
	}
}

func TestMatch(t *testing.T) {
	tests := []struct {
		specifiers string
		yes, no    string // versions, separated by blanks
	}{
		{"", "1 1.0rc1", ""},
		{">=1", "1 1.0.post1 2 1.0+local 2.0rc1", "0.9 1.0rc1 1.0.dev1"},
		{"<=1", "0.9 1 1.0.0 1.0+local 1rc1", "1.0.post1 1.0.1"},
		// The exclusive comparisons of PEP 440.
		{">1.7", "1.7.1 1.8", "1.7 1.7.0.post1 1.7+local 1.7rc1"},
		{">1.7.post2", "1.7.1 1.7.0.post3", "1.7.0 1.7.post2 1.7.post2+local"},
		{"<3.1", "3.0 3.0.dev0 3.0.post1", "3.1 3.1rc1 3.1.dev0 3.2"},
		{"<3.1rc1", "3.1a1 3.1.dev0", "3.1rc1 3.1"},
		// Matching by prefix.
		{"==1.1.*", "1.1 1.1.1 1.1.post1 1.1a1 1.1.dev1 1.1+local", "1.0 1.10 1.2 1!1.1 1"},
		{"==1.0.*", "1 1.0 1.0.5", "1.1"},
		{"!=1.1.*", "1.0 1.2", "1.1.5"},
		// Compatible releases.
		{"~=2.2", "2.2 2.3 2.2.post3", "2.1 3.0 2.2rc1 3.0a1"},
		{"~=1.4.5", "1.4.5 1.4.6 1.4.10+local", "1.4.4 1.5"},
		{"~=2.2.post3", "2.2.post3 2.3", "2.2 2.2.post2 3"},
		{"~=1.4.5a4", "1.4.5a4 1.4.5 1.4.9", "1.4.5a3 1.5"},
		{"~=2.2.0", "2.2 2.2.7", "2.3"},
		// Local versions are only looked at where the clause has one.
		{"==1.0", "1.0 1.0.0 1.0+local", "1.0.post1 1.0.1"},
		{"==1.0+local.1", "1.0+local.1 1.0+LOCAL_01", "1.0 1.0+local.2"},
		{"!=1.0", "1.1", "1.0 1.0+local"},
		// Text.
		{"===1.0", "1.0", "1 1.0.0 1.0+local"},
		{"===foobar", "FooBar", "1.0"},
		{">=1,<2,!=1.5", "1 1.4", "1.5 2 0.9"},
	}
	for _, tt := range tests {
		s, err := pydist.ParseSpecifiers(tt.specifiers)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range strings.Fields(tt.yes) {
			if ok, err := s.Match(v); err != nil || !ok {
				t.Errorf("%q on %s: %t, %v, want a match", tt.specifiers, v, ok, err)
			}
		}
		for _, v := range strings.Fields(tt.no) {
			if ok, err := s.Match(v); err != nil || ok {
				t.Errorf("%q on %s: %t, %v, want none", tt.specifiers, v, ok, err)
			}
		}
	}
	t.Run("a version that cannot be compared", func(t *testing.T) {
		s, err := pydist.ParseSpecifiers(">=1")
		if err != nil {
			t.Fatal(err)
		}
		if ok, err := s.Match("1.0ubuntu1"); err == nil || ok {
			t.Errorf("got %t, %v", ok, err)
		}
	})
}

// reference answers for each version and specifier what the reference
// implementation says: null for what it does not accept. It ends at once where
// that is so old that it does not pad before it matches by prefix. "===" is
// left out: the reference compares not the text but its normal form.
const reference = `
import json, sys
from pip._vendor.packaging.specifiers import SpecifierSet
from pip._vendor.packaging.version import Version
if not SpecifierSet("==1.0.0.*").contains("1.0rc1", prereleases=True):
    sys.exit("too old")
def read(f, s):
    try: return f(s)
    except ValueError: return None
q = json.load(sys.stdin)
versions = [read(Version, v) for v in q["versions"]]
sets = [read(SpecifierSet, s) for s in q["specifiers"]]
json.dump({
    "compare": [[None if v is None or w is None else (v > w) - (v < w) for w in versions] for v in versions],
    "match": [[None if v is None or s is None else s.contains(v, prereleases=True) for v in versions] for s in sets],
}, sys.stdout)
`

func TestAgreesWithReference(t *testing.T) {
	versions := slices.Concat(append(ordered, noVersions)...)
	specs := slices.Concat(specifiers, noSpecifiers)
	in, err := json.Marshal(map[string][]string{"versions": versions, "specifiers": specs})
	if err != nil {
		t.Fatal(err)
	}
	pythons, _ := filepath.Glob(filepath.Join(os.Getenv("PYENV_ROOT"), "versions", "3*", "bin", "python"))
	var out []byte
	for _, python := range append(pythons, "python3") {
		cmd := exec.CommandContext(t.Context(), python, "-c", reference)
		cmd.Stdin = bytes.NewReader(in)
		if out, err = cmd.Output(); err == nil {
			break
		}
	}
	if err != nil {
		t.Skip("no python with a pip that brings a recent packaging:", err)
	}
	var want struct {
		Compare [][]*int
		Match   [][]*bool
	}
	if err := json.Unmarshal(out, &want); err != nil {
		t.Fatal(err)
	}
	for i, x := range versions {
		for j, y := range versions {
			v, ok1 := pydist.ParseVersion(x)
			w, ok2 := pydist.ParseVersion(y)
			var got *int
			if ok1 && ok2 {
				got = new(v.Compare(w))
			}
			if want := want.Compare[i][j]; !cmp.Equal(want, got) {
				t.Errorf("Compare(%q, %q): got %s, want %s", x, y, show(got), show(want))
			}
		}
	}
	for i, text := range specs {
		s, serr := pydist.ParseSpecifiers(text)
		for j, v := range versions {
			var got *bool
			if _, ok := pydist.ParseVersion(v); ok && serr == nil {
				ok, err := s.Match(v)
				if err != nil {
					t.Errorf("%q on %q: %v", text, v, err)
				}
				got = &ok
			}
			if want := want.Match[i][j]; !cmp.Equal(want, got) {
				t.Errorf("%q on %q: got %s, want %s", text, v, show(got), show(want))
			}
		}
	}
}

func show[T any](p *T) string {
	if p == nil {
		return "refused"
	}
	return fmt.Sprint(*p)
}

func TestParseRequirement(t *testing.T) {
	tests := []struct {
		in   string
		want pydist.Requirement // without Versions
		yes  string             // a version that is accepted
		no   string             // one that is not, or empty
	}{
		{"PyYAML", pydist.Requirement{Name: "PyYAML"}, "0", ""},
		{" scikit_learn ", pydist.Requirement{Name: "scikit_learn"}, "0", ""},
		{"a", pydist.Requirement{Name: "a"}, "0", ""},
		{"zope.interface", pydist.Requirement{Name: "zope.interface"}, "0", ""},
		{"pkg>=1", pydist.Requirement{Name: "pkg"}, "1", "0"},
		{"pkg >= 1 , < 2", pydist.Requirement{Name: "pkg"}, "1", "2"},
		{"pkg (>=1)", pydist.Requirement{Name: "pkg"}, "1", "0"},
		{"pkg[extra]", pydist.Requirement{Name: "pkg", Extras: []string{"extra"}}, "0", ""},
		{"pkg[a, b-c] ~=1.2", pydist.Requirement{Name: "pkg", Extras: []string{"a", "b-c"}}, "1.3", "2"},
		{"pkg [ ]", pydist.Requirement{Name: "pkg"}, "0", ""},
		{"pkg==1.*;python_version<'3.8'", pydist.Requirement{Name: "pkg", Marker: "python_version<'3.8'"}, "1.5", "2"},
		{"pkg; os_name == 'nt'", pydist.Requirement{Name: "pkg", Marker: "os_name == 'nt'"}, "0", ""},
		{"pkg @ https://example.com/a.whl#a;b", pydist.Requirement{Name: "pkg", URL: "https://example.com/a.whl#a;b"}, "0", ""},
		{"pkg[x]@file:///a ; os_name == 'nt'", pydist.Requirement{Name: "pkg", Extras: []string{"x"}, URL: "file:///a", Marker: "os_name == 'nt'"}, "0", ""},
		{"A.-_9===1.0-custom", pydist.Requirement{Name: "A.-_9"}, "1.0-CUSTOM", "1.0"},
	}
	for _, tt := range tests {
		got, err := pydist.ParseRequirement(tt.in)
		if err != nil {
			t.Errorf("%q: %v", tt.in, err)
			continue
		}
		if ok, err := got.Versions.Match(tt.yes); err != nil || !ok {
			t.Errorf("%q does not accept %s: %v", tt.in, tt.yes, err)
		}
		if ok, _ := got.Versions.Match(tt.no); ok && tt.no != "" {
			t.Errorf("%q accepts %s", tt.in, tt.no)
		}
		got.Versions = nil
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.in, diff)
		}
	}
}

func TestParseRequirementRefuses(t *testing.T) {
	for _, s := range []string{
		"", " ", "-r", "_yaml", "pkg-", "a b", "pkg>=", "pkg[", "pkg[a", "pkg[a b]", "pkg[,]", "pkg[a,]", "pkg(>=1", "pkg>=1)", "pkg@", "pkg @ a b", "pkg;",
		"../pkg", "pkg/../x", "git+https://example.com/a", "naïve", "pkg\x00", "pkg\n>=1\nx", "pkg^1", "pkg=1.2", "$(id)", "--index-url=x", "Python 3", "-",
	} {
		if got, err := pydist.ParseRequirement(s); err == nil {
			t.Errorf("ParseRequirement(%q) = %+v", s, got)
		}
	}
}

func TestNormalize(t *testing.T) {
	// The examples of PEP 503.
	for _, s := range []string{"friendly-bard", "Friendly-Bard", "FRIENDLY-BARD", "friendly.bard", "friendly_bard", "friendly--bard", "FrIeNdLy-._.-bArD"} {
		if got := pydist.Normalize(s); got != "friendly-bard" {
			t.Errorf("Normalize(%q) = %q", s, got)
		}
	}
}

// FuzzParseRequirement checks that what is read is read again from its parts,
// and that exactly one of result and error comes back.
func FuzzParseRequirement(f *testing.F) {
	for _, s := range []string{"pkg[a,b]>=1.0,!=2.*; os_name == 'nt'", "pkg @ https://example.com/a;b", "A.-_9===1.0-x", "a~=1!2.3.post4.dev5", "a==1+b.2", "a (<3)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := pydist.ParseRequirement(s)
		if err != nil {
			if r.Name != "" || r.Versions != nil {
				t.Fatalf("%q: %+v and %v", s, r, err)
			}
			return
		}
		if !pydist.IsName(r.Name) || !strings.HasPrefix(strings.TrimSpace(s), r.Name) {
			t.Fatalf("%q has the name %q", s, r.Name)
		}
		if n := pydist.Normalize(r.Name); n != pydist.Normalize(n) || !pydist.IsName(n) {
			t.Fatalf("%q is normalised to %q", r.Name, n)
		}
		if v, ok := pydist.ParseVersion(s); ok {
			if v.Compare(v) != 0 {
				t.Fatalf("%q differs from itself", s)
			}
		}
		r.Versions.Match("1.0rc1+x")
	})
}
