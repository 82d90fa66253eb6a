package executa

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"

	"github.com/matrix-nexus/skillkit/executa/manifest"
	"github.com/matrix-nexus/skillkit/internal/proc"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/registry"
)

// A command is what a Spec comes to: how to start a process.
type command struct {
	// id is that by which the plugin is known before it has described itself;
	// empty if nothing but its answer can tell.
	id     string
	argv   []string         // the first is the absolute path of the program
	dir    string           // its working directory; empty means that of the host
	env    []string         // complete, but for the private folder
	known  *manifest.Plugin // the manifest beside executa.json, or nil
	sha256 string           // see Spec.SHA256
}

// A launch is the making of a command.
type launch struct {
	spec *Spec
	opts *Options
	goos string
	dir  string            // absolute, without symbolic links; or empty
	exec *manifest.Executa // never nil; empty if there is no file
	env  *environ
	argv []string // what was decided; the first may be a name
	cwd  string
}

// resolve says how the plugin of spec is started. It starts nothing. The error is a
// [*StartError].
func resolve(spec *Spec, opts *Options) (_ *command, err error) {
	defer func() {
		if err != nil {
			err = &StartError{Plugin: cmp.Or(spec.ID, spec.Dir), Stage: "launch", Err: err}
		}
	}()
	if spec.ID != "" && !registry.ValidID(spec.ID) {
		return nil, fmt.Errorf("%q is not a tool id: one has letters, digits and . _ : - and starts with a letter", spec.ID)
	}
	l := &launch{spec: spec, opts: opts, goos: runtime.GOOS, exec: &manifest.Executa{Enabled: true}}
	l.env = newEnviron(l.goos, opts.Environ, spec.InheritEnv)
	if err := l.env.add(spec.Env); err != nil {
		return nil, err
	}
	c := &command{sha256: spec.SHA256}
	if spec.Dir != "" {
		if err := l.folder(); err != nil {
			return nil, err
		}
		c.known = l.known()
	}
	if err := l.decide(); err != nil {
		return nil, err
	}
	program, err := l.lookPath(l.argv[0])
	if err != nil {
		return nil, err
	}
	c.id = manifest.Identity(spec.ID, l.exec, c.known)
	c.argv = append([]string{program}, l.argv[1:]...)
	c.dir = l.cwd
	c.env = l.env.list
	return c, nil
}

// folder reads the executa.json of the folder, if there is one.
func (l *launch) folder() error {
	dir, err := filepath.Abs(l.spec.Dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return err
	}
	l.dir, l.cwd = dir, dir
	if !isDir(dir) {
		return fmt.Errorf("%s is not a folder", dir)
	}
	file := filepath.Join(dir, manifest.ExecutaFile)
	data, err := readFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	if l.exec, err = manifest.ParseExecuta(file, data); err != nil {
		return err
	}
	if err := refuse(l.exec.Problems); err != nil {
		return err
	}
	if err := l.unread(); err != nil {
		return err
	}
	switch {
	case l.exec.Kind == "skill":
		return fmt.Errorf("%s: this is a skill, not a plugin to start", file)
	case !l.exec.Enabled:
		return fmt.Errorf("%s: the plugin is disabled; remove \"enabled\": false to use it", file)
	}
	return nil
}

// unread returns an error for a field that decides about the start and could not
// be read: something else must not be started instead.
func (l *launch) unread() error {
	e := l.exec
	fields := map[metadata.Position]bool{}
	if e.Command == nil {
		fields[e.At("/command")] = e.Has("/command")
	}
	for i, arg := range e.Command {
		fields[e.At("/command/"+strconv.Itoa(i))] = arg == ""
	}
	for _, key := range []string{"/type", "/enabled", "/executa_type"} {
		fields[e.At(key)] = e.Has(key)
	}
	for _, p := range e.Problems {
		if fields[p.Position] {
			return errors.New(p.String())
		}
	}
	return nil
}

