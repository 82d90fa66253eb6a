package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/matrix-nexus/skillkit/internal/closest"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/requires"
)

// Limits on what is read.
const (
	// MaxFile is the size in bytes of the largest file accepted.
	MaxFile = 1 << 20
	// MaxDepth is how many levels of lists and mappings are read under config.
	MaxDepth = 32
)

// Parse reads the text of a configuration file. file names it in errors and
// problems. The problems are sorted by position. The error is always a
// [*SyntaxError], and exactly one of it and the Config is nil. Paths are kept
// as written.
func Parse(file string, data []byte) (*Config, []metadata.Problem, error) {
	if len(data) > MaxFile {
		return nil, nil, &SyntaxError{file, metadata.Position{}, fmt.Sprintf("larger than the limit of %d bytes", MaxFile)}
	}
	if !utf8.Valid(data) {
		return nil, nil, &SyntaxError{file, position(data, firstInvalid(data)), "not UTF-8; save the file in that encoding"}
	}

	d := &decoder{file: file}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return &Config{}, nil, nil
	} else if err != nil {
		return nil, nil, syntaxError(file, data, err)
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode && root.ShortTag() != "!!null" {
		return nil, nil, &SyntaxError{file, pos(root), "want a mapping with keys such as skills, got " + describe(root)}
	}
	c := d.config(root)

	var second yaml.Node
	if err := dec.Decode(&second); err == nil {
		d.problem(&second, codeSecondDoc, "only the first YAML document is read; remove the line ---")
	} else if !errors.Is(err, io.EOF) {
		return nil, nil, syntaxError(file, data, err)
	}
	slices.SortStableFunc(d.problems, metadata.Problem.Compare)
	return c, d.problems, nil
}

func pos(n *yaml.Node) metadata.Position { return metadata.Position{Line: n.Line, Column: n.Column} }

// A decoder collects the problems of one file.
type decoder struct {
	file     string
	problems []metadata.Problem
}

// problem reports a fault at n. The arguments must not be values of the file.
func (d *decoder) problem(n *yaml.Node, code, format string, args ...any) {
	d.problems = append(d.problems, metadata.Problem{
		Code: code, Severity: metadata.Warning, File: d.file, Position: pos(n), Message: fmt.Sprintf(format, args...),
	})
}

func (d *decoder) config(root *yaml.Node) *Config {
	c := &Config{file: d.file}
	for key, value := range d.pairs(root, "the file") {
		switch key.Value {
		case "roots":
			c.Roots = d.texts(value, "roots")
		case "workspace":
			c.Workspace, _ = d.text(value, "workspace")
		case "paths":
			c.Paths = d.texts(value, "paths")
		case "python":
			c.Python = d.texts(value, "python")
		case "allow_bundled":
			c.AllowBundled = d.only(value, "allow_bundled", func(n *yaml.Node, what string) (list []string) {
				for item := range d.items(n, what) {
					list = append(list, item.text)
					c.named = append(c.named, mention{item.text, pos(item.node)})
				}
				return list
			})
		case "install":
			c.Install = d.install(value)
		case "skills":
			c.skills = d.skills(value, c)
		case "plugins":
			c.Plugins = d.plugins(value)
		case "providers":
			c.Providers = d.providers(value)
		default:
			d.unknown(key, "", "roots", "workspace", "paths", "python", "allow_bundled", "install", "skills", "plugins", "providers")
		}
	}
	return c
}

func (d *decoder) skills(n *yaml.Node, c *Config) map[string]*settings {
	skills := make(map[string]*settings)
	for key, value := range d.pairs(n, "skills") {
		skills[key.Value] = d.skill(value, dotted("skills", key.Value))
		c.named = append(c.named, mention{key.Value, pos(key)})
	}
	return skills
}

func (d *decoder) skill(n *yaml.Node, path string) *settings {
	s := &settings{}
	for key, value := range d.pairs(n, path) {
		switch path := dotted(path, key.Value); key.Value {
		case "enabled":
			s.disabled = !d.flag(value, path, true)
		case "api_key":
			if text, _ := d.text(value, path); text != "" {
				s.apiKey = seal(text)
			}
		case "env":
			s.env = d.env(value, path, "a skill")
		case "config":
			s.paths = make(map[string]bool)
			d.paths(value, path, "", 0, s.paths)
		default:
			d.unknown(key, " of a skill", "enabled", "api_key", "env", "config")
		}
	}
	return s
}

// flag returns what a boolean says, or unset if it does not.
func (d *decoder) flag(n *yaml.Node, path string, unset bool) bool {
	if !d.plain(n, path) || n.ShortTag() == "!!null" {
		return unset
	}
	if n.Kind == yaml.ScalarNode {
		switch strings.ToLower(n.Value) {
		case "true", "yes", "on":
			return true
		case "false", "no", "off":
			return false
		}
	}
	d.problem(n, codeWrongType, "%s: want true or false, got %s", path, describe(n))
	return unset
}

// env reads the variables of owner, such as "a skill".
func (d *decoder) env(n *yaml.Node, path, owner string) map[string]secret {
	env := make(map[string]secret)
	for key, value := range d.pairs(n, path) {
		switch {
		case !validVar(key.Value):
			// The name may well be a whole NAME=secret.
			d.problem(key, codeWrongType, "%s: not the name of a variable; write NAME: value", path)
		case requires.Reserved(key.Value):
			d.problem(key, codeRefusedVar, "%s: %s cannot be set for %s; remove it", path, key.Value, owner)
		default:
			if text, ok := d.text(value, dotted(path, key.Value)); ok {
				env[key.Value] = seal(text)
			}
		}
	}
	return env
}

