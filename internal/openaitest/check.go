package openaitest

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Request is what a client sent.
type Request struct {
	Model    string
	Messages []Message
	Tools    []Tool
	Stop     []string
}

// A Message is one of a conversation.
type Message struct {
	Role       string
	Content    string // the text parts, joined
	ToolCallID string
	ToolCalls  []ToolCall
}

// A ToolCall is a model's call of a tool. The server gives it an ID if it has
// none.
type ToolCall struct {
	ID        string
	Name      string
	Arguments string // need not be JSON
}

// A Tool is an offered tool.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage
}

// Last returns the content of the last message.
func (r *Request) Last() string { return r.Messages[len(r.Messages)-1].Content }

// Tool returns the offered tool with that name, or nil.
func (r *Request) Tool(name string) *Tool {
	i := slices.IndexFunc(r.Tools, func(t Tool) bool { return t.Name == name })
	if i < 0 {
		return nil
	}
	return &r.Tools[i]
}

// What OpenAI documents, or answers with 400 to more of.
const (
	maxTools       = 128
	maxDescription = 1024 // code points
	maxStop        = 4
)

var nameRE = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// parameters are those of a chat completions request, without the ones for
// audio, files and stored completions.
var parameters = []string{
	"frequency_penalty", "logit_bias", "logprobs", "max_completion_tokens", "max_tokens", "messages", "metadata",
	"model", "n", "parallel_tool_calls", "presence_penalty", "reasoning_effort", "response_format", "seed", "stop",
	"stream", "stream_options", "temperature", "tool_choice", "tools", "top_logprobs", "top_p", "user",
}

type wireRequest struct {
	Model       string          `json:"model"`
	Messages    []wireMessage   `json:"messages"`
	Tools       []wireTool      `json:"tools"`
	ToolChoice  json.RawMessage `json:"tool_choice"`
	Temperature float64         `json:"temperature"`
	Stop        json.RawMessage `json:"stop"`
	Stream      bool            `json:"stream"`
}

type wireMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	Name       string          `json:"name"`
	ToolCallID string          `json:"tool_call_id"`
	ToolCalls  []wireCall      `json:"tool_calls"`
}

type wireCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function wireFunction `json:"function"`
}

type wireFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type wireTool struct {
	Type     string `json:"type"`
	Function *struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
		Strict      bool            `json:"strict"`
	} `json:"function"`
}

// Check reads the body of a request. It refuses what OpenAI refuses: unknown
// parameters, names that do not match ^[a-zA-Z0-9_-]{1,64}$ or are given
// twice (also in another case, which langchaingo cannot tell apart), more than
// 128 tools, descriptions over 1,024 code points, schemas that are not valid
// or do not describe an object, arrays without items, required names that are
// no properties, and conversations in which a tool's message answers no call
// or a call has no answer. The arguments of a call may be any text. Streaming
// is refused because no script says how.
func Check(body []byte) (*Request, error) {
	var top map[string]json.RawMessage
	if err := json.Unmarshal(body, &top); err != nil {
		return nil, fmt.Errorf("could not parse the JSON body: %w", err)
	}
	for name := range top {
		if !slices.Contains(parameters, name) {
			return nil, fmt.Errorf("unrecognized request argument supplied: %s", name)
		}
	}
	var w wireRequest
	if err := json.Unmarshal(body, &w); err != nil {
		return nil, err
	}
	r := &Request{Model: w.Model}
	switch {
	case w.Model == "":
		return nil, errors.New("you must provide a model parameter")
	case w.Stream:
		return nil, errors.New("this server does not stream")
	case w.Temperature < 0 || w.Temperature > 2:
		return nil, errors.New("temperature must be between 0 and 2")
	case top["tools"] != nil && len(w.Tools) == 0:
		return nil, errors.New("[] is too short - 'tools'")
	case len(w.Tools) > maxTools:
		return nil, fmt.Errorf("invalid 'tools': array too long: expected at most %d, got %d", maxTools, len(w.Tools))
	case len(w.ToolChoice) > 0 && len(w.Tools) == 0:
		return nil, errors.New("'tool_choice' is only allowed when 'tools' are specified")
	}
	var err error
	if r.Stop, err = stops(w.Stop); err != nil {
		return nil, err
	}
	if r.Tools, err = checkTools(w.Tools); err != nil {
		return nil, err
	}
	r.Messages, err = checkMessages(w.Messages)
	return r, err
}

