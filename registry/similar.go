package registry

import (
	"slices"
	"strings"
)

// similar returns the at most three of the sorted names that are closest to
// name.
func similar(name string, names []string) []string {
	name = cutText(strings.ToLower(name), 2*MaxName)
	type match struct {
		name     string
		distance int
	}
	var found []match
	for _, n := range names {
		far := max(1, len(name)/3)
		if len(name) > 2 && strings.Contains(n, name) {
			far = len(n)
		}
		if max(len(n)-len(name), len(name)-len(n)) > far {
			continue // without counting
		}
		if d := distance(name, n); d <= far {
			found = append(found, match{n, d})
		}
	}
	slices.SortStableFunc(found, func(a, b match) int { return a.distance - b.distance })
	var out []string
	for _, m := range found[:min(3, len(found))] {
		out = append(out, m.name)
	}
	return out
}

// distance is the Levenshtein distance of a and b in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
