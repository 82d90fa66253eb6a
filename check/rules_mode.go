package check

import (
	"path"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/internal/pydist"
	"github.com/matrix-nexus/skillkit/metadata"
)

// modeRules compare what the code in a skill uses with what it requires.
var modeRules = []*Rule{
	{
		ID:    "mode-without-requires",
		Title: "commands to run and nothing required",
		Doc: `
In bash and python mode a model runs what stands in the body. Where nothing is
required, nobody knows before that run whether the program or the interpreter is
there. Name the programs in requires.bins; for Python, python3, or any_bins
with uv and python3.
`,
		Bad:      modeText("bash", "", "bash\nkubectl rollout status deploy/web"),
		Good:     modeText("bash", `, "requires": {"bins": ["kubectl"]}`, "bash\nkubectl rollout status deploy/web"),
		Source:   "skill-format page, sections requires and Body conventions",
		Severity: metadata.Warning,
		Profiles: vendorProfiles,
		Run:      modeWithoutRequires,
	},
	{
		ID:    "program-not-required",
		Title: "program that the body runs and requires does not name",
		Doc: `
A code block of the body runs the program, or the text says that it must be on PATH, and
requires does not name it, so that the skill counts as ready where the program is missing. Add it to
bins, or to optional_bins if the skill can do without. Programs that come with a
system, and those that a recipe brings, are not meant; where nothing is required, only
those that are known to be installed separately are.
`,
		Bad:      modeText("bash", `, "requires": {"bins": ["helm"]}`, "bash\nhelm list\nkubectl get pods"),
		Good:     modeText("bash", `, "requires": {"bins": ["helm", "kubectl"]}`, "bash\nhelm list\nkubectl get pods"),
		Source:   "skill-format page, section requires: executables that must be on PATH",
		Severity: metadata.Info,
		Profiles: vendorProfiles,
		Run:      programNotRequired,
	},
	{
		ID:    "python-import-undeclared",
		Title: "Python package that the body imports and requires does not name",
		Doc: `
The skill is in python or hybrid mode and a code block imports a module that is
not of the standard library. Only packages in requires.python_packages are looked
for, installed, and named to the model in "uv run --with". Add the distribution, whose
name may differ from that of the module: PIL is pillow, yaml is pyyaml.
`,
		Bad:      modeText("python", `, "requires": {"any_bins": ["uv", "python3"]}`, "python\nimport requests\nprint(requests.get(\"https://example.com\").status_code)"),
		Good:     modeText("python", `, "requires": {"any_bins": ["uv", "python3"], "python_packages": ["requests"]}`, "python\nimport requests\nprint(requests.get(\"https://example.com\").status_code)"),
		Source:   "skill-format page, section requires: pip-installable packages",
		Severity: metadata.Warning,
		Profiles: vendorProfiles,
		Run: func(p *Pass) {
			for _, u := range fenceImports(p) {
				p.Reportf(p.Position(u.offset), "module %s is imported, and requires.python_packages does not name %s; add it", u.module, distOf(u.module))
			}
		},
	},
	{
		ID:    "script-import-undeclared",
		Title: "Python package that a script imports and requires does not name",
		Doc: `
A script of the skill imports a module that is not of the standard library, and
neither requires.python_packages nor the script's own "# /// script" block names what
brings it. The script fails on a machine without it. Declare the package in one
of the two.
`,
		Bad: "-- deploy/SKILL.md --\n---\n" + goodHeader + "---\n\n# Deploy\n\nRoll out a release with `scripts/deploy.py`, for example web 1.2. Write a table of the hosts.\n" +
			"-- deploy/scripts/deploy.py --\nimport sys\nimport requests\n",
		Good: "-- deploy/SKILL.md --\n---\n" + vendorText(`, "requires": {"any_bins": ["uv", "python3"], "python_packages": ["requests"]}`) +
			"---\n\n# Deploy\n\nRoll out a release with `scripts/deploy.py`, for example web 1.2. Write a table of the hosts.\n" +
			"-- deploy/scripts/deploy.py --\nimport sys\nimport requests\n",
		Source:   "skill-format page, section requires; https://peps.python.org/pep-0723/",
		Severity: metadata.Info,
		Profiles: vendorProfiles,
		Run:      scriptImports,
	},
}

// requiresAny reports whether a skill requires anything that a command needs,
// or may do so.
func requiresAny(m *metadata.Manifest) bool {
	q := &m.Requires
	return m.RequiresUnknown || len(q.Bins)+len(q.AnyBins)+len(q.PythonPackages)+len(q.OptionalBins)+len(q.Tools) > 0
}

func modeWithoutRequires(p *Pass) {
	f, ok := p.Doc.Vendor("execution_mode")
	if !ok || requiresAny(&p.Doc.Manifest) {
		return
	}
	switch p.Doc.Manifest.ExecutionMode {
	case metadata.ModePython:
		p.Reportf(f.Pos, "the mode is python, and requires names neither an interpreter nor uv; add any_bins with uv and python3")
	case metadata.ModeBash:
		eachCall(p, baseProgram, func(name string, _ int) bool {
			p.Reportf(f.Pos, "the mode is bash and the body runs %s, but nothing is required; add it to requires.bins", short(name))
			return false
		})
	}
}

// eachCall calls f for each program that the shell commands of the body run and
// that is not known, until f returns false.
func eachCall(p *Pass, known func(name string) bool, f func(name string, offset int) bool) {
	parsed := 0
	for i := range p.Body().Fences {
		fence := &p.Body().Fences[i]
		switch fence.Lang {
		case "bash", "sh", "shell":
		default:
			continue
		}
		if !mayCall(fence.Text, known) {
			continue
		}
		if parsed += len(fence.Text); parsed > maxShellAll {
			return
		}
		for _, c := range calls(fence.Text) {
			if !known(c.name) && !f(c.name, fence.Offset(c.offset)) {
				return
			}
		}
	}
}

