package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/matrix-nexus/skillkit/cmd/internal/cli"
	"github.com/matrix-nexus/skillkit/install"
)

// progress shows how a run goes: on a terminal a line that is drawn anew, with
// a bar and what the running steps do; elsewhere a line for each event.
type progress struct {
	mu      sync.Mutex // held by event and warn, which may be called at once
	p       *printer
	total   int // steps
	ended   int
	running []string           // IDs
	done    map[string]float64 // of the running downloads, from 0 to 1
	last    string             // what was last put out by a step
	drawn   time.Time
	status  bool // a status line is on the terminal
}

// redraw is the least time between two drawings of the status line.
const redraw = 50 * time.Millisecond

func (g *progress) event(e install.Event) {
	g.mu.Lock()
	defer g.mu.Unlock()
	id := oneLine(e.Step.ID)
	switch e.Type {
	case install.EventWaiting:
		g.note("waiting for another run to end")
	case install.EventStarted:
		g.running = append(g.running, id)
		g.last = oneLine(e.Step.Label)
		g.plain("started    %s: %s", id, oneLine(e.Step.Label))
		g.drawn = time.Time{}
	case install.EventOutput:
		g.last = oneLine(e.Line)
		g.plain("  %s| %s", id, e.Line)
	case install.EventProgress:
		if e.Total > 0 {
			if g.done == nil {
				g.done = make(map[string]float64)
			}
			g.done[id] = float64(e.Bytes) / float64(e.Total)
		}
		g.last = megabytes(e.Bytes)
		if e.Total > 0 {
			g.last += " of " + megabytes(e.Total)
		}
	case install.EventEnded:
		g.ended++
		g.running = slices.DeleteFunc(g.running, func(s string) bool { return s == id })
		delete(g.done, id)
		g.line(outcomeCell(e.Outcome.Status), id+": "+oneLine(e.Step.Label))
		if e.Outcome.Detail != "" {
			g.note("  " + e.Outcome.Detail)
		}
		g.drawn = time.Time{}
	}
	g.draw()
	g.p.Flush()
}

// plain writes a line where no status line is shown.
func (g *progress) plain(format string, args ...any) {
	if !g.p.Terminal {
		g.p.Printf("%s\n", visible(fmt.Sprintf(format, args...), false))
	}
}

// warn writes a line that stays, while events may come.
func (g *progress) warn(text string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.note(text)
	g.p.Flush()
}

// note writes a line that stays.
func (g *progress) note(text string) { g.line(cell{}, text) }

func (g *progress) line(c cell, text string) {
	const width = len(install.StatusUnverified)
	g.clear()
	if c.text != "" {
		g.p.styled(c)
		g.p.Printf("%*s", max(width-len(c.text), 0)+1, "")
	}
	g.p.Printf("%s\n", text)
}

// draw writes the status line, unless it did just now.
func (g *progress) draw() {
	const width = 20 // of the bar, in columns
	if !g.p.Terminal || len(g.running) == 0 || time.Since(g.drawn) < redraw {
		return
	}
	g.drawn = time.Now()
	at := float64(g.ended)
	for _, d := range g.done {
		at += d
	}
	full := min(int(at*width/float64(max(g.total, 1))), width)
	text := fmt.Sprintf("[%s%s] %d/%d %s  %s", strings.Repeat("=", full), strings.Repeat(" ", width-full),
		g.ended, g.total, strings.Join(g.running, ", "), g.last)
	g.clear()
	g.p.styled(cell{fitWidth(visible(text, false), max(g.p.Columns-1, minLast)), cli.Plain})
	g.status = true
}

// clear takes the status line away.
func (g *progress) clear() {
	if g.status {
		g.p.ClearLine()
		g.status = false
	}
}

func (g *progress) close() {
	g.clear()
	g.p.Flush()
}

func outcomeCell(s install.OutcomeStatus) cell {
	switch s {
	case install.StatusVerified:
		return cell{string(s), cli.Green}
	case install.StatusFailed, install.StatusInterrupted, install.StatusBlocked:
		return cell{string(s), cli.Red}
	}
	return cell{string(s), cli.Yellow}
}

// megabytes formats a size.
func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
