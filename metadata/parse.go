package metadata

import (
	"cmp"
	"errors"
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
	Code string // as [Problem.Code]
	File string // as passed to [Parse]
	Pos  Position
	Msg  string // lower case, no final period
	Err  error  // the cause, or nil
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
}

// Parse reads the whole text of a SKILL.md. file names it in errors and
// problems, and the folder that holds it, the last element but one, is the
// default name. The error is always a [*SyntaxError], and exactly one of the
// results is nil.
func Parse(file string, data []byte, opts *Options) (*Document, error) {
	return nil, &SyntaxError{File: file, Msg: "not implemented", Err: ErrNoFrontmatter}
}

// ParseHeader is [Parse] for a reader that does not want the body: head is
// the start of the file, either all of it or at least [MaxHeader] bytes. What
// follows the closing fence is not looked at, and Body is nil.
func ParseHeader(file string, head []byte, opts *Options) (*Document, error) {
	return Parse(file, head, opts)
}

// A Brief is what an index holds of a skill.
type Brief struct {
	Name        string // the declared name, or empty
	Description string
	// MayHaveKey reports whether the header may hold a skill_key.
	MayHaveKey bool
}

// ScanBrief reads a Brief out of head, the start of a file, without a YAML
// parser. It answers ok only for a header that it is certain of, for which
// [ParseHeader] gives the same values and no [*SyntaxError]; in particular the
// closing fence must lie within head.
func ScanBrief(head []byte) (b Brief, ok bool) {
	return Brief{}, false
}
