package check

import (
	"slices"
	"strings"
	"unicode"
)

// Words that make a name that of a secret, wherever in the name they stand; in
// pairs, one right before the other.
var (
	secretWords = []string{"password", "passwd", "passphrase", "passcode", "secret", "secrets", "apikey", "credential", "credentials", "token"}
	secretPairs = [][2]string{{"api", "key"}, {"access", "key"}, {"private", "key"}, {"signing", "key"}, {"encryption", "key"}, {"auth", "key"}, {"account", "key"}, {"bearer", "auth"}}
	// innocentLast are last words of names that tell of a secret and do not hold
	// it, as in token_count, password_policy and secret_name.
	innocentLast = []string{"count", "counts", "limit", "budget", "length", "size", "name", "names", "type", "kind", "id", "ids", "policy", "url", "uri",
		"path", "file", "env", "var", "index", "usage", "format", "expiry", "expires", "ttl", "hint", "prefix", "version", "address", "symbol", "price", "mint"}
	// innocentTokens are words before "token" of tokens that open nothing:
	// those by which pages of a list are asked for, and those of models.
	innocentTokens = []string{"page", "next", "prev", "previous", "continuation", "sync", "max", "min", "stop", "num", "per", "cursor", "start", "end", "pad", "eos", "bos"}
)

// asksForSecret reports whether what is called name is likely a secret:
// api_key, githubToken and DB-PASSWORD are, max_tokens and next_page_token are
// not.
func asksForSecret(name string) bool {
	words := nameWords(name)
	if len(words) == 0 || slices.Contains(innocentLast, words[len(words)-1]) {
		return false
	}
	for i, w := range words {
		before := ""
		if i > 0 {
			before = words[i-1]
		}
		switch {
		case w == "token" && slices.Contains(innocentTokens, before):
		case slices.Contains(secretWords, w), slices.Contains(secretPairs, [2]string{before, w}):
			return true
		}
	}
	return false
}

// nameWords divides a name in snake_case, camelCase or kebab-case, and returns
// the words in lower case.
func nameWords(name string) []string {
	var words []string
	start := 0
	runes := []rune(name)
	end := func(i int) {
		if i > start {
			words = append(words, strings.ToLower(string(runes[start:i])))
		}
	}
	for i, c := range runes {
		switch {
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			end(i)
			start = i + 1
		case unicode.IsUpper(c) && i > start && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			// As in apiKey, and in APIKey.
			end(i)
			start = i
		}
	}
	end(len(runes))
	return words
}
