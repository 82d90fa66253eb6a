package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/matrix-nexus/skillkit/cmd/internal/cli"
	"github.com/matrix-nexus/skillkit/executa/doctor"
)

type pluginDoctorCmd struct {
	Target   []string      `arg:"" name:"plugin" help:"Id, folder or command of the plugin."`
	Call     toolCall      `placeholder:"TOOL JSON" help:"Call this tool with these arguments too, several times."`
	Parallel int           `default:"4" placeholder:"N" help:"How many calls to make at once. 1 means that it is not tried. The default is 4."`
	Timeout  time.Duration `default:"3m" placeholder:"DURATION" help:"Be done after so long. The default is 3m."`
}

// A toolCall is a flag with two values.
type toolCall struct{ tool, args string }

// Decode makes it one; see [kong.MapperValue].
func (c *toolCall) Decode(ctx *kong.DecodeContext) error {
	if err := ctx.Scan.PopValueInto("TOOL", &c.tool); err != nil {
		return err
	}
	if err := ctx.Scan.PopValueInto("JSON", &c.args); err != nil {
		return fmt.Errorf("after %s come its arguments, as in --call %[1]s '{}'", c.tool)
	}
	if !json.Valid([]byte(c.args)) {
		return fmt.Errorf("the arguments of %s are not JSON; quote them, as in --call %[1]s '{}'", c.tool)
	}
	return nil
}

func (pluginDoctorCmd) Help() string {
	return `Starts a plugin as a host does, asks it what hosts ask, ends it, and says what would not work, what was seen of it, and how to mend it. ` +
		fmt.Sprintf(targetHelp, "doctor") + `

With --call a tool is called, six times in all: once, then as often as --parallel says at once, and once more to end the plugin in the middle. Choose a call that does no harm. What the plugin asks of its host meanwhile is answered with made-up values, and credentials that are not kept for it ("skills auth") are made up too:

  skills plugin doctor --call add_note '{"text": "milk"}' -- python3 plugin.py

A fault is what does not work, with this host or another; advice is what would be better otherwise. --json prints the report that docs/plugin-report.schema.json describes.

Exit status: 0, also when there is advice; 1 when there is a fault; 2 wrong usage.`
}

func (c pluginDoctorCmd) Run(a *app) error {
	w, spec, err := a.pluginTarget(c.Target)
	missing, isMissing := errors.AsType[*noPluginError](err)
	if err != nil && !isMissing {
		return err
	}
	defer ignoreSignals()()
	opts := &doctor.Options{
		Environ: a.environ, Timeout: c.Timeout, Parallel: max(c.Parallel, 1), Credentials: w.resolver(),
	}
	status := newPrinter(a.stderr, a.env)
	if status.Terminal {
		opts.Progress = func(step string) {
			status.ClearLine()
			status.styled(cell{fitWidth(visible("… "+step, false), max(status.Columns-1, minLast)), cli.Dim})
			_ = status.Flush()
		}
	}
	report, err := doctor.Run(a.ctx, doctor.Target{Spec: spec, Tool: c.Call.tool, Arguments: []byte(c.Call.args)}, opts)
	if status.Terminal {
		status.ClearLine()
		_ = status.Flush()
	}
	if report == nil {
		return err
	}
	if a.flags.JSON {
		err = errors.Join(err, a.out.JSON(report))
	} else {
		printReport(a.out, report)
	}
	if err == nil && isMissing {
		err = missing
	} else if err == nil && !report.Works {
		err = errReported
	}
	return err
}

var stateStyles = map[doctor.State]cli.Style{
	doctor.OK: cli.Green, doctor.Advice: cli.Yellow, doctor.Fault: cli.Red, doctor.Skipped: cli.Dim,
}

func printReport(p *printer, r *doctor.Report) {
	if r.Plugin != "" {
		p.styled(cell{oneLine(r.Plugin), cli.Bold})
		p.Printf("\n\n")
	}
	var rows [][]cell
	skipped := map[string][]string{} // by reason
	var reasons []string
	for _, c := range r.Checks {
		text := c.Title
		switch {
		case c.State == doctor.Skipped:
			if skipped[c.Reason] == nil {
				reasons = append(reasons, c.Reason)
			}
			skipped[c.Reason] = append(skipped[c.Reason], c.ID)
			continue
		case c.State == doctor.OK && len(c.Evidence) > 0:
			text += ": " + strings.Join(c.Evidence, "; ")
		}
		rows = append(rows, []cell{{string(c.State), stateStyles[c.State]}, {c.ID, cli.Plain}, {oneLine(text), cli.Plain}})
	}
	p.table(rows)
	for _, reason := range reasons {
		p.styled(cell{string(doctor.Skipped), stateStyles[doctor.Skipped]})
		p.Printf("  %s: %s\n", strings.Join(skipped[reason], ", "), reason)
	}
	p.Printf("\n")
	for _, c := range r.Checks {
		if c.State != doctor.Fault && c.State != doctor.Advice {
			continue
		}
		p.styled(cell{string(c.State), stateStyles[c.State]})
		p.Printf(" %s: not so: %s\n", c.ID, c.Title)
		for _, text := range c.Evidence {
			p.Printf("  seen    %s\n", text)
		}
		p.Printf("  repair  %s\n", c.Repair)
		p.Printf("  source  %s\n\n", c.Source)
	}
	if !r.Works && r.Stderr != "" {
		p.styled(cell{"standard error, the end", cli.Bold})
		p.Printf("\n%s\n\n", strings.TrimRight(indent(r.Stderr), "\n"))
	}
	verdict := "it works"
	if !r.Works {
		verdict = "it does not work"
	}
	p.Printf("%s: %s, %s to consider, %d skipped\n", verdict, cli.Plural(r.Count(doctor.Fault), "fault"), cli.Plural(r.Count(doctor.Advice), "piece")+" of advice", r.Count(doctor.Skipped))
}

// indent moves lines to the right.
func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ")
}
