package check

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
)

// commandTable returns the cues for commands. A blank or bracket at the end of a cue
// makes it a whole word.
func commandTable() []cue {
	fetch := (*scanner).fetch
	list := []cue{
		{text: "curl ", look: fetch}, {text: "wget ", look: fetch},
		{text: "irm ", fold: true, look: fetch}, {text: "iwr ", fold: true, look: fetch},
		{text: "invoke-restmethod ", fold: true, look: fetch}, {text: "invoke-webrequest ", fold: true, look: fetch},
		{text: "curl ", look: (*scanner).curl}, {text: "wget ", look: (*scanner).wget},
		{text: "sudo ", look: (*scanner).sudo},
		{text: "rm ", look: (*scanner).remove},
		{text: "dd ", look: (*scanner).overwrite}, {text: "mkfs", look: (*scanner).overwrite},
		{text: "index-url", look: (*scanner).packageSource}, {text: "registry", look: (*scanner).packageSource},
		{text: "install ", look: (*scanner).packageURL},
		{text: "xmrig", look: (*scanner).mining}, {text: "stratum+", look: (*scanner).mining}, {text: "coinhive.min.js", look: (*scanner).mining},
		{text: "ssh/id_", look: (*scanner).credentials}, {text: "aws/credentials", look: (*scanner).credentials},
		{text: "git-credentials", look: (*scanner).credentials}, {text: "kube/config", look: (*scanner).credentials},
	}
	for _, name := range []string{"bash ", "sh ", "zsh ", "dash ", "eval ", "source ", "iex ", "invoke-expression ", "exec(", "eval("} {
		list = append(list, cue{text: name, fold: true, look: (*scanner).execute})
	}
	list = append(list,
		cue{text: "base64 ", look: (*scanner).decoded},
		cue{text: "powershell", fold: true, look: (*scanner).encoded}, cue{text: "pwsh ", look: (*scanner).encoded},
		cue{text: "exec(", look: (*scanner).unpacked}, cue{text: "eval(", look: (*scanner).unpacked},
	)
	for _, text := range []string{"verify", "rejectUnauthorized", "NODE_TLS_REJECT_UNAUTHORIZED", "InsecureSkipVerify", "_create_unverified_context", "CERT_NONE", "GIT_SSL_NO_VERIFY", "sslVerify", "strict"} {
		list = append(list, cue{text: text, look: (*scanner).insecure})
	}
	for _, text := range []string{"exec(", "eval(", "os.system(", "os.popen(", "shell", "Function("} {
		list = append(list, cue{text: text, look: (*scanner).dynamic})
	}
	return list
}

// inCode reports whether the offset is in code: of a text in Markdown, in a
// fence, or also in a span.
func (s *scanner) inCode(at int, spans bool) bool {
	return s.kind != prose || s.inFence(at) || spans && s.inCodeSpan(at)
}

// maxCall is how far, in bytes, the start of a command or call is looked at.
const maxCall = 120

// maxCommand is the length in bytes of the longest command that is looked at.
const maxCommand = 1000

