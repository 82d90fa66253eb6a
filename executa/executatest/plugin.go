package executatest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/matrix-nexus/skillkit/executa"
	"github.com/matrix-nexus/skillkit/internal/jsonrpc"
)

// DefaultInline is the size in bytes of the longest line that a [Plugin] writes:
// from about there on the protocol page has plugins use a file.
const DefaultInline = 512 << 10

// A Tool is one of a [Plugin]. What it returns is the data of a success; a
// [Result] is the whole answer instead. An error is that of a failed tool, a
// [*executa.RPCError] that of the reply. Each call has a goroutine of its own. ctx
// ends when the host closes the standard input.
type Tool func(ctx context.Context, call *Call) (any, error)

// A Result is the whole result of a call, in JSON, with "success" or without.
type Result json.RawMessage

// A Plugin is a scripted plugin. Its fields must not be changed while it serves.
type Plugin struct {
	// Manifest is a JSON object, which describe is answered with. Nil means
	// one that has the Tools, without parameters, and all host capabilities.
	Manifest json.RawMessage
	// Protocol is the version that is spoken: "2.0", which empty means as
	// well, or "1.1", with which initialize is an unknown method.
	Protocol string
	// Capabilities is a JSON object, with which initialize is answered beside
	// the version. Nil means that all are wanted.
	Capabilities json.RawMessage
	// Tools are its tools by name.
	Tools map[string]Tool
	// Inline is the size in bytes of the longest line it writes; what is longer
	// goes through a file in the folder for temporary files, requests to the
	// host too. Zero means [DefaultInline], less than zero no limit.
	Inline int
	// Raw, if not nil, sees each line first, without its end, and may write
	// anything to out, which is the plugin's standard output. The plugin
	// itself does with the line what it should unless Raw returns true. It is
	// called by the one goroutine that reads: what takes time, or waits for the
	// host, needs another.
	Raw func(out io.Writer, line []byte) bool
}

// Main serves standard input and output until the input ends. On an error it
// panics, as a plugin should that cannot talk to its host.
func (p *Plugin) Main() {
	if err := p.Serve(context.Background(), os.Stdin, os.Stdout); err != nil {
		panic(err)
	}
}

// Serve reads lines from in until it ends and writes to out. It returns when all
// calls have returned too, whose contexts are made of ctx. The error is one of
// reading.
func (p *Plugin) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	s := &server{plugin: p, out: out, waiting: map[string]chan *jsonrpc.Message{}}
	defer s.calls.Wait()
	defer cancel()
	lines := jsonrpc.NewReader(in, executa.DefaultMaxLine)
	for {
		line, err := lines.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		// The line is the reader's until the next one; a call is not.
		line = bytes.Clone(line)
		if p.Raw == nil || !p.Raw(lineWriter{s}, line) {
			s.receive(ctx, line)
		}
	}
}

// A server is a plugin while it serves.
type server struct {
	plugin *Plugin
	calls  sync.WaitGroup

	mu      sync.Mutex // protects following
	out     io.Writer
	last    int // reverse id
	waiting map[string]chan *jsonrpc.Message
}

// lineWriter is the standard output that [Plugin.Raw] gets.
type lineWriter struct{ s *server }

func (w lineWriter) Write(b []byte) (int, error) {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	return w.s.out.Write(b)
}

func (s *server) receive(ctx context.Context, line []byte) {
	m := new(jsonrpc.Message)
	if err := jsonrpc.Decode(line, m); err != nil {
		s.reply(json.RawMessage("null"), nil, &executa.RPCError{Code: -32700, Message: err.Error()})
		return
	}
	if !m.HasMethod {
		s.mu.Lock()
		defer s.mu.Unlock()
		if c, ok := s.waiting[string(m.ID)]; ok {
			delete(s.waiting, string(m.ID))
			c <- m
		}
		return
	}
	switch p := s.plugin; {
	case m.Method == "initialize" && p.Protocol != "1.1":
		s.reply(m.ID, initialized(p.Capabilities), nil)
	case m.Method == "describe":
		s.reply(m.ID, p.manifest(), nil)
	case m.Method == "health":
		s.reply(m.ID, json.RawMessage(`{"status":"ready"}`), nil)
	case m.Method == "invoke":
		s.calls.Go(func() { s.invoke(ctx, m) })
	default:
		s.reply(m.ID, nil, &executa.RPCError{Code: -32601, Message: "unknown method " + m.Method})
	}
}

func (s *server) invoke(ctx context.Context, m *jsonrpc.Message) {
	call := &Call{server: s}
	if err := call.decode(m.Params); err != nil {
		s.reply(m.ID, nil, &executa.RPCError{Code: -32602, Message: err.Error()})
		return
	}
	tool, ok := s.plugin.Tools[call.Tool]
	if !ok {
		s.reply(m.ID, nil, &executa.RPCError{Code: -32601, Message: "unknown tool " + call.Tool})
		return
	}
	value, err := tool(ctx, call)
	if rpc, ok := errors.AsType[*executa.RPCError](err); ok {
		s.reply(m.ID, nil, rpc)
		return
	}
	if result, ok := value.(Result); ok && err == nil {
		s.reply(m.ID, json.RawMessage(result), nil)
		return
	}
	answer := struct {
		Success bool   `json:"success"`
		Data    any    `json:"data,omitempty"`
		Error   string `json:"error,omitempty"`
	}{Success: err == nil, Data: value}
	if err != nil {
		answer.Data, answer.Error = nil, err.Error()
	}
	result, err := json.Marshal(answer)
	if err != nil {
		s.reply(m.ID, nil, &executa.RPCError{Code: -32603, Message: err.Error()})
		return
	}
	s.reply(m.ID, result, nil)
}

