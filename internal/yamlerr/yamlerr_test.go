package yamlerr_test

import (
	"errors"
	"fmt"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/matrix-nexus/skillkit/internal/yamlerr"
)

func ExampleSplit() {
	var doc yaml.Node
	line, msg := yamlerr.Split(yaml.Unmarshal([]byte("a: 1\nb: c: d\n"), &doc))
	fmt.Printf("%d: %s\n", line, msg)
	// Output: 2: mapping values are not allowed in this context
}

func TestSplit(t *testing.T) {
	for _, tt := range []struct {
		text string
		line int
		msg  string
	}{
		{"a: b: c\n", 1, "mapping values are not allowed in this context"},
		{"a: 1\nb: \"x\n", 2, "found unexpected end of stream"},
		{"a: 1\nb: !x!y z\n", 2, "found undefined tag handle"},
		{"a: 1\nb: [,]\n", 2, "did not find expected node content"},
		{"a: 1\nb: [x}\n", 2, "did not find expected ',' or ']'"},
		{"a: *b\n", 1, "unknown anchor 'b' referenced"},
	} {
		err := yaml.Unmarshal([]byte(tt.text), new(yaml.Node))
		if err == nil {
			t.Errorf("%q is YAML", tt.text)
			continue
		}
		if line, msg := yamlerr.Split(err); line != tt.line || msg != tt.msg {
			t.Errorf("%q: got line %d, %q, want %d, %q (of %v)", tt.text, line, msg, tt.line, tt.msg, err)
		}
	}
	if line, msg := yamlerr.Split(errors.New("yaml: line x: y")); line != 1 || msg != "line x: y" {
		t.Errorf("got line %d, %q", line, msg)
	}
}
