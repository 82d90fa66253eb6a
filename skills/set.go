package skills

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/matrix-nexus/skillkit/internal/closest"
	"github.com/matrix-nexus/skillkit/metadata"
)

// A Set is an immutable collection of skills with distinct names, sorted by
// name. It is safe for concurrent use, and listing it makes no system call.
// The zero Set, like a nil *Set, is empty.
type Set struct {
	list     []*Skill // sorted by name, names distinct
	shadows  []Shadow // sorted
	problems []metadata.Problem
	// duplicates are the shadows that are a problem, with the winner at the
	// time. The problem is made when it is asked for: of ten thousand skills
	// thousands may be duplicates.
	duplicates []Shadow
}

// A Shadow records a skill that lost its name to another.
type Shadow struct {
	Name   string
	Winner *Skill // the skill of that name in the set
	Loser  *Skill
}

// NewSet returns the set of list, in which the first of equal names wins and
// the others become shadows, each with a [metadata.Problem]. Names are
// compared as they are: those that differ only by case, or by the way an
// accent is encoded, are all kept, with a Problem of severity
// [metadata.Info]. problems are faults found while indexing. Both slices
// belong to the set afterwards.
func NewSet(list []*Skill, problems []metadata.Problem) *Set {
	byName := func(a, b *Skill) int { return cmp.Compare(a.Name, b.Name) }
	if !slices.IsSortedFunc(list, byName) {
		slices.SortStableFunc(list, byName)
	}
	s := &Set{problems: problems}
	kept := list[:0]
	for _, sk := range list {
		if n := len(kept); n > 0 && kept[n-1].Name == sk.Name {
			s.duplicates = append(s.duplicates, Shadow{sk.Name, kept[n-1], sk})
			continue
		}
		kept = append(kept, sk)
	}
	s.shadows = s.duplicates // their order does not matter
	clear(list[len(kept):])
	s.list = kept
	s.finish()
	return s
}

// Merge returns the skills of both sets; those of over win by name, and the
// losers are kept as shadows (that is no problem), except where both are one
// folder. Either may be nil.
func Merge(base, over *Set) *Set {
	if base == nil {
		base = new(Set)
	}
	if over == nil {
		over = new(Set)
	}
	s := &Set{
		list:       make([]*Skill, 0, len(base.list)+len(over.list)),
		problems:   slices.Concat(base.problems, over.problems),
		duplicates: slices.Concat(base.duplicates, over.duplicates),
	}
	lost := make(map[string]*Skill) // name → the skill that took it
	b, o := base.list, over.list
	for len(b) > 0 || len(o) > 0 {
		switch {
		case len(o) == 0 || len(b) > 0 && b[0].Name < o[0].Name:
			s.list, b = append(s.list, b[0]), b[1:]
		case len(b) > 0 && b[0].Name == o[0].Name:
			lost[b[0].Name] = o[0]
			if !b[0].OnDisk || b[0].Dir != o[0].Dir {
				s.shadows = append(s.shadows, Shadow{b[0].Name, o[0], b[0]})
			}
			b = b[1:]
		default:
			s.list, o = append(s.list, o[0]), o[1:]
		}
	}
	for _, sh := range base.shadows {
		sh.Winner = cmp.Or(lost[sh.Name], sh.Winner)
		s.shadows = append(s.shadows, sh)
	}
	s.shadows = append(s.shadows, over.shadows...)
	s.finish()
	return s
}

// finish adds the problems of names that look alike, and sorts the shadows.
func (s *Set) finish() {
	folded := make(map[string]*Skill)
	for _, sk := range s.list {
		key := fold(sk.Name)
		if key == sk.Name {
			continue // found from the side of the other name
		}
		other, ok := folded[key]
		if !ok {
			folded[key] = sk
			other = s.byName(key)
		}
		if other != nil {
			s.problems = append(s.problems, metadata.Problem{
				Code: codeSimilarName, Severity: metadata.Info, File: sk.Path(),
				Message: fmt.Sprintf("name %q differs from that of %s only by case or encoding: rename one", sk.Name, other.Path()),
			})
		}
	}
	slices.SortFunc(s.shadows, func(a, b Shadow) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Loser.Dir, b.Loser.Dir))
	})
}

// fold returns the form in which names that look alike are equal.
func fold(name string) string { return strings.ToLower(norm.NFC.String(name)) }

// Len returns the number of skills.
func (s *Set) Len() int {
	if s == nil {
		return 0
	}
	return len(s.list)
}

// All yields the skills, sorted by name.
func (s *Set) All() iter.Seq[*Skill] {
	if s == nil {
		s = new(Set)
	}
	return slices.Values(s.list)
}

func (s *Set) byName(name string) *Skill {
	i, ok := slices.BinarySearchFunc(s.list, name, func(sk *Skill, name string) int {
		return cmp.Compare(sk.Name, name)
	})
	if !ok {
		return nil
	}
	return s.list[i]
}

