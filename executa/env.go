package executa

import (
	"fmt"
	"slices"
	"strings"
)

// passed are the variables of the host that each plugin gets, with those that
// start with LC_: what a program needs to find others, its user's files and how
// to write. On Windows few programs start without theirs.
var (
	passed        = [...]string{"PATH", "HOME", "USER", "LANG", "TZ", "TERM"}
	passedWindows = [...]string{
		"SYSTEMROOT", "SYSTEMDRIVE", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PATHEXT", "COMSPEC",
	}
)

// An environ is the environment of a process, in order. On Windows the case of a
// name does not count.
type environ struct {
	goos string
	list []string
}

func (e *environ) same(a, b string) bool {
	return a == b || e.goos == "windows" && strings.EqualFold(a, b)
}

func (e *environ) index(name string) int {
	return slices.IndexFunc(e.list, func(entry string) bool {
		key, _, _ := strings.Cut(entry, "=")
		return e.same(key, name)
	})
}

// get returns the value of a variable; one that is empty is like one that is not
// set.
func (e *environ) get(name string) string {
	i := e.index(name)
	if i < 0 {
		return ""
	}
	_, value, _ := strings.Cut(e.list[i], "=")
	return value
}

func (e *environ) set(name, value string) {
	if i := e.index(name); i >= 0 {
		e.list = slices.Delete(e.list, i, i+1)
	}
	e.list = append(e.list, name+"="+value)
}

// prepend puts folders before those in a variable such as PATH.
func (e *environ) prepend(name string, folders ...string) {
	separator := ":"
	if e.goos == "windows" {
		separator = ";"
	}
	if old := e.get(name); old != "" {
		folders = append(slices.Clone(folders), old)
	}
	if len(folders) > 0 {
		e.set(name, strings.Join(folders, separator))
	}
}

// newEnviron returns what a plugin gets of the environment of the host: the
// closed environment, or with inherit all but the loader variables and those of a
// temporary folder. The latter includes variables by which an interpreter loads
// code, such as PYTHONPATH and NODE_OPTIONS: whoever inherits wants the plugin to
// run as it would in the shell, and that is where they are set.
func newEnviron(goos string, host []string, inherit bool) *environ {
	e := &environ{goos: goos}
	for _, entry := range host {
		name, value, ok := strings.Cut(entry, "=")
		if !ok || name == "" || loaderVariable(name) || e.temporary(name) {
			continue // a name is empty in "=C:=C:\dir" of Windows
		}
		if inherit || e.passes(name) {
			e.set(name, value)
		}
	}
	return e
}

func (e *environ) passes(name string) bool {
	is := func(other string) bool { return e.same(name, other) }
	return slices.ContainsFunc(passed[:], is) || strings.HasPrefix(name, "LC_") ||
		e.goos == "windows" && slices.ContainsFunc(passedWindows[:], is)
}

// add sets the variables of a [Spec].
func (e *environ) add(entries []string) error {
	for _, entry := range entries {
		name, value, ok := strings.Cut(entry, "=")
		switch {
		case !ok || name == "" || strings.ContainsRune(entry, 0):
			// The entry may be a secret whose name was forgotten.
			return fmt.Errorf("an entry of Env is not of the form NAME=value")
		case loaderVariable(name):
			return fmt.Errorf("env: %s decides what code is loaded into programs; it cannot be set for a plugin", name)
		case e.temporary(name):
			return fmt.Errorf("env: %s is set by the host: each process has a folder of its own", name)
		}
		e.set(name, value)
	}
	return nil
}

// loaderVariable reports whether a variable steers the dynamic loader: LD_* and
// DYLD_*, see ld.so(8) and dyld(1).
func loaderVariable(name string) bool {
	name = strings.ToUpper(name)
	return strings.HasPrefix(name, "LD_") || strings.HasPrefix(name, "DYLD_")
}

// temporary reports whether a variable names the folder for temporary files.
func (e *environ) temporary(name string) bool {
	return slices.ContainsFunc(private(e.goos, ""), func(entry string) bool {
		return e.same(name, strings.TrimSuffix(entry, "="))
	})
}

// private returns the variables that name a private folder for temporary files.
func private(goos, dir string) []string {
	if goos == "windows" {
		return []string{"TMPDIR=" + dir, "TEMP=" + dir, "TMP=" + dir}
	}
	return []string{"TMPDIR=" + dir}
}
