package publish

import (
	"archive/tar"
	"archive/zip"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/matrix-nexus/skillkit/internal/unpack"
	"github.com/matrix-nexus/skillkit/skills"
)

// A Format is a kind of archive that is written.
type Format string

const (
	TarGz Format = "tar.gz"
	Zip   Format = "zip"
)

// FormatOf returns the format that the name of a file ends in, such as that of
// deploy-1.0.tgz.
func FormatOf(file string) (Format, bool) {
	switch f, _ := unpack.FormatOf(file); f {
	case unpack.TarGzip:
		return TarGz, true
	case unpack.Zip:
		return Zip, true
	}
	return "", false
}

// epoch is the time of all files in an archive, the first that a zip can hold.
var epoch = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// Pack writes the archive of s. All paths in it begin with the name of s, so it
// unpacks to one folder. The same files give the same bytes: they are sorted,
// owned by nobody, have the permissions 0644 or 0755, and one fixed time. Only
// the compressor may change the bytes, with another version of Go.
//
// The error is that of [Skill.Header], or of w.
func (s *Skill) Pack(w io.Writer, format Format) error {
	h, err := s.Header()
	if err != nil {
		return err
	}
	switch format {
	case TarGz:
		return s.writeTar(w, h.Name)
	case Zip:
		return s.writeZip(w, h.Name)
	}
	return fmt.Errorf("%q is not a format of archives; there are %s and %s", format, TarGz, Zip)
}

func (s *Skill) writeTar(w io.Writer, top string) error {
	gz := gzip.NewWriter(w) // whose header holds neither name nor time
	tw := tar.NewWriter(gz)
	for i := range s.Files {
		f := &s.Files[i]
		err := tw.WriteHeader(&tar.Header{
			Typeflag: tar.TypeReg,
			Name:     path.Join(top, f.Path),
			Size:     int64(len(f.Data)),
			Mode:     f.mode(),
			ModTime:  epoch,
		})
		if err != nil {
			return err
		}
		if _, err := tw.Write(f.Data); err != nil {
			return err
		}
	}
	return cmp.Or(tw.Close(), gz.Close())
}

func (s *Skill) writeZip(w io.Writer, top string) error {
	zw := zip.NewWriter(w)
	for i := range s.Files {
		f := &s.Files[i]
		h := &zip.FileHeader{Name: path.Join(top, f.Path), Method: zip.Deflate, Modified: epoch}
		h.SetMode(fs.FileMode(f.mode()))
		fw, err := zw.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := fw.Write(f.Data); err != nil {
			return err
		}
	}
	return zw.Close()
}

// ReadArchive reads the skill in the archive src of size bytes: a zip, or a tar
// that may be compressed. The skill is the one folder in it that has a SKILL.md; what
// lies outside, as in the archive of a repository, is not read. file is what the
// archive is called, and says what format it has. What does not belong to a skill is
// left out, as [ReadFolder] does.
//
// An archive that leads outside, holds a link or a device, or unpacks to more
// than may be published is refused whole. The error is a [*FileError], or that of
// src or ctx.
func ReadArchive(ctx context.Context, file string, src io.ReaderAt, size int64) (*Skill, error) {
	b := newBuilder(ctx, file)
	format, ok := unpack.FormatOf(file)
	if !ok || format.Single() {
		return nil, &FileError{Path: file, Reason: "not a name of an archive; it ends in .tar.gz or .zip"}
	}
	// What is left out counts, as do the headers of a tar.
	opts := &unpack.Options{MaxBytes: 2 * MaxTotal, MaxFileBytes: MaxTotal, MaxEntries: 10 * MaxFiles}
	var files []File
	err := unpack.Files(ctx, src, size, format, opts, func(name string, perm fs.FileMode, body io.Reader) error {
		data, err := io.ReadAll(body)
		files = append(files, File{name, perm&0o111 != 0, data})
		return err
	})
	if e, ok := errors.AsType[*unpack.Error](err); ok {
		return nil, &FileError{file, e.Error(), e}
	}
	if err != nil {
		return nil, err
	}
	top, err := skillFolder(files)
	if err != nil {
		return nil, &FileError{file, err.Error(), ErrNoSkill}
	}
	files = slices.DeleteFunc(files, func(f File) bool { return !strings.HasPrefix(f.Path, top) })
	for i := range files {
		files[i].Path = strings.TrimPrefix(files[i].Path, top)
	}
	// That of a folder comes before those of the folders in it.
	slices.SortFunc(files, func(a, b File) int {
		return cmp.Or(strings.Count(a.Path, "/")-strings.Count(b.Path, "/"), strings.Compare(a.Path, b.Path))
	})
	ig := &ignorer{}
	for i := range files {
		if f := &files[i]; path.Base(f.Path) == ".gitignore" {
			if err := ig.add(path.Dir(f.Path), f.Data); err != nil {
				return nil, b.fail(f.Path, "%v", err)
			}
		}
	}
	left := map[string]bool{}
	for i := range files {
		f := &files[i]
		if part, dir, why, detail := leaveOutBelow(f.Path, ig); why != "" {
			if !left[part] {
				left[part] = true
				b.leave(part, dir, why, detail)
			}
			continue
		}
		if err := b.claim(f.Path); err != nil {
			return nil, err
		}
		if err := b.add(f.Path, f.Executable, f.Data); err != nil {
			return nil, err
		}
	}
	return b.done()
}

// skillFolder returns the folder that the skill is in, with a slash at its end
// unless that is the top. A SKILL.md below another one is part of that skill.
func skillFolder(files []File) (string, error) {
	var folders []string
	for i := range files {
		dir, ok := strings.CutSuffix("/"+files[i].Path, "/"+skills.FileName)
		if _, _, why, _ := leaveOutBelow(files[i].Path, &ignorer{}); ok && why == "" {
			folders = append(folders, strings.TrimPrefix(dir+"/", "/"))
		}
	}
	slices.Sort(folders)
	var top []string
	for _, f := range folders {
		if len(top) == 0 || !strings.HasPrefix(f, top[len(top)-1]) {
			top = append(top, f)
		}
	}
	switch len(top) {
	case 0:
		return "", nil // which is told when the rest was read
	case 1:
		return top[0], nil
	}
	return "", fmt.Errorf("holds %d skills, the first in %s and %s; unpack it and name one of the folders", len(top), top[0], top[1])
}
