package metadata

// An Edit replaces the bytes of a file from Start to End, which may be equal,
// with New.
type Edit struct {
	Start, End int // offsets in bytes
	New        string
}
