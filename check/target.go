package check

import (
	"io/fs"
	"sync"

	"github.com/matrix-nexus/skillkit/metadata"
)

// A Target is a folder to check: a skill, an Executa Tool, or both.
type Target struct {
	// Path is the slash-separated path of the folder as findings show it;
	// "." or empty shows the names of its files alone.
	Path string
	// Name is the name of the folder, which a skill's name is compared to;
	// empty if it is not known.
	Name string
	// FS is the folder. Nil means that there is only Text, and rules that look
	// at other files find nothing.
	FS fs.FS
	// Manifest is the name of the SKILL.md in FS, or of a case variant of it;
	// empty if the folder holds no skill.
	Manifest string
	// Text stands for the content of Manifest if it is not nil.
	Text []byte
}

// A Folder is a [Target] that was read, as rules see it. Rules don't change
// it.
type Folder struct {
	Target
	// File is the path of the manifest file as findings show it.
	File string
	// Data is the text of the manifest file; nil if there is none.
	Data []byte
	// Doc is what was parsed of it. It is nil if no skill could be found in
	// the text, which Err then tells.
	Doc *metadata.Document
	Err *metadata.SyntaxError
	// Files are all that lies below the folder, sorted by name, but for what
	// is never published: the contents of .git and node_modules.
	Files []File
	// Tool is the Executa Tool, or nil.
	Tool *Tool

	lines []int // where each line of Data starts
	body  func() *Body
	texts map[string]string
}

// A File is a file, a link or another thing that is no folder.
type File struct {
	Name string // slash-separated, relative to the folder
	Size int64  // in bytes; of a link, that of the link
	Mode fs.FileMode
}

// MaxText is the size in bytes of the largest file whose content rules look at.
const MaxText = 1 << 20

// Text returns the content of the file of that name below the folder if it is
// UTF-8 text without NUL bytes of at most [MaxText] bytes. It is read once.
func (f *Folder) Text(name string) (text string, ok bool) {
	if name == f.Manifest && f.Data != nil {
		return string(f.Data), true
	}
	return f.readText(name)
}

// Body returns the Markdown of the skill, parsed once. It is never nil.
func (f *Folder) Body() *Body { return f.body() }

func newFolder(t Target) *Folder {
	f := &Folder{Target: t, texts: map[string]string{}}
	f.body = sync.OnceValue(func() *Body { return parseBody(f) })
	return f
}
