package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/matrix-nexus/skillkit/config"
	"github.com/matrix-nexus/skillkit/executa"
	"github.com/matrix-nexus/skillkit/executa/manifest"
	"github.com/matrix-nexus/skillkit/loader"
	"github.com/matrix-nexus/skillkit/registry"
)

type pluginCmd struct {
	List     pluginListCmd     `cmd:"" help:"List the plugins of the configuration."`
	Doctor   pluginDoctorCmd   `cmd:"" help:"Say what of a plugin would not work, why, and how to mend it."`
	Describe pluginDescribeCmd `cmd:"" help:"Print what a plugin says of itself."`
	Call     pluginCallCmd     `cmd:"" help:"Call a tool of a plugin and print what it answers."`
}

func (pluginCmd) Help() string {
	return `A plugin, an Executa Tool, is a program that serves tools over its standard input and output. The configuration lists those whose tools "skills tools" and "skills call" offer beside the skills:

  plugins:
    tool-acme-notes-k3v9:
      dir: ~/plugins/notes    # with an executa.json
    charts:
      command: [/opt/charts/bin/charts, --stdio]`
}

// targetHelp explains a target to people.
const targetHelp = `The plugin is the id of one in the configuration, its folder, or the command that starts it, which may follow after "--":

  skills plugin %[1]s notes
  skills plugin %[1]s ~/plugins/notes
  skills plugin %[1]s -- python3 plugin.py --stdio`

// ending bounds how long plugins may take to end when the command is interrupted.
const ending = 3 * time.Second

// pluginWorld returns the configuration without the skills.
func (a *app) pluginWorld() (*world, error) {
	w := &world{app: a}
	if err := w.configure(); err != nil {
		return nil, err
	}
	return w, nil
}

// pluginTarget returns the same and the plugin that args name; see [world.plugin].
func (a *app) pluginTarget(args []string) (*world, executa.Spec, error) {
	w, err := a.pluginWorld()
	if err != nil {
		return nil, executa.Spec{}, err
	}
	spec, err := w.plugin(args)
	return w, spec, err
}

// plugin returns the plugin that args name. A *noPluginError comes beside the plugin
// of that command.
func (w *world) plugin(args []string) (executa.Spec, error) {
	if len(args) > 1 {
		return executa.Spec{Command: args}, nil
	}
	name := args[0]
	if i := slices.IndexFunc(w.config.Plugins, func(p config.Plugin) bool { return p.ID == name }); i >= 0 {
		return w.spec(&w.config.Plugins[i])
	}
	path, err := loader.Abs(name, w.app.env)
	if err != nil {
		return executa.Spec{}, err
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return executa.Spec{Dir: path}, nil
	}
	if strings.ContainsRune(filepath.ToSlash(name), '/') {
		return executa.Spec{Command: []string{path}}, nil
	}
	spec := executa.Spec{Command: args}
	if _, err := executa.CommandLine(spec, &executa.Options{Environ: w.app.environ}); err != nil {
		return spec, w.noPlugin(name)
	}
	return spec, nil
}

// A noPluginError reports a word that is neither an id nor a folder nor a program.
type noPluginError struct{ msg string }

func (e *noPluginError) Error() string { return e.msg }

func (w *world) noPlugin(name string) error {
	var ids []string
	for _, p := range w.config.Plugins {
		ids = append(ids, p.ID)
	}
	msg := fmt.Sprintf("there is no plugin %q: no id in the configuration, which has %s, no folder, and no program on PATH",
		name, cmp.Or(strings.Join(ids, ", "), "none"))
	for _, p := range w.faults {
		if rest, found := strings.CutPrefix(p.Message, "plugins."+name); found && strings.IndexAny(rest, ".:") == 0 {
			msg += "\n" + p.String()
		}
	}
	return &noPluginError{msg}
}

// spec returns how a plugin of the configuration is run.
func (w *world) spec(p *config.Plugin) (executa.Spec, error) {
	spec := executa.Spec{
		ID: p.ID, Command: slices.Clone(p.Command), Env: p.Environ(), InheritEnv: p.InheritEnv, SHA256: p.SHA256,
		MaxInFlight: p.MaxInFlight, Timeout: p.Timeout, LenientResult: p.LenientResult, CompatName: p.CompatName,
	}
	var err error
	if p.Dir != "" {
		spec.Dir, err = loader.Abs(p.Dir, w.app.env)
	}
	if err == nil && len(spec.Command) > 0 && strings.HasPrefix(spec.Command[0], "~") {
		spec.Command[0], err = loader.Abs(spec.Command[0], w.app.env)
	}
	if err != nil {
		return executa.Spec{}, fmt.Errorf("configuration: plugin %q: %w", p.ID, err)
	}
	return spec, nil
}

// pluginOptions returns how this command runs plugins.
func (w *world) pluginOptions() *executa.Options {
	return &executa.Options{Environ: w.app.environ, Credentials: w.resolver()}
}

// resolver finds credentials in the store of "skills auth".
func (w *world) resolver() executa.Resolver {
	store, err := w.credentials()
	if err != nil {
		// A plugin that wants none runs nevertheless.
		return func(context.Context, string, string) (string, bool, error) { return "", false, err }
	}
	return store.Resolve
}

