package converter

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/matrix-nexus/skillkit/internal/line"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/registry"
	"github.com/matrix-nexus/skillkit/skills"
)

// Options configure the functions of this package. The zero Options, like a
// nil *Options, mean the defaults.
type Options struct {
	// Status says whether a skill is offered and what it lacks here. It is
	// asked when tools, prompt and catalogue are made and again at each call,
	// from several goroutines at once. Nil means that every skill is offered
	// and nothing is known about what it lacks.
	Status func(*skills.Skill) Status

	// ExecTool is the name of the agent's tool that runs commands, for the
	// hints. Empty means "exec".
	ExecTool string

	// Materialize returns a real folder that holds the files of a skill that
	// is not on disk. It is asked only when the path is needed, and may be
	// asked again. Nil means that such a skill's files are to be had through
	// its tool alone.
	Materialize func(*skills.Skill) (dir string, err error)

	// TokenBudget is the size of a [Catalogue] in estimated tokens: four
	// ASCII characters, or one other code point, count as one. Zero or
	// negative means no limit.
	TokenBudget int
}

// A Status says whether a skill can run here. The zero Status says nothing.
type Status struct {
	// Hidden is why the skill is not offered to a model, such as "disabled in
	// the configuration"; empty means that it is offered.
	Hidden string
	// Ready means that all that the skill requires was found.
	Ready bool
	// Missing names what the skill requires and does not find here, such as
	// "program jq". A skill that misses something is offered all the same.
	Missing []string
	// Remedies say how to get what is missing, such as the label or the
	// command of a recipe, in no particular relation to Missing.
	Remedies []string
	// Python is the interpreter for which the Python packages of the skill are
	// installed, where a plain "python3" does not see them. Empty means that
	// there is nothing to say.
	Python string
}

// A NotOfferedError says why a skill is not offered to a model.
type NotOfferedError struct {
	Skill  string
	Reason string
	Err    error // why the manifest cannot be read, or nil

	fault bool // the skill is at fault, rather than left out by a setting
}

func (e *NotOfferedError) Error() string {
	return fmt.Sprintf("skill %q is not offered: %s", e.Skill, e.Reason)
}

// Unwrap returns e.Err.
func (e *NotOfferedError) Unwrap() error { return e.Err }

// Codes of the problems of [Defs] and [Def].
const (
	CodeNotOffered   = "not-offered"   // a skill that no setting hides has no tool
	CodeBadParameter = "bad-parameter" // a declared parameter was not taken as it stands
)

// withDefaults returns a copy of o in which nothing is left to default.
func (o *Options) withDefaults() *Options {
	var c Options
	if o != nil {
		c = *o
	}
	c.ExecTool = cmp.Or(c.ExecTool, "exec")
	return &c
}

func (o *Options) status(s *skills.Skill) Status {
	if o.Status == nil {
		return Status{}
	}
	return o.Status(s)
}

// admit returns the manifest of s, or a *NotOfferedError when s is for no
// model at all. What it admits may still lack the description of a tool.
func (o *Options) admit(s *skills.Skill) (*metadata.Manifest, error) {
	if st := o.status(s); st.Hidden != "" {
		return nil, &NotOfferedError{Skill: s.Name, Reason: st.Hidden}
	}
	m, err := s.Manifest()
	if err != nil {
		return nil, &NotOfferedError{Skill: s.Name, Reason: "its manifest cannot be read: " + err.Error(), Err: err, fault: true}
	}
	if m.DisableModelInvocation {
		return nil, &NotOfferedError{Skill: s.Name, Reason: "it sets disable-model-invocation"}
	}
	return m, nil
}

// A candidate is a skill of a set, with its manifest or why it is not offered.
type candidate struct {
	*skills.Skill
	manifest *metadata.Manifest
	err      error
}

