// Command skills shows what skills there are, whether they can run on this
// machine, and what a model is given of them.
//
//	skills list            the skills, by category
//	skills show NAME       one skill: what it is, needs and lacks
//	skills tools           the tools that a model is offered
//	skills call TOOL ARGS  calls one of them
//	skills prompt          the system prompt and the catalogue
//	skills doctor          what works on this machine, what does not, and why
//	skills onboard         installs what skills miss
//	skills plugin          lists plugins, says what is wrong with one, calls one
//	skills uninstall       removes what onboard installed for a skill
//	skills auth            keeps the credentials that plugins are given
//	skills trust DIR       trusts the skills of a workspace
//	skills new NAME        makes a new skill from a template
//	skills pack DIR        packs a skill for others
//	skills digest DIR      says which revision of a skill it is
//	skills diff OLD NEW    says what is different in another revision
//	skills export DIR      writes a skill as JSON for a catalogue
//	skills import FILE     makes a skill of what export has written
//
// With no configuration it works on the skills in $MATRIX_SKILLS_DIR, or else
// on those that are built in. Run "skills --help" for the flags.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/matrix-nexus/skillkit/cmd/internal/cli"
	"github.com/matrix-nexus/skillkit/internal/proc"
	"github.com/matrix-nexus/skillkit/registry"
)

// The exit statuses of the command.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130 // as shells have it for SIGINT
)

func main() {
	// What a plugin leaves behind is reaped here then. Without it, init does that.
	_ = proc.AdoptOrphans()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once, but see ignoreSignals
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
}

// flags are the command line.
type flags struct {
	Root      []string         `placeholder:"DIR" sep:"none" help:"Use the skills in DIR in place of the base set. May be repeated; of two skills with one name that of the last DIR is used."`
	Workspace string           `placeholder:"DIR" help:"Put the skills in DIR/skills on top of the others, if DIR is trusted (see the command trust)."`
	Config    string           `placeholder:"FILE" help:"Read the configuration from FILE, in place of skillkit/config.yaml in $$XDG_CONFIG_HOME or, where that is not set, in ~/.config."`
	JSON      bool             `name:"json" help:"Print JSON, for programs."`
	Version   kong.VersionFlag `help:"Print the version and exit."`

	List      listCmd      `cmd:"" help:"List the skills, by category."`
	Show      showCmd      `cmd:"" help:"Show one skill: what it is, what it needs and what of that is missing."`
	Tools     toolsCmd     `cmd:"" help:"List the tools that a model is offered."`
	Call      callCmd      `cmd:"" help:"Call a tool and print what it answers."`
	Prompt    promptCmd    `cmd:"" help:"Print what a model is told of the skills: system prompt and catalogue."`
	Doctor    doctorCmd    `cmd:"" help:"Say what works on this machine, what does not, and why."`
	Onboard   onboardCmd   `cmd:"" help:"Install what skills miss, and ask for the variables that are not set."`
	Uninstall uninstallCmd `cmd:"" help:"Remove what onboard installed for a skill."`
	Trust     trustCmd     `cmd:"" help:"Trust the skills of a workspace, or list what is trusted."`
	Untrust   untrustCmd   `cmd:"" help:"No longer trust a workspace."`
	Auth      authCmd      `cmd:"" help:"Keep the credentials that plugins are given."`

	Plugin pluginCmd `cmd:"" help:"Look at plugins (Executa Tools), and call them."`

	New    newCmd    `cmd:"" help:"Make a new skill from a template."`
	Pack   packCmd   `cmd:"" help:"Pack a skill into an archive."`
	Digest digestCmd `cmd:"" help:"Print which revision of a skill it is."`
	Diff   diffCmd   `cmd:"" help:"Say what is different in another revision of a skill."`
	Export exportCmd `cmd:"" help:"Write a skill as JSON for a catalogue."`
	Import importCmd `cmd:"" help:"Make a skill of what export has written."`
}

const description = `Shows what skills there are, whether they can run on this machine, and what a model is given of them. Installs what they lack, if asked to.

The base set is the folder in $MATRIX_SKILLS_DIR or, where that is not set or holds no SKILL.md, the skills that are built in.

The configuration is a YAML file. All of it may be left out:

  roots: [~/skills]  # as --root
  workspace: ~/work  # as --workspace
  install:
    allow: [apt, npm]  # these kinds, and nothing else
  skills:
    github:          # the name or key of a skill
      api_key: ghp_example  # for the variable that it calls primary_env
      env: {GH_HOST: github.example.com}
      config: {github: {user: me}}
    chart-generator:
      enabled: false

Exit status: 0 done, also when there are problems with skills; 1 failed, or no changes for diff; 2 wrong usage; 130 interrupted.`

// run is the command. environ is its environment, in the form of [os.Environ].
// It returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, environ []string) int {
	fail := func(status int, err error) int {
		fmt.Fprintf(stderr, "skills: %s\n", visible(err.Error(), true))
		return status
	}
	var f flags
	exit := -1 // what kong wants to exit with, after --help or --version
	parser, err := kong.New(&f,
		kong.Name("skills"),
		kong.Description(description),
		kong.Writers(stdout, stderr),
		kong.Exit(func(status int) { exit = status }),
		kong.Vars{"version": "skills " + cli.Version()},
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 80}),
	)
	if err != nil {
		return fail(exitFailed, err) // the flags above are at fault
	}
	if len(args) == 0 {
		parser.Stdout = stderr
		_, _ = parser.Parse([]string{"--help"}) // prints it; the error is that no command is named
		return exitUsage
	}
	command, err := parser.Parse(args)
	switch {
	case exit >= 0:
		return exit
	case err != nil:
		help := "skills --help"
		if e, ok := errors.AsType[*kong.ParseError](err); ok && e.Context.Selected() != nil {
			help = e.Context.Selected().FullPath() + " --help"
		}
		return fail(exitUsage, fmt.Errorf("%w; %q tells the usage", err, help))
	}
	env := cli.NewLookup(environ)
	a := &app{ctx: ctx, flags: &f, environ: environ, env: env, stdin: stdin, out: newPrinter(stdout, env), stderr: stderr}
	err = command.Run(a)
	if flushErr := a.out.Flush(); err == nil && flushErr != nil {
		err = flushErr
	}
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errReported):
		return exitFailed
	case ctx.Err() != nil:
		if e, ok := errors.AsType[*registry.CallError](err); ok && e.MayHaveRun {
			return fail(exitInterrupted, fmt.Errorf("interrupted: %w", e))
		}
		return fail(exitInterrupted, errors.New("interrupted"))
	}
	if _, ok := errors.AsType[*cannotRunError](err); ok {
		return fail(exitUsage, err)
	}
	return fail(exitFailed, err)
}

// errReported means that the command failed and has said so on its output.
var errReported = errors.New("failed, as was said")