// refuse returns an error for the first problem by which what is started could be
// something else than was meant.
func refuse(problems []metadata.Problem) error {
	for _, p := range problems {
		if p.Severity == metadata.Error {
			return errors.New(p.String())
		}
	}
	return nil
}

// known returns the manifest that a plugin answers describe with, if it is in the
// folder and can be read. Otherwise the plugin is asked.
func (l *launch) known() *manifest.Plugin {
	name := l.exec.ManifestFile
	if name == "" {
		name = manifest.ArchiveFile
	}
	if l.exec.File == "" || !manifest.IsLocal(name) {
		return nil
	}
	file := filepath.Join(l.dir, filepath.FromSlash(name))
	data, err := readFile(file)
	if err != nil {
		return nil
	}
	p, err := manifest.ParsePlugin(file, data)
	if err != nil || refuse(p.Problems) != nil || !p.Has("/tools") {
		return nil // without tools it is that of an archive
	}
	return p
}

// decide sets argv, and what of the environment goes with it.
func (l *launch) decide() error {
	switch {
	case l.spec.Command != nil:
		l.argv = l.spec.Command
	case l.exec.Command != nil:
		l.argv = l.exec.Command
	case l.dir == "":
		return errors.New("the plugin has neither a folder nor a command")
	default:
		return l.byType()
	}
	if len(l.argv) == 0 || l.argv[0] == "" {
		return errors.New("the command of the plugin is empty")
	}
	l.python() // it may be one, and others do not mind
	return nil
}

// byType decides on what the folder says that it is, or looks like.
func (l *launch) byType() error {
	kind := l.exec.Type
	if kind == "" {
		kind = l.detect()
	}
	switch kind {
	case "python":
		return l.pythonProject()
	case "node":
		return l.nodePackage()
	case "go":
		return l.goModule()
	case "binary":
		return l.bundle()
	case "":
		return fmt.Errorf("%s: nothing says how to start it: no executa.json with a type or a command, no pyproject.toml, package.json, go.mod or bin", l.dir)
	}
	return fmt.Errorf("%s: type %q is not known; there are python, node, go and binary", l.exec.File, kind)
}

// detect says what a folder looks like. One that says nothing of itself and whose
// id was given is a project to run with uv.
func (l *launch) detect() string {
	for _, sign := range []struct{ name, kind string }{
		{"pyproject.toml", "python"}, {"package.json", "node"}, {"go.mod", "go"},
	} {
		if l.has(sign.name) {
			return sign.kind
		}
	}
	switch {
	case isDir(filepath.Join(l.dir, "bin")) || isDir(filepath.Join(l.dir, "current")):
		return "binary"
	case l.exec.File == "" && l.spec.ID != "" || l.pythonFile() != "":
		return "python"
	}
	return ""
}

// names returns the names that a file of the plugin may have, the best first.
func (l *launch) names() []string {
	var list []string
	for _, name := range []string{l.spec.ID, l.exec.ToolID, l.exec.Name, l.exec.Slug, filepath.Base(l.dir)} {
		if name != "" && manifest.IsLocal(name) && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// lookPath finds a program on the PATH that the plugin gets.
func (l *launch) lookPath(name string) (string, error) {
	dir := l.dir
	if dir == "" {
		var err error
		if dir, err = filepath.Abs("."); err != nil {
			return "", err
		}
	}
	s := &proc.Search{
		Windows: l.goos == "windows", Path: l.env.get("PATH"), Ext: l.env.get("PATHEXT"),
		IsProgram: func(file string) bool {
			_, err := exec.LookPath(file)
			return err == nil
		},
	}
	return s.LookPath(name, dir)
}

// has reports whether the folder has a file.
func (l *launch) has(name string) bool { return isFile(filepath.Join(l.dir, filepath.FromSlash(name))) }

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// readFile reads a file of at most [manifest.MaxFile] bytes, and one byte more of
// a larger one, which its parser refuses.
func readFile(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, manifest.MaxFile+1))
}
