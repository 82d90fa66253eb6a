package main

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/cmd/internal/cli"
	"github.com/matrix-nexus/skillkit/install"
)

// events are those of a run of two steps, the second of which fails.
func events() []install.Event {
	one := install.Step{ID: "apt:one", Label: "Install one"}
	two := install.Step{ID: "download:two", Label: "Download \x1b[31mtwo"}
	return []install.Event{
		{Type: install.EventStarted, Step: one},
		{Type: install.EventOutput, Step: one, Line: "unpacking"},
		{Type: install.EventDone, Step: one},
		{Type: install.EventEnded, Step: one, Outcome: &install.Outcome{Status: install.StatusVerified}},
		{Type: install.EventStarted, Step: two},
		{Type: install.EventProgress, Step: two, Bytes: 5e5, Total: 1e6},
		{Type: install.EventEnded, Step: two, Outcome: &install.Outcome{Status: install.StatusFailed, Detail: "no route", Err: errors.New("no route")}},
	}
}

func TestProgress(t *testing.T) {
	var b strings.Builder
	g := &progress{p: newTestPrinter(&b), total: 2}
	for _, e := range events() {
		g.event(e)
	}
	g.close()
	want := `started    apt:one: Install one
  apt:one| unpacking
verified   apt:one: Install one
started    download:two: Download \u001b[31mtwo
failed     download:two: Download \u001b[31mtwo
  no route
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

// On a terminal there is one line, which is drawn anew, and what stays stands
// above it.
func TestProgressOnTerminal(t *testing.T) {
	var b strings.Builder
	g := &progress{p: newTestPrinter(&b), total: 2}
	g.p.Terminal, g.p.Columns = true, 60
	for _, e := range events() {
		g.drawn = g.drawn.Add(-redraw) // each is worth drawing
		g.event(e)
	}
	g.close()
	const clear = "\r\x1b[K"
	want := strings.Join([]string{
		"[                    ] 0/2 apt:one  Install one", clear,
		"[                    ] 0/2 apt:one  unpacking", clear,
		"[                    ] 0/2 apt:one  unpacking", clear,
		"verified   apt:one: Install one\n",
		"[==========          ] 1/2 download:two  Download \\u001b[3…", clear,
		"[===============     ] 1/2 download:two  0.5 MB of 1.0 MB", clear,
		"failed     download:two: Download \\u001b[31mtwo\n",
		"  no route\n",
	}, "")
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("drawn (-want +got):\n%s", diff)
	}
}

func newTestPrinter(w io.Writer) *printer { return newPrinter(w, cli.NewLookup(nil)) }
