package requires

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/matrix-nexus/skillkit/internal/pydist"
)

// noPython is the Where of a Python package where there is no interpreter.
const noPython = "no python3 or python on PATH"

// A pythonIndex finds Python packages in the folders of the interpreters. It
// reads a folder once, and those of an interpreter only when the ones before
// it lack a package.
type pythonIndex struct {
	opts     *Options
	programs *pathIndex
	list     func() []*interpreter

	mu    sync.Mutex
	known map[string]Status   // by requirement, as written; guarded by mu
	dirs  map[string]*siteDir // by path; guarded by mu
}

func newPythonIndex(opts *Options, programs *pathIndex) *pythonIndex {
	x := &pythonIndex{opts: opts, programs: programs, known: make(map[string]Status), dirs: make(map[string]*siteDir)}
	x.list = sync.OnceValue(x.interpreters)
	return x
}

// interpreters returns those that are to be searched.
func (x *pythonIndex) interpreters() []*interpreter {
	var list []*interpreter
	for _, path := range x.opts.Python {
		if !filepath.IsAbs(path) {
			continue
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			path = VenvPython(x.opts.GOOS, path)
		}
		list = append(list, &interpreter{exe: path})
	}
	if len(x.opts.Python) == 0 {
		names := [...]string{"python3", "python"}
		if x.opts.GOOS == "windows" {
			// Where no other has that name, python3 only opens a shop.
			names = [...]string{"python", "python3"}
		}
		for _, name := range names {
			if s := x.programs.lookup(name); s.State == StateFound {
				list = append(list, &interpreter{exe: s.Where})
				break
			}
		}
	}
	if managed := VenvPython(x.opts.GOOS, x.opts.Managed); filepath.IsAbs(managed) && isFile(managed) {
		list = append(list, &interpreter{exe: managed})
	}
	return list
}

func (x *pythonIndex) lookup(requirement string) Status {
	x.mu.Lock()
	defer x.mu.Unlock()
	s, ok := x.known[requirement]
	if !ok {
		s = x.search(requirement)
		x.known[requirement] = s
	}
	return s
}

func (x *pythonIndex) search(requirement string) Status {
	req, err := pydist.ParseRequirement(requirement)
	if err != nil {
		return Status{State: StateRefused}
	}
	// What may be there comes before another version, and that before nothing.
	sum := Status{State: StateMissing}
	var searched []string
	for _, in := range x.list() {
		switch s := x.find(in, &req); {
		case s.State == StateFound:
			return s
		case s.State == StateUnchecked && sum.State != StateUnchecked,
			s.Version != "" && sum.State == StateMissing && sum.Version == "":
			sum = s
		}
		for _, dir := range in.site {
			if !slices.Contains(searched, dir.path) {
				searched = append(searched, dir.path)
			}
		}
	}
	switch uv := x.programs.lookup("uv"); {
	case uv.State == StateFound:
		return Status{State: StateProvided, Where: uv.Where}
	case sum.State == StateMissing && req.Marker != "":
		return Status{State: StateUnchecked, Where: "not there, and it is not known whether it must be: " + strconv.Quote(req.Marker)}
	case sum.State == StateMissing && sum.Version == "":
		sum.Where = strings.Join(searched, string(filepath.ListSeparator))
		if len(x.list()) == 0 {
			sum.Where = noPython
		}
	}
	return sum
}

// find looks for what an interpreter has of a requirement: the distribution of
// that name that it would see first, or else what it could import by the name.
func (x *pythonIndex) find(in *interpreter, req *pydist.Requirement) Status {
	if err := x.load(in); err != nil {
		return Status{State: StateUnchecked, Where: err.Error()}
	}
	key := pydist.Normalize(req.Name)
	for _, dir := range in.site {
		if where, version, ok := dir.distribution(key); ok {
			return judge(in, req, where, version)
		}
	}
	if !isModule(req.Name) {
		return Status{State: StateMissing}
	}
	where := in.module(req.Name)
	if where != "" && len(req.Versions) == 0 {
		return judge(in, req, where, "")
	}
	// The distribution of the module is needed for its version, and where the
	// module itself is found by a program that an editable install left.
	top, _, nested := strings.Cut(req.Name, ".")
	for _, dir := range in.site {
		if where == "" && (nested || !dir.finder) {
			continue
		}
		if where, version, ok := dir.owner(top); ok {
			return judge(in, req, where, version)
		}
	}
	if where == "" {
		return Status{State: StateMissing}
	}
	return judge(in, req, where, "")
}

// judge says what becomes of a requirement when the version at where is there.
func judge(in *interpreter, req *pydist.Requirement, where, version string) Status {
	s := Status{State: StateFound, Where: where, Version: version, Interpreter: in.exe}
	if len(req.Versions) == 0 {
		return s
	}
	switch ok, err := req.Versions.Match(version); {
	case version == "":
		s.State, s.Where = StateUnchecked, "its version is not known: "+where
	case err != nil:
		s.State, s.Where = StateUnchecked, err.Error()+": "+where
	case !ok:
		s.State = StateMissing
	}
	return s
}
