package check

import (
	"cmp"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/internal/pydist"
	"github.com/matrix-nexus/skillkit/metadata"
)

// installRules look at the recipes of a skill together, and at what it
// requires.
var installRules = []*Rule{
	{
		ID:    "install-duplicate-id",
		Title: "two recipes with one id",
		Doc: `
An id names one recipe of its list. With two of that name an uninstall recipe,
a receipt or an operator that means one of them may get the other. Rename one,
for example by its system: apt-linux, brew-macos.
`,
		Bad: vendorText(`, "requires": {"bins": ["jq"]}, "install": [{"id": "jq", "kind": "brew", "formula": "jq", "bins": ["jq"], "label": "Install jq"}, ` +
			`{"id": "jq", "kind": "apt", "package": "jq", "bins": ["jq"], "label": "Install jq"}]`),
		Good: vendorText(`, "requires": {"bins": ["jq"]}, "install": [{"id": "brew", "kind": "brew", "formula": "jq", "bins": ["jq"], "label": "Install jq"}, ` +
			`{"id": "apt", "kind": "apt", "package": "jq", "bins": ["jq"], "label": "Install jq"}]`),
		Source:   "skill-format page, section install / uninstall; 8 of 20,982 published skills",
		Severity: metadata.Warning,
		Profiles: vendorProfiles,
		Run: func(p *Pass) {
			for _, list := range []string{"install", "uninstall"} {
				lines := map[string]int{}
				for _, e := range entries(p, list) {
					if e.ID == "" {
						continue
					}
					if line, twice := lines[e.ID]; twice {
						p.Reportf(e.at("id"), "id %s is that of the recipe on line %d too", short(e.ID), line)
						continue
					}
					lines[e.ID] = e.Pos.Line
				}
			}
		},
	},
	{
		ID:    "install-os-disjoint",
		Title: "recipe for a system that the skill is not for",
		Doc: `
The os of the skill limits where it is offered at all, and the os of a recipe
where that recipe is tried. One that has no system in common with its skill is never
tried. Widen the os of the skill, or remove the recipe.
`,
		Bad: vendorText(`, "os": ["macos"], "requires": {"bins": ["jq"]}, "install": [{"id": "brew", "kind": "brew", "formula": "jq", "bins": ["jq"], "label": "Install jq"}, ` +
			`{"id": "apt", "kind": "apt", "package": "jq", "bins": ["jq"], "os": ["linux"], "label": "Install jq"}]`),
		Good: vendorText(`, "os": ["macos", "linux"], "requires": {"bins": ["jq"]}, "install": [{"id": "brew", "kind": "brew", "formula": "jq", "bins": ["jq"], "label": "Install jq"}, ` +
			`{"id": "apt", "kind": "apt", "package": "jq", "bins": ["jq"], "os": ["linux"], "label": "Install jq"}]`),
		Source:   "skill-format page, sections Recognized fields and install / uninstall",
		Severity: metadata.Warning,
		Profiles: vendorProfiles,
		Run: func(p *Pass) {
			eachRecipe(p, func(_ string, e entry) {
				skill := p.Doc.Manifest.OS
				if len(skill) > 0 && len(e.OS) > 0 && !slices.ContainsFunc(e.OS, func(s string) bool { return slices.Contains(skill, s) }) {
					p.Reportf(e.at("os"), "%s is for %s, and the skill for %s: it is never tried", e, systems(e.OS), systems(skill))
				}
			})
		},
	},
	{
		ID:    "install-unreachable",
		Title: "recipe behind one that always comes first",
		Doc: `
The first recipe is taken that is for this system and whose installer is there.
One with the same installer, for the same or fewer systems and the same programs
as an earlier one, is never reached. Remove it, narrow the os of the earlier one,
or join both; a choice by processor cannot be said in a recipe.
`,
		Bad: vendorText(`, "requires": {"bins": ["rg"]}, "install": [{"id": "a", "kind": "brew", "formula": "ripgrep", "bins": ["rg"], "label": "Install ripgrep"}, ` +
			`{"id": "b", "kind": "brew", "formula": "ripgrep-all", "bins": ["rg"], "os": ["macos"], "label": "Install ripgrep"}]`),
		Good: vendorText(`, "requires": {"bins": ["rg"]}, "install": [{"id": "a", "kind": "brew", "formula": "ripgrep-all", "bins": ["rg"], "os": ["macos"], "label": "Install ripgrep"}, ` +
			`{"id": "b", "kind": "brew", "formula": "ripgrep", "bins": ["rg"], "label": "Install ripgrep"}]`),
		Source:   "skill-format page, section install / uninstall: the first that matches is picked",
		Severity: metadata.Warning,
		Profiles: vendorProfiles,
		Run:      unreachable,
	},
	{
		ID:    "bin-without-recipe",
		Title: "required program that no recipe brings",
		Doc: `
When the program is missing, the operator is told so and nothing else. Add an
install recipe with the program in its bins. Where no installer has it, let the homepage say
how to get it, and take this for the advice that it is. Programs that come with a system or
with a language, such as git, node and python3, need none.
`,
		Bad:      vendorText(`, "requires": {"bins": ["rg"]}`),
		Good:     vendorText(`, "requires": {"bins": ["rg"]}, "install": [{"id": "brew", "kind": "brew", "formula": "ripgrep", "bins": ["rg"], "label": "Install ripgrep"}]`),
		Source:   "skill-format page, section requires; 2,708 of 20,982 published skills require programs and have no recipe at all",
		Severity: metadata.Info,
		Profiles: vendorProfiles,
		Run:      binWithoutRecipe,
	},
	{
		ID:    "install-unneeded",
		Title: "recipe for something that is not required",
		Doc: `
A recipe is run when something that the skill requires is missing and the recipe
brings it. One whose bins are in none of requires.bins, any_bins and
optional_bins is never run, and nobody is told when the program is missing. Add
the program to requires, or remove the recipe.
`,
		Bad:      vendorText(`, "install": [{"id": "brew", "kind": "brew", "formula": "curl", "bins": ["curl"], "label": "Install curl"}]`),
		Good:     vendorText(`, "requires": {"bins": ["curl"]}, "install": [{"id": "brew", "kind": "brew", "formula": "curl", "bins": ["curl"], "label": "Install curl"}]`),
		Source:   "skill-format page, sections requires and install / uninstall",
		Severity: metadata.Info,
		Profiles: vendorProfiles,
		Run:      unneeded,
	},
	{
		ID:    "uninstall-unpaired",
		Title: "uninstall recipe for nothing",
		Doc: `
An uninstall recipe undoes the install recipe with its id. With an id that no
install recipe has, it is at best taken for one of its kind. Give both the same id.
`,
		Bad: vendorText(`, "requires": {"bins": ["jq"]}, "install": [{"id": "brew", "kind": "brew", "formula": "jq", "bins": ["jq"], "label": "Install jq"}], ` +
			`"uninstall": [{"id": "brew-remove", "kind": "brew", "formula": "jq", "label": "Remove jq"}]`),
		Good: vendorText(`, "requires": {"bins": ["jq"]}, "install": [{"id": "brew", "kind": "brew", "formula": "jq", "bins": ["jq"], "label": "Install jq"}], ` +
			`"uninstall": [{"id": "brew", "kind": "brew", "formula": "jq", "label": "Remove jq"}]`),
		Source:   "skill-format page, section install / uninstall: uninstall recipes mirror the install side",
		Severity: metadata.Warning,
		Profiles: vendorProfiles,
		Run: func(p *Pass) {
			for _, e := range entries(p, "uninstall") {
				if e.ID != "" && !hasID(p.Doc.Manifest.Install, e.ID) {
					p.Reportf(e.at("id"), "no install recipe has the id %s", short(e.ID))
				}
			}
		},
	},
	{
		ID:    "uninstall-missing",
		Title: "install recipe that nothing undoes",
		Doc: `
The page asks for matching uninstall recipes. This skill has some, and none for
this recipe: whoever removes the skill keeps what the recipe installed, or what a
shell command did, of which nobody else knows. Add one with the same id, unless
what it installs is meant to stay.
`,
		Bad: vendorText(`, "requires": {"bins": ["jq"]}, "install": [{"id": "brew", "kind": "brew", "formula": "jq", "bins": ["jq"], "label": "Install jq"}, ` +
			`{"id": "apt", "kind": "apt", "package": "jq", "bins": ["jq"], "label": "Install jq"}], ` +
			`"uninstall": [{"id": "brew", "kind": "brew", "formula": "jq", "label": "Remove jq"}]`),
		Good: vendorText(`, "requires": {"bins": ["jq"]}, "install": [{"id": "brew", "kind": "brew", "formula": "jq", "bins": ["jq"], "label": "Install jq"}], ` +
			`"uninstall": [{"id": "brew", "kind": "brew", "formula": "jq", "label": "Remove jq"}]`),
		Source:   "skill-format page, section install / uninstall",
		Severity: metadata.Info,
		Profiles: []Profile{Matrix},
		Run:      uninstallMissing,
	},
}

