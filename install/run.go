package install

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/gofrs/flock"

	"github.com/matrix-nexus/skillkit/internal/line"
	"github.com/matrix-nexus/skillkit/metadata"
)

// lockPoll is the pause between two attempts to lock the state folder.
const lockPoll = 100 * time.Millisecond

// ErrShell is the error of a step that holds a shell command while
// [Options.AllowShell] is not set.
var ErrShell = errors.New("install: shell commands are not allowed")

// Run runs the steps of a plan, each at most once, checks what they brought and
// returns what became of each, in the order of the plan. Nothing is tried a
// second time. The error is not nil only if no step was begun: the plan or the
// options make no sense, the state folder cannot be made or locked, or ctx
// ended while another run was at work. Then there are no outcomes.
//
// # Concurrency
//
// One run at a time is at work in a state folder, in whatever process; others
// wait for it, as [EventWaiting] tells them. The lock is gone when its process
// is. Steps of different installers run side by side; those of one installer,
// for which pip and uv count as one, run one after the other, as do downloads.
// A step with a shell command, of which nobody knows what it does, runs alone.
//
// # Ending
//
// When ctx ends, so do the running commands with their process groups, by
// SIGTERM and 5 seconds later SIGKILL, and Run returns an outcome for each
// step. What left its process group, or runs as another user, goes on. If the
// process itself is killed the commands are not: an installer that is stopped
// halfway leaves more damage than one that is left alone. They end by
// themselves, with their standard input empty and nobody reading their output,
// and their receipts stay [ReceiptStarted]; see [Receipt.Check].
//
// # Receipts
//
// A receipt is written before a step begins, and a step whose receipt cannot
// be written is not begun. A removal takes its Skills out of the receipt of the
// step that it undoes, and deletes a receipt that no skill uses any more.
func Run(ctx context.Context, plan *Plan, opts *Options) ([]Outcome, error) {
	if opts == nil || !filepath.IsAbs(opts.State) || opts.Host == nil {
		return nil, errors.New("install: options need an absolute State and a Host")
	}
	if err := checkSteps(plan.Steps); err != nil {
		return nil, err
	}
	if len(plan.Steps) == 0 {
		return nil, nil
	}
	r := &runner{
		opts:     *opts,
		receipts: receiptStore(filepath.Join(opts.State, "receipts")),
		steps:    plan.Steps,
		outcomes: make([]Outcome, len(plan.Steps)),
		index:    make(map[string]int),
	}
	r.opts.State = filepath.Clean(opts.State)
	r.opts.GOOS = cmp.Or(opts.GOOS, runtime.GOOS)
	for _, dir := range []string{string(r.receipts), filepath.Join(r.opts.State, "bin")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("state folder: %w", err)
		}
	}
	unlock, err := r.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	// What a run that was killed left is nobody's now. What cannot be removed
	// is in nobody's way.
	_ = sweep(r.opts.State)
	r.receipts.sweep()

	families := make(map[string][]int)
	for i := range r.steps {
		r.index[r.steps[i].ID] = i
		r.done = append(r.done, make(chan struct{}))
		f := family(&r.steps[i])
		families[f] = append(families[f], i)
	}
	var wg sync.WaitGroup
	for _, steps := range families {
		// No two families wait for each other for ever: a step only waits for
		// steps before it, in its family or elsewhere.
		wg.Go(func() {
			for _, i := range steps {
				r.outcomes[i] = r.run(ctx, &r.steps[i])
				close(r.done[i])
			}
		})
	}
	wg.Wait()
	return r.outcomes, nil
}

// checkSteps reports what no plan of this package holds.
func checkSteps(steps []Step) error {
	ids := make(map[string]bool)
	for i := range steps {
		s := &steps[i]
		forms := 0
		for _, has := range []bool{len(s.Argv) > 0, s.Download != nil, len(s.Remove) > 0} {
			if has {
				forms++
			}
		}
		fault := ""
		switch {
		case s.ID == "" || !utf8.ValidString(s.ID) || ids[s.ID]:
			fault = "the id is empty, not UTF-8 or not the only one"
		case forms > 1 || forms == 0 && s.Undo == "":
			fault = "it is not exactly one of a command, a download and a removal"
		case len(s.Argv) > 0 && !filepath.IsAbs(s.Argv[0]):
			fault = "the path of its program is not absolute"
		case slices.ContainsFunc(s.After, func(id string) bool { return !ids[id] }):
			fault = "a step that it comes after is not before it in the plan"
		}
		if fault != "" {
			return fmt.Errorf("install: plan: step %q: %s", s.ID, fault)
		}
		ids[s.ID] = true
	}
	return nil
}

