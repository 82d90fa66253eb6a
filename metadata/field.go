package metadata

import "iter"

// A Field is an entry of the frontmatter, where it stands and what it holds:
// a key with its value, or an item of a list. It is for a reader that reports
// on the text, such as a linter; what the text means is in [Manifest].
type Field struct {
	Key    string   // as written, or empty for an item
	KeyPos Position // zero for an item
	Pos    Position // where the value starts; where the key does if there is none
	val    *value
}

// Top returns the field of that name at the top level of the frontmatter, in
// any spelling that [Parse] accepts: exactly as given, else equal in
// snake_case.
func (d *Document) Top(name string) (f Field, ok bool) { return d.vendor.top.lookup(name) }

// Tops returns the fields at the top level in the order of the text; of those
// with one key, the last alone.
func (d *Document) Tops() iter.Seq[Field] { return fieldOf(d.vendor.top).All() }

// Vendor returns the field of that name from where Parse took it: the vendor
// block, which is metadata itself if that has none, else metadata, else the
// top level. Spellings are as for [Document.Top].
func (d *Document) Vendor(name string) (f Field, ok bool) {
	for _, v := range []*value{d.vendor.block, d.vendor.meta, d.vendor.top} {
		if f, ok := v.lookup(name); ok && f.val.kind != kindNull {
			return f, true
		}
	}
	return Field{}, false
}

// Vendors returns the fields of the vendor block, as [Document.Tops] does.
func (d *Document) Vendors() iter.Seq[Field] { return fieldOf(d.vendor.block).All() }

// Field returns the field of that name in a mapping. Spellings are as for
// [Document.Top].
func (f Field) Field(name string) (Field, bool) { return f.val.lookup(name) }

// All returns the fields of a mapping or the items of a list, in the order of
// the text; nothing for a scalar.
func (f Field) All() iter.Seq[Field] {
	return func(yield func(Field) bool) {
		if f.val == nil {
			return
		}
		for _, m := range f.val.members {
			if !yield(Field{m.key, m.pos, m.val.pos, m.val}) {
				return
			}
		}
		for _, item := range f.val.items {
			if !yield(fieldOf(item)) {
				return
			}
		}
	}
}

// Text returns the text of a scalar as YAML or JSON reads it, or "".
func (f Field) Text() string {
	if f.val == nil || !f.val.isScalar() || f.val.kind == kindNull {
		return ""
	}
	return f.val.text
}

// Value returns what f holds as encoding/json decodes it into an any, numbers
// as json.Number; nil for what could not be read.
func (f Field) Value() any {
	if f.val == nil {
		return nil
	}
	return f.val.any()
}

func fieldOf(v *value) Field {
	if v == nil {
		return Field{}
	}
	return Field{Pos: v.pos, val: v}
}

func (v *value) lookup(name string) (Field, bool) {
	if v == nil {
		return Field{}, false
	}
	m := v.find(name)
	if m == nil {
		return Field{}, false
	}
	return Field{m.key, m.pos, m.val.pos, m.val}, true
}
