package executa

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/matrix-nexus/skillkit/executa/manifest"
	"github.com/matrix-nexus/skillkit/internal/jsonrpc"
	"github.com/matrix-nexus/skillkit/registry"
)

const (
	protocol1 = "1.1"
	protocol2 = "2.0" // in which plugins call the host too

	// initializeTimeout is that of the protocol page, for a process that was
	// started before.
	initializeTimeout = 5 * time.Second
)

// handshake gets to know the plugin. The stage is where it failed.
func (p *Process) handshake(ctx context.Context, known string, first bool) (stage string, err error) {
	limit, end := initializeTimeout, time.Time{}
	if first {
		// Silence on initialize leaves time for describe: it means version 1.
		total := positive(p.opts.ColdStart, DefaultColdStart)
		limit = total - min(DescribeTimeout, total/2)
		end = time.Now().Add(total)
	}
	v2, claimed, err := p.initialize(ctx, limit)
	if err != nil {
		return "initialize", err
	}
	p.protocol = protocol1
	if v2 {
		p.protocol = protocol2
	}
	m, err := p.describe(ctx, max(DescribeTimeout, time.Until(end)))
	if err != nil {
		return "describe", err
	}
	p.manifest = m
	if known == "" {
		id := manifest.Identity("", nil, m)
		if !registry.ValidID(id) {
			return "describe", fmt.Errorf("%w: its name is %.100q; give it one in Spec.ID or executa.json", ErrNoID, id)
		}
		p.id = id
		p.conn.rename(id)
		p.router.mu.Lock()
		p.router.plugin = id
		p.router.mu.Unlock()
	}
	p.timeouts = make(map[string]time.Duration, len(m.Tools))
	for _, tool := range m.Tools {
		if _, twice := p.timeouts[tool.Name]; twice {
			return "describe", fmt.Errorf("there are two tools named %.100q; names must be unique within a plugin", tool.Name)
		}
		p.timeouts[tool.Name] = cmp.Or(tool.Timeout, positive(p.spec.Timeout, manifest.DefaultTimeout))
	}
	p.router.negotiated(v2, claimed, m)
	return "", nil
}

// initialize offers version 2. A plugin that does not agree, for whatever reason,
// speaks version 1; it is an error only that it ended or that ctx has.
func (p *Process) initialize(ctx context.Context, limit time.Duration) (v2 bool, claimed map[string]json.RawMessage, err error) {
	a, err := p.call(ctx, "initialize", p.offer(), limit)
	switch {
	case isType[*TimeoutError](err), isType[*ProtocolError](err):
		p.conn.log.Info("plugin did not answer initialize, so that it is spoken to in version 1.1", "plugin", p.id, "error", err)
		return false, nil, nil
	case err != nil:
		return false, nil, err
	case a.err != nil:
		return false, nil, nil
	}
	claimed = map[string]json.RawMessage{}
	jsonrpc.Members(a.result, func(key, value []byte) {
		switch string(key) {
		case "protocolVersion":
			version, _ := jsonrpc.Text(value)
			v2 = version == protocol2
		case "capabilities", "client_capabilities":
			jsonrpc.Members(value, func(key, value []byte) { claimed[string(key)] = value })
		}
	})
	return v2, claimed, nil
}

