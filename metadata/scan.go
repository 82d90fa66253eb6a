package metadata

// A Brief is what an index holds of a skill.
type Brief struct {
	Name        string // the declared name, or empty
	Description string
	// MayHaveKey reports whether the header may hold a skill_key.
	MayHaveKey bool
}

// ScanBrief reads a Brief out of head, the start of a file, without a YAML
// parser. It answers ok only for a header that it is certain of, for which
// [ParseHeader] gives the same values and no [*SyntaxError]; in particular the
// closing fence must lie within head.
func ScanBrief(head []byte) (b Brief, ok bool) {
	return Brief{}, false
}
