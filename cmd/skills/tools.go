package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/tmc/langchaingo/llms"

	"github.com/matrix-nexus/skillkit/cmd/internal/cli"
	"github.com/matrix-nexus/skillkit/converter"
	"github.com/matrix-nexus/skillkit/executa"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/registry"
)

type toolsCmd struct{}

func (toolsCmd) Help() string {
	return `Lists the tools as a model is offered them: a name that any model accepts, the skill or the tool of a plugin that it comes from where that is called otherwise, and the description. Below them stand the skills and plugins that are not offered, and why.

The plugins of the configuration are started for it, unless their manifest.json is beside their executa.json.

--json prints {"tools": […], "not_offered": […], "problems": […]}, the tools in the form of the OpenAI chat API.`
}

// A toolListing is what tools --json prints.
type toolListing struct {
	Tools      []llms.Tool        `json:"tools"`
	NotOffered []notOffered       `json:"not_offered"`
	Problems   []metadata.Problem `json:"problems"`
}

type notOffered struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

func (toolsCmd) Run(a *app) error {
	w, err := a.load()
	if err != nil {
		return err
	}
	r, problems, err := w.registry()
	if err != nil {
		return err
	}
	l := toolListing{NotOffered: []notOffered{}}
	if len(w.config.Plugins) > 0 {
		err := w.withHost(r, func(host *executa.Host) error {
			for _, f := range w.registerAll(host) {
				l.NotOffered = append(l.NotOffered, notOffered{f.id, f.reason})
			}
			return w.listTools(r, &l, problems)
		})
		return err
	}
	return w.listTools(r, &l, problems)
}

// listTools fills in l, but for plugins that are not offered, and prints it.
func (w *world) listTools(r *registry.Registry, l *toolListing, problems []metadata.Problem) error {
	if err := w.app.ctx.Err(); err != nil {
		return err
	}
	l.Tools = nonNil(r.LLMTools())
	notPlugins := l.NotOffered[:0:0]
	offered := map[string]bool{}
	for _, t := range r.All() {
		offered[t.Original()] = true
	}
	listed := map[string]bool{} // files of skills in NotOffered
	for s := range w.set.All() {
		if offered[s.Name] {
			continue
		}
		_, _, err := converter.Def(s, w.converter())
		if e, ok := errors.AsType[*converter.NotOfferedError](err); ok {
			notPlugins = append(notPlugins, notOffered{s.Name, e.Reason})
			listed[s.Path()] = true
		}
	}
	l.NotOffered = append(nonNil(notPlugins), l.NotOffered...)
	l.Problems = nonNil(slices.DeleteFunc(problems, func(p metadata.Problem) bool {
		return p.Code == converter.CodeNotOffered && listed[p.File]
	}))
	if w.app.flags.JSON {
		return w.app.out.JSON(l)
	}
	l.print(w.app.out, r)
	return nil
}

func (l *toolListing) print(p *printer, r *registry.Registry) {
	var rows [][]cell
	for _, t := range r.All() {
		skill := ""
		if t.Original() != t.Name() {
			skill = "(" + fitWidth(oneLine(t.Original()), maxName) + ")"
		}
		rows = append(rows, []cell{{t.Name(), cli.Plain}, {skill, cli.Dim}, {t.Description(), cli.Plain}})
	}
	if !slices.ContainsFunc(rows, func(row []cell) bool { return row[1].text != "" }) {
		for i := range rows {
			rows[i] = slices.Delete(rows[i], 1, 2)
		}
	}
	p.table(append(rows, nil))
	p.section("not offered", len(l.NotOffered), func(i int) string {
		return l.NotOffered[i].Name + ": " + l.NotOffered[i].Reason
	})
	printProblems(p, l.Problems, false)
	p.Printf("%s\n", cli.Plural(len(l.Tools), "tool"))
}

type callCmd struct {
	Tool string `arg:"" help:"Name of the tool or of the skill; of a tool of a plugin, PLUGIN_TOOL."`
	Args string `arg:"" optional:"" name:"json" help:"Arguments: a JSON object, or plain text for the skill. A single - reads them from standard input."`
}

