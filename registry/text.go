package registry

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/matrix-nexus/skillkit/internal/line"
)

const (
	// MaxText is how many bytes of a result a model is shown, with the notice
	// that says what was cut.
	MaxText = 48 << 10
	// MaxDescription is the length of the longest description a model is
	// shown, in code points.
	MaxDescription = 1024
)

// ModelText returns what a model reads of r: Text, else Data, valid UTF-8 of
// at most [MaxText] bytes. It is marked as an error if r is one, names the
// binary parts without showing them, and is never empty.
func (r Result) ModelText() string {
	text := strings.ToValidUTF8(r.Text, "\uFFFD")
	if text == "" {
		text = strings.ToValidUTF8(string(r.Data), "\uFFFD")
	}
	if r.IsError && !hasErrorMark(text) {
		text = strings.TrimSuffix("error: "+text, ": ")
	}
	var tail strings.Builder
	for i, b := range r.Blobs {
		if i == maxNamed {
			fmt.Fprintf(&tail, "\n[%d more binary parts]", len(r.Blobs)-i)
			break
		}
		fmt.Fprintf(&tail, "\n[binary part %s, %s, %d bytes]", oneLine(b.Name, 100), oneLine(b.MIMEType, 100), len(b.Data))
	}
	if strings.TrimSpace(text) == "" {
		return cmp.Or(strings.TrimPrefix(tail.String(), "\n"), "(no output)")
	}
	if len(text)+tail.Len() > MaxText {
		const notice = "\n[cut: the first %d of %d bytes are shown]"
		room := MaxText - tail.Len() - len(fmt.Sprintf(notice, len(text), len(text)))
		shown := cutText(text, room)
		text = shown + fmt.Sprintf(notice, len(shown), len(text))
	}
	return text + tail.String()
}

// maxNamed is how many things are named in a message before "more".
const maxNamed = 20

func hasErrorMark(text string) bool {
	return len(text) >= 5 && strings.EqualFold(text[:5], "error")
}

// cutText returns the longest prefix of s of at most n bytes that ends
// between code points.
func cutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// oneLine returns s on one line, cut to at most limit code points.
func oneLine(s string, limit int) string { return line.Cut(line.Fold(s), limit) }
