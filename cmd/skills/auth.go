package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/cmd/internal/cli"
	"github.com/matrix-nexus/skillkit/executa/credentials"
	"github.com/matrix-nexus/skillkit/registry"
)

type authCmd struct {
	Status authStatusCmd `cmd:"" help:"Say which providers are set, and which credentials of plugins they serve."`
	List   authListCmd   `cmd:"" help:"List what is set, by name: values are never shown."`
	Set    authSetCmd    `cmd:"" help:"Set a credential, for all plugins or for one."`
	Remove authRemoveCmd `cmd:"" help:"Remove credentials."`
}

func (authCmd) Help() string {
	return `Keeps the credentials that plugins are given. A plugin declares names. For each it gets what is set for a provider that serves the name, else what is set for this plugin, else the default that it declares.

Values are kept in $XDG_STATE_HOME/skillkit or, where that is not set, in ~/.local/state/skillkit: encrypted in the file credentials, with the key in credentials.key. Who has both has the values. Providers besides those built in are listed in the configuration, under providers.`
}

// credentials returns the store of what plugins are given.
func (w *world) credentials() (*credentials.Store, error) {
	state, err := w.app.env.State()
	if err != nil {
		return nil, err
	}
	return credentials.Open(state, w.config.Providers)
}

// credentials returns the same before there is a world.
func (a *app) credentials() (*credentials.Store, error) {
	w, err := a.pluginWorld()
	if err != nil {
		return nil, err
	}
	return w.credentials()
}

type authStatusCmd struct {
	Provider string `arg:"" optional:"" help:"Only this provider."`
}

func (authStatusCmd) Help() string {
	return `Says for each provider whether it is set, and which names it serves: a plugin that declares one of them gets the value.

--json prints {"providers": [{"id", "name", "auth", "fields": [{"name", "set"}], "serves", "maps"}]}: maps are the names that it would serve if all were set.

Exit status with PROVIDER: 0 if all of it is set, 1 if not.`
}

func (c authStatusCmd) Run(a *app) error {
	store, err := a.credentials()
	if err != nil {
		return err
	}
	list, err := store.Status()
	if err != nil {
		return err
	}
	if c.Provider != "" {
		p, err := findProvider(list, c.Provider)
		if err != nil {
			return err
		}
		list = []credentials.Status{*p}
	}
	if a.flags.JSON {
		err = a.out.JSON(struct {
			Providers []credentials.Status `json:"providers"`
		}{list})
	} else {
		var rows [][]cell
		for _, p := range list {
			state, names := cell{"not set", cli.Plain}, "would serve "+strings.Join(p.Maps, ", ")
			if missing := unset(&p); len(missing) == 0 {
				state = cell{"set", cli.Green}
			} else if len(missing) < len(p.Fields) {
				state = cell{"without " + strings.Join(missing, ", "), cli.Yellow}
			}
			if len(p.Serves) > 0 {
				names = "serves " + strings.Join(p.Serves, ", ")
			}
			rows = append(rows, []cell{{p.ID, cli.Bold}, state, {names, cli.Plain}})
		}
		a.out.table(rows)
	}
	if err == nil && c.Provider != "" && len(unset(&list[0])) > 0 {
		err = errReported
	}
	return err
}

func findProvider(list []credentials.Status, id string) (*credentials.Status, error) {
	var ids []string
	for i := range list {
		if list[i].ID == id {
			return &list[i], nil
		}
		ids = append(ids, list[i].ID)
	}
	for i := range list {
		if slices.Contains(list[i].Maps, id) {
			return nil, fmt.Errorf("%q is no provider, but a name that the provider %s serves. For one plugin only, name it with --plugin", id, list[i].ID)
		}
	}
	return nil, fmt.Errorf("there is no provider %q; there are %s. For one plugin only, name it with --plugin", id, strings.Join(ids, ", "))
}

// unset returns the fields of p without a value.
func unset(p *credentials.Status) []string {
	var list []string
	for _, f := range p.Fields {
		if !f.Set {
			list = append(list, f.Name)
		}
	}
	return list
}

type authListCmd struct{}

func (authListCmd) Help() string {
	return `Lists what is set: the fields of providers, which all plugins are served from, and what is set for single plugins.

--json prints {"credentials": [{"provider" or "plugin", "name"}]}.`
}

// A credentialListing is what list, set and remove print as JSON.
type credentialListing struct {
	Credentials []credentials.Entry `json:"credentials"`
}

func (authListCmd) Run(a *app) error {
	store, err := a.credentials()
	if err != nil {
		return err
	}
	list, err := store.List()
	if err != nil {
		return err
	}
	if a.flags.JSON {
		return a.out.JSON(credentialListing{append([]credentials.Entry{}, list...)})
	}
	if len(list) == 0 {
		a.out.Printf("nothing is set\n")
		return nil
	}
	var rows [][]cell
	for _, e := range list {
		where := "provider " + e.Provider
		if e.Plugin != "" {
			where = "plugin " + e.Plugin
		}
		rows = append(rows, []cell{{e.Name, cli.Bold}, {where, cli.Plain}})
	}
	a.out.table(rows)
	return nil
}

