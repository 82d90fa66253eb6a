// Command skillcheck lints skills, and the manifests of Executa Tools, before they
// are published.
//
//	skillcheck [PATH|GLOB …]      what is wrong, and where
//	skillcheck --fix PATH         repairs what is safe to repair
//	skillcheck --diff PATH        shows those repairs
//	skillcheck --checklist PATH   what to do before publishing
//	skillcheck --explain RULE     what a rule is about
//	skillcheck --list             all rules
//
// Run "skillcheck --help" for the flags, the configuration file and the exit
// statuses.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/matrix-nexus/skillkit/cmd/internal/cli"
	"github.com/matrix-nexus/skillkit/internal/line"
)

// The exit statuses of the command.
const (
	exitClean       = 0
	exitFound       = 1
	exitFailed      = 2   // it could not do its work
	exitInterrupted = 130 // as shells have it for SIGINT
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
}

// flags are the command line. Kong parses it, not package flag, which takes what
// follows the first path for paths.
type flags struct {
	Paths []string `arg:"" optional:"" name:"path" help:"Folders, in which all skills and Executa Tools are found, and files: SKILL.md, other Markdown, executa.json. Patterns such as 'skills/**/SKILL.md' are expanded. Default: the working directory."`

	Format    string `enum:"text,json,sarif,github" default:"text" placeholder:"FORMAT" help:"Write findings as text (the default), json (docs/findings.schema.json), sarif (2.1.0) or github (annotations in a workflow)."`
	Fix       bool   `xor:"mode" help:"Repair what is safe to repair, and write the findings that are left."`
	Diff      bool   `xor:"mode" help:"Write what --fix would change, as a patch, and change nothing. Exit status 1 if there is any."`
	Checklist bool   `xor:"mode" help:"Write what there is to do before publishing, and which of it is done."`
	Explain   string `xor:"mode" placeholder:"RULE" help:"Say what a rule is about, with an example. RULE is what stands in parentheses behind a finding."`
	List      bool   `xor:"mode" help:"List all rules, with --format json for programs."`

	Profile  string   `placeholder:"NAME" help:"Check for a place to publish at: matrix (the default), openclaw or agentskills."`
	Strict   bool     `help:"Take warnings for errors."`
	FailOn   string   `placeholder:"SEVERITY" help:"Exit with 1 if there is a finding of this severity or a higher one: error (the default), warning, info or never."`
	Enable   []string `placeholder:"RULE" help:"Run this rule besides; several are divided by commas."`
	Disable  []string `placeholder:"RULE" help:"Don't run this rule."`
	NoIgnore bool     `help:"Let no comment in a skill take a finding back: for skills of somebody else."`
	Config   string   `placeholder:"FILE" help:"Read the configuration from FILE, in place of the .skillcheck.yaml in the working directory or the nearest one above, up to the folder with .git."`

	Stdin bool   `help:"Read the text of the file that --path names from standard input, for editors."`
	Path  string `name:"path" placeholder:"FILE" help:"The path of what --stdin reads. What lies beside it is looked at if it is there."`

	Color   string           `enum:"auto,always,never" default:"auto" placeholder:"WHEN" help:"Colour text: auto (on a terminal, unless NO_COLOR is set), always or never."`
	Version kong.VersionFlag `help:"Print the version and exit."`
}

const description = `Lints skills, and the manifests of Executa Tools, before they are published.

A comment in a skill takes back the findings of a rule on its own lines and the next one: <!-- skillcheck-ignore RULE: reason --> or, in the frontmatter, # skillcheck-ignore RULE: reason. With skillcheck-ignore-file in its place, it is for all files of the skill.

The configuration is a file .skillcheck.yaml. All of it may be left out:

  profile: matrix          # as --profile
  strict: false            # as --strict
  fail_on: warning         # as --fail-on
  severity:
    crlf: off              # or info, warning, error
  exclude: ["testdata/**"] # relative to this file; **/x is x anywhere
  reserved_names: [claude]
  max_folder_size: 8MiB

Exit status: 0 no findings that count, 1 findings, 2 the check could not be done; 130 interrupted.`

// run is the command. environ is its environment, in the form of [os.Environ].
// It returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, environ []string) int {
	fail := func(status int, err error) int {
		for msg := range strings.Lines(err.Error()) {
			fmt.Fprintf(stderr, "skillcheck: %s\n", line.Visible(strings.TrimSuffix(msg, "\n"), false))
		}
		return status
	}
	var f flags
	exit := -1 // what kong wants to exit with, after --help or --version
	parser, err := kong.New(&f,
		kong.Name("skillcheck"),
		kong.Description(description),
		kong.Writers(stdout, stderr),
		kong.Exit(func(status int) { exit = status }),
		kong.Vars{"version": "skillcheck " + cli.Version()},
		kong.ConfigureHelp(kong.HelpOptions{WrapUpperBound: 80}),
	)
	if err != nil {
		return fail(exitFailed, err) // the flags above are at fault
	}
	_, err = parser.Parse(args)
	switch {
	case exit >= 0:
		return exit
	case err != nil:
		return fail(exitFailed, fmt.Errorf("%w; %q tells the usage", err, "skillcheck --help"))
	}
	a := &app{ctx: ctx, flags: &f, environ: environ, env: cli.NewLookup(environ), stdin: stdin, stderr: stderr}
	a.out = cli.NewPrinter(stdout, f.Color, a.env)
	found, err := a.run()
	if flushErr := a.out.Flush(); err == nil {
		err = flushErr
	}
	switch {
	case ctx.Err() != nil:
		return fail(exitInterrupted, errors.New("interrupted"))
	case err != nil:
		return fail(exitFailed, err)
	case found:
		return exitFound
	}
	return exitClean
}
