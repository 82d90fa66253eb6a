package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf8"

	"github.com/matrix-nexus/skillkit/internal/atomicfile"
	"github.com/matrix-nexus/skillkit/requires"
)

// SetEnv stores the value of an environment variable of a skill, given by its
// name or key, in the configuration file at path: [Entry.Environ] has it from
// then on. All else in the file stays as it is, byte for byte: comments, order,
// indentation, line ends. If path is a link, the file that it leads to is
// changed. A file that does not exist is made, and so is its folder, for
// nobody but the user; a file that others could read becomes private too.
//
// The file is replaced in one step. Two calls at the same time do not tear it,
// but one of the two changes may be lost.
//
// SetEnv refuses what [Parse] would not give back: a variable for which
// [requires.Reserved] holds, a value that holds a NUL or is not UTF-8, and a
// file that would become larger than [MaxFile]. It also refuses a file that
// cannot be read, or in which the place for the value is written in such a way
// that it cannot be changed safely; such an error is a [*SyntaxError] with the
// position of that place. Errors never hold the value.
func SetEnv(path, skill, name, value string) error {
	if err := checkEnv(skill, name, value); err != nil {
		return err
	}
	target, private := path, false
	var before []byte
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(path); err == nil {
			return &fs.PathError{Op: "write", Path: path, Err: errors.New("a link that leads nowhere; remove it or make the file that it names")}
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
	case err != nil:
		return err
	case !info.Mode().IsRegular(): // to open one might block
		return &fs.PathError{Op: "write", Path: path, Err: errors.New("not a regular file")}
	default:
		if target, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
		if before, _, err = read(target); err != nil {
			return err
		}
		private = info.Mode().Perm() == 0o600 || runtime.GOOS == "windows"
	}
	after, err := setEnv(path, before, skill, name, value)
	if err != nil {
		return err
	}
	if private && bytes.Equal(before, after) {
		return nil
	}
	return atomicfile.Write(target, after)
}

func checkEnv(skill, name, value string) error {
	switch {
	case !validVar(name) || !utf8.ValidString(name):
		return errors.New("not the name of an environment variable") // it may well hold the value
	case requires.Reserved(name):
		return fmt.Errorf("%s cannot be set for a skill", name)
	case skill == "" || !utf8.ValidString(skill):
		return fmt.Errorf("%q is not the name of a skill", skill)
	case !utf8.ValidString(value) || strings.ContainsRune(value, 0):
		return fmt.Errorf("the value for %s is not text: it holds a NUL or is not UTF-8", name)
	}
	return nil
}
