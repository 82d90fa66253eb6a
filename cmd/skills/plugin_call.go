package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/matrix-nexus/skillkit/cmd/internal/cli"
	"github.com/matrix-nexus/skillkit/executa"
	"github.com/matrix-nexus/skillkit/registry"
)

type pluginDescribeCmd struct {
	Target []string `arg:"" name:"plugin" help:"Id, folder or command of the plugin."`
}

func (pluginDescribeCmd) Help() string {
	return `Starts a plugin, prints its tools, the credentials it wants and what it asks of its host, and ends it. ` +
		fmt.Sprintf(targetHelp, "describe") + `

--json prints what it answers describe with, as it is: that is what belongs into the manifest.json beside its executa.json.`
}

func (c pluginDescribeCmd) Run(a *app) error {
	w, spec, err := a.pluginTarget(c.Target)
	if err != nil {
		return err
	}
	defer ignoreSignals()()
	var answer describeTrace
	opts := w.pluginOptions()
	opts.Trace = answer.trace
	p, err := named(spec, func(spec executa.Spec) (*executa.Process, error) { return executa.Start(a.ctx, spec, opts) })
	if err != nil {
		return err
	}
	m, id, protocol := p.Manifest(), p.ID(), p.Protocol()
	if err := p.Close(a.ctx); err != nil {
		return err
	}
	if a.flags.JSON {
		var b bytes.Buffer
		if json.Indent(&b, answer.answer, "", "  ") != nil {
			return errors.New("the answer to describe came by file; run the plugin by hand to see it")
		}
		a.out.Raw(b.String())
		return nil
	}
	a.out.styled(cell{oneLine(id), cli.Bold})
	a.out.Printf(" %s, protocol %s\n", oneLine(m.Version), protocol)
	if text := strings.TrimSpace(m.DisplayName + "\n" + m.Description); text != "" {
		a.out.Printf("%s\n", text)
	}
	a.out.Printf("\n")
	var rows [][]cell
	for _, t := range m.Tools {
		rows = append(rows, []cell{{oneLine(t.Name), cli.Plain}, {oneLine(t.Description), cli.Plain}})
	}
	a.out.table(append(rows, nil))
	a.out.section("credentials", len(m.Credentials), func(i int) string {
		cred := m.Credentials[i]
		need := "optional"
		if cred.Required {
			need = "required"
		}
		return fmt.Sprintf("%s (%s) %s", cred.Name, need, cred.Description)
	})
	a.out.section("asks of its host", len(m.HostCapabilities), func(i int) string { return m.HostCapabilities[i] })
	a.out.Printf("%s\n", cli.Plural(len(m.Tools), "tool"))
	return nil
}

type pluginCallCmd struct {
	Tool    string        `arg:"" help:"Name of the tool, as the plugin has it."`
	Args    string        `arg:"" name:"json" help:"Arguments: a JSON object. A single - reads it from standard input."`
	Target  []string      `arg:"" name:"plugin" help:"Id, folder or command of the plugin."`
	Timeout time.Duration `placeholder:"DURATION" help:"Wait so long for the answer, such as 90s, unless the tool itself says how long."`
}

func (pluginCallCmd) Help() string {
	return `Starts a plugin, calls one of its tools, prints the answer and ends the plugin. What the tool tells meanwhile is shown on standard error. ` +
		fmt.Sprintf(targetHelp, "call add_note '{\"text\": \"milk\"}'") + `

The plugin gets the credentials that it declares and that are kept for it; see "skills auth". Calls that it makes of its host, such as for sampling, are refused.

When the tool answers with a failure, the answer is printed and the exit status is 1. --json prints {"text", "data", "is_error", …}.`
}

func (c pluginCallCmd) Run(a *app) error {
	if err := a.readArgs(&c.Args); err != nil {
		return err
	}
	w, spec, err := a.pluginTarget(c.Target)
	if err != nil {
		return err
	}
	if c.Timeout > 0 {
		spec.Timeout = c.Timeout
	}
	r := registry.New(nil)
	return w.withHost(r, func(host *executa.Host) error {
		p, err := named(spec, func(spec executa.Spec) (*executa.Plugin, error) { return host.Register(a.ctx, spec) })
		if err != nil {
			return err
		}
		tool, err := r.Lookup(registry.PluginToolName(p.ID(), c.Tool))
		if err != nil {
			var names []string
			for _, t := range p.Manifest().Tools {
				names = append(names, t.Name)
			}
			return fmt.Errorf("plugin %q has no tool %q; it has %s", p.ID(), c.Tool, strings.Join(names, ", "))
		}
		return a.answer(tool, c.Args)
	})
}

// answer calls a tool and prints what it answers, and on standard error what it
// tells meanwhile.
func (a *app) answer(tool *registry.Tool, args string) error {
	told := newPrinter(a.stderr, a.env)
	ctx := executa.WithProgress(a.ctx, func(p executa.Progress) {
		told.Printf("%s: %s\n", oneLine(p.Type), oneLine(string(p.Data)))
		_ = told.Flush()
	})
	res, err := tool.Invoke(ctx, registry.Call{Arguments: []byte(args)})
	if err != nil {
		return err
	}
	if a.flags.JSON {
		err = a.out.JSON(res)
	} else if res.Text != "" || res.Data == nil {
		a.out.Raw(res.Text)
	} else {
		a.out.Raw(string(res.Data))
	}
	if err == nil && res.IsError {
		err = errReported
	}
	return err
}
