package check

import (
	"strconv"
	"strings"

	"github.com/matrix-nexus/skillkit/internal/closest"
	"github.com/matrix-nexus/skillkit/internal/line"
)

// maxShown is the number of code points of a skill's text that a message shows.
const maxShown = 60

// clip returns s cut to [maxShown], for %q.
func clip(s string) string { return line.Cut(s, maxShown) }

// short returns what %q makes of [clip], for %s.
func short(s string) string { return strconv.Quote(clip(s)) }

// clipReason returns the text of an error, in which text of a skill may stand, on
// one line and cut.
func clipReason(s string) string { return line.Cut(line.Fold(s), 160) }

// meant returns "; did you mean x?" for a value that is close to a known one,
// else a list of those.
func meant(value string, known []string) string {
	if near := closest.Names(value, known); len(near) > 0 {
		return "; did you mean " + near[0] + "?"
	}
	return "; there are " + strings.Join(known, ", ")
}
