package check

import (
	"errors"
	"strings"

	"github.com/matrix-nexus/skillkit/install"
	"github.com/matrix-nexus/skillkit/internal/unpack"
	"github.com/matrix-nexus/skillkit/metadata"
)

// recipeRules look at one recipe of install or uninstall at a time.
var recipeRules = []*Rule{
	{
		ID:    "install-missing-field",
		Title: "recipe does not say what to install",
		Doc: `
A recipe needs the field that its kind takes: formula for brew, package for
pip, apt, npm, go and uv (or module for go), url for download, command for
shell. Without it the recipe is passed over, and what it was to bring stays
missing.
`,
		Bad:      vendorText(`, "requires": {"bins": ["jq"]}, "install": [{"id": "brew", "kind": "brew", "bins": ["jq"], "label": "Install jq"}]`),
		Good:     vendorText(`, "requires": {"bins": ["jq"]}, "install": [{"id": "brew", "kind": "brew", "formula": "jq", "bins": ["jq"], "label": "Install jq"}]`),
		Source:   "skill-format page, section install / uninstall; 112 of 1,994 published recipes",
		Severity: metadata.Warning,
		Profiles: vendorProfiles,
		Run:      missingField,
	},
	{
		ID:    "install-refused",
		Title: "recipe that is refused for what it says",
		Doc: `
A package is given to its installer as an operand. A value that starts with a
hyphen would be an option, a path or URL would install something that is not of
the index, and what a shell makes something of has no place in a name. A
download must be https with a well-formed digest and stay in the folder of the
skill. Such a recipe is never run; name a package of the index.
`,
		Bad:      vendorText(`, "requires": {"bins": ["jq"]}, "install": [{"id": "brew", "kind": "brew", "formula": "--HEAD", "bins": ["jq"], "label": "Install jq"}]`),
		Good:     vendorText(`, "requires": {"bins": ["jq"]}, "install": [{"id": "brew", "kind": "brew", "formula": "jq", "bins": ["jq"], "label": "Install jq"}]`),
		Source:   "skill-format page, section install / uninstall; 19 of 1,994 published recipes name a path or a URL as a package",
		Severity: metadata.Error,
		Profiles: vendorProfiles,
		Run:      refused,
	},
	{
		ID:    "install-no-digest",
		Title: "download without sha256",
		Doc: `
What a URL gives can change after the skill was reviewed, by the hand of its
owner or of somebody else. With sha256 a download is checked before it is
unpacked or run. Put in what "sha256sum FILE" prints, and use a URL with a
version in it, so that the content stays the same.
`,
		Bad: vendorText(`, "requires": {"bins": ["tool"]}, "install": [{"id": "get", "kind": "download", "url": "https://example.com/tool-1.2.tar.gz", "bins": ["tool"], "label": "Download tool"}]`),
		Good: vendorText(`, "requires": {"bins": ["tool"]}, "install": [{"id": "get", "kind": "download", "url": "https://example.com/tool-1.2.tar.gz", ` +
			`"sha256": "05ed5839bbfdb2da36bb9095961e6b4cfa470d55e29a9795100627dbc36df2ba", "bins": ["tool"], "label": "Download tool"}]`),
		Source:   "OpenClaw 2026.9.6, download recipes; https://slsa.dev/spec/v1.0/threats",
		Severity: metadata.Warning,
		Profiles: vendorProfiles,
		Run: func(p *Pass) {
			for _, e := range entries(p, "install") {
				if e.Kind == metadata.KindDownload && e.URL != "" && strings.TrimSpace(e.SHA256) == "" {
					p.Reportf(e.at("url"), "%s has no sha256: what it downloads is not checked", e)
				}
			}
		},
	},
	{
		ID:    "install-archive-mismatch",
		Title: "archive differs from what the URL ends in",
		Doc: `
The download is unpacked as archive says, and fails if it is something else.
Correct the one that is wrong, or leave archive out: the end of the URL tells
the format too.
`,
		Bad: vendorText(`, "requires": {"bins": ["tool"]}, "install": [{"id": "get", "kind": "download", "url": "https://example.com/tool.tar.gz", "archive": "zip", ` +
			`"sha256": "05ed5839bbfdb2da36bb9095961e6b4cfa470d55e29a9795100627dbc36df2ba", "bins": ["tool"], "label": "Download tool"}]`),
		Good: vendorText(`, "requires": {"bins": ["tool"]}, "install": [{"id": "get", "kind": "download", "url": "https://example.com/tool.tar.gz", "archive": "tar.gz", ` +
			`"sha256": "05ed5839bbfdb2da36bb9095961e6b4cfa470d55e29a9795100627dbc36df2ba", "bins": ["tool"], "label": "Download tool"}]`),
		Source:   "OpenClaw 2026.9.6, download recipes",
		Severity: metadata.Warning,
		Profiles: vendorProfiles,
		Run:      archiveMismatch,
	},
	{
		ID:    "install-shell",
		Title: "install recipe that is a shell command",
		Doc: `
Only uninstall takes the kind shell; exec and script are not documented at all.
A shell command can do anything, so that it is shown to the operator and not
run, or only after being allowed. Use the package manager that has the program,
or a download.
`,
		Bad:      vendorText(`, "requires": {"bins": ["tool"]}, "install": [{"id": "sh", "kind": "shell", "command": "make install", "bins": ["tool"], "label": "Build tool"}]`),
		Good:     vendorText(`, "requires": {"bins": ["tool"]}, "install": [{"id": "go", "kind": "go", "module": "example.com/cmd/tool@latest", "bins": ["tool"], "label": "Install tool"}]`),
		Source:   "skill-format page, section install / uninstall; 267 of 1,994 published recipes",
		Severity: metadata.Warning,
		Profiles: vendorProfiles,
		Run: func(p *Pass) {
			for _, e := range entries(p, "install") {
				switch e.Kind {
				case metadata.KindShell, metadata.KindExec, metadata.KindScript:
					p.Reportf(e.at("kind", "type"), "kind %s is not for install; name a package or a download", e.Kind)
				}
			}
		},
	},
	{
		ID:    "install-command-ignored",
		Title: "command of a recipe that does not take one",
		Doc: `
A command is read for the kind shell, and for a download without a url. The
other kinds call their installer with the names of the packages, and a command
beside them is never run. Remove it, or say in the body what else has to be done.
`,
		Bad: vendorText(`, "requires": {"bins": ["jq"]}, "install": [{"id": "brew", "kind": "brew", "formula": "jq", "command": "brew install jq --HEAD", ` +
			`"bins": ["jq"], "label": "Install jq"}]`),
		Good:     vendorText(`, "requires": {"bins": ["jq"]}, "install": [{"id": "brew", "kind": "brew", "formula": "jq", "bins": ["jq"], "label": "Install jq"}]`),
		Source:   "skill-format page, section install / uninstall",
		Severity: metadata.Warning,
		Profiles: vendorProfiles,
		Run: func(p *Pass) {
			for _, e := range entries(p, "install") {
				if e.Command != "" && (takesPackages(e.Kind) && len(e.Packages) > 0 || e.Kind == metadata.KindDownload && e.URL != "") {
					p.Reportf(e.at("command", "cmd"), "a recipe of kind %s takes no command; this one is never run", e.Kind)
				}
			}
		},
	},
	{
		ID:    "install-no-bins",
		Title: "recipe does not say what it makes available",
		Doc: `
With bins a loader knows which recipe brings the program that is missing, and
can check that it did. A recipe without them is the last choice, and that it
ran is all that is known. List the programs; for pip and uv, the packages in
requires.python_packages do as well, and a download need bring none where none is required.
`,
		Bad:      vendorText(`, "requires": {"bins": ["rg"]}, "install": [{"id": "brew", "kind": "brew", "formula": "ripgrep", "label": "Install ripgrep"}]`),
		Good:     vendorText(`, "requires": {"bins": ["rg"]}, "install": [{"id": "brew", "kind": "brew", "formula": "ripgrep", "bins": ["rg"], "label": "Install ripgrep"}]`),
		Source:   "skill-format page, section install / uninstall; 601 of 1,994 published recipes",
		Severity: metadata.Info,
		Profiles: vendorProfiles,
		Run:      noBins,
	},
	{
		ID:    "install-no-id",
		Title: "recipe without id",
		Doc: `
The id names a recipe in messages and in receipts, and pairs an uninstall
recipe with what it undoes. Give each recipe one that stays the same from
version to version, such as the kind.
`,
		Bad:      vendorText(`, "requires": {"bins": ["jq"]}, "install": [{"kind": "brew", "formula": "jq", "bins": ["jq"], "label": "Install jq"}]`),
		Good:     vendorText(`, "requires": {"bins": ["jq"]}, "install": [{"id": "brew", "kind": "brew", "formula": "jq", "bins": ["jq"], "label": "Install jq"}]`),
		Source:   "skill-format page, section install / uninstall; 180 of 1,994 published recipes",
		Severity: metadata.Info,
		Profiles: vendorProfiles,
		Run: func(p *Pass) {
			eachRecipe(p, func(list string, e entry) {
				if e.ID == "" {
					p.Reportf(e.Pos, "a recipe of %s has no id", list)
				}
			})
		},
	},
	{
		ID:    "install-no-label",
		Title: "recipe without label",
		Doc: `
The label is what people are shown before they let a recipe run. Without one they
see the bare command. Say what is installed and by what, as in "Install jq (brew)".
`,
		Bad:      vendorText(`, "requires": {"bins": ["jq"]}, "install": [{"id": "brew", "kind": "brew", "formula": "jq", "bins": ["jq"]}]`),
		Good:     vendorText(`, "requires": {"bins": ["jq"]}, "install": [{"id": "brew", "kind": "brew", "formula": "jq", "bins": ["jq"], "label": "Install jq (brew)"}]`),
		Source:   "skill-format page, section install / uninstall; 183 of 1,994 published recipes",
		Severity: metadata.Info,
		Profiles: vendorProfiles,
		Run: func(p *Pass) {
			eachRecipe(p, func(list string, e entry) {
				if strings.TrimSpace(e.Label) == "" {
					p.Reportf(e.Pos, "%s of %s has no label", e, list)
				}
			})
		},
	},
}

