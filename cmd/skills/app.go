package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/matrix-nexus/skillkit/bundled"
	"github.com/matrix-nexus/skillkit/cmd/internal/cli"
	"github.com/matrix-nexus/skillkit/config"
	"github.com/matrix-nexus/skillkit/converter"
	"github.com/matrix-nexus/skillkit/loader"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/registry"
	"github.com/matrix-nexus/skillkit/requires"
	"github.com/matrix-nexus/skillkit/skills"
)

// An app is what the subcommands run with.
type app struct {
	ctx     context.Context
	flags   *flags
	environ []string   // in the form of os.Environ
	env     cli.Lookup // in environ
	stdin   io.Reader
	out     *printer
	stderr  io.Writer
}

// A world is the skills that a command works on, and what decides whether they
// can run.
type world struct {
	app        *app
	set        *skills.Set
	trusted    *skills.Set // without those of a workspace that is not trusted
	config     *config.Config
	configFile string // where it is, or would be; "" on a machine without a home
	state      string // the state folder, or "" likewise
	host       *requires.Host
	faults     []metadata.Problem // of the configuration and the workspace
	distrust   string             // why the workspace is not trusted, or ""
}

// load reads the configuration and the index of the skills.
func (a *app) load() (*world, error) {
	w := &world{app: a}
	if err := w.configure(); err != nil {
		return nil, err
	}
	opts := &loader.Options{Lookup: a.env, Bundled: bundled.FS()}
	roots := a.flags.Root
	if roots == nil {
		roots = w.config.Roots
	}
	for _, dir := range roots {
		opts.NoBase = true
		opts.Roots = append(opts.Roots, loader.Root{Dir: dir})
	}
	set, err := loader.New(opts).Skills(a.ctx)
	if err != nil {
		return nil, err
	}
	if w.host, err = w.newHost(); err != nil {
		return nil, err
	}
	if err := w.addWorkspace(set); err != nil {
		return nil, err
	}
	return w, nil
}

// newHost returns this machine as the configuration has it.
func (w *world) newHost() (*requires.Host, error) {
	opts := &requires.Options{Lookup: w.app.env, Skill: w.hasTrusted}
	var err error
	if opts.Extra, err = w.absAll(w.config.Paths); err != nil {
		return nil, err
	}
	if opts.Python, err = w.absAll(w.config.Python); err != nil {
		return nil, err
	}
	if w.state != "" {
		opts.Extra = append(opts.Extra, filepath.Join(w.state, "bin"))
		opts.Managed = filepath.Join(w.state, "python")
	}
	opts.Extra = append(opts.Extra, requires.UsualDirs(runtime.GOOS, w.app.env.Home(), w.app.env)...)
	return requires.NewHost(opts), nil
}

// absAll returns paths of the configuration with the home folder in them.
func (w *world) absAll(paths []string) ([]string, error) {
	var list []string
	for _, path := range paths {
		path, err := loader.Abs(path, w.app.env)
		if err != nil {
			return nil, fmt.Errorf("configuration: %w", err)
		}
		list = append(list, path)
	}
	return list, nil
}

// configure reads the configuration: the file that --config names, which must
// exist, or the usual one, which need not.
func (w *world) configure() (err error) {
	w.state, _ = w.app.env.State()
	path := w.app.flags.Config
	if path != "" {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("configuration: %s does not exist; correct --config", path)
		}
	} else {
		dir, err := w.app.env.Dir("XDG_CONFIG_HOME", ".config")
		if err != nil { // a machine without a home has no configuration
			w.config = &config.Config{}
			return nil
		}
		path = filepath.Join(dir, "config.yaml")
	}
	w.configFile = path
	w.config, w.faults, err = config.Load(path)
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	return nil
}

// has reports whether there is a skill with that name or key.
func (w *world) has(nameOrKey string) bool {
	_, err := w.set.Get(nameOrKey)
	return err == nil
}

