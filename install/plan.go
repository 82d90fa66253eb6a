package install

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/requires"
)

// MaxRecipes is the number of recipes of one skill that are looked at. Those
// behind are passed over, with that as the reason.
const MaxRecipes = 100

// MaxNeeds is the number of missing requirements of one skill that are planned
// for. Those behind are unresolved, with that as the reason.
const MaxNeeds = 200

// NewPlan returns what would be done to get what the targets lack. It touches
// nothing but what opts.Host answers, and the same input gives the same plan.
//
// For each requirement that is missing it takes the first recipe of the skill
// that is for this system, is allowed, has its installer on this machine and
// provides what is missing; the kinds in [Options.Prefer] come first, then the
// order of the file decides. A recipe provides the programs in its bins. One
// without bins provides what its packages are called, and any other program
// that its skill lacks as a last choice; one for pip or uv does so for Python
// packages instead if its skill requires any. A Python package that no recipe
// provides is taken from the index under its own name, and one that a recipe
// names gets the version that the skill requires.
//
// Steps that do the same are one, and what a step for one skill brings is not
// got again for another. Every recipe of the targets is in [Step.Recipes], in
// [Unresolved.Tried] or in [Plan.Unused], the last two with a reason. A program
// that is there, but not on PATH, is not installed again: it is unresolved, and
// the reason says what to put on PATH.
func NewPlan(targets []Target, opts *Options) *Plan {
	p := &planner{
		machine: newMachine(opts),
		plan:    Plan{[]Step{}, []Unresolved{}, []Unused{}},
		ids:     map[string]int{},
		brought: map[Requirement]int{},
		dists:   map[string][]dist{},
	}
	jobs := make([]job, len(targets))
	for i := range targets {
		jobs[i] = p.newJob(&targets[i])
		p.own(&jobs[i])
	}
	for i := range jobs {
		p.rest(&jobs[i])
	}
	for i := range p.plan.Steps {
		s := &p.plan.Steps[i]
		slices.Sort(s.Skills)
		s.Skills = slices.Compact(s.Skills)
	}
	return &p.plan
}

type planner struct {
	*machine
	plan    Plan
	ids     map[string]int      // the index of a step by its ID, and by its URL for a download
	brought map[Requirement]int // the index of the step that brings it
	dists   map[string][]dist   // Python packages that steps bring, by name
}

// A dist is a Python package that a step brings.
type dist struct {
	pythonReq
	step int
}

// own does what the skill's own recipes can do, and what steps can that are
// planned already.
func (p *planner) own(j *job) {
	for i := range j.needs {
		n := &j.needs[i]
		switch {
		case j.Refused != "":
			n.reason = "nothing is installed for this skill: " + j.Refused
		case i >= MaxNeeds:
			n.reason = fmt.Sprintf("is behind the first %d things that the skill lacks", MaxNeeds)
		default:
			n.reason = byHand(n, p.GOOS)
		}
		if n.reason == "" && !p.reuse(j, n) {
			p.choose(j, n)
		}
	}
}

// rest does what only steps for later skills and the index of Python packages
// can do, and accounts for the rest.
func (p *planner) rest(j *job) {
	for i := range j.needs {
		if n := &j.needs[i]; n.step == "" && n.reason == "" {
			p.reuse(j, n)
		}
	}
	p.fromIndex(j)
	tried := false
	for i := range j.needs {
		n := &j.needs[i]
		if n.step != "" {
			continue
		}
		if i >= MaxNeeds {
			p.plan.Unresolved = append(p.plan.Unresolved, Unresolved{j.Name, n.Requirement, []Tried{}, n.reason})
			continue
		}
		tried = true
		p.plan.Unresolved = append(p.plan.Unresolved, Unresolved{j.Name, n.Requirement, j.tried(n), cmp.Or(n.reason, j.remedy(n))})
	}
	for i := range j.list {
		if c := &j.list[i]; !c.used && !tried {
			p.plan.Unused = append(p.plan.Unused, Unused{j.Name, c.name, j.unused(c)})
		}
	}
}

// reuse lets a step that is planned already bring n.
func (p *planner) reuse(j *job, n *need) bool {
	i, ok := p.bringing(n)
	if !ok {
		return false
	}
	for k := range j.list {
		if c := &j.list[k]; c.no == nil && j.fit(c.recipe, n) > 0 && p.find(&c.step) == i {
			p.join(i, j, c, n)
			return true
		}
	}
	p.serve(i, j, n)
	return true
}

// bringing returns the index of the step that brings n, as far as steps say.
func (p *planner) bringing(n *need) (int, bool) {
	if i, ok := p.brought[n.Requirement]; ok {
		return i, true
	}
	if n.Kind == requires.KindPython {
		want, err := parsePython(n.Name)
		if err != nil {
			return 0, false
		}
		for _, d := range p.dists[want.name] {
			if d.covers(want) {
				return d.step, true
			}
		}
		return 0, false
	}
	for _, name := range n.names {
		if i, ok := p.brought[Requirement{requires.KindBin, name}]; ok {
			return i, true
		}
	}
	return 0, false
}

// serve notes that a step is done for a skill too, and those before it.
func (p *planner) serve(i int, j *job, needs ...*need) {
	s := &p.plan.Steps[i]
	for _, n := range needs {
		n.step = s.ID
		if !slices.Contains(s.Provides, n.Requirement) {
			s.Provides = append(s.Provides, n.Requirement)
		}
		if _, ok := p.brought[n.Requirement]; !ok {
			p.brought[n.Requirement] = i
		}
	}
	s.Skills = append(s.Skills, j.Name) // sorted in the end: a step may be for thousands
	for _, id := range s.After {
		p.serve(p.ids[id], j)
	}
}

