// Package yamlerr takes apart the syntax errors of gopkg.in/yaml.v3, which are
// text and nothing else.
package yamlerr

import (
	"strconv"
	"strings"
)

// Split returns the line, counted from 1, that err names, and what it says is
// wrong. An error without a line is of the first one.
func Split(err error) (line int, msg string) {
	msg = strings.TrimPrefix(err.Error(), "yaml: ")
	rest, ok := strings.CutPrefix(msg, "line ")
	if !ok {
		return 1, msg // the library leaves out the first line
	}
	number, rest, _ := strings.Cut(rest, ": ")
	line, err = strconv.Atoi(number)
	if err != nil {
		return 1, msg
	}
	// Of the two halves of the library, only the scanner counts from 1.
	if ofParser(rest) {
		line++
	}
	return line, rest
}

// ofParser reports whether msg is one of the library's parser, not of its
// scanner.
func ofParser(msg string) bool {
	if what, ok := strings.CutPrefix(msg, "did not find expected "); ok {
		for _, s := range []string{"<", "node content", "'-' indicator", "key", "','"} {
			if strings.HasPrefix(what, s) {
				return true
			}
		}
	}
	return strings.HasPrefix(msg, "found undefined tag handle") || strings.HasPrefix(msg, "found duplicate %")
}
