package check

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The runs that hide text: a pair of variation selectors has no meaning, and
// eight characters without width can hold a byte.
const (
	minSelectors = 2
	minZeroWidth = 8
)

// character looks at a character that is not printable ASCII.
func (s *scanner) character(r rune, at int) {
	switch {
	case r < ' ' || 0x7f <= r && r <= 0x9f:
		s.control(r, at)
	case latinLike(r) != 0:
		s.homoglyph(at)
	case r == utf8.RuneError:
		if strings.HasPrefix(s.text[at:], "\ufffd") {
			s.reportOnce("replacement-character", at, at+3, "U+FFFD stands where a character was lost; restore it and save the file as UTF-8")
		}
	case 0xe0000 <= r && r <= 0xe007f:
		s.tags(at)
	case isSelector(r):
		s.selectors(at)
	case isBidi(r):
		s.bidi(r, at)
	case isZeroWidth(r):
		s.zeroWidth(r, at)
	}
}

// extent returns the end of the run of characters at an offset for which is
// holds, their number, and keeps the scan from looking at them again.
func (s *scanner) extent(at int, is func(rune) bool) (end, n int) {
	end = at
	for end < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[end:])
		if !is(r) {
			break
		}
		end += size
		n++
	}
	s.skip = end
	return end, n
}

// before and after return the characters around an offset, or 0.
func (s *scanner) before(at int) rune {
	r, n := utf8.DecodeLastRuneInString(s.text[:at])
	if n == 0 {
		return 0
	}
	return r
}

func (s *scanner) after(at int) rune {
	r, n := utf8.DecodeRuneInString(s.text[at:])
	if n == 0 {
		return 0
	}
	return r
}

func (s *scanner) tags(at int) {
	end, _ := s.extent(at, func(r rune) bool { return 0xe0000 <= r && r <= 0xe007f })
	var text strings.Builder
	for _, r := range s.text[at:end] {
		if c := r - 0xe0000; ' ' <= c && c < 0x7f {
			text.WriteRune(c)
		}
	}
	if s.before(at) == '🏴' && strings.HasSuffix(s.text[at:end], "\U000E007F") && isSubdivision(text.String()) {
		return
	}
	s.report("hidden-text", at, end, "tag characters hide text that a model reads: %q; delete them", clip(text.String()))
}

