package check

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/matrix-nexus/skillkit/executa/manifest"
	"github.com/matrix-nexus/skillkit/metadata"
)

// toolDistributionRules look at how a Tool is distributed.
var toolDistributionRules = []*Rule{
	{
		ID:    "distribution-type",
		Title: "distribution of a type that is not known",
		Doc: `
A Tool is installed by uv, pipx, npm or homebrew, as a binary, or from an archive on the machine (local). A
distribution with another type, or with none, cannot be installed.
`,
		Bad:      distributionExample(`{"type": "pip", "package_name": "acme-notes", "supports_protocol": true}`),
		Good:     distributionExample(`{"type": "uv", "package_name": "acme-notes", "supports_protocol": true}`),
		Source:   "executa-publish page, section Fill in the rest of the form and publish",
		Severity: metadata.Error,
		RunTool: func(p *Pass) {
			for _, d := range p.Tool.Executa.Profiles {
				switch types := manifest.DistributionTypes(); {
				case d.Type == "":
					p.inExecuta(d.Pointer+"/type", "the distribution has no type; it is one of %s", strings.Join(types, ", "))
				case !slices.Contains(types, d.Type):
					p.inExecuta(d.Pointer+"/type", "no distribution is of type %s%s", short(d.Type), meant(d.Type, types))
				}
			}
		},
	},
	{
		ID:    "distribution-profile",
		Title: "active profile that is not there",
		Doc: `
A distribution with several profiles uses the one that active names. If it names none of them, the Tool has no
distribution and is not installed.
`,
		Bad:      distributionExample(`{"active": "release", "profiles": {"desk": {"type": "local", "supports_protocol": true}}}`),
		Good:     distributionExample(`{"active": "desk", "profiles": {"desk": {"type": "local", "supports_protocol": true}}}`),
		Source:   "distribution in executa.json of 22 example plugins",
		Severity: metadata.Error,
		RunTool: func(p *Pass) {
			e := p.Tool.Executa
			if !e.Has("/distribution/profiles") || e.Profile() != nil {
				return
			}
			names := make([]string, 0, len(e.Profiles))
			for _, d := range e.Profiles {
				names = append(names, clip(d.Name))
			}
			switch {
			case len(names) == 0:
				p.inExecuta("/distribution/profiles", "the distribution has no profiles")
			case e.Active == "":
				p.inExecuta("/distribution", "the distribution does not say which profile is active%s", meant("", names))
			default:
				p.inExecuta("/distribution/active", "there is no profile %s%s", short(e.Active), meant(e.Active, names))
			}
		},
	},
	{
		ID:    "distribution-package-missing",
		Title: "distribution by a package manager that names no package",
		Doc: `
uv, pipx, npm and homebrew install package_name. Without it there is nothing to install.
`,
		Bad:      distributionExample(`{"type": "npm", "executable_name": "notes", "supports_protocol": true}`),
		Good:     distributionExample(`{"type": "npm", "package_name": "@acme/notes", "supports_protocol": true}`),
		Source:   "executa-publish page, section Fill in the rest of the form and publish",
		Severity: metadata.Error,
		RunTool: func(p *Pass) {
			for _, d := range p.Tool.Executa.Profiles {
				if slices.Contains([]string{"uv", "pipx", "npm", "homebrew"}, d.Type) && blank(d.PackageName) {
					p.inExecuta(d.Pointer+"/package_name", "the distribution by %s names no package; set package_name", d.Type)
				}
			}
		},
	},
	{
		ID:    "distribution-binaries",
		Title: "not exactly one of binary_urls and binary_artifacts",
		Doc: `
The binaries of a Tool are either uploaded from your machine (binary_artifacts) or fetched from addresses that
everybody can reach (binary_urls). With both nobody can say which is published, and with neither there is
nothing to install. Upload is the recommended one.
`,
		Bad:      distributionExample(`{"type": "binary", "supports_protocol": true}`),
		Good:     distributionExample(`{"type": "binary", "supports_protocol": true, "binary_artifacts": {"linux-x86_64": {"path": "dist/notes.tar.gz", "entrypoint": "notes"}}}`),
		Source:   "executa-binary page, section Getting the bytes to your users",
		Severity: metadata.Error,
		RunTool: func(p *Pass) {
			for _, d := range p.Tool.Executa.Profiles {
				switch urls, artifacts := p.Tool.Executa.Has(d.Pointer+"/binary_urls"), p.Tool.Executa.Has(d.Pointer+"/binary_artifacts"); {
				case urls && artifacts:
					p.inExecuta(d.Pointer+"/binary_urls", "the distribution has binary_urls and binary_artifacts; keep one of them")
				case d.Type == "binary" && len(d.BinaryURLs)+len(d.BinaryArtifacts) == 0:
					p.inExecuta(d.Pointer, "the distribution has no binaries; set binary_artifacts or binary_urls")
				}
			}
		},
	},
	{
		ID:    "distribution-protocol",
		Title: "distribution that does not promise the protocol",
		Doc: `
supports_protocol says that the installed program speaks JSON-RPC over its standard input and output, which makes
it a Tool and not some command. All example plugins set it to true. Set it, once the program does.
`,
		Bad:      distributionExample(`{"type": "uv", "package_name": "acme-notes"}`),
		Good:     distributionExample(`{"type": "uv", "package_name": "acme-notes", "supports_protocol": true}`),
		Source:   "distribution in executa.json of 22 example plugins",
		Severity: metadata.Info,
		RunTool: func(p *Pass) {
			for _, d := range p.Tool.Executa.Profiles {
				if !d.SupportsProtocol {
					p.inExecuta(d.Pointer+"/supports_protocol", "the distribution does not say \"supports_protocol\": true")
				}
			}
		},
	},
	{
		ID:    "distribution-capabilities",
		Title: "capabilities that are not the tools",
		Doc: `
capabilities of a distribution lists the names of the tools. One that the manifest does not have was most likely renamed
there; saved conversations that name it break, and a search for it finds a Tool that lacks it.
`,
		Bad:      distributionExample(`{"type": "uv", "package_name": "acme-notes", "supports_protocol": true, "capabilities": ["addNote"]}`),
		Good:     distributionExample(`{"type": "uv", "package_name": "acme-notes", "supports_protocol": true, "capabilities": ["add_note"]}`),
		Source:   "executa-publish page, section Stabilise the manifest: tool names are stable",
		Severity: metadata.Warning,
		RunTool:  distributionCapabilities,
	},
	{
		ID:    "platform-unknown",
		Title: "platform key that no machine has",
		Doc: `
A machine looks for its own key, such as linux-x86_64 or darwin-arm64, then for its system (darwin-*), then for
any. What is under another key is never installed.
`,
		Bad:      artifactExample(`"linux-x86-64": {"path": "dist/notes.tar.gz", "entrypoint": "notes"}`),
		Good:     artifactExample(`"linux-x86_64": {"path": "dist/notes.tar.gz", "entrypoint": "notes"}`),
		Source:   "executa-binary page, section Platform keys",
		Severity: metadata.Warning,
		RunTool: func(p *Pass) {
			eachPlatform(p, func(d *manifest.Document, pointer, key string) {
				normal := manifest.NormalPlatform(key)
				if !slices.Contains(manifest.Platforms(), normal) && !manifest.IsWildcard(key) {
					p.ReportFilef(d.File, d.KeyAt(pointer), "no machine has the platform key %s%s", short(key), meant(normal, manifest.Platforms()))
				}
			})
		},
	},
	{
		ID:    "platform-alias",
		Title: "platform key that is an alias",
		Doc: `
Keys such as linux-amd64 and macos-arm64 are read as linux-x86_64 and darwin-arm64. Not every host and script knows the
same aliases, so write the key of the table.
`,
		Bad:      artifactExample(`"linux-amd64": {"path": "dist/notes.tar.gz", "entrypoint": "notes"}`),
		Good:     artifactExample(`"linux-x86_64": {"path": "dist/notes.tar.gz", "entrypoint": "notes"}`),
		Source:   "executa-binary page, section Platform keys",
		Severity: metadata.Info,
		RunTool: func(p *Pass) {
			eachPlatform(p, func(d *manifest.Document, pointer, key string) {
				if normal := manifest.NormalPlatform(key); normal != key && slices.Contains(manifest.Platforms(), normal) {
					p.ReportFilef(d.File, d.KeyAt(pointer), "platform key %s is read as %s; write that", short(key), normal)
				}
			})
		},
	},
	{
		ID:    "platform-duplicate",
		Title: "two keys for one platform",
		Doc: `
Two keys that are read as the same platform, such as linux-amd64 and linux-x86_64, leave it to chance which of their binaries
is installed. Remove one.
`,
		Bad:      artifactExample(`"linux-amd64": {"path": "dist/a.tar.gz", "entrypoint": "notes"}, "linux-x86_64": {"path": "dist/b.tar.gz", "entrypoint": "notes"}`),
		Good:     artifactExample(`"linux-aarch64": {"path": "dist/a.tar.gz", "entrypoint": "notes"}, "linux-x86_64": {"path": "dist/b.tar.gz", "entrypoint": "notes"}`),
		Source:   "executa-binary page, section Platform keys",
		Severity: metadata.Warning,
		RunTool: func(p *Pass) {
			seen := map[string]string{}
			eachPlatform(p, func(d *manifest.Document, pointer, key string) {
				where := d.File + pointer[:strings.LastIndexByte(pointer, '/')+1] + manifest.NormalPlatform(key)
				if other, ok := seen[where]; ok {
					p.ReportFilef(d.File, d.KeyAt(pointer), "platform keys %s and %s are the same", short(other), short(key))
				}
				seen[where] = key
			})
		},
	},
}

