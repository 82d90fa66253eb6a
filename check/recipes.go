package check

import (
	"github.com/matrix-nexus/skillkit/metadata"
)

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
