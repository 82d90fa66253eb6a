package check

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/executa/manifest"
	"github.com/matrix-nexus/skillkit/metadata"
)

// toolAssetRules look at the binaries of a Tool.
var toolAssetRules = []*Rule{
	{
		ID:    "download-insecure",
		Title: "binary that is fetched without encryption",
		Doc: `
What comes over http can be changed by anybody on the way, and it is a program that users run. Serve it over https. With
a sha256 a change is noticed, but the install fails.
`,
		Bad:      urlExample(`"linux-x86_64": "http://example.com/notes-linux-x86_64.tar.gz"`),
		Good:     urlExample(`"linux-x86_64": "https://example.com/notes-linux-x86_64.tar.gz"`),
		Source:   "executa-binary page, section binary_urls",
		Severity: metadata.Error,
		RunTool: func(p *Pass) {
			eachURL(p, func(a manifest.Asset, u *url.URL) {
				if u != nil && strings.EqualFold(u.Scheme, "http") {
					p.inExecuta(urlPointer(p, a), "the binary is fetched over http; serve it over https")
				}
			})
		},
	},
	{
		ID:    "download-url",
		Title: "binary without an address",
		Doc: `
Each entry of binary_urls is an absolute https address, or an object with one in url. The file is fetched from there by the
platform, so a path on your machine or an address without a host leads nowhere; for files of your own
use binary_artifacts.
`,
		Bad:      urlExample(`"linux-x86_64": "dist/notes-linux-x86_64.tar.gz"`),
		Good:     urlExample(`"linux-x86_64": "https://example.com/notes-linux-x86_64.tar.gz"`),
		Source:   "executa-binary page, section binary_urls",
		Severity: metadata.Error,
		RunTool: func(p *Pass) {
			eachURL(p, func(a manifest.Asset, u *url.URL) {
				if u == nil {
					p.inExecuta(urlPointer(p, a), "the binary for %s has no absolute https address", short(a.Platform))
				}
			})
		},
	},
	{
		ID:    "download-no-digest",
		Title: "binary without a sha256",
		Doc: `
With sha256 a host refuses a file that is not the one you built, whether it was damaged, replaced or mixed up. Write the
entry as an object with url and sha256.
`,
		Bad:      urlExample(`"linux-x86_64": "https://example.com/notes-linux-x86_64.tar.gz"`),
		Good:     urlExample(`"linux-x86_64": {"url": "https://example.com/notes-linux-x86_64.tar.gz", "sha256": "` + strings.Repeat("9b1f", 16) + `"}`),
		Source:   "executa-binary page, section binary_urls: optional but recommended",
		Severity: metadata.Info,
		RunTool: func(p *Pass) {
			eachURL(p, func(a manifest.Asset, u *url.URL) {
				if a.SHA256 == "" && u != nil {
					p.inExecuta(a.Pointer, "the binary for %s has no sha256", short(a.Platform))
				}
			})
		},
	},
	{
		ID:    "download-digest",
		Title: "sha256 that is none",
		Doc: `
A sha256 is 64 hexadecimal digits. The file can never have another one, so each install is refused. Take it from
sha256sum, without the name of the file.
`,
		Bad:      urlExample(`"linux-x86_64": {"url": "https://example.com/notes-linux-x86_64.tar.gz", "sha256": "9b1f"}`),
		Good:     urlExample(`"linux-x86_64": {"url": "https://example.com/notes-linux-x86_64.tar.gz", "sha256": "` + strings.Repeat("9b1f", 16) + `"}`),
		Source:   "executa-binary page, section binary_urls",
		Severity: metadata.Error,
		RunTool: func(p *Pass) {
			eachURL(p, func(a manifest.Asset, _ *url.URL) {
				if a.SHA256 != "" && !sha256Text.MatchString(a.SHA256) {
					p.inExecuta(a.Pointer+"/sha256", "sha256 is not 64 hexadecimal digits")
				}
			})
		},
	},
	{
		ID:    "artifact-bare",
		Title: "artifact that is not an archive",
		Doc: `
Only archives are uploaded: .tar.gz, .tgz and .zip. A bare program is refused. Pack it, with a manifest.json that
names its entrypoint.
`,
		Bad:      artifactExample(`"linux-x86_64": {"path": "dist/notes", "entrypoint": "notes"}`),
		Good:     artifactExample(`"linux-x86_64": {"path": "dist/notes.tar.gz", "entrypoint": "notes"}`),
		Source:   "executa-binary page, section binary_artifacts",
		Severity: metadata.Error,
		RunTool: func(p *Pass) {
			eachArtifact(p, func(a manifest.Asset) {
				if a.Path != "" && (a.Format == "raw" || a.Format == "" && manifest.FormatOf(a.Path) == "raw") {
					p.inExecuta(pathPointer(p, a), "%s is a bare program; pack it as .tar.gz or .zip", short(a.Path))
				}
			})
		},
	},
	{
		ID:    "artifact-path",
		Title: "artifact whose path leads nowhere",
		Doc: `
path is relative to the folder of executa.json and stays below it. It may hold {version}, {platform} and {tool_id}, which
are filled in at upload; other names in braces are not.
`,
		Bad:      artifactExample(`"linux-x86_64": {"path": "dist/notes-{arch}.tar.gz", "entrypoint": "notes"}`),
		Good:     artifactExample(`"linux-x86_64": {"path": "dist/notes-{platform}.tar.gz", "entrypoint": "notes"}`),
		Source:   "executa-binary page, section binary_artifacts",
		Severity: metadata.Error,
		RunTool: func(p *Pass) {
			eachArtifact(p, func(a manifest.Asset) {
				name, err := manifest.Placeholders{Version: "1.0.0", Platform: "linux-x86_64", ToolID: "tool"}.Expand(a.Path)
				switch {
				case a.Path == "":
					p.inExecuta(pathPointer(p, a), "the artifact for %s has no path", short(a.Platform))
				case err != nil:
					p.inExecuta(pathPointer(p, a), "the path of the artifact for %s: %s", short(a.Platform), clipReason(err.Error()))
				case !manifest.IsLocal(name):
					p.inExecuta(pathPointer(p, a), "path %s is not below the folder", short(a.Path))
				}
			})
		},
	},
	{
		ID:    "asset-format",
		Title: "format of a binary that is wrong",
		Doc: `
format is tar.gz, tgz, zip or raw, and an archive is unpacked as it says. One that is not known, or that the
suffix of the file contradicts, makes the install fail. Leave it out: the suffix is enough.
`,
		Bad:      artifactExample(`"linux-x86_64": {"path": "dist/notes.zip", "entrypoint": "notes", "format": "tar.gz"}`),
		Good:     artifactExample(`"linux-x86_64": {"path": "dist/notes.zip", "entrypoint": "notes", "format": "zip"}`),
		Source:   "executa-binary page, sections binary_urls and binary_artifacts",
		Severity: metadata.Warning,
		RunTool: func(p *Pass) {
			eachAsset(p, func(a manifest.Asset) {
				suffix := manifest.FormatOf(a.URL + a.Path)
				switch formats := manifest.Formats(); {
				case a.Format == "":
				case !slices.Contains(formats, a.Format):
					p.inExecuta(a.Pointer+"/format", "no format is called %s%s", short(a.Format), meant(a.Format, formats))
				case suffix != "raw" && (suffix == "zip") != (a.Format == "zip") || suffix != "raw" && a.Format == "raw":
					p.inExecuta(a.Pointer+"/format", "format is %s, and the file ends in .%s", a.Format, suffix)
				}
			})
		},
	},
	{
		ID:    "asset-entrypoint-missing",
		Title: "archive that does not say what to start",
		Doc: `
Without an entrypoint the host looks for a file that is called as the Tool, then takes the only executable file in the archive, and
at last the first by name, which may be some helper. Name the program, here or in the manifest.json at the root of the
archive.
`,
		Bad:      artifactExample(`"linux-x86_64": {"path": "dist/notes.tar.gz"}`),
		Good:     artifactExample(`"linux-x86_64": {"path": "dist/notes.tar.gz", "entrypoint": "bin/notes"}`),
		Source:   "executa-binary page, section Resolution fallback; executa-pitfalls page, section 6",
		Severity: metadata.Info,
		RunTool: func(p *Pass) {
			eachAsset(p, func(a manifest.Asset) {
				if a.Entrypoint == "" && a.Format != "raw" && manifest.FormatOf(a.URL+a.Path) != "raw" {
					p.inExecuta(a.Pointer, "the archive for %s has no entrypoint here", short(a.Platform))
				}
			})
			if a := p.Tool.Archive; a != nil && len(a.Entrypoints) == 0 {
				p.at(&a.Document, "/runtime/binary", "runtime.binary has no entrypoint")
			}
		},
	},
	{
		ID:    "entrypoint-outside",
		Title: "entrypoint outside the archive",
		Doc: `
An entrypoint, and each path in permissions, is relative to the root of the archive, with forward slashes and without "..". Another one is
refused at install, since it would start or change a file that the archive did not bring.
`,
		Bad:      artifactExample(`"linux-x86_64": {"path": "dist/notes.tar.gz", "entrypoint": "/usr/bin/notes"}`),
		Good:     artifactExample(`"linux-x86_64": {"path": "dist/notes.tar.gz", "entrypoint": "bin/notes"}`),
		Source:   "executa-binary page, section Manifest runtime.binary; archive checks of package install",
		Severity: metadata.Error,
		RunTool:  entrypointOutside,
	},
}

