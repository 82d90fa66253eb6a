package check

import (
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// Limits in bytes of what is parsed, of a text and of all in a skill. The parser
// goes one call deeper for each bracket, and tries some brackets twice.
const (
	maxShell    = 16 << 10
	maxShellAll = 64 << 10
)

// A call is a program that shell text calls.
type call struct {
	name   string
	offset int
}

// calls returns the programs that a shell text calls by their plain names, in its
// order. Builtins, functions of the text, paths and names that are made at
// run time are left out, and a text that is not one of bash calls nothing. A
// placeholder such as <id> is a word, which for a shell it is not.
func calls(src string) []call {
	if len(src) > maxShell || strings.Contains(src, "(((") || strings.Contains(src, "$[") {
		return nil
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(fillIn(src)), "")
	if err != nil {
		return nil
	}
	var list []call
	own := map[string]bool{}
	syntax.Walk(file, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.FuncDecl:
			if n.Name != nil {
				own[n.Name.Value] = true
			}
		case *syntax.CallExpr:
			if c, ok := callOf(n.Args); ok {
				list = append(list, c)
			}
		}
		return true
	})
	kept := list[:0]
	for _, c := range list {
		// What the parser reads otherwise than it is written is no plain name.
		if !own[c.name] && strings.HasPrefix(src[c.offset:], c.name) {
			kept = append(kept, c)
		}
	}
	return kept
}

// mayCall reports whether calls could return a program that is not known. It
// looks at the words that may be a command and parses nothing, which takes
// longer by far.
func mayCall(src string, known func(name string) bool) bool {
	for part := range strings.FieldsFuncSeq(src, func(c rune) bool { return strings.ContainsRune("\r\n|&;(`{", c) }) {
		word := strings.TrimLeft(part, " \t")
		if end := strings.IndexAny(word, " \t)}<>"); end >= 0 {
			word = word[:end]
		}
		if word == "!" || strings.Contains(word, "=") || callsAnother(word) || isProgramName(word) && !known(word) {
			return true
		}
	}
	return false
}

// callsAnother reports whether a command runs the one that is named behind it.
func callsAnother(name string) bool {
	switch name {
	case "sudo", "env", "nohup", "nice", "time", "exec", "command", "xargs", "builtin":
		return true
	}
	return false
}

// fillIn returns a shell text of the same length without placeholders, which
// become capitals, so that they are not taken for programs.
func fillIn(src string) string {
	if !strings.Contains(src, "<") {
		return src
	}
	text := []byte(src)
	for i := 0; i < len(text); i++ {
		if text[i] != '<' || i > 0 && text[i-1] == '<' || i+1 == len(text) || !inPlaceholder(text[i+1]) || text[i+1] == ' ' {
			continue
		}
		end := i + 1
		for end < len(text) && inPlaceholder(text[end]) {
			end++
		}
		if end < len(text) && text[end] == '>' && text[end-1] != ' ' {
			for j := i; j <= end; j++ {
				text[j] = 'X'
			}
		}
		i = end - 1
	}
	return string(text)
}

func inPlaceholder(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.IndexByte(" _-|./:", c) >= 0
}

// callOf returns the program that a command calls, also through another that
// is there for that.
func callOf(args []*syntax.Word) (call, bool) {
	for i, word := range args {
		name := word.Lit()
		switch {
		case i > 0 && (name == "" || name[0] == '-' || strings.Contains(name, "=")):
			continue // an option or a variable of what calls it
		case !isProgramName(name):
			return call{}, false
		}
		if callsAnother(name) {
			continue
		}
		return call{name, int(word.Pos().Offset())}, !shellBuiltin(name)
	}
	return call{}, false
}

// isProgramName reports whether a word is what programs are called, and not a
// placeholder, a path or the start of a sentence.
func isProgramName(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < 'a' || 'z' < c) && (i == 0 || (c < '0' || '9' < c) && c != '-' && c != '_' && c != '.' && c != '+') {
			return false
		}
	}
	return s != "" && s[len(s)-1] != '.'
}

var builtinSet = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for name := range strings.FieldsSeq(`alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown
		echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd
		read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset wait`) {
		set[name] = true
	}
	return set
})

// shellBuiltin reports whether bash itself has a command.
func shellBuiltin(name string) bool { return builtinSet()[name] }

// basePrograms are those that come with a system or with a language, so that
// nobody needs to be told how to get them: the utilities of POSIX and what is on
// most machines beside them.
const basePrograms = `
alias ar awk basename bc bg cal cat cd chgrp chmod chown cksum clear cmp comm command cp crontab csplit cut date dd df diff dirname du
echo ed egrep env ex expand expr false fc fg fgrep file find fold fuser getconf getopts grep groups hash head hostname iconv id jobs join kill
less link ln locale localedef logger login logname lp ls m4 mail make man mesg mkdir mkfifo mktemp more mv newgrp nice nl nohup nproc od
passwd paste patch pathchk pax pgrep pkill pr printenv printf ps pwd read readlink realpath renice rev rm rmdir sed seq shuf shred sleep sort
split stat stdbuf strings strip stty su sudo sum sync tac tail talk tee test time timeout top touch tput tr true truncate tsort tty type
ulimit umask unalias uname uncompress uniq unlink uptime users uudecode uuencode vi vim nano wait watch wc who whoami write xargs yes zcat
sh bash zsh dash ksh fish pwsh powershell cmd
base32 base64 md5 md5sum sha1sum sha256sum sha512sum shasum openssl xxd hexdump
tar gzip gunzip bzip2 bunzip2 xz unxz zip unzip cpio
curl wget ssh scp sftp ssh-keygen ssh-add ssh-agent rsync nc netcat ping ping6 dig host nslookup telnet traceroute ifconfig ip netstat ss route lsof
git svn gcc cc clang g++ c++ ld cmake
python python3 python2 pip pip3 pipx uv uvx conda poetry pytest node npm npx pnpm pnpx yarn bun bunx deno corepack tsx
go gofmt cargo rustc rustup java javac jar mvn gradle ruby gem bundle perl php composer lua swift swiftc dotnet
brew apt apt-get apt-cache dpkg dnf yum rpm pacman apk snap flatpak choco winget scoop port nix
systemctl journalctl service launchctl crontab mount umount dmesg free lsblk fdisk useradd usermod
open osascript defaults say security pbcopy pbpaste sw_vers system_profiler plutil mdfind mdls sips screencapture caffeinate pmset diskutil shortcuts xcrun xcodebuild codesign
xdg-open xclip notify-send where which start tasklist taskkill reg wmic icacls
docker docker-compose podman
`

// addedPrograms are some that come with no system, and that skills run most.
const addedPrograms = `
jq yq rg fd fzf bat ffmpeg ffprobe yt-dlp magick exiftool tesseract pandoc pdftotext pdftoppm pdfinfo pdfimages qpdf tmux gh glab
kubectl helm terraform aws gcloud az doctl flyctl vercel psql mysql redis-cli mongosh duckdb rclone shellcheck hugo
`

var addedSet = sync.OnceValue(func() map[string]bool { return set(addedPrograms) })

// addedProgram reports whether a program is certainly one that has to be
// installed.
func addedProgram(name string) bool { return addedSet()[name] }

var baseSet = sync.OnceValue(func() map[string]bool { return set(basePrograms) })

func set(names string) map[string]bool {
	set := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		set[name] = true
	}
	return set
}

// baseProgram reports whether a program is one that needs no recipe.
func baseProgram(name string) bool {
	return baseSet()[strings.TrimSuffix(strings.ToLower(name), ".exe")]
}
