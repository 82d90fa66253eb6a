package metadata

import "github.com/matrix-nexus/skillkit/internal/posjson"

// A jsonError is a fault in JSON text.
type jsonError struct {
	pos Position
	msg string
}

func (e *jsonError) Error() string { return e.msg }

// parseJSON reads the JSON value at the start of text, strict or relaxed; see
// [posjson.Parse]. dup is called for each key that is given twice.
func parseJSON(text string, loc locator, dup func(key string, pos, old Position)) (v *value, end int, relaxed bool, err *jsonError) {
	loc.text = text
	n, end, strict, fault := posjson.Parse(text)
	if fault != nil {
		return nil, 0, true, &jsonError{loc.at(fault.Offset), fault.Msg}
	}
	t := jsonTree{loc, dup}
	return t.value(&n), end, strict != nil, nil
}

// A jsonTree turns nodes into values, in the order of the text.
type jsonTree struct {
	loc locator
	dup func(key string, pos, old Position)
}

func (t *jsonTree) value(n *posjson.Node) *value {
	v := &value{pos: t.loc.at(n.Start), text: n.Text}
	switch n.Kind {
	case posjson.Bool:
		v.kind = kindBool
	case posjson.Number:
		v.kind = kindNumber
	case posjson.String:
		v.kind = kindText
	case posjson.List:
		v.kind = kindList
		v.items = make([]*value, len(n.Items))
		for i := range n.Items {
			v.items[i] = t.value(&n.Items[i])
		}
	case posjson.Object:
		v.kind = kindObject
		for i := range n.Members {
			o := &n.Members[i]
			m := member{key: o.Key, pos: t.loc.at(o.Start)}
			m.val = t.value(&o.Val)
			if old, dup := v.set(m); dup {
				t.dup(m.key, m.pos, old)
			}
		}
	}
	return v
}
