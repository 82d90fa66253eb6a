package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// defaultKey is the key of the entrypoint for all other platforms.
const defaultKey = "default"

// Entrypoint returns the path of the program for a platform, which [Platform]
// returns: that of the platform, else of its operating system, else the
// default. It is empty if there is none.
func (a *Archive) Entrypoint(platform string) string {
	keys := slices.Sorted(maps.Keys(a.Entrypoints))
	i, match := MatchPlatform(keys, platform)
	if match == MatchKey || match == MatchOS {
		return a.Entrypoints[keys[i]]
	}
	return a.Entrypoints[defaultKey]
}

// ErrNoEntrypoint is wrapped by the error of [Bundle.Entrypoint] for a bundle in
// which there is nothing to start.
var ErrNoEntrypoint = errors.New("no entrypoint")

// A Bundle is an archive that was unpacked.
type Bundle struct {
	Files    []File
	Archive  *Archive // its manifest.json; nil if it has none
	Platform string   // the platform it is for, which [Platform] returns
	// Asset is the entrypoint of the [Asset]; empty if it has none.
	Asset string
	// Name is what the launcher is called.
	Name string
}

// A File is one in a [Bundle].
type File struct {
	Name       string // slash-separated, relative to the root of the bundle
	Executable bool
}

// An Entrypoint is the program of a [Bundle].
type Entrypoint struct {
	Path string
	// Level is the rule that chose it: 1 the manifest.json of the archive, 2
	// the asset, 3 a usual place, 4 the only executable file, 5 the first
	// executable file, which is a guess.
	Level int
	// Others are the other executable files, if Level is 5.
	Others []string
}

// Entrypoint returns the program to start. What is declared has to be there, on
// Windows with ".exe" added if need be: another program is not started instead.
// The error says what was looked for.
func (b *Bundle) Entrypoint() (Entrypoint, error) {
	if b.Archive != nil {
		if want := b.Archive.Entrypoint(b.Platform); want != "" {
			return b.declared(want, 1, ArchiveFile)
		}
	}
	if b.Asset != "" {
		return b.declared(b.Asset, 2, "the asset")
	}
	if name := b.Name; name != "" {
		for _, want := range []string{"bin/" + name, "bin/" + name + ".exe", name, name + ".exe"} {
			if b.has(want) {
				return Entrypoint{Path: want, Level: 3}, nil
			}
		}
	}
	switch list := b.executables(); len(list) {
	case 0:
		return Entrypoint{}, fmt.Errorf("%w: the archive has no executable file; declare runtime.binary.entrypoint in its %s", ErrNoEntrypoint, ArchiveFile)
	case 1:
		return Entrypoint{Path: list[0], Level: 4}, nil
	default:
		return Entrypoint{Path: list[0], Level: 5, Others: list[1:]}, nil
	}
}

func (b *Bundle) declared(want string, level int, by string) (Entrypoint, error) {
	clean := path.Clean(want)
	if !IsLocal(want) {
		return Entrypoint{}, fmt.Errorf("%w: %q, which %s declares, is not a path inside the archive", ErrNoEntrypoint, want, by)
	}
	for _, name := range []string{clean, clean + ".exe"} {
		if b.has(name) && (name == clean || strings.HasPrefix(NormalPlatform(b.Platform), "windows-")) {
			return Entrypoint{Path: name, Level: level}, nil
		}
	}
	return Entrypoint{}, fmt.Errorf("%w: %q, which %s declares, is not in the archive; it has the executable files %q", ErrNoEntrypoint, want, by, b.executables())
}

func (b *Bundle) has(name string) bool {
	return slices.ContainsFunc(b.Files, func(f File) bool { return f.Name == name })
}

func (b *Bundle) executables() []string {
	var list []string
	for _, f := range b.Files {
		if f.Executable {
			list = append(list, f.Name)
		}
	}
	slices.Sort(list)
	return list
}

// IsLocal reports whether name is a slash-separated path that stays below the
// folder it is relative to, on every system: without "..", backslashes, colons
// and a leading slash.
func IsLocal(name string) bool {
	return !strings.ContainsAny(name, "\\:\x00") && !slices.Contains(strings.Split(name, "/"), "..") &&
		fs.ValidPath(path.Clean(name)) && path.Clean(name) != "."
}

// Placeholders are what {version}, {platform} and {tool_id} in a path stand
// for.
type Placeholders struct{ Version, Platform, ToolID string }

// Expand returns s with its placeholders replaced. The error names one that is
// not known or has no value.
func (p Placeholders) Expand(s string) (string, error) {
	values := map[string]string{"version": p.Version, "platform": p.Platform, "tool_id": p.ToolID}
	var b strings.Builder
	for {
		before, rest, open := strings.Cut(s, "{")
		b.WriteString(before)
		if !open {
			return b.String(), nil
		}
		name, after, closed := strings.Cut(rest, "}")
		value, known := values[name]
		switch {
		case !closed:
			return "", errors.New("a placeholder is not closed")
		case !known:
			return "", fmt.Errorf("no placeholder {%s}; there are {version}, {platform} and {tool_id}", name)
		case value == "":
			return "", fmt.Errorf("there is no value for {%s}", name)
		}
		b.WriteString(value)
		s = after
	}
}
