package loader

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/matrix-nexus/skillkit/skills"
)

// Materialize returns a folder of the operating system that holds the files of
// sk: its own, or for a skill of an [fs.FS] a copy below "skills" in stateDir,
// which it makes. The folder's name holds a digest of the files, so that
// versions do not mix; a file that is there as it should be is left alone, and
// one that is missing or differs is written beside its place and renamed, so
// that a second call does nothing and several processes may call at once.
// Files that start with "#!" become executable. Nothing is ever removed. The
// error is one of the file system, and names the skill.
func Materialize(stateDir string, sk *skills.Skill) (dir string, err error) {
	if sk.OnDisk {
		return sk.Dir, nil
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("skill %q: write its files to %s: %w", sk.Name, stateDir, err)
		}
	}()
	files, digest, err := readAll(sk.FS())
	if err != nil {
		return "", err
	}
	name := path.Base(sk.Dir)
	if !filepath.IsLocal(name) || name == "." {
		name = "skill"
	}
	dir, err = filepath.Abs(filepath.Join(stateDir, "skills", name+"-"+digest))
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	for _, f := range files {
		if err := f.write(root); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// A packed is a file to be written.
type packed struct {
	path string // slash-separated
	data []byte
}

// readAll returns the regular files of fsys in path order, and twelve hex
// digits of a digest of them.
func readAll(fsys fs.FS) (files []packed, digest string, err error) {
	sum := sha256.New()
	err = fs.WalkDir(fsys, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := fs.ReadFile(fsys, path)
		if err != nil {
			return err
		}
		files = append(files, packed{path, data})
		// The lengths keep one file from looking like two.
		var lengths [16]byte
		binary.LittleEndian.PutUint64(lengths[:8], uint64(len(path)))
		binary.LittleEndian.PutUint64(lengths[8:], uint64(len(data)))
		sum.Write(lengths[:])
		sum.Write([]byte(path))
		sum.Write(data)
		return nil
	})
	return files, hex.EncodeToString(sum.Sum(nil)[:6]), err
}

// write makes sure that the file is in root.
func (f packed) write(root *os.Root) error {
	if have, err := root.ReadFile(f.path); err == nil && bytes.Equal(have, f.data) {
		return nil
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := root.MkdirAll(path.Dir(f.path), 0o755); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if bytes.HasPrefix(f.data, []byte("#!")) {
		mode = 0o755
	}
	staged := path.Join(path.Dir(f.path), ".tmp-"+rand.Text())
	err := root.WriteFile(staged, f.data, mode)
	if err == nil {
		err = root.Rename(staged, f.path)
	}
	if err != nil {
		_ = root.Remove(staged)
	}
	return err
}
