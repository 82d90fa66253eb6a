package install

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/internal/line"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/requires"
)

// NewRemoval returns what would be done to remove what was installed for a
// skill. It goes by the receipts alone, of which those that the skill does not
// use are only looked at for what they need: recipes are the uninstall recipes
// of the skill, or nil if it is gone. Like [NewPlan] it touches nothing.
//
// A receipt that another skill uses as well only loses this one. What else a
// receipt records is removed by the uninstall recipe with the id of the recipe
// that it came from, or of the same kind, and without one by the installer that
// installed it. A recipe can leave out packages, but not add any: what the
// receipt does not say was installed is never removed. A command in a recipe
// that calls a package manager and does nothing else is taken as what it asks
// for; any other is run only with [Options.AllowShell].
//
// A step that failed, or whose end is not known, may have left parts, so it is
// undone like one that succeeded. Where its installer would only fail at that,
// and nothing of what it was to bring is there, its receipt is forgotten.
//
// The plan has its steps in an order in which they can be run: what others were
// made from goes last. What cannot be removed is in [Plan.Unresolved], by what
// it was installed for.
func NewRemoval(skill string, recipes []metadata.Recipe, receipts []Receipt, opts *Options) *Plan {
	r := &removal{
		machine: newMachine(opts),
		plan:    Plan{[]Step{}, []Unresolved{}, []Unused{}},
		skill:   skill,
		all:     receipts,
		holders: map[string][]string{},
		undone:  map[string]bool{},
	}
	for i := range recipes {
		r.list = append(r.list, candidate{recipe: &recipes[i], name: recipeName(&recipes[i], true)})
	}
	var mine []*Receipt
	for i := range receipts {
		if slices.Contains(receipts[i].Step.Skills, skill) {
			mine = append(mine, &receipts[i])
		}
	}
	// No step that others come after comes after one itself.
	slices.SortStableFunc(mine, func(a, b *Receipt) int { return len(b.Step.After) - len(a.Step.After) })
	for i := range receipts {
		s := &receipts[i].Step
		if receipts[i].State == ReceiptFailed {
			continue // it holds nothing that others want to stay
		}
		for _, pkg := range s.Packages {
			key := string(s.Kind) + " " + removalKey(s.Kind, pkg)
			r.holders[key] = append(r.holders[key], s.ID)
		}
	}
	for _, rc := range mine {
		r.receipt(rc)
	}
	for i := range r.list {
		if c := &r.list[i]; !c.used && len(r.plan.Unresolved) == 0 {
			why := "nothing was installed that it would remove"
			if c.no != nil {
				why = c.no.why
			}
			r.plan.Unused = append(r.plan.Unused, Unused{skill, c.name, why})
		}
	}
	return &r.plan
}

type removal struct {
	*machine
	plan  Plan
	skill string
	all   []Receipt
	list  []candidate // the uninstall recipes

	holders map[string][]string // the steps that installed a package
	undone  map[string]bool     // those whose packages are removed
}

// receipt plans for one receipt of the skill.
func (r *removal) receipt(rc *Receipt) {
	was := &rc.Step
	step := Step{
		ID: "undo:" + was.ID, Kind: was.Kind, Undo: was.ID, Skills: []string{r.skill},
		Provides: slices.Clone(was.Provides), Bins: slices.Clone(was.Bins),
		Label: line.Cut("Remove "+line.Fold(cmp.Or(strings.Join(was.Packages, " "), was.ID))+" ("+string(was.Kind)+")", 120),
	}
	if others := without(was.Skills, []string{r.skill}); len(others) > 0 {
		step.Label = "Keep " + line.Cut(line.Fold(was.ID), 100)
		step.Reason = "it stays for " + line.Cut(line.Fold(strings.Join(others, ", ")), 100)
		r.plan.Steps = append(r.plan.Steps, step)
		return
	}
	for i := range r.all {
		dep := &r.all[i].Step
		if was.Optional || !slices.Contains(dep.After, was.ID) {
			continue
		}
		undo := "undo:" + dep.ID
		if len(dep.Skills) > 1 || !slices.ContainsFunc(r.plan.Steps, func(s Step) bool { return s.ID == undo }) {
			r.give(rc, "it stays, since "+dep.ID+" needs it")
			return
		}
		step.After = append(step.After, undo)
	}
	packages := was.Packages
	refused := false
	step.Reason = "it was installed for " + quote(r.skill)
	for i := range r.list {
		c := &r.list[i]
		if c.used || !r.pairs(c.recipe, was) {
			continue
		}
		if packages, c.no = r.byRecipe(&step, c.recipe, was); c.no == nil {
			c.used = true
			step.Recipes = []Source{{r.skill, c.name}}
			step.Reason += ", and is removed as its recipe says"
			break
		}
		packages, refused = was.Packages, true
	}
	if step.Argv == nil {
		no := r.byReceipt(&step, rc, packages)
		switch {
		case no == nil:
		case was.Shell && !refused && r.nothingOf(was):
			step.forget("nothing of it is there any more")
		default:
			r.give(rc, no.why+"; remove by hand what was installed for it")
			return
		}
	}
	r.undone[was.ID] = step.Argv != nil
	r.plan.Steps = append(r.plan.Steps, step)
}

