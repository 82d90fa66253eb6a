package registry

import (
	"context"
	"encoding/json"
	"slices"
	"sync/atomic"
)

// A Def describes a tool to register. The registry copies it; nothing that
// the caller does to it afterwards has an effect.
type Def struct {
	// Name is the tool's own name. What a model sees is derived from it; see
	// [ModelName].
	Name string
	// Description is what a model reads to choose the tool.
	Description string
	// Schema is the JSON Schema of the arguments, an object; nil means that
	// any object is accepted and none is asked for. One that refers to other
	// documents, is nested more than 128 levels, holds a pattern of more than
	// 1,000 instructions or does not compile has the same effect; see
	// [Tool.SchemaError]. Where a schema has references, arguments that would
	// take over 500,000 steps to check are refused.
	Schema json.RawMessage
	// TextParam names the parameter that plain text is for, when a model or
	// an agent sends text instead of an object; empty means that plain text
	// is an error.
	TextParam string
	// IgnoreBadArgs makes a call with arguments that do not fit go on with
	// what fits; Call.Ignored then says what was left out.
	IgnoreBadArgs bool
	// ReportsSent means that Invoke calls [Call.Sent] itself, just before
	// work that cannot be undone may start. Otherwise a call counts as sent
	// when Invoke starts. It decides what an error of Invoke means: after the
	// call was sent the outcome is [Uncertain], before it is [NotStarted].
	ReportsSent bool
	// Invoke does the work. It gets arguments that were checked against
	// Schema. ctx ends when the caller gives up, when the tool is retired,
	// and at the caller's deadline. What the model should read about, such as
	// a failed command, is a Result with IsError; an error means that the
	// tool itself broke. A panic counts as an error.
	Invoke func(ctx context.Context, call *Call) (Result, error)
}

// A Result is what a tool answers.
type Result struct {
	Text string          `json:"text"`
	Data json.RawMessage `json:"data,omitempty"`
	// Blobs are binary parts. They are never shown to a model as text.
	Blobs []Blob `json:"blobs,omitempty"`
	// IsError means that the tool failed in a way the model should read about.
	IsError bool `json:"is_error"`
	// Truncated means that the tool gave only a part, which Text should say.
	// A long Text is no reason: what a model reads of it is cut anyhow; see
	// [Result.ModelText].
	Truncated bool `json:"truncated,omitempty"`
}

// clone returns a copy that shares nothing with r.
func (r Result) clone() Result {
	r.Data = slices.Clone(r.Data)
	r.Blobs = slices.Clone(r.Blobs)
	for i := range r.Blobs {
		r.Blobs[i].Data = slices.Clone(r.Blobs[i].Data)
	}
	return r
}

// A Blob is a binary part of a [Result].
type Blob struct {
	MIMEType string `json:"mime_type"`
	Name     string `json:"name,omitempty"`
	Data     []byte `json:"data"`
}

// A Call is one call of a tool.
type Call struct {
	// ID is the caller's id for deduplication; empty means none. It is never
	// the id that a model made up.
	ID string
	// Tool is the tool's own name. The registry sets it.
	Tool string
	// Arguments is a JSON object when a tool gets it, with sorted keys and
	// numbers as they were sent. See [Tool.Invoke] for what a caller may send.
	Arguments json.RawMessage
	// Ignored are the arguments left out because of IgnoreBadArgs. The
	// registry sets it.
	Ignored []Issue

	sent *atomic.Bool // nil if no registry made the call
}

// Sent reports that the call may have had an effect from now on. It means
// nothing unless [Def.ReportsSent].
func (c *Call) Sent() {
	if c.sent != nil {
		c.sent.Store(true)
	}
}

// An Issue is one thing wrong with arguments, or with declared parameters. It
// never holds their values.
type Issue struct {
	Path    string `json:"path"` // JSON Pointer into the arguments
	Rule    string `json:"rule"` // the schema keyword, such as "required"
	Message string `json:"message"`
}