// Get returns the skill with the given name, else the one with that key. The
// error is a [*NotFoundError], which suggests similar names. Looking up a key
// reads the manifests that may declare one; of several skills with one key it
// takes the first by name.
func (s *Set) Get(nameOrKey string) (*Skill, error) {
	if s == nil {
		s = new(Set)
	}
	if sk := s.byName(nameOrKey); sk != nil {
		return sk, nil
	}
	for _, sk := range s.list {
		if !sk.MayHaveKey || nameOrKey == "" {
			continue
		}
		if m, err := sk.Manifest(); err == nil && m.SkillKey == nameOrKey {
			return sk, nil
		}
	}
	names := make([]string, len(s.list))
	for i, sk := range s.list {
		names[i] = sk.Name
	}
	return nil, &NotFoundError{Name: nameOrKey, Similar: closest.Names(nameOrKey, names)}
}

// Mentioned returns the skills that text names as $name, each once, in the
// order of the text. Unknown names are passed over. A name ends before the
// first character that is no letter, mark, digit or one of "-_.:", and before
// such punctuation at the end, unless a skill has just that name.
func (s *Set) Mentioned(text string) []*Skill {
	if s == nil {
		return nil
	}
	var found []*Skill
	for {
		var ok bool
		if _, text, ok = strings.Cut(text, "$"); !ok {
			return found
		}
		word := text
		if end := strings.IndexFunc(text, notInName); end >= 0 {
			word = text[:end]
		}
		sk := s.byName(word)
		for sk == nil && word != "" && strings.ContainsRune(namePunctuation, rune(word[len(word)-1])) {
			word = word[:len(word)-1]
			sk = s.byName(word)
		}
		if sk != nil && word != "" && !slices.Contains(found, sk) {
			found = append(found, sk)
		}
	}
}

const namePunctuation = "-_.:"

func notInName(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) &&
		!strings.ContainsRune(namePunctuation, r)
}

// Shadowed returns the skills that lost their name, sorted by name and path.
func (s *Set) Shadowed() []Shadow {
	if s == nil {
		return nil
	}
	return slices.Clone(s.shadows)
}

// IndexProblems returns the faults found while indexing, sorted.
func (s *Set) IndexProblems() []metadata.Problem {
	if s == nil {
		return nil
	}
	return sorted(s.problems, s.duplicateProblems())
}

func (s *Set) duplicateProblems() []metadata.Problem {
	list := make([]metadata.Problem, len(s.duplicates))
	for i, d := range s.duplicates {
		list[i] = metadata.Problem{
			Code: codeDuplicateName, Severity: metadata.Warning, File: d.Loser.Path(),
			Message: fmt.Sprintf("name %q is taken by %s, which comes first: rename one", d.Name, d.Winner.Path()),
		}
	}
	return list
}

// sorted returns all of lists, sorted and without doubles.
func sorted(lists ...[]metadata.Problem) []metadata.Problem {
	all := slices.Concat(lists...)
	slices.SortFunc(all, metadata.Problem.Compare)
	return slices.Compact(all)
}

// Problems decodes every skill and returns all faults, those of the index
// too, sorted and without doubles; two skills with one key are one of them.
// The error is that of ctx.
func (s *Set) Problems(ctx context.Context) ([]metadata.Problem, error) {
	if s == nil {
		return nil, ctx.Err()
	}
	found := make([][]metadata.Problem, len(s.list))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(s.list)) {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(s.list) {
					return
				}
				found[i] = s.list[i].Problems()
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return sorted(append(found, s.problems, s.duplicateProblems(), s.keyProblems())...), nil
}

// keyProblems returns one problem for each skill whose key another one has.
func (s *Set) keyProblems() []metadata.Problem {
	var keyed []*Skill
	taken := make(map[string]*Skill) // declared key → the first skill with it
	var problems []metadata.Problem
	for _, sk := range s.list {
		if sk.MayHaveKey {
			keyed = append(keyed, sk)
		}
	}
	for _, sk := range keyed {
		m, err := sk.Manifest()
		if err != nil || m.SkillKey == "" {
			continue
		}
		other := taken[m.SkillKey]
		if other == nil {
			taken[m.SkillKey] = sk
			// A skill of that name has the key too, unless it declares another.
			other = s.byName(m.SkillKey)
			if other == sk {
				other = nil
			} else if other != nil && other.MayHaveKey {
				if om, err := other.Manifest(); err != nil || om.Key() != m.SkillKey {
					other = nil
				}
			}
		}
		if other != nil {
			problems = append(problems, metadata.Problem{
				Code: codeDuplicateKey, Severity: metadata.Warning, File: sk.Path(),
				Message: fmt.Sprintf("skill_key %q is also the key of %s: change one", m.SkillKey, other.Path()),
			})
		}
	}
	return problems
}

// A NotFoundError reports a skill that is not in a set.
type NotFoundError struct {
	Name    string
	Similar []string // at most three names that are close to it, the closest first
}

func (e *NotFoundError) Error() string {
	msg := fmt.Sprintf("no skill is named %q", e.Name)
	if len(e.Similar) > 0 {
		quoted := make([]string, len(e.Similar))
		for i, name := range e.Similar {
			quoted[i] = strconv.Quote(name)
		}
		msg += "; did you mean " + strings.Join(quoted, " or ") + "?"
	}
	return msg
}
