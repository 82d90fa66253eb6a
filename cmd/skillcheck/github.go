package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/matrix-nexus/skillkit/internal/line"
	"github.com/matrix-nexus/skillkit/metadata"
)

// writeGitHub writes the findings as commands of a GitHub workflow, which shows
// them beside the lines, and the summary for its log.
func (a *app) writeGitHub(r *results) {
	for _, f := range r.live {
		command := "notice"
		if f.Severity > metadata.Info {
			command = f.Severity.String()
		}
		props := "file=" + property(a.inRepository(f.File))
		if f.IsValid() {
			props += fmt.Sprintf(",line=%d,col=%d,endLine=%d", f.Line, f.Column, f.End.Line)
			if f.End.Line == f.Line { // columns are for one line
				props += fmt.Sprintf(",endColumn=%d", f.End.Column)
			}
		}
		message := f.Message
		if f.Fix != nil {
			message += "\nfix: " + f.Fix.Message
		}
		a.out.Printf("::%s %s,title=%s::%s\n", command, props, property(f.Rule), data(message))
	}
	a.out.Printf("%s\n", r.summary())
}

// data escapes the text of a workflow command.
func data(s string) string {
	s = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
	return line.Visible(s, false)
}

// property escapes a property of a workflow command.
func property(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(data(s))
}

// inRepository returns the path of a file relative to the working copy of the
// workflow, else to the working directory; a file that is in neither keeps its
// path.
func (a *app) inRepository(file string) string {
	abs, err := filepath.Abs(filepath.FromSlash(file))
	if err != nil {
		return file
	}
	workspace, _ := a.env("GITHUB_WORKSPACE")
	for _, base := range []string{workspace, "."} {
		if base == "" {
			continue
		}
		if base, err = filepath.Abs(base); err != nil {
			continue
		}
		if rel, err := filepath.Rel(base, abs); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return file
}
