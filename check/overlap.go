package check

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

const (
	// overlap is from which share of their words on, in percent, two
	// descriptions are reported: of all words in either, those in both.
	overlap = 70
	// overlapWords is how many different words a description has at least that
	// is compared: of a few words, two share most by chance.
	overlapWords = 6
	// overlapTries is with how many others a description is compared at most,
	// so that thousands from one template don't take the square of the time.
	overlapTries = 1000
)

// descriptionOverlap compares the sets of words of all descriptions. Two sets
// that share enough of them share one of their rarest: of n words, one of the
// n - overlap·n + 1 rarest. So the others are looked for by those words alone, and
// the time grows with the number of skills, not with its square.
func descriptionOverlap(p *SetPass) {
	sets := wordSets(p.Skills)
	tried := make([]int, len(sets)) // the last set that was compared to this one
	index := map[int][]int{}        // from a word to the skills with it among their rarest
	for i, f := range p.Skills {
		set := sets[i]
		if len(set) < overlapWords {
			continue
		}
		rarest := set[:len(set)-(len(set)*overlap+99)/100+1]
		j, share := nearest(i, sets, rarest, index, tried)
		if j < 0 {
			for _, w := range rarest {
				index[w] = append(index[w], i)
			}
			continue
		}
		// What is like f is like the other, too, so f need not be found.
		other := p.Skills[j]
		if f.name() == other.name() || string(f.trimmedBody()) == string(other.trimmedBody()) {
			continue // reported as a copy
		}
		p.In(f).Reportf(f.pos("description"), "the description has %d %% of its words in common with that of %s; say what is different", share, other.File)
	}
}

// nearest returns the first set found that overlaps with sets[i], and their
// share, or -1.
func nearest(i int, sets [][]int, rarest []int, index map[int][]int, tried []int) (j, share int) {
	tries := 0
	for _, w := range rarest {
		for _, k := range index[w] {
			a, b := sets[i], sets[k]
			if tried[k] == i || min(len(a), len(b))*100 < max(len(a), len(b))*overlap {
				continue
			}
			if tries++; tries > overlapTries {
				return -1, 0
			}
			tried[k] = i
			n := common(a, b)
			if share := n * 100 / (len(a) + len(b) - n); share >= overlap {
				return k, share
			}
		}
	}
	return -1, 0
}

// common returns how many elements two ascending slices share.
func common(a, b []int) (n int) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			n++
			a, b = a[1:], b[1:]
		}
	}
	return n
}

// wordSets returns the different words of each description, each word given
// by its rank among those of all: the rarest is 0.
func wordSets(skills []*Folder) [][]int {
	texts := make([][]string, len(skills))
	count := map[string]int{}
	for i, f := range skills {
		list := words(strings.ToLower(f.Doc.Manifest.Description))
		slices.Sort(list)
		texts[i] = slices.Compact(list)
		for _, w := range texts[i] {
			count[w]++
		}
	}
	all := make([]string, 0, len(count))
	for w := range count {
		all = append(all, w)
	}
	slices.SortFunc(all, func(a, b string) int {
		return cmp.Or(cmp.Compare(count[a], count[b]), cmp.Compare(a, b))
	})
	rank := make(map[string]int, len(all))
	for i, w := range all {
		rank[w] = i
	}
	sets := make([][]int, len(skills))
	for i, text := range texts {
		for _, w := range text {
			sets[i] = append(sets[i], rank[w])
		}
		slices.Sort(sets[i])
	}
	return sets
}

// words returns the words of s. Where a script writes none, each character is one.
func words(s string) []string {
	var list []string
	start := -1
	for i, r := range s {
		letter := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
		alone := letter && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
		if start >= 0 && (!letter || alone) {
			list = append(list, s[start:i])
			start = -1
		}
		if alone {
			list = append(list, string(r))
		} else if letter && start < 0 {
			start = i
		}
	}
	if start >= 0 {
		list = append(list, s[start:])
	}
	return list
}
