// Package cli holds what the commands have in common: how they look at their
// environment and how they write.
package cli

import (
	"cmp"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

// A Lookup finds an environment variable, as [os.LookupEnv] does.
type Lookup func(name string) (value string, ok bool)

// NewLookup returns the lookup in environ, which has the form of [os.Environ].
func NewLookup(environ []string) Lookup {
	fold := func(name string) string { return name }
	if runtime.GOOS == "windows" {
		fold = strings.ToUpper
	}
	vars := make(map[string]string, len(environ))
	for _, v := range environ {
		if name, value, ok := strings.Cut(v, "="); ok {
			vars[fold(name)] = value
		}
	}
	return func(name string) (string, bool) {
		value, ok := vars[fold(name)]
		return value, ok
	}
}

// Get returns the value of a variable, or "".
func (l Lookup) Get(name string) string {
	value, _ := l(name)
	return value
}

// Home returns the user's home folder, or "".
func (l Lookup) Home() string { return cmp.Or(l.Get("HOME"), l.Get("USERPROFILE")) }

// Dir returns the skillkit folder below the one that the variable xdg names,
// or else below the given path of the user's home folder.
func (l Lookup) Dir(xdg, homePath string) (string, error) {
	// A relative path is invalid there and ignored, says the XDG specification.
	if base := l.Get(xdg); filepath.IsAbs(base) {
		return filepath.Join(base, "skillkit"), nil
	}
	home := l.Home()
	if home == "" {
		return "", fmt.Errorf("neither %s nor HOME is set", xdg)
	}
	return filepath.Join(home, filepath.FromSlash(homePath), "skillkit"), nil
}

// State returns the folder of skillkit for what it keeps.
func (l Lookup) State() (string, error) { return l.Dir("XDG_STATE_HOME", ".local/state") }

// Plural formats n things.
func Plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Version returns the version of the module that the command was built from.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(unknown)"
}
