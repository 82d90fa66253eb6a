package check

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// anybody are names in home folders that stand for any user, or that many
// machines and containers have.
var anybody = []string{
	"user", "username", "users", "name", "me", "myname", "myuser", "myusername", "you", "someone", "somebody", "foo", "bar", "xxx", "test", "testuser",
	"example", "alice", "bob", "jane", "john", "johndoe", "janedoe", "jdoe", "shared", "public", "default", "home", "app",
	"ubuntu", "debian", "ec2-user", "admin", "node", "runner", "vscode", "codespace", "coder", "jovyan", "linuxbrew", "pi", "vagrant", "agent",
	"sandbox", "claude", "openclaw", "clawd", "root",
}

func userSpecificPath(p *Pass) {
	start := len(p.Data) - len(p.Doc.Body)
	body := p.Doc.Body
	type home struct{ start, end, count int }
	var list []home
	seen := map[string]int{}
	for _, dir := range []string{"home", "Users"} {
		for at := 0; ; {
			i := bytes.Index(body[at:], []byte(dir))
			if i < 0 {
				break
			}
			from, to, name := homeFolder(body, at+i, dir)
			at += i + len(dir)
			if name == "" || isAnybody(name) {
				continue
			}
			if n, ok := seen[dir+"/"+name]; ok {
				list[n].count++
				continue
			}
			seen[dir+"/"+name] = len(list)
			list = append(list, home{start + from, start + to, 1})
		}
	}
	for _, h := range list {
		text := string(p.Data[h.start:h.end])
		more := ""
		if h.count > 1 {
			more = fmt.Sprintf(" (%d times in the text)", h.count)
		}
		p.Report(Finding{
			Position: p.Position(h.start), End: p.Position(h.end),
			Message: fmt.Sprintf("%q is the home folder of one user%s; write ~ or {baseDir}, or ask for the path", clip(text), more),
		})
	}
}

// homeFolder returns where the path of a home folder starts and stops whose
// word dir is at offset at, and the name of the user; an empty name if it is
// none, or nothing follows it.
func homeFolder(text []byte, at int, dir string) (start, stop int, name string) {
	before := bytes.TrimRight(text[:at], `\`)
	windows := len(before) < at
	if !windows {
		if before = bytes.TrimSuffix(before, []byte("/")); len(before) == at {
			return 0, 0, ""
		}
	}
	start = len(before)
	if n := len(before); n > 1 && before[n-1] == ':' && isWordByte(before[n-2]) && dir == "Users" {
		start -= 2
		windows = true
	} else if windows {
		return 0, 0, ""
	}
	// In the middle of a path or an address it is another folder.
	if start > 0 {
		if r, _ := utf8.DecodeLastRune(text[:start]); r < utf8.RuneSelf && (isPathByte(byte(r)) || strings.ContainsRune(`~}>)*%\`, r)) {
			return 0, 0, ""
		}
	}
	stop = at + len(dir)
	sep := stop
	for sep < len(text) && (text[sep] == '/' || windows && text[sep] == '\\') {
		sep++
	}
	stop = sep
	for stop < len(text) && (isWordByte(text[stop]) || text[stop] == '.' || text[stop] == '-') {
		stop++
	}
	if sep == at+len(dir) || stop == len(text) || text[stop] != '/' && !(windows && text[stop] == '\\') {
		return 0, 0, ""
	}
	return start, stop, string(text[sep:stop])
}

// isAnybody reports whether name stands for any user.
func isAnybody(name string) bool {
	name = strings.ToLower(name)
	return len(name) < 2 || '0' <= name[0] && name[0] <= '9' || slices.Contains(anybody, name) || strings.HasPrefix(name, "your") || strings.HasPrefix(name, "my-") ||
		strings.Contains(name, "user") || strings.Contains(name, "name") || strings.Trim(name, ".x-_") == ""
}
