package check

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

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
	// Manifest is the name of the SKILL.md in FS, or of a case variant of it,
	// or of any other file that is to be read as one; empty if the folder
	// holds no skill.
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
	// is never published: the contents of .git and node_modules. Links are
	// not followed.
	Files []File
	// Tool is the Executa Tool, or nil.
	Tool *Tool

	unreadable []unreadable
	ignores    []*ignore
	ran        map[string]bool // the rules that looked at it, if there are ignores
	lines      []int           // where each line of Data starts
	body       func() *Body
	scan       func() ([]hit, secretSet) // see scanFolder
	texts      map[string]string

	// The lines of the file that the last finding outside of the manifest
	// file was in.
	otherFile  string
	otherLines []int
}

// A File is a file, a link or another thing that is no folder.
type File struct {
	Name string // slash-separated, relative to the folder
	Size int64  // in bytes; of a link, that of the link
	Mode fs.FileMode
}

// An unreadable is a file or a folder that could not be read.
type unreadable struct {
	name string // relative to the folder
	err  error
}

// MaxText is the size in bytes of the largest file whose content rules look at.
const MaxText = 1 << 20

// Text returns the content of the file of that name below the folder if it is
// UTF-8 text without NUL bytes of at most [MaxText] bytes. It is read once.
// A link is followed only to what lies in the folder.
func (f *Folder) Text(name string) (text string, ok bool) {
	if name == f.Manifest && f.Data != nil {
		return string(f.Data), true
	}
	text, seen := f.texts[name]
	if !seen {
		data, err := f.readFile(name, MaxText)
		if err == nil && len(data) <= MaxText && utf8.Valid(data) && !slices.Contains(data, 0) {
			text = string(data)
		}
		f.texts[name] = text
	}
	return text, text != ""
}

// Body returns the Markdown of the skill, parsed once. It is never nil.
func (f *Folder) Body() *Body { return f.body() }

// read reads a target.
func read(ctx context.Context, t Target) *Folder {
	f := &Folder{Target: t}
	f.scan = sync.OnceValues(func() ([]hit, secretSet) { return scanFolder(f) })
	f.release()
	if t.FS != nil {
		f.list(ctx)
	}
	f.parse()
	return f
}

// parse reads the manifest file.
func (f *Folder) parse() {
	if f.Manifest == "" {
		return
	}
	f.File = f.Show(f.Manifest)
	f.Data = f.Target.Text
	if f.Data == nil {
		var err error
		if f.Data, err = f.readFile(f.Manifest, metadata.MaxFile); err != nil {
			f.unreadable = append(f.unreadable, unreadable{f.Manifest, err})
			return
		}
	}
	// The folder gives the default name, however the path is shown.
	doc, err := metadata.Parse(path.Join(path.Base(f.Name), f.Manifest), f.Data, nil)
	if errors.As(err, &f.Err) {
		f.Err.File = f.File
		return
	}
	for i := range doc.Problems {
		doc.Problems[i].File = f.File
	}
	f.Doc = doc
}

// release forgets what can be read again.
func (f *Folder) release() {
	f.texts = make(map[string]string)
	f.body = sync.OnceValue(func() *Body { return parseBody(f) })
}

// list fills in Files.
func (f *Folder) list(ctx context.Context) {
	fs.WalkDir(f.FS, ".", func(name string, d fs.DirEntry, err error) error { // the function returns no error but to end the walk
		if ctx.Err() != nil {
			return fs.SkipAll
		}
		if err == nil && !d.IsDir() {
			var info fs.FileInfo
			if info, err = d.Info(); err == nil {
				f.Files = append(f.Files, File{Name: name, Size: info.Size(), Mode: info.Mode()})
			}
		}
		switch {
		case err != nil:
			f.unreadable = append(f.unreadable, unreadable{name, err})
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules"):
			return fs.SkipDir
		}
		return nil
	})
	slices.SortFunc(f.Files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
}

// readFile reads the file of that name, of a larger one than limit the first
// limit+1 bytes. Where FS tells links, it leaves the folder by none.
func (f *Folder) readFile(name string, limit int64) ([]byte, error) {
	if f.FS == nil {
		return nil, fs.ErrNotExist
	}
	name, err := f.resolve(name)
	if err != nil {
		return nil, err
	}
	// To open another thing than a file, such as a pipe, may take for ever.
	if info, err := fs.Stat(f.FS, name); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, errors.New("not a file")
	}
	file, err := f.FS.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, limit+1))
}

// maxLinks is how many links a path may lead through.
const maxLinks = 40

// resolve follows the links that name leads through.
func (f *Folder) resolve(name string) (string, error) {
	links, ok := f.FS.(fs.ReadLinkFS)
	if !ok {
		return name, nil
	}
	done, rest := ".", name
	for n := 0; rest != ""; {
		var part string
		part, rest, _ = strings.Cut(rest, "/")
		if part == "." {
			continue
		}
		at := path.Join(done, part)
		if !fs.ValidPath(at) {
			return "", errors.New("a link that leads out of the folder")
		}
		info, err := links.Lstat(at)
		if err != nil {
			return "", err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			done = at
			continue
		}
		if n++; n > maxLinks {
			return "", errors.New("a link that leads to itself")
		}
		dest, err := links.ReadLink(at)
		if err != nil {
			return "", err
		}
		if dest == "" || path.IsAbs(dest) || strings.ContainsAny(dest, `\:`) {
			return "", errors.New("a link that leads out of the folder")
		}
		rest = strings.TrimSuffix(dest+"/"+rest, "/")
	}
	return done, nil
}

// unreadableRules report what could not be read.
var unreadableRules = []*Rule{
	{
		ID:    "unreadable",
		Title: "a file or a folder cannot be read",
		Doc: `
What cannot be read is not checked, and cannot be published either: a SKILL.md that is
a link to a place outside of its folder, for one, is lost on every other machine. Give
yourself the right to read it, or put the file itself in place of the link.
`,
		Bad:      "-- deploy/SKILL.md -> ../shared/SKILL.md --\n-- shared/README.md --\nShared.\n",
		Good:     goodHeader,
		Source:   "skill-format page, section 1: a skill is a folder with a file SKILL.md",
		Severity: metadata.Error,
		RunFolder: func(p *Pass) {
			for _, u := range p.unreadable {
				p.ReportFilef(u.name, metadata.Position{}, "cannot be read: %v", cause(u.err))
			}
		},
	},
}

// cause returns what an error says beside the path.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}
