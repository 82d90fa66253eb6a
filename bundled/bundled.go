// Package bundled holds the skills that ship inside the module, the base set
// of a runtime that brings none of its own.
//
// The set is chart-generator, csv-data-tools, curl, jq, meeting-summary,
// pdf-tools, postgres-client and uv. Each is a folder of that name with a
// SKILL.md and the supporting files that it mentions. All but meeting-summary
// name the programs they need and how to get them; uv is always loaded.
package bundled

import (
	"embed"
	"io/fs"
)

// The prefix all: keeps supporting files whose names start with "." or "_",
// which embedding a folder by its bare name leaves out in silence.
//
//go:embed all:skills
var files embed.FS

// FS returns the embedded skills, one folder each at the root. The file system
// is read-only, takes no memory beyond that of the program, and is safe for
// concurrent use. Its files carry no modification time.
func FS() fs.FS {
	skills, err := fs.Sub(files, "skills")
	if err != nil {
		panic(err) // only for an invalid path, and this one is constant
	}
	return skills
}