// paths adds to set the dotted paths below n that lead to something, and
// reports whether there are any. prefix is the path of n, empty at the top.
func (d *decoder) paths(n *yaml.Node, what, prefix string, depth int, set map[string]bool) (found bool) {
	switch {
	case depth > MaxDepth:
		d.problem(n, codeTooDeep, "%s: nested more than %d levels deep; what is below is not read", what, MaxDepth)
		return false
	case n.Kind == yaml.MappingNode || depth == 0:
		for key, value := range d.pairs(n, what) {
			path := strings.TrimPrefix(prefix+"."+key.Value, ".")
			found = d.paths(value, dotted(what, key.Value), path, depth+1, set) || found
		}
		return found
	case n.Kind == yaml.SequenceNode:
		for _, item := range n.Content {
			found = d.paths(item, what, prefix, depth+1, set) || found
		}
		return found
	case !d.plain(n, what) || !truthy(n):
		return false
	}
	for {
		set[prefix] = true
		i := strings.LastIndexByte(prefix, '.')
		if i < 0 {
			return true
		}
		prefix = prefix[:i]
	}
}

// truthy reports whether a scalar holds something.
func truthy(n *yaml.Node) bool {
	switch n.ShortTag() {
	case "!!null":
		return false
	case "!!bool":
		return strings.EqualFold(n.Value, "true")
	case "!!int", "!!float":
		var f float64
		return n.Decode(&f) != nil || f != 0
	}
	quoted := n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
	return n.Value != "" && (quoted || !strings.EqualFold(n.Value, "no") && !strings.EqualFold(n.Value, "off"))
}

// pairs yields the keys, all of them scalars, and values of a mapping. Null is
// an empty one.
func (d *decoder) pairs(n *yaml.Node, what string) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) {
		if n.Kind != yaml.MappingNode {
			if d.plain(n, what) && n.ShortTag() != "!!null" {
				d.problem(n, codeWrongType, "%s: want a mapping of names to values, got %s", what, describe(n))
			}
			return
		}
		seen := make(map[string]bool)
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			if key.Kind != yaml.ScalarNode {
				d.problem(key, codeWrongType, "%s: want a name before the colon, got %s", what, describe(key))
				continue
			}
			if seen[key.Value] {
				d.problem(key, codeDuplicateKey, "%s: %q is here twice; the last one is used", what, key.Value)
			}
			seen[key.Value] = true
			if !yield(key, value) {
				return
			}
		}
	}
}

// plain reports whether n is neither an alias nor a value that YAML took for
// an anchor or a tag.
func (d *decoder) plain(n *yaml.Node, what string) bool {
	sign := ""
	switch {
	case n.Kind == yaml.AliasNode:
		sign = "*"
	case n.Kind != yaml.ScalarNode:
		return true
	case n.Anchor != "":
		sign = "&"
	case n.Style&yaml.TaggedStyle != 0:
		sign = "!"
	default:
		return true
	}
	d.problem(n, codeUnquoted, "%s: a value that starts with %s means something else in YAML; quote it", what, sign)
	return false
}

// text returns the text of a scalar as it is written, and false for null.
func (d *decoder) text(n *yaml.Node, what string) (string, bool) {
	switch {
	case !d.plain(n, what):
		return "", false
	case n.Kind != yaml.ScalarNode:
		d.problem(n, codeWrongType, "%s: want text, got %s", what, describe(n))
		return "", false
	case n.ShortTag() == "!!null":
		if n.Value == "~" {
			d.problem(n, codeUnquoted, `%s: ~ alone means nothing in YAML; write "~" in quotes`, what)
		}
		return "", false
	case strings.ContainsRune(n.Value, 0):
		d.problem(n, codeWrongType, "%s: holds a NUL, which cannot be used", what)
		return "", false
	}
	return n.Value, true
}

// texts returns the texts of a list that are not empty.
func (d *decoder) texts(n *yaml.Node, what string) (list []string) {
	for item := range d.items(n, what) {
		list = append(list, item.text)
	}
	return list
}

// An item is a text in a list.
type item struct {
	node *yaml.Node
	what string // its path, for messages
	text string // not empty
}

func (d *decoder) items(n *yaml.Node, what string) iter.Seq[item] {
	return func(yield func(item) bool) {
		if n.Kind != yaml.SequenceNode {
			if d.plain(n, what) && n.ShortTag() != "!!null" {
				d.problem(n, codeWrongType, "%s: want a list, got %s", what, describe(n))
			}
			return
		}
		for i, node := range n.Content {
			what := fmt.Sprintf("%s[%d]", what, i)
			if text, ok := d.text(node, what); ok && text != "" && !yield(item{node, what, text}) {
				return
			}
		}
	}
}

func (d *decoder) unknown(key *yaml.Node, where string, known ...string) {
	d.problem(key, codeUnknownKey, "unknown key %q%s; %s", key.Value, where, hint(key.Value, "the keys are ", known))
}

// hint returns which of known was meant by name, or else all of them.
func hint(name, all string, known []string) string {
	if names := closest.Names(name, known); len(names) > 0 {
		return "did you mean " + names[0] + "?"
	}
	return all + strings.Join(known, ", ")
}

// dotted returns the path of key below path, for messages.
func dotted(path, key string) string {
	if q := strconv.Quote(key); q[1:len(q)-1] != key {
		key = q
	}
	return path + "." + key
}

func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	switch n.ShortTag() {
	case "!!null":
		return "nothing"
	case "!!bool":
		return "a boolean"
	case "!!int", "!!float":
		return "a number"
	}
	return "text"
}
