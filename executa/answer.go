package executa

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"unicode/utf8"

	"github.com/matrix-nexus/skillkit/internal/jsonrpc"
)

// work serves a call, then has the next one of the lane served.
func (r *router) work(l *lane, c *reverse) {
	defer func() { // also if the service ends the goroutine
		r.mu.Lock()
		defer r.mu.Unlock()
		if len(l.queue) == 0 {
			l.serving--
			return
		}
		next := l.queue[0]
		l.queue[0] = nil
		l.queue = l.queue[1:]
		go r.work(l, next)
	}()
	r.serve(c)
}

// serve lets the gate and the service of a call decide about its answer.
func (r *router) serve(c *reverse) {
	r.mu.Lock()
	taken := c.taken
	r.mu.Unlock()
	if taken {
		return
	}
	call := &ReverseCall{
		Plugin: r.plugin, Tool: c.live.tool, InvokeID: c.live.id, Deadline: c.live.deadline,
		Method: c.method, Params: encode(c.params),
	}
	c.params = nil
	ctx := c.live.serving
	var (
		result  json.RawMessage
		err     = errors.New("the service ended its goroutine") // unless it returns
		entered bool
	)
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
			r.log.Error("call of the host: panic", slog.String("method", c.method), slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
		}
		if entered {
			r.leave(call, result, err)
		}
		r.reply(c, result, err)
	}()
	if gate := r.opts.Gate; gate != nil {
		if e := gate.Enter(ctx, call); e != nil {
			if _, ok := rpcError(e); !ok {
				r.log.Warn("call of the host refused", slog.String("method", c.method), slog.Any("error", e))
				e = NotGranted(c.method)
			}
			err = e
			return
		}
		entered = true
	}
	result, err = r.opts.Services[c.method](ctx, call)
	if err == nil {
		result, err = checkResult(result)
	}
}

// leave tells the gate. That is before the plugin has the answer, whose next call
// the gate may have to measure by this one.
func (r *router) leave(call *ReverseCall, result json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			r.log.Error("gate: panic", slog.String("method", call.Method), slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
		}
	}()
	r.opts.Gate.Leave(call, result, err)
}

// checkResult returns a result on one line, or what is wrong with it.
func checkResult(result json.RawMessage) (json.RawMessage, error) {
	var b bytes.Buffer
	if err := json.Compact(&b, result); err != nil {
		return nil, fmt.Errorf("the result is not JSON: %w", err)
	}
	if b.Bytes()[0] != '{' {
		return nil, errors.New("the result is not an object")
	}
	if !utf8.Valid(b.Bytes()) { // which plugins die of
		return bytes.ToValidUTF8(b.Bytes(), []byte("\ufffd")), nil
	}
	return b.Bytes(), nil
}

// rpcError returns the error that may be sent as it is.
func rpcError(err error) (*RPCError, bool) {
	e, ok := errors.AsType[*RPCError](err)
	return e, ok && e != nil
}

// reply sends what came of a call, unless it was answered meanwhile.
func (r *router) reply(c *reverse, result json.RawMessage, err error) {
	r.mu.Lock()
	late := c.taken
	c.taken = true
	r.mu.Unlock()
	if late {
		r.log.Debug("call of the host: the late result is dropped", slog.String("method", c.method))
		return
	}
	m := &jsonrpc.Message{ID: c.id, Result: result}
	if err != nil {
		e, ok := rpcError(err)
		if !ok {
			r.log.Error("call of the host", slog.String("method", c.method), slog.Any("error", err))
			e = newRPCError(codeInternal, "internal error", "INTERNAL_ERROR", "")
		}
		m = errorReply(c.id, e)
	}
	if !fits(m) {
		m = errorReply(c.id, newRPCError(codeInternal, fmt.Sprintf("the result exceeds %d bytes", MaxRequest), "RESULT_TOO_LARGE", ""))
	}
	r.write(reply{c, m})
}

// fits reports whether plugins can read a reply.
func fits(m *jsonrpc.Message) bool {
	const frame = 128 // bytes, at most, around what follows
	n := frame + len(m.ID) + len(m.Result)
	if m.Error != nil {
		n += 6*len(m.Error.Message) + len(m.Error.Data) // a byte may become \u0000
	}
	return n <= MaxRequest
}

// errorReply returns a reply with an error. Its data is left out if it is not JSON.
func errorReply(id json.RawMessage, e *RPCError) *jsonrpc.Message {
	var data bytes.Buffer
	if json.Compact(&data, e.Data) != nil || !utf8.Valid(data.Bytes()) {
		data.Reset()
	}
	out := &jsonrpc.Error{Code: e.Code, Message: e.Message}
	if data.Len() > 0 {
		out.Data = data.Bytes()
	}
	return &jsonrpc.Message{ID: id, Error: out}
}

// answer answers a call with an error, unless that is being done. r.mu is held.
func (r *router) answer(c *reverse, e *RPCError) {
	if !c.taken {
		c.taken = true
		r.post(reply{c, errorReply(c.id, e)})
	}
}

// refuse answers a call that was not accepted.
func (r *router) refuse(c *reverse, e *RPCError) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests++
	m := errorReply(c.id, e)
	if len(r.outbox) >= 2*maxReverse || !fits(m) {
		r.log.Warn("call of the host without an answer: the plugin does not read, or the id is too long")
		return
	}
	r.post(reply{nil, m})
}

// post puts a reply into the outbox. r.mu is held.
func (r *router) post(p reply) {
	r.outbox = append(r.outbox, p)
	if !r.writing {
		r.writing = true
		go r.deliver()
	}
}

// deliver writes the outbox.
func (r *router) deliver() {
	for {
		r.mu.Lock()
		if len(r.outbox) == 0 {
			r.outbox, r.writing = nil, false
			r.mu.Unlock()
			return
		}
		p := r.outbox[0]
		r.outbox[0] = reply{}
		r.outbox = r.outbox[1:]
		r.mu.Unlock()
		r.write(p)
	}
}

// write sends a reply. The call is answered then, be it that the plugin does not
// read.
func (r *router) write(p reply) {
	if err := r.send(r.sending, p.m); err != nil {
		r.log.Debug("answer not sent", slog.Any("error", err))
	}
	if p.to == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.calls, p.to)
	delete(p.to.live.calls, p.to)
	r.size -= p.to.size
	r.settle()
}
