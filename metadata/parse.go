package metadata

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"gopkg.in/yaml.v3"
)

// Limits on what is read.
const (
	// MaxFile is the size in bytes of the largest file accepted.
	MaxFile = 1 << 20
	// MaxHeader is how far, in bytes from the start of the file, the closing
	// fence is looked for.
	MaxHeader = 64 << 10
)

// ErrNoFrontmatter is wrapped by the [SyntaxError] for a file that does not
// open with a "---" line. Callers scanning a tree of Markdown files can use it
// to tell "not a skill" from "a broken skill".
var ErrNoFrontmatter = errors.New("metadata: no frontmatter")

// A SyntaxError reports text that is not a SKILL.md file at all.
type SyntaxError struct {
	Code string   // as [Problem.Code]
	File string   // as passed to [Parse]
	Pos  Position // 1:1 for a fault of the whole file, such as its size
	Msg  string   // lower case, no final period
	Err  error    // the cause, or nil
}

func (e *SyntaxError) Error() string { return e.Problem().String() }

// Unwrap returns the cause.
func (e *SyntaxError) Unwrap() error { return e.Err }

// Problem returns e as a [Problem] of severity [Error].
func (e *SyntaxError) Problem() Problem {
	return Problem{
		Code: e.Code, Severity: Error,
		File: cmp.Or(e.File, "SKILL.md"), Position: e.Pos, Message: e.Msg,
	}
}

// Options configure [Parse]. A nil *Options means the defaults.
type Options struct {
	// NoVendorAliases limits the vendor keys under metadata to the documented
	// ones: matrix, openclaw, nexus. By default clawdbot, moltbot, clawdis,
	// clawhub, clawdhub, nanobot and hermes are read too, each with a
	// [Problem] of severity [Info].
	NoVendorAliases bool
}

// A Document is a parsed SKILL.md.
type Document struct {
	Manifest Manifest
	// Body is what follows the line of the closing fence, byte for byte. It
	// shares memory with the data given to [Parse].
	Body []byte
	// BodyLine is the line, counted from 1, on which Body starts.
	BodyLine int
	// Problems are sorted by position.
	Problems []Problem

	vendor vendor // the tree that Manifest was decoded from
}

// Parse reads the whole text of a SKILL.md. file names it in errors and
// problems, and the folder that holds it, the last element but one, is the
// default name. The error is always a [*SyntaxError], and exactly one of the
// results is nil.
func Parse(file string, data []byte, opts *Options) (*Document, error) {
	return parse(file, data, opts, false)
}

// ParseHeader is [Parse] for a reader that does not want the body: head is
// the start of the file, either all of it or at least [MaxHeader] bytes. What
// follows the closing fence is not looked at, and Body is nil.
func ParseHeader(file string, head []byte, opts *Options) (*Document, error) {
	return parse(file, head, opts, true)
}

func parse(file string, data []byte, opts *Options, header bool) (*Document, error) {
	p := &parser{file: cmp.Or(file, "SKILL.md")}
	if opts != nil {
		p.opts = *opts
	}
	if len(data) > MaxFile && !header {
		return nil, p.syntaxError(codeTooLarge, Position{1, 1}, nil,
			"the file has %d bytes; the limit is %d", len(data), MaxFile)
	}
	env, err := p.cut(data, header)
	if err != nil {
		return nil, err
	}
	doc, err := p.document(env)
	if err != nil {
		return nil, err
	}
	return doc, nil
}

// A parser holds the state of one call of [Parse].
type parser struct {
	file     string
	opts     Options
	problems []Problem

	anyFromBins bool // an entry "a|b" of bins has become any_bins
	vendor      vendor
}

func (p *parser) problem(sev Severity, code string, pos Position, format string, args ...any) Problem {
	return Problem{Code: code, Severity: sev, File: p.file, Position: pos, Message: fmt.Sprintf(format, args...)}
}

func (p *parser) report(sev Severity, code string, pos Position, format string, args ...any) {
	p.problems = append(p.problems, p.problem(sev, code, pos, format, args...))
}

func (p *parser) syntaxError(code string, pos Position, cause error, format string, args ...any) *SyntaxError {
	return &SyntaxError{Code: code, File: p.file, Pos: pos, Msg: fmt.Sprintf(format, args...), Err: cause}
}

// document reads what was cut. Where an irregular fence above the one taken
// may be the true end, it is, if all above it can be read and the whole cannot.
func (p *parser) document(env *envelope) (*Document, *SyntaxError) {
	root, err := p.frontmatter(env)
	if err != nil && env.earlier != nil {
		if r, e := p.frontmatter(env.earlier); e == nil {
			env, root, err = env.earlier, r, nil
		}
	}
	if err != nil {
		return nil, err
	}
	p.problems = append(p.problems, env.odd...)
	doc := &Document{Body: env.body, BodyLine: env.bodyAt}
	p.manifest(&doc.Manifest, root, env.open)
	doc.vendor = p.vendor
	slices.SortFunc(p.problems, Problem.Compare)
	doc.Problems = p.problems
	return doc, nil
}

// frontmatter reads the header, as YAML if that is what it is.
func (p *parser) frontmatter(env *envelope) (*value, *SyntaxError) {
	src := newSource(env.header, env.line)
	mark := len(p.problems)
	root, err := p.tree(src)
	if err != nil && err.Code == codeYAML {
		p.problems = p.problems[:mark]
		root, err = p.repair(src, err)
	}
	if err != nil {
		p.problems = p.problems[:mark]
	}
	return root, err
}

// tree reads the top level of the frontmatter.
func (p *parser) tree(src *source) (*value, *SyntaxError) {
	n, err := parseYAML(src.text)
	if err != nil {
		return nil, p.yamlError(src, err)
	}
	root := &value{kind: kindObject, pos: Position{src.line, 1}}
	if n == nil {
		return root, nil
	}
	if n.Kind != yaml.MappingNode {
		return nil, p.syntaxError(codeNotMapping, src.position(n.Line, n.Column), nil,
			"the frontmatter must be a mapping, lines of the form \"key: value\"")
	}
	t := yamlTree{src: src, p: p}
	for i := 0; i+1 < len(n.Content); i += 2 {
		m, err := t.member(n.Content[i], n.Content[i+1], 0)
		if err != nil {
			p.report(Error, codeTooDeep, m.pos, "%s: %v", m.key, err)
			m.val = &value{kind: kindLost, pos: m.pos}
		}
		p.lookalikes(src, &m, n.Content[i+1])
		if old, dup := root.set(m); dup {
			p.duplicate(m.key, m.pos, old)
		}
	}
	return root, nil
}

func (p *parser) duplicate(key string, pos, old Position) {
	p.report(Warning, codeDuplicateKey, pos, "%s is given twice, first in line %d; the last one is read", key, old.Line)
}
