package executa

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/gofrs/flock"

	"github.com/matrix-nexus/skillkit/internal/atomicfile"
	"github.com/matrix-nexus/skillkit/registry"
)

// Limits of a [Journal]. A call that is done is remembered as long as the
// registry does: for [registry.RecordAge], and no more of them than
// [registry.MaxRecords]. Of the others the newest are kept, however old.
const (
	MaxUncertain = registry.MaxRecords // calls without an end, beside those that run
	MaxCallID    = 1024                // bytes of the id of a call that is recorded
)

// journalSlack is how many bytes the file grows by before it is written anew.
const journalSlack = 1 << 20

// A Journal is a file that says which calls were sent, and which of them are
// done, also after this program was killed. A call whose id it knows is not made
// again: the caller gets a [*RepeatError], and the registry says that the call
// may have run. Its methods may be called by several goroutines.
//
// The file holds JSON, a line for each event: ids and names of calls and the
// digests of their arguments, but neither arguments nor results.
type Journal struct {
	name      string
	lock      *flock.Flock
	uncertain []JournalEntry

	// use is held for reading while file is synced, so that it can be without
	// mu, and for writing while it is exchanged.
	use sync.RWMutex

	mu      sync.Mutex // protects what follows
	file    *os.File   // nil if closed
	broken  error      // why nothing can be recorded any more
	calls   map[string]*journalCall
	size    int64 // bytes of file
	compact int64 // the size at which it is written anew
}

// A JournalEntry is a call that was sent.
type JournalEntry struct {
	CallID string    `json:"call_id"`
	Plugin string    `json:"plugin"`
	Tool   string    `json:"tool"`
	Sent   time.Time `json:"sent"`
}

// A RepeatError reports a call with an id under which a call was sent already, in
// this life of the program or an earlier one. It was not sent again.
type RepeatError struct {
	JournalEntry
	// Done means that the earlier call was answered; the answer is not kept.
	// Else it is uncertain what came of it.
	Done bool
}

func (e *RepeatError) Error() string {
	what := "and whether it had an effect is not known"
	if e.Done {
		what = "was answered, and the answer is not kept"
	}
	return fmt.Sprintf("a call with the id %q was sent to tool %q of plugin %q at %s, %s; use a new id to make another",
		e.CallID, e.Tool, e.Plugin, e.Sent.UTC().Format(time.RFC3339), what)
}

// A journalCall is what is known of a call.
type journalCall struct {
	JournalEntry
	sum     string
	running bool      // in this life
	done    time.Time // zero if no end is recorded
}

// A journalLine is a line of the file.
type journalLine struct {
	Event string `json:"event"` // "sent", "done", or "unsent": nothing was sent after all
	JournalEntry
	Sum string    `json:"arguments,omitempty"` // hex SHA-256
	At  time.Time `json:"at"`                  // of the event
}

// OpenJournal opens the journal in file, or makes it, with mode 0600, in a folder
// that must exist. One program at a time can have it open; a file beside it, with
// ".lock" added to the name, sees to that. What a crash left of a last line is
// dropped; another line that cannot be read is an error that names it.
func OpenJournal(file string) (*Journal, error) {
	j := &Journal{
		name:  file,
		lock:  flock.New(file+".lock", flock.SetPermissions(0o600)),
		calls: map[string]*journalCall{},
	}
	if err := j.open(); err != nil {
		if j.file != nil {
			err = errors.Join(err, j.file.Close())
		}
		return nil, errors.Join(err, j.lock.Close())
	}
	return j, nil
}