// An entry is a recipe and the field that it was read from.
type entry struct {
	*metadata.Recipe
	field metadata.Field
}

// entries returns the recipes of install or uninstall.
func entries(p *Pass, list string) []entry {
	recipes := p.Doc.Manifest.Install
	if list == "uninstall" {
		recipes = p.Doc.Manifest.Uninstall
	}
	if len(recipes) == 0 {
		return nil
	}
	f, _ := p.Doc.Vendor(list)
	found := make([]entry, len(recipes))
	for i := range recipes {
		found[i] = entry{&recipes[i], fieldAt(f, recipes[i].Pos, 2)}
	}
	return found
}

// fieldAt returns the field at pos that is f or at most depth levels below it.
func fieldAt(f metadata.Field, pos metadata.Position, depth int) metadata.Field {
	if f.Pos == pos || f.KeyPos == pos || depth == 0 {
		return f
	}
	for g := range f.All() {
		if h := fieldAt(g, pos, depth-1); h.Pos == pos || h.KeyPos == pos {
			return h
		}
	}
	return metadata.Field{}
}

// at returns where the value of the first of these fields stands, or where
// the recipe does.
func (e entry) at(names ...string) metadata.Position {
	if pos := entryAt(e.field, names...); pos.IsValid() {
		return pos
	}
	return e.Pos
}

