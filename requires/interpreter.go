package requires

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/matrix-nexus/skillkit/internal/proc"
)

const (
	// askLimit is how long an interpreter may take to tell its path.
	askLimit = 10 * time.Second
	// askGrace is how long it may take to end after that.
	askGrace = time.Second
	// maxAnswer is the size in bytes of what it may print.
	maxAnswer = 1 << 20
)

// An interpreter is a Python whose packages count. Its fields are guarded by
// the index that it belongs to.
type interpreter struct {
	exe    string // absolute
	loaded bool
	err    error      // why its path is not known
	site   []*siteDir // where distributions are, in the order in which it looks
	// std returns the folders of its own library, if they are not part of site.
	std func() []*siteDir
}

// VenvPython returns the path of the interpreter of the virtual environment in
// the folder dir. goos is a GOOS.
func VenvPython(goos, dir string) string {
	if goos == "windows" {
		return filepath.Join(dir, "Scripts", "python.exe")
	}
	return filepath.Join(dir, "bin", "python")
}

// load reads the folders of an interpreter, unless it was done.
func (x *pythonIndex) load(in *interpreter) error {
	if in.loaded {
		return in.err
	}
	in.loaded = true
	path, ok := ruledPath(x.opts, in.exe)
	if !ok {
		ctx, cancel := context.WithTimeoutCause(context.Background(), askLimit, fmt.Errorf("no answer within %v", askLimit))
		defer cancel()
		path.first, in.err = askPath(ctx, x.opts, in.exe)
	}
	for _, dir := range path.first {
		in.site = x.appendDir(in.site, dir)
	}
	for _, dir := range path.site {
		n := len(in.site)
		if in.site = x.appendDir(in.site, dir); len(in.site) == n {
			continue
		}
		for _, dir := range in.site[n].pathFiles() {
			in.site = x.appendDir(in.site, dir)
		}
	}
	in.std = sync.OnceValue(func() (list []*siteDir) {
		for _, dir := range path.std {
			list = x.appendDir(list, dir)
		}
		return list
	})
	return in.err
}

// appendDir reads a folder, unless it was done, and appends it to list, unless
// it is there, or there is no such folder.
func (x *pythonIndex) appendDir(list []*siteDir, path string) []*siteDir {
	d, ok := x.dirs[path]
	if !ok {
		d = readSiteDir(path)
		x.dirs[path] = d
	}
	if d == nil || slices.Contains(list, d) {
		return list
	}
	return append(list, d)
}

// builtins are modules that each build of CPython 3 has for the system, in the
// program itself or in a folder.
var builtins = [...]string{
	"array", "atexit", "binascii", "builtins", "cmath", "errno", "faulthandler", "gc", "itertools",
	"marshal", "math", "pyexpat", "select", "sys", "time", "unicodedata", "zlib",
}

// module returns the file or folder of a module, which for a part of the
// interpreter is the interpreter, or "".
func (in *interpreter) module(name string) string {
	for _, dirs := range [...][]*siteDir{in.site, in.std()} {
		for _, dir := range dirs {
			if where := dir.module(name); where != "" {
				return where
			}
		}
	}
	if slices.Contains(builtins[:], name) {
		return in.exe
	}
	return ""
}

// question makes an interpreter print sys.path as its last line, which is JSON.
// The folder in which it is started goes out of the path before anything is
// imported that could come from there; sys and os are there from the start.
const question = `import sys, os
path, sys.path = sys.path, [p for p in sys.path if p not in ("", os.getcwd())]
import json
print("\n" + json.dumps(path))`

// asked are the variables that an interpreter gets which is asked for its path:
// those by which it and its usual wrappers decide on it.
var asked = [...]string{
	"PATH", "HOME", "PYTHONHOME", "PYTHONPATH", "PYTHONPLATLIBDIR", "PYTHONUSERBASE", "PYTHONNOUSERSITE", "PYTHONSAFEPATH",
	"PYENV_ROOT", "PYENV_VERSION", "PYENV_DIR", "ASDF_DIR", "ASDF_DATA_DIR", "ASDF_PYTHON_VERSION", "MISE_DATA_DIR", "MISE_CONFIG_DIR",
	"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "DEVELOPER_DIR",
	"APPDATA", "LOCALAPPDATA", "PATHEXT", "SYSTEMROOT", "TEMP", "USERPROFILE",
}

// askPath starts an interpreter and returns its sys.path. It ends with ctx.
func askPath(ctx context.Context, opts *Options, exe string) ([]string, error) {
	if err := mayStart(opts.GOOS, exe); err != nil {
		return nil, err
	}
	cmd := exec.Command(exe, "-c", question)
	cmd.Env = []string{} // not that of this process
	for _, name := range asked {
		if value, ok := opts.Lookup(name); ok {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	var out, problems bounded
	cmd.Stdout, cmd.Stderr = &out, &problems
	err := proc.Run(ctx, cmd, askGrace)
	if _, ended := errors.AsType[*exec.ExitError](err); ended {
		if line := lastLine(problems.buf.Bytes()); line != "" {
			err = fmt.Errorf("%w: %s", err, line)
		}
	}
	var dirs []string
	if err == nil {
		if err = json.Unmarshal([]byte(lastLine(out.buf.Bytes())), &dirs); err != nil {
			err = errors.New("does not print its path")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", exe, err)
	}
	return slices.DeleteFunc(dirs, func(dir string) bool { return !filepath.IsAbs(dir) }), nil
}

// mayStart refuses to start what is not an interpreter but a program of macOS
// that opens a dialog to install one.
func mayStart(goos, exe string) error {
	if goos != "darwin" || filepath.Dir(exe) != "/usr/bin" {
		return nil
	}
	for _, tools := range [...]string{"/Library/Developer/CommandLineTools", "/Applications/Xcode.app/Contents/Developer"} {
		if isFile(tools + "/usr/bin/python3") {
			return nil
		}
	}
	return fmt.Errorf("%s: not started, as the command line tools are not installed: run xcode-select --install", exe)
}

// lastLine returns the last line that is not empty, without control characters.
func lastLine(text []byte) string {
	text = bytes.TrimSpace(text)
	text = text[bytes.LastIndexByte(text, '\n')+1:]
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, string(bytes.TrimSpace(text)))
}

// bounded keeps the last of what is written to it, up to maxAnswer bytes. It
// does not embed the buffer, which would let [io.Copy] write past the bound.
type bounded struct{ buf bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	n := len(p)
	if b.buf.Len()+n > maxAnswer {
		b.buf.Reset()
		p = p[max(0, n-maxAnswer):]
	}
	b.buf.Write(p)
	return n, nil
}