func (j *Journal) open() error {
	switch locked, err := j.lock.TryLock(); {
	case err != nil:
		return fmt.Errorf("journal %s: %w", j.name, err)
	case !locked:
		return fmt.Errorf("journal %s: another program has it open; end that, or use another file", j.name)
	}
	text, err := os.ReadFile(j.name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := j.read(text); err != nil {
		return err
	}
	j.forget()
	for _, c := range j.calls {
		if c.done.IsZero() {
			j.uncertain = append(j.uncertain, c.JournalEntry)
		}
	}
	slices.SortFunc(j.uncertain, compareEntries)
	return j.rewrite()
}

func compareEntries(a, b JournalEntry) int {
	return cmp.Or(a.Sent.Compare(b.Sent), cmp.Compare(a.CallID, b.CallID))
}

// read takes in the lines of an earlier life.
func (j *Journal) read(text []byte) error {
	n := 0
	for line := range bytes.Lines(text) {
		n++
		var l journalLine
		err := json.Unmarshal(line, &l)
		switch {
		case err != nil && !bytes.HasSuffix(line, []byte("\n")):
			// A call is sent after its line was written, so this one was not.
		case err != nil:
			return fmt.Errorf("%s:%d: no line of a journal: %w; move the file away and look at what the calls in it did", j.name, n, err)
		case l.Event == "sent":
			j.calls[l.CallID] = &journalCall{JournalEntry: l.JournalEntry, sum: l.Sum}
		case l.Event == "unsent":
			delete(j.calls, l.CallID)
		case l.Event == "done" && j.calls[l.CallID] != nil:
			j.calls[l.CallID].done = l.At
		case l.Event != "done":
			return fmt.Errorf("%s:%d: event %q is not known; a newer program may have written it", j.name, n, l.Event)
		}
	}
	return nil
}

// Uncertain returns the calls that an earlier program sent and did not see the
// end of, the oldest first. The slice is the caller's.
func (j *Journal) Uncertain() []JournalEntry { return slices.Clone(j.uncertain) }

// Close closes the file. Calls cannot be recorded afterwards, so that those with
// an id are not sent. It may be called again.
func (j *Journal) Close() error {
	j.use.Lock()
	defer j.use.Unlock()
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return nil
	}
	err := j.file.Close()
	j.file = nil
	return errors.Join(err, j.lock.Close())
}

func argumentsSum(arguments []byte) string {
	sum := sha256.Sum256(arguments)
	return fmt.Sprintf("%x", sum)
}

// check returns the error for a call whose id is known or cannot be recorded. The
// caller holds mu.
func (j *Journal) check(e JournalEntry, sum string) error {
	c := j.calls[e.CallID]
	switch {
	case j.broken != nil:
		return j.broken
	case j.file == nil:
		return fmt.Errorf("journal %s: %w", j.name, os.ErrClosed)
	case len(e.CallID) > MaxCallID || !utf8.ValidString(e.CallID):
		return fmt.Errorf("journal %s: the id of a call must be UTF-8 of at most %d bytes", j.name, MaxCallID)
	case c == nil || !c.done.IsZero() && time.Since(c.done) > registry.RecordAge:
		return nil
	case c.Plugin != e.Plugin || c.Tool != e.Tool || c.sum != sum:
		return fmt.Errorf("%w: id %q is that of a call of tool %q of plugin %q", registry.ErrCallIDReused, e.CallID, c.Tool, c.Plugin)
	}
	return &RepeatError{JournalEntry: c.JournalEntry, Done: !c.done.IsZero()}
}

// known is check for a call that is not to be sent yet.
func (j *Journal) known(id, plugin, tool string, arguments []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.check(JournalEntry{CallID: id, Plugin: plugin, Tool: tool}, argumentsSum(arguments))
}

// sent records that a call is about to be sent. When it returns nil, the record
// outlasts a crash of the system.
func (j *Journal) sent(id, plugin, tool string, arguments []byte) error {
	e := JournalEntry{CallID: id, Plugin: plugin, Tool: tool, Sent: time.Now().UTC()}
	sum := argumentsSum(arguments)
	j.mu.Lock()
	err := j.check(e, sum)
	if err == nil {
		err = j.append(journalLine{Event: "sent", JournalEntry: e, Sum: sum, At: e.Sent})
	}
	if err == nil {
		j.calls[id] = &journalCall{JournalEntry: e, sum: sum, running: true}
	}
	j.mu.Unlock()
	if err != nil {
		return err
	}
	j.use.RLock() // many calls sync at the same time, which costs as much as one
	defer j.use.RUnlock()
	j.mu.Lock()
	file := j.file
	j.mu.Unlock()
	err = os.ErrClosed
	if file != nil {
		err = file.Sync()
	}
	if err != nil {
		return errors.Join(fmt.Errorf("journal %s: %w", j.name, err), j.end(id, false, true))
	}
	return nil
}

