package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// undo runs a step that removes something.
func (r *runner) undo(ctx context.Context, s *Step) Outcome {
	var receipt *Receipt
	if s.Undo != "" {
		var err error
		if receipt, err = r.receipts.load(s.Undo); err != nil {
			return failed(StatusFailed, err)
		}
	}
	act := len(s.Argv) > 0 || len(s.Remove) > 0
	var rest []string
	if receipt != nil {
		rest = without(receipt.Step.Skills, s.Skills)
	}
	switch {
	case act && len(rest) > 0:
		return failed(StatusFailed, fmt.Errorf("nothing is removed, since it is used by %s as well: plan the removal again", strings.Join(rest, ", ")))
	case !act && !s.Forget && receipt != nil && len(rest) == 0:
		return failed(StatusFailed, errors.New("it is not removed, and no other skill uses it any more: plan the removal again"))
	}
	for _, path := range s.Remove {
		if err := removable(path, receipt, r.opts.State); err != nil {
			return failed(StatusFailed, err)
		}
	}
	if out := r.approve(ctx, s); out != nil {
		return *out
	}
	if !act {
		return r.forget(receipt, rest)
	}
	if receipt != nil {
		receipt.State, receipt.Error = ReceiptFailed, "its removal was begun and not brought to its end"
		if err := r.receipts.save(receipt); err != nil {
			return failed(StatusFailed, fmt.Errorf("not begun, since its receipt cannot be written: %w", err))
		}
	}
	r.tell(Event{Type: EventStarted, Step: *s})
	return r.remove(ctx, s, receipt)
}

// forget leaves a receipt to the skills in rest. receipt may be nil.
func (r *runner) forget(receipt *Receipt, rest []string) Outcome {
	var err error
	switch {
	case receipt == nil:
	case len(rest) == 0:
		err = r.receipts.remove(receipt.Step.ID)
	default:
		receipt.Step.Skills = rest
		err = r.receipts.save(receipt)
	}
	if err != nil {
		return failed(StatusFailed, err)
	}
	return Outcome{Status: StatusVerified}
}

// remove does the work of a removal and ends the receipt.
func (r *runner) remove(ctx context.Context, s *Step, receipt *Receipt) Outcome {
	if len(s.Argv) > 0 {
		if tail, err := r.command(ctx, s); err != nil {
			return ended(ctx, err, errors.Is(err, context.Cause(ctx)), tail)
		}
	} else if err := removeFiles(s.Remove, r.opts.State); err != nil {
		return failed(StatusFailed, err)
	}
	r.tell(Event{Type: EventDone, Step: *s})
	var err error
	if receipt != nil {
		if err = removeLinks(receipt, r.opts.State); err == nil {
			err = r.receipts.remove(s.Undo)
		}
	}
	r.looking.Lock()
	defer r.looking.Unlock()
	out := verifyRemoval(s, &r.opts)
	if err != nil {
		out.note(fmt.Errorf("its links or its receipt cannot be removed: %w", err))
	}
	return out
}

// removable says why a path may not be removed, or nil. What is gone already
// may be.
//
// In the folder bin of the state folder only what the receipt r lists goes; of
// tools, npm and python a path goes with all that is in it; the rest of the
// state folder stays. Elsewhere only single files go that r lists. r may be nil.
func removable(path string, r *Receipt, state string) error {
	if !filepath.IsAbs(path) || filepath.Clean(path) != path {
		return fmt.Errorf("path %q is not absolute and clean", path)
	}
	if rel := below(state, path); rel != "" {
		top, rest, _ := strings.Cut(filepath.ToSlash(rel), "/")
		switch {
		case top == "tools" && rest != "", top == "npm", top == "python":
			return nil
		case top != "bin" || rest == "":
			return fmt.Errorf("%s is not of a step", path)
		}
	}
	if r == nil || !slices.Contains(r.Files, path) {
		return fmt.Errorf("%s is not in the receipt: remove it by hand if it is not needed", path)
	}
	switch info, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode().IsRegular() && r.Step.LinkFrom == "" && r.Step.Download == nil, r.ownLink(path, state):
		return nil
	}
	return fmt.Errorf("%s is not what was put there: remove it by hand if it is not needed", path)
}

// removeFiles removes paths that are removable. Below the state folder it goes
// through an [os.Root], so that no link leads out of it.
func removeFiles(paths []string, state string) error {
	root, err := os.OpenRoot(state)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, path := range paths {
		if rel := below(state, path); rel != "" {
			err = root.RemoveAll(rel)
		} else if err = os.Remove(path); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// removeLinks removes the links that r lists, after an installer has removed
// what they led to.
func removeLinks(r *Receipt, state string) error {
	var errs []error
	for _, file := range r.Files {
		if r.ownLink(file, state) {
			errs = append(errs, os.Remove(file))
		}
	}
	return errors.Join(errs...)
}

// without returns the elements of list that are not in others.
func without(list, others []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(others, s) })
}
