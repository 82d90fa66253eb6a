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

// withoutSecrets returns f without the secrets of the folder that it may quote:
// in its message they are replaced, and a fix that would write one is dropped,
// since formats show it.
func (f *Folder) withoutSecrets(g Finding) Finding {
	_, secrets := f.scan()
	for _, secret := range secrets {
		for line := range strings.FieldsSeq(secret) {
			g.Message = mask(g.Message, line)
			if g.Fix != nil && slices.ContainsFunc(g.Fix.Edits, func(e metadata.Edit) bool { return mask(e.New, line) != e.New }) {
				g.Fix = nil
			}
		}
	}
	return g
}

// minMasked is the number of bytes of a secret that give it away.
const minMasked = 8

// mask replaces the secret, or as much of its start as there is, in text.
func mask(text, secret string) string {
	if len(secret) < minMasked {
		return text
	}
	for {
		i := strings.Index(text, secret[:minMasked])
		if i < 0 {
			return text
		}
		n := minMasked
		for n < len(secret) && i+n < len(text) && text[i+n] == secret[n] {
			n++
		}
		text = text[:i] + "****" + text[i+n:]
	}
}
