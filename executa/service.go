package executa

import (
	"context"
	"encoding/json"
	"time"
)

// A Service answers one method that plugins call of the host. ctx ends with the
// call of the plugin that it is made for, with its deadline, and with the
// process: then the plugin has been answered with an error, and what the service
// returns is dropped. One that does not heed ctx keeps its goroutine.
//
// The result must be JSON of an object that fits into [MaxRequest]. An error that
// is a [*RPCError] is sent as it is, any other as -32603 without its text, which is
// logged. A panic is such an error. It may be called by several goroutines: of one
// plugin process 512 calls may be unanswered, and 32 are served at the same time,
// not counting those that they lead to in turn.
type Service func(ctx context.Context, call *ReverseCall) (json.RawMessage, error)

// A ReverseCall is a call that a plugin makes of the host while it works on a
// call of its own.
type ReverseCall struct {
	Plugin   string // its id
	Tool     string // that it works on
	InvokeID string
	Deadline time.Time // of that
	Method   string
	// Params is an object, without "context"; it is the receiver's. Credentials
	// that the plugin was given are hidden in it, as in all that it writes.
	Params json.RawMessage
}

// A Gate decides about the calls that plugins make of the host, and counts them.
// Its methods may be called by several goroutines.
type Gate interface {
	// Enter is called before a service, and after what the plugin negotiated
	// and declared was looked at. An error refuses the call. One that is not a
	// [*RPCError] is logged, and the plugin gets that of [NotGranted].
	Enter(ctx context.Context, call *ReverseCall) error
	// Leave is called with what came of a call that Enter let pass, before the
	// plugin learns of it unless the service was late.
	Leave(call *ReverseCall, result json.RawMessage, err error)
}

// NotGranted returns the error by which a [Gate] refuses a method that the user
// did not allow the plugin, with the code and the words of the method's page.
func NotGranted(method string) *RPCError {
	f, _ := familyOf(method)
	return f.ungranted.rpc("")
}
