package install

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/matrix-nexus/skillkit/internal/line"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/requires"
)

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
// provides is taken from the index under its own name.
//
// A step that does what another does is that step, and what a step for one
// skill brings is not got again for the next. Every recipe of the targets is
// behind a step, or among [Unresolved.Tried] or [Plan.Unused] with a reason.
func NewPlan(targets []Target, opts *Options) *Plan {
	p := &planner{newMachine(opts), Plan{[]Step{}, []Unresolved{}, []Unused{}}}
	for i := range targets {
		p.target(&targets[i])
	}
	return &p.plan
}

type planner struct {
	*machine
	plan Plan
}

// A need is a requirement that is missing.
type need struct {
	Requirement
	names []string        // the alternatives of any_bins, else the one name
	items []requires.Item // what the report says of each
}

// needsOf returns what a report says is missing, any_bins as one need.
func needsOf(r *requires.Report) []need {
	var needs []need
	anyOf := -1
	for _, it := range r.Missing() {
		if it.Kind == requires.KindAnyBin && anyOf >= 0 {
			n := &needs[anyOf]
			n.Name += anySep + it.Name
			n.names = append(n.names, it.Name)
			n.items = append(n.items, it)
			continue
		}
		if it.Kind == requires.KindAnyBin {
			anyOf = len(needs)
		}
		needs = append(needs, need{Requirement{it.Kind, it.Name}, []string{it.Name}, []requires.Item{it}})
	}
	return needs
}

const anySep = " | "

// A candidate is a recipe of a target and what would come of it.
type candidate struct {
	recipe *metadata.Recipe
	step   Step
	before []Step
	no     *refusal // why it cannot be used, or nil
	used   bool
}

// name is how people find the recipe.
func (c *candidate) name() string {
	r := c.recipe
	text := r.ID
	if text == "" {
		text = string(r.Kind) + " " + cmp.Or(strings.Join(r.Packages, " "), r.URL, r.Command)
	}
	return line.Cut(line.Fold(text), 80)
}

// target plans for one skill.
func (p *planner) target(t *Target) {
	m := cmp.Or(t.Manifest, &metadata.Manifest{})
	list := make([]candidate, len(m.Install))
	for i := range list {
		list[i].recipe = &m.Install[i]
		list[i].step, list[i].before, list[i].no = p.build(t, m, list[i].recipe)
	}
	hidden := t.Report.Hidden()
	needs := needsOf(&t.Report)
	if hidden != "" {
		needs = nil
	}
	var python []need
	tried := false
	give := func(n need, reason string) {
		tried = true
		p.plan.Unresolved = append(p.plan.Unresolved, Unresolved{t.Name, n.Requirement, p.tried(t, m, list, n), reason})
	}
	for _, n := range needs {
		switch reason := cmp.Or(prefixed("nothing is installed for this skill: ", t.Refused), p.byHand(n)); {
		case reason != "":
			give(n, reason)
		case p.reuse(t, n), p.choose(t, m, list, n):
		case n.Kind == requires.KindPython:
			python = append(python, n)
		default:
			give(n, p.remedy(m, list, n))
		}
	}
	p.fromIndex(t, m, python, give)
	if tried {
		return
	}
	for i := range list {
		if c := &list[i]; !c.used {
			p.plan.Unused = append(p.plan.Unused, Unused{t.Name, c.name(), unusedReason(t, m, c, needs, hidden)})
		}
	}
}

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

// unusedReason says why nothing came of a recipe of a skill that lacks nothing
// afterwards.
func unusedReason(t *Target, m *metadata.Manifest, c *candidate, needs []need, hidden string) string {
	switch {
	case hidden != "":
		return hidden
	case len(needs) == 0:
		return "nothing is missing"
	case c.no != nil:
		return c.no.why
	case slices.ContainsFunc(needs, func(n need) bool { return fit(m, c.recipe, n) > 0 }):
		return "what it gives comes from another recipe"
	}
	return "it gives nothing that is missing"
}

// tried says of each recipe why it does not bring n.
func (p *planner) tried(t *Target, m *metadata.Manifest, list []candidate, n need) []Tried {
	tried := []Tried{}
	for i := range list {
		c := &list[i]
		why := "is not needed for this"
		switch {
		case t.Refused != "":
			why = t.Refused
		case fit(m, c.recipe, n) == 0:
			why = "does not give " + describe(n)
		case c.no != nil:
			why = c.no.why
		}
		tried = append(tried, Tried{c.name(), why})
	}
	return tried
}

// describe names a need for people.
func describe(n need) string {
	switch n.Kind {
	case requires.KindEnv:
		return "an environment variable"
	case requires.KindConfig:
		return "a value of the configuration"
	case requires.KindSkill:
		return "a skill"
	case requires.KindTool:
		return "a tool of the agent"
	}
	quoted := make([]string, len(n.names))
	for i, name := range n.names {
		quoted[i] = quote(name)
	}
	return strings.Join(quoted, " or ")
}

func quote(s string) string { return strconv.Quote(line.Cut(s, 80)) }