type authSetCmd struct {
	Plugin    string   `placeholder:"ID" help:"Set NAME for this plugin only."`
	FromStdin bool     `help:"Read the value from standard input, less a line break at its end, instead of asking for it. So does - as the last argument."`
	Name      string   `arg:"" help:"A provider (see skills auth status); with --plugin, the name that the plugin declares."`
	Field     []string `arg:"" optional:"" help:"Only these fields of the provider."`
}

func (authSetCmd) Help() string {
	return `Asks for the value of each field of a provider, without showing what is typed, and keeps it. An empty answer changes nothing. A value is never an argument, where other users would see it:

  skills auth set github
  pass show github | skills auth set github -
  skills auth set --plugin tool-weather WEATHER_API_KEY

A provider with OAuth, such as google, takes an access token. It is not refreshed: set a new one when it has expired.

--json prints {"credentials": [{"provider" or "plugin", "name"}]}: what was set.`
}

var errValueArgument = errors.New("a value is not given as an argument: it is asked for, or read from standard input with --from-stdin")

func (c authSetCmd) Run(a *app) error {
	if n := len(c.Field); n > 0 && c.Field[n-1] == "-" {
		c.FromStdin = true
		c.Field = c.Field[:n-1]
	}
	store, err := a.credentials()
	if err != nil {
		return err
	}
	entries, err := c.entries(store)
	if err != nil {
		return err
	}
	if c.FromStdin && len(entries) > 1 {
		var names []string
		for _, e := range entries {
			names = append(names, e.Name)
		}
		return fmt.Errorf("standard input is one value: name the field, one of %s", strings.Join(names, ", "))
	}
	done := []credentials.Entry{}
	for _, e := range entries {
		value, err := c.value(a, e)
		if err != nil {
			return err
		}
		if value == "" && !c.FromStdin {
			continue
		}
		if err := store.Set(a.ctx, e, value); err != nil {
			return err
		}
		done = append(done, e)
	}
	if a.flags.JSON {
		return a.out.JSON(credentialListing{done})
	}
	for _, e := range done {
		a.out.Printf("set %s\n", e)
	}
	if len(done) == 0 {
		a.out.Printf("nothing was set\n")
	}
	return nil
}

// entries returns what is to be set.
func (c authSetCmd) entries(store *credentials.Store) ([]credentials.Entry, error) {
	if c.Plugin != "" {
		if !registry.ValidID(c.Plugin) {
			return nil, fmt.Errorf("%q is no id of a plugin", c.Plugin)
		}
		if len(c.Field) > 0 {
			return nil, errValueArgument
		}
		return []credentials.Entry{{Plugin: c.Plugin, Name: c.Name}}, nil
	}
	list, err := store.Status()
	if err != nil {
		return nil, err
	}
	p, err := findProvider(list, c.Name)
	if err != nil {
		return nil, err
	}
	var entries []credentials.Entry
	var names []string
	for _, f := range p.Fields {
		names = append(names, f.Name)
		if len(c.Field) == 0 || slices.Contains(c.Field, f.Name) {
			entries = append(entries, credentials.Entry{Provider: p.ID, Name: f.Name})
		}
	}
	for _, f := range c.Field {
		if !slices.Contains(names, f) { // f may be a value
			return nil, fmt.Errorf("provider %q has no such field; it has %s; %w", p.ID, strings.Join(names, ", "), errValueArgument)
		}
	}
	return entries, nil
}

// value returns the value of e that the user gives.
func (c authSetCmd) value(a *app, e credentials.Entry) (string, error) {
	if !c.FromStdin {
		value, err := a.askSecret(e.String() + ", empty to skip: ")
		if errors.Is(err, errNoTerminal) {
			err = fmt.Errorf("%w: give the value there with --from-stdin", err)
		}
		return value, err
	}
	data, err := a.readInput()
	if err != nil {
		return "", fmt.Errorf("standard input: %w", err)
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r"), nil
}

type authRemoveCmd struct {
	Plugin string   `placeholder:"ID" help:"Remove what is set for this plugin: NAME, or all."`
	Name   []string `arg:"" optional:"" help:"A provider, and its fields if not all are meant; with --plugin, the names."`
}

func (authRemoveCmd) Help() string {
	return `Removes what is set for a provider or a plugin, or only the fields or names that are listed. It is not revoked: the service would still accept it.

--json prints {"credentials": [{"provider" or "plugin", "name"}]}: what was removed.

Exit status: 1 if nothing of it was set.`
}

func (c authRemoveCmd) Run(a *app) error {
	of, names := credentials.Entry{Plugin: c.Plugin}, c.Name
	if c.Plugin == "" {
		if len(names) == 0 {
			return &cannotRunError{errors.New("name a provider, or a plugin with --plugin")}
		}
		of.Provider, names = names[0], names[1:]
	}
	store, err := a.credentials()
	if err != nil {
		return err
	}
	list, err := store.List()
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(e credentials.Entry) bool {
		return e.Plugin != of.Plugin || e.Provider != of.Provider || len(names) > 0 && !slices.Contains(names, e.Name)
	})
	if len(list) == 0 {
		return errors.New("nothing of that is set (\"skills auth list\" shows what is)")
	}
	for _, e := range list {
		if err := store.Remove(a.ctx, e); err != nil {
			return err
		}
	}
	if a.flags.JSON {
		return a.out.JSON(credentialListing{list})
	}
	for _, e := range list {
		a.out.Printf("removed %s\n", e)
	}
	return nil
}