func stops(raw json.RawMessage) ([]string, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return []string{one}, nil
	}
	var list []string
	if err := json.Unmarshal(raw, &list); err != nil || len(list) > maxStop {
		return nil, fmt.Errorf("'stop' must be a string or at most %d strings", maxStop)
	}
	return list, nil
}

func checkTools(list []wireTool) ([]Tool, error) {
	var out []Tool
	seen := map[string]bool{}
	for i, t := range list {
		at := fmt.Sprintf("tools[%d].function", i)
		switch {
		case t.Type != "function" || t.Function == nil:
			return nil, fmt.Errorf("tools[%d]: type must be 'function', with a function", i)
		case !nameRE.MatchString(t.Function.Name):
			return nil, fmt.Errorf("invalid '%s.name': %q does not match %s", at, t.Function.Name, nameRE)
		case seen[strings.ToLower(t.Function.Name)]:
			return nil, fmt.Errorf("invalid '%s.name': %q is not unique", at, t.Function.Name)
		case utf8.RuneCountInString(t.Function.Description) > maxDescription:
			return nil, fmt.Errorf("invalid '%s.description': over %d characters", at, maxDescription)
		}
		seen[strings.ToLower(t.Function.Name)] = true
		if raw := t.Function.Parameters; len(raw) > 0 {
			if err := checkSchema(raw); err != nil {
				return nil, fmt.Errorf("invalid schema for function '%s': %w", t.Function.Name, err)
			}
		}
		out = append(out, Tool{Name: t.Function.Name, Description: t.Function.Description, Parameters: t.Function.Parameters})
	}
	return out, nil
}

func checkMessages(list []wireMessage) ([]Message, error) {
	if len(list) == 0 {
		return nil, errors.New("[] is too short - 'messages'")
	}
	var out []Message
	open := map[string]bool{} // tool calls without an answer
	for i, m := range list {
		at := fmt.Sprintf("messages[%d]", i)
		if len(open) > 0 && m.Role != "tool" {
			return nil, unanswered(open)
		}
		content, err := content(m.Content)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
		msg := Message{Role: m.Role, Content: content, ToolCallID: m.ToolCallID}
		none := len(m.Content) == 0 || string(m.Content) == "null"
		switch m.Role {
		case "system", "developer", "user":
		case "assistant":
			none = none && len(m.ToolCalls) == 0
			for _, c := range m.ToolCalls {
				switch {
				case c.ID == "" || c.Type != "function":
					return nil, fmt.Errorf("%s: a tool call needs an id and the type 'function'", at)
				case !nameRE.MatchString(c.Function.Name):
					return nil, fmt.Errorf("%s: tool call name %q does not match %s", at, c.Function.Name, nameRE)
				case open[c.ID]:
					return nil, fmt.Errorf("%s: duplicate tool call id %q", at, c.ID)
				}
				open[c.ID] = true
				msg.ToolCalls = append(msg.ToolCalls, ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
			}
		case "tool":
			if !open[m.ToolCallID] {
				return nil, fmt.Errorf("%s: role 'tool' must answer a preceding tool call; %q is none", at, m.ToolCallID)
			}
			delete(open, m.ToolCallID)
		default:
			return nil, fmt.Errorf("%s: %q is not one of the roles", at, m.Role)
		}
		if none {
			return nil, fmt.Errorf("%s: content is missing", at)
		}
		if len(m.ToolCalls) > 0 && m.Role != "assistant" {
			return nil, fmt.Errorf("%s: only an assistant calls tools", at)
		}
		out = append(out, msg)
	}
	if len(open) > 0 {
		return nil, unanswered(open)
	}
	return out, nil
}

func unanswered(open map[string]bool) error {
	var ids []string
	for id := range open {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return fmt.Errorf("an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id': missing %s", strings.Join(ids, ", "))
}

// content returns the text of a content: a string, or parts.
func content(raw json.RawMessage) (string, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text, nil
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(raw, &parts); err != nil || len(parts) == 0 {
		return "", errors.New("content must be a string or a list of parts")
	}
	for _, p := range parts {
		if p.Type == "" {
			return "", errors.New("a content part needs a type")
		}
		text += p.Text
	}
	return text, nil
}
