package manifest

import (
	"encoding/json"
	"slices"

	"github.com/matrix-nexus/skillkit/internal/posjson"
	"github.com/matrix-nexus/skillkit/metadata"
)

// ExecutaFile is the name of the file that makes a folder an Executa Tool.
const ExecutaFile = "executa.json"

// An Executa is an executa.json: how a Tool is started and published.
type Executa struct {
	Document
	ToolID, Slug, Name, Version, Description string
	// Kind is executa_type, "tool" or "skill"; empty means tool.
	Kind string
	// Type says how the plugin is started on the desk: "python", "node", "go" or
	// "binary"; empty means that the folder has to tell.
	Type    string
	Enabled bool // true unless the file says false
	// Command is the program with its arguments that starts the plugin
	// instead; nil if there is none.
	Command []string
	// ManifestFile is the path, relative to the folder, of the file that
	// holds what the plugin answers describe with. Empty means manifest.json.
	ManifestFile string
	// Active names the profile of the distribution that is used; empty if there is
	// one only.
	Active string
	// Profiles are the ways in which the Tool is distributed, in the order of
	// the file. A distribution that is not divided into profiles is one without
	// a name.
	Profiles []Profile
	// Extra are the keys that are not known.
	Extra map[string]json.RawMessage
}

// A Profile is one way in which a Tool is distributed.
type Profile struct {
	Name string
	// Type is one of [DistributionTypes], unless it is wrong or missing.
	Type                        string
	PackageName, ExecutableName string
	SupportsProtocol            bool     // false if missing
	Capabilities                []string // the names of tools
	BinaryURLs                  []Asset  // to be downloaded, in the order of the file
	BinaryArtifacts             []Asset  // to be uploaded, in the order of the file
	Extra                       map[string]json.RawMessage
	Pointer                     string // to the profile; see [Document.At]
}

// An Asset is what is installed on one platform.
type Asset struct {
	Platform string // the key as written; see [NormalPlatform]
	URL      string // of one in BinaryURLs
	// Path is that of one in BinaryArtifacts, relative to the folder. It may hold
	// placeholders; see [Placeholders].
	Path       string
	SHA256     string
	Size       int64  // in bytes; 0 if it is not given
	Entrypoint string // the path of the program in the archive
	// Format is as declared; empty means that of the suffix, see [FormatOf].
	Format  string
	Pointer string // to the asset; see [Document.At]
}

// DistributionTypes returns the values that the type of a [Profile] may have.
func DistributionTypes() []string {
	return []string{"uv", "pipx", "npm", "homebrew", "binary", "local"}
}

// ParseExecuta reads an executa.json. file is what positions show, empty means
// executa.json. The error is a [*SyntaxError].
func ParseExecuta(file string, data []byte) (*Executa, error) {
	d, err := parse(file, ExecutaFile, data)
	if err != nil {
		return nil, err
	}
	e := &Executa{}
	o := d.object(&d.root, "")
	e.ToolID = o.text("tool_id")
	e.Slug = o.text("slug")
	e.Name = o.text("name")
	e.Version = o.text("version")
	e.Description = o.text("description")
	e.Kind = o.text("executa_type")
	e.Type = o.text("type")
	e.Enabled = o.flag("enabled", true)
	e.Command = o.texts("command")
	e.ManifestFile = o.text("manifest_file")
	e.distribution(o.object("distribution"))
	e.Extra = o.extra()
	e.Document = *d
	e.sort()
	return e, nil
}

func (d *Document) sort() { slices.SortStableFunc(d.Problems, metadata.Problem.Compare) }

func (e *Executa) distribution(o *object) {
	switch {
	case o.n == nil:
		return
	case o.get("profiles") == nil:
		e.Profiles = []Profile{profile("", o)}
		return
	}
	e.Active = o.text("active")
	profiles := o.object("profiles")
	for name, n := range profiles.members() {
		if n.Kind != posjson.Object {
			profiles.wrong("a profile", n, "an object")
			continue
		}
		e.Profiles = append(e.Profiles, profile(name, profiles.object(name)))
	}
}

func profile(name string, o *object) Profile {
	return Profile{
		Name:             name,
		Pointer:          o.at,
		Type:             o.text("type"),
		PackageName:      o.text("package_name"),
		ExecutableName:   o.text("executable_name"),
		SupportsProtocol: o.flag("supports_protocol", false),
		Capabilities:     o.texts("capabilities"),
		BinaryURLs:       assets(o.object("binary_urls"), "url"),
		BinaryArtifacts:  assets(o.object("binary_artifacts"), "path"),
		Extra:            o.extra(),
	}
}

// assets reads a map of platform keys. where is the key of an asset that a
// text alone stands for.
func assets(o *object, where string) []Asset {
	var list []Asset
	for key, n := range o.members() {
		a := Asset{Platform: key, Pointer: Join(o.at, key)}
		place := &a.URL
		if where == "path" {
			place = &a.Path
		}
		switch n.Kind {
		case posjson.String:
			*place = n.Text
		case posjson.Object:
			m := o.object(key)
			*place = m.text(where)
			a.SHA256 = m.text("sha256")
			a.Size = m.whole("size")
			a.Entrypoint = m.text("entrypoint")
			a.Format = m.text("format")
		default:
			o.wrong("the entry of "+quote(key), n, "text or an object")
			continue
		}
		list = append(list, a)
	}
	return list
}

// Profile returns the profile that is used: the active one, or the only one.
// It is nil if there is no such profile.
func (e *Executa) Profile() *Profile {
	if e.Active == "" && len(e.Profiles) == 1 {
		return &e.Profiles[0]
	}
	for i := range e.Profiles {
		if p := &e.Profiles[i]; p.Name == e.Active && p.Name != "" {
			return p
		}
	}
	return nil
}