func programNotRequired(p *Pass) {
	m := &p.Doc.Manifest
	if m.RequiresUnknown {
		return
	}
	named := map[string]bool{}
	for _, q := range slices.Concat(m.Requires.Bins, m.Requires.AnyBins, m.Requires.OptionalBins) {
		named[q.Name] = true
	}
	for _, r := range m.Install {
		for _, b := range r.Bins {
			named[b] = true
		}
	}
	known := func(name string) bool { return named[name] || baseProgram(name) }
	eachWanted(p, func(name string, offset int) {
		if !known(name) {
			named[name] = true
			p.Reportf(p.Position(offset), "program %s has to be there, and requires.bins does not name it", short(name))
		}
	})
	// A skill that requires no program at all may run those of its host, which
	// nobody knows here.
	if len(m.Requires.Bins)+len(m.Requires.AnyBins) == 0 {
		if declaredMode(p) == metadata.ModeBash && !requiresAny(m) {
			return // mode-without-requires
		}
		known = func(name string) bool { return named[name] || !addedProgram(name) }
	}
	eachCall(p, known, func(name string, offset int) bool {
		named[name] = true
		p.Reportf(p.Position(offset), "program %s is run, and requires.bins does not name it", short(name))
		return true
	})
}

// fenceImports returns the modules that code blocks in Python import and that
// nothing declares, each once, with their offsets in the file.
func fenceImports(p *Pass) []pyImport {
	if mode := p.Doc.Manifest.ExecutionMode; mode != metadata.ModePython && mode != metadata.ModeHybrid || p.Doc.Manifest.RequiresUnknown {
		return nil
	}
	var list []pyImport
	var l *localModules
	for i := range p.Body().Fences {
		fence := &p.Body().Fences[i]
		if fence.Lang != "python" && fence.Lang != "py" && fence.Lang != "python3" {
			continue
		}
		own := scriptPackages(fence.Text)
		for _, m := range pythonImports(fence.Text) {
			if standardSet()[m.module] {
				continue
			}
			if l == nil {
				l = newLocalModules(p)
			}
			if l.undeclared(m.module) && !brings(own, m.module) {
				l.known[m.module] = true
				list = append(list, pyImport{m.module, fence.Offset(m.offset)})
			}
		}
	}
	return list
}

func scriptImports(p *Pass) {
	if p.Doc.Manifest.RequiresUnknown {
		return
	}
	var l *localModules
	for _, file := range p.Files {
		base := path.Base(file.Name)
		if !strings.HasPrefix(file.Name, "scripts/") || path.Ext(base) != ".py" || strings.HasPrefix(base, "test_") || strings.HasSuffix(base, "_test.py") || base == "conftest.py" || strings.Contains(file.Name, "/tests/") {
			continue
		}
		text, ok := p.Text(file.Name)
		if !ok {
			continue
		}
		own := scriptPackages(text)
		for _, m := range pythonImports(text) {
			if standardSet()[m.module] {
				continue
			}
			if l == nil {
				l = newLocalModules(p)
				for _, told := range fenceImports(p) {
					l.known[told.module] = true
				}
			}
			if l.undeclared(m.module) && !brings(own, m.module) {
				l.known[m.module] = true
				before := text[:m.offset]
				pos := metadata.Position{Line: strings.Count(before, "\n") + 1, Column: len([]rune(before[strings.LastIndexByte(before, '\n')+1:])) + 1}
				p.ReportFilef(file.Name, pos, "module %s is imported, and neither requires.python_packages nor the script names %s; add it", m.module, distOf(m.module))
			}
		}
	}
}

// localModules tells the modules that a skill brings or declares from others.
type localModules struct {
	p     *Pass
	known map[string]bool
	dists []string // normal names of what is declared
}

func newLocalModules(p *Pass) *localModules {
	l := &localModules{p: p, known: map[string]bool{}}
	for _, f := range p.Files {
		for elem := range strings.SplitSeq(f.Name, "/") {
			l.known[strings.TrimSuffix(elem, ".py")] = true
		}
	}
	q := &p.Doc.Manifest.Requires
	for _, r := range slices.Concat(q.PythonPackages, q.OptionalPythonPackages) {
		l.dists = append(l.dists, pydist.Normalize(distName(r.Name)))
		l.known[distName(r.Name)] = true // the name of a module will do
	}
	for i := 0; i < len(l.dists); i++ { // which grows; nothing depends on what brings it
		l.dists = append(l.dists, dependencies[l.dists[i]]...)
	}
	// What the body tells uv to bring.
	for _, after := range strings.Split(string(p.Doc.Body), "--with")[1:] {
		word := strings.TrimLeft(after, `= "'`)
		if end := strings.IndexAny(word, " \n\\`\"'"); end >= 0 {
			word = word[:end]
		}
		for name := range strings.SplitSeq(word, ",") {
			l.dists = append(l.dists, pydist.Normalize(distName(name)))
		}
	}
	return l
}

// undeclared reports whether nothing that the skill has or declares brings a
// module. One that the body calls a file of is made by what it says.
func (l *localModules) undeclared(module string) bool {
	return !l.known[module] && !brings(l.dists, module) && !namesScript(string(l.p.Doc.Body), module+".py")
}

// namesScript reports whether text names a file; matplotlib.pyplot does not name
// matplotlib.py.
func namesScript(text, file string) bool {
	for _, after := range strings.Split(text, file)[1:] {
		if after == "" || !isWordByte(after[0]) {
			return true
		}
	}
	return false
}
