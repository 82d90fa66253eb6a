package check

import (
	"regexp"
	"slices"
	"strings"
)

// curl and wget look for options that leave the certificate of a server unchecked.
func (s *scanner) curl(at int) {
	if at < s.curled {
		return // an argument
	}
	text := s.command(at)
	if !strings.Contains(text, "k") && !strings.Contains(text, "--insecure") || !s.inCode(at, false) {
		return
	}
	first := s.firstCommand(at)
	s.curled = at + len(first)
	for _, word := range strings.Fields(first) {
		if word == "--insecure" || isFlags(word) && strings.Contains(word, "k") {
			s.unchecked(at, at+len("curl"), text, word)
			return
		}
	}
}

// isFlags reports whether word is a group of options of curl that take no value.
func isFlags(word string) bool {
	if len(word) < 2 || word[0] != '-' {
		return false
	}
	return strings.Trim(word[1:], "sSLfkiIvNgGjJOaRq#0123456") == ""
}

func (s *scanner) wget(at int) {
	if text := s.command(at); strings.Contains(text, "--no-check-certificate") && s.inCode(at, false) {
		s.unchecked(at, at+len("wget"), text, "--no-check-certificate")
	}
}

// unchecked reports a command that fetches from anybody, unless it does so in
// the network of the reader.
func (s *scanner) unchecked(start, end int, command, option string) {
	for _, u := range urlIn.FindAllString(command, -1) {
		if isLocal(hostOf(u)) {
			return
		}
	}
	if s.isComment(start) || s.isWarnedOf(start) {
		return
	}
	s.report("insecure-tls", start, end, "%s talks to whoever answers in place of the server; give the certificate with --cacert", option)
}

var insecureSetting = regexp.MustCompile(`^(?:verify\s*=\s*False\b|rejectUnauthorized["']?\s*:\s*false\b|NODE_TLS_REJECT_UNAUTHORIZED["'\]]*\s*[=:]\s*["']?0|InsecureSkipVerify\s*:\s*true\b|_create_unverified_context\b|CERT_NONE\b|GIT_SSL_NO_VERIFY\s*=\s*["']?(?:1|true)|sslVerify\s*=?\s*["']?false\b|strict-ssl\s*=?\s*["']?false\b)`)

// insecure looks at a setting that leaves certificates unchecked.
func (s *scanner) insecure(at int) {
	loc := insecureSetting.FindStringIndex(s.text[at:min(at+60, len(s.text))])
	if loc == nil || s.isFull("insecure-tls") || !s.inCode(at, false) || s.isComment(at) || s.isWarnedOf(at) {
		return
	}
	s.report("insecure-tls", at, at+loc[1], "%q talks to whoever answers in place of the server; add the certificate to those that are trusted", s.text[at:at+loc[1]])
}

var (
	sourceOption = regexp.MustCompile(`^(?:index-url|registry)["']?[\s=:]+["']?(https?://[^\s"'` + "`" + `]+)`)
	packageFrom  = regexp.MustCompile(`^install\s+(?:-[^-\s]\S*\s+|[^-\s;|&]\S*\s+)*?["']?(?:git\+)?(http://[^\s"'` + "`" + `]+)`)
)

// packageSource looks at where packages are fetched from.
func (s *scanner) packageSource(at int) { s.source(at, sourceOption) }

// packageURL looks at a package that is given by its address.
func (s *scanner) packageURL(at int) { s.source(at, packageFrom) }

// source looks for an address that packages are fetched from.
func (s *scanner) source(at int, re *regexp.Regexp) {
	m := re.FindStringSubmatchIndex(s.text[at:min(at+300, s.lineAt(at).end)])
	if m == nil || !s.inCode(at, true) {
		return
	}
	u := s.text[at+m[2] : at+m[3]]
	if why := oddURL(u); why != "" {
		s.report("package-source", at+m[2], at+m[3], "packages come from %s: %s; use the index that the package manager knows, or one with https", clip(u), why)
	}
}

func (s *scanner) mining(at int) {
	text := s.text[at:]
	if !s.inCode(at, true) || strings.HasPrefix(text, "stratum+") && !strings.Contains(text[:min(len(text), 16)], "://") {
		return
	}
	s.reportOnce("crypto-mining", at, at+len("xmrig"), "mines a currency on the machine of the user; delete it")
}

var (
	sends = regexp.MustCompile(`\bcurl\b.*(?:\s-d|--data|\s-F|--form|\s-T|--upload-file|@)|\|\s*(?:base64[^|]*\|\s*)?(?:curl|nc|ncat)\b|\bnc\b.*<|\b(?:requests|httpx|axios)\.post\(|\bwget\b.*--post`)
	reads = regexp.MustCompile(`\bopen\(|readFile|read_text|read_bytes|\bcat\b`)
)

// credentials looks at the path of a file with keys that does not belong to the
// skill, and for what sends it away.
func (s *scanner) credentials(at int) {
	if at == 0 || s.text[at-1] != '.' || !s.inCode(at, true) || s.isComment(at) {
		return
	}
	line := s.lineAt(at)
	if at >= s.sentTo {
		s.sent = s.sends(line.start, at)
	}
	end := at
	for end < line.end && (isWordByte(s.text[end]) || strings.IndexByte("/.-", s.text[end]) >= 0) {
		end++
	}
	if s.sent && !s.isFull("credential-access") && !s.isWarnedOf(at) {
		s.report("credential-access", at-1, end, "reads %q of the user and sends something away; ask for the one key that is needed by an environment variable", s.text[at-1:end])
	}
}

// sends reports whether the command at an offset, whose line starts at start,
// sends away what it names.
func (s *scanner) sends(start, at int) bool {
	first := max(start, at-maxCommand)
	for first > 0 && at-first < maxCommand && strings.HasSuffix(strings.TrimRight(s.text[max(first-8, 0):first], "\r\n"), `\`) {
		first = s.lineAt(first - 1).start // the command starts further up
	}
	first = max(first, at-maxCommand)
	text := s.command(at)
	s.sentTo = at + min(len(text), maxCommand/2)
	command := strings.ReplaceAll(s.text[first:at]+text, "\\\n", " ")
	if sends.MatchString(command) {
		return true
	}
	return s.kind == script && reads.MatchString(command) && s.callsOut()
}

// callsOut reports whether the text calls anything that could send.
func (s *scanner) callsOut() bool {
	if s.calls == nil {
		s.calls = new(slices.ContainsFunc([]string{".post(", "urlopen(", "fetch(", "curl ", "socket.create_connection("}, func(call string) bool {
			return strings.Contains(s.text, call)
		}))
	}
	return *s.calls
}

var dynamicCall = regexp.MustCompile(`^(?:(?:exec|eval|os\.system|os\.popen)\(\s*(?:[A-Za-z_]|f["'])|shell\s*[=:]\s*[Tt]rue\b|Function\(\s*[A-Za-z_])`)

// dynamic looks at a call in a script that runs text.
func (s *scanner) dynamic(at int) {
	if s.kind != script || at > 0 && (s.text[at-1] == '.' || isWordByte(s.text[at-1])) || s.isComment(at) {
		return
	}
	if loc := dynamicCall.FindStringIndex(s.text[at:min(at+60, len(s.text))]); loc != nil {
		s.report("dynamic-code", at, at+loc[1], "runs text as code, which may come from elsewhere; call the function or program itself, with a list of arguments")
	}
}