// systems names values of GOOS as the page does.
func systems(list []string) string {
	names := slices.Clone(list)
	for i, s := range names {
		if s == "darwin" {
			names[i] = "macos"
		}
	}
	return short(strings.Join(names, ", "))
}

func hasID(list []metadata.Recipe, id string) bool {
	return slices.ContainsFunc(list, func(r metadata.Recipe) bool { return r.ID == id })
}

func unreachable(p *Pass) {
	list := entries(p, "install")
	for i, late := range list {
		brings := provides(late.Recipe)
		if len(brings) == 0 || !runByDefault(late.Kind) && !onlyAsked(late.Kind) {
			continue
		}
		for _, early := range list[:i] {
			if early.Kind == late.Kind && wants(early.Recipe) == "" && covers(early.OS, late.OS) && contains(provides(early.Recipe), brings) {
				p.Reportf(late.Pos, "%s is never reached: %s on line %d has the same installer and brings the same", late, early, early.Pos.Line)
				break
			}
		}
	}
}

// provides returns what a recipe is known to bring: its programs, or else the
// Python packages.
func provides(r *metadata.Recipe) []string {
	if len(r.Bins) > 0 || r.Kind != metadata.KindPip && r.Kind != metadata.KindUv {
		return r.Bins
	}
	var list []string
	for _, pkg := range r.Packages {
		list = append(list, pydist.Normalize(distName(pkg)))
	}
	return list
}

