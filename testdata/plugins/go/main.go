// Example-go is an Executa plugin that shows each part of the protocol.
//
// One goroutine reads standard input and does nothing else: it starts a goroutine
// for each call of the host, and hands the host's replies to the goroutines that
// wait for them. So it goes on reading whatever a call does. The program ends when
// standard input has ended and all calls are answered.
package main

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"sync"
	"time"
)

//go:embed manifest.json
var manifest json.RawMessage

func main() {
	log.SetFlags(0) // logs go to standard error
	h := &host{waiting: map[string]chan message{}}
	// A Scanner would end at a long line.
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			h.receive(line)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
	}
	h.close()
	h.calls.Wait()
}

// inline is the size in bytes from which on a message goes through a file.
const inline = 512 << 10

// A message is a request, a notification or a reply.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"` // any JSON; it is sent back as it is
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
	File    string          `json:"__file_transport,omitempty"`
}

// An rpcError is the error of a reply, the host's or ours.
type rpcError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (e *rpcError) Error() string { return e.Message }

var errGone = &rpcError{Code: -32603, Message: "the host is gone"}

// A host is the program at the other end of the pipes.
type host struct {
	calls sync.WaitGroup // those that are not answered yet
	write sync.Mutex     // one message at a time

	mu      sync.Mutex // protects following
	last    int        // id of a request of ours
	waiting map[string]chan message
	gone    bool
}

func (h *host) send(m message) {
	m.JSONRPC = "2.0"
	line, err := json.Marshal(m)
	if err != nil {
		log.Print(err)
		return
	}
	if len(line) > inline && m.ID != nil {
		// The host gave us a TMPDIR of our own, and deletes the file.
		file, err := saveTemp(line)
		if err != nil {
			log.Print(err)
			return
		}
		h.send(message{ID: m.ID, File: file})
		return
	}
	h.write.Lock()
	defer h.write.Unlock()
	// If the host is gone, the end of standard input tells of it.
	_, _ = os.Stdout.Write(append(line, '\n'))
}

func saveTemp(data []byte) (string, error) {
	f, err := os.CreateTemp("", "executa-*.json")
	if err != nil {
		return "", err
	}
	if _, err := f.Write(data); err != nil {
		f.Close()
		return "", err
	}
	return f.Name(), f.Close()
}

// receive takes a line from the host. It must not wait for anything.
func (h *host) receive(line []byte) {
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		h.send(message{ID: json.RawMessage("null"), Error: &rpcError{Code: -32700, Message: err.Error()}})
		return
	}
	switch {
	case m.Method == "": // a reply
		h.mu.Lock()
		defer h.mu.Unlock()
		if answer, ok := h.waiting[string(m.ID)]; ok {
			delete(h.waiting, string(m.ID))
			answer <- m
		}
	case m.ID == nil: // a notification: we know none
	case m.Method == "invoke":
		h.calls.Add(1)
		go func() {
			defer h.calls.Done()
			h.answer(m)
		}()
	default:
		h.answer(m)
	}
}

func (h *host) answer(m message) {
	reply := message{ID: m.ID}
	result, err := h.handle(m)
	if err == nil {
		reply.Result, err = json.Marshal(result)
	}
	if err != nil {
		if !errors.As(err, &reply.Error) {
			reply.Error = &rpcError{Code: -32603, Message: err.Error()}
		}
	}
	h.send(reply)
}

func (h *host) handle(m message) (any, error) {
	switch m.Method {
	case "initialize":
		return initialize(m.Params)
	case "describe":
		return manifest, nil
	case "invoke":
		return h.invoke(m.Params)
	case "health":
		return map[string]string{"status": "ready"}, nil
	case "shutdown":
		return map[string]bool{"ok": true}, nil
	}
	return nil, &rpcError{Code: -32601, Message: "unknown method: " + m.Method}
}

