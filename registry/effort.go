package registry

import (
	"fmt"
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxEffort is how many steps checking the arguments of one call may take,
// where a step is one value against one schema. A schema that refers to itself
// twice takes two to the power of the depth of the arguments, and the checker
// knows of no end.
const maxEffort = 500_000

// hasKey reports whether an object in the JSON value v has the key.
func hasKey(v any, key string) bool {
	in := func(v any) bool { return hasKey(v, key) }
	switch v := v.(type) {
	case map[string]any:
		_, ok := v[key]
		return ok || slices.ContainsFunc(slices.Collect(maps.Values(v)), in)
	case []any:
		return slices.ContainsFunc(v, in)
	}
	return false
}

// A node is a value of the arguments, which has an identity.
type node struct {
	members map[string]*node
	items   []*node
}

func newNode(v any) *node {
	n := &node{}
	switch v := v.(type) {
	case map[string]any:
		n.members = make(map[string]*node, len(v))
		for name, e := range v {
			n.members[name] = newNode(e)
		}
	case []any:
		n.items = make([]*node, len(v))
		for i, e := range v {
			n.items[i] = newNode(e)
		}
	}
	return n
}

// An effort counts steps without taking them: a step that comes again costs
// what it did the first time, and is not counted through again.
type effort map[step]int

type step struct {
	schema *jsonschema.Schema
	value  *node
}

// of returns how many steps it takes at most to check n against s, or a number
// over maxEffort.
func (e effort) of(s *jsonschema.Schema, n *node) int {
	at := step{s, n}
	if known, ok := e[at]; ok {
		return known
	}
	if len(e) >= maxEffort {
		return maxEffort + 1
	}
	e[at] = 1 // a loop in one place is where the checker stops
	sum := 1
	add := func(n *node, schemas ...*jsonschema.Schema) {
		for _, s := range schemas {
			if s != nil && sum <= maxEffort {
				sum += e.of(s, n)
			}
		}
	}
	add(n, s.Ref, s.Not, s.If, s.Then, s.Else)
	add(n, s.AllOf...)
	add(n, s.AnyOf...)
	add(n, s.OneOf...)
	add(n, slices.Collect(maps.Values(s.DependentSchemas))...)
	for _, d := range s.Dependencies {
		add(n, schemaIn(d))
	}
	for name, m := range n.members {
		add(m, s.Properties[name], schemaIn(s.AdditionalProperties), s.UnevaluatedProperties)
		add(m, slices.Collect(maps.Values(s.PatternProperties))...)
		add(&node{}, s.PropertyNames)
	}
	list, _ := s.Items.([]*jsonschema.Schema)
	list = append(list[:len(list):len(list)], s.PrefixItems...)
	for i, item := range n.items {
		if i < len(list) {
			add(item, list[i])
		}
		add(item, schemaIn(s.Items), schemaIn(s.AdditionalItems), s.Items2020, s.Contains, s.UnevaluatedItems)
	}
	e[at] = min(sum, maxEffort+1)
	return e[at]
}

// schemaIn returns v if it is a schema, else nil.
func schemaIn(v any) *jsonschema.Schema {
	s, _ := v.(*jsonschema.Schema)
	return s
}

// maxPattern is the size of a compiled pattern, in instructions. Matching takes
// up to that many steps for each character of the arguments.
const maxPattern = 1000

func compilePattern(expr string) (jsonschema.Regexp, error) {
	parsed, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, err
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, err
	}
	if n := len(prog.Inst); n > maxPattern {
		return nil, fmt.Errorf("the pattern compiles to %d instructions, the limit is %d", n, maxPattern)
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, err
	}
	return re, nil
}
