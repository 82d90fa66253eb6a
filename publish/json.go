package publish

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

var errNotUTF8 = errors.New("not UTF-8")

// object returns the fields of a JSON object, which may have those that are
// known, each once and spelled exactly so; encoding/json would let more pass.
func object(data []byte, known ...string) (map[string]json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	open, err := dec.Token()
	if err != nil {
		return nil, notJSON(err)
	}
	if open != json.Delim('{') {
		return nil, errors.New("not a JSON object")
	}
	fields := map[string]json.RawMessage{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, notJSON(err)
		}
		name, _ := token.(string)
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, notJSON(err)
		}
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("%s is not a field that is known", short(name))
		}
		if _, twice := fields[name]; twice {
			return nil, fmt.Errorf("%s is there twice", name)
		}
		fields[name] = value
	}
	if _, err := dec.Token(); err != nil {
		return nil, notJSON(err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("more follows the JSON object")
	}
	return fields, nil
}

func notJSON(err error) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("not JSON: %w", err)
}

// decode decodes the field of that name, if it is there.
func decode(fields map[string]json.RawMessage, name string, to any) error {
	raw, ok := fields[name]
	if !ok {
		return nil
	}
	if string(raw) == "null" { // which would decode into anything
		return fmt.Errorf("%s is null; leave it out", name)
	}
	err := json.Unmarshal(raw, to)
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%s: a %s is not what belongs there", name, e.Value)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// loneSurrogate returns an error for an escape such as \ud800 without its other
// half. encoding/json would put U+FFFD in its place.
func loneSurrogate(data []byte) error {
	half := func(data []byte) rune {
		if len(data) < 6 || data[0] != '\\' || data[1] != 'u' {
			return 0
		}
		n, err := strconv.ParseUint(string(data[2:6]), 16, 16)
		if err != nil || !utf16.IsSurrogate(rune(n)) {
			return 0
		}
		return rune(n)
	}
	for rest := data; ; {
		i := bytes.IndexByte(rest, '\\')
		if i < 0 {
			return nil
		}
		rest = rest[i:]
		switch high := half(rest); {
		case high == 0:
			rest = rest[min(2, len(rest)):]
		case utf16.DecodeRune(high, half(rest[6:])) == '\ufffd':
			return fmt.Errorf("the escape %s at byte %d is half a character", rest[:6], len(data)-len(rest))
		default:
			rest = rest[12:]
		}
	}
}

// decodeBase64 decodes standard base64 with padding, and without line breaks.
func decodeBase64(s string) ([]byte, error) {
	if strings.ContainsAny(s, "\r\n") { // which the decoder passes over
		return nil, errors.New("content_b64 holds a line break")
	}
	data, err := base64.StdEncoding.Strict().DecodeString(s)
	if err != nil {
		return nil, fmt.Errorf("content_b64: %w", err)
	}
	return data, nil
}
