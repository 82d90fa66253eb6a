package requires

import (
	"iter"
	"strconv"
	"strings"

	"github.com/matrix-nexus/skillkit/metadata"
)

// A Kind says what kind of thing is required. It is the name of the field
// that requires it, without "optional".
type Kind string

const (
	KindOS     Kind = "os"              // a value of GOOS; one of those named is enough
	KindBin    Kind = "bins"            // a program
	KindAnyBin Kind = "any_bins"        // a program; one of those named is enough
	KindEnv    Kind = "env"             // an environment variable that is not empty
	KindConfig Kind = "config"          // a dotted path into the configuration
	KindPython Kind = "python_packages" // a distribution, with version specifiers as written
	KindSkill  Kind = "skills"          // another skill
	KindTool   Kind = "tools"           // a tool of the agent
)

// A State is what is known about one thing that is required.
type State string

const (
	StateFound     State = "found"
	StateProvided  State = "provided" // a Python package that uv fetches when a script is run with it
	StateMissing   State = "missing"
	StateOffPath   State = "off-path"  // a program that is installed, in a folder that is not on PATH
	StateRefused   State = "refused"   // a name under which nothing is looked for, such as a path
	StateUnchecked State = "unchecked" // the environment cannot tell
)

// met reports whether the thing can be used.
func (s State) met() bool { return s == StateFound || s == StateProvided }

// An Item is one thing that a skill requires, and what became of it.
type Item struct {
	Kind Kind   `json:"kind"`
	Name string `json:"name"` // untrusted text, as the file has it
	// Optional things are reported and never make a skill unready.
	Optional bool  `json:"optional,omitempty"`
	State    State `json:"state"`
	// Where, Version and Interpreter are those of the [Status].
	Where       string            `json:"where,omitempty"`
	Version     string            `json:"version,omitempty"`
	Interpreter string            `json:"interpreter,omitempty"`
	Pos         metadata.Position `json:"pos,omitzero"` // zero for an os
}

// String says in one line for people what became of it, as in
// `program "jq" is not on PATH`. The name is quoted as Go quotes it.
func (it Item) String() string {
	return it.Kind.noun() + " " + strconv.Quote(it.Name) + " " + it.verdict()
}

func (it *Item) verdict() string {
	switch it.State {
	case StateFound:
		return "is there"
	case StateProvided:
		return "is provided by uv"
	case StateOffPath:
		return "is installed as " + it.Where + ", which is not on PATH"
	case StateRefused:
		return "has a name that is not looked up"
	case StateMissing:
		switch it.Kind {
		case KindBin, KindAnyBin:
			return "is not on PATH"
		case KindEnv:
			return "is not set, or empty"
		case KindConfig:
			return "is not set"
		case KindOS:
			return "is not this system"
		case KindPython:
			if it.Version != "" {
				return "is not there; version " + it.Version + " is, in " + it.Where
			}
			if it.Where == noPython {
				return "is not there: " + noPython
			}
		}
		return "is not there"
	}
	if it.Where != "" {
		return "was not checked: " + it.Where
	}
	return "was not checked"
}

func (k Kind) noun() string {
	switch k {
	case KindOS:
		return "system"
	case KindBin, KindAnyBin:
		return "program"
	case KindEnv:
		return "environment variable"
	case KindConfig:
		return "configuration key"
	case KindPython:
		return "python package"
	case KindSkill:
		return "skill"
	case KindTool:
		return "tool"
	}
	return string(k)
}

// A Readiness sums up a [Report].
type Readiness string

const (
	Ready       Readiness = "ready"       // all that is required was found or is provided
	Missing     Readiness = "missing"     // something that is required is missing
	Unsupported Readiness = "unsupported" // the skill is for other systems
	Unknown     Readiness = "unknown"     // nothing is missing as far as is known, but not all is known
	Disabled    Readiness = "disabled"    // the operator switched the skill off
)

// A Report is the result of [Check]. It belongs to the caller.
type Report struct {
	// Readiness is the first that applies of Disabled, Unsupported, Missing,
	// Unknown and Ready. Whoever changes Items keeps it in step.
	Readiness Readiness `json:"readiness"`
	// RequiresUnknown is that of the manifest: Items may be incomplete.
	RequiresUnknown bool `json:"requires_unknown,omitempty"`
	// Items are all things that the manifest names, by kind in the order of
	// the constants above, the optional ones last, else as the file has them.
	Items []Item `json:"items,omitempty"`
}

// Missing returns the required items that make the skill unready. Of any_bins
// it returns all alternatives when none was found, and else none. The systems
// that a skill is for are not among them.
func (r *Report) Missing() []Item {
	return r.unmet(func(s State) bool { return s != StateUnchecked })
}

// Unchecked returns the required items that the environment knows nothing
// about, which are neither there nor missing.
func (r *Report) Unchecked() []Item {
	return r.unmet(func(s State) bool { return s == StateUnchecked })
}

func (r *Report) unmet(match func(State) bool) []Item {
	var list []Item
	for it, state := range r.required() {
		if it.Kind != KindOS && !state.met() && match(state) {
			list = append(list, *it)
		}
	}
	return list
}

// required yields the items that are not optional, each with its state, or
// with that of all alternatives together if it is one of them.
func (r *Report) required() iter.Seq2[*Item, State] {
	return func(yield func(*Item, State) bool) {
		anyOS, anyBin := r.anyOf(KindOS), r.anyOf(KindAnyBin)
		for i := range r.Items {
			it := &r.Items[i]
			state := it.State
			switch it.Kind {
			case KindOS:
				state = anyOS
			case KindAnyBin:
				state = anyBin
			}
			if !it.Optional && !yield(it, state) {
				return
			}
		}
	}
}

// anyOf returns the state of the alternatives of a kind: found if one of them
// was, else unchecked if one of them may be there, else missing.
func (r *Report) anyOf(kind Kind) State {
	state := StateMissing
	for i := range r.Items {
		switch it := &r.Items[i]; {
		case it.Kind != kind:
		case it.State.met():
			return StateFound
		case it.State == StateUnchecked:
			state = StateUnchecked
		}
	}
	return state
}

// Hidden says why the skill is not to be offered to a model: it is disabled,
// or for other systems. It is empty for a skill that is to be offered.
func (r *Report) Hidden() string {
	switch r.Readiness {
	case Disabled:
		return "disabled in the configuration"
	case Unsupported:
		var names []string
		where := ""
		for _, it := range r.Items {
			if it.Kind == KindOS {
				names = append(names, strconv.Quote(it.Name))
				where = it.Where
			}
		}
		text := "only for " + strings.Join(names, ", ")
		if where != "" {
			text += "; this is " + where
		}
		return text
	}
	return ""
}

// Lacks says in one line each, for people, what [Report.Missing] returns; the
// alternatives of any_bins are one line, the last.
func (r *Report) Lacks() []string {
	var lines, names, remarks []string
	for _, it := range r.Missing() {
		if it.Kind != KindAnyBin {
			lines = append(lines, it.String())
			continue
		}
		names = append(names, strconv.Quote(it.Name))
		if it.State != StateMissing {
			remarks = append(remarks, "; "+it.String())
		}
	}
	if names != nil {
		lines = append(lines, "none of the programs "+strings.Join(names, ", ")+" is on PATH"+strings.Join(remarks, ""))
	}
	return lines
}
