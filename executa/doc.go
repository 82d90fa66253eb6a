// Package executa hosts Executa Tools: plugins that are processes of their own,
// speak JSON-RPC 2.0 over their standard input and output, and serve many calls.
//
// [Start] runs one plugin process. A [Host] keeps plugins: it starts each when it
// is first called, starts it again after it ended, and puts the tools of all of
// them into a registry.
//
// # What a call comes to
//
// A call ends in an answer or in an error. An answer is a [registry.Result], also
// if the tool failed. After an error the registry says whether the call may have
// had an effect: once a byte of a request has reached the plugin, the call is
// never sent again, whatever happens to the process.
//
// Data of the result is "data" of what the plugin answered, and Text what a model
// reads of it: the text if it is text, else its JSON. If the tool failed, Text is
// "error", and if the plugin answered with an error of JSON-RPC, that is in both. An
// answer without "success" is a failure; see LenientResult of [Spec].
//
// At the end close the host, which ends the processes, and only then its journal and
// what services use. Closing the registry ends the processes too.
//
// # What a plugin can do
//
// A plugin is a program of somebody else that runs as this user: it is not in a
// sandbox. It gets none of the environment but what [Options] and [Spec] name, a
// TMPDIR of its own, and the credentials that it declares. What it writes is
// bounded, checked, and free of those credentials before it reaches a log, an
// error or a model. When it is ended, what it started is ended with it, on Linux
// and Windows also if it left the group of the plugin; on Linux unless it has also
// cleared its environment and outlived its parent.
//
// While it works on a call, a plugin of version 2.0 may call the host: see [Service]
// and [Gate]. Without a service each such call is refused.
//
// # Concurrency and contexts
//
// A [Host], [Plugin], [Process] or [Journal] may be used by several goroutines, and
// the functions in [Options] are called by several. The ctx of a method bounds that
// method only: a process goes on when the ctx with which it was started ends. It ends
// with [Process.Close] or [Host.Close], and so do the goroutines that served it, but for
// a [Service] that does not heed its context.
//
// # Errors
//
// Of a start: a [*StartError], which wraps one of the others. Of a call:
//
//   - [*ExitError]: the process ended meanwhile
//   - [*TimeoutError]: there was no answer in time
//   - [*ProtocolError]: the answer is none by the protocol
//   - [*CredentialError], [*ChangedError], [ErrNested], [ErrTooLarge]: nothing was sent
//   - [*RepeatError]: nothing was sent again
//   - [ErrClosed], and that of the ctx: see [Process.Close] and [Process.Invoke]
//
// What a plugin calls an error is an answer, a result with IsError.
//
// # Limits
//
// Those of lines, files, times and calls at once are in [Options] and [Spec], with
// the defaults beside them. Fixed are [MaxRequest], [MaxTools], [MaxToolName],
// [MaxProgress], [ProgressPerCall], [MaxNesting], [MaxCallID], the three restarts in a
// row, and the last 8 KiB of standard error that are kept.
//
// # Sources
//
// The protocol is that of the Executa Tools pages, versions 1.1 and 2.0: protocol,
// lifecycle, credentials, authorization, binary, and pitfalls. Where these contradict
// one another, or plugins in use do not keep to them, the declaration says what was
// decided.
package executa
