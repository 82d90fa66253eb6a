package doctor

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/matrix-nexus/skillkit/executa/manifest"
)

// Limits of a transcript. What is over them is counted only.
const (
	maxFrames = 20_000
	maxKept   = 64 << 10 // bytes of the params or the result of a frame
)

// A kind says what a line is.
type kind int

const (
	noise        kind = iota // no JSON object
	request                  // of the host, or, if received, of the plugin
	notification             // of the plugin
	reply
)

// A frame is a line that went to or from the plugin.
type frame struct {
	run    int // which process, from 0
	at     time.Duration
	sent   bool
	kind   kind
	size   int
	text   string // its start
	id     string // raw JSON, empty if there is none
	method string // of a reply that was received: that of its request
	params json.RawMessage
	// Of a reply.
	version  string // "jsonrpc"
	result   json.RawMessage
	failure  *failure
	members  []string // of the result, if it is an object
	textID   bool     // the id is text, and that of the request is a number
	byFile   bool     // it names a file in place of all else
	isObject bool
}

type failure struct {
	Code    int64  `json:"code"`
	Message string `json:"message"`
}

// A transcript is all that went to and fro. It may be written by several
// goroutines.
type transcript struct {
	mu     sync.Mutex
	began  time.Time
	run    int
	frames []frame
	lost   int // frames over the limit
	asked  map[string]string
	// described is the last answer to describe, as far as a manifest may reach.
	described json.RawMessage
}

func newTranscript() *transcript {
	return &transcript{began: time.Now(), asked: make(map[string]string)}
}

// next says that another process starts.
func (t *transcript) next() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.run++
	clear(t.asked)
}

// record is an [executa.Options.Trace].
func (t *transcript) record(_ string, sent bool, data []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.frames) == maxFrames {
		t.lost++
		return
	}
	f := parseFrame(data)
	f.run, f.sent, f.at = t.run, sent, time.Since(t.began)
	switch {
	case f.kind == request && sent:
		t.asked[f.id] = f.method
	case f.kind == reply && !sent:
		f.method = t.asked[f.id]
		f.textID = f.method == "" && t.asked[unquote(json.RawMessage(f.id))] != ""
		delete(t.asked, f.id) // a second answer is one to nothing
		if f.method == "describe" && len(f.result) <= manifest.MaxFile {
			t.described = f.result
		}
	}
	f.params, f.result = keep(f.params), keep(f.result)
	t.frames = append(t.frames, f)
}

func keep(data json.RawMessage) json.RawMessage {
	if len(data) > maxKept {
		return nil
	}
	return data
}

// all returns the frames so far.
func (t *transcript) all() []frame {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.frames)
}

func parseFrame(data []byte) frame {
	data = bytes.TrimSpace(data)
	f := frame{size: len(data), text: string(data[:min(len(data), 4*maxQuoted)])}
	var m struct {
		Version json.RawMessage `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  *string         `json:"method"`
		Params  json.RawMessage `json:"params"`
		Result  json.RawMessage `json:"result"`
		Error   *failure        `json:"error"`
		File    *string         `json:"__file_transport"`
	}
	if len(data) == 0 || data[0] != '{' || !json.Valid(data) {
		return f
	}
	// A member of another type is at fault itself, and the rest counts.
	_ = json.Unmarshal(data, &m)
	if string(m.ID) != "null" {
		f.id = string(m.ID)
	}
	f.version = strings.Trim(string(m.Version), `"`)
	f.params, f.result, f.failure, f.byFile = m.Params, m.Result, m.Error, m.File != nil
	switch {
	case m.Method != nil && f.id == "":
		f.kind, f.method = notification, *m.Method
	case m.Method != nil:
		f.kind, f.method = request, *m.Method
	default:
		f.kind = reply
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(m.Result, &members) == nil && members != nil {
		f.isObject = true
		for name := range members {
			f.members = append(f.members, name)
		}
	}
	return f
}

// has reports whether the result of f has a member.
func (f *frame) has(member string) bool { return slices.Contains(f.members, member) }

// param returns a member of the params, and of its own member inner if that is
// given, or nil.
func (f *frame) param(names ...string) json.RawMessage {
	data := f.params
	for _, name := range names {
		var members map[string]json.RawMessage
		if json.Unmarshal(data, &members) != nil {
			return nil
		}
		data = members[name]
	}
	return data
}

// text of a parameter, or "".
func (f *frame) str(names ...string) string {
	var s string
	_ = json.Unmarshal(f.param(names...), &s)
	return s
}
