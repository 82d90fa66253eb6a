package executa

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/matrix-nexus/skillkit/internal/jsonrpc"
	"github.com/matrix-nexus/skillkit/registry"
)

// maxShown is how many bytes of an answer are shown that is not one.
const maxShown = 4 << 10

// decodeResult makes of what a plugin answered what the tool answered. A problem
// is what is wrong with it, if it is no answer. lenient is [Spec.LenientResult].
func decodeResult(raw json.RawMessage, lenient bool) (result registry.Result, problem string) {
	var success, data, failure []byte
	object := jsonrpc.Members(raw, func(key, value []byte) {
		switch string(key) {
		case "success":
			success = value
		case "data":
			data = value
		case "error":
			failure = value
		}
	})
	switch {
	case raw == nil:
		return result, "the reply has neither \"result\" nor \"error\""
	case !object:
		return result, fmt.Sprintf("the result must be an object with \"success\" and \"data\", not %s", shown(raw))
	}
	switch string(success) {
	case "true":
		return withData(data), ""
	case "false":
		result = withData(data)
		result.IsError = true
		result.Text = failureText(failure, "the tool failed and did not say why")
		return result, ""
	}
	if lenient && success == nil {
		return withData(raw), ""
	}
	what := "has no \"success\""
	if success != nil {
		what = "has a \"success\" that is neither true nor false"
	}
	return registry.Result{
		IsError: true,
		Data:    raw,
		Text:    fmt.Sprintf("the plugin's answer %s, so that it does not say whether the tool failed; it is %s", what, shown(raw)),
	}, ""
}

// withData returns the result of a tool that answered with a value, nil if with
// none.
func withData(data []byte) registry.Result {
	if data == nil || string(data) == "null" {
		return registry.Result{}
	}
	return registry.Result{Data: data, Text: modelText(data)}
}

// modelText returns what a model reads of a value: the text of a string, else JSON
// without white space, and in both cases valid UTF-8.
func modelText(value []byte) string {
	if text, ok := jsonrpc.Text(value); ok {
		return text
	}
	var b strings.Builder
	b.Grow(len(value))
	quoted, from := false, 0
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ' ' || c == '\t' || c == '\n' || c == '\r'):
			b.Write(value[from:i])
			from = i + 1
		}
	}
	b.Write(value[from:])
	return strings.ToValidUTF8(b.String(), "\uFFFD")
}

// failureText returns what a failed tool said, or else other.
func failureText(failure []byte, other string) string {
	if failure == nil || string(failure) == "null" {
		return other
	}
	if text := modelText(failure); strings.TrimSpace(text) != "" {
		return text
	}
	return other
}

// rpcResult makes an answer for the model of a JSON-RPC error: Data holds its
// code, message and data.
func rpcResult(e *jsonrpc.Error) registry.Result {
	line := jsonrpc.Append(nil, &jsonrpc.Message{Error: e})
	object := bytes.TrimSuffix(bytes.TrimPrefix(line, []byte(`{"jsonrpc":"2.0","error":`)), []byte("}\n"))
	text := (&RPCError{Code: e.Code, Message: e.Message}).Error()
	if e.Data != nil {
		text += ": " + modelText(e.Data)
	}
	return registry.Result{IsError: true, Data: object, Text: text}
}

// shown returns a value for a message.
func shown(raw []byte) string {
	if len(raw) > maxShown {
		return fmt.Sprintf("%s… (%d bytes)", bytes.ToValidUTF8(raw[:maxShown], nil), len(raw))
	}
	return string(bytes.ToValidUTF8(raw, []byte("\uFFFD")))
}
