package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/matrix-nexus/skillkit/cmd/internal/cli"
	"github.com/matrix-nexus/skillkit/publish"
)

type diffCmd struct {
	Old string `arg:"" help:"The folder of a skill, an archive of one, or a payload (.json)."`
	New string `arg:"" help:"Another revision of it, in any of these forms."`
}

func (diffCmd) Help() string {
	return `Says what publishing NEW would change in OLD: fields of the frontmatter, the instructions, and files that are added, removed, renamed or changed. A renamed file is one whose content is found under a new path.

Exit status: 0 something differs; 1 no content changes, which a catalogue refuses to publish as a new version; 2 one of them cannot be read.

--json prints {"changed", "old": {"digest"}, "new": {"digest"}, "fields": [{"field", "old", "new"}], "body", "files": [{"kind", "path", "from", "content", "old_size", "size", "old_executable", "executable"}]}.`
}

type revision struct {
	Digest string `json:"digest"`
}

func (c diffCmd) Run(a *app) error {
	var both [2]*publish.Skill
	for i, path := range []string{c.Old, c.New} {
		var err error
		if both[i], err = publish.Open(a.ctx, path); err != nil {
			return &cannotRunError{err}
		}
	}
	d := publish.Compare(both[0], both[1])
	if a.flags.JSON {
		err := a.out.JSON(struct {
			Changed bool     `json:"changed"`
			Old     revision `json:"old"`
			New     revision `json:"new"`
			*publish.Diff
		}{!d.Empty(), revision{both[0].Digest()}, revision{both[1].Digest()}, d})
		if err != nil {
			return err
		}
	} else {
		printDiff(a.out, d)
	}
	if d.Empty() {
		return errReported
	}
	return nil
}

func printDiff(p *printer, d *publish.Diff) {
	if d.Empty() {
		p.Printf("no content changes\n")
		return
	}
	p.section("frontmatter", len(d.Fields), func(i int) string {
		f := d.Fields[i]
		return fmt.Sprintf("%s: %s → %s", f.Field, cmp.Or(string(f.Old), "none"), cmp.Or(string(f.New), "none"))
	})
	if d.Body {
		p.styled(cell{"instructions", cli.Bold})
		p.Printf("\n  changed\n\n")
	}
	p.section("files", len(d.Files), func(i int) string { return fileChange(d.Files[i]) })
}

// fileChange returns c in a line.
func fileChange(c publish.FileChange) string {
	var notes []string
	switch c.Kind {
	case publish.Added:
		notes = append(notes, cli.Plural(int(c.Size), "byte"))
	case publish.Changed:
		if c.Content {
			notes = append(notes, fmt.Sprintf("%d → %s", c.OldSize, cli.Plural(int(c.Size), "byte")))
		}
	}
	switch {
	case c.Executable && !c.OldExecutable && c.Kind == publish.Added:
		notes = append(notes, "executable")
	case c.Executable && !c.OldExecutable:
		notes = append(notes, "now executable")
	case c.OldExecutable && !c.Executable && c.Kind != publish.Removed:
		notes = append(notes, "no longer executable")
	}
	text := string(c.Kind) + " " + c.Path
	if c.From != "" {
		text = string(c.Kind) + " " + c.From + " → " + c.Path
	}
	if len(notes) > 0 {
		text += " (" + strings.Join(notes, ", ") + ")"
	}
	return text
}

// A cannotRunError is one of a command whose exit status 1 is an answer.
type cannotRunError struct{ err error }

func (e *cannotRunError) Error() string { return e.err.Error() }
func (e *cannotRunError) Unwrap() error { return e.err }