// entryAt returns where the value of the first of these fields of f stands, or
// where f does.
func entryAt(f metadata.Field, names ...string) metadata.Position {
	for _, name := range names {
		if g, ok := f.Field(name); ok {
			return g.Pos
		}
	}
	return f.Pos
}

// String names the recipe in a message.
func (e entry) String() string {
	if e.ID == "" {
		return "the recipe"
	}
	return "recipe " + short(e.ID)
}

// packageFields are the keys under which recipes name packages.
var packageFields = []string{"package", "packages", "formula", "module", "cask", "pkg", "modules", "formulas"}

// takesPackages reports whether the installer of a kind is given names.
func takesPackages(kind metadata.Kind) bool {
	return runByDefault(kind) && kind != metadata.KindDownload || onlyAsked(kind)
}

// runByDefault reports whether kind is documented for install.
func runByDefault(kind metadata.Kind) bool {
	switch kind {
	case metadata.KindBrew, metadata.KindPip, metadata.KindApt, metadata.KindNpm, metadata.KindGo, metadata.KindUv, metadata.KindDownload:
		return true
	}
	return false
}

// onlyAsked reports whether kind is run only by who asks for it by name.
func onlyAsked(kind metadata.Kind) bool {
	switch kind {
	case metadata.KindPipx, metadata.KindCargo, metadata.KindGem, metadata.KindDnf, metadata.KindChoco, metadata.KindWinget:
		return true
	}
	return false
}

