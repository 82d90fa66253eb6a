// Package skillgen writes SKILL.md files, and trees of them, as they are found
// in public collections: with the faults of people, models and translators,
// each at the rate at which it was counted there. It knows what the author of
// each file meant, so that a reader of such files can be judged by it.
//
// Everything is a function of a seed. The package knows nothing of the reader:
// it has its own idea of YAML and JSON, and writes them by hand.
package skillgen

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// The population that the rates are taken from: files in all, and those of
// them in which a patient reader finds a frontmatter.
const (
	Counted         = 20_982
	WithFrontmatter = 19_156
)

// A File is the text of a SKILL.md and what its author meant by it.
type File struct {
	// Folder is the name of the folder that the file is written for. It often
	// differs from Name.
	Folder string
	Data   []byte

	// Frontmatter is false for text in which no frontmatter can be found; the
	// fields below are then empty.
	Frontmatter bool
	// Name is the declared name, else Folder. Description has the line breaks
	// of the text, without one at the end.
	Name        string
	Description string
	Requires    Requires

	// Unclear means that the text does not settle what is required. Requires
	// is then the likeliest reading; a reader may as well answer that it does
	// not know, but has to report the file.
	Unclear bool

	// Faults are the kinds of fault that were put in, such as
	// "yaml: colon in description". A file that only looks unusual, and has
	// one certain meaning, carries a kind as well.
	Faults []string
}

// Requires names what a generated skill needs, in the order of the file.
type Requires struct {
	Bins, AnyBins, Env, OptionalEnv, Config, PythonPackages []string

	// OS holds values of GOOS; empty means no limit.
	OS []string
}

// Generate returns file number n of the endless series that seed starts.
func Generate(seed, n uint64) File {
	d := &draft{Rand: rand.New(rand.NewPCG(seed, n))}
	d.text.Rand = d.Rand
	d.build()
	return d.File
}

// A draft is a File in the making.
type draft struct {
	*rand.Rand
	File
	text   words
	fields []field
	body   string
	done   bool // Data is set
}

// A field is a top-level key of the frontmatter with all its lines.
type field struct {
	key  string
	text string // each line ends in a line feed
}

// A fault is a row of the counts: in how many files it was found, and how to
// put it into one.
type fault struct {
	kind  string
	files int
	put   func(*draft)
}

// draw puts in at most one of the faults of table, each at the rate of its
// files among the given number.
func (d *draft) draw(table []fault, among int) {
	n := d.IntN(among)
	for _, f := range table {
		if n -= f.files; n < 0 {
			d.Faults = append(d.Faults, f.kind)
			f.put(d)
			return
		}
	}
}

// chance is true for files out of the files that have a frontmatter.
func (d *draft) chance(files int) bool { return d.IntN(WithFrontmatter) < files }

func (d *draft) build() {
	d.Folder = d.text.slug()
	d.body = d.text.body(d.fileSize())
	if d.IntN(Counted) >= WithFrontmatter {
		d.draw(noFrontmatter, total(noFrontmatter))
		return
	}
	d.Frontmatter = true
	d.Name = d.Folder
	if d.IntN(1000) < 320 {
		d.Name = d.name()
	}
	d.set("name", "name: "+d.scalar(d.Name)+"\n")
	d.describe(d.text.sentences())
	d.common()
	d.metadata()
	d.draw(headerFaults, WithFrontmatter)
	d.shuffle()
	d.draw(envelopes, WithFrontmatter)
	if !d.done {
		d.Data = []byte("---\n" + d.header() + "---\n" + d.body)
	}
}

// headerFaults exclude each other.
var headerFaults = slices.Concat(meanings, authorFaults, translatorFaults)

func total(table []fault) (n int) {
	for _, f := range table {
		n += f.files
	}
	return n
}

// set gives the top-level key the given lines, in its old place if it has one.
func (d *draft) set(key, text string) {
	for i := range d.fields {
		if d.fields[i].key == key {
			d.fields[i].text = text
			return
		}
	}
	d.fields = append(d.fields, field{key, text})
}

func (d *draft) drop(key string) {
	d.fields = slices.DeleteFunc(d.fields, func(f field) bool { return f.key == key })
}

func (d *draft) header() string {
	var b strings.Builder
	for _, f := range d.fields {
		b.WriteString(f.text)
	}
	return b.String()
}

// finish sets the whole text.
func (d *draft) finish(data string) {
	d.Data = []byte(data)
	d.done = true
}

// shuffle now and then moves the last field to the front: some tools sort keys.
func (d *draft) shuffle() {
	last := len(d.fields) - 1
	f := d.fields[last]
	if d.IntN(10) > 0 || f.key == "junk" {
		return
	}
	d.fields = slices.Insert(d.fields[:last], 0, f)
}