// candidates decodes the headers of set, which is all that tools, prompt and
// catalogue need of a skill that nobody called; on several processors, since
// that is where the time of a large set goes.
func (o *Options) candidates(set *skills.Set) []candidate {
	list := make([]candidate, 0, set.Len())
	for s := range set.All() {
		list = append(list, candidate{Skill: s})
	}
	const chunk = 64 // skills; fewer are not worth a goroutine
	var wg sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for part := range slices.Chunk(list, chunk) {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			for i := range part {
				part[i].manifest, part[i].err = o.admit(part[i].Skill)
			}
		})
	}
	wg.Wait()
	// A skill can be named as the tool of another one is. That costs the later
	// of them, not the registration of all.
	taken := make(map[string]string, len(list)) // name for models → skill
	for i := range list {
		c := &list[i]
		if c.err != nil {
			continue
		}
		name := registry.ModelName(c.Name)
		if other, ok := taken[name]; ok {
			c.err = &NotOfferedError{Skill: c.Name, Reason: fmt.Sprintf("the tool of skill %q is called %s too; rename one of them", other, name), fault: true}
			continue
		}
		taken[name] = c.Name
	}
	return list
}

// Defs returns the definitions of the tools of set, in order of name, no two of
// which have one name for models. Skills that [Status] hides, that set
// disable-model-invocation, that have no description, no readable manifest or
// the name of the tool of an earlier one are left out; the last three are
// problems, as are declared parameters that make no schema.
//
// It decodes every header, in parallel, and reads no body and no folder.
func Defs(set *skills.Set, opts *Options) ([]registry.Def, []metadata.Problem) {
	o := opts.withDefaults()
	var defs []registry.Def
	var problems []metadata.Problem
	for _, c := range o.candidates(set) {
		d, p, err := o.def(c)
		problems = append(problems, p...)
		if err == nil {
			defs = append(defs, d)
		} else if e, ok := errors.AsType[*NotOfferedError](err); ok && e.fault {
			problems = append(problems, metadata.Problem{
				Code: CodeNotOffered, Severity: metadata.Warning, File: c.Path(), Message: err.Error(),
			})
		}
	}
	return defs, problems
}

// Def returns the definition of the tool of s, with the problems of its
// declared parameters. The error is a [*NotOfferedError].
func Def(s *skills.Skill, opts *Options) (registry.Def, []metadata.Problem, error) {
	o := opts.withDefaults()
	m, err := o.admit(s)
	return o.def(candidate{s, m, err})
}

func (o *Options) def(c candidate) (registry.Def, []metadata.Problem, error) {
	if c.err != nil {
		return registry.Def{}, nil, c.err
	}
	description := line.Fold(c.manifest.Description)
	if description == "" {
		return registry.Def{}, nil, &NotOfferedError{Skill: c.Name, Reason: "it has no description; add one that says when to use it", fault: true}
	}
	schema, fileParam, problems := schemaOf(c)
	t := &tool{Skill: c.Skill, opts: o, fileParam: fileParam}
	return registry.Def{
		Name:          c.Name,
		Description:   description,
		Schema:        schema,
		TextParam:     argumentsParam,
		IgnoreBadArgs: true,
		Invoke:        t.invoke,
	}, problems, nil
}

// Mentioned returns the skills of set that text names as $name, each once, in
// the order of the text, without those that [Status] hides. A skill that sets
// disable-model-invocation is among them: it is the user who asked.
func Mentioned(set *skills.Set, text string, opts *Options) []*skills.Skill {
	o := opts.withDefaults()
	return slices.DeleteFunc(set.Mentioned(text), func(s *skills.Skill) bool {
		return o.status(s).Hidden != ""
	})
}

// A tool answers the calls of a skill's tool.
type tool struct {
	*skills.Skill
	opts      *Options
	fileParam string
}

// invoke answers with instructions or a file. All that can go wrong is for
// the model to read; only the end of ctx is an error.
func (t *tool) invoke(ctx context.Context, call *registry.Call) (registry.Result, error) {
	if err := ctx.Err(); err != nil {
		return registry.Result{}, err
	}
	var args map[string]json.RawMessage
	// The registry sends an object; of anything else there are no arguments.
	_ = json.Unmarshal(call.Arguments, &args)
	file := text(args[t.fileParam])
	delete(args, t.fileParam)

	answer, err := "", error(nil)
	if file != "" {
		answer, err = t.file(file)
	} else {
		answer, err = t.instructions(args, call.Ignored)
	}
	if err != nil {
		return registry.Result{Text: err.Error(), IsError: true}, nil
	}
	return registry.Result{Text: answer}, nil
}
