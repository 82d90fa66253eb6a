package metadata

import (
	"slices"
	"strings"
)

// vendorKeys are the keys under metadata that hold the fields, the first
// documentedVendors of them documented, the others found in published skills.
var vendorKeys = [...]string{
	"matrix", "openclaw", "nexus",
	"clawdbot", "moltbot", "clawdis", "clawhub", "clawdhub", "nanobot", "hermes",
}

const documentedVendors = 3

// vendorRank returns the place of key among the vendor keys, or -1.
func vendorRank(key string) int { return slices.Index(vendorKeys[:], key) }

// A vendor is where the fields of metadata are looked for.
type vendor struct {
	block *value // the vendor block, or metadata itself
	meta  *value // metadata, where that is not the block
	top   *value // the top level of the frontmatter
}

// metadata decodes the metadata field f.
func (p *parser) metadata(m *Manifest, root *value, f *member) {
	v := vendor{block: &value{kind: kindObject}, top: root}
	if meta := p.metadataObject(m, f); meta != nil {
		v.block = meta
		if m.Version == "" {
			m.Version = p.text(scalarMember(meta, "version"))
		}
		if m.Author == "" {
			m.Author = p.text(scalarMember(meta, "author"))
		}
		if block := p.vendorBlock(m, meta); block != nil {
			v.block, v.meta = block, meta
		} else {
			p.unknownVendor(m, meta)
		}
	} else if block := p.vendorBlock(m, root); block != nil {
		// A block that lost its place under metadata.
		v.block = block
		key := root.member(m.VendorKey)
		key.val.used = true
		p.report(Warning, codeMisplacedField, key.pos, "%s stands at the top level; put it under metadata", m.VendorKey)
	}

	p.vendor = v
	m.Always = p.boolean(p.vendorField(&v, "always"), false)
	m.SkillKey = p.text(p.vendorField(&v, "skill_key"))
	m.PrimaryEnv = p.text(p.vendorField(&v, "primary_env"))
	m.Emoji = p.text(p.vendorField(&v, "emoji"))
	m.Homepage = p.text(p.vendorField(&v, "homepage"))
	m.CategoryName = p.text(orField(p.vendorField(&v, "category_name"), v.block.field("category")))
	m.ExecutionMode = p.mode(p.vendorField(&v, "execution_mode"))
	m.Parameters = p.parameters(p.vendorField(&v, "parameters"))
	req := p.vendorField(&v, "requires")
	p.requires(m, req)
	os := p.vendorField(&v, "os")
	if os == nil && req != nil && req.val.kind == kindObject {
		os = req.val.field("os")
	}
	m.OS = p.systems(os, &m.RequiresUnknown)
	m.Install = p.recipes(p.vendorField(&v, "install"))
	m.Uninstall = p.recipes(p.vendorField(&v, "uninstall"))
	p.misplacedRequires(m, &v)
	if f != nil || m.VendorKey != "" {
		m.VendorExtra = v.block.unread()
	}
}

// scalarMember returns the member of v with this key if it is a scalar.
func scalarMember(v *value, key string) *member {
	if f := v.member(key); f != nil && f.val.isScalar() {
		return f
	}
	return nil
}

// metadataObject returns the mapping that metadata holds, or nil.
func (p *parser) metadataObject(m *Manifest, f *member) *value {
	if f == nil {
		return nil
	}
	switch f.val.kind {
	case kindObject:
		return f.val
	case kindNull:
		return nil
	case kindLost:
	case kindText:
		if strings.TrimSpace(f.val.text) == "" {
			return nil
		}
		v, err := p.embedded(f.val)
		if err == nil {
			return v
		}
		p.report(Warning, codeMetadataUnreadable, err.pos, "metadata cannot be read, requirements are unknown: %s", err.msg)
	default:
		p.report(Warning, codeMetadataUnreadable, f.val.pos,
			"metadata cannot be read, requirements are unknown: it is %s; want a mapping", f.val.kind)
	}
	m.RequiresUnknown = true
	return nil
}

// embedded reads the JSON that a text holds.
func (p *parser) embedded(v *value) (*value, *jsonError) {
	if !strings.HasPrefix(strings.TrimSpace(v.text), "{") {
		return nil, &jsonError{v.pos, "it is not a JSON object"}
	}
	w, end, relaxed, err := parseJSON(v.text, v.locator(), p.duplicate)
	if err != nil {
		return nil, err
	}
	if end < len(v.text) {
		return nil, &jsonError{v.pos, "text follows the JSON object"}
	}
	if relaxed {
		p.report(Info, codeMetadataNotStrict, v.pos, "metadata is not strict JSON")
	}
	return w, nil
}

