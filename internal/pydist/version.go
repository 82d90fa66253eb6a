package pydist

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Version is what PEP 440 calls a version identifier. Numbers are kept as
// digits without leading zeros, so that they may be of any size.
type Version struct {
	epoch   string
	release []string // not empty
	pre     phase    // of a, b and rc
	preN    string
	post    string // empty if there is none, as dev
	dev     string
	local   []string // in lower case
}

// A phase is the letter of a pre-release, in the order of the releases.
type phase int

const (
	noPhase phase = iota
	alpha
	beta
	candidate
)

// ParseVersion reads a version in any of the spellings that PEP 440 allows. ok
// is false for text that is not one.
func ParseVersion(s string) (v Version, ok bool) {
	if strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return Version{}, false // some of these are ASCII letters in lower case
	}
	p := parser{strings.ToLower(strings.TrimSpace(s))}
	p.skip("v")
	v.epoch = "0"
	n, ok := p.number()
	if !ok {
		return Version{}, false
	}
	if p.skip("!") {
		v.epoch = n
		if n, ok = p.number(); !ok {
			return Version{}, false
		}
	}
	v.release = []string{n}
	for {
		rest := p
		if !rest.skip(".") {
			break
		}
		if n, ok = rest.number(); !ok {
			break
		}
		v.release = append(v.release, n)
		p = rest
	}

	// A name comes before those that it begins with.
	switch word := p.suffix(&v.preN, "alpha", "a", "beta", "b", "preview", "pre", "rc", "c"); word {
	case "":
	case "alpha", "a":
		v.pre = alpha
	case "beta", "b":
		v.pre = beta
	default:
		v.pre = candidate
	}
	if rest := p; rest.skip("-") {
		if n, ok := rest.number(); ok { // 1.0-1 is 1.0.post1
			v.post, p = n, rest
		}
	}
	if v.post == "" {
		p.suffix(&v.post, "post", "rev", "r")
	}
	p.suffix(&v.dev, "dev")

	if p.skip("+") {
		for {
			part := p.take(func(c byte) bool { return isDigit(c) || 'a' <= c && c <= 'z' })
			if part == "" {
				return Version{}, false
			}
			if isNumber(part) {
				part = trimZeros(part)
			}
			v.local = append(v.local, part)
			if !p.separator() {
				break
			}
		}
	}
	if p.rest != "" {
		return Version{}, false
	}
	return v, true
}

// A parser holds the part of a version that was not read yet.
type parser struct{ rest string }

func (p *parser) skip(prefix string) bool {
	rest, ok := strings.CutPrefix(p.rest, prefix)
	p.rest = rest
	return ok
}

func (p *parser) separator() bool { return p.skip(".") || p.skip("-") || p.skip("_") }

func (p *parser) take(match func(byte) bool) string {
	n := 0
	for n < len(p.rest) && match(p.rest[n]) {
		n++
	}
	text := p.rest[:n]
	p.rest = p.rest[n:]
	return text
}

func (p *parser) number() (n string, ok bool) {
	digits := p.take(isDigit)
	return trimZeros(digits), digits != ""
}

// suffix reads one of words with an optional separator on each side and a
// number behind, which is 0 if there is none. It returns the word, or "" and
// reads nothing.
func (p *parser) suffix(number *string, words ...string) string {
	rest := *p
	rest.separator()
	for _, word := range words {
		if rest.skip(word) {
			rest.separator()
			*number, _ = rest.number()
			*p = rest
			return word
		}
	}
	return ""
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isNumber(s string) bool { return strings.Trim(s, "0123456789") == "" }

// trimZeros makes a number of digits; none are 0.
func trimZeros(digits string) string {
	return cmp.Or(strings.TrimLeft(digits, "0"), "0")
}

// Compare orders versions as PEP 440 does, the older first.
func (v Version) Compare(w Version) int {
	return cmp.Or(
		compareNumber(v.epoch, w.epoch),
		v.compareRelease(w, max(len(v.release), len(w.release))),
		cmp.Compare(v.stage(), w.stage()),
		compareNumber(v.preN, w.preN),
		compareNumber(v.post, w.post), // no post-release is shorter than any, and older
		v.compareDev(w),
		slices.CompareFunc(v.local, w.local, compareLocal),
	)
}

// compareRelease compares the first n numbers of the releases, of which those
// that are not there are 0.
func (v Version) compareRelease(w Version, n int) int {
	at := func(release []string, i int) string {
		if i < len(release) {
			return release[i]
		}
		return "0"
	}
	for i := range n {
		if c := compareNumber(at(v.release, i), at(w.release, i)); c != 0 {
			return c
		}
	}
	return 0
}

// stage returns what the pre-release segment sorts by: a development release
// of a release comes before all pre-releases of it, the release after them.
func (v Version) stage() phase {
	if v.pre == noPhase && (v.dev == "" || v.post != "") {
		return candidate + 1
	}
	return v.pre
}

func (v Version) compareDev(w Version) int {
	switch {
	case v.dev == "" && w.dev != "":
		return 1
	case v.dev != "" && w.dev == "":
		return -1
	}
	return compareNumber(v.dev, w.dev)
}

func compareNumber(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

// compareLocal compares segments of local versions: words come before numbers.
func compareLocal(a, b string) int {
	switch x, y := isNumber(a), isNumber(b); {
	case x && y:
		return compareNumber(a, b)
	case x:
		return 1
	case y:
		return -1
	}
	return cmp.Compare(a, b)
}

func (v Version) isPre() bool { return v.pre != noPhase || v.dev != "" }

// public returns v without its local segment.
func (v Version) public() Version {
	v.local = nil
	return v
}

// sameRelease reports whether v and w are of one release, whatever follows it.
func (v Version) sameRelease(w Version) bool {
	return v.epoch == w.epoch && v.compareRelease(w, max(len(v.release), len(w.release))) == 0
}
