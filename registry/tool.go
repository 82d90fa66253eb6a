package registry

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"
)

// A Tool is a registered tool as one registry sees it. It stays that of its
// generation when its owner registers a newer one. Only a registry makes it.
type Tool struct {
	entry    *entry
	registry *Registry // whose journal its calls go into
}

var _ tools.Tool = (*Tool)(nil)

// An entry is a registered tool. It is immutable.
type entry struct {
	handle      *Handle
	name        string // for models
	def         Def
	schema      *schema
	description string // one line
	usage       string // description and what the arguments are
	unwrap      bool   // the schema has no property named as the wrapper
}

func newEntry(h *Handle, def Def, schemas map[string]*schema) (*entry, error) {
	bad := func(format string, args ...any) (*entry, error) {
		return nil, &DefError{Owner: h.owner, Tool: def.Name, Msg: fmt.Sprintf(format, args...)}
	}
	switch {
	case def.Name == "":
		def.Name = "(unnamed)"
		return bad("a tool needs a name")
	case def.Invoke == nil:
		return bad("a tool needs Invoke")
	}
	e := &entry{handle: h, name: ModelName(def.Name), def: def, schema: schemas[string(def.Schema)]}
	if e.schema == nil {
		e.schema = compile(def.Schema)
		schemas[string(def.Schema)] = e.schema
	}
	e.def.Schema = nil // the caller's
	properties, _ := e.schema.offered["properties"].(map[string]any)
	_, declared := properties[wrapper]
	e.unwrap = !declared
	e.description = oneLine(def.Description, MaxDescription)
	e.usage = e.describeUsage(properties)
	return e, nil
}

func compareEntries(a, b *entry) int { return strings.Compare(a.name, b.name) }

func (e *entry) registrant() Registrant {
	return Registrant{Scope: e.handle.registry.scope, Owner: e.handle.owner, Tool: e.def.Name}
}