// vendorBlock returns the block that the vendor keys of meta name, or nil.
func (p *parser) vendorBlock(m *Manifest, meta *value) *value {
	var block *value
	keys := vendorKeys[:]
	if p.opts.NoVendorAliases {
		keys = keys[:documentedVendors]
	}
	for _, key := range keys {
		f := meta.member(key)
		if f == nil || f.val.kind == kindNull {
			continue
		}
		b := f.val
		if b.kind == kindText {
			if w, err := p.embedded(b); err == nil {
				b = w
			}
		}
		if k := b.kind; k == kindText || k == kindLost {
			m.RequiresUnknown = true
		}
		switch {
		case b.kind == kindLost: // reported
		case b.kind != kindObject:
			p.report(Warning, codeVendorNotMap, b.pos, "%s is %s; want a mapping", key, b.kind)
		case block != nil:
			if !block.equal(b) {
				p.report(Warning, codeVendorConflict, f.pos, "%s differs from %s, which is read", key, m.VendorKey)
			}
		default:
			block, m.VendorKey = b, key
			if vendorRank(key) >= documentedVendors {
				p.report(Info, codeLegacyVendor, f.pos,
					"%s is not a documented key under metadata; use matrix", key)
			}
		}
	}
	return block
}

// unknownVendor reports a block under a key that is not known: what it
// requires is not known either.
func (p *parser) unknownVendor(m *Manifest, meta *value) {
	if hasVendorField(meta) {
		return
	}
	for _, f := range meta.members {
		if f.val.kind != kindObject || !hasVendorField(f.val) {
			continue
		}
		p.report(Warning, codeUnknownVendor, f.pos, "%s is not a known key under metadata, it is not read; use matrix", f.key)
		if f.val.member("requires") != nil || f.val.member("os") != nil {
			m.RequiresUnknown = true
		}
	}
}

// hasVendorField reports whether v has a field that tells a vendor block from
// other mappings.
func hasVendorField(v *value) bool {
	for _, f := range v.members {
		switch snake(f.key) {
		case "requires":
			if f.val.kind == kindObject {
				return true
			}
		case "install", "os", "execution_mode", "primary_env", "skill_key":
			return true
		}
	}
	return false
}

// vendorField returns a field of the vendor block, else the field of that name
// beside the block or at the top level.
func (p *parser) vendorField(v *vendor, name string) *member {
	f := v.block.field(name)
	if f != nil && f.val.kind != kindNull {
		if name == "requires" && v.top != nil {
			if g := v.top.field(name); g != nil && g.val.kind != kindNull {
				p.report(Warning, codeTopLevelRequires, g.pos, "requires at the top level is not read, since the block under metadata has its own; merge them there")
			}
		}
		return f
	}
	for _, outer := range []*value{v.meta, v.top} {
		if outer == nil {
			continue
		}
		g := outer.field(name)
		if g == nil || g.val.kind == kindNull {
			continue
		}
		switch {
		case name == "homepage": // published skills have it at the top level
		case name == "requires" && outer == v.top:
			p.report(Warning, codeTopLevelRequires, g.pos, "requires stands at the top level; put it under metadata")
		default:
			p.report(Warning, codeMisplacedField, g.pos, "%s stands outside the block under metadata; put it there", g.key)
		}
		return g
	}
	return f
}

func (p *parser) mode(f *member) Mode {
	mode := Mode(strings.ToLower(p.text(f)))
	switch mode {
	case ModePrompt, ModeBash, ModePython, ModeAPI, ModeHybrid:
		return mode
	case "":
	default:
		p.report(Warning, codeUnknownMode, f.val.pos,
			"execution mode %q is not known; want prompt, bash, python, api or hybrid", mode)
	}
	return ModePrompt
}

func (p *parser) parameters(f *member) []byte {
	switch {
	case f == nil, f.val.kind == kindNull, f.val.kind == kindLost:
		return nil
	case f.val.kind != kindList:
		p.wrongType(f, "a list")
		return nil
	}
	return f.val.appendJSON(nil)
}

// systems returns the operating systems that f names, as values of GOOS.
// unknown, unless nil, is set when f cannot be read.
func (p *parser) systems(f *member, unknown *bool) []string {
	if f == nil {
		return nil
	}
	if k := f.val.kind; k == kindObject || k == kindLost {
		if k == kindObject {
			p.wrongType(f, "a list")
		}
		if unknown != nil {
			*unknown = true
		}
		return nil
	}
	var list []string
	for _, w := range p.words(f) {
		name, alias := system(w.text)
		switch {
		case name == "":
			name = strings.ToLower(w.text)
			p.report(Warning, codeUnknownOS, w.pos, "os %q is not known; want macos, linux or windows", w.text)
		case alias:
			p.report(Info, codeOSAlias, w.pos, "os %q is read as %s", w.text, documentedOS(name))
		}
		if name == anyOS {
			return nil
		}
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// anyOS is what system returns for a name that means no limit.
const anyOS = "any system"

// documentedOS returns the documented name for a value of GOOS.
func documentedOS(goos string) string {
	if goos == "darwin" {
		return "macos"
	}
	return goos
}

// system returns the value of GOOS for the name of an operating system, anyOS,
// or "" if it is not known. alias reports an undocumented name.
func system(s string) (name string, alias bool) {
	switch s = strings.ToLower(s); s {
	case "linux", "windows":
		return s, false
	case "macos":
		return "darwin", false
	case "darwin", "mac", "osx":
		return "darwin", true
	case "win", "win32":
		return "windows", true
	case "any", "all", "*":
		return anyOS, true
	case "freebsd", "openbsd", "netbsd", "android", "ios":
		return s, false
	}
	// Such as "Windows 10+".
	if first, _, ok := strings.Cut(s, " "); ok {
		if name, _ := system(first); name != anyOS {
			return name, true
		}
	}
	return "", false
}
