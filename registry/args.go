package registry

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/matrix-nexus/skillkit/internal/jsonrpc"
)

// wrapper is the only parameter that langchaingo's OpenAIFunctionsAgent offers
// a model, whatever the tool. The agent takes it off again, but only where it
// holds a string.
const wrapper = "__arg1"

const (
	// maxIssues is how many issues of one call are reported.
	maxIssues = 20
	// maxExponent bounds the numbers in arguments, since checking one costs
	// memory by its exponent. A float64 ends at 308.
	maxExponent = 400
)

// A fault is an issue with the place of it.
type fault struct {
	at []string // the names and indexes that lead to the value at fault
	// remove are the members of the value that are at fault, rather than the
	// value itself.
	remove []string
	Issue
}

// decodeArgs makes an object of whatever a model or an agent sent: an object,
// nothing, the wrapper around either, or plain text for the parameter
// textParam. The fault is what is wrong with it; then the object is empty.
func decodeArgs(raw, textParam string, unwrap bool) (map[string]any, *fault) {
	text := strings.TrimSpace(strings.ToValidUTF8(raw, "\uFFFD"))
	if text == "" {
		return map[string]any{}, nil
	}
	if v, ok := jsonrpc.Value([]byte(text)); ok {
		switch v := v.(type) {
		case nil:
			return map[string]any{}, nil
		case string:
			return decodeArgs(v, textParam, unwrap)
		case map[string]any:
			inner, ok := v[wrapper]
			if !unwrap || !ok || len(v) > 1 {
				return v, nil
			}
			return decodeArgs(string(canonical(inner)), textParam, false)
		}
	}
	switch {
	case strings.HasPrefix(text, "{"):
		return map[string]any{}, &fault{Issue: Issue{Rule: "json", Message: "arguments start like a JSON object but are not valid JSON"}}
	case textParam == "":
		return map[string]any{}, &fault{Issue: Issue{Rule: "type", Message: "arguments must be a JSON object"}}
	}
	return map[string]any{textParam: text}, nil
}

// fit returns what is wrong with args. If lenient, it first takes the members
// at fault out of args, and what it returns is all that was wrong.
func (s *schema) fit(args map[string]any, lenient bool) []fault {
	faults := s.faults(args)
	if !lenient {
		return faults
	}
	all := faults
	for remove(args, faults) {
		faults = s.faults(args)
		for _, f := range faults {
			if f.ofMember() { // else it may be due to what was removed
				all = append(all, f)
			}
		}
	}
	if slices.ContainsFunc(faults, fault.ofMember) { // deeper than its place says
		clear(args)
	}
	return all
}

// ofMember reports whether f can go away with a member of the arguments. A
// missing one cannot.
func (f fault) ofMember() bool { return len(f.at)+len(f.remove) > 0 }

// remove takes the members at fault out of args and reports whether it did.
func remove(args map[string]any, faults []fault) bool {
	n := len(args)
	for _, f := range faults {
		if len(f.at) > 0 {
			delete(args, f.at[0])
			continue
		}
		for _, name := range f.remove {
			delete(args, name)
		}
	}
	return len(args) < n
}

// faults returns all that is wrong with args, sorted.
func (s *schema) faults(args map[string]any) []fault {
	faults := numberFaults(nil, args, nil)
	if len(faults) == 0 && s.check != nil && (s.plain == nil || !s.plain.fits(args)) {
		if s.refers && (effort{}).of(s.check, newNode(args)) > maxEffort {
			return []fault{{Issue: Issue{Rule: "schema", Message: "arguments take too many steps to check; send fewer or flatter ones"}}}
		}
		faults = validate(s.check, args)
	}
	slices.SortFunc(faults, func(a, b fault) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Message, b.Message))
	})
	return faults
}

func validate(s *jsonschema.Schema, args map[string]any) (faults []fault) {
	defer func() { // a checker that breaks is no reason to let arguments pass
		if recover() != nil {
			faults = []fault{{Issue: Issue{Rule: "schema", Message: "arguments cannot be checked"}}}
		}
	}()
	if e, ok := errors.AsType[*jsonschema.ValidationError](s.Validate(args)); ok {
		return leaves(e, nil)
	}
	return nil
}

