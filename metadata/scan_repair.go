package metadata

import (
	"bytes"
	"strings"
)

// repaired reads a description that makes the header something else than YAML,
// as the repair of an entry does: as the text from val, on the current line,
// up to the next key, joined with blanks. Such headers are common, and the
// dearest ones to leave to the parser, which reads them twice.
//
// It answers only if it is certain that YAML refuses the value.
func (s *briefScanner) repaired(val []byte) (string, bool) {
	val = bytes.TrimSpace(val)
	if len(val) == 0 || bytes.IndexByte([]byte("\"'|>[]{}&!#?:,-"), val[0]) >= 0 || bytes.Contains(val, []byte(" #")) {
		return "", false
	}
	refused := bytes.IndexByte([]byte("*`@%"), val[0]) >= 0 || bytes.Contains(val, []byte(": ")) || val[len(val)-1] == ':'
	stray := false // whether a line so far is at the margin
	var buf [1024]byte
	text := append(buf[:0], val...)
	for s.next() {
		line := bytes.TrimSpace(s.line)
		atMargin := len(s.line) > 0 && s.line[0] != ' '
		key := ""
		if atMargin {
			key, _, _ = splitKey(string(s.line))
		}
		switch {
		case atMargin && (isExactFence(s.line) || plainKey(s.line) > 0 && !(stray && 'A' <= s.line[0] && s.line[0] <= 'Z')):
			// A fence that is not exact may have been taken for the closing
			// one, once the header turned out not to be YAML.
			s.irregular = s.irregular || refused || stray
			return string(text), refused || stray
		case key != "", len(line) == 0, line[0] == '#', bytes.HasPrefix(line, []byte("```")), bytes.HasPrefix(line, []byte("---")),
			atMargin && strings.ContainsRune("{}[]\"',?&!|>=<", rune(line[0])):
			return "", false
		case atMargin && !refused && !stray && (bytes.Contains(line, []byte(": ")) || line[len(line)-1] == ':'):
			return "", false // a key with blanks, as far as YAML is concerned
		}
		stray = stray || atMargin
		text = append(append(text, ' '), line...)
	}
	return "", false
}
