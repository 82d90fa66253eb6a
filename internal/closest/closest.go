// Package closest finds what somebody most likely meant who wrote a name that
// does not exist.
package closest

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

const (
	// most is how many names are suggested.
	most = 3
	// maxLen is the length in bytes of the longest name that is compared: the
	// time it takes grows with the square.
	maxLen = 256
	// minPart is the length in bytes from which on name may be a part of what
	// was meant.
	minPart = 3
)

// Names returns the at most three of known that are closest to name, the
// closest first: those with few letters amiss, and those that name is a part
// of. Case, hyphens, underscores and blanks make no difference.
func Names(name string, known []string) []string {
	want := fold(name)
	if len(want) > maxLen {
		return nil
	}
	type match struct {
		name     string
		distance int
	}
	var found []match
	limit := min(max(1, len(want)/3), len(want)-1)
	for _, k := range known {
		have := fold(k)
		if len(have) > maxLen {
			continue
		}
		part := len(want) >= minPart && strings.Contains(have, want)
		if diff := len(have) - len(want); !part && max(diff, -diff) > limit {
			continue
		}
		if d := distance(want, have); part || d <= limit {
			found = append(found, match{k, d})
		}
	}
	slices.SortFunc(found, func(a, b match) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.name, b.name))
	})
	var names []string
	for _, m := range found[:min(len(found), most)] {
		names = append(names, m.name)
	}
	return names
}

// fold returns the form in which names are compared.
func fold(name string) string {
	return strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(norm.NFC.String(name)))
}

// distance returns how many bytes have to be inserted, removed or replaced to
// turn a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