// give accounts for a receipt that cannot be undone.
func (r *removal) give(rc *Receipt, why string) {
	u := Unresolved{Skill: r.skill, Tried: []Tried{}, Reason: line.Fold(rc.Step.ID) + ": " + why}
	switch s := &rc.Step; {
	case len(s.Provides) > 0:
		u.Requirement = s.Provides[0]
	case len(s.Bins) > 0:
		u.Requirement = Requirement{requires.KindBin, s.Bins[0]}
	}
	for i := range r.list {
		if c := &r.list[i]; !c.used {
			why := "is not for this"
			if c.no != nil {
				why = c.no.why
			}
			u.Tried = append(u.Tried, Tried{c.name, why})
		}
	}
	r.plan.Unresolved = append(r.plan.Unresolved, u)
}

// pairs reports whether an uninstall recipe is for what a step did.
func (r *removal) pairs(u *metadata.Recipe, was *Step) bool {
	known := false
	for _, src := range was.Recipes {
		known = known || src.Skill == r.skill
		if src == (Source{r.skill, u.ID}) {
			return true
		}
	}
	return (!known || u.ID == "") && sameInstaller(u.Kind, was.Kind) && len(was.Packages) > 0
}

func sameInstaller(a, b metadata.Kind) bool {
	python := []metadata.Kind{metadata.KindPip, metadata.KindUv}
	return a == b || slices.Contains(python, a) && slices.Contains(python, b)
}

// byRecipe returns the packages of was that an uninstall recipe removes. Of a
// recipe that is a shell command it makes the step instead.
func (r *removal) byRecipe(step *Step, u *metadata.Recipe, was *Step) ([]string, *refusal) {
	switch {
	case u.Kind == metadata.KindExec || u.Kind == metadata.KindScript || u.Kind == metadata.KindManual:
		return nil, &refusal{why: "kind " + string(u.Kind) + " is never run"}
	case len(u.OS) > 0 && !slices.Contains(u.OS, r.GOOS):
		return nil, &refusal{why: "is for " + line.Cut(line.Fold(strings.Join(u.OS, ", ")), 80) + "; this is " + r.GOOS}
	}
	kind, names := u.Kind, u.Packages
	if u.Command != "" {
		plain := false
		if kind, names, plain = plainRemoval(u.Command); !plain {
			shell := Step{}
			command := metadata.Recipe{Kind: metadata.KindShell, Command: u.Command}
			if err := CheckRecipe(&command); err != nil {
				return was.Packages, &refusal{why: err.Error() + position(u.Pos)}
			}
			no := r.shell(&shell, &command)
			if no == nil {
				step.Argv, step.Shell, step.Label = shell.Argv, true, shell.Label
			}
			return was.Packages, no
		}
	}
	if !sameInstaller(kind, was.Kind) {
		return nil, &refusal{why: "is for " + string(kind) + ", but " + string(was.Kind) + " installed it"}
	}
	if len(names) == 0 {
		return was.Packages, nil
	}
	var packages []string
	for _, name := range names {
		i := slices.IndexFunc(was.Packages, func(pkg string) bool { return removalKey(was.Kind, pkg) == removalKey(was.Kind, name) })
		if i < 0 {
			return nil, &refusal{why: "would remove " + quote(name) + ", which was not installed with it"}
		}
		packages = append(packages, was.Packages[i])
	}
	return packages, nil
}

// removalKey is what two names of one package have in common.
func removalKey(kind metadata.Kind, pkg string) string {
	switch kind {
	case metadata.KindPip, metadata.KindUv, metadata.KindPipx:
		return distName(pkg)
	case metadata.KindBrew:
		return pkg[strings.LastIndexByte(pkg, '/')+1:]
	}
	return bareName(kind, pkg)
}