func initialize(params json.RawMessage) (any, error) {
	var p struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, &rpcError{Code: -32602, Message: err.Error()}
	}
	if p.ProtocolVersion != "2.0" {
		return map[string]string{"protocolVersion": "1.1"}, nil
	}
	type object = map[string]any
	return object{
		"protocolVersion": "2.0",
		"serverInfo":      object{"name": "example-go", "version": "1.0.0"},
		"capabilities":    object{},
		// What of the host we use.
		"client_capabilities": object{
			"sampling":   object{},
			"agent":      object{"submodes": []string{"auto"}},
			"storage":    object{"kv": true, "files": true},
			"image":      object{},
			"image.edit": object{},
			"upload":     object{},
			"embeddings": object{},
		},
	}, nil
}

// A toolError is a failure that the model should read about.
type toolError string

func (e toolError) Error() string { return string(e) }

func (h *host) invoke(params json.RawMessage) (any, error) {
	c := &call{host: h}
	if err := json.Unmarshal(params, c); err != nil {
		return nil, &rpcError{Code: -32602, Message: err.Error()}
	}
	tool, ok := tools[c.Tool]
	if !ok {
		return nil, &rpcError{Code: -32601, Message: "unknown tool: " + c.Tool}
	}
	start := time.Now()
	data, err := tool(c)
	result := map[string]any{"success": true, "duration_ms": time.Since(start).Milliseconds()}
	var failed toolError
	switch {
	case errors.As(err, &failed):
		result["success"], result["error"] = false, failed.Error()
	case err != nil:
		return nil, err
	default:
		result["data"] = data
	}
	return result, nil
}

// A call is one that the host makes of a tool.
type call struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Context   struct {
		InvokeID   string `json:"invoke_id"`
		DeadlineMS int64  `json:"deadline_ms"`
		// They belong to this call, which may be on behalf of another user
		// than the next one.
		Credentials map[string]string `json:"credentials"`
	} `json:"context"`

	host *host
}

// arguments reads the arguments into v.
func (c *call) arguments(v any) error {
	d := json.NewDecoder(bytes.NewReader(c.Arguments))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return &rpcError{Code: -32602, Message: fmt.Sprintf("%s: %v", c.Tool, err)}
	}
	return nil
}

// credential returns a credential, or what is empty.
func (c *call) credential(name string) string {
	if value := c.Context.Credentials[name]; value != "" {
		return value
	}
	return os.Getenv(name) // for running the plugin by hand, without a host
}

// call calls a method of the host on behalf of this call, and reads the result
// into v unless that is nil.
func (c *call) call(method string, params map[string]any, v any) error {
	left := time.Minute
	if c.Context.DeadlineMS != 0 {
		left = time.Until(time.UnixMilli(c.Context.DeadlineMS))
	}
	params["context"] = map[string]string{"invoke_id": c.Context.InvokeID}
	result, err := c.host.call(method, params, left)
	if err != nil || v == nil {
		return err
	}
	return json.Unmarshal(result, v)
}

func (c *call) progress(data any) error {
	params, err := json.Marshal(map[string]any{
		"type":    "progress",
		"data":    data,
		"context": map[string]string{"invoke_id": c.Context.InvokeID},
	})
	if err != nil {
		return err
	}
	c.host.send(message{Method: "executa/progress", Params: params})
	return nil
}

// call calls a method of the host and returns its result.
func (h *host) call(method string, params any, timeout time.Duration) (json.RawMessage, error) {
	data, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	answer := make(chan message, 1)
	h.mu.Lock()
	if h.gone {
		h.mu.Unlock()
		return nil, errGone
	}
	h.last++
	id := fmt.Sprintf(`"example-%d"`, h.last)
	h.waiting[id] = answer
	h.mu.Unlock()

	h.send(message{ID: json.RawMessage(id), Method: method, Params: data})
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case m := <-answer:
		if m.Error != nil {
			return nil, m.Error
		}
		return m.Result, nil
	case <-timer.C:
		h.mu.Lock()
		delete(h.waiting, id)
		h.mu.Unlock()
		return nil, &rpcError{Code: -32603, Message: method + ": no answer from the host"}
	}
}

// close ends the waiting of all calls.
func (h *host) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.gone = true
	for _, answer := range h.waiting {
		answer <- message{Error: errGone}
	}
	h.waiting = nil
}
