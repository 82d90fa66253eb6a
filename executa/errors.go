package executa

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

var (
	// ErrNested means that a plugin would have to serve a call while it waits
	// for that call, which it cannot: it works on as many calls as it may
	// already. Allow more with [Spec.MaxInFlight]. Two plugins whose calls wait for
	// each other crosswise are not found out: they wait until one call's time is over.
	ErrNested = errors.New("executa: a call that a plugin's own call led to exceeds the plugin's limit")
	// ErrClosed means that a process, plugin or host was closed.
	ErrClosed = errors.New("executa: closed")
	// ErrNoID means that nothing names a plugin: neither [Spec.ID] nor an
	// executa.json, nor what it says of itself.
	ErrNoID = errors.New("executa: the plugin has no usable id")
	// ErrTooLarge is wrapped by the error for a request over [MaxRequest].
	ErrTooLarge = errors.New("executa: the request is too large for plugins")
)

// A StartError reports a plugin that did not come up.
type StartError struct {
	Plugin string
	Stage  string // "launch", "initialize" or "describe"
	Stderr string // the end of what it wrote there
	Err    error
}

func (e *StartError) Error() string {
	return fmt.Sprintf("plugin %q: %s: %v%s", e.Plugin, e.Stage, e.Err, tail(e.Stderr))
}

func (e *StartError) Unwrap() error { return e.Err }

// An ExitError reports a plugin that ended while it was wanted.
type ExitError struct {
	Plugin string
	Status string // such as "exit status 3" or "signal: killed"
	Stderr string // the end of what it wrote there
}

func (e *ExitError) Error() string {
	return fmt.Sprintf("plugin %q ended: %s%s", e.Plugin, e.Status, tail(e.Stderr))
}

// A TimeoutError reports a plugin that did not answer in time.
type TimeoutError struct {
	Plugin string
	Method string // "invoke", "describe", "initialize" or "health"
	Tool   string // of an invoke
	After  time.Duration
}

func (e *TimeoutError) Error() string {
	what := e.Method
	if e.Tool != "" {
		what = fmt.Sprintf("tool %q", e.Tool)
	}
	return fmt.Sprintf("plugin %q: %s: no answer within %s", e.Plugin, what, e.After)
}

// A ProtocolError reports an answer that is not one by the protocol.
type ProtocolError struct {
	Plugin string
	Method string
	Msg    string // what is wrong and what would be right
}

func (e *ProtocolError) Error() string {
	return fmt.Sprintf("plugin %q: %s: %s", e.Plugin, e.Method, e.Msg)
}

// An RPCError is the error of a JSON-RPC reply: one that a plugin sent, or one
// that a [Service] or a [Gate] wants to be sent.
type RPCError struct {
	Code    int64
	Message string
	Data    json.RawMessage // nil if there is none
}

func (e *RPCError) Error() string {
	return fmt.Sprintf("%s (code %d)", e.Message, e.Code)
}

// A CredentialError reports credentials that a plugin requires and that nobody
// has set. Nothing was sent to the plugin.
type CredentialError struct {
	Plugin  string
	Missing []string // names, in the order of the manifest
}

func (e *CredentialError) Error() string {
	text := fmt.Sprintf("plugin %q needs %s", e.Plugin, strings.Join(e.Missing, ", "))
	if len(e.Missing) > 0 {
		text += fmt.Sprintf(": set it with \"skills auth set --plugin %s %s\"", e.Plugin, e.Missing[0])
	}
	return text
}

// A ChangedError reports a call of a tool that the plugin describes otherwise, or
// not at all, since it was started again. Nothing was sent to it.
type ChangedError struct {
	Plugin string
	Tool   string
	Gone   bool // it is not described any more
}

func (e *ChangedError) Error() string {
	what := "has changed"
	if e.Gone {
		what = "is gone"
	}
	return fmt.Sprintf("tool %q of plugin %q %s since the plugin was started again; look the tool up again", e.Tool, e.Plugin, what)
}

// tail puts what a plugin wrote at last behind a message.
func tail(stderr string) string {
	if stderr = strings.TrimSpace(stderr); stderr == "" {
		return ""
	}
	return "\nstandard error: " + stderr
}
