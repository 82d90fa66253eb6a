package closest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/internal/closest"
)

func ExampleNames() {
	fmt.Println(closest.Names("depoly", []string{"curl", "deploy", "deployer"}))
	// Output: [deploy]
}

func TestNames(t *testing.T) {
	long := strings.Repeat("x", 256)
	for _, tt := range []struct {
		name  string
		known string // divided by blanks
		want  []string
	}{
		{"", "a jq", nil},
		{"x", "a b xy", nil},
		{"jqq", "jq curl", []string{"jq"}},
		{"Deploy", "deployer deploy", []string{"deploy", "deployer"}},
		{"api key", "api_key", []string{"api_key"}},
		{"U\u0308BER", "\u00fcber", []string{"\u00fcber"}},
		{"data", "csv-data-tools date", []string{"date", "csv-data-tools"}},
		{"da", "csv-data-tools", nil},
		{"abcdef", "abcxyz", nil},
		{"abcdef", "abcdxy", []string{"abcdxy"}},
		{"aaaa", "aaab aaac aaad aaae", []string{"aaab", "aaac", "aaad"}},
		{long, long[1:], []string{long[1:]}},
		{long + "x", long, nil},
		{long[1:], long + "x", nil},
	} {
		if diff := cmp.Diff(tt.want, closest.Names(tt.name, strings.Fields(tt.known))); diff != "" {
			t.Errorf("Names(%q) (-want +got):\n%s", tt.name, diff)
		}
	}
}