func (callCmd) Help() string {
	return `Calls a tool as a model would and prints its answer. The tool of a skill runs nothing: it answers with the instructions, or with a supporting file.

  skills call jq
  skills call jq '{"arguments": "all names in data.json"}'
  skills call jq '{"file": "**"}'
  skills call notes_add '{"text": "milk"}'

A tool of a plugin is run: the plugin is started and ended again. No other plugin is started where the name begins with the id of one. What the tool tells meanwhile is shown on standard error.

When the tool answers with a failure, such as that there is no such file, the answer is printed and the exit status is 1. --json prints {"text", "is_error", …}.`
}

// maxArgs is the size in bytes of the longest arguments read from standard
// input.
const maxArgs = 1 << 20

func (c callCmd) Run(a *app) error {
	if err := a.readArgs(&c.Args); err != nil {
		return err
	}
	w, err := a.load()
	if err != nil {
		return err
	}
	r, _, err := w.registry()
	if err != nil {
		return err
	}
	tool, err := r.Lookup(c.Tool)
	if err == nil {
		return a.answer(tool, c.Args)
	}
	if len(w.config.Plugins) == 0 || w.has(c.Tool) {
		return w.explain(c.Tool, err)
	}
	return w.withHost(r, func(host *executa.Host) error {
		tool, faults, err := w.registerFor(host, r, c.Tool)
		if err == nil {
			return a.answer(tool, c.Args)
		}
		err = w.explain(c.Tool, err)
		for _, f := range faults {
			err = fmt.Errorf("%w\nplugin %q is not offered: %s", err, f.id, f.reason)
		}
		return err
	})
}

// readArgs reads arguments from standard input if they are "-".
func (a *app) readArgs(args *string) error {
	if *args != "-" {
		return nil
	}
	data, err := a.readInput()
	if err != nil {
		return fmt.Errorf("arguments from standard input: %w", err)
	}
	*args = string(data)
	return nil
}

// readInput returns all of standard input, or gives up when a.ctx ends: a read
// from a terminal cannot be interrupted, and ends with the process.
func (a *app) readInput() ([]byte, error) {
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		data, err := io.ReadAll(io.LimitReader(a.stdin, maxArgs+1))
		done <- result{data, err}
	}()
	select {
	case <-a.ctx.Done():
		return nil, a.ctx.Err()
	case r := <-done:
		if len(r.data) > maxArgs {
			return nil, fmt.Errorf("more than %d bytes", maxArgs)
		}
		return r.data, r.err
	}
}

// explain returns why there is no tool of that name: err, or that its skill is
// not offered.
func (w *world) explain(name string, err error) error {
	s, notFound := w.find(name)
	if notFound != nil {
		if fault := w.broken(name); fault != nil {
			return fault
		}
		return fmt.Errorf("%w (\"skills tools\" shows all)", err)
	}
	if _, _, notOffered := converter.Def(s, w.converter()); notOffered != nil {
		return notOffered
	}
	return err
}

type promptCmd struct {
	Budget int `placeholder:"TOKENS" help:"Shorten the catalogue to about so many tokens. 0 means no limit."`
}

func (promptCmd) Help() string {
	return `Prints the sections that skills add to the system prompt, then the catalogue of names and descriptions.

--json prints {"system_prompt", "catalogue"}.`
}

func (c promptCmd) Run(a *app) error {
	w, err := a.load()
	if err != nil {
		return err
	}
	opts := w.converter()
	opts.TokenBudget = c.Budget
	system, catalogue := converter.SystemPrompt(w.set, opts), converter.Catalogue(w.set, opts)
	if a.flags.JSON {
		return a.out.JSON(map[string]string{"system_prompt": system, "catalogue": catalogue})
	}
	if system != "" {
		a.out.Raw(system + "\n")
	}
	a.out.Raw(catalogue)
	return nil
}
