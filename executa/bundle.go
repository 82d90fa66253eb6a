package executa

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/executa/manifest"
)

// maxBundle is how many files of a binary plugin are looked at.
const maxBundle = 100_000

// bundle decides on the program of a binary plugin and sets the environment that
// the page on binaries gives it.
func (l *launch) bundle() error {
	home := l.dir
	// An upgrade puts another folder in the place of current, while this one is
	// in use.
	if current := filepath.Join(home, "current"); isDir(current) {
		real, err := filepath.EvalSymlinks(current)
		if err != nil {
			return err
		}
		home = real
	}
	b := &manifest.Bundle{Platform: manifest.Platform(l.goos, runtime.GOARCH)}
	var err error
	if b.Files, err = bundleFiles(home, l.goos); err != nil {
		return err
	}
	if b.Archive, err = archiveManifest(filepath.Join(home, manifest.ArchiveFile)); err != nil {
		return err
	}
	if names := l.names(); len(names) > 0 {
		b.Name = names[0]
	}
	if p := l.exec.Profile(); p != nil {
		if p.ExecutableName != "" {
			b.Name = p.ExecutableName
		}
		b.Asset = assetEntrypoint(p, b.Platform)
	}
	entry, err := b.Entrypoint()
	if err != nil {
		return fmt.Errorf("%s: %w", home, err)
	}
	if len(entry.Others) > 0 && l.opts.Logger != nil {
		l.opts.Logger.Warn("plugin has several programs and says not which to start: the first is taken",
			"folder", home, "started", entry.Path, "others", entry.Others)
	}
	l.argv = []string{filepath.Join(home, filepath.FromSlash(entry.Path))}
	l.cwd = home
	l.home(home)
	return nil
}

// home sets the environment of a program that is installed in the folder home.
func (l *launch) home(home string) {
	dirs := func(names ...string) (list []string) {
		for _, name := range names {
			if dir := filepath.Join(home, filepath.FromSlash(name)); isDir(dir) {
				list = append(list, dir)
			}
		}
		return list
	}
	l.env.set("EXECUTA_HOME", home)
	if data := dirs("data"); data != nil {
		l.env.set("EXECUTA_DATA", data[0])
	}
	switch l.goos {
	case "windows":
		l.env.prepend("PATH", dirs("share/bin", "lib")...)
	case "darwin":
		l.env.prepend("PATH", dirs("share/bin")...)
		l.env.prepend("DYLD_LIBRARY_PATH", dirs("lib", "lib64")...)
	default:
		l.env.prepend("PATH", dirs("share/bin")...)
		l.env.prepend("LD_LIBRARY_PATH", dirs("lib", "lib64")...)
	}
}

// bundleFiles lists the files below a folder. Links count as what they lead to.
func bundleFiles(home, goos string) ([]manifest.File, error) {
	var list []manifest.File
	err := filepath.WalkDir(home, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return filepath.SkipDir
		case d.IsDir():
			return nil
		case len(list) == maxBundle:
			return fmt.Errorf("%s has more than %d files", home, maxBundle)
		}
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			return nil // a link to nowhere, say
		}
		rel, err := filepath.Rel(home, name)
		if err != nil {
			return err
		}
		executable := info.Mode()&0o111 != 0
		if goos == "windows" {
			ext := strings.ToLower(filepath.Ext(name))
			executable = slices.Contains([]string{".exe", ".com", ".bat", ".cmd"}, ext)
		}
		list = append(list, manifest.File{Name: filepath.ToSlash(rel), Executable: executable})
		return nil
	})
	return list, err
}

func archiveManifest(file string) (*manifest.Archive, error) {
	data, err := readFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	a, err := manifest.ParseArchive(file, data)
	if err != nil {
		return nil, err
	}
	return a, refuse(a.Problems)
}

// assetEntrypoint returns the entrypoint that a profile declares for a platform.
func assetEntrypoint(p *manifest.Profile, platform string) string {
	for _, assets := range [][]manifest.Asset{p.BinaryURLs, p.BinaryArtifacts} {
		keys := make([]string, len(assets))
		for i, a := range assets {
			keys[i] = a.Platform
		}
		if i, _ := manifest.MatchPlatform(keys, platform); i >= 0 && assets[i].Entrypoint != "" {
			return assets[i].Entrypoint
		}
	}
	return ""
}
