package check

import (
	"cmp"

	"github.com/matrix-nexus/skillkit/metadata"
)

// A Finding is a fault that a rule found.
type Finding struct {
	Rule     string // the ID of the rule
	Severity metadata.Severity
	// File is the slash-separated path of the file, as [Target.Path] starts
	// it.
	File string
	// Position is zero if the fault is that of the whole file or folder.
	metadata.Position
	// End is the place behind the last character; zero if Position is.
	End metadata.Position
	// Message says what is wrong and what to do, in lower case without a
	// final period. It never holds a secret.
	Message string
	// Fix is a repair that is safe to make without looking, or nil.
	Fix *Fix
	// Ignored is the reason given by the comment that takes the finding
	// back, or empty.
	Ignored string
}

// String formats f as "file:line:column: severity: message (rule)".
func (f Finding) String() string {
	s := f.File
	if f.IsValid() {
		s += ":" + f.Position.String()
	}
	return s + ": " + f.Severity.String() + ": " + f.Message + " (" + f.Rule + ")"
}

// Compare orders findings by file, position, rule and message.
func (f Finding) Compare(g Finding) int {
	return cmp.Or(
		cmp.Compare(f.File, g.File),
		f.Position.Compare(g.Position),
		cmp.Compare(f.Rule, g.Rule),
		cmp.Compare(f.Message, g.Message),
	)
}

// A Fix is a set of edits to the file of a finding that belong together.
type Fix struct {
	// Message is a verb phrase, such as "quote the value".
	Message string
	// Edits do not overlap and are sorted.
	Edits []metadata.Edit
	// Changes are the fields of [metadata.Manifest], or "Body", that are read
	// as something else after the edits; nothing else may be. [Checker.Fix]
	// sees to it.
	Changes []string
}
