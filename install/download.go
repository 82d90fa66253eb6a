package install

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/matrix-nexus/skillkit/internal/unpack"
)

// staging is what the folders in tools begin with in which a download is made
// ready. Such a folder holds
//
//	body    what was downloaded
//	new/    what is to be in place
//	old/    what was in place, on its way out
//	target  the path below the state folder that old is from, where the two
//	        cannot be exchanged in one step
const staging = ".download-"

// download replaces d.Dir by what d says, and returns the SHA-256 of what came
// over the line. Until all of it has come, been compared with d.SHA256 and been
// unpacked, what is there stays as it is; then the two are exchanged in one step,
// where the system can do that (Linux and macOS). If the process is killed the
// old or the new content is in place, and the rest is for [sweep] to remove; on
// other systems there is a moment in which neither is, after which sweep puts
// the old content back.
//
// progress, if not nil, is told how many bytes came, and of how many, or 0.
func download(ctx context.Context, d *Download, opts *Options, progress func(bytes, total int64)) (sum string, err error) {
	l := downloader{fetcher: newFetcher(opts.Environ), exchange: exchange, reached: func(string) {}}
	return l.run(ctx, d, opts.State, progress)
}

// A downloader is what download does, with what tests replace.
type downloader struct {
	*fetcher
	// exchange exchanges two folders in one step, or fails with
	// [errors.ErrUnsupported].
	exchange func(root *os.Root, a, b string) error
	// reached is told each step that was done.
	reached func(stage string)
}

func (l *downloader) run(ctx context.Context, d *Download, state string, progress func(bytes, total int64)) (sum string, err error) {
	root, err := os.OpenRoot(state)
	if err != nil {
		return "", err
	}
	defer root.Close()
	target, err := prepareTarget(root, state, d.Dir)
	if err != nil {
		return "", err
	}
	stage := filepath.Join("tools", staging+rand.Text())
	if err := root.Mkdir(stage, 0o700); err != nil {
		return "", err
	}
	defer root.RemoveAll(stage) // sweep tries again
	l.reached("staged")

	body := filepath.Join(stage, "body")
	if sum, err = l.fetchTo(ctx, root, body, d, progress); err != nil {
		return "", err
	}
	l.reached("fetched")

	fresh := filepath.Join(stage, "new")
	if err := root.Mkdir(fresh, 0o755); err != nil {
		return "", err
	}
	if d.Archive != "" {
		err = unpackTo(ctx, root, fresh, body, d)
	} else {
		err = placeProgram(root, fresh, body, d.File)
	}
	if err != nil {
		return "", err
	}
	l.reached("unpacked")
	if err := flush(root, fresh); err != nil {
		return "", err
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err := l.replace(root, target, fresh, stage); err != nil {
		return "", err
	}
	l.reached("replaced")
	return sum, nil
}

// prepareTarget returns the path of dir below the state folder, and makes the
// folders above it.
func prepareTarget(root *os.Root, state, dir string) (target string, err error) {
	target, err = filepath.Rel(state, dir)
	parent := filepath.Dir(target)
	tools := "tools" + string(filepath.Separator)
	switch {
	case err != nil || !filepath.IsLocal(target) || !strings.HasPrefix(target, tools) || strings.Contains(target, staging):
		return "", fmt.Errorf("folder %s is not one for tools in %s", dir, state)
	}
	// The root refuses a symbolic link that leads out of the state folder.
	if err := root.MkdirAll(parent, 0o700); err != nil {
		return "", err
	}
	info, err := root.Lstat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return target, nil
	case err != nil:
		return "", err
	case !info.IsDir():
		return "", fmt.Errorf("%s is there and not a folder: remove it", dir)
	}
	return target, nil
}

// fetchTo writes what d.URL gives to the file name.
func (l *downloader) fetchTo(ctx context.Context, root *os.Root, name string, d *Download, progress func(bytes, total int64)) (sum string, err error) {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	sum, err = l.fetch(ctx, d.URL, f, progress)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return "", err
	}
	if d.SHA256 != "" && sum != d.SHA256 {
		return "", fmt.Errorf("what %s gives has the sha256 %s and not %s: it is not what the recipe means", shown(d.URL), sum, d.SHA256)
	}
	return sum, nil
}

// unpackTo unpacks the file body into the folder dir.
func unpackTo(ctx context.Context, root *os.Root, dir, body string, d *Download) error {
	format, ok := unpack.ParseFormat(d.Archive)
	if !ok {
		return fmt.Errorf("archive format %q cannot be unpacked", d.Archive)
	}
	f, err := root.Open(body)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	dst, err := root.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer dst.Close()
	err = unpack.Extract(ctx, dst, f, info.Size(), format, &unpack.Options{StripComponents: d.StripComponents, Name: d.File})
	if err != nil {
		return fmt.Errorf("what %s gives cannot be used: %w", shown(d.URL), err)
	}
	return nil
}

// placeProgram makes the file body the program name in the folder dir.
func placeProgram(root *os.Root, dir, body, name string) error {
	if !filepath.IsLocal(name) || filepath.Base(name) != name {
		return fmt.Errorf("%q is not the name of a file", name)
	}
	f, err := root.Open(body)
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, unpack.SniffLen)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	if is := unpack.Sniff(head[:n]); is != "" && !unpack.IsProgram(is) {
		return fmt.Errorf("this is %s, not a program", is)
	}
	program := filepath.Join(dir, name)
	if err := root.Rename(body, program); err != nil {
		return err
	}
	return root.Chmod(program, 0o755)
}

// replace puts the folder fresh in the place of target.
func (l *downloader) replace(root *os.Root, target, fresh, stage string) error {
	_, err := root.Lstat(target)
	if errors.Is(err, fs.ErrNotExist) {
		return root.Rename(fresh, target)
	}
	if err != nil {
		return err
	}
	if err = l.exchange(root, fresh, target); !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	note := filepath.Join(stage, "target")
	if err := root.WriteFile(note, []byte(filepath.ToSlash(target)), 0o600); err != nil {
		return err
	}
	old := filepath.Join(stage, "old")
	if err := root.Rename(target, old); err != nil {
		return err
	}
	l.reached("moved away")
	if err := root.Rename(fresh, target); err != nil {
		return errors.Join(err, root.Rename(old, target))
	}
	return nil
}

// sweep removes what downloads left behind whose process was killed. None may be
// running.
func sweep(state string) error {
	root, err := os.OpenRoot(state)
	if err != nil {
		return ignoreMissing(err)
	}
	defer root.Close()
	dir, err := root.Open("tools")
	if err != nil {
		return ignoreMissing(err)
	}
	entries, err := dir.ReadDir(-1)
	dir.Close()
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), staging) {
			continue
		}
		stage := filepath.Join("tools", e.Name())
		err := restore(root, stage)
		if err == nil {
			err = root.RemoveAll(stage)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// restore puts back what was moved away if nothing came in its place.
func restore(root *os.Root, stage string) error {
	old := filepath.Join(stage, "old")
	if _, err := root.Lstat(old); err != nil {
		return ignoreMissing(err)
	}
	note, err := root.ReadFile(filepath.Join(stage, "target"))
	if err != nil {
		return err
	}
	target := filepath.FromSlash(string(note))
	if target == "" {
		return fmt.Errorf("%s holds what was in a folder that is not known: move it back or remove it", old)
	}
	if _, err := root.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
		return err // nil if the new content is in place
	}
	return root.Rename(old, target)
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