// family returns what steps have in common of which only one runs at a time.
func family(s *Step) string {
	if s.Kind == metadata.KindUv {
		return string(metadata.KindPip) // they change the same environment
	}
	return string(s.Kind)
}

// A runner is one call of [Run].
type runner struct {
	opts     Options
	receipts receiptStore
	steps    []Step
	index    map[string]int // of a step, by its ID

	done     []chan struct{} // closed when the outcome of a step is final
	outcomes []Outcome       // one may be read when its done is closed

	telling sync.Mutex // held while Event is called
	asking  sync.Mutex // held while Approve is called
	looking sync.Mutex // held while Host is used, and while programs are linked
	// alone is held by a shell command, and shared by other steps.
	alone sync.RWMutex
}

// lock keeps other runs out of the state folder.
func (r *runner) lock(ctx context.Context) (unlock func(), err error) {
	file := flock.New(filepath.Join(r.opts.State, "lock"), flock.SetPermissions(0o600))
	locked, err := file.TryLock()
	if err == nil && !locked {
		r.tell(Event{Type: EventWaiting})
		if _, err = file.TryLockContext(ctx, lockPoll); ctx.Err() != nil {
			err = fmt.Errorf("another run is at work: %w", context.Cause(ctx))
		}
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("state folder %s: %w", r.opts.State, err)
	}
	return func() { file.Close() }, nil
}

func (r *runner) tell(e Event) {
	if r.opts.Event == nil {
		return
	}
	r.telling.Lock()
	defer r.telling.Unlock()
	r.opts.Event(e)
}

// run sees one step to its outcome.
func (r *runner) run(ctx context.Context, s *Step) Outcome {
	out := r.attempt(ctx, s)
	out.Step = *s
	out.Detail = line.Fold(out.Detail)
	r.tell(Event{Type: EventEnded, Step: *s, Outcome: &out})
	return out
}

func failed(status OutcomeStatus, err error) Outcome {
	return Outcome{Status: status, Detail: err.Error(), Err: err}
}

// attempt begins the step if nothing speaks against it.
func (r *runner) attempt(ctx context.Context, s *Step) Outcome {
	for _, id := range s.After {
		i := r.index[id]
		<-r.done[i]
		if r.steps[i].Optional {
			continue
		}
		switch dep := &r.outcomes[i]; dep.Status {
		case StatusVerified, StatusOffPath:
		default:
			return failed(StatusSkipped, fmt.Errorf("it needs step %q, which is %s", id, dep.Status))
		}
	}
	if s.Shell {
		if !r.opts.AllowShell {
			return failed(StatusBlocked, ErrShell)
		}
		r.alone.Lock()
		defer r.alone.Unlock()
	} else {
		r.alone.RLock()
		defer r.alone.RUnlock()
	}
	if s.Undo != "" || len(s.Remove) > 0 {
		return r.undo(ctx, s)
	}
	return r.do(ctx, s)
}

func skippedBy(ctx context.Context) Outcome {
	return failed(StatusSkipped, fmt.Errorf("the run ended before it: %w", context.Cause(ctx)))
}

// approve returns the outcome of a step that may not be begun, or nil.
func (r *runner) approve(ctx context.Context, s *Step) *Outcome {
	if r.opts.Approve != nil {
		r.asking.Lock()
		defer r.asking.Unlock()
		if ctx.Err() == nil {
			if err := r.opts.Approve(*s); err != nil {
				out := failed(StatusBlocked, fmt.Errorf("not approved: %w", err))
				return &out
			}
		}
	}
	if ctx.Err() != nil {
		out := skippedBy(ctx)
		return &out
	}
	return nil
}