// reply answers the request id. A host that does not listen is no error: the end
// of the standard input tells of it.
func (s *server) reply(id, result json.RawMessage, e *executa.RPCError) {
	m := &jsonrpc.Message{ID: id, Result: result}
	if e != nil {
		m.Error = &jsonrpc.Error{Code: e.Code, Message: e.Message, Data: e.Data}
	}
	_ = s.write(m)
}

// write writes m as a line, or into a file that a line points to.
func (s *server) write(m *jsonrpc.Message) error {
	line := jsonrpc.Append(nil, m)
	limit := s.plugin.Inline
	if limit == 0 {
		limit = DefaultInline
	}
	if limit > 0 && len(line) > limit && m.ID != nil {
		f, err := os.CreateTemp("", "executa-*.json")
		if err != nil {
			return err
		}
		_, err = f.Write(line)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
		line = jsonrpc.Append(nil, &jsonrpc.Message{ID: m.ID, File: f.Name()})
	}
	_, err := lineWriter{s}.Write(line)
	return err
}

// initialized is the answer to initialize.
func initialized(capabilities json.RawMessage) json.RawMessage {
	if capabilities == nil {
		capabilities = json.RawMessage(`{"sampling":{},"agent":{"submodes":["auto"]},"storage":{"kv":true,"files":true},` +
			`"image":{},"image.edit":{},"upload":{},"embeddings":{}}`)
	}
	return fmt.Appendf(nil, `{"protocolVersion":"2.0","serverInfo":{"name":"executatest","version":"1.0.0"},`+
		`"capabilities":{},"client_capabilities":%s}`, capabilities)
}

func (p *Plugin) manifest() json.RawMessage {
	if p.Manifest != nil {
		return p.Manifest
	}
	type tool struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Parameters  []int  `json:"parameters"`
	}
	tools := []tool{}
	for _, name := range slices.Sorted(maps.Keys(p.Tools)) {
		tools = append(tools, tool{name, "The tool " + name + ".", []int{}})
	}
	data, _ := json.Marshal(map[string]any{
		"name": "executatest", "version": "1.0.0", "description": "A scripted plugin.", "tools": tools,
		"host_capabilities": []string{
			"llm.sample", "llm.agent.auto", "llm.image", "llm.image.edit", "llm.embed", "host.upload", "aps.kv", "aps.files",
		},
	}) // cannot fail: there are texts only
	return data
}

// A Call is a call that the host makes of a [Tool].
type Call struct {
	Tool        string
	Arguments   json.RawMessage
	Credentials map[string]string
	InvokeID    string
	Deadline    time.Time // zero if the host did not say

	server *server
}

func (c *Call) decode(params json.RawMessage) error {
	var p struct {
		Tool      string          `json:"tool"`
		Arguments json.RawMessage `json:"arguments"`
		Context   struct {
			Credentials map[string]string `json:"credentials"`
			InvokeID    string            `json:"invoke_id"`
			DeadlineMS  int64             `json:"deadline_ms"`
		} `json:"context"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	c.Tool, c.Arguments, c.Credentials, c.InvokeID = p.Tool, p.Arguments, p.Context.Credentials, p.Context.InvokeID
	if p.Context.DeadlineMS != 0 {
		c.Deadline = time.UnixMilli(p.Context.DeadlineMS)
	}
	return nil
}

// Reverse calls a method of the host and returns its result. params become a JSON
// object, to which the context with the id of this call is added, unless they have
// a "context". An error that the host answers with is a [*executa.RPCError]. ctx
// bounds the waiting.
func (c *Call) Reverse(ctx context.Context, method string, params any) (json.RawMessage, error) {
	stamped, err := c.stamp(params)
	if err != nil {
		return nil, err
	}
	s := c.server
	answer := make(chan *jsonrpc.Message, 1)
	s.mu.Lock()
	s.last++
	id := fmt.Sprintf(`"r%d"`, s.last)
	s.waiting[id] = answer
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.waiting, id)
		s.mu.Unlock()
	}()
	m := &jsonrpc.Message{ID: json.RawMessage(id), HasMethod: true, Method: method, Params: stamped}
	if err := s.write(m); err != nil {
		return nil, err
	}
	select {
	case m := <-answer:
		if m.Error != nil {
			return nil, &executa.RPCError{Code: m.Error.Code, Message: m.Error.Message, Data: m.Error.Data}
		}
		return m.Result, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Progress tells the host how far the call is. kind is "progress" or
// "tool_update".
func (c *Call) Progress(kind string, data any) error {
	params, err := c.stamp(map[string]any{"type": kind, "data": data})
	if err != nil {
		return err
	}
	return c.server.write(&jsonrpc.Message{HasMethod: true, Method: "executa/progress", Params: params})
}

// Write writes b to the standard output as it is. A line needs its LF.
func (c *Call) Write(b []byte) error {
	_, err := lineWriter{c.server}.Write(b)
	return err
}

// stamp returns params with the id of this call.
func (c *Call) stamp(params any) (json.RawMessage, error) {
	data, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(data, &object); err != nil {
		return nil, fmt.Errorf("executatest: the parameters of a call must be an object: %w", err)
	}
	if object == nil {
		object = map[string]json.RawMessage{}
	}
	if object["context"] == nil {
		object["context"] = append(jsonrpc.AppendText([]byte(`{"invoke_id":`), c.InvokeID), '}')
	}
	return json.Marshal(object)
}
