package executa

import (
	"context"
	"log/slog"
	"time"

	"github.com/matrix-nexus/skillkit/executa/manifest"
)

// Limits and times that hold unless [Options] or a [Spec] say otherwise.
const (
	DefaultMaxLine   = 16 << 20 // bytes of a line that a plugin writes
	DefaultMaxFile   = 64 << 20 // bytes of a file by which a plugin answers
	DefaultGrace     = 5 * time.Second
	DefaultDrain     = 10 * time.Second
	DefaultColdStart = 60 * time.Second

	// DescribeTimeout and HealthTimeout are those of the protocol page.
	DescribeTimeout = 5 * time.Second
	HealthTimeout   = 3 * time.Second

	// MaxRequest is the size in bytes of the longest line that a plugin is
	// sent: from 1 MiB on, plugins in use end without an answer.
	MaxRequest = 1<<20 - 1

	// V1InFlight and V2InFlight are how many calls a plugin of either protocol
	// works on at the same time. Most of those that know version 2 cannot tell
	// for which of two calls they ask something of the host.
	V1InFlight = 8
	V2InFlight = 1

	// MaxNesting is how deep calls of a plugin may be nested that its own calls
	// of the host lead to.
	MaxNesting = 4
)

// Options configure [Start] and [NewHost]. The zero Options, like a nil *Options,
// mean the defaults.
type Options struct {
	// Environ is the environment of the host, in the form of [os.Environ]: where
	// PATH, HOME and the few others of the closed environment come from. A
	// program is looked up on the PATH in it. Nil means an empty environment.
	Environ []string
	// TempDir is where each process gets a folder of its own, which is removed
	// when it ends. Empty means [os.TempDir].
	TempDir string

	// MaxLine is the size in bytes of the longest line that a plugin may write;
	// a longer one fails its request. Zero or less means [DefaultMaxLine].
	MaxLine int
	// MaxFile is the size in bytes of the largest file by which a plugin may
	// answer. Zero or less means [DefaultMaxFile].
	MaxFile int64
	// Grace is how long a plugin may take to end after its standard input is
	// closed, and again after SIGTERM, before it is killed. Zero means
	// [DefaultGrace], less than zero no time.
	Grace time.Duration
	// Drain is how long calls that run may go on when a plugin is stopped.
	// Zero means [DefaultDrain], less than zero no time.
	Drain time.Duration
	// ColdStart is how long a new process may take for initialize and describe
	// together when it is started for the first time. Zero or less means
	// [DefaultColdStart].
	ColdStart time.Duration
	// Idle is after how long without a call a Host stops a process. Zero or less
	// means never.
	Idle time.Duration

	// Credentials finds the values that a plugin is given. Nil means that there
	// are none but the defaults of the manifests.
	Credentials Resolver
	// Services answer the calls that plugins make of the host, by method, such
	// as "storage/get". A method without one is answered with -32601.
	Services map[string]Service
	// Gate sees each such call before its service does. Nil lets all pass that
	// the plugin negotiated and declared.
	Gate Gate
	// Journal records calls that have an id, so that one that was running when
	// the host itself was killed is not repeated. Nil means none. A Host only.
	Journal *Journal

	// Logger gets what plugins write to standard error, line by line, and what
	// happens to them. Nil is silent.
	Logger *slog.Logger
	// Trace, if not nil, is called with each line to and from a plugin, without
	// credentials. It must be fast, must not call back, and is called by
	// several goroutines.
	Trace func(plugin string, sent bool, line []byte)
	// OnEvent, if not nil, is called when something happens to a plugin of a
	// Host. It must be fast and must not call back.
	OnEvent func(Event)

	// redact is that of the processes of a Plugin, which are not to tell what
	// an earlier one of them was given; nil for one that is alone.
	redact *redactor
}

// A Spec says which plugin to run and how.
type Spec struct {
	// ID is the tool id under which the plugin is known. Empty means that of
	// [manifest.Identity]. It is a [registry.ValidID].
	ID string
	// Dir is the folder of the plugin: one with an executa.json, which says how
	// it is started, or a project to run with uv. Empty means none; then Command
	// is needed.
	Dir string
	// Command is the program with its arguments, in place of what the folder
	// says. The program is a path, relative to Dir, if it holds a separator,
	// else it is looked up on PATH.
	Command []string
	// Env is added to the closed environment, in the form of [os.Environ]. A
	// loader variable such as LD_PRELOAD is an error, and so is TMPDIR, which
	// is that of the process alone.
	Env []string
	// InheritEnv gives the plugin all of Options.Environ, less the loader
	// variables and TMPDIR. It then sees the secrets in it, and obeys variables
	// such as PYTHONPATH and NODE_OPTIONS.
	InheritEnv bool
	// SHA256 is the hex digest that the program must have each time it is
	// started. Empty means any. The program is what the operating system is
	// told to run: of "python3 plugin.py" that is the Python. On Linux a file
	// that is put in its place meanwhile is not run; a file that is written to
	// in place, or a script, can still be changed after the look.
	SHA256 string

	// MaxInFlight is how many calls the plugin works on at the same time. Zero
	// or less means [V1InFlight] or [V2InFlight].
	MaxInFlight int
	// Timeout is how long a call may take whose tool does not say. Zero or less
	// means [manifest.DefaultTimeout].
	Timeout time.Duration
	// LenientResult takes an answer without "success" for the data of a success.
	LenientResult bool
	// CompatName sends the name of the tool as "name" too, for plugins that look
	// there.
	CompatName bool
}

// A Resolver finds the value of a credential for a plugin. It is asked for
// declared names only, before each call, and may be called by several goroutines.
// found is false if there is none; an error is not the same and fails the call.
type Resolver func(ctx context.Context, plugin, name string) (value string, found bool, err error)

// An Event is something that happened to a plugin of a [Host].
type Event struct {
	Plugin string
	Kind   EventKind
	Err    error // why, for EventFailed and EventExited
	// Old and New are set for EventDrift.
	Old, New *manifest.Plugin
}

// An EventKind says what happened.
type EventKind string

const (
	EventStarted EventKind = "started"
	EventExited  EventKind = "exited"  // by itself
	EventFailed  EventKind = "failed"  // it will not be started again by itself
	EventStopped EventKind = "stopped" // by the host
	EventDrift   EventKind = "drift"   // its tools changed when it was started again
)
