package registry

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrRetired means that a tool was retired. A call that wraps it together
	// with MayHaveRun was running then. Look the tool up again for its newest
	// generation.
	ErrRetired = errors.New("registry: tool is retired")
	// ErrReplaced means that a handle is not that of the newest generation.
	ErrReplaced = errors.New("registry: tools are replaced by a newer generation")
	// ErrClosed means that a registry was closed.
	ErrClosed = errors.New("registry: registry is closed")
	// ErrCallIDReused means that a [Call.ID] is that of a call of another
	// tool or with other arguments.
	ErrCallIDReused = errors.New("registry: call id belongs to another call")
)

// A Registrant is a tool that somebody registered.
type Registrant struct {
	Scope string // of its registry; empty for the root
	Owner string
	Tool  string // the tool's own name
}

func (r Registrant) String() string {
	s := fmt.Sprintf("%q of %q", r.Tool, r.Owner)
	if r.Scope != "" {
		s += fmt.Sprintf(" in scope %q", r.Scope)
	}
	return s
}

// A DuplicateError reports two tools with one name. Nothing was registered.
type DuplicateError struct {
	Name     string // the name for models
	New, Old Registrant
}

func (e *DuplicateError) Error() string {
	return fmt.Sprintf("tool name %q: %s is taken by %s; rename or retire one of them", e.Name, e.New, e.Old)
}

// A DefError reports a [Def] or an owner that cannot be registered. Nothing
// was registered.
type DefError struct {
	Owner string
	Tool  string // empty if the owner is at fault
	Msg   string
}

func (e *DefError) Error() string {
	if e.Tool == "" {
		return fmt.Sprintf("owner %q: %s", e.Owner, e.Msg)
	}
	return fmt.Sprintf("tool %q of %q: %s", e.Tool, e.Owner, e.Msg)
}

// An UnknownToolError reports a name that no tool has.
type UnknownToolError struct {
	Name    string
	Similar []string // names for models that are close to it, the closest first
	Tools   []string // all names for models, sorted
}

func (e *UnknownToolError) Error() string {
	s := fmt.Sprintf("unknown tool %q", oneLine(e.Name, 2*MaxName))
	switch {
	case len(e.Similar) > 0:
		s += "; did you mean " + strings.Join(e.Similar, " or ") + "?"
	case len(e.Tools) > 0:
		s += "; the tools are " + strings.Join(e.Tools[:min(len(e.Tools), maxNamed)], ", ")
		if more := len(e.Tools) - maxNamed; more > 0 {
			s += fmt.Sprintf(" and %d more", more)
		}
	default:
		s += "; there are no tools"
	}
	return s
}

// A Status says how far a call came that has no answer.
type Status string

const (
	// NotStarted means that the call had no effect and may be repeated.
	NotStarted Status = "not-started"
	// Cancelled means that the caller gave up or the tool was retired.
	Cancelled Status = "cancelled"
	// Uncertain means that the call was sent and that the tool broke before
	// it answered. It must not be repeated without a look at what it did.
	Uncertain Status = "uncertain"
)

// A CallError reports a call without an answer. Err is [ErrRetired],
// [ErrCallIDReused], the [*InvalidInput], the error of the context, the
// [*PanicError] or the error of the tool.
type CallError struct {
	Tool   string // the tool's own name
	Status Status
	// MayHaveRun means that the call may have had an effect. It is false if
	// NotStarted and true if Uncertain.
	MayHaveRun bool
	Err        error
}

func (e *CallError) Error() string {
	s := fmt.Sprintf("tool %q ", e.Tool)
	switch {
	case e.Status == NotStarted:
		s += "did not start: "
	case e.Status == Uncertain:
		s += "broke, its outcome is uncertain, do not repeat the call: "
	case e.MayHaveRun:
		s += "was cancelled but may have run, do not repeat the call: "
	default:
		s += "was cancelled before it started: "
	}
	return s + e.Err.Error()
}

func (e *CallError) Unwrap() error { return e.Err }

// CodeInvalidInput is the code of every [InvalidInput].
const CodeInvalidInput = "tool.invalid-input"

// An InvalidInput reports arguments that do not fit a tool. It holds neither
// their values nor Go types, so that it can be shown to a model and logged.
type InvalidInput struct {
	Code   string  `json:"code"` // [CodeInvalidInput]
	Issues []Issue `json:"issues"`
}

func (e *InvalidInput) Error() string {
	return "arguments do not fit: " + joinIssues(e.Issues)
}

func joinIssues(issues []Issue) string {
	var b strings.Builder
	for i, issue := range issues {
		if i > 0 {
			b.WriteString("; ")
		}
		if issue.Path != "" {
			b.WriteString(issue.Path + ": ")
		}
		b.WriteString(issue.Message)
	}
	return b.String()
}

// A SchemaError reports a schema that cannot be used. Its tool takes any
// object.
type SchemaError struct {
	Tool string // the tool's own name
	Err  error
}

func (e *SchemaError) Error() string {
	return fmt.Sprintf("tool %q: input schema: %v", e.Tool, e.Err)
}

func (e *SchemaError) Unwrap() error { return e.Err }

// A PanicError reports a tool that panicked or ended its goroutine.
type PanicError struct {
	Value any // nil if the goroutine was ended
	Stack []byte
}

func (e *PanicError) Error() string {
	if e.Value == nil {
		return "goroutine ended"
	}
	return fmt.Sprintf("panic: %v", e.Value)
}

// A RetireError reports a generation that did not end in time.
type RetireError struct {
	Owner      string
	Generation int
	Running    int   // calls that still run
	Err        error // of the context, or of an [Handle.OnRetire] function
}

func (e *RetireError) Error() string {
	s := fmt.Sprintf("retire generation %d of %q", e.Generation, e.Owner)
	if e.Running > 0 {
		s += fmt.Sprintf(" (calls still running: %d)", e.Running)
	}
	return s + ": " + e.Err.Error()
}

func (e *RetireError) Unwrap() error { return e.Err }
