package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"gopkg.in/yaml.v3"
)

const (
	skillFile = "SKILL.md"
	headSize  = 4 << 10 // bytes of each file that the floor reads
	walkers   = 2       // goroutines of the floor; more bring nothing
)

// floor is what an index cannot do without when it is written plainly: two
// goroutines read every folder below root with os.Open and ReadDir, and the
// first 4 KiB of every SKILL.md, in which they look for the fences. If header
// is not nil it gets what stands between them. floor returns the number of
// files in which both fences were found.
func floor(root string, header func([]byte)) (int, error) {
	w := &walk{pending: []string{root}, open: 1, header: header}
	w.more.L = &w.mu
	var wg sync.WaitGroup
	for range walkers {
		wg.Go(w.work)
	}
	wg.Wait()
	return w.found, w.err
}

type walk struct {
	header func([]byte)

	mu      sync.Mutex // protects following
	more    sync.Cond  // pending or open has changed
	pending []string   // folders to read, the last one next
	open    int        // folders that are pending or being read
	found   int
	err     error
}

func (w *walk) work() {
	buf := make([]byte, headSize)
	found := 0
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		for len(w.pending) == 0 && w.open > 0 {
			w.more.Wait()
		}
		if len(w.pending) == 0 {
			w.found += found
			return
		}
		dir := w.pending[len(w.pending)-1]
		w.pending = w.pending[:len(w.pending)-1]
		w.mu.Unlock()
		below, ok, err := w.folder(dir, buf)
		if ok {
			found++
		}
		w.mu.Lock()
		w.err = errors.Join(w.err, err)
		w.pending = append(w.pending, below...)
		if w.open += len(below) - 1; w.open == 0 || len(below) > 0 {
			w.more.Broadcast()
		}
	}
}

// folder reads dir, and its SKILL.md if it has one. ok reports that there are
// fences in it.
func (w *walk) folder(dir string, buf []byte) (below []string, ok bool, err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, false, err
	}
	entries, err := f.ReadDir(-1)
	f.Close()
	for _, e := range entries {
		switch path := dir + string(os.PathSeparator) + e.Name(); {
		case e.IsDir():
			below = append(below, path)
		case e.Name() == skillFile && e.Type() == 0:
			var head []byte
			if head, err = readHead(path, buf); err != nil {
				return below, false, err
			}
			var text []byte
			if text, ok = between(head); ok && w.header != nil {
				w.header(text)
			}
		}
	}
	return below, ok, err
}

func readHead(path string, buf []byte) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	n, err := f.Read(buf)
	if err == io.EOF {
		err = nil
	}
	return buf[:n], err
}

// between returns what stands between the fences that head starts with.
func between(head []byte) ([]byte, bool) {
	rest, ok := bytes.CutPrefix(head, []byte("---\n"))
	if !ok {
		return nil, false
	}
	text, _, ok := bytes.Cut(rest, []byte("\n---\n"))
	return text, ok
}

// briefs collects names and descriptions.
type briefs struct {
	mu   sync.Mutex
	list []brief // protected by mu
}

type brief struct {
	Name        string `yaml:"name"`
	Description string `yaml:"description"`
}

func (b *briefs) decode(header []byte) {
	var x brief
	if yaml.Unmarshal(header, &x) != nil {
		return // the floor may lose what a loader must not
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.list = append(b.list, x)
}

// countFolders returns the number of folders below root, and of the SKILL.md
// files in them.
func countFolders(root string) (folders, files int, err error) {
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && path != root:
			folders++
		case e.Name() == skillFile:
			files++
		}
		return nil
	})
	return folders, files, err
}
