package check

import (
	"encoding/base64"
	"math"
	"strings"
)

// secretTable returns the cues for secrets.
func secretTable() []cue {
	var list []cue
	for _, k := range tokenKinds {
		list = append(list, cue{text: k.prefix, look: func(s *scanner, at int) { s.token(k, at) }})
	}
	list = append(list,
		cue{text: "BEGIN ", look: (*scanner).privateKey},
		cue{text: "eyJ", look: (*scanner).jwt},
		cue{text: "bearer ", fold: true, look: (*scanner).bearer},
		cue{text: "hooks.slack.com/services/T", look: (*scanner).webhook},
		cue{text: "discord.com/api/webhooks/", look: (*scanner).webhook},
	)
	for _, scheme := range []string{"postgres", "mysql", "mariadb", "mongodb", "redis", "amqp", "mssql", "sqlserver", "clickhouse", "ftp", "sftp", "smtp", "http"} {
		list = append(list, cue{text: scheme, fold: true, look: (*scanner).connection})
	}
	return list
}

// secret notes a secret between the offsets; what precedes value is no secret.
func (s *scanner) secret(rule, what string, start, value, end int) {
	for _, v := range s.secrets[max(len(s.secrets)-4, 0):] {
		if value < v.end && v.start < end {
			return // told already, by a better name
		}
	}
	s.secrets = append(s.secrets, part{value, end})
	s.report(rule, start, end, "%s; revoke it, and let the skill read it from an environment variable", what)
}

// pemBlanks takes away what divides the lines of a key, also in a string of JSON.
var pemBlanks = strings.NewReplacer("\n", "", "\r", "", `\n`, "", " ", "", "\t", "")

// privateKey looks at a key in PEM, or in a string of JSON that holds one.
func (s *scanner) privateKey(at int) {
	const dashes = "-----"
	rest := s.text[at:]
	head, _, ok := strings.Cut(rest[:min(len(rest), 64)], dashes)
	if !ok || !strings.HasSuffix(s.text[:at], dashes) || !strings.Contains(head, "PRIVATE KEY") {
		return
	}
	start := at + len(head) + len(dashes)
	end := min(start+16<<10, len(s.text))
	if i := strings.Index(s.text[start:end], dashes); i >= 0 { // of its end, or of the next one
		end = start + i
	}
	body := pemBlanks.Replace(s.text[start:end])
	// The shortest key in use, of Ed25519 in PKCS #8, has 64 characters.
	n := 0
	for n < len(body) && (tokenChar(alnum, body[n]) || strings.IndexByte("+/=", body[n]) >= 0) {
		n++
	}
	if n < 64 || n < len(body)/2 || !looksRandom(body[:n], 4) {
		return
	}
	value := start + len(s.text[start:end]) - len(strings.TrimLeft(s.text[start:end], "\r\n"))
	s.secrets = append(s.secrets, part{value, end})
	s.report("secret", at-len(dashes), start, "this looks like a private key; make a new one, and let the skill read it from a file of its user")
}

// jwt looks at a JSON Web Token.
func (s *scanner) jwt(at int) {
	if at < s.jwts || !strings.HasPrefix(s.text[at:], "eyJ") || at > 0 && s.text[at-1] == '.' {
		return // nothing, or the second part of one
	}
	end, limit := at, min(at+2*maxToken, len(s.text))
	for end < limit && tokenChar(dots, s.text[end]) {
		end++
	}
	s.jwts = end
	parts := strings.Split(strings.TrimRight(s.text[at:end], "."), ".")
	if len(parts) != 3 || len(parts[2]) < 20 {
		return
	}
	header, err1 := base64.RawURLEncoding.DecodeString(parts[0])
	claims, err2 := base64.RawURLEncoding.DecodeString(parts[1])
	if err1 != nil || err2 != nil || !strings.Contains(string(header), `"alg"`) || !looksRandom(parts[2], 3.5) {
		return
	}
	for _, public := range []string{"1234567890", "John Doe", "example", `"role":"anon"`} {
		if strings.Contains(string(claims), public) {
			return // of a page about the format, or meant to be public
		}
	}
	s.secret("secret-suspected", "this looks like a JSON Web Token", at, at+3, end)
}

