package check

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"

	"github.com/matrix-nexus/skillkit/executa/manifest"
	"github.com/matrix-nexus/skillkit/metadata"
)

// A Tool is an Executa Tool as rules see it.
type Tool struct {
	// Executa is the executa.json. It is empty if that cannot be read.
	Executa *manifest.Executa
	// Plugin is what the plugin says of itself, in the file that manifest_file
	// names, else in manifest.json; nil if there is none.
	Plugin *manifest.Plugin
	// Archive is the manifest.json if it is that of an archive, else nil.
	Archive *manifest.Archive
	// Problems are those of all files, what cannot be read at all among them.
	Problems []metadata.Problem

	params []toolParam
}

// A toolParam is a parameter of a tool.
type toolParam struct {
	tool       *manifest.Tool
	name, kind string         // empty if they are missing or no text
	values     map[string]any // numbers are json.Number
	pointer    string
}

// readTool returns the tool in the folder, or nil.
func (f *Folder) readTool() *Tool {
	data, ok := f.manifestFile(manifest.ExecutaFile)
	if !ok {
		return nil
	}
	t := &Tool{}
	var err error
	if t.Executa, err = manifest.ParseExecuta(manifest.ExecutaFile, data); err != nil {
		t.unreadable(err)
		t.Executa = &manifest.Executa{}
	}
	t.Problems = append(t.Problems, t.Executa.Problems...)
	t.readManifest(f)
	slices.SortFunc(t.Problems, metadata.Problem.Compare)
	t.Problems = slices.Compact(t.Problems)
	return t
}

// readManifest reads the other file, which may be of either kind.
func (t *Tool) readManifest(f *Folder) {
	name := path.Clean(cmp.Or(t.Executa.ManifestFile, manifest.ArchiveFile))
	data, ok := f.manifestFile(name)
	if !ok {
		return
	}
	plugin, err := manifest.ParsePlugin(name, data)
	if err != nil {
		t.unreadable(err)
		return
	}
	// An app or a browser extension has a manifest.json too.
	has := func(key string) bool { return plugin.Has("/" + key) }
	if t.Executa.ManifestFile != "" || slices.ContainsFunc([]string{"tools", "credentials", "host_capabilities", "display_name"}, has) {
		t.Plugin = plugin
		t.Problems = append(t.Problems, plugin.Problems...)
		t.readParams()
	}
	if plugin.Has("/runtime/binary") {
		if t.Archive, err = manifest.ParseArchive(name, data); err == nil {
			t.Problems = append(t.Problems, t.Archive.Problems...)
		}
	}
}

func (t *Tool) unreadable(err error) {
	if e, ok := errors.AsType[*manifest.SyntaxError](err); ok {
		t.Problems = append(t.Problems, e.Problem)
	}
}

func (t *Tool) readParams() {
	for i := range t.Plugin.Tools {
		tool := &t.Plugin.Tools[i]
		var list []any
		d := json.NewDecoder(bytes.NewReader(tool.Parameters))
		d.UseNumber()
		if d.Decode(&list) != nil {
			continue // a problem for registry.ParamSchema
		}
		for j, v := range list {
			m, ok := v.(map[string]any)
			if !ok {
				continue
			}
			q := toolParam{tool: tool, values: m, pointer: tool.Pointer + "/parameters/" + strconv.Itoa(j)}
			q.name, _ = m["name"].(string)
			q.kind, _ = m["type"].(string)
			t.params = append(t.params, q)
		}
	}
}

// manifestFile returns the file of that name; false if there is none, or it
// cannot be read, which is another finding.
func (f *Folder) manifestFile(name string) ([]byte, bool) {
	if !manifest.IsLocal(name) {
		return nil, false
	}
	data, err := f.readFile(name, manifest.MaxFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.unreadable = append(f.unreadable, unreadable{name, err})
	}
	return data, err == nil
}

// isThere reports whether there is a file of that name.
func (f *Folder) isThere(name string) bool {
	_, err := fs.Stat(f.FS, name)
	return err == nil
}

// at reports a finding at a place of a manifest.
func (p *Pass) at(d *manifest.Document, pointer, format string, args ...any) {
	p.ReportFilef(d.File, d.At(pointer), format, args...)
}

// odd reports whether the reader of a manifest found a fault at pointer, which
// then is not reported again.
func odd(d *manifest.Document, pointer string) bool {
	return slices.ContainsFunc(d.Problems, func(q metadata.Problem) bool { return q.Position == d.At(pointer) })
}

// inExecuta and inPlugin report a finding at a place of executa.json, and of
// the manifest of the plugin.
func (p *Pass) inExecuta(pointer, format string, args ...any) {
	p.at(&p.Tool.Executa.Document, pointer, format, args...)
}

func (p *Pass) inPlugin(pointer, format string, args ...any) {
	p.at(&p.Tool.Plugin.Document, pointer, format, args...)
}
