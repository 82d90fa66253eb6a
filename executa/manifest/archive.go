package manifest

import (
	"io/fs"
	"strconv"
	"strings"

	"github.com/matrix-nexus/skillkit/internal/posjson"
	"github.com/matrix-nexus/skillkit/metadata"
)

// ArchiveFile is the name of the file at the root of an archive that says what
// is in it. Beside an executa.json, a file of that name holds a [Plugin].
const ArchiveFile = "manifest.json"

// An Archive is the manifest.json at the root of an archive.
type Archive struct {
	Document
	Name, Version string
	// Entrypoints are the paths of the program, by platform key as written
	// or "default". A single path is that of "default".
	Entrypoints map[string]string
	// LibDirs and DataDirs are for readers only.
	LibDirs, DataDirs []string
	// Permissions are those of files by path: permission bits only.
	Permissions map[string]fs.FileMode
}

// ParseArchive reads the manifest.json of an archive. file is what positions show,
// empty means manifest.json. The error is a [*SyntaxError].
func ParseArchive(file string, data []byte) (*Archive, error) {
	d, err := parse(file, ArchiveFile, data)
	if err != nil {
		return nil, err
	}
	a := &Archive{}
	o := d.object(&d.root, "")
	a.Name = o.text("name")
	a.Version = o.text("version")
	b := o.object("runtime").object("binary")
	a.Entrypoints = entrypoints(b)
	a.LibDirs = b.texts("lib_dirs")
	a.DataDirs = b.texts("data_dirs")
	a.Permissions = permissions(b.object("permissions"))
	a.Document = *d
	a.sort()
	return a, nil
}

func entrypoints(o *object) map[string]string {
	n := o.get("entrypoint")
	if n == nil {
		return nil
	}
	if n.Kind == posjson.String {
		return map[string]string{defaultKey: n.Text}
	}
	m := map[string]string{}
	list := o.object("entrypoint")
	for key, v := range list.members() {
		if s := list.asText("the entrypoint of "+quote(key), v); s != "" {
			m[key] = s
		}
	}
	return m
}

func permissions(o *object) map[string]fs.FileMode {
	var m map[string]fs.FileMode
	for key, n := range o.members() {
		// As "0o755", and as chmod takes it.
		mode, err := strconv.ParseUint(strings.TrimPrefix(n.Text, "0o"), 8, 16)
		if n.Kind != posjson.String || err != nil || fs.FileMode(mode) != fs.FileMode(mode)&fs.ModePerm {
			o.d.report(metadata.Warning, codeWrongType, n.Start, `the permissions of %s must be text such as "0o755"; not read`, quote(key))
			continue
		}
		if m == nil {
			m = map[string]fs.FileMode{}
		}
		m[key] = fs.FileMode(mode)
	}
	return m
}