// ended records what came of a call that sent has recorded: done, unsent, or
// neither of them if that is not known. The line is not synced: one that is lost
// makes the call uncertain, and no more.
func (j *Journal) ended(id string, done, unsent bool) error {
	err := j.end(id, done, unsent)
	j.mu.Lock()
	full := j.file != nil && j.broken == nil && j.size > j.compact
	j.mu.Unlock()
	if full {
		j.use.Lock()
		j.mu.Lock()
		if j.file != nil && j.size > j.compact {
			j.forget()
			err = errors.Join(err, j.rewrite())
		}
		j.mu.Unlock()
		j.use.Unlock()
	}
	return err
}

func (j *Journal) end(id string, done, unsent bool) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	c := j.calls[id]
	if c == nil {
		return nil
	}
	c.running = false
	l := journalLine{JournalEntry: JournalEntry{CallID: id, Plugin: c.Plugin, Tool: c.Tool, Sent: c.Sent}, At: time.Now().UTC()}
	switch {
	case unsent:
		delete(j.calls, id)
		l.Event = "unsent"
	case done:
		c.done = l.At
		l.Event = "done"
	default:
		return nil
	}
	return j.append(l)
}

// append writes a line. Half a line would make the file unreadable, so it is
// taken back.
func (j *Journal) append(l journalLine) error {
	if j.broken != nil || j.file == nil {
		return cmp.Or(j.broken, os.ErrClosed)
	}
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	n, err := j.file.Write(append(text, '\n'))
	if err == nil {
		j.size += int64(n)
		return nil
	}
	err = fmt.Errorf("journal: %w", err) // which names the file
	if truncErr := j.file.Truncate(j.size); truncErr != nil {
		j.broken = errors.Join(err, truncErr)
	}
	return err
}

// forget drops what is over the limits.
func (j *Journal) forget() {
	var done, lost []*journalCall
	for id, c := range j.calls {
		switch {
		case c.running:
		case c.done.IsZero():
			lost = append(lost, c)
		case time.Since(c.done) > registry.RecordAge:
			delete(j.calls, id)
		default:
			done = append(done, c)
		}
	}
	drop := func(list []*journalCall, limit int, order func(a, b *journalCall) int) {
		slices.SortFunc(list, order)
		for _, c := range list[:max(len(list)-limit, 0)] {
			delete(j.calls, c.CallID)
		}
	}
	drop(done, registry.MaxRecords, func(a, b *journalCall) int { return a.done.Compare(b.done) })
	drop(lost, MaxUncertain, func(a, b *journalCall) int { return compareEntries(a.JournalEntry, b.JournalEntry) })
}

// rewrite puts a file with only what is known in the place of the old one. After
// an error the old one goes on, unless that cannot be opened again: then nothing
// can be recorded.
func (j *Journal) rewrite() error {
	list := make([]*journalCall, 0, len(j.calls))
	for _, c := range j.calls {
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b *journalCall) int { return compareEntries(a.JournalEntry, b.JournalEntry) })
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	for _, c := range list {
		// Strings and times can be encoded, and a buffer takes all.
		_ = enc.Encode(journalLine{Event: "sent", JournalEntry: c.JournalEntry, Sum: c.sum, At: c.Sent})
		if !c.done.IsZero() {
			_ = enc.Encode(journalLine{Event: "done", JournalEntry: c.JournalEntry, At: c.done})
		}
	}
	err := j.exchange(text.Bytes())
	if err == nil {
		return nil
	}
	err = fmt.Errorf("journal %s: %w", j.name, err)
	if j.file == nil {
		j.broken = err
	}
	return err
}

func (j *Journal) exchange(text []byte) error {
	if j.file != nil { // Windows does not replace a file that is open
		err := j.file.Close()
		j.file = nil
		if err != nil {
			return err
		}
	}
	writeErr := atomicfile.Write(j.name, text) // such as that the disk is full
	f, err := os.OpenFile(j.name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return errors.Join(writeErr, err)
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(writeErr, err, f.Close())
	}
	j.file, j.size = f, info.Size()
	j.compact = j.size + journalSlack
	return writeErr
}
