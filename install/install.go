package install

import (
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/requires"
)

// Options describe the machine, and what may be done to it. They are not
// changed, and may be used for several plans and runs.
type Options struct {
	// State is the absolute path of the folder that holds all that is not
	// installed by a package manager in a place of its own.
	State string

	// Host says what is on the machine: which installers there are, and
	// whether a step brought what it was to bring. For a [requires.Host] to
	// see what is below State, its options need the folder bin in Extra and
	// the folder python as Managed.
	Host Host

	// Environ is the environment of the installers, in the form of
	// [os.Environ]. Variables of the dynamic loader are left out of it, and
	// those by which an installer would be sent elsewhere, such as PIP_*.
	Environ []string

	// GOOS is the system, as [runtime.GOOS], which is what empty means.
	GOOS string

	// Superuser means that the process may write everywhere. Without it apt
	// and dnf go through sudo; with it brew, which refuses, is passed over.
	Superuser bool

	// Kinds are the only kinds of recipes to use. Nil means the documented
	// ones. The others (pipx, cargo, gem, dnf, choco, winget) are used only
	// when they are named here or in Allow.
	Kinds []metadata.Kind

	// Allow lists what may be installed, each a kind, such as "apt", or a kind
	// and a pattern for the package or the URL without its scheme, such as
	// "npm:@example/*" or "download:example.com/**", in the syntax of
	// doublestar. Nil means that all is allowed; an empty list allows nothing.
	Allow []string

	// Prefer are the kinds to take first, in this order, where a skill has
	// several recipes that would do. The others follow in the order of the
	// file.
	Prefer []metadata.Kind

	// NodeManager is what installs npm packages: npm, pnpm, yarn or bun.
	// Empty means npm.
	NodeManager string

	// PythonIndex is the URL of the package index for pip and uv. Empty means
	// what their configuration files say.
	PythonIndex string

	// AllowShell lets recipes run that hold a shell command. Show the plan to
	// the operator before setting it.
	AllowShell bool

	// Approve is asked before each step of [Run], from one goroutine at a
	// time. An error blocks the step, and is its outcome. Nil approves all.
	Approve func(Step) error

	// Event is told how a run goes, from one goroutine at a time. It must not
	// keep what it is given for longer than the call. Nil means nobody listens.
	Event func(Event)
}

// A Host is the machine that is installed on. [*requires.Host] is one.
type Host interface {
	requires.Env
	// Refresh makes the next look-up see what was installed since the last.
	Refresh()
}

// A Target is a skill to get the requirements of.
type Target struct {
	Name     string
	Manifest *metadata.Manifest
	// Report is what [requires.Check] says of Manifest. Only what it reports
	// as missing is planned for; optional requirements are left alone.
	Report requires.Report
	// Refused is why nothing may be installed for this skill, such as that
	// its workspace is not trusted. Empty means that there is no reason.
	Refused string
}

// A Requirement names one thing that a skill requires.
type Requirement struct {
	Kind requires.Kind `json:"kind"`
	Name string        `json:"name"` // of any_bins all alternatives, separated by " | "
}

// A Plan says what would be done. It belongs to the caller.
type Plan struct {
	// Steps are in an order in which they can be run.
	Steps []Step `json:"steps"`
	// Unresolved are the missing requirements that no step brings.
	Unresolved []Unresolved `json:"unresolved"`
	// Unused are the recipes of which nothing that is missing made use.
	Unused []Unused `json:"unused"`
}

// A Step is one command, one download or one removal of files. Exactly one of
// Argv, Download and Remove is set, or none in a step that only takes skills out
// of the receipt that Undo names, or with Forget deletes it.
type Step struct {
	ID    string        `json:"id"` // unique in its plan, and the same for the same work
	Kind  metadata.Kind `json:"kind"`
	Label string        `json:"label"` // one line for people, never empty; may be text of the recipe

	// Argv is the command, of which the program is an absolute path. With
	// Shell it hands a command of the recipe to a shell.
	Argv  []string `json:"argv,omitempty"`
	Shell bool     `json:"shell,omitempty"`
	// Env are variables for Argv on top of [Options.Environ], as "NAME=value",
	// and Unset the names that are taken out of it before; a trailing "*"
	// stands for the rest of a name.
	Env   []string `json:"env,omitempty"`
	Unset []string `json:"unset,omitempty"`

	Download *Download `json:"download,omitempty"`

	// Remove are absolute paths below [Options.State], or of single files that
	// a receipt names.
	Remove []string `json:"remove,omitempty"`

	// Creates is the absolute path of what Argv makes, such as the interpreter
	// of an environment. Where it is there, the step is not run, unless its
	// last run was not brought to its end.
	Creates string `json:"creates,omitempty"`

	// Undo is the ID of the step whose work this one removes, in a removal.
	// When it is done the receipt of that step goes, with the links that it
	// lists. It fails if skills other than those in Skills use the receipt.
	// A step that only takes Skills out of it fails if no other skill uses it.
	Undo string `json:"undo,omitempty"`
	// Forget means that the work of the step Undo left nothing to remove, so
	// that only its receipt goes.
	Forget bool `json:"forget,omitempty"`

	// LinkFrom is the folder that Argv puts programs into, if they are to be
	// linked into the folder bin of the state folder afterwards.
	LinkFrom string `json:"link_from,omitempty"`
	// BinDir is a folder in which the programs may be found afterwards, if not
	// in one on PATH. Empty means that none is known.
	BinDir string `json:"bin_dir,omitempty"`

	Skills   []string      `json:"skills"`             // those that it is done for, sorted
	Provides []Requirement `json:"provides"`           // what was missing and is to be there afterwards, or not, after a removal
	Bins     []string      `json:"bins,omitempty"`     // all programs that the recipe lists
	Packages []string      `json:"packages,omitempty"` // the operands of the installer
	Recipes  []Source      `json:"recipes,omitempty"`  // those that it comes from, in the order of the skills
	Reason   string        `json:"reason"`             // why this recipe, in one line

	// After are the IDs of steps that must be done before. If one of them
	// fails this one is not run, unless that one is Optional.
	After []string `json:"after,omitempty"`
	// Optional means that its failure does not matter to the steps after it.
	Optional bool `json:"optional,omitempty"`
}