// command returns the command at an offset: what stands on its line and those
// that go on with it.
func (s *scanner) command(at int) string {
	text := s.text[at:min(at+maxCommand, len(s.text))]
	span := s.kind == prose && s.inCodeSpan(at) && !s.inFence(at)
	for i := range len(text) {
		switch {
		case span && text[i] == '`':
			return text[:i]
		case text[i] != '\n':
		case !strings.HasSuffix(strings.TrimRight(text[:i], " \t\r"), `\`) && !strings.HasSuffix(strings.TrimRight(text[:i], " \t\r"), "|"):
			return text[:i]
		}
	}
	return text
}

var (
	// An interpreter that reads its program from the pipe: a shell with any
	// options, another one without arguments.
	pipeToShell = regexp.MustCompile(`\|\s*(?:sudo\s+(?:-\S+\s+)*)?(?:env\s+(?:\S+=\S*\s+)*)?(?:/\S*/)?(?:((?:ba|z|da|k|fi)?sh|iex|Invoke-Expression)(?:\s+([^|;&\n]*))?|(?:python[0-9.]*|node|perl|ruby|php|pwsh|powershell)(?:\s+-)?\s*(?:[;&|)"'#]|$))`)
	shellOf     = regexp.MustCompile(`(?i)^(?:(?:ba|z|da)?sh\s+(?:-\S+\s+)*["']?(?:<\(|\$\(|` + "`" + `)|eval\s+["']?(?:\$\(|` + "`" + `)|source\s+<\(|(?:iex|Invoke-Expression)\s*[("'&]*\s*)\s*\(?(?:curl|wget|irm|iwr|Invoke-RestMethod|Invoke-WebRequest|New-Object\s+(?:System\.)?Net\.WebClient)`)
	execOf      = regexp.MustCompile(`(?i)^(?:exec|eval)\(.{0,60}\b(?:urlopen|requests\.get|httpx\.get|fetch)\(`)
	urlIn       = regexp.MustCompile(`(?i)\bhttps?://[^\s"'<>|)` + "`" + `]+`)
)

// fetch looks at a command that fetches something, for a pipe to an interpreter.
func (s *scanner) fetch(at int) {
	if !strings.Contains(s.text[at:s.lineAt(at).end], "|") && !strings.Contains(s.text[at:min(at+maxCommand, len(s.text))], "\\\n") {
		return
	}
	if at < s.piped {
		return // in a command that was looked at
	}
	text := s.command(at)
	s.piped = at + len(text)
	if m := pipeToShell.FindStringSubmatchIndex(text); m != nil {
		if m[4] >= 0 && strings.HasPrefix(text[m[4]:m[5]], "-c") {
			return // the program is the argument
		}
		s.fetched(at, at+m[1], text)
	}
}

// execute looks at what an interpreter runs.
func (s *scanner) execute(at int) {
	if at > 0 && (s.text[at-1] == '.' || s.text[at-1] == '-') {
		return // a part of a name, such as deploy.sh
	}
	near := s.text[at:min(at+maxCall, len(s.text))]
	if loc := shellOf.FindStringIndex(near); loc != nil {
		s.fetched(at, at+loc[1], s.command(at))
	} else if !strings.Contains(near, "url") && !strings.Contains(near, "get(") && !strings.Contains(near, "fetch(") {
		return
	} else if loc := execOf.FindStringIndex(near); loc != nil && s.inCode(at, true) {
		s.fetched(at, at+loc[1], s.command(at))
	}
}

// fetched reports a command that runs what it fetches.
func (s *scanner) fetched(start, end int, command string) {
	end = start + len(strings.TrimRight(s.text[start:end], " \n\t;&)\"'"))
	for _, u := range urlIn.FindAllString(command, -1) {
		if why := oddURL(u); why != "" {
			s.report("fetch-execute-untrusted", start, end, "runs what %s gives: %s; name the page of the project instead, or check a digest", clip(u), why)
			return
		}
	}
	s.report("fetch-execute", start, end, "runs what it fetches, whatever that is by then; name the package to install, or check a digest")
}

// Hosts from which nobody can tell what comes.
var (
	shorteners = []string{"bit.ly", "tinyurl.com", "t.co", "goo.gl", "is.gd", "cutt.ly", "rb.gy", "shorturl.at", "t.ly", "ow.ly", "v.gd", "tiny.cc", "rebrand.ly", "s.id"}
	pastes     = []string{"pastebin.com", "paste.ee", "hastebin.com", "rentry.co", "rentry.org", "transfer.sh", "0x0.st", "ix.io", "dpaste.com", "dpaste.org", "termbin.com",
		"paste.rs", "ghostbin.com", "glot.io", "webhook.site", "file.io", "catbox.moe", "anonfiles.com", "ngrok.io", "ngrok-free.app", "trycloudflare.com"}
)

// oddURL says why nothing from the address should be run, or returns "".
func oddURL(u string) string {
	scheme, _, _ := strings.Cut(u, "://")
	host := hostOf(u)
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	in := func(list []string) bool {
		for _, h := range list {
			if host == h || strings.HasSuffix(host, "."+h) {
				return true
			}
		}
		return false
	}
	switch {
	case isLocal(host) || strings.ContainsAny(host, "$<{"):
		return ""
	case err == nil && !addr.IsPrivate():
		return "an address without a name"
	case in(shorteners):
		return "a short link hides where it leads"
	case in(pastes):
		return "anybody can put a file there"
	case strings.EqualFold(scheme, "http") && err != nil && !isSampleHost(host):
		return "plain http can be changed on its way"
	}
	return ""
}

// hostOf returns the host of an address in lower case, without its port.
func hostOf(u string) string {
	_, host, _ := strings.Cut(strings.ToLower(u), "://")
	if i := strings.IndexAny(host, "/?#"); i >= 0 {
		host = host[:i]
	}
	host = host[strings.LastIndexByte(host, '@')+1:]
	if !strings.HasPrefix(host, "[") {
		host, _, _ = strings.Cut(host, ":")
	}
	return host
}

// isLocal reports whether host is this machine or one in its network.
func isLocal(host string) bool {
	if addr, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return addr.IsLoopback() || addr.IsPrivate() || addr.IsUnspecified() || addr.IsLinkLocalUnicast()
	}
	return host == "localhost" || strings.HasSuffix(host, ".local") || strings.HasSuffix(host, ".localhost") || strings.HasSuffix(host, ".internal")
}

var (
	decodeToShell = regexp.MustCompile(`^base64\s+(?:-[dDiw]+|--decode)\b[^|\n]*\|\s*(?:(?:gunzip|gzip -d|zcat)[^|\n]*\|\s*)?(?:sudo\s+)?(?:(?:ba|z|da)?sh|python[0-9.]*|node|perl)\b`)
	encodedShell  = regexp.MustCompile(`(?i)^(?:powershell|pwsh)(?:\.exe)?\s(?:[^\n]*\s)?-e(?:nc|ncodedcommand|c)?\s+["']?[a-z0-9+/=]{24,}`)
	execDecoded   = regexp.MustCompile(`(?i)^(?:exec|eval)\(.{0,60}\b(?:b64decode|atob|bytes\.fromhex|zlib\.decompress|marshal\.loads)\(|^eval\(.{0,40}Buffer\.from\([^)]*base64`)
)

// decoded, encoded and unpacked look at commands that run what they decode.
func (s *scanner) decoded(at int) { s.obscure(at, s.command(at), decodeToShell) }

func (s *scanner) encoded(at int) { s.obscure(at, s.command(at), encodedShell) }

func (s *scanner) unpacked(at int) {
	near := s.text[at:min(at+maxCall, len(s.text))]
	for _, call := range []string{"64", "atob", "fromhex", "decompress", "loads"} {
		if strings.Contains(near, call) {
			s.obscure(at, near, execDecoded)
			return
		}
	}
}

func (s *scanner) obscure(at int, text string, re *regexp.Regexp) {
	if loc := re.FindStringIndex(text); loc != nil && s.inCode(at, true) {
		s.report("encoded-execute", at, at+loc[1], "runs what it decodes, so nobody can read what that is; write it in plain text")
	}
}

func (s *scanner) sudo(at int) {
	if s.inCode(at, true) && strings.ContainsAny(strings.TrimSpace(s.command(at)), " \t") {
		s.reportOnce("sudo", at, at+len("sudo"), "runs a command as root; say why, or find a way without")
	}
}

// warnings are words on a line, or the one before, that tell not to do what
// stands there.
var warnings = []string{"bad", "wrong", "never", "don't", "do not", "avoid", "insecure", "vulnerab", "danger", "❌", "unsafe", "malicious", "attack"}

// isWarnedOf reports whether the text warns of what stands at the offset.
func (s *scanner) isWarnedOf(at int) bool {
	line := s.lineAt(at)
	start := s.lineAt(max(line.start-1, 0)).start
	_, comment, _ := strings.Cut(s.text[at:line.end], " #")
	around := strings.ToLower(s.text[start:at] + comment)
	for _, w := range warnings {
		if strings.Contains(around, w) {
			return true
		}
	}
	return false
}

// remove looks at a command that removes folders.
func (s *scanner) remove(at int) {
	if at < s.removed || !s.inCode(at, false) || s.isComment(at) {
		return
	}
	command := s.firstCommand(at)
	s.removed = at + len(command) // what is called rm in it is an operand
	words := strings.Fields(command)[1:]
	recursive := slices.ContainsFunc(words, func(w string) bool {
		return w == "--recursive" || strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.ContainsAny(w, "rR")
	})
	for _, word := range words {
		if !recursive || word[0] == '-' || !strings.ContainsAny(word, "/~$") {
			continue
		}
		if why := s.destroys(strings.Trim(word, `"'`)); why != "" && !s.isWarnedOf(at) {
			s.report("destructive-delete", at, at+len(strings.TrimRight(command, " ")), "removes %s; name a folder of the skill's own", why)
			return
		}
	}
}

// firstCommand returns the command at an offset up to what follows it.
func (s *scanner) firstCommand(at int) string {
	text := s.command(at)
	if i := strings.IndexAny(text, ";&|#\n`)"); i >= 0 {
		text = text[:i]
	}
	return text
}

var (
	variableFolder = regexp.MustCompile(`^"?\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?"?/\*?$`)
	systemFolders  = []string{"/", "/*", "/.", "/bin", "/etc", "/home", "/lib", "/opt", "/root", "/usr", "/var", "/Users", "/System", "/Library", "~", "~/", "~/*", "$HOME", "$HOME/", "$HOME/*", "${HOME}", "${HOME}/", "${HOME}/*"}
)

// destroys says what the operand of a removal destroys that it should not, or
// returns "".
func (s *scanner) destroys(operand string) string {
	for _, f := range systemFolders {
		if operand == f || len(f) > 2 && operand == f+"/" || len(f) > 2 && operand == f+"/*" {
			return "all of " + operand
		}
	}
	m := variableFolder.FindStringSubmatch(operand)
	if m == nil || s.assigns(m[1]) {
		return ""
	}
	return "all of / if " + m[1] + " is not set"
}

// assigns reports whether the text gives a variable a value, or ends where one has
// none.
func (s *scanner) assigns(name string) bool {
	if s.assigned == nil {
		s.assigned = map[string]bool{}
		for i := range len(s.text) {
			if s.text[i] != '=' {
				continue
			}
			start := i
			for start > 0 && isWordByte(s.text[start-1]) && i-start < 64 {
				start--
			}
			s.assigned[s.text[start:i]] = true
		}
		s.assigned[""] = strings.Contains(s.text, "set -u") || strings.Contains(s.text, "set -eu")
	}
	return s.assigned[""] || s.assigned[name]
}

var overwrites = regexp.MustCompile(`^(?:dd\s[^|;\n]*\bof=/dev/(?:sd|hd|nvme|disk|rdisk|mmcblk)|mkfs(?:\.\w+)?\s[^|;\n]*/dev/)`)

// overwrite looks at a command that writes to a disk itself.
func (s *scanner) overwrite(at int) {
	if !s.inCode(at, false) || s.isComment(at) {
		return
	}
	if loc := overwrites.FindStringIndex(s.command(at)); loc != nil && !s.isFull("destructive-delete") && !s.isWarnedOf(at) {
		s.report("destructive-delete", at, at+loc[1], "overwrites a disk; let the user do that")
	}
}

// isComment reports whether the offset is in a comment of a script.
func (s *scanner) isComment(at int) bool {
	before := strings.TrimLeft(s.text[s.lineAt(at).start:at], " \t")
	return strings.HasPrefix(before, "#") || strings.HasPrefix(before, "//") || strings.Contains(before, " # ")
}
