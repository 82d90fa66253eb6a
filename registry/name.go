package registry

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxName is the length in bytes of the longest name a model is offered, a
// limit of the OpenAI and Anthropic interfaces.
const MaxName = 64

const hashDigits = 6

// ModelName returns the name under which a model is offered the tool with the
// given original name. It matches ^[a-z0-9_-]{1,64}$ and depends on nothing
// but original, so that it is the same in every run and beside any other
// tools. There are no capitals in it because langchaingo's executor ignores
// case.
//
// A name that is of this form already is kept. Any other is changed: letters
// lose their case and accents, what else is not allowed becomes a hyphen, and
// at the end come six hex digits of the SHA-256 of original, so that names
// which look alike once changed stay apart.
func ModelName(original string) string {
	if isModelName(original) {
		return original
	}
	sum := sha256.Sum256([]byte(original))
	base := strings.Trim(clean(original, MaxName-hashDigits-1), "-_")
	if base == "" {
		base = "tool"
	}
	return base + "-" + hex.EncodeToString(sum[:hashDigits/2])
}

// PluginToolName returns the [Def.Name] for a tool of a plugin: plugin_tool.
func PluginToolName(plugin, tool string) string { return plugin + "_" + tool }

func isModelName(s string) bool {
	if s == "" || len(s) > MaxName {
		return false
	}
	for i := range len(s) {
		if !isNameByte(s[i]) {
			return false
		}
	}
	return true
}

func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}

// clean returns the first limit bytes of s in the alphabet of model names,
// without a leading hyphen.
func clean(s string, limit int) string {
	var b strings.Builder
	for i := 0; i < len(s) && b.Len() < limit; {
		// One segment at a time, so that a long name costs no more than a
		// short one.
		n := max(norm.NFKD.NextBoundaryInString(s[i:], true), 1)
		for _, r := range norm.NFKD.String(s[i : i+n]) {
			r = unicode.ToLower(r)
			switch {
			case r < utf8.RuneSelf && isNameByte(byte(r)):
				b.WriteByte(byte(r))
			case unicode.Is(unicode.Mn, r):
			case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
				b.WriteByte('-')
			}
		}
		i += n
	}
	return b.String()[:min(b.Len(), limit)]
}

// ValidID reports whether s is a valid internal id, such as that of an owner:
// ^[A-Za-z][A-Za-z0-9._:-]{0,127}$.
func ValidID(s string) bool {
	if len(s) < 1 || len(s) > 128 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || !('0' <= c && c <= '9') && !strings.ContainsRune("._:-", rune(c))) {
			return false
		}
	}
	return true
}
