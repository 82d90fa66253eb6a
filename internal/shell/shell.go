// Package shell writes words for shells.
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