// bearer looks at what a header of HTTP holds.
func (s *scanner) bearer(at int) {
	start := at + len("bearer ")
	end, limit := start, min(start+maxToken, len(s.text))
	for end < limit && (tokenChar(dots, s.text[end]) || strings.IndexByte("+/=~", s.text[end]) >= 0) {
		end++
	}
	if v := s.text[start:end]; len(v) >= 20 && len(v) <= 200 && hasDigit(v) && looksRandom(v, 3.5) && !isExpression(v) {
		s.suspect(start, start, end)
	}
}

// webhook looks at an address that whoever knows it may post to.
func (s *scanner) webhook(at int) {
	end, limit := at, min(at+maxToken, len(s.text))
	for end < limit && (tokenChar(dots, s.text[end]) || s.text[end] == '/') {
		end++
	}
	parts := strings.Split(s.text[at:end], "/")
	if len(parts) != 5 || len(parts[4]) < 20 || !looksRandom(parts[4], 3.3) {
		return
	}
	s.secret("secret", "this looks like the address of a webhook", at, end-len(parts[4]), end)
}

// connection looks at a URL with a password in it.
func (s *scanner) connection(at int) {
	end := at
	for end < len(s.text) && s.text[end] > ' ' && s.text[end] < 0x7f && strings.IndexByte("\"'`<>|\\", s.text[end]) < 0 && end < at+512 {
		end++
	}
	scheme, rest, ok := strings.Cut(s.text[at:end], "://")
	if !ok || len(scheme) > 20 {
		return
	}
	authority := rest
	if i := strings.IndexAny(authority, "/?#"); i >= 0 {
		authority = authority[:i]
	}
	i := strings.LastIndexByte(authority, '@')
	if i < 0 {
		return
	}
	_, password, ok := strings.Cut(authority[:i], ":")
	host := strings.ToLower(authority[i+1:])
	if !ok || len(password) < 8 || strings.ContainsAny(password, "${}[]()*%&;,") || isStandIn(password) || entropy(password) < 2.5 || !hasDigit(password) || isSampleHost(host) {
		return
	}
	start := at + len(scheme) + len("://") + i - len(password)
	s.secret("secret-suspected", "this address holds what looks like a password", at, start, start+len(password))
}

// isSampleHost reports whether host is one of an example or of the reader's own
// machine.
func isSampleHost(host string) bool {
	host, _, _ = strings.Cut(host, ":")
	return host == "" || host == "localhost" || host == "host" || strings.HasPrefix(host, "127.") ||
		strings.Contains(host, "example") || strings.HasPrefix(host, "your") || !strings.Contains(host, ".")
}

// secretNames are the ends of the names of what holds a secret, without - and _.
var secretNames = []string{
	"apikey", "apisecret", "appsecret", "clientsecret", "secretkey", "secretaccesskey", "accesstoken", "authtoken", "bottoken",
	"apitoken", "refreshtoken", "privatekey", "password", "passwd", "encryptionkey", "signingkey",
}

// assignment looks at what a name is set to; at is the offset of = or :.
func (s *scanner) assignment(at int) {
	text := s.text
	if at+2 < len(text) && text[at] == ':' && text[at+1] == 'A' && text[at+2] == 'A' {
		s.telegram(at)
	}
	end := at
	for end > 0 && (text[end-1] == ' ' || text[end-1] == '"' || text[end-1] == '\'') && at-end < 3 {
		end--
	}
	if end == 0 || strings.IndexByte("ytdndYTDN", text[end-1]) < 0 {
		return // no name of a secret ends so
	}
	start := end
	for start > 0 && (isWordByte(text[start-1]) || text[start-1] == '-') && end-start < 64 {
		start--
	}
	if !isSecretName(text[start:end]) {
		return
	}
	value := at + 1
	for value < len(text) && (text[value] == ' ' || text[value] == '=' || text[value] == '\t') {
		value++
	}
	quote := byte(0)
	if value < len(text) && (text[value] == '"' || text[value] == '\'' || text[value] == '`') {
		quote = text[value]
		value++
	}
	stop, limit := value, min(value+maxToken, len(text))
	for stop < limit && (isWordByte(text[stop]) || strings.IndexByte("-+/=.~!@#%^&*", text[stop]) >= 0) {
		stop++
	}
	v := text[value:stop]
	if stop < len(text) && (quote != 0 && text[stop] != quote || quote == 0 && strings.IndexByte(" \t\r\n,;\"'`&|}", text[stop]) < 0) {
		return // an expression
	}
	if len(v) < 16 || len(v) > 200 || !hasDigit(v) || !looksRandom(v, 3.5) || isExpression(v) {
		return
	}
	s.suspect(start, value, stop)
}

