package install

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/matrix-nexus/skillkit/internal/proc"
	"github.com/matrix-nexus/skillkit/requires"
)

// grace is how long an installer may take to end after SIGTERM, before it is
// killed.
const grace = 5 * time.Second

// runCommand runs the command of a step and returns the end of its output. The
// processes that it leaves behind in its group are ended with it.
//
// The command works in the state folder, not in that of the caller, which may
// be the clone of a stranger's repository: a go.mod, .npmrc, uv.toml or
// .python-version there must not decide what is installed from where. It has no
// standard input and no terminal, so that a question that it asks gets no
// answer instead of waiting for one.
func runCommand(ctx context.Context, s *Step, opts *Options, emit func(line string)) (tail string, err error) {
	w := &lineWriter{emit: emit}
	cmd := exec.Command(s.Argv[0], s.Argv[1:]...)
	cmd.Env = environ(s, opts)
	cmd.Dir = opts.State
	cmd.Stdout, cmd.Stderr = w, w
	detach(cmd)
	err = proc.Run(ctx, cmd, grace)
	return w.close(), err
}

// environ returns the environment of the command of a step: that of the
// options without the variables of the dynamic loader and those that the step
// takes out, and with those that it sets. Two folders are added
// at the end of PATH: that of the program, which, found outside of PATH, often
// needs another one that lies beside it, as npm needs node; and that for the
// programs that it brings, without which pnpm refuses.
func environ(s *Step, opts *Options) []string {
	sep := ":"
	if opts.GOOS == "windows" {
		sep = ";"
	}
	var env, dirs []string
	path := "PATH"
	for _, entry := range opts.Environ {
		name, value, _ := strings.Cut(entry, "=")
		switch {
		case requires.LoaderVariable(name), slices.ContainsFunc(s.Unset, func(p string) bool { return matches(p, name, opts.GOOS) }):
		case sameName(name, "PWD", opts.GOOS), sameName(name, "OLDPWD", opts.GOOS): // of another folder
		case sameName(name, "PATH", opts.GOOS):
			path, dirs = name, nil
			if value != "" { // an empty folder is the current one
				dirs = strings.Split(value, sep)
			}
		default:
			env = append(env, entry)
		}
	}
	for _, dir := range []string{filepath.Dir(s.Argv[0]), s.BinDir} {
		if dir != "" && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return append(append(env, path+"="+strings.Join(dirs, sep), "PWD="+opts.State), s.Env...)
}

// matches reports whether a pattern of [Step.Unset] stands for a variable.
func matches(pattern, name, goos string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return len(name) >= len(prefix) && sameName(name[:len(prefix)], prefix, goos)
	}
	return sameName(name, pattern, goos)
}

// sameName compares names of variables, whose case does not matter on Windows.
func sameName(a, b, goos string) bool {
	return a == b || goos == "windows" && strings.EqualFold(a, b)
}
