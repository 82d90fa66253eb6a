package install

import (
	"cmp"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/requires"
)

// A machine is what commands are written for. It answers from the options and
// the Host alone.
type machine struct {
	Options
	path []string // the folders on PATH
}

func newMachine(opts *Options) *machine {
	m := &machine{}
	if opts != nil {
		m.Options = *opts
	}
	m.GOOS = cmp.Or(m.GOOS, runtime.GOOS)
	for _, dir := range filepath.SplitList(m.getenv("PATH")) {
		if filepath.IsAbs(dir) {
			m.path = append(m.path, filepath.Clean(dir))
		}
	}
	return m
}

// getenv returns the last value of a variable in Environ.
func (m *machine) getenv(name string) string {
	for _, kv := range slices.Backward(m.Environ) {
		key, value, _ := strings.Cut(kv, "=")
		if key == name || m.GOOS == "windows" && strings.EqualFold(key, name) {
			return value
		}
	}
	return ""
}

func (m *machine) home() string {
	if m.GOOS == "windows" {
		return m.getenv("USERPROFILE")
	}
	return m.getenv("HOME")
}

func (m *machine) onPath(dir string) bool {
	return dir != "" && slices.Contains(m.path, filepath.Clean(dir))
}

// program returns the absolute path of the first of the programs that is
// there, on PATH or in another folder that the Host knows, or "".
func (m *machine) program(names ...string) (file string, onPath bool) {
	if m.Host == nil {
		return "", false
	}
	for _, name := range names {
		s := m.Host.Lookup(requires.KindBin, name)
		if (s.State == requires.StateFound || s.State == requires.StateOffPath) && filepath.IsAbs(s.Where) {
			return s.Where, s.State == requires.StateFound
		}
	}
	return "", false
}

// state returns the path of a file or folder below the state folder.
func (m *machine) state(elem ...string) string {
	return filepath.Join(append([]string{m.State}, elem...)...)
}

// python returns the interpreter of the managed environment.
func (m *machine) python() string { return requires.VenvPython(m.GOOS, m.state("python")) }

// writable reports whether dir is taken to be writable, see command.
func (m *machine) writable(dir string) bool {
	rel, err := filepath.Rel(m.home(), dir)
	return m.Superuser || m.home() != "" && err == nil && filepath.IsLocal(rel)
}