// leaves appends what is at the bottom of e: which branch of an anyOf failed
// for what reason says nothing to a model.
func leaves(e *jsonschema.ValidationError, to []fault) []fault {
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf, *kind.Not, *kind.Contains, *kind.PropertyNames:
	default:
		if len(e.Causes) > 0 {
			for _, c := range e.Causes {
				to = leaves(c, to)
			}
			return to
		}
	}
	if k, ok := e.ErrorKind.(*kind.AdditionalProperties); ok {
		slices.Sort(k.Properties) // they come from a map
	}
	f := fault{at: e.InstanceLocation}
	f.Path = pointer(f.at)
	f.Rule = "schema"
	f.Message = message(e.ErrorKind)
	if p := e.ErrorKind.KeywordPath(); len(p) > 0 {
		f.Rule = p[0]
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Not:
		f.Rule = "not"
	case *kind.AdditionalProperties:
		f.remove = k.Properties
	case *kind.PropertyNames:
		// The library writes other places over this one.
		f.at, f.Path = nil, ""
		f.remove = []string{k.Property}
	}
	return append(to, f)
}

// message says what the schema wants. It never says what was sent.
func message(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return "must be of type " + strings.Join(k.Want, " or ") + ", not " + k.Got
	case *kind.Enum:
		return "must be one of " + wanted(k.Want)
	case *kind.Const:
		return "must be " + wanted([]any{k.Want})
	case *kind.Required:
		return "needs " + names(k.Missing)
	case *kind.AdditionalProperties:
		return "takes no " + names(k.Properties)
	case *kind.PropertyNames:
		return "a member must not be called " + names([]string{k.Property})
	case *kind.Dependency:
		return "needs " + names(k.Missing) + " beside " + strconv.Quote(k.Prop)
	case *kind.DependentRequired:
		return "needs " + names(k.Missing) + " beside " + strconv.Quote(k.Prop)
	case *kind.Format:
		return "must be a valid " + k.Want
	case *kind.Pattern:
		return "must match the pattern " + k.Want
	case *kind.MinLength:
		return fmt.Sprintf("must have at least %d characters", k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("must have at most %d characters", k.Want)
	case *kind.MinItems:
		return fmt.Sprintf("must have at least %d items", k.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("must have at most %d items", k.Want)
	case *kind.MinProperties:
		return fmt.Sprintf("must have at least %d members", k.Want)
	case *kind.MaxProperties:
		return fmt.Sprintf("must have at most %d members", k.Want)
	case *kind.UniqueItems:
		return "must not have equal items"
	case *kind.Minimum:
		return "must be at least " + k.Want.RatString()
	case *kind.Maximum:
		return "must be at most " + k.Want.RatString()
	case *kind.ExclusiveMinimum:
		return "must be more than " + k.Want.RatString()
	case *kind.ExclusiveMaximum:
		return "must be less than " + k.Want.RatString()
	case *kind.MultipleOf:
		return "must be a multiple of " + k.Want.RatString()
	case *kind.AnyOf, *kind.OneOf:
		return "does not fit exactly what is allowed here"
	}
	return "is not allowed"
}

func wanted(values []any) string {
	list := make([]string, min(len(values), maxNamed))
	for i := range list {
		list[i] = oneLine(string(canonical(values[i])), 100)
	}
	return strings.Join(list, ", ") + more(len(values))
}

func names(list []string) string {
	quoted := make([]string, min(len(list), maxNamed))
	for i := range quoted {
		quoted[i] = strconv.Quote(oneLine(list[i], 100))
	}
	return strings.Join(quoted, ", ") + more(len(list))
}

func more(n int) string {
	if n <= maxNamed {
		return ""
	}
	return fmt.Sprintf(" and %d more", n-maxNamed)
}

// numberFaults appends a fault for each number in v that is out of range.
func numberFaults(at []string, v any, to []fault) []fault {
	switch v := v.(type) {
	case map[string]any:
		for key, e := range v {
			if _, text := e.(string); !text { // most are
				to = numberFaults(append(at, key), e, to)
			}
		}
	case []any:
		for i, e := range v {
			to = numberFaults(append(at, strconv.Itoa(i)), e, to)
		}
	case fmt.Stringer: // a json.Number
		if tooLarge(v.String()) {
			at := slices.Clone(at)
			to = append(to, fault{at: at, Issue: Issue{Path: pointer(at), Rule: "number", Message: "is a number out of range"}})
		}
	}
	return to
}

func tooLarge(number string) bool {
	if i := strings.IndexAny(number, "eE"); i >= 0 {
		exp, err := strconv.Atoi(number[i+1:])
		return err != nil || exp > maxExponent || exp < -maxExponent || i > math.MaxInt16
	}
	return len(number) > math.MaxInt16
}

// pointer returns the JSON Pointer of a place.
func pointer(at []string) string {
	var b strings.Builder
	for _, name := range at {
		b.WriteByte('/')
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
	}
	return b.String()
}

func issues(faults []fault) []Issue {
	list := make([]Issue, min(len(faults), maxIssues))
	for i := range list {
		list[i] = faults[i].Issue
	}
	return list
}
