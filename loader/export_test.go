package loader

import (
	"errors"

	"github.com/fsnotify/fsnotify"
)

// OnWalk makes Watch call f after each walk, before what was walked is
// watched.
func (l *Loader) OnWalk(f func()) { l.walked = f }

// NoEvents makes the system refuse to watch.
func (l *Loader) NoEvents() {
	l.newWatcher = func() (*watcher, error) { return nil, errors.New("no watches left") }
}

// FakeEvents makes Watch watch nothing, and returns what makes it believe in
// an event, and in an overflow.
func (l *Loader) FakeEvents() (event, overflow func()) {
	events, errs := make(chan fsnotify.Event), make(chan error)
	ignore := func(string) error { return nil }
	l.newWatcher = func() (*watcher, error) {
		return &watcher{ignore, ignore, func() error { close(events); close(errs); return nil }, events, errs}, nil
	}
	return func() { events <- fsnotify.Event{Op: fsnotify.Write} }, func() { errs <- fsnotify.ErrEventOverflow }
}

// DigestWithin is [Digest] with other limits.
var DigestWithin = digest

// Portable makes l read folders as it does where there are no shorter ways.
func (l *Loader) Portable() { l.openTree = openRootTree }
