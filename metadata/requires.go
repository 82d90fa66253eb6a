package metadata

import (
	"slices"
	"strings"
	"unicode"
)

// requires decodes the requires field f.
func (p *parser) requires(m *Manifest, f *member) {
	if f == nil {
		return
	}
	switch f.val.kind {
	case kindNull:
	case kindLost:
		m.RequiresUnknown = true
	case kindObject:
		p.requiresObject(m, f.val, false)
	case kindList:
		// A list of mappings is the mapping, an entry a key.
		for _, item := range f.val.items {
			switch item.kind {
			case kindNull:
			case kindObject:
				p.requiresObject(m, item, false)
			default:
				p.unclear(m, item.pos, "an entry of requires does not say of which kind it is; use bins, env or the like")
			}
		}
	default:
		if strings.TrimSpace(f.val.text) != "" {
			p.unclear(m, f.val.pos, "requires is "+f.val.kind.String()+"; want a mapping with bins, env or the like")
		}
	}
}

// unclear reports a requirement that cannot be understood.
func (p *parser) unclear(m *Manifest, pos Position, msg string) {
	p.report(Warning, codeRequirement, pos, "%s; requirements are unknown", msg)
	m.RequiresUnknown = true
}

func (p *parser) requiresObject(m *Manifest, v *value, optional bool) {
	for i := range v.members {
		f := &v.members[i]
		name := snake(f.key)
		opt := optional
		if rest, ok := strings.CutPrefix(name, "optional_"); ok {
			name, opt = rest, true
		}
		switch {
		case name == "optional" && f.val.kind == kindObject:
			p.requiresObject(m, f.val, true)
			continue
		case name == "os" && !opt:
			continue // read with the field os
		}
		list := requirementList(name)
		if list == "" {
			if !opt {
				m.RequiresUnknown = true
			}
			if f.val.kind != kindLost { // else reported
				p.report(Warning, codeUnknownRequires, f.pos, "requires.%s is not a known kind of requirement, and not checked", f.key)
			}
			continue
		}
		if name == "python" && f.val.isScalar() && isVersion(f.val.text) {
			p.report(Warning, codeUnknownRequires, f.pos, "requires.python asks for a version of Python, which is not checked")
			continue
		}
		if list != name {
			p.report(Info, codeKeySpelling, f.pos, "requires.%s is read as %s", f.key, list)
		}
		p.requirements(m, f, list, opt)
	}
}

// requirementList returns the documented name of a list under requires, or "".
func requirementList(name string) string {
	switch name {
	case "bins", "any_bins", "env", "config", "python_packages", "skills", "tools":
		return name
	case "bin", "binaries":
		return "bins"
	case "any_bin":
		return "any_bins"
	case "envs", "env_vars":
		return "env"
	case "python", "pip", "pips", "pypi", "packages", "modules", "pip_packages":
		return "python_packages"
	}
	return ""
}

// isVersion reports whether s is a version or a range, such as 3.8+ or >=3.10.
func isVersion(s string) bool {
	s = strings.TrimLeft(s, " v^~<>=!")
	return s != "" && '0' <= s[0] && s[0] <= '9' && !strings.ContainsFunc(s, unicode.IsLetter)
}

// misplacedRequires reads the lists of bins and packages that stand in the
// vendor block itself. There env may also mean variables to set: it is left.
func (p *parser) misplacedRequires(m *Manifest, v *vendor) {
	for _, name := range []string{"bins", "any_bins", "python_packages", "optional_bins", "optional_env"} {
		f := v.block.field(name)
		if f == nil || f.val.kind == kindNull {
			continue
		}
		p.report(Warning, codeMisplacedField, f.pos, "%s stands outside requires; put it there", f.key)
		list, opt := strings.CutPrefix(name, "optional_")
		p.requirements(m, f, list, opt)
	}
}

// A reqReader reads one list under requires.
type reqReader struct {
	p        *parser
	m        *Manifest
	key      string // as written
	list     string // its documented name, without optional_
	optional bool
}

func (p *parser) requirements(m *Manifest, f *member, list string, optional bool) {
	r := reqReader{p, m, f.key, list, optional}
	switch v := f.val; v.kind {
	case kindNull:
	case kindLost:
		m.RequiresUnknown = true
	case kindList:
		for _, item := range v.items {
			r.item(item)
		}
	case kindObject:
		r.object(v)
	case kindText:
		for _, s := range r.split(v.text) {
			r.entry(s, v.pos, optional)
		}
	default:
		r.unclear(v.pos, v.text)
	}
}

func (r *reqReader) unclear(pos Position, what string) {
	if r.optional {
		r.p.report(Warning, codeRequirement, pos, "an entry of requires.%s is not understood: %q", r.key, what)
		return
	}
	r.p.unclear(r.m, pos, "an entry of requires."+r.key+" is not understood")
}

// item reads an entry of a list.
func (r *reqReader) item(v *value) {
	switch v.kind {
	case kindNull:
	case kindText:
		r.entry(v.text, v.pos, r.optional)
	case kindObject:
		for _, key := range []string{"name", r.list, strings.TrimSuffix(r.list, "s"), "key", "var", "variable", "id", "package", "path"} {
			if f := v.member(key); f != nil && f.val.kind == kindText {
				r.entry(f.val.text, f.val.pos, r.optional || isOptional(v))
				return
			}
		}
		if len(v.members) == 1 {
			r.object(v)
			return
		}
		r.unclear(v.pos, "a mapping without a name")
	default:
		r.unclear(v.pos, v.text)
	}
}