// eachRecipe calls f for each recipe of install and uninstall.
func eachRecipe(p *Pass, f func(list string, e entry)) {
	for _, list := range []string{"install", "uninstall"} {
		for _, e := range entries(p, list) {
			f(list, e)
		}
	}
}

func missingField(p *Pass) {
	for _, e := range entries(p, "install") {
		if want := wants(e.Recipe); want != "" {
			p.Reportf(e.at("kind", "type"), "%s is of kind %s and has no %s; it is passed over", e, e.Kind, want)
		}
	}
	for _, e := range entries(p, "uninstall") {
		if e.Kind == metadata.KindShell && strings.TrimSpace(e.Command) == "" {
			p.Reportf(e.at("kind", "type"), "%s is of kind shell and has no command; it is passed over", e)
		}
	}
}

// wants returns the field that an install recipe lacks, or "".
func wants(r *metadata.Recipe) string {
	switch {
	case r.Kind == metadata.KindDownload:
		if r.URL == "" && strings.TrimSpace(r.Command) == "" {
			return "url"
		}
	case r.Kind == metadata.KindShell:
		if strings.TrimSpace(r.Command) == "" {
			return "command"
		}
	case len(r.Packages) > 0 || !takesPackages(r.Kind):
	case r.Kind == metadata.KindBrew:
		return "formula"
	default:
		return "package"
	}
	return ""
}

func refused(p *Pass) {
	eachRecipe(p, func(list string, e entry) {
		r := *e.Recipe
		if list == "uninstall" && r.Command != "" {
			// A command is what an uninstall recipe of any kind may have.
			r = metadata.Recipe{Kind: metadata.KindShell, Command: r.Command}
		}
		err, ok := errors.AsType[*install.RecipeError](install.CheckRecipe(&r))
		if !ok {
			return
		}
		fields := []string{err.Field}
		if err.Field == "package" {
			fields = packageFields
		}
		p.Reportf(e.at(fields...), "%s", err)
	})
}

func archiveMismatch(p *Pass) {
	for _, e := range entries(p, "install") {
		if e.Kind != metadata.KindDownload || e.Archive == "" {
			continue
		}
		says, known := unpack.ParseFormat(e.Archive)
		path, _, _ := strings.Cut(e.URL, "?")
		is, ends := unpack.FormatOf(path)
		if known && ends && says != is {
			p.Reportf(e.at("archive"), "archive says %s, but the URL ends in that of %s", says, is)
		}
	}
}

func noBins(p *Pass) {
	q := &p.Doc.Manifest.Requires
	python, programs := len(q.PythonPackages) > 0, len(q.Bins)+len(q.AnyBins) > 0
	for _, e := range entries(p, "install") {
		switch {
		case len(e.Bins) > 0, !runByDefault(e.Kind) && !onlyAsked(e.Kind):
		case python && (e.Kind == metadata.KindPip || e.Kind == metadata.KindUv): // the packages are looked for
		case e.Kind == metadata.KindDownload && !programs: // of data, as a model is
		default:
			p.Reportf(e.Pos, "%s names no bins, so that nobody can check what it brought", e)
		}
	}
}
