package executa

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/registry"
)

func openJournal(t *testing.T, file string) *Journal {
	t.Helper()
	j, err := OpenJournal(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	return j
}

// reopen closes a journal as a program does that is killed, and opens it again.
func reopen(t *testing.T, j *Journal) *Journal {
	t.Helper()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return openJournal(t, j.name)
}

func send(t *testing.T, j *Journal, id string) {
	t.Helper()
	if err := j.sent(id, "p", "tool", []byte("{}")); err != nil {
		t.Fatal(err)
	}
}

func ids(list []JournalEntry) []string {
	var ids []string
	for _, e := range list {
		ids = append(ids, e.CallID)
	}
	return ids
}

func TestJournal(t *testing.T) {
	j := openJournal(t, filepath.Join(t.TempDir(), "journal"))
	for _, id := range []string{"killed", "done", "lost", "unsent"} {
		send(t, j, id)
	}
	for _, err := range []error{
		j.ended("done", true, false), j.ended("lost", false, false), j.ended("unsent", false, true),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(j.Uncertain()) > 0 {
		t.Errorf("calls of this life are %v", j.Uncertain())
	}
	for life := range 3 {
		if life > 0 {
			j = reopen(t, j)
			if diff := cmp.Diff([]string{"killed", "lost"}, ids(j.Uncertain())); diff != "" {
				t.Errorf("life %d: uncertain (-want +got):\n%s", life, diff)
			}
		}
		for id, done := range map[string]bool{"killed": false, "done": true, "lost": false} {
			for name, ask := range map[string]func(id, plugin, tool string, arguments []byte) error{"known": j.known, "sent": j.sent} {
				e, ok := errors.AsType[*RepeatError](ask(id, "p", "tool", []byte("{}")))
				if !ok || e.Done != done || e.CallID != id || e.Sent.IsZero() {
					t.Errorf("life %d: %s %q got %v", life, name, id, e)
				}
				for _, other := range [][3]string{{"q", "tool", "{}"}, {"p", "other", "{}"}, {"p", "tool", `{"a":1}`}} {
					if err := ask(id, other[0], other[1], []byte(other[2])); !errors.Is(err, registry.ErrCallIDReused) {
						t.Errorf("life %d: %s %q of %v got %v", life, name, id, other, err)
					}
				}
			}
		}
		if err := j.known("unsent", "q", "other", nil); err != nil {
			t.Errorf("life %d: %v", life, err)
		}
	}
}

func TestJournalFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "journal")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	j := openJournal(t, file)
	send(t, j, "a")
	if _, err := OpenJournal(file); err == nil || !strings.Contains(err.Error(), "another program") {
		t.Errorf("a second one got %v", err)
	}
	for _, name := range []string{file, file + ".lock"} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode(); runtime.GOOS != "windows" && got != 0o600 {
			t.Errorf("%s has mode %v", name, got)
		}
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
	if err := j.sent("b", "p", "tool", nil); !errors.Is(err, os.ErrClosed) {
		t.Errorf("after Close got %v", err)
	}
	if _, err := OpenJournal(filepath.Join(file, "below")); err == nil {
		t.Error("a folder that is none is no error")
	}
}

func TestJournalText(t *testing.T) {
	const (
		sent = `{"event":"sent","call_id":"a","plugin":"p","tool":"t","sent":"2026-01-02T03:04:05Z","arguments":"00","at":"2026-01-02T03:04:05Z"}` + "\n"
		done = `{"event":"done","call_id":"a","plugin":"p","tool":"t","sent":"2026-01-02T03:04:05Z","at":"2226-01-02T03:04:05Z"}` + "\n"
	)
	for _, test := range []struct {
		name, text string
		want       []string // uncertain
		wantErr    string
	}{
		{"empty", "", nil, ""},
		{"sent", sent, []string{"a"}, ""},
		{"done", sent + done, nil, ""},
		{"done alone", done, nil, ""},
		{"no end of line", strings.TrimSuffix(sent, "\n"), []string{"a"}, ""},
		{"zeros", sent + strings.Repeat("\x00", 4096), []string{"a"}, ""},
		{"middle", sent + "{\n" + done, nil, "journal:2: "},
		{"null", "null\n" + sent, nil, `journal:1: event "" is not known`},
		{"event", sent + strings.Replace(done, "done", "new", 1), nil, `journal:2: event "new" is not known`},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "journal")
			if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			j, err := OpenJournal(file)
			if test.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), test.wantErr) {
					t.Fatalf("got %v, want %q in it", err, test.wantErr)
				}
				if text, _ := os.ReadFile(file); string(text) != test.text {
					t.Errorf("the file is now %q", text)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer j.Close()
			if diff := cmp.Diff(test.want, ids(j.Uncertain())); diff != "" {
				t.Errorf("uncertain (-want +got):\n%s", diff)
			}
		})
	}

	// Wherever a crash cuts the last line off, the call before is known.
	for cut := range len(sent) - 1 {
		j := &Journal{name: "journal", calls: map[string]*journalCall{}}
		text := strings.Replace(sent, `"a"`, `"b"`, 1) + sent[:cut]
		if err := j.read([]byte(text)); err != nil || j.calls["b"] == nil || j.calls["a"] != nil {
			t.Errorf("cut at %d: got %v, %v", cut, j.calls, err)
		}
	}
}

func TestJournalIDs(t *testing.T) {
	j := openJournal(t, filepath.Join(t.TempDir(), "journal"))
	for _, test := range []struct {
		id string
		ok bool
	}{
		{strings.Repeat("é", MaxCallID/2), true},
		{strings.Repeat("é", MaxCallID/2) + "a", false},
		{"a\nb\x00\u2028<\"\\", true},
		{"a\xff", false},
	} {
		if err := j.sent(test.id, "p", "t", nil); (err == nil) != test.ok {
			t.Errorf("%.20q got %v", test.id, err)
		}
	}
	j = reopen(t, j)
	if got := ids(j.Uncertain()); len(got) != 2 || got[1] != "a\nb\x00\u2028<\"\\" {
		t.Errorf("got %q", got)
	}
}