// byHand says what to do about a need that no recipe can meet.
func (p *planner) byHand(n need) string {
	switch n.Kind {
	case requires.KindEnv:
		return "set it with skills onboard, in the configuration or in the environment"
	case requires.KindConfig:
		return "set it in the configuration"
	case requires.KindSkill:
		return "add that skill to a folder of skills"
	case requires.KindTool:
		return "the agent must offer that tool"
	}
	refused := 0
	for _, it := range n.items {
		switch it.State {
		case requires.StateOffPath:
			return quote(it.Name) + " is installed as " + it.Where + ": " + pathRemedy(filepath.Dir(it.Where), p.GOOS)
		case requires.StateRefused:
			refused++
		}
	}
	if refused == len(n.items) {
		return "its name is not one to look up; the skill must name it plainly"
	}
	return ""
}

func pathRemedy(dir, goos string) string {
	if goos == "windows" {
		return "put that folder on PATH"
	}
	return `export PATH="` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "`", "\\`").Replace(dir) + `:$PATH"`
}

// remedy says what to do about a program that no recipe brings.
func (p *planner) remedy(m *metadata.Manifest, list []candidate, n need) string {
	var lacking []string
	fits, shell := false, false
	for i := range list {
		c := &list[i]
		if fit(m, c.recipe, n) == 0 {
			continue
		}
		fits = true
		if c.no != nil && c.no.lacks != "" && !slices.Contains(lacking, c.no.lacks) {
			lacking = append(lacking, c.no.lacks)
		}
		shell = shell || c.no == refuseShell
	}
	what := "install " + describe(n) + " by hand"
	if home := line.Fold(m.Homepage); home != "" && len(home) <= 200 {
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

// fit says whether a recipe provides n: 0 no, 1 as a last choice, 2 yes.
func fit(m *metadata.Manifest, r *metadata.Recipe, n need) int {
	python := r.Kind == metadata.KindPip || r.Kind == metadata.KindUv && len(r.Bins) == 0
	var named func(pkg string) string
	var required []string
	switch n.Kind {
	case requires.KindBin, requires.KindAnyBin:
		if len(r.Bins) > 0 {
			return pickInt(slices.ContainsFunc(r.Bins, func(b string) bool { return slices.Contains(n.names, b) }), 2, 0)
		}
		if python && len(m.Requires.PythonPackages) > 0 {
			return 0
		}
		named = func(pkg string) string { return programName(r.Kind, pkg) }
		required = names(append(slices.Clone(m.Requires.Bins), m.Requires.AnyBins...))
	case requires.KindPython:
		if !python {
			return 0
		}
		named = func(pkg string) string { return normalPython(bareName(metadata.KindPip, pkg)) }
		for _, name := range names(m.Requires.PythonPackages) {
			required = append(required, named(name))
		}
	default:
		return 0
	}
	other := len(r.Packages) == 0 && n.Kind != requires.KindPython
	for _, pkg := range r.Packages {
		name := named(pkg)
		for _, want := range n.names {
			if name == want || n.Kind == requires.KindPython && name == named(want) {
				return 2
			}
		}
		other = other || !slices.Contains(required, name)
	}
	return pickInt(other && len(r.Bins) == 0, 1, 0)
}

func pickInt(b bool, yes, no int) int {
	if b {
		return yes
	}
	return no
}

func names(list []metadata.Requirement) []string {
	out := make([]string, len(list))
	for i, q := range list {
		out[i] = q.Name
	}
	return out
}

// programName guesses what the program of a package is called.
func programName(kind metadata.Kind, pkg string) string {
	switch kind {
	case metadata.KindBrew:
		name, _, _ := strings.Cut(pkg[strings.LastIndexByte(pkg, '/')+1:], "@")
		return name
	case metadata.KindGo:
		elems := strings.Split(bareName(kind, pkg), "/")
		last := elems[len(elems)-1]
		if len(elems) > 1 && len(last) > 1 && last[0] == 'v' && strings.Trim(last[1:], "0123456789") == "" {
			last = elems[len(elems)-2]
		}
		return last
	}
	name := bareName(kind, pkg)
	return name[strings.LastIndexByte(name, '/')+1:]
}

// reuse lets a step that is planned already bring n.
func (p *planner) reuse(t *Target, n need) bool {
	for i := range p.plan.Steps {
		s := &p.plan.Steps[i]
		if s.brings(n) {
			p.serve(s, t, n.Requirement)
			return true
		}
	}
	return false
}

// brings reports whether a step is certain to bring n as far as it says.
func (s *Step) brings(n need) bool {
	if slices.Contains(s.Provides, n.Requirement) {
		return true
	}
	if n.Kind == requires.KindPython {
		want, err := parsePython(n.Name)
		return err == nil && s.Kind == metadata.KindPip && slices.ContainsFunc(s.Packages, func(pkg string) bool {
			got, err := parsePython(pkg)
			return err == nil && got.name == want.name &&
				joinClauses(got.spec, want.spec) == joinClauses(got.spec, "") && (want.extras == "" || want.extras == got.extras)
		})
	}
	return slices.ContainsFunc(n.names, func(name string) bool {
		return slices.Contains(s.Bins, name) || slices.Contains(s.Provides, Requirement{requires.KindBin, name})
	})
}

// serve notes that a step is done for a skill too, and those before it.
func (p *planner) serve(s *Step, t *Target, provides ...Requirement) {
	for _, q := range provides {
		if !slices.Contains(s.Provides, q) {
			s.Provides = append(s.Provides, q)
		}
	}
	if i, ok := slices.BinarySearch(s.Skills, t.Name); !ok {
		s.Skills = slices.Insert(s.Skills, i, t.Name)
	}
	for _, id := range s.After {
		i := slices.IndexFunc(p.plan.Steps, func(s Step) bool { return s.ID == id })
		p.serve(&p.plan.Steps[i], t)
	}
}

// choose adds the step of the best recipe that provides n.
func (p *planner) choose(t *Target, m *metadata.Manifest, list []candidate, n need) bool {
	rank := func(c *candidate) int {
		if i := slices.Index(p.Prefer, c.recipe.Kind); i >= 0 {
			return i
		}
		return len(p.Prefer)
	}
	var order []*candidate
	for i := range list {
		if c := &list[i]; c.no == nil && fit(m, c.recipe, n) > 0 {
			order = append(order, c)
		}
	}
	slices.SortStableFunc(order, func(a, b *candidate) int {
		return cmp.Or(fit(m, b.recipe, n)-fit(m, a.recipe, n), rank(a)-rank(b))
	})
	for _, c := range order {
		switch {
		case fit(m, c.recipe, n) == 1:
			c.step.Reason = "the last choice, since it does not say what it gives"
		case rank(c) < len(p.Prefer):
			c.step.Reason = "its kind is preferred, and it gives " + describe(n)
		default:
			c.step.Reason = "the first recipe that can be used here and gives " + describe(n)
		}
		if d := c.step.Download; d != nil && d.SHA256 == "" {
			c.step.Reason += "; it has no sha256, so what comes cannot be checked"
		}
		if p.add(t, c, n.Requirement) {
			c.used = true
			return true
		}
	}
	return false
}

// add adds the step of a candidate, or joins it with one that does the same.
func (p *planner) add(t *Target, c *candidate, provides ...Requirement) bool {
	for i := range p.plan.Steps {
		s := &p.plan.Steps[i]
		if s.same(&c.step) {
			for _, b := range c.step.Bins {
				if !slices.Contains(s.Bins, b) {
					s.Bins = append(s.Bins, b)
				}
			}
			p.serve(s, t, provides...)
			return true
		}
		if s.Download != nil && c.step.Download != nil && s.Download.Dir == c.step.Download.Dir {
			c.no = &refusal{why: "its folder is taken by the step " + s.ID}
			return false
		}
	}
	step := c.step
	step.Provides = []Requirement{}
	for _, b := range c.before {
		b.Provides = []Requirement{}
		if !slices.ContainsFunc(p.plan.Steps, func(s Step) bool { return s.ID == b.ID }) {
			p.plan.Steps = append(p.plan.Steps, b)
		}
		step.After = append(step.After, b.ID)
	}
	p.plan.Steps = append(p.plan.Steps, step)
	p.serve(&p.plan.Steps[len(p.plan.Steps)-1], t, provides...)
	return true
}

// same reports whether two steps do the same work.
func (s *Step) same(o *Step) bool {
	if s.Download != nil && o.Download != nil {
		a, b := *s.Download, *o.Download
		a.Dir, b.Dir = "", ""
		return a == b
	}
	return s.ID == o.ID
}

// fromIndex plans for the Python packages that no recipe provides, in one step
// for each kind of recipe that would have done.
func (p *planner) fromIndex(t *Target, m *metadata.Manifest, needs []need, give func(need, string)) {
	recipes := []metadata.Recipe{{Kind: metadata.KindPip}, {Kind: metadata.KindUv}}
	got := make([][]Requirement, len(recipes))
	for _, n := range needs {
		pkg := strings.Join(strings.Fields(n.Name), "")
		var no *refusal
		for i := range recipes {
			_, _, why := p.build(t, m, &metadata.Recipe{Kind: recipes[i].Kind, Packages: []string{pkg}})
			if why == nil {
				recipes[i].Packages = append(recipes[i].Packages, pkg)
				got[i] = append(got[i], n.Requirement)
				no = nil
				break
			}
			no = cmp.Or(no, why)
		}
		if no != nil {
			give(n, "no recipe gives it, and it cannot be had from the index: "+no.why)
		}
	}
	for i := range recipes {
		if got[i] == nil {
			continue
		}
		c := candidate{recipe: &recipes[i]}
		c.step, c.before, c.no = p.build(t, m, c.recipe)
		c.step.Reason = "no recipe gives it, so it is taken from the index under its own name"
		if c.no == nil {
			p.add(t, &c, got[i]...)
			continue
		}
		for _, n := range needs { // too many to be had together
			if slices.Contains(got[i], n.Requirement) {
				give(n, "no recipe gives it, and "+c.no.why)
			}
		}
	}
}
