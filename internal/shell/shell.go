// Package shell writes words and lines for people to give to a shell.
package shell

import "strings"

// Quote returns s as one word for a POSIX shell, as it is where it needs no
// quotes. It quotes nothing for Windows.
func Quote(s string) string {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("._-+:/@=,%", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// PutOnPath says how to put folders first on PATH: for a POSIX shell the line
// that does it, for Windows, which has no such line, in words.
func PutOnPath(goos string, dirs ...string) string {
	if goos == "windows" {
		return "put " + strings.Join(dirs, " and ") + " on PATH"
	}
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "`", "\\`")
	return `export PATH="` + escape.Replace(strings.Join(dirs, ":")) + `:$PATH"`
}
