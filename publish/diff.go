package publish

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/skills"
)

// A Diff is what is different in another revision of a skill.
type Diff struct {
	// Fields are those of the frontmatter whose values differ, sorted. They
	// are empty where one of the files cannot be parsed.
	Fields []FieldChange `json:"fields"`
	// Body reports whether the instructions differ, byte for byte.
	Body bool `json:"body"`
	// Files are sorted by path. SKILL.md is one of them, also if only its
	// spelling differs: comments, quotes, the order of keys.
	Files []FileChange `json:"files"`
}

// A FieldChange is a field of the frontmatter whose value differs. A list is one
// value; the entries of a mapping are fields of their own, called as in
// "metadata.matrix.requires.bins".
type FieldChange struct {
	Field string `json:"field"`
	// Old and New are values as JSON, or nil where there is no such field.
	Old json.RawMessage `json:"old"`
	New json.RawMessage `json:"new"`
}

// A ChangeKind says what happened to a file.
type ChangeKind string

const (
	Added   ChangeKind = "added"
	Removed ChangeKind = "removed"
	Renamed ChangeKind = "renamed" // a removed and an added file with one content
	Changed ChangeKind = "changed" // its content, its executable bit, or both
)

// A FileChange is a file that differs. OldSize and OldExecutable are those of a
// file that is no longer there, or was there before.
type FileChange struct {
	Kind ChangeKind `json:"kind"`
	Path string     `json:"path"`
	From string     `json:"from,omitempty"` // of a renamed file, its old path
	// Content reports whether the content differs; it is false for a renamed
	// file, and true for an added and a removed one.
	Content       bool  `json:"content"`
	OldSize       int64 `json:"old_size"` // in bytes
	Size          int64 `json:"size"`
	OldExecutable bool  `json:"old_executable"`
	Executable    bool  `json:"executable"`
}

// Empty reports whether there is no difference, which is so exactly if the two
// have the same [Skill.Digest].
func (d *Diff) Empty() bool { return len(d.Files) == 0 }

// Compare returns what is different in the revision after of the skill before.
func Compare(before, after *Skill) *Diff {
	d := &Diff{Fields: []FieldChange{}, Files: compareFiles(before, after)}
	a, b := before.document(), after.document()
	if a == nil || b == nil {
		d.Body = slices.ContainsFunc(d.Files, func(c FileChange) bool { return c.Path == skills.FileName })
		return d
	}
	d.Body = !bytes.Equal(a.Body, b.Body)
	old, fresh := flatFields(a), flatFields(b)
	for _, name := range slices.Sorted(maps.Keys(mergeKeys(old, fresh))) {
		if !bytes.Equal(old[name], fresh[name]) {
			d.Fields = append(d.Fields, FieldChange{name, old[name], fresh[name]})
		}
	}
	return d
}

// document returns the parsed SKILL.md, or nil.
func (s *Skill) document() *metadata.Document {
	f := s.file(skills.FileName)
	if f == nil {
		return nil
	}
	doc, err := metadata.Parse(skills.FileName, f.Data, nil)
	if err != nil {
		return nil
	}
	return doc
}

func mergeKeys[V any](a, b map[string]V) map[string]V {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// flatFields returns the fields of the frontmatter as JSON, by their names.
func flatFields(doc *metadata.Document) map[string]json.RawMessage {
	flat := map[string]json.RawMessage{}
	var add func(name string, v any)
	add = func(name string, v any) {
		if m, ok := v.(map[string]any); ok && len(m) > 0 {
			for key, v := range m {
				add(name+"."+key, v)
			}
			return
		}
		if data, err := marshal(v); err == nil {
			var b bytes.Buffer
			_ = json.Compact(&b, data) // what was just written
			flat[name] = b.Bytes()
		}
	}
	for f := range doc.Tops() {
		v := f.Value()
		if _, ok := v.(string); ok && f.Key == "metadata" { // JSON in quotes
			v = vendorBlock(doc)
			if key := doc.Manifest.VendorKey; key != "" {
				v = map[string]any{key: v}
			}
		}
		add(f.Key, v)
	}
	return flat
}

func compareFiles(before, after *Skill) []FileChange {
	list := []FileChange{}
	var removed, added []*File
	for i := range before.Files {
		old := &before.Files[i]
		f := after.file(old.Path)
		if f == nil {
			removed = append(removed, old)
			continue
		}
		if same := bytes.Equal(old.Data, f.Data); !same || old.Executable != f.Executable {
			list = append(list, change(Changed, old, f, !same))
		}
	}
	for i := range after.Files {
		if f := &after.Files[i]; before.file(f.Path) == nil {
			added = append(added, f)
		}
	}
	// An empty file is no evidence of a new name.
	byContent := map[[sha256.Size]byte][]*File{}
	for _, old := range removed {
		if len(old.Data) > 0 {
			sum := sha256.Sum256(old.Data)
			byContent[sum] = append(byContent[sum], old)
		}
	}
	gone := map[*File]bool{}
	for _, f := range added {
		sum := sha256.Sum256(f.Data)
		if from := byContent[sum]; len(from) > 0 {
			byContent[sum] = from[1:]
			gone[from[0]] = true
			list = append(list, change(Renamed, from[0], f, false))
			continue
		}
		list = append(list, change(Added, &File{}, f, true))
	}
	for _, old := range removed {
		if !gone[old] {
			list = append(list, change(Removed, old, &File{Path: old.Path}, true))
		}
	}
	slices.SortFunc(list, func(a, b FileChange) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(string(a.Kind), string(b.Kind)))
	})
	return list
}

func change(kind ChangeKind, old, f *File, content bool) FileChange {
	c := FileChange{
		Kind: kind, Path: f.Path, Content: content,
		OldSize: int64(len(old.Data)), Size: int64(len(f.Data)), OldExecutable: old.Executable, Executable: f.Executable,
	}
	if kind == Renamed {
		c.From = old.Path
	}
	return c
}