// object reads a mapping whose keys are the names.
func (r *reqReader) object(v *value) {
	for i := range v.members {
		f := &v.members[i]
		if f.val.kind == kindList {
			if f.key == "required" || f.key == "optional" {
				r.p.requirements(r.m, f, r.list, r.optional || f.key == "optional")
				continue
			}
			r.unclear(f.pos, f.key)
			continue
		}
		r.entry(f.key, f.pos, r.optional || isOptional(f.val))
	}
}

// isOptional reports whether what v says of a requirement makes it optional.
func isOptional(v *value) bool {
	if v.kind == kindText {
		return strings.EqualFold(strings.TrimSpace(v.text), "optional")
	}
	if f := v.member("required"); f != nil && strings.EqualFold(f.val.text, "false") {
		return true
	}
	f := v.member("optional")
	return f != nil && strings.EqualFold(f.val.text, "true")
}

// split divides a text that stands in place of a list.
func (r *reqReader) split(s string) []string {
	if r.list == "python_packages" {
		return splitPackages(s)
	}
	return strings.Split(s, ",")
}

// entry reads one name.
func (r *reqReader) entry(s string, pos Position, optional bool) {
	s = strings.TrimSpace(s)
	if s == "" {
		return
	}
	if r.list == "skills" || r.list == "tools" {
		r.add(s, pos, optional)
		return
	}
	if name, note, ok := strings.Cut(s, " ("); ok && strings.HasSuffix(note, ")") && isPlainName(name) {
		opt := optional || strings.Contains(strings.ToLower(note), "optional")
		r.p.report(Warning, codeRequirement, pos, "%q in requires.%s is read as the name %s", s, r.key, name)
		r.add(name, pos, opt)
		return
	}
	switch r.list {
	case "python_packages":
		names := splitPackages(s)
		for _, name := range names {
			if c := rune(name[0]); !unicode.IsLetter(c) && !unicode.IsDigit(c) {
				r.unclear(pos, s)
				return
			}
		}
		for _, name := range names {
			r.add(name, pos, optional)
		}
	case "bins", "any_bins":
		if alts := strings.FieldsFunc(s, func(c rune) bool { return c == '|' }); len(alts) > 1 && !optional {
			r.alternatives(alts, s, pos)
			return
		}
		fallthrough
	default:
		if !isPlainName(s) {
			r.unclear(pos, s)
			return
		}
		r.add(s, pos, optional)
	}
}

// alternatives reads "a|b", which is how any_bins looks in bins.
func (r *reqReader) alternatives(alts []string, s string, pos Position) {
	for i, a := range alts {
		if alts[i] = strings.TrimSpace(a); !isPlainName(alts[i]) {
			r.unclear(pos, s)
			return
		}
	}
	if r.p.anyFromBins || r.list == "bins" && len(r.m.Requires.AnyBins) > 0 {
		// There is one group of alternatives, and it is taken.
		r.unclear(pos, s)
		return
	}
	r.p.anyFromBins = r.list == "bins"
	r.p.report(Warning, codeRequirement, pos, "%q in requires.%s is read as any_bins", s, r.key)
	for _, a := range alts {
		addRequirement(&r.m.Requires.AnyBins, a, pos)
	}
}

// isPlainName reports whether s may name one executable, variable or key.
func isPlainName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool {
		return unicode.IsSpace(c) || unicode.IsControl(c) || strings.ContainsRune("|()=,;{}$\"'`<>&*?", c)
	})
}

func (r *reqReader) add(name string, pos Position, optional bool) {
	q := &r.m.Requires
	var list, opt *[]Requirement
	switch r.list {
	case "bins":
		list, opt = &q.Bins, &q.OptionalBins
	case "any_bins":
		if r.p.anyFromBins && !optional {
			r.unclear(pos, name)
			return
		}
		list = &q.AnyBins
	case "env":
		list, opt = &q.Env, &q.OptionalEnv
	case "config":
		list, opt = &q.Config, &q.OptionalConfig
	case "python_packages":
		list, opt = &q.PythonPackages, &q.OptionalPythonPackages
	case "skills":
		list = &q.Skills
	case "tools":
		list = &q.Tools
	}
	if optional {
		list = opt
	}
	if list == nil {
		r.p.report(Info, codeRequirement, pos, "%q in requires.%s is optional and not checked", name, r.key)
		return
	}
	addRequirement(list, name, pos)
}

func addRequirement(list *[]Requirement, name string, pos Position) {
	if !slices.ContainsFunc(*list, func(q Requirement) bool { return q.Name == name }) {
		*list = append(*list, Requirement{name, pos})
	}
}

// splitPackages divides a text at commas and blanks into Python requirements.
// A version specifier stays with its name; what has a marker or a URL is one.
func splitPackages(s string) []string {
	if strings.ContainsAny(s, ";@") {
		return []string{s}
	}
	var list []string
	glue := false
	for f := range strings.FieldsFuncSeq(s, func(c rune) bool { return c == ',' || unicode.IsSpace(c) }) {
		if n := len(list); n > 0 && (glue || strings.ContainsRune("<>=!~", rune(f[0]))) {
			sep := ""
			if !glue && strings.ContainsAny(list[n-1], "<>=!~") {
				sep = ","
			}
			list[n-1] += sep + f
		} else {
			list = append(list, f)
		}
		glue = strings.ContainsRune("<>=!~", rune(f[len(f)-1]))
	}
	return list
}