// distName returns the name in the requirement of a Python distribution.
func distName(pkg string) string {
	if i := strings.IndexAny(pkg, "[=<>~!; "); i > 0 {
		return pkg[:i]
	}
	return pkg
}

// covers reports whether a limit to systems allows all that another does; an
// empty one is no limit.
func covers(wide, narrow []string) bool {
	return len(wide) == 0 || len(narrow) > 0 && contains(wide, narrow)
}

// contains reports whether all of part are in list.
func contains(list, part []string) bool {
	return !slices.ContainsFunc(part, func(s string) bool { return !slices.Contains(list, s) })
}

func binWithoutRecipe(p *Pass) {
	m := &p.Doc.Manifest
	for _, q := range m.Requires.Bins {
		if !baseProgram(q.Name) && plainBin(q.Name) {
			if why := noRecipe(m, q.Name); why != "" {
				p.Reportf(q.Pos, "program %s is required, and %s", short(q.Name), why)
			}
		}
	}
	any := m.Requires.AnyBins
	if len(any) == 0 {
		return
	}
	for _, q := range any {
		if baseProgram(q.Name) || noRecipe(m, q.Name) == "" {
			return
		}
	}
	p.Reportf(any[0].Pos, "one of any_bins is required, and no recipe brings any of them")
}

// noRecipe says why no recipe brings a program, or "".
func noRecipe(m *metadata.Manifest, bin string) string {
	var asked metadata.Kind
	for i := range m.Install {
		r := &m.Install[i]
		named := slices.Contains(r.Bins, bin)
		guess := len(r.Bins) == 0 && (len(m.Requires.PythonPackages) == 0 || r.Kind != metadata.KindPip && r.Kind != metadata.KindUv)
		switch {
		case !named && !guess:
		case onlyAsked(r.Kind):
			asked = cmp.Or(asked, r.Kind)
		default: // what is wrong with a kind that is not for install is told elsewhere
			return ""
		}
	}
	if asked != "" {
		return "its only recipe is of kind " + string(asked) + ", which is run only when it is asked for by name"
	}
	return "no recipe brings it"
}

func unneeded(p *Pass) {
	m := &p.Doc.Manifest
	if m.RequiresUnknown {
		return
	}
	q := &m.Requires
	wanted := map[string]bool{}
	for _, r := range slices.Concat(q.Bins, q.AnyBins, q.OptionalBins) {
		wanted[r.Name] = true
	}
	for _, e := range entries(p, "install") {
		switch {
		case len(e.Bins) > 0:
			if !slices.ContainsFunc(e.Bins, func(b string) bool { return wanted[b] }) {
				p.Reportf(e.at("bins", "bin"), "%s brings %s, which the skill does not require", e, short(strings.Join(e.Bins, ", ")))
			}
		case !takesPackages(e.Kind), len(wanted) > 0: // it may be for one of them
		case (e.Kind == metadata.KindPip || e.Kind == metadata.KindUv) && len(q.PythonPackages)+len(q.OptionalPythonPackages) > 0:
		default:
			p.Reportf(e.Pos, "%s is never run: the skill requires nothing that it could bring", e)
		}
	}
}

func uninstallMissing(p *Pass) {
	m := &p.Doc.Manifest
	if len(m.Uninstall) == 0 {
		return
	}
	for _, e := range entries(p, "install") {
		if e.ID != "" && !hasID(m.Uninstall, e.ID) {
			p.Reportf(e.Pos, "%s has no uninstall recipe of that id", e)
		}
	}
}