// offer returns the parameters of initialize: what there is a service for.
func (p *Process) offer() json.RawMessage {
	has := func(prefix string) bool {
		for method := range maps.Keys(p.opts.Services) {
			if strings.HasPrefix(method, prefix) {
				return true
			}
		}
		return false
	}
	type object = map[string]any
	can := object{"fileTransport": true, "progress": object{}}
	if has("sampling/createMessage") {
		can["sampling"] = object{ // the limits of the lifecycle page
			"modalities":        []string{"text"},
			"maxTokensPerCall":  8192,
			"maxCallsPerInvoke": 8,
			"responseFormat":    []string{"json_object", "json_schema"},
		}
	}
	for prefix, name := range map[string]string{
		"agent/": "agent", "image/generate": "image", "image/edit": "image.edit",
		"host/uploadFile": "upload", "embeddings/": "embeddings",
	} {
		if has(prefix) {
			can[name] = object{}
		}
	}
	if kv, files := has("storage/"), has("files/"); kv || files {
		can["storage"] = object{"kv": kv, "files": files}
	}
	params, err := json.Marshal(object{
		"protocolVersion": protocol2,
		"clientInfo":      object{"name": "skillkit", "version": "1"},
		"capabilities":    can,
	})
	if err != nil {
		panic(err) // there is nothing in it that cannot be marshaled
	}
	return params
}

// describe asks for the manifest.
func (p *Process) describe(ctx context.Context, limit time.Duration) (*manifest.Plugin, error) {
	a, err := p.call(ctx, "describe", nil, limit)
	switch {
	case err != nil:
		return nil, err
	case a.err != nil:
		return nil, asRPCError(p.redacted(a).err)
	}
	// Nothing is hidden in it: a value may be the word that a tool is named for.
	m, err := manifest.ParsePlugin("describe", a.result)
	if err != nil {
		return nil, err
	}
	for _, problem := range m.Problems {
		if problem.Code == "manifest-wrapped" {
			return nil, errors.New("the result of describe must be the manifest itself, not an object around it (common pitfall 5): answer {\"result\": {\"name\": …, \"tools\": […]}}")
		}
	}
	return m, nil
}

// call makes a request other than invoke. The answer may hold credentials.
func (p *Process) call(ctx context.Context, method string, params json.RawMessage, limit time.Duration) (answer, error) {
	r, err := p.conn.begin()
	if err != nil {
		return answer{}, p.refusal(ctx, err)
	}
	line := jsonrpc.Append(nil, &jsonrpc.Message{ID: fmt.Append(nil, r.id), HasMethod: true, Method: method, Params: params})
	a, _, _, err := p.conn.ask(ctx, time.Now().Add(limit), r, line)
	if err == nil {
		return a, nil
	}
	p.conn.take(r.id) // in any case: nobody works on it to any end
	return answer{}, p.failure(ctx, method, "", limit, err)
}

// Health asks the plugin how it is. One that does not know the method is ready.
func (p *Process) Health(ctx context.Context) (Health, error) {
	a, err := p.call(ctx, "health", nil, HealthTimeout)
	a = p.redacted(a)
	switch {
	case err != nil:
		return Health{}, err
	case a.err != nil && a.err.Code == codeMethodNotFound:
		return Health{Status: "ready"}, nil
	case a.err != nil:
		return Health{}, asRPCError(a.err)
	}
	var h Health
	var status string
	if !jsonrpc.Members(a.result, func(key, value []byte) {
		switch string(key) {
		case "status":
			status = modelText(value)
		case "message":
			h.Message, _ = jsonrpc.Text(value)
		case "details":
			if string(value) != "null" {
				h.Details = value
			}
		}
	}) {
		return Health{}, &ProtocolError{p.id, "health", "the result must be an object with \"status\", not " + shown(a.result)}
	}
	switch status {
	case "ready", "error", "initializing":
		h.Status = status
	case "healthy", "ok":
		h.Status, h.Raw = "ready", status
	default:
		h.Status, h.Raw = "unknown", status
	}
	return h, nil
}

// A Health is what a plugin says of itself.
type Health struct {
	// Status is "ready", "error", "initializing" or "unknown".
	Status  string          `json:"status"`
	Raw     string          `json:"raw,omitempty"` // as the plugin said it, if it is another word
	Message string          `json:"message,omitempty"`
	Details json.RawMessage `json:"details,omitempty"`
}

func asRPCError(e *jsonrpc.Error) error {
	return &RPCError{Code: e.Code, Message: e.Message, Data: e.Data}
}

func isType[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
