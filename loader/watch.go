package loader

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Watch keeps the index up to date until ctx ends, and returns its error. It
// calls changed, from the goroutine of Watch, after each rescan that changed
// something; if there was no index yet, the first one is such a change.
//
// An event of the operating system only ever causes a rescan, as
// [Loader.Reload] does it, once no further event came for [Options.Debounce]
// (but at most ten times that long after the first). A folder is watched
// before the walk that counts: whatever appears between a walk and its watches
// is found by another walk. Where there are no events to be had, for roots
// that are an [fs.FS], for links to what is not there, and when the system
// refuses to watch so many folders, it rescans each [Options.Poll]. Network
// file systems may send no events for what other machines write; call Reload
// for those.
//
// Changes that a call of Reload finds are told to its caller alone. The error
// is not that of ctx for a malformed glob in [Options.Exclude].
func (l *Loader) Watch(ctx context.Context, changed func(Diff)) error {
	l.watchers.Add(1)
	defer l.watchers.Add(-1)
	events := newEventSource(l)
	defer events.close()
	poll := time.NewTicker(l.opts.Poll)
	defer poll.Stop()
	for {
		if err := l.catchUp(ctx, events, changed); err != nil {
			return err
		}
		var polling <-chan time.Time
		if events.partial || l.hasFS() {
			polling = poll.C
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-polling:
		case <-events.dirty:
			if err := l.settle(ctx, events); err != nil {
				return err
			}
		}
	}
}

func (l *Loader) hasFS() bool {
	return slices.ContainsFunc(l.opts.Roots, func(r Root) bool { return r.FS != nil })
}

// catchUp rescans until everything that was walked was watched before.
func (l *Loader) catchUp(ctx context.Context, events *eventSource, changed func(Diff)) error {
	for {
		d, err := l.Reload(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		l.walked()
		if err != nil {
			// Only a malformed glob, which will not mend itself.
			return err
		}
		if !d.Empty() {
			changed(d)
		}
		if !events.watch(l.current.Load()) {
			return nil
		}
	}
}

// settle waits until no event came for a while.
func (l *Loader) settle(ctx context.Context, events *eventSource) error {
	quiet := time.NewTimer(l.opts.Debounce)
	defer quiet.Stop()
	limit := time.NewTimer(10 * l.opts.Debounce)
	defer limit.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-events.dirty:
			quiet.Reset(l.opts.Debounce)
		case <-quiet.C:
			return nil
		case <-limit.C:
			return nil
		}
	}
}

// A watcher is what is used of an [fsnotify.Watcher].
type watcher struct {
	add, remove func(path string) error
	end         func() error // closes the channels
	events      <-chan fsnotify.Event
	errs        <-chan error
}

func newWatcher() (*watcher, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	return &watcher{w.Add, w.Remove, w.Close, w.Events, w.Errors}, nil
}

// An eventSource turns the events of watched folders into one signal.
type eventSource struct {
	*watcher // nil where there are no events to be had
	// dirty holds a value when there was an event since it was last received
	// from.
	dirty chan struct{}
	// moved is the same for events that may have ended a watch, or put another
	// folder at its path.
	moved chan struct{}
	done  chan struct{} // closed when the pump has ended

	watched map[string]bool
	partial bool // some folder is not watched
}

func newEventSource(l *Loader) *eventSource {
	s := &eventSource{
		dirty: make(chan struct{}, 1), moved: make(chan struct{}, 1), done: make(chan struct{}),
		watched: make(map[string]bool), partial: true,
	}
	watcher, err := l.newWatcher()
	if err != nil {
		l.opts.Logger.Warn("no file events, polling instead", "every", l.opts.Poll, "err", err)
		close(s.done)
		return s
	}
	s.watcher = watcher
	go s.pump(l)
	return s
}

func (s *eventSource) close() {
	if s.watcher != nil {
		_ = s.end() // there is nothing to be done about it
	}
	<-s.done
}

// pump empties the watcher's channels, so that it never blocks.
func (s *eventSource) pump(l *Loader) {
	defer close(s.done)
	signal := func(c chan struct{}) {
		select {
		case c <- struct{}{}:
		default:
		}
	}
	events, errs := s.events, s.errs
	for events != nil || errs != nil {
		select {
		case e, ok := <-events:
			if !ok {
				events = nil
				continue
			}
			// What is created may be a link in place of another one.
			if e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) || e.Has(fsnotify.Create) {
				signal(s.moved)
			}
		case err, ok := <-errs:
			if !ok {
				errs = nil
				continue
			}
			// Among them an overflow: what was lost may be anything.
			l.opts.Logger.Debug("file events", "err", err)
			signal(s.moved)
		}
		signal(s.dirty)
	}
}

// watch watches the folders of the snapshot. It reports whether any of them
// was not watched before.
func (s *eventSource) watch(snap *snapshot) bool {
	if s.watcher == nil {
		return false
	}
	select {
	case <-s.moved:
		// Watches of folders that were moved, removed or replaced are gone.
		clear(s.watched)
	default:
	}
	want := snap.watchable()
	lost := false
	for path := range s.watched {
		if !want[path] {
			s.unwatch(path)
			lost = true
		}
	}
	if lost {
		// Of several paths to one folder, the others have lost its watch too.
		clear(s.watched)
	}
	s.partial = snap.blind()
	added := false
	for _, path := range slices.Sorted(maps.Keys(want)) {
		if s.watched[path] {
			continue
		}
		switch err := s.add(path); {
		case err == nil:
			s.watched[path] = true
			added = true
		case errors.Is(err, os.ErrNotExist):
			added = true // removed since the walk: walk again
		default:
			s.partial = true
		}
	}
	return added
}

// unwatch gives up the watch of a folder, if there is one.
func (s *eventSource) unwatch(path string) {
	defer func() {
		// The library breaks on a path that has come to lead to a folder which
		// it watches under another path. By then it has forgotten the path.
		_ = recover()
	}()
	_ = s.remove(path) // fails for what is gone, which is as well
}

// watchable returns the folders whose events matter.
func (snap *snapshot) watchable() map[string]bool {
	want := make(map[string]bool)
	for root, x := range snap.roots {
		if !x.onDisk {
			continue
		}
		// A root may be a link, which may be made to lead elsewhere.
		if real, err := filepath.EvalSymlinks(root.shown); err == nil && real != root.shown {
			want[filepath.Dir(root.shown)] = true
		}
		for _, path := range x.folders {
			want[path] = true
		}
		for _, e := range x.entries {
			want[e.path()] = true
		}
	}
	for _, path := range snap.absent {
		// The nearest folder above, in which it would appear.
		for {
			parent := filepath.Dir(path)
			if info, err := os.Stat(parent); err == nil && info.IsDir() || parent == path {
				want[parent] = true
				break
			}
			path = parent
		}
	}
	return want
}

// blind reports whether there is something that changes without an event.
func (snap *snapshot) blind() bool {
	for _, x := range snap.roots {
		if x.blind {
			return true
		}
	}
	return false
}
