package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/executa/manifest"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/requires"
)

// A Config is what a configuration file says. The zero Config is that of an
// empty file. It is safe for concurrent use as long as nobody changes its
// fields.
type Config struct {
	// Roots are the folders to read skills from, the last of which wins. A
	// leading "~" stands for the home folder of the user. Nil means that the
	// file names none.
	Roots []string
	// Workspace is the folder of the workspace, in the same form, or empty.
	Workspace string
	// Paths are more folders in which programs are looked for, in the same
	// form. They need not be on PATH.
	Paths []string
	// Python are the interpreters and virtual environments whose packages
	// count, in the same form. They are paths, never names to look up on PATH.
	Python []string
	// AllowBundled are the names or keys of the only bundled skills to use. Nil
	// means all of them; an empty list, none.
	AllowBundled []string
	// Install says how what is missing may be installed.
	Install Install
	// Plugins are the Executa plugins, sorted by id, those that are disabled
	// among them.
	Plugins []Plugin
	// Providers are services to connect a user to besides those of
	// [manifest.Providers], sorted by id; one that has the id of such a one
	// takes its place.
	Providers []manifest.Provider

	file   string
	skills map[string]*settings
	named  []mention // the skills that the file names
}

// A mention is a place where the file names a skill.
type mention struct {
	name string
	pos  metadata.Position
}

// An Install says how what skills lack may be installed. The zero Install
// leaves everything to the defaults.
type Install struct {
	// Allow is what may be installed: each a kind, such as "apt", or a kind, a
	// colon and a doublestar pattern for the package, or for the URL without
	// its scheme, such as "npm:@example/*". Nil means everything; an empty
	// list, nothing.
	Allow []string
	// Prefer are the kinds to take first, in this order.
	Prefer []metadata.Kind
	// NodeManager is npm, pnpm, yarn or bun, or empty.
	NodeManager string
	// PythonIndex is the URL of a package index, or empty: https, or http to
	// this machine, without user, password, query and fragment.
	PythonIndex string
}

// settings are what the file says about one skill.
type settings struct {
	disabled bool
	apiKey   secret // or nil
	env      map[string]secret
	paths    map[string]bool // under config: all paths that lead to something
}

// A secret is a value behind a function, since that is what neither fmt nor an
// encoder looks into, be it held in an unexported field or by a pointer.
type secret func() string

func seal(value string) secret { return func() string { return value } }

// An Entry is what the configuration says about one skill. The zero Entry says
// nothing. It is safe for concurrent use, and shows no values when printed.
type Entry struct{ s *settings }

// Skill returns what c says about the skill with that name and key, which may
// be the same or empty.
func (c *Config) Skill(name, key string) Entry {
	byName, byKey := c.skills[name], c.skills[key]
	switch {
	case byKey == nil:
		return Entry{byName}
	case byName == nil || byName == byKey:
		return Entry{byKey}
	}
	s := &settings{
		disabled: byName.disabled || byKey.disabled,
		apiKey:   byName.apiKey,
		env:      make(map[string]secret),
		paths:    make(map[string]bool),
	}
	if byKey.apiKey != nil {
		s.apiKey = byKey.apiKey
	}
	for _, from := range []*settings{byName, byKey} {
		maps.Copy(s.env, from.env)
		maps.Copy(s.paths, from.paths)
	}
	return Entry{s}
}

// UnknownSkills returns a problem, of severity info, for each skill that the
// file names and that known, which is asked for a name or key, does not have:
// what the file says about it has no effect. They are sorted by position.
func (c *Config) UnknownSkills(known func(nameOrKey string) bool) []metadata.Problem {
	var problems []metadata.Problem
	for _, m := range c.named {
		if !known(m.name) {
			problems = append(problems, metadata.Problem{
				Code: codeUnknownSkill, Severity: metadata.Info, File: c.file, Position: m.pos,
				Message: fmt.Sprintf("there is no skill %q, so this has no effect: correct or remove it", m.name),
			})
		}
	}
	slices.SortFunc(problems, metadata.Problem.Compare)
	return problems
}

// Enabled reports whether the skill may be used.
func (e Entry) Enabled() bool { return e.s == nil || !e.s.disabled }

// Settings returns e in the form in which [requires.Host.With] takes it.
// primaryEnv is that of the skill's manifest, or empty.
func (e Entry) Settings(primaryEnv string) requires.Settings {
	return requires.Settings{
		Disabled: !e.Enabled(),
		Var:      func(name string) (string, bool) { return e.lookup(primaryEnv, name) },
		Config:   e.has,
	}
}

// Environ returns the variables that the skill's commands get on top of the
// environment of the host, as "NAME=value", sorted. They are what
// [Entry.Settings] lets the check see. They are secrets, and the caller's to
// keep: give them to the commands of this skill only, never to [os.Setenv].
func (e Entry) Environ(primaryEnv string) []string {
	if e.s == nil {
		return nil
	}
	names := slices.Collect(maps.Keys(e.s.env))
	if !slices.Contains(names, primaryEnv) {
		names = append(names, primaryEnv)
	}
	slices.Sort(names)
	var environ []string
	for _, name := range names {
		if value, ok := e.lookup(primaryEnv, name); ok {
			environ = append(environ, name+"="+value)
		}
	}
	return environ
}

func (e Entry) lookup(primaryEnv, name string) (value string, ok bool) {
	if e.s == nil {
		return "", false
	}
	if text, set := e.s.env[name]; set {
		value, ok = text(), true
	}
	// primaryEnv comes from the skill, which is not to be trusted with the
	// choice of any variable.
	if value == "" && name == primaryEnv && e.s.apiKey != nil && validVar(name) && !requires.Reserved(name) {
		return e.s.apiKey(), true
	}
	return value, ok
}

func (e Entry) has(path string) bool { return e.s != nil && e.s.paths[path] }

// validVar reports whether name can be that of an environment variable.
func validVar(name string) bool { return name != "" && !strings.ContainsAny(name, "=\x00") }
