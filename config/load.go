package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/matrix-nexus/skillkit/metadata"
)

// Load reads the configuration file at path as [Parse] does. A file that does
// not exist is an empty one. Relative paths in it are taken from its folder. A
// file that holds secrets and is open to other users is a problem (not on
// Windows, where the mode does not tell). The error is a [*SyntaxError] or an
// [*fs.PathError].
func Load(path string) (*Config, []metadata.Problem, error) {
	data, info, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &Config{}, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	c, problems, err := Parse(path, data)
	if err != nil {
		return nil, nil, err
	}

	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, nil, &fs.PathError{Op: "abs", Path: path, Err: err}
	}
	for _, list := range [][]string{c.Roots, c.Paths, c.Python} {
		for i, path := range list {
			list[i] = from(dir, path)
		}
	}
	if c.Workspace != "" {
		c.Workspace = from(dir, c.Workspace)
	}
	for i := range c.Plugins {
		switch p := &c.Plugins[i]; {
		case p.Dir != "":
			p.Dir = from(dir, p.Dir)
		case strings.ContainsRune(filepath.ToSlash(p.Command[0]), '/'):
			p.Command[0] = from(dir, p.Command[0])
		}
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode&0o077 != 0 && c.holdsSecrets() {
		problems = append([]metadata.Problem{{
			Code: codeReadable, Severity: metadata.Warning, File: path,
			Message: fmt.Sprintf("holds secrets and has mode %#o, which lets other users at them; run: chmod 600 %s", mode, path),
		}}, problems...)
	}
	return c, problems, nil
}

// read returns the content of a file, cut one byte past [MaxFile].
func read(path string) ([]byte, fs.FileInfo, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if info.IsDir() {
		return nil, nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("a folder, not a regular file")}
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err != nil {
		return nil, nil, err
	}
	return data, info, nil
}

// from returns path as seen from dir, unless it starts at the home folder.
func from(dir, path string) string {
	if filepath.IsAbs(path) || path == "~" || strings.HasPrefix(path, "~/") || strings.HasPrefix(path, `~\`) {
		return path
	}
	return filepath.Join(dir, path)
}

func (c *Config) holdsSecrets() bool {
	for _, s := range c.skills {
		if s.apiKey != nil || len(s.env) > 0 || len(s.paths) > 0 {
			return true
		}
	}
	for _, p := range c.Plugins {
		if len(p.env) > 0 {
			return true
		}
	}
	return false
}
