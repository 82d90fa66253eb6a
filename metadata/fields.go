package metadata

import (
	"cmp"
	"path/filepath"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// manifest decodes the top level of the frontmatter, which opens at open.
func (p *parser) manifest(m *Manifest, root *value, open Position) {
	p.nestDotted(root)
	get := func(name string) *member {
		f := root.field(name)
		if f != nil && f.key != name {
			p.report(Info, codeKeySpelling, f.pos, "%s is read as %s", f.key, name)
		}
		return f
	}
	p.name(m, get("name"), open)
	p.description(m, get("description"), open)
	m.License = p.text(get("license"))
	m.Compatibility = p.text(get("compatibility"))
	m.AllowedTools = p.allowedTools(get("allowed-tools"))
	m.ArgumentHint = p.text(get("argument-hint"))
	m.UserInvocable = p.boolean(get("user-invocable"), true)
	m.DisableModelInvocation = p.boolean(get("disable-model-invocation"), false)
	m.Version = p.text(get("version"))
	m.Author = p.person(get("author"))
	p.metadata(m, root, get("metadata"))
	m.Extra = root.unread()
}

func (p *parser) name(m *Manifest, f *member, open Position) {
	folder := filepath.Base(filepath.Dir(p.file))
	if folder == "." || folder == string(filepath.Separator) {
		folder = ""
	}
	m.Name = p.text(f)
	switch {
	case m.Name == "":
		pos := open
		if f != nil {
			pos = f.pos
		}
		if m.Name = folder; folder == "" {
			p.report(Warning, codeNoName, pos, "no name, and no folder to take it from")
		} else {
			p.report(Info, codeNoName, pos, "no name; that of the folder is used, %q", folder)
		}
	case folder != "" && norm.NFC.String(m.Name) != norm.NFC.String(folder):
		p.report(Warning, codeNameDirectory, f.val.pos, "name %q differs from the folder's, %q; rename one of them", m.Name, folder)
	}
}

func (p *parser) description(m *Manifest, f *member, open Position) {
	m.Description = p.text(f)
	if m.Description != "" {
		return
	}
	pos := open
	if f != nil {
		pos = f.pos
	}
	p.report(Error, codeNoDescription, pos, "no description; without one a model is not offered this skill")
}

// text returns the text of a scalar field, without blanks around it, or "".
func (p *parser) text(f *member) string {
	if f == nil || f.val.kind == kindNull || f.val.kind == kindLost {
		return ""
	}
	if !f.val.isScalar() {
		p.wrongType(f, "text")
		return ""
	}
	return strings.TrimSpace(f.val.text)
}

// person returns the text of author, which is sometimes a mapping with a name.
func (p *parser) person(f *member) string {
	if f != nil && f.val.kind == kindObject {
		if n := f.val.field("name"); n != nil {
			f = n
		}
	}
	return p.text(f)
}

func (p *parser) wrongType(f *member, want string) {
	p.report(Warning, codeWrongType, f.val.pos, "%s is %s; want %s", f.key, f.val.kind, want)
}

// boolean returns the value of a boolean field, or def.
func (p *parser) boolean(f *member, def bool) bool {
	if f == nil || f.val.kind == kindNull || f.val.kind == kindLost {
		return def
	}
	v := f.val
	var b bool
	switch strings.ToLower(strings.TrimSpace(v.text)) {
	case "true", "yes", "on":
		b = true
	case "false", "no", "off":
	default:
		p.wrongType(f, "true or false")
		return def
	}
	if v.kind != kindBool {
		p.report(Warning, codeStringBool, v.pos, "%s is text; write %t without quotes", f.key, b)
	}
	return b
}

// A word is a text with its place.
type word struct {
	text string
	pos  Position
}

// words returns the entries of a field that is a list, or text divided by
// commas, without empty ones.
func (p *parser) words(f *member) []word {
	if f == nil {
		return nil
	}
	var list []word
	add := func(s string, pos Position) {
		if s = strings.TrimSpace(s); s != "" {
			list = append(list, word{s, pos})
		}
	}
	switch v := f.val; v.kind {
	case kindNull, kindLost:
	case kindList:
		for _, item := range v.items {
			if !item.isScalar() {
				p.report(Warning, codeWrongType, item.pos, "an entry of %s is %s; want text", f.key, item.kind)
			} else if item.kind != kindNull {
				add(item.text, item.pos)
			}
		}
	case kindObject:
		p.wrongType(f, "a list")
	default:
		for s := range strings.SplitSeq(v.text, ",") {
			add(s, v.pos)
		}
	}
	return list
}

// allowedTools reads both forms of allowed-tools. Blanks and commas inside
// parentheses belong to an entry.
func (p *parser) allowedTools(f *member) []string {
	if f == nil {
		return nil
	}
	texts := []*value{f.val}
	switch f.val.kind {
	case kindNull, kindLost:
		return nil
	case kindList:
		texts = f.val.items
	case kindObject:
		p.wrongType(f, "text or a list")
		return nil
	}
	var tools []string
	for _, v := range texts {
		if !v.isScalar() {
			p.report(Warning, codeWrongType, v.pos, "an entry of %s is %s; want text", f.key, v.kind)
			continue
		}
		if v.kind == kindNull {
			continue
		}
		list, ok := splitTools(v.text)
		if !ok {
			p.report(Error, codeUnbalancedTools, v.pos, "parentheses in %s do not match", f.key)
			continue
		}
		tools = append(tools, list...)
	}
	return tools
}

func splitTools(s string) (list []string, ok bool) {
	depth, start := 0, 0
	for i, r := range s + "," {
		switch {
		case r == '(':
			depth++
		case r == ')':
			if depth--; depth < 0 {
				return nil, false
			}
		case depth == 0 && (r == ',' || r == ' ' || r == '\t' || r == '\n'):
			if i > start {
				list = append(list, s[start:i])
			}
			start = i + 1
		}
	}
	return list, depth == 0
}

// nestDotted rewrites keys such as metadata.openclaw and openclaw.emoji as
// what they stand for.
func (p *parser) nestDotted(root *value) {
	for _, m := range root.members {
		path := strings.SplitN(m.key, ".", 5) // metadata.matrix.requires.bins
		if len(path) < 2 || path[0] != "metadata" && vendorRank(path[0]) < 0 {
			continue
		}
		p.report(Warning, codeDottedKey, m.pos, "%s is read as nested keys; write it so", m.key)
		m.val.used = true
		if path[0] != "metadata" {
			path = append([]string{"metadata"}, path...)
		}
		at := root
		for _, key := range path[:len(path)-1] {
			next := at.member(key)
			if next == nil || next.val.kind == kindNull {
				at.set(member{key, m.pos, &value{kind: kindObject, pos: m.pos}})
				next = at.member(key)
			}
			if next.val.kind != kindObject {
				p.report(Warning, codeWrongType, m.pos, "%s stands beside a %s that is %s", m.key, key, next.val.kind)
				at = nil
				break
			}
			at = next.val
		}
		if at != nil {
			v := *m.val
			v.used = false
			if old, dup := at.set(member{path[len(path)-1], m.pos, &v}); dup {
				p.duplicate(m.key, m.pos, old)
			}
		}
	}
}

// field returns the member that is spelled name, else one that is spelled
// like it but for case, hyphens and underscores, and marks it as read.
func (v *value) field(name string) *member {
	f := v.find(name)
	if f != nil {
		f.val.used = true
	}
	return f
}

// find is field for a reader that decodes nothing.
func (v *value) find(name string) *member {
	if f := v.member(name); f != nil {
		return f
	}
	want := snake(name)
	for i := range v.members {
		if m := &v.members[i]; snake(m.key) == want {
			return m
		}
	}
	return nil
}

// unread returns the members that were not read as fields, or nil.
func (v *value) unread() map[string]any {
	var extra map[string]any
	for _, m := range v.members {
		if m.val.used || m.val.kind == kindLost {
			continue
		}
		if extra == nil {
			extra = make(map[string]any)
		}
		extra[m.key] = m.val.any()
	}
	return extra
}

// snake returns key in snake_case: primaryEnv, primary-env and Primary_Env are
// all primary_env.
func snake(key string) string {
	plain := true
	for i := range len(key) {
		if c := key[i]; 'A' <= c && c <= 'Z' || c == '-' {
			plain = false
			break
		}
	}
	if plain {
		return key
	}
	b := make([]byte, 0, len(key)+4)
	for i := range len(key) {
		c := key[i]
		switch {
		case c == '-':
			c = '_'
		case 'A' <= c && c <= 'Z':
			if i > 0 && ('a' <= key[i-1] && key[i-1] <= 'z' || '0' <= key[i-1] && key[i-1] <= '9') {
				b = append(b, '_')
			}
			c += 'a' - 'A'
		}
		b = append(b, c)
	}
	return string(b)
}

// orField returns the first of fields that is there and not null.
func orField(fields ...*member) *member {
	for _, f := range fields {
		if f != nil && f.val.kind != kindNull {
			return f
		}
	}
	return cmp.Or(fields...)
}
