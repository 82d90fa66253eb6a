package executa

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/matrix-nexus/skillkit/internal/jsonrpc"
	"github.com/matrix-nexus/skillkit/registry"
)

// An Invocation is one call of a tool.
type Invocation struct {
	Tool string
	// Arguments is a JSON object; nil means {}. It is not checked against the
	// parameters: the registry does that.
	Arguments json.RawMessage
	// Timeout is how long the call may take. Zero or less means what the tool or
	// the Spec says.
	Timeout time.Duration
	// Sent, if not nil, is called just before the first byte of the request can
	// reach the plugin. An error, such as that of a journal, stops the request.
	Sent func() error
	// settled, if not nil, is called once if the request was sent: when the
	// plugin no longer works on it. That is before Invoke returns, or, if ctx
	// ended first, at the late answer or at the end of the process. It is called
	// without locks held and does not block.
	settled func()
}

// Invoke calls a tool. It neither queues nor checks arguments. If the request did
// not reach the plugin, sent is false, and the call may be repeated.
//
// The plugin is given the credentials that its manifest declares: what
// [Options.Credentials] finds, else the default of the manifest; an empty value
// is none. Those that the manifest calls sensitive, as all are unless it says
// otherwise, are hidden from then on in whatever the plugin writes.
//
// When ctx ends, Invoke returns at once; what the plugin answers later is
// dropped. When the time of the call is over, the error is a [*TimeoutError], no
// new calls are accepted, and the process is ended when its other calls are done.
func (p *Process) Invoke(ctx context.Context, inv Invocation) (result registry.Result, sent bool, err error) {
	limit, known := p.timeouts[inv.Tool]
	if !known {
		return registry.Result{}, false, fmt.Errorf("plugin %q has no tool %.100q", p.id, inv.Tool)
	}
	if inv.Timeout > 0 {
		limit = inv.Timeout
	}
	args := inv.Arguments
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	} else if !jsonrpc.Members(args, func(_, _ []byte) {}) {
		return registry.Result{}, false, fmt.Errorf("plugin %q: tool %q: arguments must be a JSON object", p.id, inv.Tool)
	}
	credentials, err := p.credentials(ctx)
	if err != nil {
		return registry.Result{}, false, err
	}
	r, err := p.conn.begin()
	if err != nil {
		return registry.Result{}, false, p.refusal(ctx, err)
	}
	r.settled = inv.settled

	end := time.Now().Add(limit)
	deadline := end
	if d, ok := ctx.Deadline(); ok && d.Before(end) {
		deadline = d
	}
	a := &active{id: newInvokeID(), tool: inv.Tool, ctx: ctx, deadline: deadline}
	if progress, ok := ctx.Value(progressKey{}).(func(Progress)); ok && progress != nil {
		a.progress = progress
	}
	r.line = p.appendInvoke(r.line[:0], r.id, a, args, credentials)
	if size := len(r.line) - 1; size > MaxRequest {
		p.conn.take(r.id)
		return registry.Result{}, false, fmt.Errorf("plugin %q: tool %q: %d bytes are over the limit of %d: %w", p.id, inv.Tool, size, MaxRequest, ErrTooLarge)
	}
	if inv.Sent != nil {
		if err := inv.Sent(); err != nil {
			p.conn.take(r.id)
			return registry.Result{}, false, err
		}
	}
	p.router.begin(a)
	ans, sent, reuse, err := p.conn.ask(ctx, end, r, r.line)
	if !reuse || cap(r.line) > maxSpare {
		r.line = nil
	}
	reusable := err == nil // and then nobody else has r
	if sent && (err == context.DeadlineExceeded || err == context.Canceled) {
		gone := ctx.Err() != nil // looked at once: it may end just now
		switch {
		case gone && p.conn.abandon(r, end, func() { p.expire(r, inv.Tool, limit) }):
			// The plugin works on, until it answers or the time of the call is over.
			p.router.end(a.id)
			return registry.Result{}, true, contextError(ctx)
		case !gone && p.conn.take(r.id) != nil:
			p.condemn(inv.Tool, limit)
		default: // the answer came at the same moment
			ans = <-r.answer
			err = ans.lost
		}
	}
	if reusable {
		p.conn.spare.Put(r)
	}
	p.router.end(a.id)
	if sent && inv.settled != nil {
		inv.settled()
	}
	if err != nil {
		return registry.Result{}, sent, p.failure(ctx, "invoke", inv.Tool, limit, err)
	}
	ans = p.redacted(ans)
	if ans.err != nil {
		return rpcResult(ans.err), true, nil
	}
	result, problem := decodeResult(ans.result, p.spec.LenientResult)
	if problem != "" {
		return registry.Result{}, true, &ProtocolError{p.id, "invoke", problem}
	}
	return result, true, nil
}

// maxSpare is how large in bytes the memory of a request is that is kept.
const maxSpare = 64 << 10

