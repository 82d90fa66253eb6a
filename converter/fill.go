package converter

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

const (
	// baseDirMark stands in a body for the path of the skill's folder.
	baseDirMark = "{baseDir}"
	// argumentsMark stands in a body for the arguments of the call.
	argumentsMark = "$ARGUMENTS"
)

// placeholder matches what fill may replace. $12 and $ARGUMENTSX are other
// things; they match whole, so that no part of them is taken.
var placeholder = regexp.MustCompile(`\{baseDir\}|\$ARGUMENTS(?:\[\d+\]|\w+)?|\$\d+`)

// fill replaces the placeholders of body in one pass, so that nothing in a
// value is taken for a placeholder again: {baseDir} by dir, if there is one,
// and $ARGUMENTS, $ARGUMENTS[0] … and $1 … $9 by the arguments, if there are
// some and the skill expects them, having an argument hint or $ARGUMENTS in
// its body. Without that, $1 belongs to the author's shell or awk.
func fill(body, dir, arguments string, hinted bool) string {
	expand := strings.TrimSpace(arguments) != "" && (hinted || takesArguments(body))
	if !expand && (dir == "" || !strings.Contains(body, baseDirMark)) {
		return body
	}
	words := fields(arguments)
	word := func(i int) string {
		if 0 <= i && i < len(words) {
			return words[i]
		}
		return ""
	}
	return placeholder.ReplaceAllStringFunc(body, func(mark string) string {
		switch {
		case mark == baseDirMark:
			if dir != "" {
				return dir
			}
		case !expand:
		case mark == argumentsMark:
			return arguments
		case strings.HasPrefix(mark, argumentsMark+"["):
			if i, err := strconv.Atoi(mark[len(argumentsMark)+1 : len(mark)-1]); err == nil {
				return word(i)
			}
		case len(mark) == 2 && mark != "$0":
			return word(int(mark[1] - '1'))
		}
		return mark
	})
}

// takesArguments reports whether body holds $ARGUMENTS or $ARGUMENTS[0].
func takesArguments(body string) bool {
	for _, mark := range placeholder.FindAllString(body, -1) {
		if mark == argumentsMark || strings.HasPrefix(mark, argumentsMark+"[") {
			return true
		}
	}
	return false
}

// fields splits s at blanks outside single and double quotes, which it drops.
// A quote that is not closed, or that stands within a word, is a character
// like others: "don't" is one word.
func fields(s string) []string {
	var words []string
	for {
		s = strings.TrimLeftFunc(s, unicode.IsSpace)
		if s == "" {
			return words
		}
		if q := s[0]; q == '"' || q == '\'' {
			if end := strings.IndexByte(s[1:], q); end >= 0 {
				words = append(words, s[1:1+end])
				s = s[end+2:]
				continue
			}
		}
		end := strings.IndexFunc(s, unicode.IsSpace)
		if end < 0 {
			end = len(s)
		}
		words = append(words, s[:end])
		s = s[end:]
	}
}