// describeUsage adds the arguments to the description of a tool that cannot
// do with plain text alone.
func (e *entry) describeUsage(properties map[string]any) string {
	required := map[string]bool{}
	list, _ := e.schema.offered["required"].([]any)
	others := false
	for _, name := range list {
		if name, ok := name.(string); ok {
			required[name] = true
			others = others || name != e.def.TextParam
		}
	}
	if len(properties) == 0 || e.def.TextParam != "" && !others {
		return e.description
	}
	names := make([]string, 0, len(properties))
	for name := range properties {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if required[a] != required[b] {
			if required[a] {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	var b strings.Builder
	b.WriteString("Input: a JSON object with ")
	for i, name := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		property, _ := properties[name].(map[string]any)
		kind, _ := property["type"].(string)
		fmt.Fprintf(&b, "%q (%s", name, cmp.Or(kind, "any"))
		if !required[name] {
			b.WriteString(", optional")
		}
		b.WriteString(")")
	}
	usage := oneLine(b.String(), MaxDescription/2) + "."
	if e.description == "" {
		return usage
	}
	return oneLine(e.description, MaxDescription-len([]rune(usage))-1) + " " + usage
}

// Name returns the name for models; see [ModelName].
func (t *Tool) Name() string { return t.entry.name }

// Original returns the tool's own name.
func (t *Tool) Original() string { return t.entry.def.Name }

// Owner returns the owner that registered the tool.
func (t *Tool) Owner() string { return t.entry.handle.owner }

// Generation returns the generation of the owner's tools that t is of.
func (t *Tool) Generation() int { return t.entry.handle.generation }

// Description returns what a langchaingo agent tells the model: one line of
// at most [MaxDescription] code points. Since these agents tell it nothing of
// the arguments, it says at the end what they are, unless plain text will do.
func (t *Tool) Description() string { return t.entry.usage }

// Schema returns the JSON Schema of the arguments that a model is offered. It
// describes an object and may be wider than the schema that the arguments are
// checked against. The caller owns it.
func (t *Tool) Schema() json.RawMessage { return canonical(t.entry.schema.offered) }

// SchemaError returns why the tool's schema cannot be used, a [*SchemaError],
// or nil. Its arguments are then only checked for being an object.
func (t *Tool) SchemaError() error {
	if t.entry.schema.err == nil {
		return nil
	}
	return &SchemaError{Tool: t.entry.def.Name, Err: t.entry.schema.err}
}

// LLMTool returns the definition of the tool for a model. The description is
// one line of at most [MaxDescription] code points; Parameters is a new
// map[string]any, the [Tool.Schema]. The caller owns all of it.
func (t *Tool) LLMTool() llms.Tool {
	return llms.Tool{Type: "function", Function: &llms.FunctionDefinition{
		Name:        t.entry.name,
		Description: t.entry.description,
		Parameters:  cloneJSON(t.entry.schema.offered),
	}}
}

// Call calls the tool with what an agent sends: a JSON object, plain text for
// the tool's text parameter, or nothing. It returns [Result.ModelText].
// Whatever goes wrong is text as well, because an error ends a langchaingo
// run; there is an error only if ctx ended: that of the context.
func (t *Tool) Call(ctx context.Context, input string) (string, error) {
	text, err := t.answer(ctx, input)
	if err != nil {
		return "", err
	}
	return text, nil
}

// answer returns text also beside an error.
func (t *Tool) answer(ctx context.Context, input string) (string, error) {
	result, err := t.Invoke(ctx, Call{Arguments: json.RawMessage(input)})
	if err == nil {
		return result.ModelText(), nil
	}
	return Result{Text: err.Error(), IsError: true}.ModelText(), ctx.Err()
}

// Invoke calls the tool. Of call it uses ID and Arguments, which may be all
// that [Tool.Call] takes. It returns when the tool does, which must heed ctx.
//
// A nil error means that the tool answered, with a failure if Result.IsError.
// Any other error is a [*CallError], which says whether the call may have had
// an effect. Only beside a cancelled one the Result counts: it is what the
// tool answered nevertheless.
//
// Calls with one ID through one registry are one call, even over generations:
// a later one waits for the first, or gets what that got, until the record of
// it ends. The first caller's ctx is the call's; the others only give up
// waiting. A call that did not start is not recorded.
func (t *Tool) Invoke(ctx context.Context, call Call) (Result, error) {
	args, bad := decodeArgs(string(call.Arguments), t.entry.def.TextParam, t.entry.unwrap)
	if call.ID == "" {
		return t.run(ctx, call, args, bad)
	}
	hash := sha256.New()
	hash.Write([]byte(t.entry.name + "\n"))
	if bad != nil {
		hash.Write(call.Arguments)
	} else {
		hash.Write(canonical(args))
	}
	return t.registry.calls.do(ctx, t.entry.def.Name, call.ID, [sha256.Size]byte(hash.Sum(nil)), func() (Result, error) {
		return t.run(ctx, call, args, bad)
	})
}

// run makes one call.
func (t *Tool) run(ctx context.Context, call Call, args map[string]any, bad *fault) (Result, error) {
	def, h := &t.entry.def, t.entry.handle
	failed := func(status Status, sent bool, err error) error {
		return &CallError{Tool: def.Name, Status: status, MayHaveRun: sent, Err: err}
	}
	if ctx.Err() != nil {
		return Result{}, failed(Cancelled, false, contextError(ctx))
	}
	var faults []fault
	if bad != nil {
		faults = []fault{*bad}
	} else {
		faults = t.entry.schema.fit(args, def.IgnoreBadArgs)
	}
	if len(faults) > 0 && !def.IgnoreBadArgs {
		return Result{}, failed(NotStarted, false, &InvalidInput{Code: CodeInvalidInput, Issues: issues(faults)})
	}
	runCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := &running{cancel: cancel}
	if !h.begin(r) {
		return Result{}, failed(NotStarted, false, ErrRetired)
	}
	defer h.end(r)
	r.sent.Store(!def.ReportsSent)
	call.sent = &r.sent
	call.Tool = def.Name
	call.Arguments = canonical(args)
	call.Ignored = issues(faults)
	result, err := def.call(runCtx, &call)
	switch {
	case runCtx.Err() != nil:
		return result, failed(Cancelled, r.sent.Load(), contextError(runCtx))
	case h.isRetired():
		return result, failed(Cancelled, r.sent.Load(), ErrRetired)
	case err == nil:
		return result, nil
	case r.sent.Load():
		return Result{}, failed(Uncertain, true, err)
	}
	return Result{}, failed(NotStarted, false, err)
}

// call turns a panic into an error.
func (d *Def) call(ctx context.Context, call *Call) (result Result, err error) {
	returned := false
	defer func() {
		if !returned {
			err = &PanicError{Value: recover(), Stack: debug.Stack()}
		}
	}()
	result, err = d.Invoke(ctx, call)
	returned = true
	return result, err
}

// contextError returns the error of an ended ctx together with its cause; if
// that is ErrRetired, only this, since it is not the caller's context.
func contextError(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	switch cause {
	case err, nil:
		return err
	case ErrRetired:
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}
