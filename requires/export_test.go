package requires

import (
	"context"
	"io"
)

// RuledPath returns the folders that [Host] takes for the path of an
// interpreter without starting it, in two groups: those for packages, and the
// library of the interpreter.
func RuledPath(opts *Options, exe string) (site, std []string, ok bool) {
	if _, ok := ruledPath(opts, exe); !ok {
		return nil, nil, false
	}
	in := &interpreter{exe: exe}
	if err := newPythonIndex(opts, nil).load(in); err != nil {
		return nil, nil, false
	}
	for _, d := range in.site {
		site = append(site, d.path)
	}
	for _, d := range in.std() {
		std = append(std, d.path)
	}
	return site, std, true
}

// AskPath starts an interpreter and returns its path.
func AskPath(ctx context.Context, opts *Options, exe string) ([]string, error) {
	return askPath(ctx, opts, exe)
}

// CopyAnswer returns what is kept of what an interpreter prints.
func CopyAnswer(r io.Reader) (string, error) {
	var b bounded
	_, err := io.Copy(&b, r)
	return b.buf.String(), err
}

// MaxAnswer is the size in bytes of what is kept.
const MaxAnswer = maxAnswer

// MayStart reports whether an interpreter may be started.
func MayStart(goos, exe string) error { return mayStart(goos, exe) }
