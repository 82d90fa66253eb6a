package executa

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

const (
	// redacted stands where a credential was.
	redacted = "[redacted]"
	// minRedact is the length in bytes of the shortest value that is hidden:
	// shorter ones, such as "true" or a port, would be found everywhere.
	minRedact = 6
	// maxRedact is how many values are hidden. Of more, those that were added
	// longest ago are forgotten: tokens that were replaced long since.
	maxRedact = 256
	// maxLayers is how many encodings around a value are seen through, in any
	// order: those of JSON strings and those of URLs.
	maxLayers = 3
)

// A redactor hides credentials in what a plugin writes: as they are, with any of
// their characters escaped as in a JSON string, and percent-encoded, also inside
// one another up to maxLayers. Each line of a value of several lines is hidden too,
// since logs are written by the line. What a plugin disguises otherwise, in base64
// or backwards, is not found: it is a program that was trusted with the value.
//
// The zero redactor hides nothing. It may be used by several goroutines.
type redactor struct {
	values atomic.Pointer[hidden] // nil if there are none; never changed, but replaced

	mu    sync.Mutex        // held while values are added
	added map[string]uint64 // by value, when it was added last
	now   uint64
}

// hidden are the values of a redactor.
type hidden struct {
	list []string
	// in are the bytes that occur in them, and those that begin an escape. One
	// that decodes to another byte is no part of a value.
	in [256]bool
}

// add makes r hide values from now on.
func (r *redactor) add(values ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now++
	n, changed := len(r.added), false
	for _, value := range values {
		r.addOne(value)
		if strings.ContainsAny(value, "\r\n") {
			for line := range strings.FieldsFuncSeq(value, func(c rune) bool { return c == '\r' || c == '\n' }) {
				r.addOne(strings.TrimSpace(line))
			}
		}
		if strings.Contains(value, " ") {
			r.addOne(strings.ReplaceAll(value, " ", "+")) // as forms have it
		}
		changed = changed || len(r.added) != n
		n = len(r.added)
	}
	if !changed {
		return
	}
	list := make([]string, 0, len(r.added))
	for value := range r.added {
		list = append(list, value)
	}
	slices.SortFunc(list, func(a, b string) int {
		if r.added[a] != r.added[b] {
			return int(int64(r.added[b]) - int64(r.added[a])) // the newest first
		}
		return strings.Compare(a, b)
	})
	for _, value := range list[min(len(list), maxRedact):] {
		delete(r.added, value)
	}
	h := &hidden{list: list[:len(r.added)]}
	for _, value := range h.list {
		for i := range len(value) {
			h.in[value[i]] = true
		}
	}
	h.in['\\'], h.in['%'] = true, true
	r.values.Store(h)
}

func (r *redactor) addOne(value string) {
	if len(value) < minRedact || strings.Contains(redacted, value) {
		return
	}
	if r.added == nil {
		r.added = make(map[string]uint64)
	}
	r.added[value] = r.now
}

// empty reports whether there is nothing to hide.
func (r *redactor) empty() bool { return r.values.Load() == nil }

// string returns s, which is text of any kind, without the values.
func (r *redactor) string(s string) string {
	values := r.values.Load()
	if values == nil || !strings.ContainsAny(s, `\%`) &&
		!slices.ContainsFunc(values.list, func(v string) bool { return strings.Contains(s, v) }) {
		return s
	}
	f := finder{hidden: values}
	if out, found := f.plain([]byte(s)); found {
		return string(out)
	}
	return s
}

// beginning returns at most max bytes of the start of b without the values, also
// without the start of one that is cut.
func (r *redactor) beginning(b []byte, max int) string {
	if len(b) <= max+maxSecret {
		s := r.string(string(b))
		return s[:min(len(s), max)]
	}
	s := r.string(string(b[:max+maxSecret]))
	return s[:min(len(s)-min(len(s), maxSecret), max)]
}

