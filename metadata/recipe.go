package metadata

import (
	"math"
	"strconv"
	"strings"
)

// recipes decodes install or uninstall.
func (p *parser) recipes(f *member) []Recipe {
	if f == nil {
		return nil
	}
	var list []Recipe
	switch v := f.val; v.kind {
	case kindNull, kindLost:
	case kindList:
		for _, item := range v.items {
			list = p.recipeItem(list, f.key, item)
		}
	case kindObject:
		if isRecipe(v) {
			p.report(Warning, codeInstallShape, v.pos, "%s is one recipe; want a list", f.key)
			return append(list, p.recipe(f.key, v, ""))
		}
		if len(v.members) > 0 {
			p.report(Warning, codeInstallShape, v.pos, "%s is a mapping; want a list of recipes", f.key)
		}
		for i := range v.members {
			list = p.recipeMember(list, f.key, &v.members[i])
		}
	default:
		list = p.recipeItem(list, f.key, v)
	}
	return list
}

// recipeItem appends the recipe that is an entry of a list.
func (p *parser) recipeItem(list []Recipe, key string, v *value) []Recipe {
	switch {
	case v.kind == kindNull:
		return list
	case v.kind == kindObject && !isRecipe(v) && len(v.members) == 1:
		return p.recipeMember(list, key, &v.members[0])
	case v.kind == kindObject:
		return append(list, p.recipe(key, v, ""))
	case v.kind == kindText:
		if strings.TrimSpace(v.text) == "" {
			return list
		}
		p.report(Warning, codeInstallShape, v.pos, "%s holds text; it is shown and never run", key)
		return append(list, Recipe{Kind: KindManual, Command: strings.TrimSpace(v.text), Pos: v.pos})
	}
	p.report(Warning, codeInstallShape, v.pos, "an entry of %s is %s; want a mapping", key, v.kind)
	return list
}

// recipeMember appends the recipes of "brew: jq" or "brew: {formula: jq}".
func (p *parser) recipeMember(list []Recipe, key string, f *member) []Recipe {
	kind, known := ParseKind(f.key)
	if f.val.kind == kindObject && isRecipe(f.val) {
		if !known {
			kind = "" // the key is an id
		}
		r := p.recipe(key, f.val, kind)
		if !known && r.ID == "" {
			r.ID = f.key
		}
		return append(list, r)
	}
	r := Recipe{Kind: kind, Pos: f.pos}
	if known && f.val.kind != kindObject {
		r.Packages = p.packages(f)
	}
	if len(r.Packages) == 0 {
		p.report(Warning, codeInstallShape, f.pos, "%s of %s is not a recipe", f.key, key)
		return list
	}
	p.report(Warning, codeInstallShape, f.pos, "%s of %s is read as a recipe of that kind", f.key, key)
	return append(list, r)
}

// packageKeys are the keys that name operands of a package manager.
var packageKeys = [...]string{"formula", "module", "package", "packages", "cask", "pkg", "modules", "formulas"}

// isRecipe reports whether v has a key that only recipes have.
func isRecipe(v *value) bool {
	for _, key := range []string{"kind", "type", "command", "url", "bins"} {
		if v.member(key) != nil {
			return true
		}
	}
	for _, key := range packageKeys {
		if v.member(key) != nil {
			return true
		}
	}
	return false
}

// recipe decodes one recipe. kindOf is what it is if it does not say.
func (p *parser) recipe(key string, v *value, kindOf Kind) Recipe {
	r := Recipe{Kind: kindOf, Pos: v.pos}
	kind := orField(v.field("kind"), v.field("type"))
	if text := p.text(kind); text != "" {
		var known bool
		if r.Kind, known = ParseKind(text); !known {
			p.report(Warning, codeUnknownKind, kind.val.pos, "kind %q of %s is not known; want brew, apt, pip, npm, go, uv or download", text, key)
		}
	} else if r.Kind == "" {
		p.report(Warning, codeNoKind, v.pos, "a recipe of %s has no kind", key)
	}
	r.ID = p.text(v.field("id"))
	r.Label = p.text(v.field("label"))
	for _, w := range p.words(orField(v.field("bins"), v.field("bin"))) {
		r.Bins = append(r.Bins, w.text)
	}
	r.OS = p.systems(v.field("os"), nil)
	r.Command = p.text(orField(v.field("command"), v.field("cmd")))
	r.URL = p.text(v.field("url"))
	r.SHA256 = p.text(v.field("sha256"))
	r.Archive = p.text(v.field("archive"))
	r.Extract = p.boolean(v.field("extract"), false)
	r.StripComponents = p.count(v.field("strip_components"))
	r.TargetDir = p.text(v.field("target_dir"))
	for _, name := range packageKeys {
		f := v.member(name)
		if f == nil || f.val.kind == kindNull {
			continue
		}
		f.val.used = true
		if r.Packages = p.packages(f); len(r.Packages) > 0 {
			break // others are likely the same thing under another name
		}
	}
	r.Extra = v.unread()
	return r
}

// packages returns the operands that f names.
func (p *parser) packages(f *member) []string {
	var list []string
	for _, w := range p.words(f) {
		list = append(list, strings.Fields(w.text)...)
	}
	return list
}

// ParseKind returns the kind that s names, in any case and with the aliases
// folded: "node" is [KindNpm]. One that is not known is kept as written.
func ParseKind(s string) (kind Kind, known bool) {
	switch k := Kind(strings.ToLower(s)); k {
	case KindBrew, KindPip, KindApt, KindNpm, KindGo, KindUv, KindDownload, KindShell,
		KindPipx, KindCargo, KindGem, KindDnf, KindChoco, KindWinget,
		KindExec, KindScript, KindManual:
		return k, true
	case "node":
		return KindNpm, true
	case "homebrew", "cask":
		return KindBrew, true
	case "pip3":
		return KindPip, true
	case "golang":
		return KindGo, true
	case "apt-get":
		return KindApt, true
	}
	return Kind(s), false
}

// count returns the value of a field that counts something, or 0.
func (p *parser) count(f *member) int {
	if f == nil || f.val.kind == kindNull || f.val.kind == kindLost {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSpace(f.val.text))
	if err != nil || n < 0 || n > math.MaxInt32 {
		p.wrongType(f, "a count")
		return 0
	}
	return n
}
