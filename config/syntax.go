package config

import (
	"bytes"
	"sort"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/matrix-nexus/skillkit/internal/yamlerr"
	"github.com/matrix-nexus/skillkit/metadata"
)

// A SyntaxError reports a file in which nothing can be read, or in which
// [SetEnv] cannot change anything.
type SyntaxError struct {
	File string // as passed to [Parse]
	// Pos is zero only for a file that is too large. Its column is that of
	// the first character of the line where no better one is known.
	Pos metadata.Position
	Msg string // lower case, no final period, without values of the file
}

func (e *SyntaxError) Error() string {
	return metadata.Problem{File: e.File, Position: e.Pos, Message: e.Msg}.String()
}

// syntaxError turns an error of yaml.v3 into one of ours.
func syntaxError(file string, data []byte, err error) *SyntaxError {
	line, msg := yamlerr.Split(err)
	switch {
	case strings.HasPrefix(msg, "unknown anchor '"):
		// The name of the anchor may be the secret.
		name := strings.TrimSuffix(strings.TrimPrefix(msg, "unknown anchor '"), "' referenced")
		at := max(bytes.Index(data, []byte("*"+name)), 0)
		return &SyntaxError{file, position(data, at), "a value that starts with * is an alias in YAML; quote it"}
	case msg == "control characters are not allowed":
		return &SyntaxError{file, position(data, firstControl(data)), "not YAML: " + msg}
	case msg == "did not find expected key" || msg == "did not find expected '-' indicator":
		// What is named is the start of the block. The fault is where the file
		// must be cut for it to vanish.
		line = sort.Search(bytes.Count(data, []byte("\n")), func(n int) bool {
			err := yaml.Unmarshal(data[:lineStart(data, n+2)], new(yaml.Node))
			return err != nil && strings.HasSuffix(err.Error(), msg)
		}) + 1
	}
	at := lineStart(data, line)
	for at < len(data) && data[at] == ' ' {
		at++
	}
	return &SyntaxError{file, position(data, at), "not YAML: " + msg}
}

// lineStart returns the offset of a line, counted from 1, or len(data) if
// there are fewer.
func lineStart(data []byte, line int) int {
	at := 0
	for range line - 1 {
		next := bytes.IndexByte(data[at:], '\n')
		if next < 0 {
			return len(data)
		}
		at += next + 1
	}
	return at
}

// position returns the place of the byte at offset.
func position(data []byte, offset int) metadata.Position {
	head := data[:offset]
	start := bytes.LastIndexByte(head, '\n') + 1
	return metadata.Position{Line: bytes.Count(head, []byte("\n")) + 1, Column: utf8.RuneCount(head[start:]) + 1}
}

// firstInvalid returns the offset of the first byte that is not UTF-8.
func firstInvalid(data []byte) int {
	at := 0
	for at < len(data) {
		r, n := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	return at
}

// firstControl returns the offset of the first character that YAML refuses.
func firstControl(data []byte) int {
	return max(0, bytes.IndexFunc(data, func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r >= 0x7f && r < 0xa0 && r != 0x85 || r == 0xfffe || r == 0xffff
	}))
}