// do runs a step that brings something.
func (r *runner) do(ctx context.Context, s *Step) Outcome {
	receipt, err := r.receipts.load(s.ID)
	if err != nil {
		return failed(StatusFailed, err)
	}
	if s.Creates != "" && (receipt == nil || receipt.State == ReceiptInstalled) {
		if _, err := os.Stat(s.Creates); err == nil {
			return r.reuse(s, receipt)
		}
	}
	if out := r.approve(ctx, s); out != nil {
		return *out
	}
	if receipt == nil {
		receipt = &Receipt{}
	}
	receipt.Step = withSkills(s, receipt.Step.Skills)
	receipt.State, receipt.Started, receipt.Ended, receipt.Error = ReceiptStarted, now(), time.Time{}, ""
	if err := r.receipts.save(receipt); err != nil {
		return failed(StatusFailed, fmt.Errorf("not begun, since no receipt can be written: %w", err))
	}
	r.tell(Event{Type: EventStarted, Step: *s})

	files, out := r.install(ctx, s, receipt)
	receipt.Files = union(receipt.Files, files)
	receipt.Ended, receipt.State = now(), ReceiptInstalled
	switch out.Status {
	case StatusInterrupted:
		receipt.State, receipt.Error = ReceiptFailed, "interrupted; what it did is not known"
	case StatusFailed:
		receipt.State, receipt.Error = ReceiptFailed, out.Err.Error()
	}
	if err := r.receipts.save(receipt); err != nil {
		out.note(fmt.Errorf("its receipt cannot be written: %w", err))
	}
	return out
}

// reuse is the outcome of a step whose work is there. A receipt that says so
// gains the skills.
func (r *runner) reuse(s *Step, receipt *Receipt) Outcome {
	out := Outcome{Status: StatusVerified}
	if receipt != nil {
		receipt.Step = withSkills(&receipt.Step, s.Skills)
		if err := r.receipts.save(receipt); err != nil {
			return failed(StatusFailed, err)
		}
	}
	return out
}

// install does the work of a step and returns what it put in place.
func (r *runner) install(ctx context.Context, s *Step, receipt *Receipt) (files []string, out Outcome) {
	var built []string
	if s.Kind == metadata.KindGo && s.BinDir != "" {
		built = builtPrograms(s, &r.opts)
	}
	before := make([]fileID, len(built))
	for i, file := range built {
		before[i] = identify(file)
	}

	if s.Download != nil {
		files = append(files, s.Download.Dir)
		sum, err := r.download(ctx, s)
		if err != nil {
			return nil, ended(ctx, err, ctx.Err() != nil, "")
		}
		receipt.SHA256 = sum
	} else if tail, err := r.command(ctx, s); err != nil {
		return nil, ended(ctx, err, errors.Is(err, context.Cause(ctx)), tail)
	}
	r.tell(Event{Type: EventDone, Step: *s})

	for i, file := range built {
		// What was there before and is the same is not the work of the step.
		if now := identify(file); now.info != nil && !now.same(before[i]) {
			files = append(files, file)
		}
	}
	r.looking.Lock()
	defer r.looking.Unlock()
	links, notes := linkPrograms(s, &r.opts)
	out = verify(s, &r.opts)
	for _, note := range notes {
		out.note(errors.New(note))
	}
	return append(files, links...), out
}

func (r *runner) command(ctx context.Context, s *Step) (tail string, err error) {
	return runCommand(ctx, s, &r.opts, func(text string) {
		r.tell(Event{Type: EventOutput, Step: *s, Line: text})
	})
}

func (r *runner) download(ctx context.Context, s *Step) (sum string, err error) {
	return download(ctx, s.Download, &r.opts, func(bytes, total int64) {
		r.tell(Event{Type: EventProgress, Step: *s, Bytes: bytes, Total: total})
	})
}

// ended is the outcome of a step that came to an end with an error.
func ended(ctx context.Context, err error, interrupted bool, tail string) Outcome {
	if ctx.Err() == nil || !interrupted {
		out := failed(StatusFailed, err)
		if tail != "" {
			out.Detail += ": " + tail
		}
		return out
	}
	return failed(StatusInterrupted, fmt.Errorf("interrupted, and what it did is not known: %w", err))
}

// note adds to an outcome what is no reason for another status.
func (o *Outcome) note(err error) {
	o.Err = errors.Join(o.Err, err)
	if o.Detail != "" {
		o.Detail += "; "
	}
	o.Detail += err.Error()
}

// withSkills returns a copy of s that is done for more skills.
func withSkills(s *Step, more []string) Step {
	c := *s
	c.Skills = union(s.Skills, more)
	return c
}

// union returns the elements of both lists, sorted.
func union(a, b []string) []string {
	all := slices.Sorted(slices.Values(slices.Concat(a, b)))
	return slices.Compact(all)
}

func now() time.Time { return time.Now().UTC().Truncate(time.Second) }
