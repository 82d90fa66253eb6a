package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/matrix-nexus/skillkit/cmd/internal/cli"
	"github.com/matrix-nexus/skillkit/config"
	"github.com/matrix-nexus/skillkit/executa"
	"github.com/matrix-nexus/skillkit/metadata"
)

type pluginListCmd struct {
	Check bool `help:"Start each plugin, and end it again, to see whether it runs."`
}

func (pluginListCmd) Help() string {
	return `Lists the plugins of the configuration, each with its state:

  stopped   it could be started
  running   it was started, for --check, and described its tools
  failed    it cannot be started, or could not; the reason stands below it
  disabled  the configuration switches it off

Without --check nothing is started: only whether the program and the folder are there is looked at.

--json prints {"plugins": [{"id", "state", "reason", "command", "dir", "protocol", "tools", "start_ms"}], "problems": […]}; protocol, tools and start_ms are known after --check only.

Exit status: 0; 1 when --check was given and a plugin failed.`
}

// A pluginEntry is a plugin in JSON.
type pluginEntry struct {
	ID       string   `json:"id"`
	State    string   `json:"state"`
	Reason   string   `json:"reason"`
	Command  []string `json:"command"` // empty if it cannot be told
	Dir      string   `json:"dir"`
	Protocol string   `json:"protocol"`
	Tools    []string `json:"tools"`
	StartMS  int64    `json:"start_ms"`
}

// The states of a plugin in a list.
const (
	pluginStopped  = string(executa.StateStopped)
	pluginRunning  = string(executa.StateRunning)
	pluginFailed   = string(executa.StateFailed)
	pluginDisabled = "disabled"
)

type pluginListing struct {
	Plugins  []pluginEntry      `json:"plugins"`
	Problems []metadata.Problem `json:"problems"`
}

func (c pluginListCmd) Run(a *app) error {
	w, err := a.pluginWorld()
	if err != nil {
		return err
	}
	defer ignoreSignals()()
	l := pluginListing{Plugins: w.pluginEntries(c.Check), Problems: nonNil(w.faults)}
	if err := a.ctx.Err(); err != nil {
		return err
	}
	if a.flags.JSON {
		err = a.out.JSON(l)
	} else {
		l.print(a.out)
	}
	if err == nil && c.Check && slices.ContainsFunc(l.Plugins, func(e pluginEntry) bool { return e.State == pluginFailed }) {
		return errReported
	}
	return err
}

// pluginEntries says how the plugins of the configuration are. With start, each is
// started.
func (w *world) pluginEntries(start bool) []pluginEntry {
	list := make([]pluginEntry, len(w.config.Plugins))
	var wg sync.WaitGroup
	slots := make(chan struct{}, 4) // starts at once
	for i := range list {
		p := &w.config.Plugins[i]
		list[i] = pluginEntry{ID: p.ID, State: pluginStopped, Command: []string{}, Tools: []string{}}
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if err := w.look(&list[i], p, start); err != nil {
				list[i].State, list[i].Reason = pluginFailed, reason(p.ID, err)
			}
		})
	}
	wg.Wait()
	return list
}

// look fills in e. The error is why p cannot be started.
func (w *world) look(e *pluginEntry, p *config.Plugin, start bool) error {
	spec, err := w.spec(p)
	if err != nil {
		return err
	}
	e.Dir = spec.Dir
	argv, err := executa.CommandLine(spec, w.pluginOptions())
	if err == nil {
		e.Command = argv
	}
	if p.Disabled {
		e.State = pluginDisabled
		return nil
	}
	if err != nil || !start {
		return err
	}
	ctx, cancel := context.WithTimeout(w.app.ctx, startBound)
	defer cancel()
	began := time.Now()
	process, err := executa.Start(ctx, spec, w.pluginOptions())
	if err != nil {
		return err
	}
	e.State, e.Protocol, e.StartMS = pluginRunning, process.Protocol(), time.Since(began).Milliseconds()
	for _, t := range process.Manifest().Tools {
		e.Tools = append(e.Tools, t.Name)
	}
	return process.Close(ctx)
}

func (l *pluginListing) print(p *printer) {
	var rows [][]cell
	counts := map[string]int{}
	for _, e := range l.Plugins {
		counts[e.State]++
		style := map[string]cli.Style{pluginRunning: cli.Green, pluginFailed: cli.Red, pluginDisabled: cli.Dim}[e.State]
		what := strings.Join(e.Command, " ")
		if e.State == pluginRunning {
			what = fmt.Sprintf("protocol %s, %s, up in %d ms", e.Protocol, cli.Plural(len(e.Tools), "tool"), e.StartMS)
		}
		rows = append(rows, []cell{{fitWidth(oneLine(e.ID), maxName), cli.Bold}, {e.State, style}, {oneLine(what), cli.Plain}})
		for line := range strings.Lines(e.Reason) {
			rows = append(rows, []cell{{"  " + oneLine(line), cli.Plain}})
		}
	}
	if len(rows) > 0 {
		p.table(append(rows, nil))
	}
	printProblems(p, l.Problems, false)
	p.Printf("%s", cli.Plural(len(l.Plugins), "plugin"))
	for _, state := range []string{pluginRunning, pluginStopped, pluginFailed, pluginDisabled} {
		if n := counts[state]; n > 0 {
			p.Printf(", %d %s", n, state)
		}
	}
	p.Printf("\n")
	if len(l.Plugins) == 0 {
		p.Printf("\"skills plugin --help\" shows how the configuration lists them.\n")
	}
}
