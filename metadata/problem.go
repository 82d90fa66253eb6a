package metadata

import (
	"cmp"
	"fmt"
	"strconv"
)

// A Position is a place in a text: a line and a column, both counted from 1,
// the column in code points. The zero Position means that the place is not
// known, or that the fault is that of the whole file.
type Position struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

// IsValid reports whether p is a known place.
func (p Position) IsValid() bool { return p.Line > 0 }

// String formats p as "line:column", or "-" for the zero Position.
func (p Position) String() string {
	if !p.IsValid() {
		return "-"
	}
	return strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column)
}

// Compare orders positions by line, then by column.
func (p Position) Compare(q Position) int {
	return cmp.Or(cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
}

// A Severity says how bad a [Problem] is. The zero Severity is [Info].
type Severity int

const (
	Info    Severity = iota // worth knowing; nothing is lost
	Warning                 // a value was lost, repaired, or is likely not what the author meant
	Error                   // the skill, or a whole field that it needs, is lost
)

// String returns "info", "warning" or "error".
func (s Severity) String() string {
	switch s {
	case Info:
		return "info"
	case Warning:
		return "warning"
	case Error:
		return "error"
	}
	return fmt.Sprintf("Severity(%d)", int(s))
}

// MarshalText implements [encoding.TextMarshaler] with [Severity.String].
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// A Problem is a fault found while a skill was read. It never means that
// another skill was lost.
type Problem struct {
	// Code names the kind of fault in kebab-case, such as "unquoted-colon".
	// It is stable: programs may compare it. The documentation of the package
	// lists those of this package.
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	// File is the path of the file or folder, as the reader was given it.
	File string `json:"file"`
	// Position is zero when the fault is that of the whole file or folder.
	Position
	// Message says what is wrong and what to do, in lower case without a
	// final period. It never holds the value of a secret.
	Message string `json:"message"`
	// Corrected is the line as it was read after a repair, or empty.
	Corrected string `json:"corrected,omitempty"`
}

// String formats p as "file:line:column: message"; the position is left out
// when it is not known.
func (p Problem) String() string {
	s := p.File
	if p.IsValid() {
		s += ":" + p.Position.String()
	}
	return s + ": " + p.Message
}

// Compare orders problems by file, position, code and message, so that lists
// of them come out the same on every run.
func (p Problem) Compare(q Problem) int {
	return cmp.Or(
		cmp.Compare(p.File, q.File),
		p.Position.Compare(q.Position),
		cmp.Compare(p.Code, q.Code),
		cmp.Compare(p.Message, q.Message),
	)
}
