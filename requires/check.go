package requires

import (
	"cmp"

	"github.com/matrix-nexus/skillkit/metadata"
)

// An Env answers for the place where the commands of one skill run. [Host] is
// the real one. An Env that is used from several goroutines must allow it.
type Env interface {
	// Lookup says whether the thing of that kind and name is there. It
	// answers [StateUnchecked], as does the zero Status, for what it knows
	// nothing about, and never guesses. For [KindOS] the name is a GOOS.
	Lookup(kind Kind, name string) Status
	// Disabled reports whether the operator switched the skill off.
	Disabled() bool
}

// A Status is the answer of an [Env].
type Status struct {
	State State
	// Where is the place where the thing was found, such as an absolute path
	// or "configuration", or where it was looked for, or why that could not be
	// done. It never holds a value.
	Where string
	// Version is that of the Python distribution at Where, and Interpreter the
	// absolute path of the interpreter that has it. Empty if there is none, if
	// it is not known, and for other things.
	Version, Interpreter string
}

// Check looks up in env all that m requires. It touches nothing else, and the
// same answers of env give the same report. A skill that is always loaded or
// disabled is looked up like any other.
func Check(m *metadata.Manifest, env Env) Report {
	q := &m.Requires
	r := Report{RequiresUnknown: m.RequiresUnknown}
	n := len(m.OS) + len(q.Bins) + len(q.AnyBins) + len(q.Env) + len(q.Config) +
		len(q.PythonPackages) + len(q.Skills) + len(q.Tools) +
		len(q.OptionalBins) + len(q.OptionalEnv) + len(q.OptionalConfig) + len(q.OptionalPythonPackages)
	if n > 0 {
		r.Items = make([]Item, 0, n)
		for _, name := range m.OS {
			r.add(env, KindOS, false, metadata.Requirement{Name: name})
		}
		r.add(env, KindBin, false, q.Bins...)
		r.add(env, KindAnyBin, false, q.AnyBins...)
		r.add(env, KindEnv, false, q.Env...)
		r.add(env, KindConfig, false, q.Config...)
		r.add(env, KindPython, false, q.PythonPackages...)
		r.add(env, KindSkill, false, q.Skills...)
		r.add(env, KindTool, false, q.Tools...)
		r.add(env, KindBin, true, q.OptionalBins...)
		r.add(env, KindEnv, true, q.OptionalEnv...)
		r.add(env, KindConfig, true, q.OptionalConfig...)
		r.add(env, KindPython, true, q.OptionalPythonPackages...)
	}
	r.Readiness = r.readiness(env.Disabled())
	return r
}

func (r *Report) add(env Env, kind Kind, optional bool, reqs ...metadata.Requirement) {
	for _, q := range reqs {
		s := env.Lookup(kind, q.Name)
		r.Items = append(r.Items, Item{
			Kind: kind, Name: q.Name, Optional: optional, Pos: q.Pos,
			State: cmp.Or(s.State, StateUnchecked), Where: s.Where,
			Version: s.Version, Interpreter: s.Interpreter,
		})
	}
}

// readiness puts what is certainly missing before what is merely not known.
func (r *Report) readiness(disabled bool) Readiness {
	if disabled {
		return Disabled
	}
	sum := Ready
	if r.RequiresUnknown {
		sum = Unknown
	}
	for it, state := range r.required() {
		switch {
		case state.met():
		case state == StateUnchecked:
			if sum == Ready {
				sum = Unknown
			}
		case it.Kind == KindOS:
			return Unsupported
		default:
			sum = Missing
		}
	}
	return sum
}
