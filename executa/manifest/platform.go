package manifest

import (
	"path"
	"slices"
	"strings"
)

// Platforms returns the platform keys that are known.
func Platforms() []string {
	return []string{
		"darwin-arm64", "darwin-x86_64",
		"linux-x86_64", "linux-aarch64", "linux-armv7l",
		"windows-x86_64", "windows-arm64",
	}
}

// Platform returns the platform key of a system in Go's names, such as
// runtime.GOOS and runtime.GOARCH.
func Platform(goos, goarch string) string {
	if goarch == "arm" {
		goarch = "armv7l"
	}
	return NormalPlatform(goos + "-" + goarch)
}

// NormalPlatform returns the form of a platform key in which keys are compared:
// in lower case, with amd64 and x64 as x86_64, armv7 as armv7l, arm64 as
// aarch64 on Linux and the reverse elsewhere, macos as darwin and win32 as
// windows. What it does not know it keeps.
func NormalPlatform(key string) string {
	os, arch, ok := strings.Cut(strings.ToLower(strings.TrimSpace(key)), "-")
	switch os {
	case "macos":
		os = "darwin"
	case "win32":
		os = "windows"
	}
	if !ok {
		return os
	}
	switch arch {
	case "amd64", "x64":
		arch = "x86_64"
	case "armv7":
		arch = "armv7l"
	case "arm64", "aarch64":
		arch = "arm64"
		if os == "linux" {
			arch = "aarch64"
		}
	}
	return os + "-" + arch
}

// IsWildcard reports whether a platform key stands for more than one platform:
// "*", "any", "universal" and an operating system with "-*" or alone.
func IsWildcard(key string) bool {
	normal := NormalPlatform(key)
	if slices.Contains(wildcards, normal) {
		return true
	}
	os := strings.TrimSuffix(normal, "-*")
	return os == "darwin" || os == "linux" || os == "windows"
}

var wildcards = []string{"*", "any", "universal"}

// A Match says how [MatchPlatform] chose a key.
type Match int

const (
	NoMatch   Match = iota
	MatchKey        // the platform itself
	MatchOS         // its operating system, such as "darwin-*"
	MatchAny        // "*", "any" or "universal"
	MatchOnly       // the only key there is, which may be that of another platform
)

// MatchPlatform returns the index of the key for a platform, which [Platform]
// returns: that of the platform, else of its operating system, else of any
// platform, else the only key there is. The index is -1 if there is none.
func MatchPlatform(keys []string, platform string) (int, Match) {
	platform = NormalPlatform(platform)
	os, _, _ := strings.Cut(platform, "-")
	find := func(want ...string) int {
		return slices.IndexFunc(keys, func(k string) bool { return slices.Contains(want, NormalPlatform(k)) })
	}
	if i := find(platform); i >= 0 {
		return i, MatchKey
	}
	if i := find(os+"-*", os); i >= 0 {
		return i, MatchOS
	}
	if i := find(wildcards...); i >= 0 {
		return i, MatchAny
	}
	if len(keys) == 1 {
		return 0, MatchOnly
	}
	return -1, NoMatch
}

// Formats returns the values that the format of an [Asset] may have.
func Formats() []string { return []string{"tar.gz", "tgz", "zip", "raw"} }

// FormatOf returns the format that the suffix of a URL or path tells: "tar.gz",
// "tgz" or "zip", else "raw" for a program that is not in an archive.
func FormatOf(url string) string {
	if i := strings.IndexAny(url, "?#"); i >= 0 {
		url = url[:i]
	}
	name := strings.ToLower(path.Base(url))
	for _, format := range Formats() {
		if strings.HasSuffix(name, "."+format) {
			return format
		}
	}
	return "raw"
}
