package metadata

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/matrix-nexus/skillkit/internal/yamlerr"
)

// parseYAML returns the root node of text, or nil if there is none. Errors have
// the form of the YAML library's.
func parseYAML(text string) (root *yaml.Node, err error) {
	// The library reads one document and would ignore what follows.
	for _, mark := range []string{"---", "..."} {
		if i := strings.Index("\n"+text, "\n"+mark); i >= 0 {
			return nil, fmt.Errorf("yaml: line %d: a line starts with %s", 1+strings.Count(text[:i], "\n"), mark)
		}
	}
	// It panics on faults of its own.
	defer func() {
		if r := recover(); r != nil {
			root, err = nil, fmt.Errorf("yaml: %v", r)
		}
	}()
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return nil, err
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	if n := doc.Content[0]; n.Kind != yaml.ScalarNode || n.Tag != "!!null" || n.Value != "" {
		return n, nil
	}
	return nil, nil
}

// yamlError turns an error of the YAML library into one of ours.
func (p *parser) yamlError(src *source, err error) *SyntaxError {
	line, msg := yamlerr.Split(err)
	return p.syntaxError(codeYAML, src.position(line, 1), err, "not valid YAML: %s", msg)
}