// A Source is a recipe of a skill.
type Source struct {
	Skill  string `json:"skill"`
	Recipe string `json:"recipe"` // its id, or its kind and packages
}

// A Download says what to fetch and where to put it.
type Download struct {
	URL    string `json:"url"`
	SHA256 string `json:"sha256,omitempty"` // 64 lower-case hex digits, or empty if the recipe gives none
	// Archive is the format to unpack, one of those of internal/unpack, or
	// empty for a single file, which is made executable.
	Archive         string `json:"archive,omitempty"`
	StripComponents int    `json:"strip_components,omitempty"`
	// Dir is the absolute path that is replaced by what was downloaded.
	Dir string `json:"dir"`
	// File is the name of a single file in Dir.
	File string `json:"file,omitempty"`
}

// An Unresolved is a missing requirement for which there is no step.
type Unresolved struct {
	Skill       string      `json:"skill"`
	Requirement Requirement `json:"requirement"`
	Tried       []Tried     `json:"tried"`  // every recipe of the skill, in the order of the file
	Reason      string      `json:"reason"` // what to do about it, in one line
}

// A Tried is a recipe that was passed over.
type Tried struct {
	Recipe string `json:"recipe"` // its id, or its kind and packages
	WhyNot string `json:"why_not"`
}

// An Unused is a recipe that no step came from and no Unresolved names.
type Unused struct {
	Skill  string `json:"skill"`
	Recipe string `json:"recipe"`
	Reason string `json:"reason"`
}

// An EventType says what an [Event] tells.
type EventType string

const (
	EventWaiting  EventType = "waiting"  // another run is at work in the state folder; Step is zero
	EventStarted  EventType = "started"  // the step begins
	EventOutput   EventType = "output"   // Line is a line of its output
	EventProgress EventType = "progress" // Bytes of Total were downloaded
	EventDone     EventType = "done"     // the command ended well; what it brought is checked next
	EventEnded    EventType = "ended"    // Outcome is final
)

// An Event tells how a run goes. Each step that is begun has one EventStarted,
// and each step one EventEnded.
type Event struct {
	Type    EventType
	Step    Step
	Line    string // without line end and control characters, at most MaxLine bytes
	Bytes   int64
	Total   int64 // 0 if it is not known
	Outcome *Outcome
}

// An OutcomeStatus sums up an [Outcome].
type OutcomeStatus string

const (
	StatusVerified    OutcomeStatus = "verified"    // it ran, and what it was to bring is there
	StatusOffPath     OutcomeStatus = "off-path"    // it ran, and a program is there, in a folder that is not on PATH
	StatusUnverified  OutcomeStatus = "unverified"  // it ran, and something that it was to bring is not there
	StatusFailed      OutcomeStatus = "failed"      // it ended with an error
	StatusBlocked     OutcomeStatus = "blocked"     // not approved; nothing was done
	StatusSkipped     OutcomeStatus = "skipped"     // a step that it needs did not succeed, or the run ended before it
	StatusInterrupted OutcomeStatus = "interrupted" // ended with the run's context; what it did is not known
)

// An Outcome is what became of a step.
type Outcome struct {
	Step    Step          `json:"step"`
	Status  OutcomeStatus `json:"status"`
	Missing []Requirement `json:"missing,omitempty"` // what was to be there and is not; after a removal, what still is
	// Where is where a program of StatusOffPath lies.
	Where string `json:"where,omitempty"`
	// Detail says in one line what went wrong, with the end of the output of
	// a command that failed, and what to do. Empty for StatusVerified.
	Detail string `json:"detail,omitempty"`
	Err    error  `json:"-"` // the error behind Detail, or nil
}

// A ReceiptState says how far a step got.
type ReceiptState string

const (
	ReceiptStarted   ReceiptState = "started"   // it began, and its outcome is unknown unless a run is at it now
	ReceiptInstalled ReceiptState = "installed" // it ran
	ReceiptFailed    ReceiptState = "failed"    // it ended with an error or was interrupted; parts may be there
)
