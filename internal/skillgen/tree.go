package skillgen

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// A Count says what [Tree] wrote.
type Count struct {
	Skills  int // SKILL.md files
	Nested  int // those of them that lie in the folder of another skill
	Folders int // below the root
	Files   int // the SKILL.md files among them
}

// Tree writes n skills below dir, which it makes, as OWNER/SKILL/SKILL.md with
// 2.4 folders and some six files a skill. One skill in twenty lies inside
// another. The manifest files are those of [Generate] with that seed, faults
// and sizes included; the supporting files are small, to spare the disk.
func Tree(dir string, n int, seed uint64) (Count, error) {
	w := &treeWriter{Rand: rand.New(rand.NewPCG(seed, 1<<63)), seed: seed}
	var owner string
	for w.Skills < n {
		if owner == "" || w.IntN(10) < 4 {
			owner = w.folder(dir, fmt.Sprintf("owner-%d", w.Folders))
		}
		w.skill(owner, n)
		if w.err != nil {
			return w.Count, w.err
		}
	}
	return w.Count, nil
}

type treeWriter struct {
	*rand.Rand
	Count
	seed uint64
	err  error // the first one; later writes do nothing
}

// folder makes a new folder, with a number if the name is taken.
func (w *treeWriter) folder(parent, name string) string {
	path := filepath.Join(parent, name)
	for i := 2; w.err == nil; i++ {
		if _, err := os.Lstat(path); err != nil {
			w.err = os.MkdirAll(path, 0o777)
			break
		}
		path = filepath.Join(parent, fmt.Sprintf("%s-%d", name, i))
	}
	w.Folders++
	return path
}

func (w *treeWriter) file(dir, name string, data []byte) {
	if w.err == nil {
		w.err = os.WriteFile(filepath.Join(dir, name), data, 0o666)
	}
	w.Files++
}

func (w *treeWriter) manifest(dir string, f File) {
	w.file(dir, "SKILL.md", f.Data)
	w.Skills++
}

// subfolders are the supporting folders, as often as they are found.
var subfolders = strings.Fields(`scripts scripts scripts scripts scripts scripts scripts references references
	references references assets examples tests src templates agents`)

func (w *treeWriter) skill(owner string, n int) {
	f := Generate(w.seed, uint64(w.Skills))
	dir := w.folder(owner, f.Folder)
	w.manifest(dir, f)
	dirs := []string{dir}
	if w.IntN(100) < 52 {
		for range 1 + w.IntN(3) {
			// one in five supporting folders is below another
			parent := dirs[0]
			if w.IntN(5) == 0 {
				parent = dirs[len(dirs)-1]
			}
			dirs = append(dirs, w.folder(parent, oneOf(w.Rand, subfolders...)))
		}
	}
	files := (words{w.Rand}).size(quantile{0, 0.3}, quantile{.32, 0.99}, quantile{.5, 1}, quantile{.9, 10}, quantile{.99, 43}, quantile{1, 200})
	for i := range max(files, len(dirs)-1) {
		at := dirs[i%len(dirs)]
		if len(dirs) > 1 {
			at = dirs[1+i%(len(dirs)-1)]
		}
		name := fmt.Sprintf("%s-%d%s", oneOf(w.Rand, topics...), i, oneOf(w.Rand, ".md", ".py", ".sh", ".json"))
		w.file(at, name, []byte(strings.Repeat("# a line of a supporting file\n", 1+w.IntN(30))))
	}
	if w.IntN(100) < 5 && w.Skills < n {
		inner := Generate(w.seed, uint64(w.Skills))
		w.manifest(w.folder(dirs[len(dirs)-1], inner.Folder), inner)
		w.Nested++
	}
}
