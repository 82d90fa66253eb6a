package metadata

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// parseYAML returns the root node of text, or nil if there is none.
func parseYAML(text string) (root *yaml.Node, err error) {
	// The library reads one document and would ignore what follows.
	if i := strings.Index("\n"+text, "\n---"); i >= 0 {
		return nil, &yamlError{1 + strings.Count(text[:i], "\n"), "a line starts with ---"}
	}
	if i := strings.Index("\n"+text, "\n..."); i >= 0 {
		return nil, &yamlError{1 + strings.Count(text[:i], "\n"), "a line starts with ..."}
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

// A yamlError is a fault found by parseYAML itself.
type yamlError struct {
	line int
	msg  string
}

func (e *yamlError) Error() string { return fmt.Sprintf("yaml: line %d: %s", e.line, e.msg) }

// yamlError turns an error of the YAML library into one of ours.
func (p *parser) yamlError(src *source, err error) *SyntaxError {
	line, msg := yamlFault(err)
	return p.syntaxError(codeYAML, src.position(line, 1), err, "not valid YAML: %s", msg)
}

// yamlFault returns the line, counted from 1, and the text of an error of the
// YAML library.
func yamlFault(err error) (line int, msg string) {
	if e, ok := errors.AsType[*yamlError](err); ok {
		return e.line, e.msg
	}
	msg = strings.TrimPrefix(err.Error(), "yaml: ")
	rest, ok := strings.CutPrefix(msg, "line ")
	if !ok {
		return 1, msg // the library leaves out the first line
	}
	num, rest, _ := strings.Cut(rest, ": ")
	if line, err = strconv.Atoi(num); err != nil {
		return 1, msg
	}
	// Of the two halves of the library, only the scanner counts from 1.
	if isParserFault(rest) {
		line++
	}
	return line, rest
}

// isParserFault reports whether msg is one of the library's parser, not of its
// scanner.
func isParserFault(msg string) bool {
	for _, s := range []string{"<", "node content", "'-' indicator", "key", "','"} {
		if strings.HasPrefix(msg, "did not find expected "+s) {
			return true
		}
	}
	return strings.HasPrefix(msg, "found undefined tag handle") || strings.HasPrefix(msg, "found duplicate %")
}
