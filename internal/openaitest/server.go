// Package openaitest is a chat completions server for tests. It plays a
// script in place of a model and is as strict as OpenAI about what it is
// sent: see [Check].
package openaitest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"
)

// A Turn answers one request. It may look at what was sent, and call
// Errorf of its test.
type Turn func(*Request) Reply

// A Reply is what the model says and which tools it calls.
type Reply struct {
	Text  string
	Calls []ToolCall
}

// Say returns a Turn in which the model says text and calls no tool.
func Say(text string) Turn {
	return func(*Request) Reply { return Reply{Text: text} }
}

// Use returns a Turn in which the model calls one tool. The arguments are
// sent as they are; a model is free to get them wrong.
func Use(name, arguments string) Turn {
	return func(*Request) Reply {
		return Reply{Calls: []ToolCall{{Name: name, Arguments: arguments}}}
	}
}

// A Server plays a script. It is safe for concurrent use; the turns go to the
// requests in the order in which they arrive.
type Server struct {
	t    testing.TB
	http *httptest.Server

	mu       sync.Mutex // protects what follows
	turns    []Turn
	requests []*Request
	refusals []error
	calls    int // ids given to tool calls
}

// Start starts a server on the loopback interface, which is closed when the
// test ends. The test fails if there are more requests than turns, or fewer.
// A refused request takes no turn; its sender gets the status 400.
func Start(t testing.TB, turns ...Turn) *Server {
	t.Helper()
	s := &Server{t: t, turns: slices.Clone(turns)}
	s.http = httptest.NewServer(s)
	t.Cleanup(func() {
		s.http.Close()
		if n := len(s.turns); n > 0 && !t.Failed() {
			t.Errorf("openaitest: no request came for the last %d turns", n)
		}
	})
	return s
}

// URL returns the base URL for a client.
func (s *Server) URL() string { return s.http.URL + "/v1" }

// Model returns a langchaingo client of the server.
func (s *Server) Model() llms.Model {
	s.t.Helper()
	model, err := openai.New(openai.WithBaseURL(s.URL()), openai.WithToken("test"), openai.WithModel("gpt-4o"))
	if err != nil {
		s.t.Fatal(err)
	}
	return model
}

// Requests returns the requests that were answered with a turn.
func (s *Server) Requests() []*Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Refusals returns why requests were refused.
func (s *Server) Refusals() []error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.refusals)
}

// ServeHTTP answers POST /v1/chat/completions.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method != http.MethodPost || r.URL.Path != "/v1/chat/completions":
		fail(w, http.StatusNotFound, "invalid URL ("+r.Method+" "+r.URL.Path+")")
		return
	case len(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")) == 0:
		fail(w, http.StatusUnauthorized, "you didn't provide an API key")
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	request, err := Check(body)
	if err != nil {
		s.mu.Lock()
		s.refusals = append(s.refusals, err)
		s.mu.Unlock()
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	reply, ok := s.play(request)
	if !ok {
		s.t.Errorf("openaitest: request %d has no turn", len(s.Requests())+1)
		fail(w, http.StatusInternalServerError, "the script is over")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(reply); err != nil {
		s.t.Errorf("openaitest: %v", err)
	}
}

// play takes the next turn.
func (s *Server) play(r *Request) (completion, bool) {
	s.mu.Lock()
	if len(s.turns) == 0 {
		s.mu.Unlock()
		return completion{}, false
	}
	turn := s.turns[0]
	s.turns = s.turns[1:]
	s.requests = append(s.requests, r)
	s.mu.Unlock()

	reply := turn(r) // without the lock: it may ask s something

	s.mu.Lock()
	defer s.mu.Unlock()
	c := choice{Message: answer{Role: "assistant"}, FinishReason: "stop"}
	text := reply.Text
	for _, stop := range r.Stop {
		text, _, _ = strings.Cut(text, stop)
	}
	if text != "" || len(reply.Calls) == 0 {
		c.Message.Content = &text
	}
	for _, call := range reply.Calls {
		s.calls++
		if call.ID == "" {
			call.ID = fmt.Sprintf("call_%d", s.calls)
		}
		c.FinishReason = "tool_calls"
		c.Message.ToolCalls = append(c.Message.ToolCalls, wireCall{
			ID: call.ID, Type: "function", Function: wireFunction{Name: call.Name, Arguments: call.Arguments},
		})
	}
	return completion{
		ID:      fmt.Sprintf("chatcmpl-%d", len(s.requests)),
		Object:  "chat.completion",
		Model:   r.Model,
		Choices: []choice{c},
		Usage:   map[string]int{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
	}, true
}

type completion struct {
	ID      string         `json:"id"`
	Object  string         `json:"object"`
	Created int64          `json:"created"`
	Model   string         `json:"model"`
	Choices []choice       `json:"choices"`
	Usage   map[string]int `json:"usage"`
}

type choice struct {
	Index        int    `json:"index"`
	Message      answer `json:"message"`
	FinishReason string `json:"finish_reason"`
}

type answer struct {
	Role      string     `json:"role"`
	Content   *string    `json:"content"` // null beside tool calls
	ToolCalls []wireCall `json:"tool_calls,omitempty"`
}

// fail answers with an error as OpenAI writes it.
func fail(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{
		"message": message, "type": "invalid_request_error", "param": nil, "code": nil,
	}})
}
