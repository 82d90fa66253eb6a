package publish

import (
	"path"
	"slices"
	"strings"
)

// A Why says why something in a folder is not published.
type Why string

const (
	// Secret is what usually holds credentials, such as .env or id_rsa.
	Secret Why = "secret"
	// Junk is what systems, editors and package managers leave behind.
	Junk Why = "junk"
	// Hidden is any other name that begins with a dot.
	Hidden Why = "hidden"
	// Ignored is what a .gitignore in the skill's folder excludes.
	Ignored Why = "ignored"
)

// Names of files, in lower case, as [path.Match] has them.
var (
	secretFiles = []string{
		".env", ".env.*", ".envrc", "*.env", ".netrc", "_netrc", ".npmrc", ".pypirc", ".git-credentials", ".pgpass",
		"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "*.ppk", "*.kdbx",
	}
	junkFiles = []string{
		".ds_store", "._*", ".localized", "thumbs.db", "ehthumbs.db", "desktop.ini",
		"*~", "#*#", ".#*", "*.swp", "*.swo", "*.swn",
		"*.pyc", "*.pyo", "npm-debug.log",
	}
	secretDirs = []string{".ssh", ".aws", ".gnupg"}
	junkDirs   = []string{
		"__macosx", ".idea", ".vscode",
		"node_modules", "venv", ".venv", "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".tox",
	}
)

// leaveOut returns why an entry of that name is not published, or "". It does
// not look at the folders above it.
func leaveOut(name string, dir bool) Why {
	base := strings.ToLower(path.Base(name))
	matches := func(glob string) bool {
		ok, _ := path.Match(glob, base) // the patterns are well formed
		return ok
	}
	secrets, junk := secretFiles, junkFiles
	if dir {
		secrets, junk = secretDirs, junkDirs
	}
	switch {
	case slices.ContainsFunc(secrets, matches):
		return Secret
	case slices.ContainsFunc(junk, matches):
		return Junk
	case base[0] == '.':
		return Hidden
	}
	return ""
}

// leaveOutBelow returns the first part of the path name of a file that is not
// published, whether that is a folder, and why; or name and "".
func leaveOutBelow(name string, ig *ignorer) (part string, dir bool, why Why, detail string) {
	for i := range len(name) + 1 {
		if i < len(name) && name[i] != '/' {
			continue
		}
		part, dir = name[:i], i < len(name)
		if why := leaveOut(part, dir); why != "" {
			return part, dir, why, ""
		}
		if origin := ig.match(part, dir); origin != "" {
			return part, dir, Ignored, origin
		}
	}
	return name, false, "", ""
}
