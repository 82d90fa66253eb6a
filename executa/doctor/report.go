package doctor

import (
	"fmt"
	"regexp"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/matrix-nexus/skillkit/check"
	"github.com/matrix-nexus/skillkit/internal/line"
)

// A Report is what [Run] found. docs/plugin-report.schema.json describes its JSON,
// in which no member is ever renamed or removed.
type Report struct {
	// Schema is "skillkit.plugin-report/1".
	Schema string `json:"schema"`
	// Plugin is the id of the plugin, empty if nothing names it.
	Plugin string `json:"plugin"`
	// Works tells that no check has found a fault.
	Works bool `json:"works"`
	// Protocol is the version that was negotiated, empty if none was.
	Protocol string `json:"protocol"`
	// Tools are the names of its tools as it describes them.
	Tools []string `json:"tools"`
	// Checks are all checks, in the order of the package documentation.
	Checks []Check `json:"checks"`
	// Stderr is the end of what it wrote to standard error, without credentials.
	Stderr string `json:"stderr"`
}

const schemaID = "skillkit.plugin-report/1"

// A State says what a check found.
type State string

const (
	OK     State = "ok"
	Advice State = "advice" // it works here, and would be better otherwise
	Fault  State = "fault"  // the plugin does not work, here or with another host
	// Skipped means that it could not be looked at; see [Check.Reason].
	Skipped State = "skipped"
)

// A Check is one thing that was looked at.
type Check struct {
	// ID names it, for ever.
	ID    string `json:"id"`
	State State  `json:"state"`
	// Title says what is right.
	Title string `json:"title"`
	// Evidence is what was seen, each on one line without credentials.
	Evidence []string `json:"evidence"`
	// Repair says how to mend it, empty unless State is Advice or Fault.
	Repair string `json:"repair"`
	// Reason says why it is Skipped, else it is empty.
	Reason string `json:"reason"`
	// Source is where the demand comes from.
	Source string `json:"source"`
}

// Count returns how many checks are in a state.
func (r *Report) Count(s State) (n int) {
	for _, c := range r.Checks {
		if c.State == s {
			n++
		}
	}
	return n
}

// Check returns the check of that ID, or the zero Check.
func (r *Report) Check(id string) Check {
	if i := slices.IndexFunc(r.Checks, func(c Check) bool { return c.ID == id }); i >= 0 {
		return r.Checks[i]
	}
	return Check{}
}

// Limits on evidence.
const (
	maxEvidence = 5   // lines of a check
	maxQuoted   = 240 // code points of a line
)

// A verdict is what a judge says.
type verdict struct {
	state    State
	evidence []string
	repair   string // in place of that of the check, or ""
	reason   string
}

func ok(evidence ...string) verdict     { return verdict{state: OK, evidence: evidence} }
func skipped(reason string) verdict     { return verdict{state: Skipped, reason: reason} }
func fault(evidence ...string) verdict  { return verdict{state: Fault, evidence: evidence} }
func advice(evidence ...string) verdict { return verdict{state: Advice, evidence: evidence} }

// found returns that of state if there is evidence, else that all is well.
func found(state State, evidence []string) verdict {
	if len(evidence) == 0 {
		return ok()
	}
	return verdict{state: state, evidence: evidence}
}

func (v verdict) withRepair(repair string) verdict {
	v.repair = repair
	return v
}

// clip returns evidence with a limit on its number, each on one line. Of what
// differs in ids and other numbers only, the first is shown.
func clip(evidence []string) []string {
	list := []string{}
	seen := make(map[string]bool)
	for _, text := range evidence {
		key := numbers.ReplaceAllString(text, "0")
		if seen[key] || len(list) == maxEvidence {
			continue
		}
		seen[key] = true
		list = append(list, oneLine(text))
	}
	if more := len(evidence) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("… and %d more", more))
	}
	return list
}

var numbers = regexp.MustCompile(`\b[0-9a-f]{32}\b|[0-9.]+`)

// oneLine makes what came from a plugin fit to be shown.
func oneLine(text string) string {
	const enough = maxQuoted * utf8.UTFMax * 4
	return line.Cut(line.Visible(check.Redact(text[:min(len(text), enough)]), false), maxQuoted)
}

// quote shows a line as it was seen.
func quote(data []byte) string { return oneLine(string(data[:min(len(data), 4*maxQuoted)])) }

// ms rounds a duration for people.
func ms(d time.Duration) time.Duration { return d.Round(time.Millisecond) }
