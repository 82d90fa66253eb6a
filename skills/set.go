package skills

import (
	"context"
	"iter"

	"github.com/matrix-nexus/skillkit/metadata"
)

// A Set is an immutable collection of skills with distinct names, sorted by
// name. It is safe for concurrent use, and listing it makes no system call.
type Set struct {
	// fields of the implementation
}

// A Shadow records a skill that lost its name to another.
type Shadow struct {
	Name   string
	Winner *Skill
	Loser  *Skill
}

// NewSet returns the set of list, in which the first of equal names wins and
// the others become shadows, each with a [metadata.Problem]. problems are
// faults found while indexing. Both slices belong to the set afterwards.
func NewSet(list []*Skill, problems []metadata.Problem) *Set { panic("not implemented") }

// Merge returns the skills of both sets; those of over win by name, and the
// losers are kept as shadows (that is no problem). Either may be nil.
func Merge(base, over *Set) *Set { panic("not implemented") }

// Len returns the number of skills.
func (s *Set) Len() int { panic("not implemented") }

// All yields the skills, sorted by name.
func (s *Set) All() iter.Seq[*Skill] { panic("not implemented") }

// Get returns the skill with the given name, else the one with that key. The
// error is a [*NotFoundError], which suggests similar names. Looking up a key
// reads the manifests that may declare one.
func (s *Set) Get(nameOrKey string) (*Skill, error) { panic("not implemented") }

// Mentioned returns the skills that text names as $name, each once, in the
// order of the text. Unknown names are passed over.
func (s *Set) Mentioned(text string) []*Skill { panic("not implemented") }

// Shadowed returns the skills that lost their name, sorted by name and path.
func (s *Set) Shadowed() []Shadow { panic("not implemented") }

// IndexProblems returns the faults found while indexing, sorted.
func (s *Set) IndexProblems() []metadata.Problem { panic("not implemented") }

// Problems decodes every skill and returns all faults, those of the index
// too, sorted and without doubles; two skills with one key are one of them.
// The error is that of ctx.
func (s *Set) Problems(ctx context.Context) ([]metadata.Problem, error) { panic("not implemented") }

// A NotFoundError reports a skill that is not in a set.
type NotFoundError struct {
	Name    string
	Similar []string // names that are close to it, the closest first
}

func (e *NotFoundError) Error() string { panic("not implemented") }