// choose plans the best recipe that provides n.
func (p *planner) choose(j *job, n *need) {
	rank := func(c *candidate) int {
		if i := slices.Index(p.Prefer, c.recipe.Kind); i >= 0 {
			return i
		}
		return len(p.Prefer)
	}
	var order []*candidate
	for i := range j.list {
		if c := &j.list[i]; c.no == nil && j.fit(c.recipe, n) > 0 {
			order = append(order, c)
		}
	}
	slices.SortStableFunc(order, func(a, b *candidate) int {
		return cmp.Or(j.fit(b.recipe, n)-j.fit(a.recipe, n), rank(a)-rank(b))
	})
	for _, c := range order {
		switch {
		case j.fit(c.recipe, n) == lastChoice:
			c.step.Reason = "the last choice, since it does not say what it gives"
		case rank(c) < len(p.Prefer):
			c.step.Reason = "its kind is preferred, and it gives " + n.describe()
		default:
			c.step.Reason = "the first recipe that can be used here and gives " + n.describe()
		}
		if d := c.step.Download; d != nil && d.SHA256 == "" {
			c.step.Reason += "; it has no sha256, so what comes cannot be checked"
		}
		if i := p.add(c); i >= 0 {
			p.join(i, j, c, n)
			return
		}
	}
}

// join lets the step with index i be that of a candidate.
func (p *planner) join(i int, j *job, c *candidate, needs ...*need) {
	p.serve(i, j, needs...)
	s := &p.plan.Steps[i]
	for _, b := range c.step.Bins {
		if !slices.Contains(s.Bins, b) {
			s.Bins = append(s.Bins, b)
		}
		q := Requirement{requires.KindBin, b}
		if _, ok := p.brought[q]; !ok {
			p.brought[q] = i
		}
	}
	if !c.used {
		c.used = true
		s.Recipes = append(s.Recipes, Source{j.Name, c.name})
	}
}

// find returns the index of the step that does what s does, or -1.
func (p *planner) find(s *Step) int {
	if i, ok := p.ids[s.work()]; ok {
		return i
	}
	return -1
}

// work identifies what a step does: where a download goes does not matter.
func (s *Step) work() string {
	if d := s.Download; d != nil {
		return fmt.Sprintf("%s %s %s %d %s", d.URL, d.SHA256, d.Archive, d.StripComponents, d.File)
	}
	return s.ID
}

// add plans the step of a candidate and returns its index, which is that of
// the step that does the same if there is one. It is -1 if there is no place
// for it.
func (p *planner) add(c *candidate) int {
	if i := p.find(&c.step); i >= 0 {
		return i
	}
	if _, ok := p.ids[c.step.ID]; ok { // of another download
		c.no = &refusal{why: "its folder is taken by " + c.step.ID}
		return -1
	}
	step := c.step
	step.Provides = []Requirement{}
	for _, b := range c.before {
		if _, ok := p.ids[b.ID]; !ok {
			b.Provides = []Requirement{}
			p.ids[b.ID] = len(p.plan.Steps)
			p.plan.Steps = append(p.plan.Steps, b)
		}
		step.After = append(step.After, b.ID)
	}
	i := len(p.plan.Steps)
	p.ids[step.ID], p.ids[step.work()] = i, i
	p.plan.Steps = append(p.plan.Steps, step)
	if step.Kind == metadata.KindPip {
		for _, pkg := range step.Packages {
			if r, err := parsePython(pkg); err == nil {
				p.dists[r.name] = append(p.dists[r.name], dist{r, i})
			}
		}
	}
	return i
}

// fromIndex plans for the Python packages that no recipe provides, in one step
// for each kind of recipe that would have done. One for which a recipe is
// refused for what it says, such as a path, is likely none of the index: what
// has its name there would be somebody else's.
func (p *planner) fromIndex(j *job) {
	recipes := []metadata.Recipe{{Kind: metadata.KindPip}, {Kind: metadata.KindUv}}
	got := make([][]*need, len(recipes))
	for i := range j.needs {
		n := &j.needs[i]
		elsewhere := slices.ContainsFunc(j.list, func(c candidate) bool { return c.no != nil && c.no.bad && j.fit(c.recipe, n) > 0 })
		if n.Kind != requires.KindPython || n.step != "" || n.reason != "" || elsewhere {
			continue
		}
		var no *refusal
		for k := range recipes {
			r := metadata.Recipe{Kind: recipes[k].Kind, Packages: []string{strings.Join(strings.Fields(n.Name), "")}}
			_, _, why := p.build(j.Name, j.m, &r)
			if why == nil {
				recipes[k].Packages = append(recipes[k].Packages, r.Packages...)
				got[k] = append(got[k], n)
				no = nil
				break
			}
			if no == nil || why.lacks != "" {
				no = why
			}
		}
		if no != nil && !slices.ContainsFunc(j.list, func(c candidate) bool { return j.fit(c.recipe, n) > 0 }) {
			n.reason = "no recipe gives it, and it cannot be had from the index: " + no.why
		}
	}
	for k := range recipes {
		if got[k] == nil {
			continue
		}
		c := candidate{recipe: &recipes[k]}
		c.step, c.before, c.no = p.build(j.Name, j.m, c.recipe)
		if c.no != nil { // too many at once
			for _, n := range got[k] {
				n.reason = "no recipe gives it, and what would be had from the index " + c.no.why
			}
			continue
		}
		c.step.Reason = "no recipe gives it, so it is taken from the index under its own name"
		p.serve(p.add(&c), j, got[k]...)
	}
}
