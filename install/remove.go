package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// removeFiles removes the paths of a step. All are looked at before the first
// is removed. What is gone already is no error.
//
// Below the state folder it goes through an [os.Root], so that no link leads
// out of it. In bin only what the receipt r lists goes; of tools, npm and
// python a path goes with all that is in it; the rest of the state folder
// stays. Elsewhere only single files go that r lists. r may be nil.
func removeFiles(s *Step, r *Receipt, opts *Options) error {
	for _, path := range s.Remove {
		if err := removable(path, r, opts.State); err != nil {
			return err
		}
	}
	root, err := os.OpenRoot(opts.State)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, path := range s.Remove {
		if rel := below(opts.State, path); rel != "" {
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

// removable says why a path may not be removed, or nil.
func removable(path string, r *Receipt, state string) error {
	if !filepath.IsAbs(path) || filepath.Clean(path) != path {
		return fmt.Errorf("path %q is not absolute and clean", path)
	}
	if rel := below(state, path); rel != "" {
		top, rest, _ := strings.Cut(filepath.ToSlash(rel), "/")
		switch {
		case top == "tools" && rest != "", top == "npm", top == "python":
			return nil
		case top != "bin" || rest == "" || strings.Contains(rest, "/"):
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
	case info.Mode().IsRegular() && r.Step.LinkFrom == "" && r.Step.Download == nil, r.ownLink(path):
		return nil
	}
	return fmt.Errorf("%s is not what was put there: remove it by hand if it is not needed", path)
}

// leaves reports whether the step of r leaves something that can be removed,
// unlike one that brings the lists of a package manager up to date.
func (r *Receipt) leaves() bool {
	s := &r.Step
	return len(s.Provides)+len(s.Bins)+len(s.Packages)+len(r.Files) > 0 || s.Creates != "" || s.Shell
}

// removeLinks removes the links that r lists, after an installer has removed
// what they led to.
func removeLinks(r *Receipt) error {
	var errs []error
	for _, file := range r.Files {
		if r.ownLink(file) {
			errs = append(errs, os.Remove(file))
		}
	}
	return errors.Join(errs...)
}

// without returns the elements of list that are not in others.
func without(list, others []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(others, s) })
}
