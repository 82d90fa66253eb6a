package config

import "strings"

// closest returns the known name that name was probably meant to be, or "".
func closest(name string, known []string) string {
	best, least := "", 3 // more than two slips are another word
	name = fold(name)
	for _, k := range known {
		if d := distance(name, fold(k)); d < least && d < len(k)/2 {
			best, least = k, d
		}
	}
	return best
}

// fold makes apiKey, API-KEY and api_key one name.
func fold(name string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(name))
}

// distance is how many letters must be put in, taken out or changed to make b
// of a.
func distance(a, b string) int {
	if len(a) > 2*len(b)+2 {
		return len(a) // not worth counting
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
