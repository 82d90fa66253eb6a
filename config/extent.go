package config

import (
	"bytes"
	"strings"

	"gopkg.in/yaml.v3"
)

// end returns where the text of n ends, of which yaml.v3 tells only the start.
// It may be wrong where an anchor or a tag stands before n on another line, or
// a block scalar has an explicit indentation.
func (e *editor) end(n *yaml.Node) int {
	at := e.offset(n)
	for !bare(n) && at < len(e.data) && (e.data[at] == '&' || e.data[at] == '!') {
		at = e.skip(e.word(at), false)
	}
	switch n.Kind {
	case yaml.MappingNode, yaml.SequenceNode:
		return e.collectionEnd(n, at)
	case yaml.AliasNode:
		return e.word(at)
	}
	switch {
	case n.Style&yaml.SingleQuotedStyle != 0:
		for at++; at < len(e.data); at++ {
			if e.data[at] == '\'' {
				if at++; at == len(e.data) || e.data[at] != '\'' {
					return at
				}
			}
		}
		return len(e.data)
	case n.Style&yaml.DoubleQuotedStyle != 0:
		for at++; at < len(e.data) && e.data[at] != '"'; at++ {
			if e.data[at] == '\\' {
				at++
			}
		}
		return min(at+1, len(e.data))
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return e.blockEnd(n, at)
	}
	return e.plainEnd(n, at)
}

func (e *editor) collectionEnd(n *yaml.Node, at int) int {
	opens := n.Style&yaml.FlowStyle != 0 && at < len(e.data) && (e.data[at] == '{' || e.data[at] == '[')
	if opens {
		at++
	}
	if len(n.Content) > 0 {
		at = e.end(n.Content[len(n.Content)-1])
	}
	for opens && at < len(e.data) {
		if c := e.data[at]; c == '}' || c == ']' {
			return at + 1
		} else if c != ',' {
			next := e.skip(at, true)
			if next == at {
				break
			}
			at = next
			continue
		}
		at++
	}
	return at
}

// plainEnd matches the text with the value, in which line breaks are folded.
func (e *editor) plainEnd(n *yaml.Node, at int) int {
	for value := []byte(n.Value); len(value) > 0; {
		if at < len(e.data) && e.data[at] == value[0] && lineBreak(e.data[at:]) == 0 {
			at, value = at+1, value[1:]
			continue
		}
		next, rest := e.skip(at, true), bytes.TrimLeft(value, " \n")
		if next == at {
			break
		}
		at, value = next, rest
	}
	return at
}

// blockEnd returns the end of the last line of a scalar that starts with | or
// >, without the blank lines below it unless they count.
func (e *editor) blockEnd(n *yaml.Node, at int) int {
	header := e.lineEnd(at)
	sign, _, _ := bytes.Cut(e.data[at:header], []byte("#"))
	keep := bytes.ContainsRune(sign, '+')
	empty := strings.Trim(n.Value, "\n") == ""
	end, indent := header, 0 // that of the first line with text
	for stop := header; ; {
		start := stop + lineBreak(e.data[stop:])
		if start >= len(e.data) {
			return end
		}
		stop = e.lineEnd(start)
		line := e.data[start:stop]
		text := bytes.TrimLeft(line, " ")
		in := len(line) - len(text)
		switch {
		case len(bytes.TrimLeft(text, "\t")) == 0:
			if keep {
				end = stop
			}
		case empty || in < indent:
			return end
		default:
			if indent == 0 {
				indent = in
			}
			end = stop
		}
	}
}

// word returns the end of an anchor, an alias or a tag.
func (e *editor) word(at int) int {
	for at < len(e.data) && !isBlank(e.data[at]) && lineBreak(e.data[at:]) == 0 && strings.IndexByte(",[]{}", e.data[at]) < 0 {
		at++
	}
	return at
}

// skip returns the end of the blanks and, with breaks, of the line breaks and
// comments from at on.
func (e *editor) skip(at int, breaks bool) int {
	for at < len(e.data) {
		n := lineBreak(e.data[at:])
		switch {
		case isBlank(e.data[at]):
			at++
		case breaks && n > 0:
			at += n
		case breaks && e.data[at] == '#' && at > 0 && (isBlank(e.data[at-1]) || e.data[at-1] == '\n' || e.data[at-1] == '\r'):
			at = e.lineEnd(at)
		default:
			return at
		}
	}
	return at
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }
