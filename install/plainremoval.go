package install

import (
	"regexp"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/metadata"
)

// Commands that remove packages and do nothing else, as they stand in recipes.
// Those of Node must have a global flag too.
var plainRemovals = []struct {
	words string
	kind  metadata.Kind
}{
	{"brew uninstall", metadata.KindBrew}, {"brew remove", metadata.KindBrew}, {"brew rm", metadata.KindBrew},
	{"apt-get remove", metadata.KindApt}, {"apt-get purge", metadata.KindApt},
	{"apt remove", metadata.KindApt}, {"apt purge", metadata.KindApt},
	{"pip uninstall", metadata.KindPip}, {"pip3 uninstall", metadata.KindPip},
	{"python -m pip uninstall", metadata.KindPip}, {"python3 -m pip uninstall", metadata.KindPip},
	{"uv pip uninstall", metadata.KindPip}, {"uv tool uninstall", metadata.KindUv},
	{"npm uninstall", metadata.KindNpm}, {"npm remove", metadata.KindNpm}, {"npm rm", metadata.KindNpm}, {"npm un", metadata.KindNpm},
	{"pnpm remove", metadata.KindNpm}, {"pnpm rm", metadata.KindNpm}, {"bun remove", metadata.KindNpm}, {"bun rm", metadata.KindNpm},
	{"yarn global remove", metadata.KindNpm},
	{"pipx uninstall", metadata.KindPipx}, {"cargo uninstall", metadata.KindCargo}, {"gem uninstall", metadata.KindGem},
	{"dnf remove", metadata.KindDnf}, {"dnf erase", metadata.KindDnf},
	{"choco uninstall", metadata.KindChoco}, {"winget uninstall", metadata.KindWinget},
}

// Flags of those commands that change nothing about what is removed.
var plainFlags = []string{"-y", "--yes", "--assume-yes", "-q", "-qq", "--quiet", "--silent", "--force", "-f", "--formula", "--cask",
	"-x", "--executables", "-a", "--all", "--id", "-e", "--exact", "--"}

var (
	globalFlags = []string{"-g", "--global"}
	plainWord   = regexp.MustCompile(`^[A-Za-z0-9@][A-Za-z0-9@/._+:=~-]*$`)
)

// plainRemoval reads a command that calls a package manager, perhaps through
// sudo, to remove packages. Anything that a shell would make something of makes
// it none.
func plainRemoval(command string) (kind metadata.Kind, packages []string, ok bool) {
	if strings.ContainsAny(command, "\n\r") || len(command) > MaxCommand {
		return "", nil, false
	}
	words := strings.Fields(command)
	if len(words) > 0 && words[0] == "sudo" {
		if words = words[1:]; len(words) > 0 && words[0] == "-n" {
			words = words[1:]
		}
	}
	global := false
	var plain []string
	for i, w := range words {
		switch {
		case slices.Contains(globalFlags, w):
			global = true
		case w == "-m" && i == 1: // of Python
			plain = append(plain, w)
		case slices.Contains(plainFlags, w):
		case !plainWord.MatchString(w):
			return "", nil, false
		default:
			plain = append(plain, w)
		}
	}
	for _, form := range plainRemovals {
		n := strings.Count(form.words, " ") + 1
		if len(plain) > n && strings.Join(plain[:n], " ") == form.words {
			if node := form.kind == metadata.KindNpm; node && !global && plain[0] != "yarn" {
				return "", nil, false
			}
			return form.kind, plain[n:], true
		}
	}
	return "", nil, false
}