// appendInvoke appends the request, with LF. The id of the call is where plugins
// look for it: some in the context, as the page has it, others beside the tool.
func (p *Process) appendInvoke(b []byte, id int64, a *active, args, credentials []byte) []byte {
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = strconv.AppendInt(b, id, 10)
	b = append(b, `,"method":"invoke","params":{"tool":`...)
	b = jsonrpc.AppendText(b, a.tool)
	if p.spec.CompatName {
		b = append(b, `,"name":`...)
		b = jsonrpc.AppendText(b, a.tool)
	}
	b = append(b, `,"arguments":`...)
	b = jsonrpc.AppendRaw(b, args)
	b = append(b, `,"invoke_id":"`...)
	b = append(b, a.id...)
	b = append(b, `","context":{`...)
	if len(credentials) > 0 {
		b = append(b, `"credentials":{`...)
		b = append(b, credentials...)
		b = append(b, `},`...)
	}
	b = append(b, `"invoke_id":"`...)
	b = append(b, a.id...)
	b = append(b, `","plugin_name":`...)
	b = jsonrpc.AppendText(b, p.id)
	b = append(b, `,"deadline_ms":`...)
	b = strconv.AppendInt(b, a.deadline.UnixMilli(), 10)
	return append(b, "}}}\n"...)
}

// newInvokeID returns 32 hex digits.
func newInvokeID() string {
	const digits = "0123456789abcdef"
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails
	var text [2 * len(id)]byte
	for i, c := range id {
		text[2*i], text[2*i+1] = digits[c>>4], digits[c&15]
	}
	return string(text[:])
}

// credentials returns the members of the object that the plugin is given.
func (p *Process) credentials(ctx context.Context) ([]byte, error) {
	var members []byte
	var missing []string
	seen := map[string]bool{}
	for i := range p.manifest.Credentials {
		c := &p.manifest.Credentials[i]
		if c.Name == "" || seen[c.Name] {
			continue
		}
		seen[c.Name] = true
		var value string
		if p.opts.Credentials != nil {
			v, found, err := p.opts.Credentials(ctx, p.id, c.Name)
			if err != nil {
				return nil, fmt.Errorf("plugin %q: credential %s: %w", p.id, c.Name, err)
			}
			if found && v != "" {
				value = v
				if c.Sensitive {
					p.redact.add(v)
				}
			}
		}
		if value == "" {
			value = c.Default
		}
		if value == "" {
			if c.Required {
				missing = append(missing, c.Name)
			}
			continue
		}
		if members != nil {
			members = append(members, ',')
		}
		members = jsonrpc.AppendText(members, c.Name)
		members = append(members, ':')
		members = jsonrpc.AppendText(members, value)
	}
	if missing != nil {
		return nil, &CredentialError{Plugin: p.id, Missing: missing}
	}
	return members, nil
}

// expire ends the time of a call that its caller has given up.
func (p *Process) expire(r *request, tool string, limit time.Duration) {
	if p.conn.take(r.id) == nil {
		return // answered
	}
	p.condemn(tool, limit)
	if r.settled != nil {
		r.settled()
	}
}

// condemn ends the process when its other calls are done, for which their own
// times give a limit: one that does not answer a call may never answer any.
func (p *Process) condemn(tool string, limit time.Duration) {
	cause := &TimeoutError{Plugin: p.id, Method: "invoke", Tool: tool, After: limit}
	p.endAs(cause)
	p.conn.refuse(fmt.Errorf("plugin %q is being ended since a call took too long: %w", p.id, ErrClosed))
	go p.close(context.Background(), cause, -1)
}

// refusal returns why a request is not accepted.
func (p *Process) refusal(ctx context.Context, err error) error {
	if errors.Is(err, ErrClosed) || isType[*ExitError](err) {
		return err
	}
	return p.failure(ctx, "", "", 0, err)
}

// failure returns the error for a request that the conn returned err for.
func (p *Process) failure(ctx context.Context, method, tool string, limit time.Duration, err error) error {
	switch {
	case isType[*ExitError](err), isType[*TimeoutError](err):
		return err
	case ctx.Err() != nil:
		return contextError(ctx)
	case errors.Is(err, context.DeadlineExceeded):
		return &TimeoutError{Plugin: p.id, Method: method, Tool: tool, After: limit}
	case isType[*jsonrpc.LineError](err):
		return &ProtocolError{p.id, method, "the answer is left out: " + err.Error() + "; long answers belong into a file, see \"__file_transport\""}
	case errors.Is(err, errFile):
		return &ProtocolError{p.id, method, err.Error()}
	}
	// The plugin does not read what is written to it, and is ended for that.
	select {
	case <-p.done:
		return p.Err()
	case <-ctx.Done():
		return contextError(ctx)
	}
}

// contextError returns the error of an ended ctx with its cause.
func contextError(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if err == cause {
		return err
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// redacted returns a without credentials.
func (p *Process) redacted(a answer) answer {
	if p.redact.empty() {
		return a
	}
	a.result = p.redact.bytes(a.result)
	if a.err != nil {
		a.err = &jsonrpc.Error{Code: a.err.Code, Message: p.redact.string(a.err.Message), Data: p.redact.bytes(a.err.Data)}
	}
	return a
}