var sha256Text = regexp.MustCompile(`^[0-9a-fA-F]{64}$`)

func eachAsset(p *Pass, f func(manifest.Asset)) {
	for _, d := range p.Tool.Executa.Profiles {
		for _, a := range slices.Concat(d.BinaryURLs, d.BinaryArtifacts) {
			f(a)
		}
	}
}

func eachArtifact(p *Pass, f func(manifest.Asset)) {
	for _, d := range p.Tool.Executa.Profiles {
		for _, a := range d.BinaryArtifacts {
			f(a)
		}
	}
}

// eachURL calls f for each binary to be fetched; u is nil if its address is no
// absolute one.
func eachURL(p *Pass, f func(a manifest.Asset, u *url.URL)) {
	for _, d := range p.Tool.Executa.Profiles {
		for _, a := range d.BinaryURLs {
			u, err := url.Parse(a.URL)
			if err != nil || u.Host == "" || !strings.EqualFold(u.Scheme, "https") && !strings.EqualFold(u.Scheme, "http") {
				u = nil
			}
			f(a, u)
		}
	}
}

// urlPointer and pathPointer lead to the address and the path of an asset,
// which may be a text alone.
func urlPointer(p *Pass, a manifest.Asset) string  { return memberPointer(p, a, "/url") }
func pathPointer(p *Pass, a manifest.Asset) string { return memberPointer(p, a, "/path") }

func memberPointer(p *Pass, a manifest.Asset, member string) string {
	if p.Tool.Executa.Has(a.Pointer + member) {
		return a.Pointer + member
	}
	return a.Pointer
}

func entrypointOutside(p *Pass) {
	eachAsset(p, func(a manifest.Asset) {
		if a.Entrypoint != "" && !manifest.IsLocal(a.Entrypoint) {
			p.inExecuta(a.Pointer+"/entrypoint", "entrypoint %s is not a path inside the archive", short(a.Entrypoint))
		}
	})
	a := p.Tool.Archive
	if a == nil {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(a.Entrypoints)) {
		if name := a.Entrypoints[key]; !manifest.IsLocal(name) {
			p.at(&a.Document, manifest.Join("/runtime/binary/entrypoint", key), "entrypoint %s is not a path inside the archive", short(name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.Permissions)) {
		if !manifest.IsLocal(name) {
			p.ReportFilef(a.File, a.KeyAt(manifest.Join("/runtime/binary/permissions", name)), "permissions of %s, which is not a path inside the archive", short(name))
		}
	}
}