func TestJournalLimits(t *testing.T) {
	now := time.Now()
	for _, test := range []struct {
		name    string
		n, want int
		call    journalCall
	}{
		{"done", registry.MaxRecords + 1, registry.MaxRecords, journalCall{done: now}},
		{"done at the limit", registry.MaxRecords, registry.MaxRecords, journalCall{done: now}},
		{"done long ago", 5, 0, journalCall{done: now.Add(-registry.RecordAge - time.Second)}},
		{"done not so long ago", 5, 5, journalCall{done: now.Add(-registry.RecordAge + time.Minute)}},
		{"uncertain", MaxUncertain + 1, MaxUncertain, journalCall{JournalEntry: JournalEntry{Sent: now}}},
		{"uncertain long ago", 5, 5, journalCall{JournalEntry: JournalEntry{Sent: now.AddDate(-1, 0, 0)}}},
		{"running", MaxUncertain + 1, MaxUncertain + 1, journalCall{running: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			j := &Journal{calls: map[string]*journalCall{}}
			for i := range test.n {
				c := test.call
				c.CallID = fmt.Sprintf("%05d", i)
				if !c.done.IsZero() {
					c.done = c.done.Add(time.Duration(i))
				}
				j.calls[c.CallID] = &c
			}
			j.forget()
			if got := len(j.calls); got != test.want {
				t.Errorf("%d calls are kept, want %d", got, test.want)
			}
			if last := fmt.Sprintf("%05d", test.n-1); test.want > 0 && j.calls[last] == nil {
				t.Error("the newest is not kept")
			}
		})
	}

	// One that was done long ago may be made again before it is dropped, too.
	j := openJournal(t, filepath.Join(t.TempDir(), "journal"))
	send(t, j, "a")
	if err := j.ended("a", true, false); err != nil {
		t.Fatal(err)
	}
	j.calls["a"].done = now.Add(-registry.RecordAge - time.Second)
	send(t, j, "a")
	j = reopen(t, j)
	if got := ids(j.Uncertain()); len(got) != 1 {
		t.Errorf("uncertain are %q", got)
	}
}

// TestJournalGrows has many callers while the file is written anew.
func TestJournalGrows(t *testing.T) {
	file := filepath.Join(t.TempDir(), "journal")
	j := openJournal(t, file)
	j.compact = 1000
	var wg sync.WaitGroup
	const callers, calls = 8, 40
	for c := range callers {
		wg.Go(func() {
			for i := range calls {
				id := fmt.Sprintf("%d/%d", c, i)
				if err := j.sent(id, "p", "tool", nil); err != nil {
					t.Error(err)
				}
				if err := j.ended(id, i%2 == 0, false); err != nil {
					t.Error(err)
				}
				j.mu.Lock()
				j.compact = min(j.compact, j.size+1000)
				j.mu.Unlock()
			}
		})
	}
	wg.Wait()
	j = reopen(t, j)
	if got := len(j.Uncertain()); got != callers*calls/2 {
		t.Errorf("%d calls are uncertain, want %d", got, callers*calls/2)
	}
	if got := len(j.calls); got != callers*calls {
		t.Errorf("%d calls are known, want %d", got, callers*calls)
	}
}

func BenchmarkJournal(b *testing.B) {
	j, err := OpenJournal(filepath.Join(b.TempDir(), "journal"))
	if err != nil {
		b.Fatal(err)
	}
	defer j.Close()
	i := 0
	for b.Loop() {
		id := fmt.Sprint(i)
		i++
		if err := errors.Join(j.sent(id, "p", "tool", nil), j.ended(id, true, false)); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzJournal(f *testing.F) {
	f.Add([]byte(`{"event":"sent","call_id":"a"}` + "\n" + `{"event":"done","call_id":"a"}` + "\n"))
	f.Add([]byte("null"))
	f.Fuzz(func(t *testing.T, text []byte) {
		j := &Journal{name: "journal", calls: map[string]*journalCall{}}
		if j.read(text) != nil {
			return
		}
		j.forget()
		if n := len(j.calls); n > registry.MaxRecords+MaxUncertain {
			t.Errorf("%d calls are kept", n)
		}
		for id, c := range j.calls {
			if id != c.CallID {
				t.Errorf("%q is kept as %q", c.CallID, id)
			}
		}
	})
}

// A journal that cannot be written anew, since the disk is full, goes on with the
// file that it has.
func TestJournalCannotBeRewritten(t *testing.T) {
	j := openJournal(t, filepath.Join(t.TempDir(), "journal"))
	name := j.name
	send(t, j, "before")
	j.compact = 0
	j.name = filepath.Join(filepath.Dir(name), strings.Repeat("x", 240)) // a temporary name is too long
	if err := os.Link(name, j.name); err != nil {
		t.Fatal(err)
	}
	if err := j.ended("before", true, false); err == nil {
		t.Fatal("it was rewritten")
	}
	send(t, j, "after")
	if err := j.ended("after", true, false); err != nil {
		t.Error(err)
	}
	send(t, j, "lost")
	j.name = name
	j = reopen(t, j)
	if diff := cmp.Diff([]string{"lost"}, ids(j.Uncertain())); diff != "" {
		t.Errorf("uncertain (-want +got):\n%s", diff)
	}
	if _, repeated := errors.AsType[*RepeatError](j.known("after", "p", "tool", []byte("{}"))); !repeated {
		t.Error("a call is forgotten")
	}
}