// byReceipt makes the step that undoes what a receipt records, of which only
// packages are to go. The receipt is a file that others may have changed: what
// is not as this package writes it is refused.
func (r *removal) byReceipt(step *Step, rc *Receipt, packages []string) *refusal {
	was := &rc.Step
	switch {
	case was.Shell:
		return &refusal{why: "a shell command installed it, and no uninstall recipe can be used"}
	case was.Download != nil:
		if !r.clean(was.Download.Dir) || below(r.state("tools"), was.Download.Dir) == "" {
			return &refusal{why: "its receipt names the folder " + quote(was.Download.Dir) + ", which is not one of this package"}
		}
		step.Remove = []string{was.Download.Dir}
		return nil
	case was.Creates != "":
		if !r.clean(was.Creates) || below(r.state("python"), was.Creates) == "" {
			return &refusal{why: "its receipt names " + quote(was.Creates) + ", which is not of this package"}
		}
		step.Remove = []string{r.state("python")}
		return nil
	case was.Kind == metadata.KindGo:
		for _, file := range rc.Files {
			name := strings.TrimSuffix(filepath.Base(file), ".exe")
			if !r.clean(file) || filepath.Dir(file) != was.BinDir || !slices.Contains(programs(was), name) {
				return &refusal{why: "its receipt names the file " + quote(file) + ", which go did not put there"}
			}
		}
		if step.Remove = slices.Clone(rc.Files); len(rc.Files) == 0 {
			step.forget("it built nothing that was not there before")
		}
		return nil
	case len(was.Packages) == 0 && len(was.Provides) == 0:
		step.forget("it left nothing to remove") // such as apt-get update
		return nil
	case len(packages) == 0 || len(packages) > MaxPackages:
		return &refusal{why: "its receipt does not say which packages were installed"}
	}
	var names []string
	keeps := ""
	for _, pkg := range packages {
		if err := checkPackage(was.Kind, pkg); err != nil {
			return &refusal{why: "its receipt was changed: " + err.Error()}
		}
		if id := r.keeps(was, pkg); id != "" {
			keeps = id
			continue
		}
		names = append(names, removalName(was.Kind, pkg))
	}
	if len(names) == 0 {
		step.forget("what it installed is kept for " + line.Fold(keeps))
		return nil
	}
	if rc.State != ReceiptInstalled && failsOnNothing(was.Kind) && r.nothingOf(was) {
		step.forget("it was not brought to its end, and nothing of it is there")
		return nil
	}
	c, no := r.command(was.Kind, names, was)
	if no != nil {
		return no
	}
	step.Packages, step.Argv, step.Env, step.Unset = names, c.argv, c.env, c.unset
	if was.Kind == metadata.KindApt || was.Kind == metadata.KindDnf {
		step.Reason += "; what needs it goes with it"
	}
	return nil
}

// keeps returns the ID of another step that installed the same package, perhaps
// in another version, and that stays or is undone later. One that failed did
// not. It is "" if there is none.
func (r *removal) keeps(was *Step, pkg string) string {
	for _, id := range r.holders[string(was.Kind)+" "+removalKey(was.Kind, pkg)] {
		if id != was.ID && !r.undone[id] {
			return id
		}
	}
	return ""
}

func (s *Step) forget(reason string) {
	s.Forget, s.Reason = true, reason
	s.Label = "Forget " + line.Cut(line.Fold(strings.TrimPrefix(s.ID, "undo:")), 100)
}

// clean reports whether a path is absolute and as short as it can be.
func (r *removal) clean(path string) bool {
	return filepath.IsAbs(r.State) && filepath.IsAbs(path) && filepath.Clean(path) == path
}

// removalName returns what an installer calls a package that it is to remove.
func removalName(kind metadata.Kind, pkg string) string {
	if kind == metadata.KindApt { // with its architecture
		name, _, _ := strings.Cut(pkg, "=")
		return name
	}
	return bareName(kind, pkg)
}

// failsOnNothing reports whether an installer takes it for an error to remove
// what is not there, as apt-get, npm and pip do not.
func failsOnNothing(kind metadata.Kind) bool {
	return kind != metadata.KindApt && kind != metadata.KindNpm && kind != metadata.KindPip
}

// nothingOf reports whether the Host finds nothing of what a step was to bring.
func (r *removal) nothingOf(was *Step) bool {
	if r.Host == nil || len(was.Provides)+len(was.Bins) == 0 {
		return false
	}
	return !slices.ContainsFunc(lookUp(was, r.Host), func(it requires.Item) bool { return it.State != requires.StateMissing })
}