// isSubdivision reports whether tag names a part of a country, for its flag: the
// code of the country and up to four characters.
func isSubdivision(tag string) bool {
	if len(tag) < 3 || len(tag) > 6 {
		return false
	}
	for i := range len(tag) {
		if c := tag[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

func isSelector(r rune) bool { return 0xfe00 <= r && r <= 0xfe0f || 0xe0100 <= r && r <= 0xe01ef }

// selectors looks at a run of variation selectors: each can hold a byte.
func (s *scanner) selectors(at int) {
	end, n := s.extent(at, isSelector)
	if n < minSelectors {
		return
	}
	var text strings.Builder
	for _, r := range s.text[at:end] {
		if r >= 0xe0100 {
			text.WriteByte(byte(r - 0xe0100 + 16))
		} else {
			text.WriteByte(byte(r - 0xfe00))
		}
	}
	s.report("hidden-text", at, end, "%d variation selectors in a row can hide text, here %q; delete them", n, clip(text.String()))
}

func isBidi(r rune) bool { return 0x202a <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069 }

func (s *scanner) bidi(r rune, at int) {
	const popEmbedding, popIsolate = 0x202c, 0x2069
	if r == popEmbedding || r == popIsolate {
		return // the end of one that is told, or of nothing
	}
	if s.isFull("bidi-control") {
		s.counts["bidi-control"]++
		return
	}
	override := r == 0x202d || r == 0x202e
	line := s.lineAt(at)
	if !override && strings.ContainsFunc(s.text[line.start:line.end], isRightToLeft) {
		return
	}
	s.report("bidi-control", at, at+utf8.RuneLen(r), "%U changes the order in which the text is shown; delete it", r)
}

func isRightToLeft(r rune) bool {
	return unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko)
}

func isZeroWidth(r rune) bool {
	switch r {
	case 0x200b, 0x200c, 0x200d, 0x2060, 0x2061, 0x2062, 0x2063, 0x2064, 0xfeff, 0x180e, 0x115f, 0x1160, 0x3164, 0xffa0:
		return true
	}
	return false
}

func (s *scanner) zeroWidth(r rune, at int) {
	if at == 0 && r == 0xfeff {
		return // the mark at the start of a file
	}
	end, n := s.extent(at, isZeroWidth)
	if n >= minZeroWidth {
		s.report("hidden-text", at, end, "%d characters without width in a row can hide text; delete them", n)
		return
	}
	before, after := s.before(at), s.after(end)
	switch {
	case n == 1 && r == 0x200d && (isPictograph(before) || isPictograph(after)):
		return
	case n == 1 && (r == 0x200c || r == 0x200d || r == 0x200b) && (needsJoiners(before) || needsJoiners(after)):
		return
	case r == 0x1160 || r == 0x115f:
		if unicode.Is(unicode.Hangul, before) || unicode.Is(unicode.Hangul, after) {
			return
		}
	}
	s.reportOnce("zero-width", at, end, "%U has no width and splits the word; delete it", r)
}

// isPictograph reports whether r is a part of emoji that joiners connect.
func isPictograph(r rune) bool {
	return 0x1f000 <= r && r <= 0x1faff || 0x2190 <= r && r <= 0x2bff || 0xfe00 <= r && r <= 0xfe0f || 0xe0020 <= r && r <= 0xe007f
}

// needsJoiners reports whether r is of a script in which joiners, or spaces without
// width between words, are spelling: all but those of Europe and East Asia.
func needsJoiners(r rune) bool {
	return r >= 0x0590 && r != 0x200b && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)) &&
		!unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

func (s *scanner) control(r rune, at int) {
	switch {
	case r == 0: // such a file is not read
	case r == '\f' || r == '\v' || r == 0x85: // ends of pages and lines, of old
	case r == 0x1b:
		s.reportOnce("control-character", at, at+1, "an escape makes a terminal hide or move text; delete it, or write \\x1b in code")
	default:
		s.reportOnce("control-character", at, at+utf8.RuneLen(r), "%U is a control character; delete it", r)
	}
}

// The letters that look like Latin ones, in order. Small Greek letters but
// omicron are left out, for they stand alone in formulas.
const (
	oddLetters   = "АВЕЅІЈКМНОРСТУХаеѕіјорсухԁԛԝһӏΑΒΕΖΗΙΚΜΝΟΡΤΥΧο"
	latinLetters = "ABESIJKMHOPCTYXaesijopcyxdqwhlABEZHIKMNOPTYXo"
)

// firstOdd is the first of the letters of Greek and Cyrillic.
const firstOdd = 0x0370

// latinTable holds the Latin letter that each of them looks like.
var latinTable = func() (t [0x0530 - firstOdd]byte) {
	i := 0
	for _, r := range oddLetters {
		t[r-firstOdd] = latinLetters[i]
		i++
	}
	return t
}()

// latinLike returns the Latin letter that r looks like, or 0.
func latinLike(r rune) rune {
	if r < firstOdd || int(r-firstOdd) >= len(latinTable) {
		return 0
	}
	return rune(latinTable[r-firstOdd])
}

// homoglyph looks at the word around a letter that looks like a Latin one.
func (s *scanner) homoglyph(at int) {
	start, end := at, at
	for start > 0 {
		r, n := utf8.DecodeLastRuneInString(s.text[:start])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' {
			break
		}
		start -= n
	}
	end, _ = s.extent(at, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' })
	word := s.text[start:end]
	var plain strings.Builder
	latin, odd, last := 0, 0, 0
	var found rune
	for i, r := range word {
		switch as := latinLike(r); {
		case r < utf8.RuneSelf:
			if unicode.IsLetter(r) {
				latin, last = latin+1, i
			}
			plain.WriteRune(r)
		case as == 0:
			return // a word of another script
		default:
			if odd++; odd == 1 {
				found, at = r, start+i
			}
			plain.WriteRune(as)
		}
	}
	// A Latin word with an ending of another language, such as "PDFа", is
	// spelling.
	if latin < 2 || latin < odd || start+last < at || !s.isCode(start) {
		return
	}
	s.report("homoglyph", start, end, "%q is not %q: %q (%U) only looks Latin; type the word again", clip(word), clip(plain.String()), found, found)
}

// isCode reports whether the offset is in code, or in what names things in
// the frontmatter.
func (s *scanner) isCode(at int) bool {
	switch {
	case s.kind != prose:
		return true
	case s.inFence(at) || s.inCodeSpan(at):
		return true
	}
	if at >= s.body {
		return false
	}
	line := s.text[s.lineAt(at).start:at]
	return strings.HasPrefix(line, "name:") || strings.Contains(line, `"bins"`) || strings.Contains(line, "skill_key")
}