// hasTrusted reports the same of those that are trusted.
func (w *world) hasTrusted(nameOrKey string) bool {
	_, err := w.trusted.Get(nameOrKey)
	return err == nil
}

// find returns the skill with that name or key. One of a workspace that is not
// trusted takes neither from another.
func (w *world) find(nameOrKey string) (*skills.Skill, error) {
	if s, err := w.trusted.Get(nameOrKey); err == nil {
		return s, nil
	}
	return w.set.Get(nameOrKey)
}

// problems returns what is wrong with the configuration and the skills, all of
// which it decodes.
func (w *world) problems() ([]metadata.Problem, error) {
	list, err := w.set.Problems(w.app.ctx)
	if err != nil {
		return nil, err
	}
	return slices.Concat(w.faults, w.config.UnknownSkills(w.has), list), nil
}

// check returns the manifest of s and whether it can run here. A skill whose
// manifest cannot be read gets an empty one, and all about it is unknown.
func (w *world) check(s *skills.Skill) (*metadata.Manifest, requires.Report) {
	m, err := s.Manifest()
	if err != nil {
		m = &metadata.Manifest{Name: s.Name, Description: s.Description, ExecutionMode: metadata.ModePrompt, RequiresUnknown: true}
	}
	settings := w.config.Skill(m.Name, m.Key()).Settings(m.PrimaryEnv)
	if allowed := w.config.AllowBundled; allowed != nil && s.Source == skills.Bundled {
		settings.Disabled = settings.Disabled || !slices.Contains(allowed, s.Name) && !slices.Contains(allowed, m.Key())
	}
	report := requires.Check(m, w.host.With(settings))
	if w.distrusted(s) != "" {
		report.Readiness = untrusted
	}
	return m, report
}

// converter returns what the converter needs to know.
func (w *world) converter() *converter.Options {
	return &converter.Options{Status: w.status, Materialize: w.materialize}
}

// hidden returns why s, of which report tells, is neither offered to a model
// nor installed for, or "".
func (w *world) hidden(s *skills.Skill, report *requires.Report) string {
	return cmp.Or(w.distrusted(s), report.Hidden())
}

// status says whether a model is offered s, and what it lacks here.
func (w *world) status(s *skills.Skill) converter.Status {
	m, report := w.check(s)
	st := converter.Status{
		Hidden:  w.hidden(s, &report),
		Ready:   report.Readiness == requires.Ready,
		Missing: report.Lacks(),
	}
	if len(st.Missing) > 0 && st.Hidden == "" {
		st.Remedies = w.remedies(m, report)
	}
	managed := requires.VenvPython(runtime.GOOS, filepath.Join(w.state, "python"))
	if slices.ContainsFunc(report.Items, func(it requires.Item) bool { return it.Interpreter == managed }) {
		st.Python = managed
	}
	return st
}

// materialize gives an embedded skill a folder in the state folder.
func (w *world) materialize(s *skills.Skill) (string, error) {
	state, err := w.app.env.State()
	if err != nil {
		return "", err
	}
	return loader.Materialize(state, s)
}

// registry returns a registry of the tools, with the problems of the index and
// of skills that cannot be a tool, or not quite.
func (w *world) registry() (*registry.Registry, []metadata.Problem, error) {
	defs, problems := converter.Defs(w.set, w.converter())
	r := registry.New(nil)
	if _, err := r.Register("skills", defs...); err != nil {
		return nil, nil, err
	}
	for _, t := range r.All() {
		if err := t.SchemaError(); err != nil {
			file := t.Original()
			if s, err := w.set.Get(file); err == nil {
				file = s.Path()
			}
			problems = append(problems, metadata.Problem{
				Code: "bad-schema", Severity: metadata.Warning, File: file, Message: err.Error(),
			})
		}
	}
	problems = slices.Concat(w.faults, problems, w.set.IndexProblems())
	slices.SortFunc(problems, metadata.Problem.Compare)
	return r, slices.Compact(problems), nil
}
