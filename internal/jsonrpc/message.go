package jsonrpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf8"
)

// ErrNotObject is the error of [Decode] for text that is not one JSON object.
var ErrNotObject = errors.New("jsonrpc: not a JSON object")

// A Message is a request, a notification or a reply, with its parts as they stand
// in the text.
type Message struct {
	// ID is nil if there is none, and null if it is null.
	ID json.RawMessage
	// HasMethod tells a request or a notification from a reply. Method is empty
	// if it is no string.
	HasMethod bool
	Method    string
	Params    json.RawMessage // nil if there are none
	Result    json.RawMessage // nil if there is none
	Error     *Error          // nil if there is none
	// File is the value of "__file_transport": the path of a file that holds the
	// message, of which there is only the id here.
	File string
}

// An Error is that of a reply.
type Error struct {
	Code    int64
	Message string
	Data    json.RawMessage // nil if there is none
}

// Decode reads a line into m. What m holds then is part of line, except for
// Method, File and Error. Keys are matched exactly, the last of equal ones counts,
// and a "method", "error" or "__file_transport" that is null is not there. An
// error that is not of the form of the protocol still is one. The error of Decode
// is [ErrNotObject].
//
// Bytes that are not UTF-8 are let pass in strings, as encoding/json does; in Raw
// parts they are still there.
func Decode(line []byte, m *Message) error {
	*m = Message{}
	if !Members(line, m.member) {
		*m = Message{}
		return ErrNotObject
	}
	return nil
}

func (m *Message) member(key, value []byte) {
	switch string(key) {
	case "id":
		m.ID = value
	case "method":
		m.HasMethod = !isNull(value)
		m.Method, _ = Text(value)
	case "params":
		m.Params = value
	case "result":
		m.Result = value
	case "error":
		m.Error = decodeError(value)
	case "__file_transport":
		m.File, _ = Text(value)
	}
}

func isNull(value []byte) bool { return string(value) == "null" }

func decodeError(value []byte) *Error {
	if isNull(value) {
		return nil
	}
	e := new(Error)
	object := Members(value, func(key, value []byte) {
		switch string(key) {
		case "code":
			e.Code = integer(value)
		case "message":
			e.Message = textOrRaw(value)
		case "data":
			e.Data = nil
			if !isNull(value) {
				e.Data = bytes.Clone(value)
			}
		}
	})
	if !object {
		e.Message = textOrRaw(value)
	}
	return e
}

// integer returns the number that value is or holds in a string, or 0.
func integer(value []byte) int64 {
	value = bytes.Trim(value, `"`)
	if n, err := strconv.ParseInt(string(value), 10, 64); err == nil {
		return n
	}
	f, err := strconv.ParseFloat(string(value), 64)
	if n := int64(f); err == nil && float64(n) == f {
		return n
	}
	return 0
}

func textOrRaw(value []byte) string {
	if s, ok := Text(value); ok {
		return s
	}
	return string(bytes.ToValidUTF8(value, []byte("\uFFFD")))
}

// Append appends m to b as a line, with LF. A reply without result, error and
// file has the result {}. Raw parts must be JSON; their line breaks, which can be
// only between tokens, become blanks, and bytes that are not UTF-8 U+FFFD.
func Append(b []byte, m *Message) []byte {
	b = append(b, `{"jsonrpc":"2.0"`...)
	if m.ID != nil {
		b = append(b, `,"id":`...)
		b = AppendRaw(b, m.ID)
	}
	switch {
	case m.File != "":
		b = append(b, `,"__file_transport":`...)
		b = AppendText(b, m.File)
	case m.HasMethod:
		b = append(b, `,"method":`...)
		b = AppendText(b, m.Method)
		if m.Params != nil {
			b = append(b, `,"params":`...)
			b = AppendRaw(b, m.Params)
		}
	case m.Error != nil:
		b = append(b, `,"error":{"code":`...)
		b = strconv.AppendInt(b, m.Error.Code, 10)
		b = append(b, `,"message":`...)
		b = AppendText(b, m.Error.Message)
		if m.Error.Data != nil {
			b = append(b, `,"data":`...)
			b = AppendRaw(b, m.Error.Data)
		}
		b = append(b, '}')
	case m.Result != nil:
		b = append(b, `,"result":`...)
		b = AppendRaw(b, m.Result)
	default:
		b = append(b, `,"result":{}`...)
	}
	return append(b, '}', '\n')
}

// AppendRaw appends JSON to b so that it stays on one line and is UTF-8; see
// [Append].
func AppendRaw(b []byte, raw []byte) []byte {
	from := len(b)
	if utf8.Valid(raw) {
		b = append(b, raw...)
	} else {
		b = append(b, bytes.ToValidUTF8(raw, []byte("\uFFFD"))...)
	}
	for i, c := range b[from:] {
		if c == '\n' || c == '\r' {
			b[from+i] = ' '
		}
	}
	return b
}

// AppendText appends s to b as a JSON string. What is not UTF-8 becomes U+FFFD.
func AppendText(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				b = append(append(b, s[from:i]...), "\uFFFD"...)
				from = i + 1
			}
			i += size
			continue
		}
		if c < ' ' || c == '"' || c == '\\' {
			b = append(b, s[from:i]...)
			switch c {
			case '"', '\\':
				b = append(b, '\\', c)
			case '\n':
				b = append(b, '\\', 'n')
			case '\t':
				b = append(b, '\\', 't')
			default:
				b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			}
			from = i + 1
		}
		i++
	}
	return append(append(b, s[from:]...), '"')
}
