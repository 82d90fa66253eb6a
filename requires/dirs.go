package requires

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
)

// UsualDirs returns the folders in which package managers put programs and
// which the PATH of a service often lacks, for [Options.Extra]: those of
// Homebrew, Go, npm, nvm, Rust, Deno, Bun, Volta, asdf, pyenv, Snap, pip and Debian's games, in
// the order in which they are to be searched. goos is a GOOS, home the home
// folder or empty, lookup as [os.LookupEnv] or nil. Whether they are there is
// not looked at, except that the versions installed by nvm are listed.
func UsualDirs(goos, home string, lookup func(string) (string, bool)) []string {
	var dirs []string
	add := func(elem ...string) {
		if elem[0] == "" {
			return // nothing is known of that folder
		}
		if dir := filepath.Join(elem...); filepath.IsAbs(dir) && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	env := func(name string) string {
		if lookup == nil {
			return ""
		}
		value, _ := lookup(name)
		return value
	}

	add(env("GOBIN"))
	for _, dir := range filepath.SplitList(env("GOPATH")) {
		add(dir, "bin")
	}
	add(home, "go", "bin")
	add(env("CARGO_HOME"), "bin")
	add(home, ".cargo", "bin")
	add(env("PNPM_HOME"))
	add(env("BUN_INSTALL"), "bin")
	add(home, ".bun", "bin")
	add(home, ".deno", "bin")
	add(env("VOLTA_HOME"), "bin")
	add(home, ".volta", "bin")
	if goos == "windows" {
		add(env("NPM_CONFIG_PREFIX"))
		add(env("APPDATA"), "npm")
		add(env("LOCALAPPDATA"), "Microsoft", "WinGet", "Links")
		add(env("LOCALAPPDATA"), "Microsoft", "WindowsApps")
		add(home, "scoop", "shims")
		add(env("ProgramData"), "chocolatey", "bin")
		return dirs
	}
	add(env("NPM_CONFIG_PREFIX"), "bin")
	add(home, ".npm-global", "bin")
	add(env("NVM_BIN"))
	if home != "" {
		// The pattern of a home with "[" in it finds nothing.
		versions, _ := filepath.Glob(filepath.Join(home, ".nvm", "versions", "node", "*", "bin"))
		slices.SortFunc(versions, func(a, b string) int { return compareNumbers(b, a) })
		for _, dir := range versions {
			add(dir)
		}
	}
	add(home, ".asdf", "shims")
	add(home, ".pyenv", "shims")
	add(home, ".local", "bin")
	add(home, "bin")
	add(env("HOMEBREW_PREFIX"), "bin")
	if goos == "darwin" {
		add("/opt/homebrew/bin")
		add("/opt/local/bin")
	} else {
		add("/home/linuxbrew/.linuxbrew/bin")
		add("/snap/bin")
		add("/usr/games") // of Debian, where the PATH of root does not lead
	}
	add("/usr/local/bin")
	return dirs
}

// compareNumbers compares texts that differ in the numbers between their dots,
// such as v9.11.2 and v22.1.0.
func compareNumbers(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "."), strings.Split(b, "."), func(x, y string) int {
		return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y))
	})
}