// bytes returns b, which should be JSON, without the values. It is b itself if
// there are none in it. What is valid JSON stays so: in a string all of an escape
// goes of which a part belongs to a value, a number that holds one becomes a
// string, and if a value spans more than one of these, all of b becomes a string.
// What is no JSON is taken as text.
func (r *redactor) bytes(b []byte) []byte {
	values := r.values.Load()
	if values == nil {
		return b
	}
	f := finder{hidden: values}
	if !f.has(b) && !f.escaped(b) {
		return b
	}
	if !json.Valid(b) {
		out, _ := f.plain(b)
		return out
	}
	out, found := f.json(b)
	if found {
		_, found = f.json(out) // the replacement and what is beside it
	}
	if found || f.has(out) {
		return []byte(`"` + redacted + `"`)
	}
	return out
}

// A finder looks for values in one text.
type finder struct {
	*hidden
	spans []span
}

// A span is a part of a text.
type span struct{ start, end int }

// has reports whether a value stands in b as it is.
func (f *finder) has(b []byte) bool {
	return slices.ContainsFunc(f.list, func(v string) bool { return bytes.Contains(b, []byte(v)) })
}

// plain returns b without values, and whether there were any.
func (f *finder) plain(b []byte) (out []byte, found bool) {
	if f.find(b); len(f.spans) == 0 {
		return b, false
	}
	out = f.replace(nil, b)
	if f.find(out); len(f.spans) > 0 { // the replacement and what is beside it
		out = []byte(redacted)
	}
	return out, true
}

// json returns b, which is valid JSON, without values in strings and numbers, and
// whether there were any.
func (f *finder) json(b []byte) (out []byte, found bool) {
	kept := 0 // what of b is in out
	for i := 0; i < len(b); {
		start := i
		switch c := b[i]; {
		case c == '"':
			for i++; b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
			i++
			content := b[start+1 : i-1]
			if f.find(content); len(f.spans) == 0 {
				continue
			}
			if bytes.IndexByte(content, '\\') >= 0 {
				v := unescape.view(content)
				for j, s := range f.spans {
					f.spans[j] = v.whole(s)
				}
			}
			out = append(out, b[kept:start+1]...)
			out = f.replace(out, content)
			kept = i - 1
		case c == '-' || '0' <= c && c <= '9':
			for i < len(b) && strings.IndexByte("+-.0123456789eE", b[i]) >= 0 {
				i++
			}
			if i-start >= minRedact && f.has(b[start:i]) {
				out = append(out, b[kept:start]...)
				out = append(out, `"`+redacted+`"`...)
				kept = i
			}
		default:
			i++
		}
	}
	if kept == 0 {
		return b, false
	}
	return append(out, b[kept:]...), true
}

// find makes f.spans the places of values in text.
func (f *finder) find(text []byte) {
	f.spans = f.spans[:0]
	if len(text) < minRedact { // no encoding is shorter than the value
		return
	}
	f.look(text, maxLayers, func(s span) span { return s })
}

// look adds the places of values in text to f.spans. origin says where they are in
// what text was decoded from.
func (f *finder) look(text []byte, layers int, origin func(span) span) {
	for _, value := range f.list {
		for at := 0; ; {
			i := bytes.Index(text[at:], []byte(value))
			if i < 0 {
				break
			}
			s := span{at + i, at + i + len(value)}
			at = s.end
			f.spans = append(f.spans, origin(s))
		}
	}
	if layers == 0 {
		return
	}
	for _, decode := range []decoder{unescape, unpercent} {
		if !decode.escaped(text, &f.in) {
			continue
		}
		v := decode.view(text)
		f.look(v.text, layers-1, func(s span) span { return origin(v.source(s)) })
	}
}

// escaped reports whether a part of a value may be escaped in b.
func (f *finder) escaped(b []byte) bool {
	return unescape.escaped(b, &f.in) || unpercent.escaped(b, &f.in)
}

// replace appends text to out, with the spans replaced.
func (f *finder) replace(out, text []byte) []byte {
	slices.SortFunc(f.spans, func(a, b span) int { return a.start - b.start })
	at := 0 // behind the last one
	for i, s := range f.spans {
		if i == 0 || s.start > at {
			out = append(out, text[at:s.start]...)
			out = append(out, redacted...)
		}
		at = max(at, s.end)
	}
	return append(out, text[at:]...)
}
