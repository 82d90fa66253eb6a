package requires

import (
	"cmp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
)

// Options describe the machine to [NewHost]. The zero Options, like a nil
// *Options, are this system with an empty environment and thus no PATH.
type Options struct {
	// Lookup is the environment that the commands of skills get, in the form
	// of [os.LookupEnv]: a variable that they do not get must not be found
	// here. PATH, and PATHEXT on Windows, are taken from it.
	Lookup func(name string) (value string, ok bool)

	// GOOS is the system, as [runtime.GOOS], which is what empty means.
	GOOS string

	// Extra are folders outside PATH, such as those of [UsualDirs], in which
	// programs are looked for that PATH does not lead to. They are reported
	// as [StateOffPath]. Paths that are not absolute are ignored.
	Extra []string

	// Python are the interpreters whose packages count, in the order in which
	// they are searched: each the absolute path of a program or of the folder
	// of a virtual environment. Others are ignored. With none, it is python3,
	// or else python, on PATH; on Windows the other way round.
	Python []string

	// Managed is the absolute path of the folder of a virtual environment that
	// is searched after those of Python, and need not exist: the one into
	// which missing packages are installed. Its interpreter is [VenvPython].
	Managed string

	// Skill and Tool report whether the skill or the tool of the agent is
	// there. Nil means that it cannot be told.
	Skill func(nameOrKey string) bool
	Tool  func(name string) bool
}

// A Host is the [Env] of this machine. It reads the folders on PATH once, when
// a program is first asked for, and asks the system about a program once; the
// same goes for the folders of Python packages. What it found holds until
// [Host.Refresh]. It is safe for concurrent use if the functions in its options
// are.
//
// # Python packages
//
// A package is looked for by the name of its distribution, in which case and
// the kind of separators do not matter, and then by the name under which it is
// imported: both PyYAML and yaml are found. What belongs to Python's library is
// found too. Of several distributions of one name, the one counts that the
// interpreter sees first. Its version must match the specifiers, if there are
// any, by the rules of PEP 440, and may be a pre-release.
//
// Not checked are the packages that an extra adds, as in "rich[jupyter]", and
// whether a distribution comes from the URL that is given. A marker, as in
// "rich; os_name == 'nt'", is not evaluated: what is there is found, and what is
// not is [StateUnchecked]. So is a package whose version is needed and not known.
//
// No interpreter is started if its folders follow from the rules of CPython, as
// those of a virtual environment, of a build in a folder of its own and of
// Debian do. Another, such as a script of pyenv, is started once, in the current
// folder, with the variables of Lookup that have to do with it, and has 10
// seconds to answer. The packages of one that does not are StateUnchecked.
//
// If uv is on PATH, a package that is not found is [StateProvided].
type Host struct {
	*machine
	settings Settings
}

// machine is what the views of one Host share.
type machine struct {
	opts Options
	seen atomic.Pointer[seen]
}

// seen is what was found since the last Refresh.
type seen struct {
	programs *pathIndex
	packages *pythonIndex
}

// NewHost returns the Host that opts describe. It reads nothing yet.
func NewHost(opts *Options) *Host {
	m := &machine{}
	if opts != nil {
		m.opts = *opts
		m.opts.Extra = slices.Clone(opts.Extra)
		m.opts.Python = slices.Clone(opts.Python)
	}
	m.opts.GOOS = cmp.Or(m.opts.GOOS, runtime.GOOS)
	if m.opts.Lookup == nil {
		m.opts.Lookup = func(string) (string, bool) { return "", false }
	}
	h := &Host{machine: m}
	h.Refresh()
	return h
}

// Settings are what a configuration says about one skill. The zero Settings
// say nothing.
type Settings struct {
	// Disabled switches the skill off.
	Disabled bool
	// Var looks up a variable that the skill's commands get in addition to,
	// or in place of, the environment of the host. Nil means that there are
	// none. Variables for which [Reserved] holds are not taken from it.
	Var func(name string) (value string, ok bool)
	// Config reports whether the configuration holds something at a dotted
	// path. Nil means that it cannot be told.
	Config func(path string) bool
}

// With returns h as one skill sees it. Whatever h has read is shared.
func (h *Host) With(s Settings) *Host { return &Host{h.machine, s} }

// Refresh makes h, and all that share with it, forget what programs and packages
// it found. The next look-up reads the folders on PATH, and PATH itself, again,
// which takes about a millisecond. Call it after something was installed, and in a
// long-lived process before skills are checked again.
func (h *Host) Refresh() {
	programs := newPathIndex(&h.opts)
	h.seen.Store(&seen{programs, newPythonIndex(&h.opts, programs)})
}

// Disabled implements [Env].
func (h *Host) Disabled() bool { return h.settings.Disabled }

// Lookup implements [Env]. The Where of a program is its absolute path, or the
// folders that were searched in the form of PATH. That of a Python package is
// the file or folder of its metadata, as NAME-VERSION.dist-info, or of the
// module; if uv provides it the path of uv; or else the folders that were
// searched.
func (h *Host) Lookup(kind Kind, name string) Status {
	switch kind {
	case KindOS:
		return Status{State: foundIf(name == h.opts.GOOS), Where: h.opts.GOOS}
	case KindBin, KindAnyBin:
		return h.seen.Load().programs.lookup(name)
	case KindPython:
		return h.seen.Load().packages.lookup(name)
	case KindEnv:
		return h.lookupVar(name)
	case KindConfig:
		return ask(h.settings.Config, name, "configuration")
	case KindSkill:
		return ask(h.opts.Skill, name, "skills")
	case KindTool:
		return ask(h.opts.Tool, name, "tools")
	}
	return Status{State: StateUnchecked}
}

func (h *Host) lookupVar(name string) Status {
	if name == "" || strings.ContainsAny(name, "=\x00") {
		return Status{State: StateRefused}
	}
	if h.settings.Var != nil && !Reserved(name) {
		if value, ok := h.settings.Var(name); ok {
			return Status{State: foundIf(value != ""), Where: "configuration"}
		}
	}
	value, _ := h.opts.Lookup(name)
	return Status{State: foundIf(value != ""), Where: "environment"}
}

func ask(has func(string) bool, name, where string) Status {
	if has == nil {
		return Status{State: StateUnchecked}
	}
	return Status{State: foundIf(has(name)), Where: where}
}

func foundIf(ok bool) State {
	if ok {
		return StateFound
	}
	return StateMissing
}

// Reserved reports whether a variable may not be set for one skill: those of
// the dynamic loader (LD_*, DYLD_*), with which a configuration could run its
// code in any program, and PATH and PATHEXT, by which the programs are found
// that all skills share. Case does not matter.
func Reserved(name string) bool {
	return LoaderVariable(name) || strings.EqualFold(name, "PATH") || strings.EqualFold(name, "PATHEXT")
}

// LoaderVariable reports whether a variable steers the dynamic loader, and
// thereby what code runs in any program: LD_* and DYLD_*, see ld.so(8) and
// dyld(1). Case does not matter.
func LoaderVariable(name string) bool {
	name = strings.ToUpper(name)
	return strings.HasPrefix(name, "LD_") || strings.HasPrefix(name, "DYLD_")
}