// eachPlatform calls f for each key of a map by platform, with the pointer to
// its value.
func eachPlatform(p *Pass, f func(d *manifest.Document, pointer, key string)) {
	e := p.Tool.Executa
	for _, d := range e.Profiles {
		for _, a := range slices.Concat(d.BinaryURLs, d.BinaryArtifacts) {
			f(&e.Document, a.Pointer, a.Platform)
		}
	}
	if a := p.Tool.Archive; a != nil {
		for _, key := range slices.Sorted(maps.Keys(a.Entrypoints)) {
			if key != "default" {
				f(&a.Document, manifest.Join("/runtime/binary/entrypoint", key), key)
			}
		}
	}
}

func distributionCapabilities(p *Pass) {
	q := p.Tool.Plugin
	if q == nil || len(q.Tools) == 0 {
		return
	}
	var names []string
	for _, t := range q.Tools {
		names = append(names, clip(t.Name))
	}
	for _, d := range p.Tool.Executa.Profiles {
		for i, name := range d.Capabilities {
			if !slices.Contains(names, clip(name)) {
				p.inExecuta(manifest.Join(d.Pointer+"/capabilities", strconv.Itoa(i)), "no tool of %s is called %s%s", q.File, short(name), meant(name, names))
			}
		}
	}
}
