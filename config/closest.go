package config

import "strings"

// closest returns the known name that name was probably meant to be, or "". A
// slip in three letters is taken for one, more for another word. No two of the
// keys are that close to each other.
func closest(name string, known []string) string {
	name = strings.ReplaceAll(strings.ToLower(name), "-", "_")
	for _, k := range known {
		if distance(name, k) <= len(k)/3 {
			return k
		}
	}
	return ""
}

// distance is how many letters must be put in, taken out or changed to make b
// of a.
func distance(a, b string) int {
	if len(a) > 2*len(b) {
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
