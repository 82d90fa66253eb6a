package install

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/internal/shell"
	"github.com/matrix-nexus/skillkit/requires"
)

// anySeparator stands between the alternatives in the name of a [Requirement]
// of any_bins.
const anySeparator = " | "

// lookUp looks up in h what a step brings or removes: its Provides, then the
// Bins that are not among them.
func lookUp(s *Step, h Host) []requires.Item {
	var items []requires.Item
	add := func(q Requirement) {
		it := requires.Item{Kind: q.Kind, Name: q.Name}
		for name := range strings.SplitSeq(q.Name, alternatives(q.Kind)) {
			status := h.Lookup(q.Kind, name)
			if it.State == "" || rank(status.State) > rank(it.State) {
				it.State, it.Where = cmp.Or(status.State, requires.StateUnchecked), status.Where
				it.Version, it.Interpreter = status.Version, status.Interpreter
			}
		}
		items = append(items, it)
	}
	for _, q := range s.Provides {
		add(q)
	}
	for _, name := range s.Bins {
		if q := (Requirement{requires.KindBin, name}); !slices.Contains(s.Provides, q) {
			add(q)
		}
	}
	return items
}

// alternatives returns what separates the alternatives in the names of a kind;
// the NUL of the others is in no name.
func alternatives(k requires.Kind) string {
	if k == requires.KindAnyBin {
		return anySeparator
	}
	return "\x00"
}

// rank orders the states of alternatives: the best one is that of all.
func rank(s requires.State) int {
	return slices.Index([]requires.State{requires.StateRefused, requires.StateMissing, requires.StateUnchecked,
		requires.StateOffPath, requires.StateProvided, requires.StateFound}, s)
}

// programs returns the names of all programs that a step brings, without those
// that are no names, such as paths.
func programs(s *Step) []string {
	var names []string
	for _, q := range s.Provides {
		switch q.Kind {
		case requires.KindBin, requires.KindAnyBin:
			names = append(names, strings.Split(q.Name, alternatives(q.Kind))...)
		}
	}
	names = append(names, s.Bins...)
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool {
		return name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\\:\x00")
	})
}

// verify says what became of what a step was to bring, once it has run. What
// the host does not find is looked for in the folders of the step itself.
func verify(s *Step, opts *Options) Outcome {
	out := Outcome{Status: StatusVerified}
	var faults, off []string
	opts.Host.Refresh()
	for _, it := range lookUp(s, opts.Host) {
		if it.State == requires.StateFound || it.State == requires.StateProvided {
			continue
		}
		hint := ""
		if it.State == requires.StateMissing && (it.Kind == requires.KindBin || it.Kind == requires.KindAnyBin) {
			var file string
			if file, hint = placed(s, it, opts); hint == "" && file != "" {
				it.State, it.Where = requires.StateOffPath, file
			}
		}
		out.Missing = append(out.Missing, Requirement{it.Kind, it.Name})
		if it.State == requires.StateOffPath {
			out.Where = cmp.Or(out.Where, it.Where)
			if dir := filepath.Dir(it.Where); !slices.Contains(off, dir) {
				off = append(off, dir)
			}
			faults = append(faults, it.String())
			continue
		}
		out.Status = StatusUnverified
		text := it.String()
		if it.Where != "" && !strings.Contains(text, it.Where) {
			text += " (looked in " + it.Where + ")"
		}
		if hint != "" {
			text += "; " + hint
		}
		faults = append(faults, text)
	}
	if s.Creates != "" {
		if _, err := os.Stat(s.Creates); err != nil {
			out.Status = StatusUnverified
			faults = append(faults, s.Creates+" is not there")
		}
	}
	if len(faults) == 0 {
		return out
	}
	if out.Status == StatusVerified {
		out.Status = StatusOffPath
	}
	out.Detail = "it ran, but " + strings.Join(faults, "; ")
	if len(off) > 0 {
		out.Detail += ": " + shell.PutOnPath(opts.GOOS, off...)
	}
	return out
}

// placed returns the program of an item that lies in one of the folders that
// the step put programs into, or why that cannot be run.
func placed(s *Step, it requires.Item, opts *Options) (file, fault string) {
	dirs := []string{filepath.Join(opts.State, "bin"), s.BinDir, s.LinkFrom}
	for name := range strings.SplitSeq(it.Name, alternatives(it.Kind)) {
		for _, dir := range dirs {
			if dir == "" {
				continue
			}
			file, ok := program(dir, name, opts.GOOS)
			if ok {
				return file, ""
			}
			if file != "" && fault == "" {
				fault = file + " is there and is not executable: chmod +x it"
			}
		}
	}
	return "", fault
}

// program returns the path of the file that is to be the program of that name
// in a folder, if there is one, and whether it can be run.
func program(dir, name, goos string) (file string, ok bool) {
	for _, ext := range programExts(goos) {
		path := filepath.Join(dir, name+ext)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, goos == "windows" || info.Mode()&0o111 != 0
		}
	}
	return "", false
}

// programExts returns what may follow the name of a program in that of its file.
func programExts(goos string) []string {
	if goos == "windows" {
		return []string{".exe", ".cmd", ".bat", ".com", ""}
	}
	return []string{""}
}

// verifyRemoval says what of what a step was to remove still is there. If the
// step removed files itself, then what is there is another copy, and is named.
// The command of an installer may have left its own, so it is not sure then
// that the removal did what it was to do.
func verifyRemoval(s *Step, opts *Options) Outcome {
	out := Outcome{Status: StatusVerified}
	var left []string
	opts.Host.Refresh()
	for _, it := range lookUp(s, opts.Host) {
		if it.State != requires.StateFound && it.State != requires.StateOffPath {
			continue
		}
		out.Missing = append(out.Missing, Requirement{it.Kind, it.Name})
		out.Where = cmp.Or(out.Where, it.Where)
		text := it.String()
		if it.State == requires.StateFound && it.Where != "" {
			text += " as " + it.Where
		}
		left = append(left, text)
	}
	if left == nil {
		return out
	}
	out.Detail = "removed; of another origin, " + strings.Join(left, "; ")
	if len(s.Argv) > 0 {
		out.Status = StatusUnverified
		out.Detail = "it ran, but " + strings.Join(left, "; ") + ": another copy, or one that the installer keeps"
	}
	return out
}