// withHost calls f with a host for plugins, and ends these. A plugin is ended also
// if the command is interrupted, and interrupted again.
func (w *world) withHost(r *registry.Registry, f func(*executa.Host) error) error {
	defer ignoreSignals()()
	host := executa.NewHost(r, w.pluginOptions())
	err := f(host)
	ctx := context.WithoutCancel(w.app.ctx)
	if w.app.ctx.Err() != nil {
		bounded, cancel := context.WithTimeout(ctx, ending)
		defer cancel()
		ctx = bounded
	}
	return errors.Join(err, host.Close(ctx))
}

// ignoreSignals makes signals not end this process until the function that it
// returns is called: one more would leave to itself what the first one ends within
// seconds; and so would an output that nobody reads any more.
func ignoreSignals() (stop func()) {
	more := make(chan os.Signal, 1)
	signal.Notify(more, os.Interrupt, syscall.SIGTERM, syscall.SIGPIPE)
	return func() { signal.Stop(more) }
}

// anonymous is the id of a plugin that nothing names.
const anonymous = "plugin"

// named calls f with spec, and once more with an id if nothing names the plugin.
func named[T any](spec executa.Spec, f func(executa.Spec) (T, error)) (T, error) {
	v, err := f(spec)
	if errors.Is(err, executa.ErrNoID) {
		spec.ID = anonymous
		return f(spec)
	}
	return v, err
}

// A pluginFault is a plugin that is not there, and why.
type pluginFault struct{ id, reason string }

// known reports whether the tools of a plugin can probably be told without starting
// it.
func known(spec *executa.Spec) bool {
	if spec.Dir == "" {
		return false
	}
	_, err := os.Stat(filepath.Join(spec.Dir, manifest.ArchiveFile))
	return err == nil
}

// startBound is how long the start of a plugin may take for a listing.
const startBound = 30 * time.Second

// register adds a plugin of the configuration to host.
func (w *world) register(host *executa.Host, p *config.Plugin) error {
	spec, err := w.spec(p)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(w.app.ctx, startBound)
	defer cancel()
	_, err = host.Register(ctx, spec)
	return err
}

// registerAll adds all plugins, side by side, and returns those that could not be
// added.
func (w *world) registerAll(host *executa.Host) []pluginFault {
	faults := make([]pluginFault, len(w.config.Plugins))
	var wg sync.WaitGroup
	for i := range w.config.Plugins {
		p := &w.config.Plugins[i]
		faults[i].id = p.ID
		if p.Disabled {
			faults[i].reason = "disabled in the configuration"
			continue
		}
		wg.Go(func() {
			if err := w.register(host, p); err != nil {
				faults[i].reason = reason(p.ID, err)
			}
		})
	}
	wg.Wait()
	return slices.DeleteFunc(faults, func(f pluginFault) bool { return f.reason == "" })
}

// reason returns the text of err without what is said anyway.
func reason(id string, err error) string {
	return strings.TrimPrefix(err.Error(), fmt.Sprintf("plugin %q: ", id))
}

// registerFor adds plugins until there is a tool of that name: first the one that
// the name starts with, then those whose tools are known without a start.
func (w *world) registerFor(host *executa.Host, r *registry.Registry, name string) (*registry.Tool, []pluginFault, error) {
	list := slices.Clone(w.config.Plugins)
	rank := func(p *config.Plugin) int {
		spec, err := w.spec(p)
		switch {
		case strings.HasPrefix(strings.ToLower(name), strings.ToLower(registry.PluginToolName(p.ID, ""))):
			return 0
		case err == nil && known(&spec):
			return 1
		}
		return 2
	}
	slices.SortStableFunc(list, func(a, b config.Plugin) int { return rank(&a) - rank(&b) })
	var faults []pluginFault
	for i := range list {
		p := &list[i]
		if p.Disabled {
			faults = append(faults, pluginFault{p.ID, "disabled in the configuration"})
			continue
		}
		if err := w.register(host, p); err != nil {
			if w.app.ctx.Err() != nil {
				return nil, nil, err
			}
			faults = append(faults, pluginFault{p.ID, reason(p.ID, err)})
			continue
		}
		if tool, err := r.Lookup(name); err == nil {
			return tool, nil, nil
		}
	}
	_, err := r.Lookup(name)
	return nil, faults, err
}

// A describeTrace keeps what a plugin answers describe with, as it is.
type describeTrace struct {
	mu     sync.Mutex
	id     string
	answer json.RawMessage
}

func (t *describeTrace) trace(_ string, sent bool, line []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !sent && (t.id == "" || t.answer != nil) || sent && !bytes.Contains(line, []byte(`"describe"`)) {
		return
	}
	var m struct {
		ID     json.RawMessage
		Method string
		Result json.RawMessage
	}
	if json.Unmarshal(line, &m) != nil {
		return
	}
	switch {
	case sent && m.Method == "describe":
		t.id, t.answer = string(m.ID), nil
	case !sent && m.Method == "" && string(m.ID) == t.id:
		t.answer = m.Result
	}
}
