package check

import (
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/metadata"
)

// Redact returns text with an asterisk for each character of what looks like a
// secret, so that offsets, columns and lines stay. Who shows a part of a file redacts
// all of it first: a secret may stand on the line of another finding, and go over
// several lines.
func Redact(text string) string {
	s := &scanner{text: text}
	s.run(secretCues)
	if len(s.secrets) == 0 {
		return text
	}
	data := []byte(text)
	for _, v := range s.secrets {
		for i := v.start; i < v.end; i++ {
			if ' ' < data[i] && data[i] < 0x7f {
				data[i] = '*'
			}
		}
	}
	return string(data)
}

// withoutSecrets returns g without the secrets of the folder that it may quote:
// in its message they are replaced, and a fix that would write one is dropped,
// since formats show it.
func (f *Folder) withoutSecrets(g Finding) Finding {
	_, secrets := f.scan()
	if len(secrets) == 0 {
		return g
	}
	g.Message = secrets.mask(g.Message)
	if g.Fix != nil && slices.ContainsFunc(g.Fix.Edits, func(e metadata.Edit) bool { return secrets.mask(e.New) != e.New }) {
		g.Fix = nil
	}
	return g
}

// secretSet holds secrets, or the lines of one, by the bytes that they start with.
type secretSet map[string][]string

// minMasked is the number of bytes of a secret that give it away.
const minMasked = 8

func (set secretSet) add(secret string) {
	for line := range strings.FieldsSeq(secret) {
		if len(line) >= minMasked {
			start := line[:minMasked]
			set[start] = append(set[start], line)
		}
	}
}

// mask returns text with each secret, or as much of its start as there is,
// replaced.
func (set secretSet) mask(text string) string {
	for i := 0; i+minMasked <= len(text); i++ {
		n := 0
		for _, secret := range set[text[i:i+minMasked]] {
			same := minMasked
			for same < len(secret) && i+same < len(text) && text[i+same] == secret[same] {
				same++
			}
			n = max(n, same)
		}
		if n > 0 {
			text = text[:i] + "****" + text[i+n:]
			i += len("****") - 1
		}
	}
	return text
}