// suspect notes a secret that only its place gives away, unless its form does.
func (s *scanner) suspect(start, value, end int) {
	before := len(s.secrets)
	for _, k := range tokenKinds {
		if strings.HasPrefix(s.text[value:], k.prefix) {
			s.token(k, value)
		}
	}
	s.jwt(value)
	if len(s.secrets) == before {
		s.secret("secret-suspected", "this looks like a secret", start, value, end)
	}
}

// isSecretName reports whether name, in any case, is that of a secret. It knows
// fewer than asksForSecret: in a text, most of what is called a token is none.
func isSecretName(name string) bool {
	var buf [64]byte
	plain := buf[:0]
	for i := range len(name) {
		if c := lower(name[i]); c != '_' && c != '-' {
			plain = append(plain, c)
		}
	}
	if string(plain) == "secret" || string(plain) == "token" {
		return true
	}
	for _, end := range secretNames {
		if len(plain) >= len(end) && string(plain[len(plain)-len(end):]) == end {
			return true
		}
	}
	return false
}

// isExpression reports whether v names something rather than being a value:
// words joined by dots, dashes or slashes.
func isExpression(v string) bool {
	if strings.Contains(v, "//") || strings.HasPrefix(v, "/") || strings.HasPrefix(v, "./") || strings.HasPrefix(v, "process.env") {
		return true
	}
	words, odd := 0, 0
	for w := range strings.FieldsFuncSeq(v, func(r rune) bool { return strings.ContainsRune("._-/", r) }) {
		words++
		if hasDigit(w) && strings.ToLower(w) != strings.ToUpper(w) {
			odd++
		}
	}
	return words > 2 && odd*2 < words
}

// telegram looks at the token of a Telegram bot: its number, a colon and 35
// characters.
func (s *scanner) telegram(at int) {
	start := at
	for start > 0 && at-start <= 10 && '0' <= s.text[start-1] && s.text[start-1] <= '9' {
		start--
	}
	end, limit := at+1, min(at+maxToken, len(s.text))
	for end < limit && tokenChar(url64, s.text[end]) {
		end++
	}
	if n := at - start; n < 8 || n > 10 || end-at-1 != 35 || !looksRandom(s.text[at+1:end], 3.5) {
		return
	}
	s.secret("secret", "this looks like the token of a Telegram bot", start, at+1, end)
}

// placeholders are words in what stands for a secret, in lower case.
var placeholders = []string{
	"example", "your", "xxxx", "placeholder", "sample", "dummy", "fake", "redacted", "changeme", "change_me", "change-me",
	"insert", "replace", "todo", "password", "secret", "mytoken", "my-", "my_", "test", "abc123", "foobar", "<", "...", "****", "here",
	"deadbeef", "demo", "mock", "token",
}

// isStandIn reports whether v stands for a secret.
func isStandIn(v string) bool {
	v = strings.ToLower(v)
	for _, word := range placeholders {
		if strings.Contains(v, word) {
			return true
		}
	}
	same, up, down := 1, 1, 1
	for i := 1; i < len(v); i++ {
		step := func(n *int, d int) bool {
			if int(v[i])-int(v[i-1]) == d {
				*n++
			} else {
				*n = 1
			}
			return *n >= 5
		}
		// Not in one condition: each counts on its own.
		a, b, c := step(&same, 0), step(&up, 1), step(&down, -1)
		if a || b || c {
			return true
		}
	}
	return false
}

// looksRandom reports whether v, of at least some 16 characters, has bits of
// entropy in each and is no placeholder.
func looksRandom(v string, bits float64) bool {
	return entropy(v) >= bits && !isStandIn(v)
}

// entropy returns the bits in each byte of v, by how often each occurs.
func entropy(v string) float64 {
	var counts [256]int
	for i := range len(v) {
		counts[v[i]]++
	}
	e := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(v))
			e -= p * math.Log2(p)
		}
	}
	return e
}

func hasDigit(v string) bool { return strings.ContainsAny(v, "0123456789") }
