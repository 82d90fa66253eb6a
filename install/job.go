package install

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/internal/line"
	"github.com/matrix-nexus/skillkit/internal/pydist"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/requires"
)

// A job is the planning for one target.
type job struct {
	*Target
	m       *metadata.Manifest
	list    []candidate
	needs   []need
	hidden  string          // why nothing is missing of a skill that is not offered
	require map[string]bool // the programs, and the normal names of Python packages, that the skill requires
}

// A candidate is a recipe of a target and what would come of it.
type candidate struct {
	recipe *metadata.Recipe
	name   string // how people find it
	step   Step
	before []Step
	no     *refusal // why it cannot be used, or nil
	used   bool
}

func (p *planner) newJob(t *Target) job {
	j := job{Target: t, m: t.Manifest, hidden: t.Report.Hidden()}
	if j.m == nil {
		j.m = &metadata.Manifest{}
	}
	if j.hidden == "" {
		j.needs = needsOf(&t.Report)
	}
	if len(j.needs) > 0 {
		j.require = map[string]bool{}
		for _, q := range slices.Concat(j.m.Requires.Bins, j.m.Requires.AnyBins) {
			j.require[q.Name] = true
		}
		for _, q := range j.m.Requires.PythonPackages {
			j.require[distName(q.Name)] = true
		}
	}
	ids := map[string]int{}
	for i := range j.m.Install {
		ids[j.m.Install[i].ID]++
	}
	j.list = make([]candidate, len(j.m.Install))
	for i := range j.list {
		c := &j.list[i]
		c.recipe = &j.m.Install[i]
		c.name = recipeName(c.recipe, ids[c.recipe.ID] == 1)
		switch {
		case i >= MaxRecipes:
			c.no = &refusal{why: fmt.Sprintf("is behind the first %d recipes", MaxRecipes)}
		case len(j.needs) > 0:
			c.step, c.before, c.no = p.build(t.Name, j.m, c.recipe)
		}
	}
	return j
}

// recipeName returns the id of a recipe if that is the only one of its name,
// else its kind and what it names.
func recipeName(r *metadata.Recipe, unique bool) string {
	text := r.ID
	if text == "" || !unique {
		text = string(r.Kind) + " " + cmp.Or(strings.Join(r.Packages, " "), r.URL, r.Command, r.Label)
	}
	return cmp.Or(line.Cut(line.Fold(text), 80), "a recipe without a kind")
}

// tried says of each recipe why it does not bring n.
func (j *job) tried(n *need) []Tried {
	tried := []Tried{}
	for i := range j.list {
		c := &j.list[i]
		var why string
		switch {
		case j.Refused != "":
			why = j.Refused
		case j.fit(c.recipe, n) == 0:
			why = "does not give " + n.describe()
			if n.Kind == requires.KindEnv && c.no == nil && c.step.Download != nil {
				why += "; it would fetch " + line.Cut(c.recipe.URL, 200)
			}
		case c.no != nil:
			why = c.no.why
		default: // of a program that is there, or has no name
			why = "is not needed"
		}
		tried = append(tried, Tried{c.name, why})
	}
	return tried
}

// unused says why nothing came of a recipe of a skill that lacks nothing
// afterwards.
func (j *job) unused(c *candidate) string {
	switch {
	case j.hidden != "":
		return j.hidden
	case len(j.needs) == 0:
		return "nothing is missing"
	case c.no != nil:
		return c.no.why
	}
	for i := range j.needs {
		if n := &j.needs[i]; j.fit(c.recipe, n) > 0 {
			return n.describe() + " comes from " + n.step
		}
	}
	return "gives nothing that is missing"
}

// remedy says what to do about a program that no recipe brings.
func (j *job) remedy(n *need) string {
	var lacking []string
	fits, shell := false, false
	for i := range j.list {
		c := &j.list[i]
		if j.fit(c.recipe, n) == 0 {
			continue
		}
		fits = true
		if c.no != nil && c.no.lacks != "" && !slices.Contains(lacking, c.no.lacks) {
			lacking = append(lacking, c.no.lacks)
		}
		shell = shell || c.no != nil && c.no.shell
	}
	what := "install " + n.describe() + " by hand"
	if home := line.Fold(j.m.Homepage); home != "" && len(home) <= 200 {
		what += ", see " + home
	}
	switch {
	case !fits:
		return "no recipe gives it; " + what
	case len(lacking) > 0:
		return "install " + strings.Join(lacking, " or ") + " first, or " + what
	case shell:
		return "allow shell commands if you trust what the recipe says, or " + what
	}
	return "no recipe can be used here; " + what
}

// How well a recipe provides what is missing.
const (
	notAtAll = iota
	lastChoice
	byName
)

// fit says how well a recipe provides n.
func (j *job) fit(r *metadata.Recipe, n *need) int {
	python := r.Kind == metadata.KindPip || r.Kind == metadata.KindUv && len(r.Bins) == 0
	var name func(pkg string) string
	switch n.Kind {
	case requires.KindBin, requires.KindAnyBin:
		if slices.ContainsFunc(r.Bins, func(b string) bool { return slices.Contains(n.names, b) }) {
			return byName
		}
		if len(r.Bins) > 0 || python && len(j.m.Requires.PythonPackages) > 0 {
			return notAtAll
		}
		if len(r.Packages) == 0 {
			return lastChoice
		}
		name = func(pkg string) string { return programName(r.Kind, pkg) }
	case requires.KindPython:
		if !python {
			return notAtAll
		}
		name = distName
	default:
		return notAtAll
	}
	best := notAtAll
	for _, pkg := range r.Packages {
		switch got := name(pkg); {
		case slices.ContainsFunc(n.names, func(want string) bool { return got == want || n.Kind == requires.KindPython && got == distName(want) }):
			return byName
		case !j.require[got] && len(r.Bins) == 0:
			best = lastChoice // what it is called says nothing, so it may be this
		}
	}
	return best
}

// distName returns the normal name of a Python distribution.
func distName(pkg string) string { return pydist.Normalize(bareName(metadata.KindPip, pkg)) }
