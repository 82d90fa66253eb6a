package registry

import (
	"encoding/json"
	"strings"
)

// A plain schema has only the keywords that the parameters of skills and plugins
// come to. It tells fast that a value fits. It never tells that one does not: the
// checker, which knows all keywords, is asked then, and says why.
type plain struct {
	kind     string // "" is any
	members  map[string]*plain
	required []string
	closed   bool   // no other members
	items    *plain // nil is any
}

// newPlain returns the plain form of the decoded schema v, or nil.
func newPlain(v any) *plain {
	m, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	p := &plain{}
	for key, e := range m {
		switch key {
		case "title", "description", "default", "examples":
			ok = true
		case "type":
			p.kind, ok = e.(string)
		case "properties":
			ok = p.setMembers(e)
		case "required":
			ok = p.setRequired(e)
		case "additionalProperties":
			var open bool
			open, ok = e.(bool)
			p.closed = !open
		case "items":
			p.items = newPlain(e)
			ok = p.items != nil
		default:
			ok = false
		}
		if !ok {
			return nil
		}
	}
	object := p.members != nil || p.required != nil || p.closed
	if object && p.kind != "object" || p.items != nil && p.kind != "array" {
		return nil
	}
	return p
}

func (p *plain) setMembers(v any) bool {
	m, ok := v.(map[string]any)
	p.members = make(map[string]*plain, len(m))
	for name, e := range m {
		if p.members[name] = newPlain(e); p.members[name] == nil {
			return false
		}
	}
	return ok
}

func (p *plain) setRequired(v any) bool {
	list, ok := v.([]any)
	for _, e := range list {
		name, isText := e.(string)
		if !isText {
			return false
		}
		p.required = append(p.required, name)
	}
	return ok
}

// fits reports that v certainly fits.
func (p *plain) fits(v any) bool {
	switch v := v.(type) {
	case string:
		return p.kind == "" || p.kind == "string"
	case bool:
		return p.kind == "" || p.kind == "boolean"
	case json.Number:
		return p.kind == "" || p.kind == "number" ||
			p.kind == "integer" && strings.Trim(string(v), "-0123456789") == ""
	case []any:
		if p.kind != "" && p.kind != "array" {
			return false
		}
		for _, e := range v {
			if p.items != nil && !p.items.fits(e) {
				return false
			}
		}
		return true
	case map[string]any:
		if p.kind != "" && p.kind != "object" {
			return false
		}
		for _, name := range p.required {
			if _, ok := v[name]; !ok {
				return false
			}
		}
		for name, e := range v {
			if member := p.members[name]; member != nil && !member.fits(e) || member == nil && p.closed {
				return false
			}
		}
		return true
	}
	return v == nil && p.kind == ""
}
